//! One test on a device, beside what a model says.

use std::time::Duration;

use margay_litmus::explicit::Runner;
use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_runner::device::{Counts, Description, Device, Failure, Request};
use serde_json::{Value, json};

use crate::allowed;
use crate::histogram::{self, Row};
use crate::output::{Output, SCHEMA};
use crate::sim;
use crate::table::number;

/// A model, made ready to be asked.
pub struct Judge {
    /// The model.
    pub model: Model,
    runner: Runner,
    timeout: Option<Duration>,
}

impl Judge {
    /// Of a model; it has so much time for each test.
    pub fn new(model: Model, timeout: Option<Duration>) -> Self {
        Self { runner: Runner::new(&model), model, timeout }
    }
}

/// What came of it.
pub struct Measured {
    /// The counts.
    pub counts: Counts,
    /// The histogram.
    pub rows: Vec<Row>,
    /// Did the model stop at a bound, so that it may allow more?
    pub bounded: bool,
    /// As a line of results (docs/json.md).
    pub line: Value,
}

impl Measured {
    /// Was something seen that the model forbids? Not said where the model stopped at a bound.
    pub fn differs(&self) -> bool {
        !self.bounded && histogram::differs(&self.rows)
    }
}

/// Why there is nothing.
#[derive(Debug)]
pub enum Problem {
    /// The test, its kernel or the question to the model.
    Test(Diagnostic),
    /// The device; no other test can be run.
    Device(Failure),
}

/// Runs a test.
pub fn measure(
    device: &mut dyn Device,
    name: &str,
    read: &Read,
    request: &Request,
    judge: Option<&mut Judge>,
) -> Result<Measured, Problem> {
    let counts = device.run(&read.test, request).map_err(|failure| problem(failure, name, read))?;
    let mut bounded = false;
    let mut model = None;
    let allowed = match judge {
        Some(judge) => {
            let variables = &counts.observed.variables;
            let outcomes = allowed::outcomes(read, variables, &mut judge.runner, judge.timeout);
            let outcomes =
                outcomes.map_err(|error| Problem::Test(crate::run::diagnostic(&error, name, &read.file, &judge.model)))?;
            bounded = outcomes.bounded;
            model = Some(judge.model.name.clone());
            Some(outcomes.values)
        }
        None => None,
    };
    let rows = histogram::rows(&counts.histogram, allowed.as_ref(), &counts.observed);
    let mut measured = Measured { rows, bounded, line: Value::Null, counts };
    measured.line = line(name, read, &measured, device.description(), model, request);
    Ok(measured)
}

fn problem(failure: Failure, name: &str, read: &Read) -> Problem {
    Problem::Test(match failure {
        Failure::Machine(error) => sim::diagnostic(&error, name, read),
        Failure::Kernel(error) => super::diagnostic(&error, name, read),
        Failure::Refused(_) | Failure::Differs(_) | Failure::Uncompared(_) => Diagnostic::error(format!("`{name}`: {failure}")),
        failure => return Problem::Device(failure),
    })
}

/// What a line of results is the answer to: if a file has one with the same, the test need not be run again.
pub fn question(name: &str, device: &Description, model: Option<&str>, request: &Request) -> Value {
    json!({
        "file": name,
        "device": device.name,
        "simulated": device.simulated,
        "target": device.target,
        "driver": device.driver,
        "environment": device.environments.then(|| request.environment.to_string()),
        "seed": request.seed,
        "asked_instances": request.instances,
        "compiled": request.compiled.as_ref().map(|c| &c.hash),
        "model": model,
    })
}

/// One line of JSON (docs/json.md).
fn line(name: &str, read: &Read, measured: &Measured, device: &Description, model: Option<String>, request: &Request) -> Value {
    let Measured { counts, rows, bounded, .. } = measured;
    let mut line = question(name, device, model.as_deref(), request);
    let kernel = counts.kernel.as_ref();
    let more = json!({
        "schema": SCHEMA,
        "name": read.test.name,
        "clocks": device.clocks.map(|c| json!({ "core_khz": c.core_khz, "memory_khz": c.memory_khz })),
        "kernel": kernel.map(|k| &k.hash),
        "assembler": kernel.map(|k| &k.assembler),
        "level": kernel.map(|k| k.level),
        "compared": kernel.and_then(|k| k.compared),
        "narrowed": kernel.map(|k| &k.narrowed),
        "instances": counts.instances,
        "interrupted": counts.stopped,
        "launches": counts.launches,
        "stuck": counts.stuck,
        "uncounted": counts.uncounted,
        "seconds": counts.seconds,
        "bounded": bounded,
        "violation": measured.differs(),
        "outcomes": histogram::json(rows, &counts.observed),
    });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
        if measured.differs() {
            // All that is needed to see it again.
            line.insert("test".to_owned(), json!(read.file.text));
            line.insert("ptx".to_owned(), json!(kernel.map(|k| &k.ptx)));
            line.insert("sass".to_owned(), json!(kernel.and_then(|k| k.sass.as_ref())));
        }
    }
    line
}

/// The histogram for people.
pub fn print(name: &str, measured: &Measured, device: &Description, output: &Output) -> std::io::Result<()> {
    let counts = &measured.counts;
    let rate = counts.instances as f64 / counts.seconds.max(1e-9);
    let (instances, rate, seconds) = (number(counts.instances), number(rate as u64), counts.seconds);
    output.print(&output.heading(&format!(
        "{}{name}, {}: {instances} instances, {seconds:.3} s ({rate} a second)",
        device.mark(),
        device.name
    )))?;
    histogram::print(&measured.rows, &counts.observed, true, output)?;
    if counts.stopped {
        let asked = measured.line["asked_instances"].as_u64().unwrap_or_default();
        output.print(&output.unsure(&format!("Interrupted: {} instances were asked for.", number(asked))))?;
    }
    if let Some(kernel) = &counts.kernel {
        if kernel.compared.is_none() {
            output.print(&format!("The machine code ({}) was not compared with the test.", kernel.assembler))?;
        }
        for narrowed in &kernel.narrowed {
            output.print(&format!("The machine code waits where the test does not: {narrowed}"))?;
        }
    }
    if counts.stuck > 0 {
        output.print(&format!("{} instances had a thread that did not come to its end.", number(counts.stuck)))?;
    }
    if counts.uncounted > 0 {
        output.print(&format!("{} instances had values for which the table has no room.", number(counts.uncounted)))?;
    }
    output.print("")
}
