//! Tests from cycles: each reads back unchanged, and its outcome picks the execution of the cycle,
//! which is not SC.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::shipped::model;
use margay_litmus::cycle::*;
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::identity::Name;
use margay_litmus::read;
use margay_litmus::test::{CacheOperator, Space};
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Kind, Order, Scope};

fn edges(patterns: &[&str]) -> Vec<Edge> {
    patterns.iter().flat_map(|p| Edge::matching(p).unwrap_or_else(|e| panic!("{e}"))).collect()
}

fn variations(language: Language) -> Variations {
    Variations {
        language,
        orders: vec![Order::Plain, Order::Rlx, Order::Acq, Order::Rel],
        scopes: vec![Scope::Cta, Scope::Gpu],
        mixed_scopes: false,
        places: vec![Places::All],
        caches: vec![CacheOperator::Ca, CacheOperator::Cg, CacheOperator::Wt],
        spaces: vec![Space::Global, Space::Shared],
    }
}

/// Any tests of random cycles: dependencies, fences, internal communication, several accesses of
/// one location.
fn sample(language: Language, count: usize, seed: u64) -> Vec<Generated> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let all = match language {
        Language::Generic => edges(&["Rf*", "Fr*", "Co*", "Po*", "FenceScd*", "FenceScs*", "Rmw"]),
        Language::Ptx2015 => edges(&["Rf*", "Fr*", "Co*", "Po*", "Dp*", "Membar*", "Rmw"]),
        Language::Ptx => {
            edges(&["Rf*", "Fr*", "Co*", "Po*", "Dp*", "Fence*", "BarSync*", "Rmw", "Rmw"])
        }
        Language::C => edges(&["Rf*", "Fr*", "Co*", "Po*", "Dp*", "Fence*", "Rmw"]),
    };
    let sizes = Sizes { edges: 3..=7, threads: 2..=4 };
    let mut family = Family::new(language);
    let mut found = Vec::new();
    while found.len() < count {
        let drawn = random(&all, &sizes, &mut rng);
        found.extend(
            drawn
                .and_then(|c| variations(language).random(&c, &mut rng))
                .and_then(|a| family.add(a)),
        );
    }
    found
}

#[test]
fn tests_read_back_unchanged() {
    for language in [Language::Ptx, Language::Ptx2015, Language::C, Language::Generic] {
        for generated in sample(language, 300, 1) {
            let text = generated.test.to_string();
            match read::test(&SourceFile::new("generated", text.clone())) {
                Ok(read) => assert_eq!(read.test, generated.test, "{text}"),
                Err(errors) => panic!("{}\n{text}", errors[0]),
            }
        }
    }
}

/// The execution with the outcome that SC forbids is the one that the cycle was turned into: same
/// reads-from, same coherence order.
#[test]
fn the_outcome_picks_the_execution_of_the_cycle_and_sc_forbids_it() {
    let sc = model("sc");
    let mut runner = ExplicitRunner::new(&sc);
    let mut shapes = BTreeMap::new();
    for language in [Language::Ptx, Language::C, Language::Generic] {
        for generated in sample(language, 400, 2) {
            let (test, text) = (&generated.test, generated.test.to_string());
            let verdict =
                runner.run(test, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert!(!verdict.reachable, "SC allows it:\n{text}");
            let forbidden = runner
                .forbidden(test, &Options::default(), None)
                .unwrap_or_else(|e| panic!("{e}\n{text}"));
            let Some(forbidden) = forbidden else {
                panic!("no execution has the outcome:\n{text}")
            };
            // For sc, fences that are not sequentially consistent are no events.
            let wanted = generated.from.execution(language);
            let keep: Vec<usize> =
                (0..wanted.size()).filter(|&e| wanted.events[e].kind != Kind::Fence).collect();
            let found = &forbidden.witness.execution;
            let kept: Vec<usize> =
                (0..found.size()).filter(|&e| found.events[e].kind != Kind::Fence).collect();
            assert_eq!(keep.len(), kept.len(), "{text}");
            for (i, &a) in keep.iter().enumerate() {
                for (j, &b) in keep.iter().enumerate() {
                    // The order of three writes is what observers see, if they see it in order:
                    // coherence, which the outcome of a cycle about one location goes against
                    // anyway.
                    let writes = wanted.events_where(|e| {
                        e.kind == Kind::Write && e.location == wanted.events[a].location
                    });
                    let of = |x: &margay_models::execution::Execution, a: usize, b: usize| {
                        (
                            x.rf.contains(a.into(), b.into()),
                            writes.len() < 3 && x.co.contains(a.into(), b.into()),
                        )
                    };
                    assert_eq!(of(&wanted, a, b), of(found, kept[i], kept[j]), "{a} {b}\n{text}");
                }
            }
            *shapes.entry(generated.shape).or_insert(0) += 1;
        }
    }
    assert!(shapes.len() > 10, "{shapes:?}");
}

/// The cycles by which diy's documentation and the papers define the classic shapes.
#[test]
fn classic_names() {
    let expected = [
        ("MP", "PodWW Rfe PodRR Fre"),
        ("SB", "PodWR Fre PodWR Fre"),
        ("LB", "PodRW Rfe PodRW Rfe"),
        ("S", "PodWW Rfe PodRW Wse"),
        ("R", "PodWW Wse PodWR Fre"),
        ("2+2W", "PodWW Wse PodWW Coe"),
        ("WRC", "Rfe PodRW Rfe PodRR Fre"),
        ("RWC", "Rfe PodRR Fre PodWR Fre"),
        ("IRIW", "Rfe PodRR Fre Rfe PodRR Fre"),
        ("ISA2", "PodWW Rfe PodRW Rfe PodRR Fre"),
        ("W+RWC", "PodWW Rfe PodRR Fre PodWR Fre"),
        ("Z6.0", "PodWW Rfe PodRW Coe PodWR Fre"),
        ("3.2W", "PodWW Coe PodWW Coe PodWW Coe"),
        ("CoRR", "Rfe PosRR Fre"),
        ("CoRW2", "Rfe PosRW Coe"),
    ];
    for (name, cycle) in expected {
        let edges: Vec<Edge> =
            cycle.split(' ').map(|e| e.parse().unwrap_or_else(|e| panic!("{e}"))).collect();
        let cycle = Cycle::new(&edges).unwrap_or_else(|e| panic!("{e}"));
        let mut family = Family::new(Language::Generic);
        let mut found = Vec::new();
        let flow = family.add_each(&cycle, &variations(Language::Generic), &mut |g| {
            found.push(g);
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        assert_eq!(found.iter().map(|g| g.shape).collect::<Vec<_>>(), [Some(name)], "{cycle}");
        assert_eq!(found[0].test.name, name);
    }
}

/// The halves of a read-modify-write are one instruction, whatever orders are asked for.
#[test]
fn read_modify_writes() {
    let edges: Vec<Edge> = "Rmw PodWW Rfe PodRR Fre Rfe"
        .split(' ')
        .map(|e| e.parse().unwrap_or_else(|e| panic!("{e}")))
        .collect();
    let cycle = Cycle::new(&edges).unwrap_or_else(|e| panic!("{e}"));
    let written = |language: Language, orders: &[Order]| {
        let variations = Variations {
            orders: orders.to_vec(),
            scopes: vec![Scope::Gpu],
            places: vec![Places::Together(Scope::Gpu)],
            ..variations(language)
        };
        let mut found = Vec::new();
        let flow = Family::new(language).add_each(&cycle, &variations, &mut |g| {
            let halves = g.from.execution(language);
            assert_eq!(halves.rmw.pairs().count(), 1);
            found.push(g.test.to_string());
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        found
    };
    // Weak accesses, and a read-modify-write that cannot be.
    let weak = written(Language::Ptx, &[Order::Plain]);
    assert!(
        matches!(weak.as_slice(), [one] if one.contains("atom.relaxed.gpu.exch") && one.contains("ld.weak r0")),
        "{weak:?}"
    );
    // Of five operations two loads and two stores, with two orders each; the atom is relaxed,
    // acquire, release or both.
    assert_eq!(written(Language::Ptx, &[Order::Rlx, Order::Acq, Order::Rel]).len(), 16 * 4);
    // Sequentially consistent as a whole: two orders for each of five operations.
    assert_eq!(written(Language::C, &[Order::Rlx, Order::Sc]).len(), 32);
}

/// Cycles are found once: of two threads with different locations there are the six of the
/// literature.
#[test]
fn all_cycles_of_four_edges_over_two_threads() {
    let sizes = Sizes { edges: 4..=4, threads: 2..=2 };
    let mut family = Family::new(Language::Generic);
    let mut names = Vec::new();
    let flow = cycles(&edges(&["Rfe", "Fre", "Coe", "Pod**"]), &sizes, &mut |cycle| {
        family.add_each(&cycle, &variations(Language::Generic), &mut |g| {
            names.push(Name::of(&g.test).map(|n| n.to_string()).unwrap_or_default());
            ControlFlow::Continue(())
        })
    });
    assert!(flow.is_continue());
    names.sort();
    assert_eq!(names, ["2+2W", "LB", "MP", "R", "S", "SB"]);
}

#[test]
fn what_is_no_cycle_is_refused() {
    let cycle = |text: &str| {
        let edges: Vec<Edge> =
            text.split(' ').map(|e| e.parse().unwrap_or_else(|e| panic!("{e}"))).collect();
        Cycle::new(&edges).err()
    };
    assert!(matches!(cycle("PodWW Fre"), Some(NoCycle::Directions(..))));
    assert_eq!(cycle("PodWW Rfe PosRW"), Some(NoCycle::OneThread));
    assert!(matches!(cycle("PodWW Rfe PosRR Fre"), Some(NoCycle::OneChange(_))));
    assert_eq!(cycle("Rfe Fre"), Some(NoCycle::OnlyCommunication));
    assert_eq!(cycle("Rfe Rmw Rfe Rmw"), Some(NoCycle::OnlyCommunication));
    assert_eq!(cycle("PodWW Rfe BarSyncdRR BarSyncdRR Fre"), Some(NoCycle::Barriers));
    assert_eq!("PodRX".parse::<Edge>().map_err(|e| e.near), Err(Some("PodRR".to_owned())));
}
