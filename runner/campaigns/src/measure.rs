//! One test on a device, beside what a model says.

use std::time::Duration;

use margay_answers::histogram::{self, HistogramRow};
use margay_answers::refusal::{as_kernel, by_machine};
use margay_console::output::Output;
use margay_console::table::number;
use margay_litmus::explicit::ExplicitRunner;
use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_reports::gpu::{CampaignQuestion, ClockRecord, MeasuredLine};
use margay_runner::device::{Counts, Device, DeviceDescription, DeviceFailure, Request};

use crate::allowed;

/// A model, made ready to be asked.
pub struct PreparedJudge {
    /// The model that outcomes are compared with.
    pub model: Model,
    runner: ExplicitRunner,
    timeout: Option<Duration>,
}

impl PreparedJudge {
    /// Of a model; it has so much time for each test.
    pub fn new(model: Model, timeout: Option<Duration>) -> Self {
        Self { runner: ExplicitRunner::new(&model), model, timeout }
    }
}

/// What came of it.
pub struct TestMeasurement {
    pub counts: Counts,
    pub rows: Vec<HistogramRow>,
    /// Did the model stop at a bound, so that it may allow more?
    pub bounded: bool,
    /// As a line of results (docs/json.md).
    pub line: MeasuredLine,
}

impl TestMeasurement {
    /// Was something seen that the model forbids? Not said where the model stopped at a bound.
    pub fn differs(&self) -> bool {
        self.line.violation
    }
}

/// Why there is nothing.
#[derive(Debug)]
pub enum MeasureProblem {
    /// The test, its kernel or the question to the model.
    Test(Diagnostic),
    /// The device; no other test can be run.
    Device(DeviceFailure),
}

/// Runs a test.
pub fn measure(
    device: &mut dyn Device,
    name: &str,
    read: &Read,
    request: &Request,
    judge: Option<&mut PreparedJudge>,
) -> Result<TestMeasurement, MeasureProblem> {
    let counts = device.run(&read.test, request).map_err(|failure| problem(failure, name, read))?;
    let mut bounded = false;
    let mut model = None;
    let allowed = match judge {
        Some(judge) => {
            let variables = &counts.observed.variables;
            let outcomes = allowed::outcomes(read, variables, &mut judge.runner, judge.timeout);
            let outcomes = outcomes.map_err(|error| {
                MeasureProblem::Test(margay_answers::refusal::by_engine(
                    &error,
                    name,
                    &read.file,
                    &judge.model,
                ))
            })?;
            bounded = outcomes.bounded;
            model = Some(judge.model.name.clone());
            Some(outcomes.values)
        }
        None => None,
    };
    let rows = histogram::rows(&counts.histogram, allowed.as_ref(), &counts.observed);
    let question = question(name, device.description(), model.as_deref(), request);
    let line = line(question, read, (&counts, &rows, bounded), device.description());
    Ok(TestMeasurement { counts, rows, bounded, line })
}

fn problem(failure: DeviceFailure, name: &str, read: &Read) -> MeasureProblem {
    MeasureProblem::Test(match failure {
        DeviceFailure::Machine(error) => by_machine(&error, name, read),
        DeviceFailure::Kernel(error) => as_kernel(&error, name, read),
        DeviceFailure::Refused(_) | DeviceFailure::Differs(_) | DeviceFailure::Uncompared(_) => {
            Diagnostic::error(format!("`{name}`: {failure}"))
        }
        failure => return MeasureProblem::Device(failure),
    })
}

/// What a line of results is the answer to: if a file has one with the same, the test need not be
/// run again.
pub fn question(
    name: &str,
    device: &DeviceDescription,
    model: Option<&str>,
    request: &Request,
) -> CampaignQuestion {
    CampaignQuestion {
        file: name.to_owned(),
        device: device.name.clone(),
        simulated: device.simulated,
        target: device.target.clone(),
        driver: device.driver.clone(),
        environment: device.environments.then(|| request.environment.to_string()),
        seed: request.seed,
        asked_instances: request.instances,
        compiled: request.compiled.as_ref().map(|c| c.hash.clone()),
        model: model.map(str::to_owned),
        table6_column: None,
    }
}

/// A line of results (docs/json.md).
fn line(
    question: CampaignQuestion,
    read: &Read,
    (counts, rows, bounded): (&Counts, &[HistogramRow], bool),
    device: &DeviceDescription,
) -> MeasuredLine {
    let kernel = counts.kernel.as_ref();
    let violation = !bounded && histogram::differs(rows);
    MeasuredLine {
        question,
        name: read.test.name.clone(),
        clocks: device
            .clocks
            .map(|c| ClockRecord { core_khz: c.core_khz, memory_khz: c.memory_khz }),
        kernel: kernel.map(|k| k.hash.clone()),
        assembler: kernel.map(|k| k.assembler.clone()),
        level: kernel.map(|k| k.level),
        compared: kernel.and_then(|k| k.compared),
        narrowed: kernel.map(|k| k.narrowed.clone()),
        instances: counts.instances,
        interrupted: counts.stopped,
        launches: counts.launches,
        stuck: counts.stuck,
        uncounted: counts.uncounted,
        seconds: counts.seconds,
        bounded,
        violation,
        outcomes: histogram::report(rows, &counts.observed),
        // All that is needed to see it again.
        test: violation.then(|| read.file.text.clone()),
        ptx: violation.then(|| kernel.map(|k| k.ptx.clone())),
        sass: violation.then(|| kernel.and_then(|k| k.sass.clone())),
    }
}

/// The histogram for people.
pub fn print(
    name: &str,
    measured: &TestMeasurement,
    device: &DeviceDescription,
    output: &Output,
) -> std::io::Result<()> {
    let counts = &measured.counts;
    let rate = counts.instances as f64 / counts.seconds.max(1e-9);
    let (instances, rate, seconds) =
        (number(counts.instances), number(rate as u64), counts.seconds);
    output.print(&output.heading(&format!(
        "{}{name}, {}: {instances} instances, {seconds:.3} s ({rate} a second)",
        device.mark(),
        device.name
    )))?;
    histogram::print(&measured.rows, &counts.observed, true, output)?;
    if counts.stopped {
        let asked = measured.line.question.asked_instances;
        output.print(
            &output.unsure(&format!("Interrupted: {} instances were asked for.", number(asked))),
        )?;
    }
    if let Some(kernel) = &counts.kernel {
        if kernel.compared.is_none() {
            output.print(&format!(
                "The machine code ({}) was not compared with the test.",
                kernel.assembler
            ))?;
        }
        for narrowed in &kernel.narrowed {
            output.print(&format!("The machine code waits where the test does not: {narrowed}"))?;
        }
    }
    if counts.stuck > 0 {
        output.print(&format!(
            "{} instances had a thread that did not come to its end.",
            number(counts.stuck)
        ))?;
    }
    if counts.uncounted > 0 {
        output.print(&format!(
            "{} instances had values for which the table has no room.",
            number(counts.uncounted)
        ))?;
    }
    output.print("")
}
