//! `weaken` and `repair` against questions asked one by one.

use margay_mappings::change::{Costs, Fate, Slot, Steps, repair, weaken};
use margay_mappings::check::{CheckOptions, CoReading, Silent, Verdict};
use margay_mappings::language::{Lowering, Mapping};

use crate::setup::{ask, names, options, read, shipped};

fn outcomes(bound: usize, only: &str) -> CheckOptions {
    CheckOptions { co: CoReading::Exists, only: names(only), ..options(bound) }
}

/// The slot of the row that begins so.
fn slot(mapping: &Mapping, head: &str) -> Slot {
    Slot::all(mapping).into_iter().find(|s| s.text(mapping, s.lowering(mapping)).0 == head).expect("a row")
}

fn with(mapping: &Mapping, slot: Slot, lowering: &Lowering) -> Mapping {
    let mut changed = mapping.clone();
    slot.set(&mut changed, lowering.clone());
    changed
}

/// Every lowering above one, in steps.
fn above(steps: &Steps, mapping: &Mapping, slot: Slot) -> Vec<(u32, Lowering)> {
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
fn the_repairs_of_one_row_are_the_cheapest_of_all() {
    for (name, head, only) in [
        ("rc11-to-ptx-relaxed-acquire-load", "R.ACQ.s", "R.NA,R.ACQ,W.NA,W.REL"),
        ("rc11-to-ptx-gpu-relaxed-load", "R.RLX.s", "R.RLX,W.RLX,RMW.RLX"),
    ] {
        let mapping = shipped(name);
        let options = outcomes(4, only);
        let costs = Costs::default();
        let found = repair(&mapping, &options, &costs, 1000, &Silent).expect("a question");
        assert_eq!((found.fallen.is_some(), &found.stopped), (true, &None), "{name}");
        let here = slot(&mapping, head);
        let before = costs.of(&mapping.target, here.lowering(&mapping));
        let price = |l: &Lowering| costs.of(&mapping.target, l).saturating_sub(before);
        let all = above(&Steps::new(&mapping), &mapping, here);
        let sound = all.iter().filter(|(_, l)| ask(&with(&mapping, here, l), &options).verdict == Verdict::None);
        let mut best: Vec<(u64, u32, String)> = sound.map(|(n, l)| (price(l), *n, here.text(&mapping, l).1)).collect();
        best.sort();
        let least = best.iter().map(|b| b.0 + u64::from(b.1)).min();
        best.retain(|b| Some(b.0 + u64::from(b.1)) == least);
        let mut repairs: Vec<(u64, u32, String)> = found
            .repairs
            .iter()
            .map(|r| {
                assert_eq!(r.changes.len(), 1, "{name}: only this row is broken");
                assert_eq!(ask(&r.mapping, &options).verdict, Verdict::None, "{name}");
                (r.cost, r.steps, here.text(&mapping, &r.changes[0].lowering).1)
            })
            .collect();
        repairs.sort();
        assert_eq!(repairs, best, "{name}");
    }
}

/// Two rows are broken, and neither change suffices without the other.
#[test]
fn rows_are_mended_together() {
    let text =
        shipped("rc11-to-ptx").file.text.replace("ld.acquire.s", "ld.relaxed.s").replace("=> st.release.s", "=> st.relaxed.s");
    let mapping = read(&text).expect("a mapping");
    let options = outcomes(4, "R.NA,R.ACQ,W.NA,W.REL");
    let found = repair(&mapping, &options, &Costs::default(), 1000, &Silent).expect("a question");
    let rows: Vec<Vec<String>> =
        found.repairs.iter().map(|r| r.changes.iter().map(|c| c.slot.text(&mapping, &c.lowering).0).collect()).collect();
    assert!(!rows.is_empty() && rows.iter().all(|r| r == &["R.ACQ.s", "W.REL.s"]), "{rows:?}");
    // Nothing is to be mended in what was mended.
    let again = repair(&found.repairs[0].mapping, &options, &Costs::default(), 1000, &Silent).expect("a question");
    assert_eq!((again.fallen, again.repairs.len(), again.repairs[0].cost), (None, 1, 0));
}

/// Where the costs say otherwise, another repair is the cheapest.
#[test]
fn costs_decide() {
    let mapping = shipped("rc11-to-ptx-relaxed-acquire-load");
    let options = outcomes(4, "R.NA,R.ACQ,W.NA,W.REL");
    let mended = |costs: &str| -> Vec<String> {
        let file = margay_models::diagnostic::SourceFile::new("costs.toml", costs);
        let costs = Costs::read(&file, mapping.target.signature).expect("costs");
        let found = repair(&mapping, &options, &costs, 1000, &Silent).expect("a question");
        found.repairs.iter().map(|r| r.changes[0].slot.text(&mapping, &r.changes[0].lowering).1).collect()
    };
    assert_eq!(mended("\"ld.acquire\" = 9"), ["ld.relaxed.s ; fence.acquire.s"]);
    assert_eq!(mended("\"fence.acquire\" = 9"), ["ld.acquire.s"]);
}

#[test]
fn what_could_be_weaker_is_sound_and_what_could_not_falls_where_it_is_said() {
    let text = shipped("rc11-to-ptx").file.text.replace("=> ld.acquire.s", "=> fence.acq_rel.s ; ld.acquire.s");
    let mapping = read(&text).expect("a mapping");
    let options = outcomes(4, "R.NA,R.ACQ,R.RLX,W.NA,W.REL");
    let report = weaken(&mapping, &options, &Silent).expect("a question");
    assert_eq!((report.fallen, &report.stopped, report.rows.len()), (None, &None, 5));
    for row in &report.rows {
        let (head, _) = row.slot.text(&mapping, row.slot.lowering(&mapping));
        for weaker in &row.weaker {
            let (_, body) = row.slot.text(&mapping, &weaker.lowering);
            let asked = ask(&with(&mapping, row.slot, &weaker.lowering), &options);
            match weaker.fate {
                Fate::Sound => assert_eq!(asked.verdict, Verdict::None, "{head} => {body}"),
                Fate::Falls(index) => {
                    let events = report.pool.get(index).counterexample.events;
                    assert_eq!((&asked.verdict, asked.established + 1), (&Verdict::Counterexample, events), "{head} => {body}");
                }
                Fate::Undecided(ref why) => panic!("{why}"),
            }
        }
        // The fence is needless, and nothing else is.
        let sound: Vec<String> =
            row.weaker.iter().filter(|w| w.fate == Fate::Sound).map(|w| row.slot.text(&mapping, &w.lowering).1).collect();
        let expected: &[&str] = if head == "R.ACQ.s" { &["ld.acquire.s"] } else { &[] };
        assert_eq!(sound, expected, "{head}");
    }
}

#[test]
fn a_mapping_that_falls_is_not_weakened_and_modification_orders_are_not_asked_about() {
    let mapping = shipped("rc11-to-ptx-relaxed-acquire-load");
    let report = weaken(&mapping, &outcomes(4, "R.NA,R.ACQ,W.NA,W.REL"), &Silent).expect("a question");
    assert_eq!((report.fallen, report.rows.len()), (Some(0), 0));
    let universal = options(3);
    assert!(weaken(&mapping, &universal, &Silent).expect_err("another question")[0].to_string().contains("--co universal"));
}
