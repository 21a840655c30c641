//! `margay weaken` and `margay repair`: a mapping with other rows.

use margay_answers::change;
use margay_console::limits::RunLimits;
use margay_console::output::Output;
use margay_mappings::check::{CheckOptions, CoReading};
use margay_mappings::language::{LoadedMapping, Mapping};
use margay_models::diagnostic::Diagnostic;

use crate::CommandOutcome;
use crate::arguments::{Co, QuestionArguments, RepairArguments, WeakenArguments};

/// What both commands begin with: the mapping, the limits and the options of every question. Rows
/// are changed by what programs can observe, so the reading of modification order is `exists` where
/// none is asked for.
fn prepare(
    name: &str,
    question: &QuestionArguments,
    output: &Output,
) -> Result<(Mapping, RunLimits, CheckOptions), Vec<Diagnostic>> {
    let LoadedMapping { mapping, warnings } = question.statement.load(name)?;
    output.warn(&warnings);
    let limits = question.search.limits();
    let mut options = question.options(&limits).map_err(|e| vec![e])?;
    if question.co != Some(Co::Universal) {
        options.co = CoReading::Exists;
    }
    Ok((mapping, limits, options))
}

/// Runs `weaken`.
pub fn weaken(options: &WeakenArguments, output: &Output) -> CommandOutcome {
    match prepare(&options.mapping, &options.question, output) {
        Ok((mapping, limits, asked)) => {
            change::weaken::run(&mapping, &asked, options.out.as_deref(), &limits, output)
        }
        Err(errors) => output.wrong(&errors),
    }
}

/// Runs `repair`.
pub fn repair(options: &RepairArguments, output: &Output) -> CommandOutcome {
    let (mapping, limits, asked) = match prepare(&options.mapping, &options.question, output) {
        Ok(prepared) => prepared,
        Err(errors) => return output.wrong(&errors),
    };
    let RepairArguments { costs, candidates, out, .. } = options;
    let asked = change::repair::RepairOptions {
        check: asked,
        costs: costs.clone(),
        candidates: *candidates,
        out: out.clone(),
    };
    change::repair::run(&mapping, &asked, &limits, output)
}
