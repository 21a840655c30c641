//! `margay explain`: why a model forbids the outcome of a test, or what would forbid it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use margay_answers::explain::{allowed, failed, not_allowed};
use margay_answers::fence::{Subject, what_would_forbid};
use margay_console::limits;
use margay_console::output::Output;
use margay_litmus::engine::Runner;
use margay_litmus::explicit::Options;

use crate::Outcome;
use crate::arguments::Engine;

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A litmus test in any form
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// A .cat file or model name
    #[arg(short, long, value_name = "MODEL")]
    pub model: String,
    /// How often each backward jump is taken
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub unroll: usize,
    /// Who answers
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Give up after this time, e.g. `30s`
    #[arg(long, value_name = "TIME", value_parser = margay_console::limits::parse_time)]
    pub timeout: Option<Duration>,
}

/// Runs the command.
pub fn run(options: &Explain, output: &Output) -> Outcome {
    let subject = match Subject::load(&options.test, &options.model, output) {
        Ok(subject) => subject,
        Err(errors) => return output.wrong(&errors),
    };
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let deadline = limits::Limits::start(options.timeout, None).deadline;
    let run = Options { bounds, deadline, stop: limits::stop(), ..Options::default() };
    let mut runner = Runner::new(&subject.model);
    let verdict = match runner.run(&subject.test, &run, options.engine.choice()) {
        Ok(verdict) => verdict,
        Err(error) => return failed(&subject, &error, output),
    };
    if let Some(witness) = &verdict.witness {
        let found = what_would_forbid(&subject, &run, options.engine.choice(), deadline);
        return allowed(&subject, witness, &found, output);
    }
    match runner.forbidden(&subject.test, &run, options.engine.choice()) {
        Ok(forbidden) => not_allowed(&subject, &verdict, forbidden.as_ref(), options.unroll, output),
        Err(error) => failed(&subject, &error, output),
    }
}
