//! `margay sim`: litmus tests on the operational machine, beside what a model says.

use margay_campaigns::sim::{self, SimulationOptions};
use margay_console::output::Output;

use crate::CommandOutcome;
use crate::arguments::SimArguments;

pub fn run(options: &SimArguments, output: &Output) -> CommandOutcome {
    let SimArguments { tests, machine, exhaustive, runs, seed, model, time } = options;
    let asked = SimulationOptions {
        tests: tests.clone(),
        machine: machine.kind(),
        exhaustive: *exhaustive,
        runs: *runs,
        seed: *seed,
        model: model.clone(),
        timeout: time.timeout,
    };
    sim::run(&asked, output)
}
