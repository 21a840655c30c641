//! The hand-made tests of warps and launches (tests/corpus/isa-8-warps, isa-8-launches) tell each
//! part of `ptx-8` that is about them from its absence; and what is written is read as it was.

use std::path::Path;

use margay_litmus::corpus::{self, Expected};
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

/// A piece of ptx-8.cat, what is put in its place, and what is then not followed.
const EDITS: [(&str, &str, &str); 7] = [
    ("  | [B \\ (RLX | ACQ)]; sync_barrier\n", "", "bar.warp.sync and launches order memory"),
    ("  | [B \\ (RLX | ACQ)]; sync_barrier\n", "  | sync_barrier\n", "votes and shuffles do not"),
    (
        "[release-fence]; po; [B & RLX & CLUSTER]",
        "[release-fence]; po; [B & RLX]",
        "a fence before a shuffle does not",
    ),
    (
        "  | ((base-causality; [launch]; (base-causality | before-async; [_ \\ TENSORMAP])) & loc)\n",
        "",
        "launches pass through proxies",
    ),
    (
        "(base-causality | before-async; [_ \\ TENSORMAP])) & loc)",
        "(base-causality | before-async; [_ \\ TENSORMAP])) & overlap)",
        "and through aliases",
    ),
    (
        "(base-causality | before-async; [_ \\ TENSORMAP])) & loc)",
        "base-causality) & loc)",
        "and to what is issued behind them",
    ),
    ("let launch = B & SYS", "let launch = B & CLUSTER", "it is launches that do"),
];

fn tests() -> Vec<(String, Test, Expected)> {
    let mut tests = Vec::new();
    for folder in ["isa-8-warps", "isa-8-launches"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(folder);
        for folder in corpus::read(&folder).unwrap() {
            for line in &folder.lines {
                let test = read::load(&folder.path.join(&line.file))
                    .unwrap_or_else(|e| panic!("{}", e[0]))
                    .test;
                tests.push((line.file.clone(), test, line.expected));
            }
        }
    }
    assert!(tests.len() > 30);
    tests
}

/// What is asked without a word for races.
fn outcome(expected: Expected) -> Expected {
    Expected { racy: None, ..expected }
}

#[test]
fn both_engines_say_what_is_expected() {
    let model = crate::shipped::model("ptx-8");
    let mut wrong = Vec::new();
    for (file, test, expected) in tests() {
        let asked =
            if expected.racy.is_some() { model.asking_for_races().unwrap() } else { model.clone() };
        match Runner::new(&asked).run(&test, &Options::default(), Choice::Both) {
            Ok(verdict) if Expected::from(&verdict) == expected => {}
            Ok(verdict) => {
                wrong.push(format!("{file}: {}, expected {expected}", Expected::from(&verdict)))
            }
            Err(error) => wrong.push(format!("{file}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_part_that_is_about_warps_and_launches_matters() {
    let tests = tests();
    let text = library::built_in("ptx-8").unwrap().text.clone();
    for (from, to, part) in EDITS {
        assert_eq!(
            text.matches(from).count(),
            1,
            "ptx-8.cat has changed, so must this test: {from}"
        );
        let edited = SourceFile::new("edited.cat", text.replace(from, to));
        let model =
            Model::parse(edited, &OnlyBuiltIn).unwrap_or_else(|e| panic!("{from}: {}", e[0])).model;
        let mut runner = ExplicitRunner::new(&model);
        let told = tests.iter().any(|(_, test, expected)| {
            let verdict = runner.run(test, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
            Expected::from(&verdict) != outcome(*expected)
        });
        assert!(told, "no test tells that {part}: {to}");
    }
}

#[test]
fn they_are_written_as_they_are_read() {
    for (_, test, _) in tests() {
        let text = test.to_string();
        let again = read::test(&SourceFile::new("again.litmus", text.clone()))
            .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
            .test;
        assert_eq!(again, test, "{text}");
    }
}

/// What cannot be is refused, with its place and what to do.
#[test]
fn what_cannot_meet_is_refused() {
    let cases = [
        (" P0@cta 0 ;\n bar.warp.sync 1 ;", "is in no warp that is named"),
        (" P0@warp 0,cta 0 ;\n bar.warp.sync 2 ;", "is lane 0 of its warp"),
        (" P0@warp 0,cta 0 ;\n bar.warp.sync r1 ;", "the mask of lanes is a number"),
        (
            " P0@warp 0,cta 0 ;\n match.any.sync.b64 r0, r1, 1 ;",
            "what these lanes give each other is not modelled",
        ),
        (
            " P0@warp 0,cta 0 ;\n redux.sync.inc.u32 r0, r1, 1 ;",
            "what these lanes give each other is not modelled",
        ),
        (
            " P0@warp 0,cta 0 ;\n shfl.sync.b32 r0, r1, 0, 31, 1 ;",
            "what the lanes make of it is not said by `shfl`",
        ),
        (" P0@warp 0,cta 0 ;\n shfl.sync.idx.b32 r0, r1, 1 ;", "expected `,`"),
        (" P0@warp 0,cta 0 ;\n vote.any.pred _, p0 ;", "`vote.any.pred` is not read"),
        (" P0@warp 0,cta 0 ;\n activemask.b32 r0 ;", "`activemask` is not modelled"),
        (" P0@cta 0 ;\n launch 0 ;", "only threads of the host launch kernels"),
        (" P0@host ;\n bar.sync 0 ;", "a thread of the host has no such instruction"),
        (" P0@host ;\n st.relaxed.gpu x, 1 ;", "a strong access of the host has the scope `sys`"),
        (" P0@kernel 0 before 1,cta 0 ;\n st.weak x, 1 ;", "names no cta"),
        (" P0@warp 0,warp 1,cta 0 ;\n st.weak x, 1 ;", "a second `warp`"),
    ];
    for (program, words) in cases {
        let text = format!("PTX t\n{{ x=0; }}\n{program}\nexists (x == 1)\n");
        match read::test(&SourceFile::new("t.litmus", text.clone())) {
            Ok(_) => panic!("it is read: {text}"),
            Err(errors) => assert!(
                errors.iter().any(|e| e.to_string().contains(words)),
                "{words}: {}",
                errors[0]
            ),
        }
    }
    let unfolded = [
        (
            " P0@kernel 1 after 0,cta 0 ;\n st.weak x, 1 ;",
            "no thread of the test is in the kernel 0",
        ),
        (
            " P0@host | P1@kernel 0,cta 0 ;\n launch 0 | st.weak x, 1 ;\n launch 0 | ;",
            "launched a second time",
        ),
        (
            " P0@kernel 0 after 1,cta 0 | P1@kernel 1 after 0,cta 0 ;\n st.weak x, 1 | st.weak x, 1 ;",
            "would wait for its own end",
        ),
        (
            " P0@warp 0,cta 0 | P1@warp 0,cta 0 ;\n shfl.sync.idx.b32 r0, 1, 2, 31, 3 | shfl.sync.idx.b32 r0, 1, 0, 31, 3 ;",
            "lane 0 reads lane 2 here, which takes no part",
        ),
        (
            " P0@warp 0,cta 0 | P1@warp 0,cta 0 ;\n ld.relaxed.cta r1, x | ;\n shfl.sync.idx.b32 r0, 1, r1, 31, 3 | shfl.sync.idx.b32 r0, 1, 0, 31, 3 ;",
            "which lane a shuffle reads depends on memory",
        ),
        (
            " P0@warp 0,cta 0 | P1@warp 0,cta 0 ;\n L: | L: ;\n vote.sync.any.pred p, 1, 3 | vote.sync.any.pred p, 0, 3 ;\n \
             ld.relaxed.cta r1, x | ld.relaxed.cta r1, x ;\n beq r1, 0, L | beq r1, 0, L ;",
            "what lanes give each other in a loop is not modelled",
        ),
        (
            " P0@warp 0,cta 0 | P1@warp 0,cta 0 ;\n vote.sync.any.pred p, 1, 3 | ld.relaxed.cta r1, x ;\n | bne r1, 0, E ;\n \
             | vote.sync.any.pred p, 0, 3 ;\n | E: ;",
            "P1 is a lane that `vote.sync.any.pred` names, and does not come to it on every way",
        ),
        (
            " P0@warp 0,cta 0 | P1@warp 0,cta 0 ;\n redux.sync.min.u32 r0, 1, 3 | redux.sync.max.u32 r0, 1, 3 ;",
            "P1 is a lane that `redux.sync.min.u32` names, and does not come to it on every way",
        ),
    ];
    let model = crate::shipped::model("ptx-8");
    for (program, words) in unfolded {
        let text = format!("PTX t\n{{ x=0; }}\n{program}\nexists (x == 1)\n");
        let test = read::test(&SourceFile::new("t.litmus", text))
            .unwrap_or_else(|e| panic!("{}", e[0]))
            .test;
        let error = ExplicitRunner::new(&model).run(&test, &Options::default()).expect_err(words);
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

/// Seventeen threads, each of which may pass a barrier by or come to it: which of these ways go
/// together is said by two of them at a time, and no list of more than a hundred thousand is
/// needed.
#[test]
fn many_threads_come_to_a_barrier_or_pass_it_by() {
    let count = 17;
    let row = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<Vec<_>>().join(" | ");
    let text = |condition: &str| {
        format!(
            "PTX t\n{{ x=0; y=1; }}\n {} ;\n {} ;\n {} ;\n {} ;\n {} ;\nexists ({condition})\n",
            row(&|t| format!("P{t}@cta 0,gpu 0")),
            row(&|t| if t == 0 { "st.weak x, 1".to_owned() } else { String::new() }),
            row(&|_| "ld.relaxed.cta r0, y".to_owned()),
            row(&|_| "@r0 bar.cta.sync 0".to_owned()),
            row(&|t| if t == 16 { "ld.weak r1, x".to_owned() } else { String::new() }),
        )
    };
    let model = crate::shipped::model("ptx-8");
    for (condition, reachable) in [("P16:r1 == 0", false), ("P16:r1 == 1", true)] {
        let test = read::test(&SourceFile::new("t.litmus", text(condition)))
            .unwrap_or_else(|e| panic!("{}", e[0]))
            .test;
        let verdict =
            Runner::new(&model).run(&test, &Options::default(), Choice::Only(Engine::Sat));
        assert_eq!(verdict.unwrap_or_else(|e| panic!("{e}")).reachable, reachable, "{condition}");
    }
}
