//! `margay run`: is the outcome of a litmus test allowed, and what shows or forbids it?

use margay_answers::run::{self, RunOptions};
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::{EngineArguments, RunArguments};

pub fn run(options: &RunArguments, output: &Output) -> CommandOutcome {
    let RunArguments {
        tests,
        model,
        axiom,
        without_axiom,
        engine,
        time,
        threads,
        races,
        certify,
        shown,
    } = options;
    let EngineArguments { unroll, engine } = engine;
    let asked = RunOptions {
        tests: tests.clone(),
        models: model.clone(),
        with: axiom.clone(),
        without: without_axiom.clone(),
        unroll: *unroll,
        engine: engine.choice(),
        timeout: time.timeout,
        jobs: threads.jobs,
        races: *races,
        certify: certify.clone(),
        executions: shown.choice(),
    };
    run::run(&asked, output)
}
