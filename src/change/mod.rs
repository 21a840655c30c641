//! `margay weaken` and `margay repair`: a mapping with other rows.

mod repair;
mod weaken;

pub use repair::run as repair;
pub use weaken::run as weaken;

use std::path::Path;

use margay_mappings::change::Pool;
use margay_mappings::check::{CheckOptions, CoReading, Counterexample};
use margay_mappings::language::{Loaded, Mapping};
use margay_models::diagnostic::Diagnostic;

use crate::arguments::{Co, Question};
use crate::check::{Presented, write_counterexample};
use crate::limits::Limits;
use crate::output::Output;

/// What both commands begin with: the mapping, the limits and the options of every question. Rows are changed by what programs can
/// observe, so the reading of modification order is `exists` where none is asked for.
fn prepare(name: &str, question: &Question, output: &Output) -> Result<(Mapping, Limits, CheckOptions), Vec<Diagnostic>> {
    let Loaded { mapping, warnings } = question.load(name)?;
    output.warn(&warnings);
    let limits = question.search.limits();
    let mut options = question.options(&limits).map_err(|e| vec![e])?;
    if question.co != Some(Co::Universal) {
        options.co = CoReading::Exists;
    }
    Ok((mapping, limits, options))
}

/// `falls at 4 (Coherence)`.
fn falls(counterexample: &Counterexample) -> String {
    format!("falls at {} ({})", counterexample.events, counterexample.axiom)
}

/// How the files of a counterexample of the pool are called.
fn stem(index: usize) -> String {
    format!("counterexample-{}", index + 1)
}

/// Writes counterexamples of the pool into files, each with the mapping that falls by it.
fn write(out: &Path, pool: &Pool, found: &[(usize, &Mapping)]) -> Result<(), Diagnostic> {
    for &(index, mapping) in found {
        let shown = Presented::new(mapping, &pool.get(index).counterexample);
        write_counterexample(out, &stem(index), mapping, &shown)
            .map_err(|error| Diagnostic::error(format!("cannot write into `{}`: {error}", out.display())))?;
    }
    Ok(())
}
