//! A mapping checked, and its smallest counterexamples run on a device.

use std::path::PathBuf;
use std::time::Instant;

use margay_answers::check::{PresentedCounterexample, is_like, stem, write_counterexample};
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::{RunLimits, StopReason};
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_litmus::read;
use margay_mappings::check::{CheckOptions, CheckReport, CheckVerdict, Counterexample, check};
use margay_mappings::language::Mapping;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_runner::device::DeviceFailure;

use super::{ConfirmReport, ConfirmedCounterexample};
use crate::measure::{MeasureProblem, PreparedJudge, measure};
use crate::results::Results;
use crate::session::{CampaignDevice, CampaignSession, absent};

/// What is asked beside the check.
#[derive(Debug, Clone)]
pub struct ConfirmOptions {
    /// What runs the counterexamples, and how.
    pub on: CampaignDevice,
    /// How many instances of each.
    pub instances: u64,
    /// Is run what is no compiler bug, too?
    pub racy: bool,
    /// The file that results are appended to.
    pub results: Option<PathBuf>,
    /// The folder for counterexamples.
    pub out: Option<PathBuf>,
}

/// Checks the mapping, runs what is found, and prints it. `begin` says how the mapping is checked,
/// and starts its limits: it is called once the device is open, since without a device there is
/// nothing to wait for.
pub fn run(
    mapping: &Mapping,
    options: &ConfirmOptions,
    begin: impl FnOnce() -> Result<(RunLimits, CheckOptions), Diagnostic>,
    output: &Output,
) -> CommandOutcome {
    let results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let mut session = match CampaignSession::open(&options.on, options.instances, output) {
        Ok(session) => session,
        Err(closed) => return closed.end(output),
    };
    let (limits, asked) = match begin() {
        Ok(begun) => begun,
        Err(error) => return output.wrong(&[error]),
    };
    let start = Instant::now();
    let checked = Bar::during(*output, asked.bound, |bar| check(mapping, &asked, bar));
    let mut checked = match checked {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (CheckVerdict::Undecided(why), Some(reason)) = (&mut checked.verdict, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    let seconds = start.elapsed().as_secs_f64();
    if limits.reason() != Some(StopReason::Memory) {
        session.request.stop = limits.stop.clone();
    }
    let judge = PreparedJudge::new(mapping.target.clone(), None);
    let mut running = Running {
        mapping,
        session,
        judge,
        results,
        racy: options.racy,
        failed: None,
        unwritten: Vec::new(),
    };
    let confirmed = running.all(&checked, &limits, output);
    let Running { session, failed, unwritten, .. } = running;
    let report = ConfirmReport {
        mapping,
        asked: &asked,
        checked: &checked,
        confirmed: &confirmed,
        device: session.device.description(),
        request: &session.request,
        seconds,
    };
    let refused = confirmed.iter().filter(|c| c.refused).count();
    let exit = output.settle(match (&failed, &checked.verdict) {
        // What was asked for was not done.
        (None, CheckVerdict::Counterexample) if refused > 0 && refused == confirmed.len() => {
            Exit::Wrong
        }
        (_, CheckVerdict::None) => Exit::Holds,
        (_, CheckVerdict::Counterexample) => Exit::Found,
        (_, CheckVerdict::Undecided(_)) => Exit::Undecided,
    });
    let printed = match output.format {
        Format::Json => output.document(&report.document()),
        Format::Human => report.print(output),
    };
    folder::fill(options.out.as_deref(), &is_like, *output, |folder| {
        confirmed
            .iter()
            .try_for_each(|c| write_counterexample(folder, &c.name, mapping, &c.presented))?;
        report.write(folder)
    });
    output.warn(&unwritten);
    printed?;
    if exit == Exit::Wrong && output.format != Format::Json {
        let error = Diagnostic::error("nothing was run: no counterexample is a compiler bug");
        output.warn(&[error.help("leave out `--level execution` to look for compiler bugs; `--racy` runs these all the same")]);
    }
    match failed {
        Some(failure) => absent(&failure, output),
        None => Ok(exit),
    }
}

/// What runs counterexamples, and what went wrong with it.
struct Running<'a> {
    mapping: &'a Mapping,
    session: CampaignSession,
    judge: PreparedJudge,
    results: Option<Results>,
    racy: bool,
    /// Why the device was given up.
    failed: Option<DeviceFailure>,
    /// Why a result could not be kept.
    unwritten: Vec<Diagnostic>,
}

impl<'a> Running<'a> {
    /// Runs one after the other, until something goes wrong or the run is interrupted.
    fn all(
        &mut self,
        checked: &'a CheckReport,
        limits: &RunLimits,
        output: &Output,
    ) -> Vec<ConfirmedCounterexample<'a>> {
        let mut confirmed = Vec::new();
        for (i, counterexample) in checked.counterexamples.iter().enumerate() {
            if limits.reason() == Some(StopReason::Interrupted) {
                let of = checked.counterexamples.len();
                let message = format!(
                    "interrupted: {i} of {of} counterexamples were run, the last of them perhaps in part"
                );
                output.warn(&[Diagnostic::warning(message)]);
                break;
            }
            confirmed.push(self.one(counterexample, stem(i)));
            if self.failed.is_some() || !self.unwritten.is_empty() {
                break;
            }
        }
        confirmed
    }

    fn one(
        &mut self,
        counterexample: &'a Counterexample,
        name: String,
    ) -> ConfirmedCounterexample<'a> {
        let presented = PresentedCounterexample::new(self.mapping, counterexample);
        if !counterexample.status.is_bug() && !self.racy {
            let why = Diagnostic::error(counterexample.status.words())
                .help("`--racy` runs it all the same");
            return ConfirmedCounterexample { presented, name, ran: Err(why), refused: true };
        }
        let file = SourceFile::new(format!("{name}-target.litmus"), presented.target.as_str());
        let CampaignSession { device, request } = &mut self.session;
        let ran = match read::test(&file) {
            // What says why there is no test is no test.
            Err(mut errors) => Err(errors.remove(0)),
            Ok(read) => {
                let title = format!("{name} of {}", self.mapping.title);
                match measure(&mut ***device, &title, &read, request, Some(&mut self.judge)) {
                    Ok(measured) => Ok(measured),
                    Err(MeasureProblem::Test(problem)) => Err(problem),
                    Err(MeasureProblem::Device(failure)) => {
                        let problem = Diagnostic::error(failure.to_string());
                        self.failed = Some(failure);
                        Err(problem)
                    }
                }
            }
        };
        if let (Some(results), Ok(measured)) = (&mut self.results, &ran)
            && let Err(error) = results.measured(&measured.line)
        {
            self.unwritten.push(error);
        }
        ConfirmedCounterexample { presented, name, ran, refused: false }
    }
}
