//! `diff` on barriers, proxies, aliases, reductions, volatile and mmio operations of PTX: edits
//! that concern nothing else have their smallest differences.

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::render::render;
use margay_mappings::Backend;
use margay_mappings::check::{Level, Silent};
use margay_mappings::compare::{
    CompareOptions, CompareReport, ComparisonVerdict, Objection, Subjects, compare,
};
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

use crate::setup::names;

fn shipped(name: &str) -> Model {
    library::load(name, &[]).unwrap_or_else(|e| panic!("{name}: {e:?}")).model
}

/// The shipped model with a part of its text replaced.
fn edited(name: &str, from: &str, to: &str) -> Model {
    let text = shipped(name).source.text.clone();
    assert!(text.contains(from), "{name} has no `{from}`");
    let file = SourceFile::new("edited.cat", text.replace(from, to));
    Model::parse(file, &OnlyBuiltIn).unwrap_or_else(|e| panic!("{e:?}")).model
}

fn options(bound: usize, only: &str) -> CompareOptions {
    let mut options = CompareOptions::new(bound);
    options.jobs = 2;
    options.backend = Backend::batsat();
    options.only = names(only);
    options
}

fn ask(old: &Model, new: &Model, options: &CompareOptions) -> CompareReport {
    compare(Subjects::Models(old, new), options, &Silent)
        .unwrap_or_else(|e| panic!("{} {}: {e:?}", old.name, new.name))
}

/// The smallest differences: newly allowed, then newly forbidden.
fn sizes(report: &CompareReport) -> [Option<usize>; 2] {
    [1, 0].map(|allows| {
        let question = report
            .questions
            .iter()
            .find(|q| (q.kind, q.allows) == (Objection::Forbidden, allows))
            .expect("it is asked");
        match &question.verdict {
            ComparisonVerdict::Different(events) => Some(*events),
            ComparisonVerdict::Equal => None,
            ComparisonVerdict::Undecided(why) => panic!("{why}"),
        }
    })
}

/// The shown executions are what their tests say: the model that allows the one can reach the
/// outcome of the other.
fn outcomes_are_reachable(report: &CompareReport, models: [&Model; 2]) {
    for question in &report.questions {
        for difference in &question.differences {
            let test = render(&difference.executions[0], "d", None, &difference.finals[0])
                .expect("it has a test")
                .test;
            let verdict =
                Runner::new(models[question.allows]).run(&test, &Options::default(), Choice::Auto);
            assert!(verdict.expect("it can be run").reachable, "{test}");
        }
    }
}

/// An edit: of a model, from, to, the operations to search, and the smallest differences.
type Edit = (&'static str, &'static str, &'static str, &'static str, [Option<usize>; 2]);

const EDITS: [Edit; 12] = [
    // A store, an arrival; arrival and wait of the other thread, a load.
    (
        "ptx-6.0",
        " | sync_barrier | sync_fence",
        " | sync_fence",
        "R.WEAK,W.WEAK,B",
        [Some(5), None],
    ),
    ("ptx-8", "  | [B \\ (RLX | ACQ)]; sync_barrier\n", "", "R.WEAK,W.WEAK,B", [Some(5), None]),
    // What waits is after what arrives, and not the other way round.
    ("ptx-6.0", "| sync_barrier |", "| sync_barrier^-1 |", "R.WEAK,W.WEAK,B", [Some(5), Some(5)]),
    // Whatever is at one barrier would synchronise, arrivals alone too.
    ("ptx-6.0", "| sync_barrier |", "| syncbar |", "R.WEAK,W.WEAK,B", [None, Some(4)]),
    // The read of a reduction forms an acquire pattern: release, reduction, fence, and an access on
    // each side.
    (
        "ptx-8",
        "let read-operation = R \\ RED",
        "let read-operation = R",
        "R.WEAK,W.WEAK,W.REL,RMW.RLX,F.ACQ,RED",
        [None, Some(6)],
    ),
    // Aliases overlap: a load of what a later store to the alias writes.
    ("ptx-8", "let overlap = vloc", "let overlap = loc", "R.WEAK,W.WEAK,ALIAS", [None, Some(2)]),
    // Aliases need no fence in between, but for the one event that the path must have.
    (
        "ptx-8",
        "base-causality; [ALIAS]; base-causality",
        "base-causality; base-causality",
        "R.WEAK,W.WEAK,ALIAS",
        [None, Some(3)],
    ),
    // Proxy fences of surfaces order nothing: store, fence, load through the surface.
    ("ptx-8", "[GEN] | enter(SUR)", "[GEN]", "R.WEAK,W.WEAK,SUR", [Some(3), None]),
    ("ptx-8", "leave(SUR) | leave(TEX)", "leave(SUR)", "R.WEAK,W.WEAK,TEX,SUR", [Some(3), None]),
    ("ptx-8", "enter(TEX) | enter(CON)", "enter(TEX)", "R.WEAK,W.WEAK,CON", [Some(3), None]),
    // Volatile and mmio operations are not strong: two stores of two threads without coherence
    // order.
    (
        "ptx-8",
        "let strong = RLX |",
        "let strong = (RLX \\ VOLATILE) |",
        "R.RLX,W.RLX,VOLATILE",
        [Some(2), None],
    ),
    (
        "ptx-8",
        "let strong = RLX |",
        "let strong = (RLX \\ MMIO) |",
        "R.RLX,W.RLX,MMIO",
        [Some(2), None],
    ),
];

#[test]
fn edits_have_their_smallest_differences() {
    for (name, from, to, only, expected) in EDITS {
        let (old, new) = (shipped(name), edited(name, from, to));
        let largest = expected.iter().flatten().max().copied().unwrap_or(1);
        let report = ask(&old, &new, &options(largest, only));
        assert_eq!(sizes(&report), expected, "{name}: {from}");
        outcomes_are_reachable(&report, [&old, &new]);
    }
}

/// Without naming anything an edit of the barrier part is seen.
#[test]
fn what_a_model_speaks_of_is_compared() {
    let old = shipped("ptx-6.0");
    let new = edited("ptx-6.0", " | sync_barrier | sync_fence", " | sync_fence");
    let mut asked = options(5, "");
    asked.first = true;
    let report = ask(&old, &new, &asked);
    assert_eq!((sizes(&report), report.blind.is_empty()), ([Some(5), None], true));
    // What is left out on demand is said.
    asked.bound = 3;
    asked.without = names("B");
    let report = ask(&old, &new, &asked);
    assert_eq!((sizes(&report), report.blind), ([None, None], vec!["B"]));
    // PTX 6.0 does not know what the current model says of proxies.
    let report = ask(&shipped("ptx-6.0"), &shipped("ptx-8"), &options(2, ""));
    assert_eq!(
        (sizes(&report), report.blind),
        ([None, None], vec!["ALIAS", "SUR", "TEX", "CON", "ASYNC"])
    );
    // A reduction's read is no outcome.
    let old = shipped("ptx-8");
    let new = edited("ptx-8", "let read-operation = R \\ RED", "let read-operation = R");
    let mut asked = options(2, "");
    asked.level = Level::Program;
    assert_eq!(ask(&old, &new, &asked).blind, ["RED", "ASYNC"]);
}

/// Selections that leave nothing, or of what the models do not know.
#[test]
fn selections_that_do_not_fit() {
    let said = |old: &str, new: &str, only: &str| {
        let errors =
            compare(Subjects::Models(&shipped(old), &shipped(new)), &options(2, only), &Silent)
                .expect_err("it is refused");
        errors.into_iter().map(|e| e.message).collect::<Vec<_>>()
    };
    assert_eq!(said("ptx-6.0", "ptx-8", "B"), ["--only leaves no construct to make programs of"]);
    assert_eq!(said("ptx-6.0", "ptx-8", "R,ALIAS"), ["`ALIAS` in --only is not compared here"]);
    assert_eq!(
        said("ptx-6.0", "ptx-6.0-any-fence", "R,W,RED"),
        ["`RED` in --only is not compared here"]
    );
    assert_eq!(said("sc", "tso", "R,B"), ["the source language has no construct `B`"]);
}

/// Outcomes of programs with barriers.
#[test]
fn programs_with_barriers() {
    let old = shipped("ptx-6.0");
    let new = edited("ptx-6.0", " | sync_barrier | sync_fence", " | sync_fence");
    let mut asked = options(5, "R.WEAK,W.WEAK,B");
    asked.level = Level::Program;
    assert_eq!(sizes(&ask(&old, &new, &asked)), [Some(5), None]);
}
