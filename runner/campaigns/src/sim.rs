//! Litmus tests on the operational machine, beside what a model says.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use margay_answers::histogram;
use margay_answers::refusal::by_machine;
use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs;
use margay_console::limits;
use margay_console::output::{Format, Output};
use margay_console::table::number;
use margay_litmus::explicit::ExplicitRunner;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_reports::sim as document;
use margay_runner::outcome::Histogram;
use margay_runner::sim::{self, ExplorationLimits, MachineModel, SimulatedMachine};

use crate::allowed;

/// The tests, the machine that runs them, and how often.
#[derive(Debug, Clone)]
pub struct SimulationOptions {
    /// Tests, or folders of them.
    pub tests: Vec<PathBuf>,
    pub machine: MachineModel,
    /// Is every state visited?
    pub exhaustive: bool,
    /// How many random runs.
    pub runs: u64,
    /// The seed of the schedules.
    pub seed: u64,
    /// The model to compare with.
    pub model: Option<String>,
    /// The time of a test.
    pub timeout: Option<Duration>,
}

/// What one test showed.
struct SimulationResult {
    histogram: Histogram,
    stuck: u64,
    /// Random runs; 0 for an exploration.
    runs: u64,
    states: Option<usize>,
    /// Was it stopped at a limit, or by Ctrl-C?
    bounded: bool,
    seconds: f64,
}

/// Runs the tests, and prints what each showed.
pub fn run(options: &SimulationOptions, output: &Output) -> CommandOutcome {
    let model = match options.model.as_deref().map(|name| inputs::model(name, output)).transpose() {
        Ok(model) => model,
        Err(errors) => return output.wrong(&errors),
    };
    let files = match inputs::files(&options.tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let limits = limits::RunLimits::start(None, None);
    let mut runner = model.as_ref().map(ExplicitRunner::new);
    let (mut errors, mut undecided, mut differs) = (Vec::new(), false, false);
    let mut tests = Vec::new();
    for path in &files {
        match inputs::test(path, output) {
            Ok(read) => tests.push(read),
            Err(found) => errors.extend(found),
        }
    }
    let names: inputs::TestNames = tests.iter().collect();
    for read in &tests {
        let name = &read.file.name;
        let (machine, shown) = match simulate(&read.test, options, &limits.stop) {
            Ok(shown) => shown,
            Err(error) => {
                errors.push(by_machine(&error, name, read));
                continue;
            }
        };
        undecided |= shown.bounded;
        let asked = model.as_ref().zip(runner.as_mut());
        let variables = &machine.observed().variables;
        let allowed = match asked
            .map(|(m, r)| (m, allowed::outcomes(read, variables, r, options.timeout)))
        {
            None => None,
            Some((_, Ok(outcomes))) => Some(outcomes),
            // What the machine showed is shown; what the model says of it is not known.
            Some((model, Err(error))) if error.is_undecided() => {
                undecided = true;
                let what = format!(
                    "what `{}` allows `{name}` to show is undecided: {}",
                    model.name,
                    limits::gave_up(&error)
                );
                output.warn(&[Diagnostic::warning(what)]);
                None
            }
            Some((model, Err(error))) => {
                errors.push(margay_answers::refusal::by_engine(&error, name, &read.file, model));
                continue;
            }
        };
        undecided |= allowed.as_ref().is_some_and(|a| a.bounded);
        let rows = histogram::rows(
            &shown.histogram,
            allowed.as_ref().map(|a| &a.values),
            machine.observed(),
        );
        differs |= histogram::differs(&rows);
        if differs {
            output.settle(Exit::Found);
        }
        if output.format == Format::Json {
            output.line(&line(
                name,
                &read.test,
                &machine,
                &shown,
                &rows,
                model.as_ref(),
                options,
            ))?;
        } else {
            output.prose(&output.heading(&headline(
                &names.of(&read.test.name, name),
                &shown,
                options,
            )))?;
            histogram::print(&rows, machine.observed(), !options.exhaustive, output)?;
            if shown.stuck > 0 {
                output.prose(&stuck(&shown, options))?;
            }
            output.print("")?;
        }
        if limits.reason().is_some() {
            undecided = true;
            break;
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

fn simulate(
    test: &Test,
    options: &SimulationOptions,
    stop: &Arc<AtomicBool>,
) -> Result<(SimulatedMachine, SimulationResult), sim::UnfoldError> {
    let machine = SimulatedMachine::new(test, options.machine)?;
    let start = Instant::now();
    let limits = ExplorationLimits {
        deadline: options.timeout.and_then(|t| start.checked_add(t)),
        stop: stop.clone(),
        ..ExplorationLimits::default()
    };
    let shown = if options.exhaustive {
        let explored = machine.explore(&limits)?;
        SimulationResult {
            histogram: explored.outcomes.into_iter().map(|o| (o, 1)).collect(),
            stuck: u64::from(explored.stuck),
            runs: 0,
            states: Some(explored.states),
            bounded: explored.bounded,
            seconds: 0.0,
        }
    } else {
        let runs = machine.run(options.runs, options.seed, || limits.ended())?;
        let bounded = runs.runs < options.runs;
        SimulationResult {
            histogram: runs.histogram,
            stuck: runs.stuck,
            runs: runs.runs,
            states: None,
            bounded,
            seconds: 0.0,
        }
    };
    Ok((machine, SimulationResult { seconds: start.elapsed().as_secs_f64(), ..shown }))
}

fn headline(name: &str, shown: &SimulationResult, options: &SimulationOptions) -> String {
    let machine = options.machine.name();
    let seconds = shown.seconds;
    match shown.states {
        Some(states) => {
            let part = if shown.bounded { ", stopped" } else { "" };
            format!(
                "simulated: {name}, {machine} machine: {} states{part}, {seconds:.3} s",
                number(states as u64)
            )
        }
        None => {
            let rate = shown.runs as f64 / seconds.max(1e-9);
            let (runs, rate) = (number(shown.runs), number(rate as u64));
            let part = if shown.bounded {
                format!(" of {}, stopped", number(options.runs))
            } else {
                String::new()
            };
            format!(
                "simulated: {name}, {machine} machine: {runs} runs{part}, seed {}, {seconds:.3} s ({rate} a second)",
                options.seed
            )
        }
    }
}

fn stuck(shown: &SimulationResult, options: &SimulationOptions) -> String {
    if options.exhaustive {
        "A thread can wait for ever: at a barrier that not all of its threads come to, or for a value.".to_owned()
    } else {
        format!(
            "{} runs did not end within {} steps; they are in no line.",
            number(shown.stuck),
            number(sim::STEPS as u64)
        )
    }
}

/// One line of JSON (docs/json.md).
fn line(
    file: &str,
    test: &Test,
    machine: &SimulatedMachine,
    shown: &SimulationResult,
    rows: &[histogram::HistogramRow],
    model: Option<&Model>,
    options: &SimulationOptions,
) -> document::SimulationDocument {
    let random = !options.exhaustive;
    document::SimulationDocument {
        file: file.to_owned(),
        name: test.name.clone(),
        machine: options.machine.name().to_owned(),
        exhaustive: options.exhaustive,
        runs: random.then_some(shown.runs),
        seed: random.then_some(options.seed),
        states: shown.states,
        bounded: shown.bounded,
        stuck: shown.stuck,
        model: model.map(|m| m.name.clone()),
        outcomes: histogram::report(rows, machine.observed()),
        milliseconds: shown.seconds * 1e3,
    }
}
