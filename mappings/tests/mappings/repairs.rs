//! Repairs of compilers' tables, and that the hint under a counterexample is one of them.

use std::cell::Cell;
use std::sync::Mutex;

use margay_mappings::change::{Changed, InstructionCosts, hint, repair};
use margay_mappings::check::{CheckOptions, Level, Progress, Silent};
use margay_mappings::language::Mapping;

use crate::setup::{ask, options, read, shipped};

fn programs(bound: usize) -> CheckOptions {
    CheckOptions { level: Level::Program, ..options(bound) }
}

/// A shipped table with other right-hand sides in the rows that begin so.
fn with(name: &str, rows: &[&str], instead: (&str, &str)) -> Mapping {
    let text = shipped(name).file.text.clone();
    let line = |line: &str| match line.split_once("=>") {
        Some((head, body)) if rows.iter().any(|r| head.starts_with(r)) => {
            format!("{head}=>{}", body.replace(instead.0, instead.1))
        }
        _ => line.to_owned(),
    };
    let changed = text.lines().map(line).collect::<Vec<_>>().join("\n");
    assert_ne!(changed.trim_end(), text.trim_end(), "{name} has such rows");
    read(&changed).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn texts(mapping: &Mapping, changes: &[Changed]) -> Vec<(String, String)> {
    changes.iter().map(|c| c.slot.text(mapping, &c.lowering)).collect()
}

/// The hint is a cheapest repair where what is wrong is one row: nobody is told to put a fence
/// beside every plain load.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_hint_is_a_repair() {
    for (name, bound, hinted) in [
        ("rc11-to-ptx-relaxed-acquire-load", 4, "R.ACQ.s => ld.acquire.s"),
        ("rc11-to-ptx-relaxed-release-store", 4, "W.REL.s => st.release.s"),
        ("rc11-to-ptx-relaxed-release-rmw", 5, "RMW.REL.s => atom.release.s"),
        ("rc11-to-ptx-no-acquire-fence", 5, "F.ACQ.s => fence.acquire.s"),
        ("rc11-to-ptx-no-release-fence", 5, "F.REL.s => fence.release.s"),
        ("rc11-to-ptx-no-release-acq_rel-fence", 5, "F.ACQ_REL.s => fence.acq_rel.s"),
        ("rc11-to-ptx-no-acquire-acq_rel-fence", 5, "F.ACQ_REL.s => fence.acq_rel.s"),
        ("rc11-to-ptx-no-fence-sc-load", 4, "R.SC.s => fence.sc.s ; ld.acquire.s"),
        ("rc11-to-ptx-weak-relaxed-load", 4, "R.RLX.s => ld.relaxed.s"),
        ("rc11-to-ptx-cta-release-store", 4, "W.REL.s => st.release.s"),
    ] {
        let mapping = shipped(name);
        let found = ask(&mapping, &programs(bound))
            .counterexamples
            .into_iter()
            .next()
            .unwrap_or_else(|| panic!("{name} is broken"));
        let hint = texts(
            &mapping,
            &hint(&mapping, &found).unwrap_or_else(|| panic!("{name} can be mended")),
        );
        let said: Vec<String> =
            hint.iter().map(|(head, body)| format!("{head} => {body}")).collect();
        assert_eq!(said, [hinted], "{name}");
        let report =
            repair(&mapping, &programs(bound), &InstructionCosts::default(), 1000, &Silent)
                .expect("a question");
        assert_eq!(report.stopped, None, "{name}");
        let repairs: Vec<_> = report.repairs.iter().map(|r| texts(&mapping, &r.changes)).collect();
        // With five events the published mapping itself has a counterexample, which takes a change
        // more.
        assert!(
            hint.iter().all(|change| repairs[0].contains(change)),
            "{name}: {hint:?} is not in {:?}",
            repairs[0]
        );
    }
}

/// Counts what is tried.
#[derive(Default)]
struct Counted(Mutex<Cell<usize>>);

impl Progress for Counted {
    fn changes(&self, tried: usize, _counterexamples: usize) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).set(tried);
    }
}

/// A compiler's table has dozens of lowerings that differ in the type of the object alone. They are
/// changed together, and what is wrong in one row does not multiply what is tried for another: so
/// few changes are tried where it once were more than ten thousand, without an end.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn wrong_rows_of_a_measured_table_are_mended_soon() {
    for (name, rows, instead) in [
        (
            "llvm-23-sm90",
            &["RMW.ACQ_REL", "CAS.ACQ_REL", "CAS_FAIL.REL/ACQ", "CAS_FAIL.ACQ_REL"][..],
            ("atom.acq_rel", "atom.release"),
        ),
        (
            "libcudacxx-3.5",
            &["RMW.ACQ_REL", "CAS.ACQ_REL", "CAS_FAIL.REL/ACQ", "CAS_FAIL.ACQ_REL"],
            ("atom.acq_rel", "atom.release"),
        ),
        ("llvm-23-sm90", &["R.ACQ.s "], ("ld.acquire", "ld.relaxed")),
        ("nv-atomic-13.5", &["CAS_FAIL.ACQ.s"], ("atom.acquire", "atom.relaxed")),
        ("libcudacxx-3.5", &["W.REL.s "], ("st.release.s", "st.release.gpu")),
    ] {
        let mapping = with(name, rows, instead);
        let counted = Counted::default();
        let report = repair(&mapping, &programs(4), &InstructionCosts::default(), 1000, &counted)
            .expect("a question");
        let tried = counted.0.into_inner().expect("nobody panicked").get();
        assert_eq!(report.stopped, None, "{name} with {rows:?}");
        assert!(
            report.fallen.is_some() && !report.repairs.is_empty() && !report.more,
            "{name} with {rows:?}"
        );
        assert!(
            tried < 2000 && report.searches < 10,
            "{name} with {rows:?}: {tried} changes, {} searches",
            report.searches
        );
        let changed = texts(&mapping, &report.repairs[0].changes);
        assert!(
            // A failing compare-exchange does not release, so that it needs less than it had.
            changed.iter().all(|(head, body)| {
                rows.iter().any(|r| r.split('.').next() == head.split('.').next())
                    && (body.contains(instead.0) || body.contains("atom.acquire"))
            }),
            "{name}: {changed:?}"
        );
    }
}

/// The row that is named has the order of success and the types that it is for: a table has other
/// rows for the other ones.
#[test]
fn a_changed_row_is_named_as_the_table_names_it() {
    let mapping = with("llvm-23-sm90", &["CAS_FAIL.REL/ACQ.s"], ("atom.acq_rel", "atom.release"));
    let found =
        ask(&mapping, &programs(4)).counterexamples.into_iter().next().expect("it is broken");
    let hint = texts(&mapping, &hint(&mapping, &found).expect("it can be mended"));
    assert_eq!(hint, [("CAS_FAIL.REL/ACQ.s b32 b64 b128".to_owned(), "atom.acquire.s".to_owned())]);
}
