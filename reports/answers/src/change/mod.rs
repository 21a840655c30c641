//! What other rows of a mapping are good for: rows that could be weaker, and changes that mend it.

pub mod repair;
pub mod row;
pub mod weaken;

use std::io;

use margay_console::folder::OutputFolder;
use margay_mappings::change::CounterexamplePool;
use margay_mappings::check::{CheckOptions, Counterexample};
use margay_mappings::language::Mapping;
use margay_reports::change as document;

use crate::check::{PresentedCounterexample, stem, write_counterexample};
use crate::headline::Headline;
use crate::restriction::supposes;

/// `counterexample at 4 (Coherence)`, `counterexample at 4 (Coherence, racy)`.
fn falls(counterexample: &Counterexample) -> String {
    let Counterexample { events, axiom, status, .. } = counterexample;
    match status.is_bug() {
        true => format!("counterexample at {events} ({axiom})"),
        false => format!("counterexample at {events} ({axiom}, {})", status.name()),
    }
}

/// Writes counterexamples of the pool into files, each with the mapping that falls by it.
fn write(
    out: &mut OutputFolder,
    pool: &CounterexamplePool,
    found: &[(usize, &Mapping)],
) -> io::Result<()> {
    for &(index, mapping) in found {
        let shown = PresentedCounterexample::new(mapping, &pool.get(index).counterexample);
        write_counterexample(out, &stem(index), mapping, &shown)?;
    }
    Ok(())
}

/// What is said of every change of rows: what was asked, why it ended early, and what it took.
fn search(
    mapping: &Mapping,
    asked: &CheckOptions,
    fallen: Option<&Counterexample>,
    (answer, reason, searches, seconds): (&Headline, &Option<String>, usize, f64),
) -> document::RowSearchRecord {
    document::RowSearchRecord {
        mapping: mapping.title.clone(),
        answer: answer.text(),
        source: mapping.source.name.clone(),
        target: mapping.target.name.clone(),
        level: asked.level.into(),
        bound: asked.bound,
        supposes: supposes(mapping, &asked.constructs_of(mapping), asked.typed).map(str::to_owned),
        not_asked: mapping.unknown_failures(Some(&asked.constructs_of(mapping))),
        coverage: mapping.coverage(Some(&asked.constructs_of(mapping))).into(),
        falls: fallen.map(falls),
        reason: reason.clone(),
        searches,
        seconds,
    }
}
