//! A printed mapping reads as the same mapping.

use margay_mappings::change::{LoweringSlot, Steps};
use margay_mappings::language::{LoweringForm, LoweringStep, Mapping, Row, ScopePattern};
use margay_mappings::library;
use proptest::prelude::*;

use crate::invent::mapping_text;
use crate::setup::{read, shipped, without_failures};

/// A construct, its scopes, and the forms and steps of its lowerings.
type Compared = (String, ScopePattern, Vec<(LoweringForm, Vec<LoweringStep>)>);

/// The rows without their places in the text.
fn rows(mapping: &Mapping) -> Vec<Compared> {
    // What two uses of a construct have in common is one lowering.
    let steps = |row: &Row| {
        let mut out: Vec<(LoweringForm, Vec<LoweringStep>)> = Vec::new();
        for l in &row.alternatives {
            if !out.contains(&(l.form, l.steps.clone())) {
                out.push((l.form, l.steps.clone()));
            }
        }
        let texts = |of: &(LoweringForm, Vec<LoweringStep>)| format!("{of:?}");
        out.sort_by_key(texts);
        out
    };
    mapping.rows.iter().map(|r| (format!("{:?}", r.construct), r.scope.clone(), steps(r))).collect()
}

fn reads_back(mapping: &Mapping) {
    let text = mapping.to_string();
    let again = read(&text).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    assert_eq!(rows(mapping), rows(&again), "{text}");
    assert_eq!(
        (&mapping.title, &mapping.source.name, &mapping.target.name),
        (&again.title, &again.source.name, &again.target.name)
    );
    assert_eq!(text, again.to_string());
}

#[test]
fn every_shipped_mapping() {
    for name in library::names() {
        reads_back(&shipped(name));
    }
}

/// What a row may become is something that a mapping can say: a failed `atom`, for one, is never
/// plain. All rows are changed at once, first each to its first change, then each to its second,
/// and so on: a mapping printed for each change took 39 s.
#[test]
fn what_a_row_may_become() {
    for name in library::names() {
        let mapping = shipped(name);
        let steps = Steps::new(&mapping);
        let changes = |slot: &LoweringSlot| {
            let (row, lowering) = (&mapping.rows[slot.row], slot.lowering(&mapping));
            [steps.weaker(row, lowering), steps.stronger(row, lowering)].concat()
        };
        let all: Vec<(LoweringSlot, Vec<_>)> =
            LoweringSlot::all(&mapping).into_iter().map(|slot| (slot, changes(&slot))).collect();
        for turn in 0..all.iter().map(|(_, changes)| changes.len()).max().unwrap_or(0) {
            let mut mapping = mapping.clone();
            for (slot, changes) in &all {
                if let Some(changed) = changes.get(turn) {
                    slot.set(&mut mapping, changed.clone());
                }
            }
            reads_back(&mapping);
        }
    }
}

#[test]
fn defaults_are_written_out() {
    let text = without_failures("rc11-to-ptx").to_string();
    let text = text
        .replace("ld.weak", "ld")
        .replace("st.weak", "st")
        .replace("=> ld.relaxed.s\n", "=> ld.volatile\n")
        .replace("atom.relaxed.s", "atom")
        .replace("=> fence.sc.s\n", "=> membar.gl\n")
        .replace("=> fence.acq_rel.s", "=> fence.gpu");
    let mapping = read(&text).expect("defaults are understood");
    reads_back(&mapping);
    insta::assert_snapshot!(mapping.to_string());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_mappings((text, _, _) in mapping_text()) {
        reads_back(&read(&text).unwrap_or_else(|e| panic!("{text}\n{e:?}")));
    }
}

#[test]
fn a_file_may_begin_with_a_byte_order_mark() {
    let text = "mapping \"m\" from sc to tso\nR => R\nW => W ; F\nRMW => RMW\nF => F\n";
    let plain = read(text).unwrap_or_else(|e| panic!("{e:?}"));
    let marked = read(&format!("\u{feff}{text}")).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(rows(&plain), rows(&marked));
}
