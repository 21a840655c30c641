//! `margay gpu run`: histograms of tests on a device, beside what a model says.

use margay_litmus::explicit::Runner;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_runner::device::{Counts, Cuda, Description, Device, Failure, Request, Sim};
use serde_json::json;

use super::results::Results;
use super::{diagnostic, environment};
use crate::arguments::{Format, GpuRun, RunDevice};
use crate::exit::Exit;
use crate::histogram::{self, Row};
use crate::inputs;
use crate::output::{Output, SCHEMA};
use crate::table::number;
use crate::{Outcome, allowed, sim};

/// Runs the command.
pub fn run(options: &GpuRun, output: &Output) -> Outcome {
    let environment = match environment(&options.environment) {
        Ok(environment) => environment,
        Err(error) => return output.wrong(&[error]),
    };
    let model = match options.model.as_deref().map(|name| inputs::model(name, output)).transpose() {
        Ok(model) => model,
        Err(errors) => return output.wrong(&errors),
    };
    let files = match inputs::files(&options.tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let mut results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
    let mut device: Box<dyn Device> = match options.device {
        RunDevice::Sim => Box::new(Sim::new(options.machine.kind())),
        RunDevice::Cuda => match Cuda::open() {
            Ok(device) => Box::new(device),
            Err(failure) => return absent(&failure, output),
        },
    };
    let request = Request { instances: options.instances, seed: options.seed, environment };
    let mut runner = model.as_ref().map(Runner::new);
    let (mut errors, mut differs, mut undecided) = (Vec::new(), false, false);
    for path in &files {
        let name = path.display().to_string();
        let read = match inputs::test(path, output) {
            Ok(read) => read,
            Err(found) => {
                errors.extend(found);
                continue;
            }
        };
        let counts = match device.run(&read.test, &request) {
            Ok(counts) => counts,
            Err(Failure::Machine(error)) => {
                errors.push(sim::diagnostic(&error, &name, &read));
                continue;
            }
            Err(Failure::Kernel(error)) => {
                errors.push(diagnostic(&error, path, &read));
                continue;
            }
            Err(failure @ Failure::Refused(_)) => {
                errors.push(Diagnostic::error(format!("`{name}`: {failure}")));
                continue;
            }
            // What was measured is printed and in the file.
            Err(failure @ (Failure::Absent(_) | Failure::Lost(_))) => return absent(&failure, output),
        };
        let variables = &counts.observed.variables;
        let allowed = match model.as_ref().zip(runner.as_mut()) {
            Some((model, runner)) => match allowed::outcomes(&read, variables, model, runner, options.timeout, &name) {
                Ok(outcomes) => {
                    undecided |= outcomes.bounded;
                    Some(outcomes.values)
                }
                Err(error) => {
                    errors.push(error);
                    None
                }
            },
            None => None,
        };
        let rows = histogram::rows(&counts.histogram, allowed.as_ref(), &counts.observed);
        differs |= histogram::differs(&rows);
        let line = line(&name, &read.test, &counts, &rows, device.description(), model.as_ref(), &request);
        if let Some(results) = &mut results
            && let Err(error) = results.add(&line)
        {
            return output.wrong(&[error]);
        }
        if output.format == Format::Json {
            output.print(&line.to_string())?;
        } else {
            print(&read.test, &counts, &rows, device.description(), output)?;
        }
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    Ok(match (differs, undecided) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    })
}

/// One sentence: there is no device, or it is gone.
fn absent(failure: &Failure, output: &Output) -> Outcome {
    output.wrong(&[Diagnostic::error(failure.to_string()).help("--device sim runs tests on the CPU")])?;
    Ok(Exit::Undecided)
}

fn print(test: &Test, counts: &Counts, rows: &[Row], device: &Description, output: &Output) -> std::io::Result<()> {
    let rate = counts.instances as f64 / counts.seconds.max(1e-9);
    let (instances, rate, seconds) = (number(counts.instances), number(rate as u64), counts.seconds);
    output.print(
        &output.heading(&format!("{}, {}: {instances} instances, {seconds:.3} s ({rate} a second)", test.name, device.name)),
    )?;
    histogram::print(rows, &counts.observed, true, output)?;
    if counts.stuck > 0 {
        output.print(&format!("{} instances had a thread that did not come to its end.", number(counts.stuck)))?;
    }
    if counts.uncounted > 0 {
        output.print(&format!("{} instances had values for which the table has no room.", number(counts.uncounted)))?;
    }
    output.print("")
}

/// One line of JSON (docs/json.md).
fn line(
    file: &str,
    test: &Test,
    counts: &Counts,
    rows: &[Row],
    device: &Description,
    model: Option<&Model>,
    request: &Request,
) -> serde_json::Value {
    let on_gpu = device.target.is_some();
    json!({
        "schema": SCHEMA,
        "file": file,
        "name": test.name,
        "device": device.name,
        "target": device.target,
        "driver": device.driver,
        "environment": on_gpu.then(|| request.environment.to_string()),
        "kernel": counts.kernel,
        "seed": request.seed,
        "instances": counts.instances,
        "launches": counts.launches,
        "stuck": counts.stuck,
        "uncounted": counts.uncounted,
        "seconds": counts.seconds,
        "model": model.map(|m| m.name.clone()),
        "outcomes": histogram::json(rows, &counts.observed),
    })
}
