//! Splitting cases changes neither an answer nor the counterexample that is shown.

use margay_mappings::check::{CheckOptions, CheckReport, Level, Silent, check};
use margay_mappings::language::{LoadOptions, Mapping};
use margay_mappings::library;
use proptest::prelude::*;

const MAPPINGS: [&str; 6] = [
    "rc11-to-ptx",
    "rc11-to-ptx-no-release-rmw",
    "rc11-to-ptx-relaxed-acquire-load",
    "rc11-to-ptx-acq_rel-sc-fence",
    "rc11-to-ptx-cta-release-store",
    "rc11-to-ptx-descoped-no-release-rmw",
];

fn mapping(name: &str) -> Mapping {
    library::find(name, &LoadOptions::default()).expect("it is built in").mapping
}

/// What a check says, without what it took.
fn said(report: &CheckReport) -> String {
    let axioms: Vec<_> = report.axioms.iter().map(|a| (&a.axiom, &a.verdict, a.bound)).collect();
    let found: Vec<_> = report
        .counterexamples
        .iter()
        .map(|c| (&c.axiom, &c.source, &c.target, &c.origin, &c.finals))
        .collect();
    format!("{:?} {} {axioms:?} {found:?}", report.verdict, report.established)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    #[ignore = "takes long; --ignored runs it"]
    fn whatever_is_split_the_answer_is_the_same(
        name in prop::sample::select(&MAPPINGS[..]),
        level in prop::sample::select(vec![Level::Execution, Level::Program]),
        keep_going in any::<bool>(),
        workers in 1_usize..60,
        jobs in 1_usize..4,
    ) {
        let mapping = mapping(name);
        let whole = CheckOptions { level, keep_going, ..CheckOptions::published(4) }.with(|o| o.jobs = 1);
        let split = CheckOptions { split: Some(workers), ..whole.clone() }.with(|o| o.jobs = jobs);
        let [a, b] = [whole, split].map(|options| check(&mapping, &options, &Silent).expect("the options fit"));
        prop_assert_eq!(said(&a), said(&b));
    }
}

#[test]
fn splitting_splits() {
    let mapping = mapping("rc11-to-ptx");
    let conflicts = |split| {
        let options = CheckOptions { split, ..CheckOptions::published(4) };
        let report = check(&mapping, &options, &Silent).expect("the options fit");
        report
            .axioms
            .iter()
            .flat_map(|a| &a.rows)
            .map(|r| (r.variables, r.conflicts))
            .collect::<Vec<_>>()
    };
    assert_eq!(conflicts(None), conflicts(Some(1)));
    assert_ne!(conflicts(None), conflicts(Some(50)));
}
