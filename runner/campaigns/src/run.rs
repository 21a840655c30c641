//! `margay gpu run`: histograms of tests on a device, beside what a model says.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::{self, OutputFolder};
use margay_console::inputs;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::StepBar;
use margay_console::table::number;
use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_models::limited;
use margay_runner::device::DeviceDescription;
use margay_runner::emit::CompiledProgram;

use crate::campaign::{Campaign, CampaignEnd, CampaignEvent};
use crate::chart::{BarGroup, Bars};
use crate::measure::{PreparedJudge, TestMeasurement, print};
use crate::results::Results;
use crate::session::{CampaignDevice, CampaignSession, absent};

/// The tests, the device, the environment, and how often each test is run.
#[derive(Debug, Clone)]
pub struct DeviceRunOptions {
    /// Litmus tests, or folders of them; tests/corpus if there is none.
    pub tests: Vec<PathBuf>,
    /// Is the question whether everything that is seen is allowed?
    pub soundness: bool,
    pub on: CampaignDevice,
    /// How many instances of each test.
    pub instances: u64,
    /// A .cat file or the name of a model to compare with; for soundness ptx-8 if there is none.
    pub model: Option<String>,
    /// What a compiler made of the test, to be run in its place.
    pub compiled: Option<PathBuf>,
    /// The test whose accesses the compiled program should have.
    pub accesses: Option<PathBuf>,
    /// The file that results are appended to.
    pub results: Option<PathBuf>,
    /// The folder that histograms are drawn into.
    pub charts: Option<PathBuf>,
    /// How long the model may take for a test.
    pub timeout: Option<Duration>,
}

/// Runs the tests, and prints what each showed.
pub fn run(options: &DeviceRunOptions, output: &Output) -> CommandOutcome {
    let name = options.model.as_deref().or(options.soundness.then_some("ptx-8"));
    let judge = match name.map(|name| inputs::model(name, output)).transpose() {
        Ok(model) => model.map(|model| PreparedJudge::new(model, options.timeout)),
        Err(errors) => return output.wrong(&errors),
    };
    let corpus = [PathBuf::from("tests/corpus")];
    let files = match inputs::files(if options.tests.is_empty() { &corpus } else { &options.tests })
    {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
    if let Some(Err(error)) = options.charts.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let mut session = match CampaignSession::open(&options.on, options.instances, output) {
        Ok(session) => session,
        Err(closed) => return closed.end(output),
    };
    let mut tests = Vec::new();
    let mut errors = Vec::new();
    for path in files {
        match inputs::test(&path, output) {
            Ok(read) => tests.push((path.display().to_string(), read)),
            Err(found) => errors.extend(found),
        }
    }
    match compiled(options, &tests, session.device.description(), output) {
        Ok(compiled) => session.request.compiled = compiled.map(Arc::new),
        Err(error) => return output.wrong(&[error]),
    }
    let limits = RunLimits::start(None, None);
    session.request.stop = limits.stop.clone();
    let bar = StepBar::new(output.format == Format::Human, tests.len(), "tests");
    let mut campaign = Campaign {
        device: &mut **session.device,
        request: &session.request,
        judge,
        results,
        resume: options.soundness,
    };
    let names: inputs::TestNames = tests.iter().map(|(_, read)| read).collect();
    let stopped = || limits.stop.load(std::sync::atomic::Ordering::Relaxed);
    let mut charts = options.charts.as_deref().map(OutputFolder::open).transpose();
    let end = campaign.run(&tests, &stopped, &mut |read, event, device| {
        let name = names.of(&read.test.name, &read.file.name);
        bar.step(&name);
        match event {
            CampaignEvent::Measured(measured) => {
                let printed = match output.format {
                    Format::Json => output.line(&measured.line),
                    _ if options.soundness && !measured.differs() => Ok(()),
                    _ => bar.aside(|| print(&name, measured, device.description(), output)),
                };
                if let Ok(Some(folder)) = &mut charts
                    && let Err(error) = chart(folder, &name, measured, device.description())
                {
                    charts = Err(error);
                }
                printed
            }
            CampaignEvent::Known(known) if output.format == Format::Json => {
                output.print(&known.text)
            }
            CampaignEvent::Problem(problem)
                if options.soundness && output.format == Format::Json =>
            {
                output.wrong_line(&read.file.name, std::slice::from_ref(problem))
            }
            CampaignEvent::Known(_) | CampaignEvent::Problem(_) => Ok(()),
        }
    })?;
    bar.finish();
    match (charts, &options.charts) {
        (Err(error), Some(path)) => folder::unwritten(path, &error, *output),
        (Ok(Some(folder)), _) => output
            .warn(&folder.finish(&|name| name.ends_with(".svg")).into_iter().collect::<Vec<_>>()),
        (Err(_) | Ok(None), _) => {}
    }
    finish(end, errors, session.device.description().mark(), options, output)
}

/// What a compiler made of the test, if that is to be run in its place.
fn compiled(
    options: &DeviceRunOptions,
    tests: &[(String, Read)],
    device: &DeviceDescription,
    output: &Output,
) -> Result<Option<CompiledProgram>, Diagnostic> {
    let Some(path) = &options.compiled else { return Ok(None) };
    let [(_, read)] = tests else {
        return Err(Diagnostic::error("--compiled is what a compiler made of one test")
            .help("name that test alone"));
    };
    if device.simulated {
        return Err(Diagnostic::error(
            "--compiled is machine code, and a simulated device runs none",
        ));
    }
    let text = limited::text(path, 1 << 26)
        .map_err(|e| Diagnostic::error(format!("cannot read `{}`: {e}", path.display())))?;
    let wrong = |why: String| Diagnostic::error(format!("`{}`: {why}", path.display()));
    let mut compiled =
        CompiledProgram::read(&text, &read.test).map_err(|why| wrong(why.to_string()))?;
    if let Some(path) = &options.accesses {
        let accesses = inputs::test(path, output).map_err(|mut errors| errors.remove(0))?;
        if accesses.test.threads.len() != read.test.threads.len() {
            return Err(Diagnostic::error(format!(
                "`{}` has another number of threads than the test",
                path.display()
            )));
        }
        compiled.accesses = Some(accesses.test);
    }
    Ok(Some(compiled))
}

/// The histogram as bars.
fn chart(
    folder: &mut OutputFolder,
    name: &str,
    measured: &TestMeasurement,
    device: &DeviceDescription,
) -> std::io::Result<()> {
    let observed = &measured.counts.observed;
    let groups = measured
        .rows
        .iter()
        .map(|r| BarGroup { name: observed.describe(&r.outcome), values: vec![r.count as f64] })
        .collect();
    let bars = Bars {
        title: format!("{}{name}: {} instances", device.mark(), number(measured.counts.instances)),
        series: vec!["instances".to_owned()],
        groups,
        logarithmic: true,
    };
    let file: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "+-._".contains(c) { c } else { '_' })
        .collect();
    folder.write(&format!("{file}.svg"), bars.svg())
}

fn finish(
    end: CampaignEnd,
    mut errors: Vec<Diagnostic>,
    mark: &str,
    options: &DeviceRunOptions,
    output: &Output,
) -> CommandOutcome {
    let exit = match (end.violations.is_empty(), end.undecided || end.stopped) {
        (false, _) => output.settle(Exit::Found),
        (true, true) => Exit::Undecided,
        (true, false) => Exit::Holds,
    };
    if options.soundness && output.format == Format::Human {
        summary(&end, mark, output)?;
    }
    if let Some(error) = end.unwritten {
        errors.push(error);
    }
    // A corpus has tests that no kernel can run: for soundness they are counted, and no error.
    if !options.soundness {
        errors.extend(end.problems);
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    if let Some(failure) = &end.failed {
        return absent(failure, output);
    }
    Ok(exit)
}

/// What soundness comes to.
fn summary(end: &CampaignEnd, mark: &str, output: &Output) -> std::io::Result<()> {
    let answer = match end.violations.len() {
        0 => output.good(&format!("{mark}everything that was seen is allowed")),
        n => output.bad(&format!("{mark}{n} tests show what the model forbids")),
    };
    let (run, known, not) = (end.measured, end.known, end.problems.len());
    output.print(&format!(
        "{answer}; {run} tests run, {known} known from the file of results, {not} without an answer"
    ))?;
    for name in &end.violations {
        output.print(&format!("  {name}"))?;
    }
    let mut reasons: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for problem in &end.problems {
        // The first part names the file.
        let reason =
            problem.message.split_once(": ").map_or(problem.message.as_str(), |(_, why)| why);
        *reasons.entry(reason.to_owned()).or_default() += 1;
    }
    for (reason, count) in reasons {
        output.print(&format!("  {count} without an answer: {reason}"))?;
    }
    if end.stopped {
        output.print("Interrupted; with --results the same command goes on.")?;
    }
    Ok(())
}
