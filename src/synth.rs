//! `margay synth`: the minimal tests of a model.

use margay_answers::synth;
use margay_console::output::Output;
use margay_models::library;

use crate::CommandOutcome;
use crate::arguments::{Switch, SynthArguments};

pub fn run(options: &SynthArguments, output: &Output) -> CommandOutcome {
    let loaded = match library::load(&options.model, &[]) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let limits = options.search.limits();
    let mut asked = match options.search.synthesis(options.bound, &limits) {
        Ok(asked) => asked,
        Err(error) => return output.wrong(&[error]),
    };
    asked.axiom.clone_from(&options.axiom);
    asked.typed = options.typed == Switch::On;
    synth::run(&loaded.model, &asked, options.out.as_deref(), &limits, output)
}
