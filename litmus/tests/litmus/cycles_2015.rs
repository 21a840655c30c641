//! Tests from cycles in the form of 2015: every scope tree, memory map and cache operator once up
//! to renaming, and judged by the model of 2015.

use std::ops::ControlFlow;

use margay_litmus::cycle::*;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_litmus::test::{CacheOperator, Space, ThreadId};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Order, Scope};

fn variations(caches: &[CacheOperator], spaces: &[Space], places: &[Places]) -> Variations {
    Variations {
        language: Language::Ptx2015,
        orders: vec![Order::Plain],
        scopes: vec![Scope::Gpu],
        mixed_scopes: false,
        places: places.to_vec(),
        caches: caches.to_vec(),
        spaces: spaces.to_vec(),
    }
}

const CG: &[CacheOperator] = &[CacheOperator::Cg];
const GLOBAL: &[Space] = &[Space::Global];
const BOTH: &[Space] = &[Space::Global, Space::Shared];
const ANYWHERE: &[Places] = &[Places::All];

fn of_cycle(cycle: &str, variations: &Variations) -> Vec<Generated> {
    let edges: Vec<Edge> =
        cycle.split(' ').map(|e| e.parse().unwrap_or_else(|e| panic!("{e}"))).collect();
    let cycle = Cycle::new(&edges).unwrap_or_else(|e| panic!("{e}"));
    let mut found = Vec::new();
    let flow = Family::new(Language::Ptx2015).add_each(&cycle, variations, &mut |generated| {
        found.push(generated);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    found
}

/// Counted by hand: two threads are in one warp, in warps of one cta, or in two ctas; a location
/// may be shared in the first two.
#[test]
fn each_way_comes_once() {
    let count = |cycle: &str, variations: &Variations| of_cycle(cycle, variations).len();
    let mp = "MembarGldWW Rfe DpAddrdR Fre";
    assert_eq!(count(mp, &variations(CG, GLOBAL, ANYWHERE)), 3);
    assert_eq!(count(mp, &variations(CG, BOTH, ANYWHERE)), 4 + 4 + 1);
    // Two loads with two operators each; the operator of a store is not one of a load.
    let (ca, wt) = (CacheOperator::Ca, CacheOperator::Wt);
    assert_eq!(count(mp, &variations(&[ca, CacheOperator::Cg], GLOBAL, ANYWHERE)), 3 * 4);
    assert_eq!(count(mp, &variations(&[CacheOperator::Cg, wt], GLOBAL, ANYWHERE)), 3 * 4);
    // Store buffering is the same from both sides: one of two shared locations is as good as the
    // other, and so is one of two operators.
    let sb = "PodWR Fre PodWR Fre";
    assert_eq!(count(sb, &variations(CG, BOTH, ANYWHERE)), 3 + 3 + 1);
    assert_eq!(
        count(sb, &variations(&[ca, CacheOperator::Cg], GLOBAL, &[Places::Together(Scope::Gpu)])),
        3
    );
    // Three threads in every scope tree: one cta (5 divisions into warps), two ctas (3 divisions,
    // of which the larger has 2), three ctas.
    assert_eq!(
        count("PodWR Fre PodWW Coe PodWW Coe", &variations(CG, GLOBAL, ANYWHERE)),
        5 + 3 * 2 + 1
    );
    // A location whose threads are in two ctas is not shared: x and y of WRC are read by two
    // threads each.
    let wrc = variations(CG, BOTH, &[Places::Together(Scope::Gpu)]);
    assert_eq!(count("Rfe DpDatadW Rfe DpAddrdR Fre", &wrc), 1);
}

#[test]
fn the_text_is_that_of_2015() {
    let all = of_cycle(
        "MembarCtadWW Rfe DpCtrldR Fre",
        &variations(&[CacheOperator::Ca, CacheOperator::Wt], BOTH, &[Places::Together(Scope::Cta)]),
    );
    let texts: Vec<String> = all.iter().map(|generated| generated.test.to_string()).collect();
    assert_eq!(texts.len(), 4);
    insta::assert_snapshot!(texts[1], @r#"
    GPU_PTX MP+membar.cta+ctrl@P0+P1=wt.shared-wt+ca-ca.shared
    "MembarCtadWW Rfe DpCtrldR Fre"
    { x=0; y=0; 1:.reg .s32 r0; 1:.reg .pred p0; 1:.reg .s32 r1; }
     T0               | T1                    ;
     st.wt.s32 [x], 1 | ld.ca.s32 r0, [y]     ;
     membar.cta       | setp.ne.s32 p0, r0, 1 ;
     st.wt.s32 [y], 1 | @p0 bra END           ;
                      | ld.ca.s32 r1, [x]     ;
                      | END:                  ;
    ScopeTree(grid(cta(warp T0) (warp T1)))
    x: shared, y: global
    exists (1:r0=1 /\ 1:r1=0)
    "#);
}

/// The model of 2015 says of both engines the same, and what its paper says of message passing.
#[test]
fn the_model_of_2015_judges_them() {
    let model = crate::shipped::model("ptx-2015");
    let mut runner = Runner::new(&model);
    let mut allowed = |generated: &Generated| {
        let said = [Engine::Explicit, Engine::Sat].map(|engine| {
            runner
                .run(&generated.test, &Options::default(), Choice::Only(engine))
                .unwrap_or_else(|e| panic!("{e}"))
                .reachable
        });
        assert_eq!(said[0], said[1], "{}", generated.test);
        said[0]
    };
    // A fence orders within its scope: of cta scope not between ctas (Fig. 3 and section 5.3).
    let mut of = |membar: &str| {
        let tests = of_cycle(
            &format!("{membar}dWW Rfe {membar}dRR Fre"),
            &variations(CG, GLOBAL, ANYWHERE),
        );
        tests
            .iter()
            .map(|generated| (generated.test.name.clone(), allowed(generated)))
            .collect::<Vec<_>>()
    };
    let named = |membar: &str, said: [bool; 3]| {
        let places = ["P0P1", "P0+P1", "P0,P1"];
        places
            .iter()
            .zip(said)
            .map(|(place, said)| (format!("MP+{membar}+{membar}@{place}"), said))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("MembarCta"), named("membar.cta", [false, false, true]));
    assert_eq!(of("MembarGl"), named("membar.gl", [false; 3]));
    assert_eq!(of("MembarSys"), named("membar.sys", [false; 3]));
    // All cycles of three and four edges.
    let patterns = ["Rfe", "Fre", "Coe", "Pod**", "PosRR", "Dp*d*", "Membar*d**"];
    let edges: Vec<Edge> =
        patterns.iter().flat_map(|p| Edge::matching(p).unwrap_or_else(|e| panic!("{e}"))).collect();
    let mut family = Family::new(Language::Ptx2015);
    let all = variations(CG, BOTH, ANYWHERE);
    let mut counts = [0, 0];
    let flow = cycles(&edges, &Sizes { edges: 3..=4, threads: 2..=4 }, &mut |cycle| {
        family.add_each(&cycle, &all, &mut |generated| {
            counts[usize::from(allowed(&generated))] += 1;
            ControlFlow::Continue(())
        })
    });
    assert!(flow.is_continue());
    assert_eq!(counts, [634, 400], "forbidden and allowed");
}

/// Which threads are in one warp is kept from the text to the text; to the models warps are
/// nothing.
#[test]
fn scope_trees_say_warps() {
    let text = |tree: &str| {
        format!(
            "GPU_PTX warps\n{{ x=0; }}\n T0 | T1 | T2 ;\n st.cg [x], 1 | ld.cg r0, [x] | ld.cg r0, [x] ;\n{tree}\nx: global\nexists (1:r0=1)\n"
        )
    };
    for (tree, shares) in [
        ("ScopeTree(grid(cta(warp T0 T1) (warp T2)))", [true, true]),
        ("ScopeTree(grid(cta(warp T0) (warp T1 T2)))", [false, true]),
        ("ScopeTree(grid(cta(warp T0) (warp T2)) (cta(warp T1)))", [false, false]),
    ] {
        let source = SourceFile::new("t", text(tree));
        let test = read::test(&source).unwrap_or_else(|errors| panic!("{}", errors[0])).test;
        let place = |t: u16| test.placement(ThreadId(t));
        assert_eq!(
            [Scope::Warp, Scope::Cta].map(|scope| place(0).shares(scope, place(1))),
            shares,
            "{tree}"
        );
        assert!(test.to_string().contains(tree), "{test}");
    }
}
