//! Programs that depend on what they read otherwise than by a guard around the rest of a thread:
//! targets in which nothing else has the outcome, and targets that cannot tell.

use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Level};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::SourceFile;
use margay_models::judge::judge;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

use crate::setup::{ask, names, options, read};

/// RC11 as its own target, with a part of its text replaced and axioms added.
fn onto(replaced: (&str, &str), axioms: &str) -> Mapping {
    let rows: Vec<String> = ["R.NA", "W.NA"]
        .iter()
        .map(|c| format!("{c} => {c}"))
        .chain(
            "R.RLX R.ACQ R.SC W.RLX W.REL W.SC RMW.RLX RMW.ACQ RMW.REL RMW.ACQ_REL RMW.SC F.ACQ F.REL F.ACQ_REL F.SC"
                .split(' ')
                .map(|c| format!("{c} => {c}.sys")),
        )
        .collect();
    let mut mapping =
        read(&format!("mapping \"onto itself\" from rc11-lb to rc11-lb\n{}\n", rows.join("\n")))
            .expect("rows are complete");
    let text = &mapping.target.source.text;
    assert!(text.contains(replaced.0), "{}", replaced.0);
    let text = format!("{}\n{axioms}\n", text.replace(replaced.0, replaced.1));
    mapping.target = match Model::parse(SourceFile::new("target.cat", text.clone()), &OnlyBuiltIn) {
        Ok(loaded) => loaded.model,
        Err(errors) => panic!("{text}\n{errors:?}"),
    };
    mapping
}

fn program_options(bound: usize, only: &str) -> CheckOptions {
    let mut options = options(bound);
    options.level = Level::Program;
    options.only = names(only);
    options
}

fn litmus(report: &CheckReport) -> String {
    let found = &report.counterexamples[0];
    margay_litmus::render::render(&found.source, "source", None, &found.finals)
        .expect("it is a program")
        .test
        .to_string()
}

/// Happens-before over one synchronisation only, and atomics in order: a message that is handed on
/// arrives without its data.
const ONE_STEP: (&str, &str) = ("let hb = (sb | sw)+", "let hb = sb | (sb?; sw; sb?)");
const ORDERED: &str = "acyclic [A]; (sb | rf | mo | rb); [A] as Atomics-In-Order";

#[test]
fn a_computed_value_is_needed_where_conditional_writes_are_in_order() {
    let options = program_options(6, "R.NA,W.NA,R.ACQ,W.REL");
    let guarded = ask(&onto(ONE_STEP, ORDERED), &options);
    assert_eq!(
        (
            guarded.established,
            guarded.counterexamples[0].guards,
            guarded.counterexamples[0].computed
        ),
        (5, 2, 0)
    );

    // No guard around a write, but computed values.
    let mapping = onto(ONE_STEP, &format!("{ORDERED}\nempty ctrl; [W] as No-Conditional-Write"));
    let computed = ask(&mapping, &options);
    let found = &computed.counterexamples[0];
    assert_eq!((computed.established, found.guards, found.computed), (5, 1, 1));
    assert!(judge(&mapping.target, &found.target).consistent && !found.target.data.is_empty());
    insta::assert_snapshot!(litmus(&computed));
    // Both count.
    let limited = CheckOptions { guards: Some(1), ..options.clone() };
    assert_eq!(ask(&mapping, &limited).verdict, CheckVerdict::None);

    // Neither: the program would race.
    let neither = ask(
        &onto(ONE_STEP, &format!("{ORDERED}\nempty (ctrl | data); [W] as No-Dependent-Write")),
        &options,
    );
    assert_eq!(neither.verdict, CheckVerdict::None);
}

/// Message passing fails in the target only where the reading thread goes on with a write that
/// depends on nothing.
#[test]
fn a_condition_may_enclose_a_part_of_the_rest() {
    let options = program_options(5, "R.NA,W.NA,R.ACQ,W.REL");
    let weak = ("let hb = (sb | sw)+", "let hb = sb");
    let written = "empty (R & ACQ) \\ domain(sb; [W]) as Acquires-Before-Writes";
    let guarded = ask(&onto(weak, &format!("{ORDERED}\n{written}")), &options);
    assert_eq!((guarded.established, guarded.counterexamples[0].guards), (3, 1));
    let narrow = ask(
        &onto(
            weak,
            &format!("{ORDERED}\n{written}\nempty (ctrl | data); [W] as No-Dependent-Write"),
        ),
        &options,
    );
    assert_eq!(
        (narrow.established, narrow.counterexamples[0].guards, narrow.counterexamples[0].computed),
        (4, 1, 0)
    );
    insta::assert_snapshot!(litmus(&narrow));
    let none = ask(
        &onto(weak, &format!("{ORDERED}\n{written}\nempty ctrl as Nothing-Conditional")),
        &options,
    );
    assert_eq!(none.verdict, CheckVerdict::None);
}

/// Where dependencies only break cycles that go against program order, an axiom about them costs
/// the search only those.
#[test]
fn axioms_against_thin_air_tell_only_in_cycles() {
    let options = program_options(6, "R.NA,W.NA,R.ACQ,W.REL");
    let size = |axiom: &str| {
        let report = ask(&onto(ONE_STEP, &format!("{ORDERED}\n{axiom}")), &options);
        assert_eq!((report.established, report.counterexamples[0].computed), (5, 0), "{axiom}");
        report.axioms[0].rows.iter().map(|r| r.clauses).sum::<usize>()
    };
    let (without, thin_air) = (size(""), size("acyclic rf | (data | ctrl) as No-Thin-Air"));
    assert!(without < thin_air, "{without} clauses without, {thin_air} with the axiom");
}
