//! The question about programs: the loop of candidates and refutations against the enumeration of
//! all programs, guards and executions; what is known of the published mapping and its variants;
//! the same answer whatever the number of jobs.

use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Level, Silent, check};
use margay_mappings::language::Mapping;
use margay_models::judge::judge;
use margay_models::signature::{Construct, constructs};
use proptest::prelude::*;

use crate::brute::Search;
use crate::invent::case;
use crate::setup::{ask, backends, names, options, read, shipped};

fn program_options(bound: usize, only: &str, typed: bool) -> CheckOptions {
    let mut options = options(bound);
    options.level = Level::Program;
    options.only = names(only);
    options.typed = typed;
    options
}

fn smallest(report: &CheckReport) -> Option<usize> {
    match &report.verdict {
        CheckVerdict::None => None,
        CheckVerdict::Counterexample => Some(report.established + 1),
        CheckVerdict::Undecided(why) => panic!("undecided: {why}"),
    }
}

fn constructs_of(mapping: &Mapping, only: &str) -> Vec<Construct> {
    let wanted: Vec<&str> = only.split(',').collect();
    let signature = mapping.source.signature;
    let found: Vec<Construct> = constructs(signature)
        .into_iter()
        .filter(|c| wanted.contains(&c.name(signature).as_str()))
        .collect();
    assert_eq!(found.len(), wanted.len());
    found
}

/// A shipped mapping with one row replaced.
fn with(name: &str, row: &str, replacement: &str) -> Mapping {
    let text = &margay_mappings::library::built_in(name).expect("it is shipped").text;
    assert!(text.contains(row), "{row}");
    read(&text.replace(row, replacement)).expect("the rows are complete")
}

/// The smallest bound by both ways, with guards limited or not.
fn compare(
    mapping: &Mapping,
    only: &str,
    typed: bool,
    bound: usize,
    guards: Option<usize>,
) -> Option<usize> {
    let mut options = program_options(bound, only, typed);
    options.guards = guards;
    let found = smallest(&ask(mapping, &options));
    let constructs = constructs_of(mapping, only);
    let search = Search { mapping, constructs: &constructs, typed };
    let enumerated =
        (1..=bound).find(|&events| search.program(events, guards.unwrap_or(usize::MAX)));
    assert_eq!(
        found, enumerated,
        "{} with {only}, typed {typed}, guards {guards:?}",
        mapping.title
    );
    found
}

/// Message passing needs its guard: without one the program races.
#[test]
fn guards_make_programs_free_of_races() {
    let mapping = with("rc11-to-ptx-descoped", "st.release.sys\nW.SC", "st.relaxed.sys\nW.SC");
    let only = "R.NA,W.NA,R.ACQ,W.REL";
    assert_eq!(compare(&mapping, only, true, 4, None), Some(4));
    assert_eq!(compare(&mapping, "R.NA,W.NA,W.REL", true, 4, None), None, "nothing synchronises");
    assert_eq!(compare(&mapping, "R.NA,W.NA,R.ACQ,W.REL", false, 3, None), None);
}

#[test]
fn without_guards_other_programs_are_left() {
    let mapping = with("rc11-to-ptx-descoped", "ld.acquire.sys\nR.SC", "ld.relaxed.sys\nR.SC");
    let only = "R.NA,W.NA,R.ACQ,W.REL";
    let free = compare(&mapping, only, true, 4, None);
    let none = compare(&mapping, only, true, 4, Some(0));
    assert_eq!((free, none), (Some(4), Some(4)));
    // With plain data only the guard is left, and without it nothing.
    let mut options = program_options(4, "R.NA,W.NA,R.ACQ,W.REL", true);
    options.guards = None;
    let report = ask(&mapping, &options);
    let found = &report.counterexamples[0];
    assert_eq!((found.guards, found.events), (1, 4), "the weakest annotations need a guard");
}

#[test]
fn shipped_mappings_at_three_events() {
    let cases = [
        ("rc11-to-ptx", "R.NA,W.RLX,F.SC"),
        ("rc11-to-ptx", "R.NA,W.NA,RMW.RLX"),
        ("rc11-to-ptx-weak-relaxed-load", "R.RLX,W.RLX"),
        ("rc11-to-ptx-weak-relaxed-store", "R.RLX,W.RLX,RMW.RLX"),
        ("rc11-to-ptx-gpu-relaxed-load", "R.RLX,W.RLX"),
        ("rc11-to-ptx-cta-relaxed-rmw", "W.RLX,RMW.RLX"),
        ("rc11-to-ptx-descoped", "R.SC,W.SC,R.RLX,W.RLX,F.SC,RMW.SC"),
        ("rc11-to-ptx-cta-release-store", "W.REL,R.RLX"),
    ];
    let mut fallen = 0;
    for (name, only) in cases {
        for typed in [true, false] {
            fallen += usize::from(compare(&shipped(name), only, typed, 3, None).is_some());
        }
    }
    assert!(fallen >= 4, "the variants show nothing: {fallen}");
}

fn config() -> ProptestConfig {
    ProptestConfig {
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::with_cases(96)
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_mappings_and_models(case in case()) {
        let mapping = case.mapping();
        let mut options = program_options(3, "", case.typed);
        options.only = case.names(&mapping);
        let operations: usize = case.only.iter().map(|c| if c.has_scope(mapping.source.signature) && mapping.source.is_scoped() { 3 } else { 1 }).sum();
        let fences = mapping.rows.iter().flat_map(|row| &row.alternatives).all(|l| l.steps.len() <= 1);
        options.bound = if operations <= 3 && fences { 3 } else { 2 };
        match check(&mapping, &options, &Silent) {
            Ok(report) => {
                let search = Search { mapping: &mapping, constructs: &case.only, typed: case.typed };
                prop_assert_eq!(smallest(&report), (1..=options.bound).find(|&n| search.program(n, usize::MAX)));
            }
            Err(errors) => {
                let about_races = errors.iter().any(|e| e.message.contains("data race"));
                prop_assert!(about_races && !mapping.source.checks.iter().any(|c| c.display_name() == "Race"));
            }
        }
    }
}

/// Fig. 12 of the 2019 paper, from the constructs that it is made of: plain data, a release, the
/// read-modify-write, a relaxed store, an acquire. The fastest solver, as the others take long.
#[test]
fn figure_12() {
    let mapping = shipped("rc11-to-ptx-descoped-no-release-rmw");
    let mut options = program_options(7, "R.NA,W.NA,R.ACQ,W.REL,W.RLX,RMW.SC", true);
    options.backend = backends().swap_remove(0);
    let report = ask(&mapping, &options);
    assert_eq!(smallest(&report), Some(7));
    let found = &report.counterexamples[0];
    assert!(judge(&mapping.target, &found.target).consistent);
    assert!(!judge(&mapping.source, &found.source).consistent);
    let rendered = margay_litmus::render::render(&found.source, "Fig-12", None, &found.finals)
        .expect("it is a program");
    insta::assert_snapshot!(rendered.test.to_string());
}

#[test]
fn the_same_answer_with_any_number_of_jobs() {
    let mapping = shipped("rc11-to-ptx-relaxed-acquire-load");
    let mut options = program_options(4, "R.NA,W.NA,R.ACQ,W.REL,W.RLX", true);
    let mut answers = Vec::new();
    for jobs in [1, 3] {
        options.jobs = jobs;
        let report = ask(&mapping, &options);
        let rows: Vec<_> = report
            .axioms
            .iter()
            .flat_map(|a| &a.rows)
            .map(|r| (r.bound, r.racy, r.explained, r.conflicts))
            .collect();
        let shown: Vec<_> = report
            .counterexamples
            .iter()
            .map(|c| (c.source.clone(), c.target.clone(), c.guards))
            .collect();
        assert!(!shown.is_empty());
        answers.push((rows, shown));
    }
    assert_eq!(answers[0], answers[1]);
}
