//! Why an outcome is allowed or forbidden, from the question to what is printed.

use std::path::Path;
use std::time::Duration;

use margay_console::exit::CommandOutcome;
use margay_console::limits;
use margay_console::output::Output;
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit;
use margay_litmus::unfold::UnfoldingBounds;

use super::{ExplainedExecutions, allowed, failed, not_allowed, without_end};
use crate::executions::ExecutionChoice;
use crate::fence::{FenceSubject, what_would_forbid};

/// What is asked.
#[derive(Debug, Clone)]
pub struct ExplainOptions {
    /// How often each loop is gone round.
    pub unroll: usize,
    /// Who answers.
    pub engine: Choice,
    /// Is the test asked for races, where the model leaves racy programs their meaning?
    pub races: bool,
    /// The time given.
    pub timeout: Option<Duration>,
    /// The executions that are shown.
    pub executions: ExecutionChoice,
}

/// Reads a test and a model, and prints why its outcome is forbidden, or what would forbid it.
///
/// # Errors
/// The output cannot be written.
pub fn run(test: &Path, model: &str, options: &ExplainOptions, output: &Output) -> CommandOutcome {
    if let Err(error) = options.executions.check(1) {
        return output.wrong(&[error]);
    }
    let subject = match FenceSubject::load(test, model, options.races, output) {
        Ok(subject) => subject,
        Err(errors) => return output.wrong(&errors),
    };
    let bounds = UnfoldingBounds { unroll: options.unroll, ..Default::default() };
    let deadline = limits::RunLimits::start(options.timeout, None).deadline;
    let run = explicit::Options {
        bounds,
        deadline,
        stop: limits::stop(),
        ..explicit::Options::default()
    };
    let mut runner = Runner::new(&subject.model);
    let verdict = match runner.run(&subject.test, &run, options.engine) {
        Ok(verdict) => verdict,
        Err(error) => return failed(&subject, &error, output),
    };
    let lists = options.executions.lists();
    let listed = lists.then(|| {
        options.executions.list(&subject.test, &subject.model, verdict.witness.is_some(), &run)
    });
    let listed = match listed.transpose() {
        Ok(listed) => listed,
        Err(error) => return failed(&subject, &error, output),
    };
    if let Some(missing) = listed.as_ref().and_then(|listed| listed.missing(&options.executions)) {
        return output.wrong(&[missing]);
    }
    let shown = ExplainedExecutions { choice: &options.executions, listed: listed.as_ref() };
    if let Some(witness) = &verdict.witness {
        let found = what_would_forbid(&subject, &run, options.engine, deadline);
        return allowed(&subject, (&verdict, witness), &found, (options.unroll, &shown), output);
    }
    if let Some(gap) = verdict.gap.as_ref().filter(|gap| gap.is_beyond(verdict.bounded)) {
        let unroll = verdict.bounded.then_some(options.unroll);
        let why = gap.sentences(&subject.source, verdict.quantifier, unroll);
        options.executions.tell_nothing(output);
        return without_end(&subject, &verdict, &why, options.unroll, output);
    }
    match runner.forbidden(&subject.test, &run, options.engine) {
        Ok(forbidden) => {
            not_allowed(&subject, &verdict, forbidden.as_ref(), (options.unroll, &shown), output)
        }
        Err(error) => failed(&subject, &error, output),
    }
}
