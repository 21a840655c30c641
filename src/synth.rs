//! `margay synth`: the minimal tests of a model.

use margay_answers::synth;
use margay_console::output::Output;
use margay_mappings::synthesis::SynthesisOptions;
use margay_models::library;

use crate::Outcome;
use crate::arguments::{Switch, Synth};

/// Runs the command.
pub fn run(options: &Synth, output: &Output) -> Outcome {
    let loaded = match library::load(&options.model, &[]) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let limits = options.search.limits();
    let mut asked = SynthesisOptions::new(options.bound);
    asked.axiom.clone_from(&options.axiom);
    asked.without.clone_from(&options.search.without);
    asked.only.clone_from(&options.search.only);
    asked.typed = options.typed == Switch::On;
    asked.deadline = limits.deadline;
    asked.stop = limits.stop.clone();
    asked.backend = options.search.solver.clone();
    asked.jobs = match options.search.jobs(asked.jobs) {
        Ok(jobs) => jobs,
        Err(error) => return output.wrong(&[error]),
    };
    synth::run(&loaded.model, &asked, options.out.as_deref(), &limits, output)
}
