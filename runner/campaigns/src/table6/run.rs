//! `margay gpu table6`: coRR, lb, mp and sb in the sixteen combinations of the four incantations,
//! beside the published numbers (Alglave et al., ASPLOS 2015, Table 6).

use std::path::PathBuf;
use std::time::Duration;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_models::diagnostic::Diagnostic;

use super::page::Table6Page;
use super::{Sheet, Table6Row, Table6Stop};
use crate::idioms;
use crate::measure::MeasureProblem;
use crate::results::Results;
use crate::session::{CampaignDevice, CampaignSession, absent};

/// The page that is made, the device, and how much is measured.
#[derive(Debug, Clone)]
pub struct Table6Options {
    /// The page to write.
    pub page: PathBuf,
    /// What runs the tests.
    pub on: CampaignDevice,
    /// Runs for each test and column.
    pub instances: u64,
    /// The file that results are appended to.
    pub results: Option<PathBuf>,
    /// When to stop, with a page of what there is.
    pub budget: Option<Duration>,
}

/// Measures what is not known, and writes the page.
pub fn run(options: &Table6Options, output: &Output) -> CommandOutcome {
    let tests = match idioms::read(&[
        idioms::CORR,
        idioms::PLDI_2016[1],
        idioms::PLDI_2016[0],
        idioms::PLDI_2016[2],
    ]) {
        Ok(tests) => tests,
        Err(errors) => return output.wrong(&errors),
    };
    if let Err(error) = Table6Page::has_place(&options.page) {
        let error =
            Diagnostic::error(format!("cannot write `{}`: {error}", options.page.display()));
        return output
            .wrong(&[error.help("`margay gpu table6` takes the file of the page that it writes")]);
    }
    let results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
    let mut session = match CampaignSession::open(&options.on, options.instances, output) {
        Ok(session) => session,
        Err(closed) => return closed.end(output),
    };
    let limits = RunLimits::start(options.budget, None);
    session.request.stop = limits.stop.clone();
    let base = session.request.environment.clone();
    let bar = StepBar::new(output.format == Format::Human, 16 * tests.len(), "cells");
    let mut sheet = Sheet {
        device: &mut **session.device,
        request: session.request.clone(),
        base: base.clone(),
        results,
    };
    let mut rows: Vec<Table6Row> = vec![Vec::new(); tests.len()];
    let mut end = None;
    for (test, row) in tests.iter().zip(&mut rows) {
        let mut told = |column: usize, line: std::io::Result<String>| {
            bar.step(&format!("{}, column {}", test.1.test.name, column + 1));
            if output.format == Format::Json { output.print(&line?) } else { Ok(()) }
        };
        end = sheet.row(test, &|| limits.reason().is_some(), &mut told, row)?;
        if end.is_some() {
            break;
        }
    }
    bar.finish();
    let page = Table6Page { rows: &rows, device: session.device.description(), base: &base };
    if output.format == Format::Human {
        page.print(output)?;
    }
    // What there is of it is written, whatever else went wrong.
    if let Err(error) = page.write(&options.page) {
        // The page is what was asked for; the numbers are printed.
        output.warn(&[Diagnostic::error(format!(
            "cannot write `{}`: {error}",
            options.page.display()
        ))]);
        return Ok(Exit::Wrong);
    }
    if output.format == Format::Human {
        output.print(&format!("page written to {}", options.page.display()))?;
    }
    match end {
        None => Ok(Exit::Holds),
        Some(Table6Stop::Problem(MeasureProblem::Device(failure))) => absent(&failure, output),
        Some(Table6Stop::Problem(MeasureProblem::Test(error)) | Table6Stop::Unwritten(error)) => {
            output.wrong(&[error])
        }
        Some(Table6Stop::Stopped) => {
            let why = limits.reason().map_or("stopped", |r| r.words());
            let message = format!(
                "the page is not complete: {why}; what was measured is in the file of --results"
            );
            output.wrong(&[
                Diagnostic::error(message).help("with --results the same command goes on")
            ])?;
            Ok(Exit::Undecided)
        }
    }
}
