//! What is new beside a baseline, held against counterexamples that are compiled by the baseline one by one; and two tables row by row.

use std::sync::Arc;

use margay_mappings::change::{CounterexamplePool, OutcomePermission};
use margay_mappings::check::{Baseline, CheckOptions, CheckReport, CheckVerdict, Silent, check};
use margay_mappings::language::{LoadOptions, Mapping, difference, load_text};
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;

use crate::setup::shipped;

fn new_of(mapping: &Mapping, baseline: &Mapping, bound: usize) -> CheckReport {
    let options = CheckOptions { baseline: Some(Arc::new(Baseline::new(mapping, baseline))), ..CheckOptions::new(bound) };
    check(mapping, &options, &Silent).expect("the options fit")
}

fn table(text: &str) -> Mapping {
    let options = LoadOptions { shipped: Some(library::built_in), ..LoadOptions::default() };
    load_text(&SourceFile::new("table.map", text), None, &options).expect("it is complete").mapping
}

/// A smallest counterexample is new if and only if the baseline compiles the program of some smallest one to what does not have its outcome.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_counterexample_is_new_if_the_baseline_mends_it() {
    let names = [
        "rc11-to-ptx",
        "rc11-to-ptx-no-fence-sc-load",
        "rc11-to-ptx-relaxed-acquire-load",
        "rc11-to-ptx-relaxed-release-store",
        "rc11-to-ptx-cta-release-store",
        "rc11-to-ptx-weak-relaxed-load",
        "rc11-to-ptx-no-acquire-fence",
    ];
    let (mut new, mut old) = (0, 0);
    for name in names {
        let mapping = shipped(name);
        let all = check(&mapping, &CheckOptions { all: Some(1000), ..CheckOptions::new(4) }, &Silent).expect("the options fit");
        for other in names {
            let baseline = shipped(other);
            let report = new_of(&mapping, &baseline, 4);
            let mut pool = CounterexamplePool::new(&baseline);
            let standings: Vec<OutcomePermission> = all
                .counterexamples
                .iter()
                .map(|c| {
                    let index = pool.add(&baseline, c.clone()).expect("it has rows");
                    pool.standing(&baseline, index)
                })
                .collect();
            // What is found is new.
            for c in &report.counterexamples {
                let index = pool.add(&baseline, c.clone()).expect("it has rows");
                assert_eq!(pool.standing(&baseline, index), OutcomePermission::Mended, "{name} beside {other}");
            }
            let size = all.counterexamples.first().map_or(5, |c| c.events);
            if standings.contains(&OutcomePermission::Mended) {
                assert_eq!(report.verdict, CheckVerdict::Counterexample, "{name} beside {other}");
                assert_eq!(report.foremost().expect("it is found").events, size, "{name} beside {other}");
                new += 1;
            } else if !all.truncated {
                assert!(report.established >= size.min(4), "{name} beside {other}: {:?}", report.verdict);
                old += 1;
            }
        }
        assert_eq!(new_of(&mapping, &mapping, 4).verdict, CheckVerdict::None, "{name} beside itself");
    }
    assert!(new >= 20 && old >= 9, "{new} new, {old} old");
}

/// Where the baseline goes wrong for some types alone, the same program is new for the others, though no row of the mapping tells them apart.
#[test]
fn what_goes_wrong_for_more_types_is_new() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\ntypes b8 b32\n";
    let narrow = table(&format!("{HEADER}R.ACQ.s => ld.acquire.s\nR.ACQ.s b8 => ld.relaxed.s\n"));
    let wide = table(&format!("{HEADER}R.ACQ.s => ld.relaxed.s\n"));
    assert_eq!(new_of(&wide, &narrow, 4).verdict, CheckVerdict::Counterexample);
    assert_eq!(new_of(&narrow, &wide, 4).verdict, CheckVerdict::None);
}

/// So it is with scopes, although the mapping passes them on.
#[test]
fn what_goes_wrong_at_more_scopes_is_new() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n";
    let block = table(&format!("{HEADER}R.ACQ.cta => ld.relaxed.cta\n"));
    let all = table(&format!("{HEADER}R.ACQ.s => ld.relaxed.s\n"));
    assert_eq!(new_of(&all, &block, 4).verdict, CheckVerdict::Counterexample);
    assert_eq!(new_of(&block, &all, 4).verdict, CheckVerdict::None);
}

/// A compare-exchange that fails and reads as a load does is searched as that load, but for baselines where it does not.
#[test]
fn a_failing_compare_exchange_is_told_from_a_load() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nCAS_FAIL.RLX.s => atom.relaxed.s\nCAS_FAIL.SC.s => fence.sc.s ; atom.acquire.s\n";
    let load = "R.ACQ.s => ld.relaxed.s\n";
    let old = table(&format!("{HEADER}{load}CAS_FAIL.ACQ.s => atom.acquire.s\n"));
    let new = table(&format!("{HEADER}{load}CAS_FAIL.ACQ.s => atom.relaxed.s\n"));
    let report = new_of(&new, &old, 4);
    assert_eq!(report.verdict, CheckVerdict::Counterexample);
    assert!(report.foremost().expect("it is found").source.events.iter().any(|e| e.compare));
    assert_eq!(new_of(&old, &new, 4).verdict, CheckVerdict::None);
}

/// A row that the baseline does not have says nothing, and what goes wrong with it is new.
#[test]
fn what_the_baseline_does_not_know_is_new() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n";
    let unknown = table(&format!("{HEADER}R.ACQ.s => other \"a lock\"\n"));
    let wrong = table(&format!("{HEADER}R.ACQ.s => ld.relaxed.s\n"));
    assert_eq!(new_of(&wrong, &unknown, 4).verdict, CheckVerdict::Counterexample);
}

#[test]
fn tables_differ_in_rows() {
    const HEADER: &str = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n";
    let base = table(HEADER);
    let said = |text: &str| {
        let found = difference(&base, &table(&format!("{HEADER}{text}"))).expect("of one language");
        let rows = found.rows.iter().map(|r| format!("{}: {} -> {}", r.head, r.old, r.new));
        rows.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(said(""), "");
    // A change of every scope is said once, whether the scope is passed on or not.
    assert_eq!(said("R.ACQ.s => ld.relaxed.s\n"), "R.ACQ.s: ld.acquire.s -> ld.relaxed.s");
    assert_eq!(said("R.ACQ.t => ld.acquire.sys\n"), "R.ACQ.cta, R.ACQ.gpu: ld.acquire.s -> ld.acquire.sys");
    let each = "R.ACQ.cta => ld.relaxed.cta\nR.ACQ.gpu => ld.relaxed.gpu\nR.ACQ.sys => ld.relaxed.sys\n";
    assert_eq!(said(each), "R.ACQ.s: ld.acquire.s -> ld.relaxed.s");
    // Rows for each scope that say what the row for all says are no difference.
    assert_eq!(said("R.ACQ.cta => ld.acquire.cta\n"), "");
    assert_eq!(said("R.ACQ.gpu => ld.relaxed.gpu\n"), "R.ACQ.gpu: ld.acquire.gpu -> ld.relaxed.gpu");
    assert_eq!(
        said("RMW.ACQ.s b8 => absent \"why\"\nRMW.ACQ.s => atom.acquire.s\n"),
        "RMW.ACQ.s b8: atom.acquire.s -> absent \"why\""
    );
    // Programs have no other types and operations than rows name and those that there always are.
    assert_eq!(
        said("RMW.ACQ.s add max b8 b16 => other \"a loop\"\nRMW.ACQ.s => atom.acquire.s\n"),
        "RMW.ACQ.s add max b8 b16: atom.acquire.s -> other \"a loop\""
    );
    let nand = said("RMW.ACQ.s nand => other \"a loop\"\nRMW.ACQ.s => atom.acquire.s\n");
    assert!(nand.contains("RMW.ACQ.s nand: no row -> other \"a loop\"") && !nand.contains("RMW.ACQ.s add"), "{nand}");
    // The order of alternatives says nothing.
    assert_eq!(
        said("W.SC.s => fence.sc.s ; st.release.s or st.release.s\n"),
        "W.SC.s: fence.sc.s ; st.release.s -> fence.sc.s ; st.release.s or st.release.s"
    );
}

/// Every pair of tables that differ in two rows: what is new is what some counterexample of the whole list is that the baseline mends, and it has the size of
/// the smallest such.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn pairs_of_tables_agree_with_the_list_of_all() {
    let acquire = ["ld.acquire.s", "ld.relaxed.s", "ld.relaxed.s ; fence.acquire.s", "ld.relaxed.s or ld.acquire.s"];
    let release =
        ["st.release.s", "st.relaxed.s", "st.relaxed.s or fence.release.s ; st.relaxed.s", "fence.release.s ; st.relaxed.s"];
    // Those that fail are in no list of a table that makes loads of them.
    let failing = ["RLX", "ACQ", "SC"].map(|order| format!("CAS_FAIL.{order}.s => absent\n")).concat();
    let mut tables = Vec::new();
    for acquire in acquire {
        for release in release {
            tables.push(table(&format!(
                "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nscopes gpu\n{failing}R.ACQ.s => {acquire}\nW.REL.s => {release}\n"
            )));
        }
    }
    let only = ["R.NA", "W.NA", "R.ACQ", "W.REL"].map(str::to_owned).to_vec();
    let asked = |baseline: Option<&Mapping>, mapping: &Mapping, all: Option<usize>| {
        let baseline = baseline.map(|baseline| Arc::new(Baseline::new(mapping, baseline)));
        let options = CheckOptions { baseline, all, ..CheckOptions::new(4) }.with(|o| o.only = only.clone());
        check(mapping, &options, &Silent).expect("the options fit")
    };
    let (mut new, mut old) = (0, 0);
    for (i, mapping) in tables.iter().enumerate() {
        let all = asked(None, mapping, Some(10_000));
        assert!(!all.truncated, "the list is whole");
        for (j, baseline) in tables.iter().enumerate().filter(|(j, _)| (i + j) % 2 == 0) {
            let mut pool = CounterexamplePool::new(baseline);
            let mends = all.counterexamples.iter().any(|c| {
                let index = pool.add(baseline, c.clone()).expect("it has rows");
                pool.standing(baseline, index) == OutcomePermission::Mended
            });
            let report = asked(Some(baseline), mapping, None);
            let what = format!("{} of {} ({}) beside {}: {mends}", i, mapping.title, all.counterexamples.len(), j);
            match mends {
                true => assert_eq!(report.verdict, CheckVerdict::Counterexample, "{what}"),
                // The list has those of the smallest size.
                false => {
                    assert!(
                        report.verdict == CheckVerdict::None || all.counterexamples[0].events < 4,
                        "{what}: {:?}",
                        report.verdict
                    )
                }
            }
            new += usize::from(mends);
            old += usize::from(!mends);
        }
    }
    assert!(new >= 15 && old >= 15, "{new} new, {old} old");
}
