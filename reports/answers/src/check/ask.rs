//! A check of one mapping, from the question to what is printed and written.

use std::path::Path;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::certificate;
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, check};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;

use super::assumed::AssumedRows;
use super::present::{CheckContext, PresentedCounterexample};
use super::{files, human, json};

/// What a question is about. A counterexample that uses an assumed row is no finding: the question
/// is asked without these rows.
#[derive(Debug)]
pub struct CheckSubject {
    /// The mapping as the command line has it: a file or a name.
    pub name: String,
    /// The mapping without its assumed rows.
    pub mapping: Mapping,
    /// The left-hand sides of the assumed rows.
    pub assumed: Vec<String>,
    /// All rows.
    whole: Mapping,
}

impl CheckSubject {
    /// A question about a mapping.
    pub fn new(name: &str, whole: Mapping) -> Self {
        let assumed = whole.assumed();
        let mapping = if assumed.is_empty() { whole.clone() } else { whole.known_only() };
        Self { name: name.to_owned(), mapping, assumed, whole }
    }
}

/// Sees to it that files can be written where the options say.
fn prepare(options: &CheckOptions, out: Option<&Path>) -> Result<(), Diagnostic> {
    [out, options.dump_cnf.as_deref()].into_iter().flatten().try_for_each(folder::prepare)?;
    options
        .certify
        .as_deref()
        .map_or(Ok(()), |folder| certificate::folder(folder, options.checkpoint.is_some()))
}

/// Why a check has no answer: what ended it, where what was answered is kept, and what is missing.
fn explain(report: &mut CheckReport, options: &CheckOptions, limits: &RunLimits) {
    let failure = options.engine.as_ref().and_then(|engine| engine.failure());
    let beside = || {
        let baseline = options.baseline.as_ref().filter(|_| report.old > 0)?;
        Some(format!(
            "of a counterexample it is not known whether {} has it, too",
            baseline.baseline.file.name
        ))
    };
    let reason =
        failure.or_else(|| limits.reason().map(|reason| reason.words().to_owned())).or_else(beside);
    if let (CheckVerdict::Undecided(why), Some(reason)) = (&mut report.verdict, reason) {
        *why = format!("{reason}; {why}");
        if let Some(folder) = &options.checkpoint {
            *why = format!(
                "{why}; what was answered is kept in {}, and the same command goes on from there",
                folder.display()
            );
        }
    }
}

/// Checks, and prints the answer; with a folder the counterexamples are written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    asked: &CheckSubject,
    options: &CheckOptions,
    out: Option<&Path>,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    if let Err(error) = prepare(options, out) {
        return output.wrong(&[error]);
    }
    // What a baseline tells apart has rows of its own.
    let mapping = options.baseline.as_deref().map_or(&asked.mapping, |beside| &beside.mapping);
    let start = Instant::now();
    let result = Bar::during(*output, options.bound, |bar| check(mapping, options, bar));
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    explain(&mut report, options, limits);
    let assumed = AssumedRows::ask(&asked.whole, asked.assumed.clone(), options, &report);
    let presented: Vec<PresentedCounterexample<'_>> =
        report.counterexamples.iter().map(|c| PresentedCounterexample::new(mapping, c)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let context =
        CheckContext { mapping, asked_as: &asked.name, options, report: &report, seconds, assumed };
    let exit = output.settle(match report.verdict {
        CheckVerdict::None => Exit::Holds,
        CheckVerdict::Counterexample => Exit::Found,
        CheckVerdict::Undecided(_) => Exit::Undecided,
    });
    let printed = match output.format {
        Format::Human => human::print(&context, &presented, output),
        Format::Json => output.document(&json::document(&context, &presented)),
    };
    // First the answer, then what can fail.
    folder::fill(out, &files::is_like, *output, |folder| {
        files::write(folder, &context, &presented)
    });
    output.warn(&report.uncertified);
    if let Some(what) = &report.undumped {
        output.warn(&[Diagnostic::error(what.clone())
            .help("the answer stands; the formulas are not complete")]);
    }
    printed.map(|()| exit)
}
