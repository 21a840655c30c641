//! `margay weaken` and `margay repair`: a mapping with other rows.

mod repair;
mod weaken;

pub use repair::run as repair;
pub use weaken::run as weaken;

use std::io;

use margay_answers::check::{Presented, stem, write_counterexample};
use margay_console::folder::Folder;
use margay_console::limits::Limits;
use margay_console::output::Output;
use margay_mappings::change::Pool;
use margay_mappings::check::{CheckOptions, CoReading, Counterexample};
use margay_mappings::language::{Loaded, Mapping};
use margay_models::diagnostic::Diagnostic;

use crate::arguments::{Co, Question};

/// What both commands begin with: the mapping, the limits and the options of every question. Rows are changed by what programs can
/// observe, so the reading of modification order is `exists` where none is asked for.
fn prepare(name: &str, question: &Question, output: &Output) -> Result<(Mapping, Limits, CheckOptions), Vec<Diagnostic>> {
    let Loaded { mapping, warnings } = question.statement.load(name)?;
    output.warn(&warnings);
    let limits = question.search.limits();
    let mut options = question.options(&limits).map_err(|e| vec![e])?;
    if question.co != Some(Co::Universal) {
        options.co = CoReading::Exists;
    }
    Ok((mapping, limits, options))
}

/// `counterexample at 4 (Coherence)`, `counterexample at 4 (Coherence, racy)`.
fn falls(counterexample: &Counterexample) -> String {
    let Counterexample { events, axiom, status, .. } = counterexample;
    match status.is_bug() {
        true => format!("counterexample at {events} ({axiom})"),
        false => format!("counterexample at {events} ({axiom}, {})", status.name()),
    }
}

/// Writes counterexamples of the pool into files, each with the mapping that falls by it.
fn write(out: &mut Folder, pool: &Pool, found: &[(usize, &Mapping)]) -> io::Result<()> {
    for &(index, mapping) in found {
        let shown = Presented::new(mapping, &pool.get(index).counterexample);
        write_counterexample(out, &stem(index), mapping, &shown)?;
    }
    Ok(())
}
