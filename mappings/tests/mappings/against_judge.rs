//! The translator against the judge: over random mappings and models, the check finds a
//! counterexample of a size exactly if enumeration does.

use margay_mappings::check::{CheckVerdict, CoReading};
use margay_mappings::language::{Lowering, Mapping};
use margay_models::execution::Order;
use margay_models::signature::{Construct, Operation, Signature, constructs};
use proptest::prelude::*;

use crate::brute::{Search, axioms};
use crate::invent::{Case, Edit, case};
use crate::setup::{ask, options, shipped};

/// The smallest size of a counterexample to each axiom, by enumeration.
fn enumerated(search: &Search<'_>, bound: usize) -> Vec<Option<usize>> {
    let mut smallest = vec![None; axioms(&search.mapping.source).len()];
    for events in 1..=bound {
        for (slot, found) in smallest.iter_mut().zip(search.universal(events)) {
            if found && slot.is_none() {
                *slot = Some(events);
            }
        }
    }
    smallest
}

/// The same, by the check.
fn checked(mapping: &Mapping, only: &[Construct], typed: bool, bound: usize) -> Vec<Option<usize>> {
    let mut options = options(bound);
    options.only = only.iter().map(|c| c.name(mapping.source.signature)).collect();
    options.typed = typed;
    options.keep_going = true;
    let report = ask(mapping, &options);
    report
        .axioms
        .iter()
        .map(|a| (a.verdict == CheckVerdict::Counterexample).then_some(a.bound))
        .collect()
}

/// A bound that enumeration reaches in a second or so.
fn affordable(case: &Case, mapping: &Mapping) -> usize {
    let scopes = if mapping.source.is_scoped() { 3 } else { 1 };
    let operations: usize = case
        .only
        .iter()
        .map(|c| if c.has_scope(mapping.source.signature) { scopes } else { 1 })
        .sum();
    // All Fence-SC orders of six fences are too many.
    let fences = |lowering: &Lowering| {
        lowering
            .steps
            .iter()
            .filter(|s| s.order == Order::Sc && s.operation == Operation::Fence)
            .count()
    };
    let rows = mapping.rows.iter().filter(|row| case.only.contains(&row.construct));
    let few = rows.flat_map(|row| &row.alternatives).all(|lowering| fences(lowering) <= 1);
    if operations <= 4 && few { 3 } else { 2 }
}

/// 256 cases, or `PROPTEST_CASES`.
fn config() -> ProptestConfig {
    ProptestConfig { max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_the_modification_order(case in case()) {
        let mapping = case.mapping();
        let bound = affordable(&case, &mapping);
        let search = Search { mapping: &mapping, constructs: &case.only, typed: case.typed };
        prop_assert_eq!(checked(&mapping, &case.only, case.typed, bound), enumerated(&search, bound));
    }

    #[test]
    fn for_no_modification_order(case in case()) {
        let mapping = case.mapping();
        let bound = affordable(&case, &mapping);
        let search = Search { mapping: &mapping, constructs: &case.only, typed: case.typed };
        let mut options = options(bound);
        options.only = case.names(&mapping);
        options.typed = case.typed;
        options.co = CoReading::Exists;
        let report = ask(&mapping, &options);
        let smallest = (report.verdict == CheckVerdict::Counterexample).then_some(report.established + 1);
        prop_assert_eq!(smallest, (1..=bound).find(|&events| search.exists(events)));
    }
}

/// Each variant with the constructs that show its fault at 3 events, and some that show none.
#[test]
fn shipped_mappings_at_three_events() {
    let cases = [
        ("rc11-to-ptx", "R.NA,W.RLX,F.SC"),
        ("rc11-to-ptx", "R.NA,W.NA,RMW.RLX"),
        ("rc11-to-ptx-weak-relaxed-load", "R.RLX,W.RLX"),
        ("rc11-to-ptx-weak-relaxed-store", "R.RLX,W.RLX"),
        ("rc11-to-ptx-gpu-relaxed-load", "R.RLX,W.RLX"),
        ("rc11-to-ptx-cta-relaxed-rmw", "W.RLX,RMW.RLX"),
        ("rc11-to-ptx-descoped", "R.SC,W.SC,R.RLX,W.RLX,F.SC,RMW.SC"),
        ("rc11-to-ptx-cta-release-store", "W.REL,R.RLX"),
    ];
    let mut fallen = 0;
    for (name, only) in cases {
        let mapping = shipped(name);
        let wanted: Vec<&str> = only.split(',').collect();
        let signature = mapping.source.signature;
        let only: Vec<Construct> = constructs(signature)
            .into_iter()
            .filter(|c| wanted.contains(&c.name(signature).as_str()))
            .collect();
        assert_eq!(only.len(), wanted.len());
        let found = checked(&mapping, &only, true, 3);
        fallen += found.iter().flatten().count();
        assert_eq!(
            found,
            enumerated(&Search { mapping: &mapping, constructs: &only, typed: true }, 3),
            "{name}"
        );
    }
    assert!(fallen >= 5, "the variants show nothing: {fallen}");
}

/// A target model that looks at ctas between operations none of which has cta scope.
#[test]
fn placement_without_scopes() {
    let case = Case {
        text: "mapping \"m\" from tso to ptx-6.0\nR => ld.weak\nW => st.relaxed.gpu\nRMW => atom\nF => nothing\n".to_owned(),
        source: Edit { added: Vec::new(), dropped: Vec::new() },
        target: Edit { added: vec!["~empty po & loc & scta as Same-Cta".to_owned()], dropped: Vec::new() },
        only: constructs(Signature::PLAIN).into_iter().take(2).collect(),
        typed: false,
    };
    let mapping = case.mapping();
    let found = checked(&mapping, &case.only, case.typed, 3);
    assert!(found.contains(&Some(3)));
    assert_eq!(
        found,
        enumerated(&Search { mapping: &mapping, constructs: &case.only, typed: case.typed }, 3)
    );
}

/// The random cases are worth something: counterexamples are found, and not always.
#[test]
fn random_cases_fall_and_stand() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut fall, mut stand) = (0, 0);
    for _ in 0..100 {
        let case = case().new_tree(&mut runner).expect("no case is rejected").current();
        let mapping = case.mapping();
        for found in checked(&mapping, &case.only, case.typed, affordable(&case, &mapping)) {
            if found.is_some() { fall += 1 } else { stand += 1 }
        }
    }
    assert!(fall >= 10 && stand >= 10, "{fall} fall, {stand} stand");
}
