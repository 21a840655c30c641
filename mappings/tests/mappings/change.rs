//! `weaken` and `repair` against questions asked one by one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use margay_mappings::change::{
    CounterexamplePool, Fate, InstructionCosts, LoweringSlot, Need, OutcomePermission, Steps, hint,
    repair, weaken,
};
use margay_mappings::check::{CheckOptions, CheckVerdict, CoReading, Level, Silent};
use margay_mappings::language::{Lowering, Mapping};
use margay_solver::SolverLimits;

use crate::setup::{ask, names, options, read, shipped, without_failures};

fn outcomes(bound: usize, only: &str) -> CheckOptions {
    CheckOptions { co: CoReading::Exists, ..options(bound) }.with(|o| o.only = names(only))
}

fn programs(bound: usize, only: &str) -> CheckOptions {
    CheckOptions { level: Level::Program, ..options(bound) }.with(|o| o.only = names(only))
}

/// The slot of the row that begins so.
fn slot(mapping: &Mapping, head: &str) -> LoweringSlot {
    LoweringSlot::all(mapping)
        .into_iter()
        .find(|s| s.text(mapping, s.lowering(mapping)).0 == head)
        .expect("a row")
}

fn with(mapping: &Mapping, slot: LoweringSlot, lowering: &Lowering) -> Mapping {
    let mut changed = mapping.clone();
    slot.set(&mut changed, lowering.clone());
    changed
}

/// Every lowering above one, in steps.
fn above(steps: &Steps, mapping: &Mapping, slot: LoweringSlot) -> Vec<(u32, Lowering)> {
    let row = &mapping.rows[slot.row];
    let mut found: Vec<(u32, Lowering)> = vec![(0, slot.lowering(mapping).clone())];
    let mut next = 0;
    while next < found.len() {
        let (taken, lowering) = found[next].clone();
        for stronger in steps.stronger(row, &lowering) {
            if found.iter().all(|(_, l)| l.steps != stronger.steps) {
                found.push((taken + 1, stronger));
            }
        }
        next += 1;
    }
    found
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn the_repairs_of_one_row_are_the_cheapest_of_all() {
    for (name, head, options) in [
        ("rc11-to-ptx-relaxed-acquire-load", "R.ACQ.s", outcomes(4, "R.NA,R.ACQ,W.NA,W.REL")),
        ("rc11-to-ptx-gpu-relaxed-load", "R.RLX.s", outcomes(4, "R.RLX,W.RLX,RMW.RLX")),
        ("rc11-to-ptx-relaxed-acquire-load", "R.ACQ.s", programs(4, "R.NA,R.ACQ,W.NA,W.REL")),
        ("rc11-to-ptx-cta-relaxed-rmw", "RMW.RLX.s", programs(4, "R.RLX,W.RLX,RMW.RLX")),
    ] {
        let mapping = shipped(name);
        let costs = InstructionCosts::default();
        let found = repair(&mapping, &options, &costs, 1000, &Silent).expect("a question");
        assert_eq!((found.fallen.is_some(), &found.stopped), (true, &None), "{name}");
        let here = slot(&mapping, head);
        let before = costs.of(&mapping.target, here.lowering(&mapping));
        let price = |l: &Lowering| costs.of(&mapping.target, l).saturating_sub(before);
        let all = above(&Steps::new(&mapping), &mapping, here);
        let sound = all
            .iter()
            .filter(|(_, l)| ask(&with(&mapping, here, l), &options).verdict == CheckVerdict::None);
        let mut best: Vec<(u64, u32, String)> =
            sound.map(|(n, l)| (price(l), *n, here.text(&mapping, l).1)).collect();
        best.sort();
        let least = best.iter().map(|b| b.0 + u64::from(b.1)).min();
        best.retain(|b| Some(b.0 + u64::from(b.1)) == least);
        let mut repairs: Vec<(u64, u32, String)> = found
            .repairs
            .iter()
            .map(|r| {
                assert_eq!(r.changes.len(), 1, "{name}: only this row is broken");
                assert_eq!(ask(&r.mapping, &options).verdict, CheckVerdict::None, "{name}");
                (r.cost, r.steps, here.text(&mapping, &r.changes[0].lowering).1)
            })
            .collect();
        repairs.sort();
        assert_eq!(repairs, best, "{name}");
    }
}

/// Two rows are broken, and neither change suffices without the other.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn rows_are_mended_together() {
    let text = without_failures("rc11-to-ptx")
        .file
        .text
        .replace("ld.acquire.s", "ld.relaxed.s")
        .replace("=> st.release.s", "=> st.relaxed.s");
    let mapping = read(&text).expect("a mapping");
    let options = outcomes(4, "R.NA,R.ACQ,W.NA,W.REL");
    let found = repair(&mapping, &options, &InstructionCosts::default(), 1000, &Silent)
        .expect("a question");
    let rows: Vec<Vec<String>> = found
        .repairs
        .iter()
        .map(|r| r.changes.iter().map(|c| c.slot.text(&mapping, &c.lowering).0).collect())
        .collect();
    assert!(!rows.is_empty() && rows.iter().all(|r| r == &["R.ACQ.s", "W.REL.s"]), "{rows:?}");
    // Nothing is to be mended in what was mended.
    let again =
        repair(&found.repairs[0].mapping, &options, &InstructionCosts::default(), 1000, &Silent)
            .expect("a question");
    assert_eq!((again.fallen, again.repairs.len(), again.repairs[0].cost), (None, 1, 0));
}

/// What is said to mend a counterexample does: its program has its outcome no more, and no row less
/// would do.
#[test]
fn a_hint_mends_its_counterexample() {
    for name in [
        "rc11-to-ptx-no-fence-sc-load",
        "rc11-to-ptx-relaxed-acquire-load",
        "rc11-to-ptx-cta-relaxed-rmw",
        "llvm-22.1-sm90",
    ] {
        let mapping = shipped(name);
        let found = ask(&mapping, &options(4))
            .counterexamples
            .into_iter()
            .next()
            .unwrap_or_else(|| panic!("{name} is broken"));
        let changes = hint(&mapping, &found).unwrap_or_else(|| panic!("{name} can be mended"));
        let mended_by = |changes: &[margay_mappings::change::Changed]| {
            let mut mapping = mapping.clone();
            changes.iter().for_each(|c| c.slot.set(&mut mapping, c.lowering.clone()));
            let mut pool = CounterexamplePool::new(&mapping);
            let index = pool.add(&mapping, found.clone()).expect("every operation has a row");
            pool.standing(&mapping, index) == OutcomePermission::Mended
        };
        assert!(mended_by(&changes) && !mended_by(&[]), "{name}");
        for without in 0..changes.len() {
            let fewer: Vec<_> = changes
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != without)
                .map(|(_, c)| c.clone())
                .collect();
            assert!(!mended_by(&fewer), "{name}: all {} changes are needed", changes.len());
        }
    }
}

/// What is not known when a limit is reached stays unknown, and is not taken for mended.
#[test]
fn a_limit_ends_what_changes_are_asked() {
    let mapping = shipped("rc11-to-ptx-no-fence-sc-load");
    let found =
        ask(&mapping, &options(4)).counterexamples.into_iter().next().expect("it is broken");
    let raised =
        SolverLimits { stop: Some(Arc::new(AtomicBool::new(true))), ..SolverLimits::default() };
    let after = |limits: SolverLimits, runs: Option<usize>| {
        let mut pool = CounterexamplePool::new(&mapping).limited(limits, runs);
        let index = pool.add(&mapping, found.clone()).expect("every operation has a row");
        let standing = pool.standing(&mapping, index);
        (
            matches!(standing, OutcomePermission::Refuted(_)),
            standing == OutcomePermission::Unknown,
            pool.is_spent(),
        )
    };
    assert_eq!(after(SolverLimits::default(), None), (true, false, false));
    assert_eq!(after(SolverLimits::default(), Some(1)), (true, false, true));
    assert_eq!(after(SolverLimits::default(), Some(0)), (false, true, true));
    assert_eq!(after(raised, None), (false, true, true));
}

/// Where the costs say otherwise, another repair is the cheapest.
#[test]
fn costs_decide() {
    let mapping = shipped("rc11-to-ptx-relaxed-acquire-load");
    let options = outcomes(4, "R.NA,R.ACQ,W.NA,W.REL");
    let mended = |costs: &str| -> Vec<String> {
        let file = margay_models::diagnostic::SourceFile::new("costs.toml", costs);
        let costs = InstructionCosts::read(&file, mapping.target.signature).expect("costs");
        let found = repair(&mapping, &options, &costs, 1000, &Silent).expect("a question");
        found
            .repairs
            .iter()
            .map(|r| r.changes[0].slot.text(&mapping, &r.changes[0].lowering).1)
            .collect()
    };
    assert_eq!(mended("\"ld.acquire\" = 9"), ["ld.relaxed.s ; fence.acquire.s"]);
    assert_eq!(mended("\"fence.acquire\" = 9"), ["ld.acquire.s"]);
}

#[test]
fn what_could_be_weaker_is_sound_and_what_could_not_falls_where_it_is_said() {
    let text = without_failures("rc11-to-ptx")
        .file
        .text
        .replace("=> ld.acquire.s", "=> fence.acq_rel.s ; ld.acquire.s");
    let mapping = read(&text).expect("a mapping");
    for options in [outcomes, programs].map(|of| of(4, "R.NA,R.ACQ,R.RLX,W.NA,W.REL")) {
        weakened(&mapping, &options);
    }
}

fn weakened(mapping: &Mapping, options: &CheckOptions) {
    let report = weaken(mapping, options, &Silent).expect("a question");
    assert_eq!((report.fallen, &report.stopped, report.rows.len()), (None, &None, 5));
    for row in &report.rows {
        let (head, _) = row.slot.text(mapping, row.slot.lowering(mapping));
        for weaker in &row.weaker {
            let (_, body) = row.slot.text(mapping, &weaker.lowering);
            let asked = ask(&with(mapping, row.slot, &weaker.lowering), options);
            match weaker.fate {
                Fate::Sound => assert_eq!(asked.verdict, CheckVerdict::None, "{head} => {body}"),
                Fate::Falls(index) => {
                    let events = report.pool.get(index).counterexample.events;
                    assert_eq!(
                        (&asked.verdict, asked.established + 1),
                        (&CheckVerdict::Counterexample, events),
                        "{head} => {body}"
                    );
                }
                Fate::Undecided(ref why) => panic!("{why}"),
            }
        }
        // The fence is needless, and nothing else is.
        let sound: Vec<String> = row
            .weaker
            .iter()
            .filter(|w| w.fate == Fate::Sound)
            .map(|w| row.slot.text(mapping, &w.lowering).1)
            .collect();
        let expected: &[&str] = if head == "R.ACQ.s" { &["ld.acquire.s"] } else { &[] };
        assert_eq!(sound, expected, "{head}");
    }
}

#[test]
fn a_mapping_that_falls_is_not_weakened_and_modification_orders_are_not_asked_about() {
    let mapping = shipped("rc11-to-ptx-relaxed-acquire-load");
    let report =
        weaken(&mapping, &outcomes(4, "R.NA,R.ACQ,W.NA,W.REL"), &Silent).expect("a question");
    assert_eq!((report.fallen, report.rows.len()), (Some(0), 0));
    let of_programs =
        weaken(&mapping, &programs(4, "R.NA,R.ACQ,W.NA,W.REL"), &Silent).expect("a question");
    assert_eq!((of_programs.fallen, of_programs.rows.len()), (Some(0), 0));
    let universal = options(3);
    assert!(
        weaken(&mapping, &universal, &Silent).expect_err("another question")[0]
            .to_string()
            .contains("--co universal")
    );
}

/// The bound that a row needs is that of the smallest program which needs the operation: of fences
/// of store buffering, which has six events, and five where one of the two sides may be seq_cst
/// accesses; four of an acquire load.
#[test]
fn rows_say_what_bound_they_need() {
    let mapping = shipped("rc11-to-ptx-descoped");
    for (only, head, bound, need) in [
        ("R.RLX,W.RLX,F.SC,F.ACQ_REL", "F.SC", 4, Need::Events(6)),
        ("R.RLX,W.RLX,R.SC,W.SC,F.SC", "F.SC", 4, Need::Events(5)),
        ("R.NA,R.ACQ,W.NA,W.REL", "R.ACQ", 3, Need::Events(4)),
        // Nothing reads, so nothing tells a release.
        ("W.NA,W.REL", "W.REL", 2, Need::MoreThan(7)),
    ] {
        let report = weaken(&mapping, &programs(bound, only), &Silent).expect("a question");
        let row = report.rows.iter().find(|r| r.slot == slot(&mapping, head)).expect("the row");
        assert_eq!(row.need, Some(need.clone()), "{head} with {only}");
        assert!(
            row.is_untold(bound) && !row.is_loose(bound) && !row.is_tight(),
            "{head} with {only}"
        );
        let Need::Events(events) = need else { continue };
        // With so many events it is told.
        let report = weaken(&mapping, &programs(events, only), &Silent).expect("a question");
        let row = report.rows.iter().find(|r| r.slot == slot(&mapping, head)).expect("the row");
        assert!(
            row.is_tight() && row.need == Some(Need::Events(events)),
            "{head} with {only}: {:?}",
            row.need
        );
    }
}

/// A fence that nothing needs: at the bound that the row needs it is advice.
#[test]
fn a_needless_fence_is_told_at_the_bound_that_its_row_needs() {
    let text = without_failures("rc11-to-ptx")
        .file
        .text
        .replace("=> ld.acquire.s", "=> fence.acq_rel.s ; ld.acquire.s");
    let mapping = read(&text).expect("a mapping");
    for (bound, loose) in [(3, false), (4, true)] {
        let report = weaken(&mapping, &programs(bound, "R.NA,R.ACQ,W.NA,W.REL"), &Silent)
            .expect("a question");
        let row =
            report.rows.iter().find(|r| r.slot == slot(&mapping, "R.ACQ.s")).expect("the row");
        assert_eq!(
            (row.is_loose(bound), row.is_untold(bound), row.need.clone()),
            (loose, !loose, Some(Need::Events(4))),
            "{bound}"
        );
    }
}
