//! What a model allows a test to do, for comparison with what was seen.

use std::time::{Duration, Instant};

use margay_litmus::explicit::{Error, ExplicitRunner, Options, Outcomes};
use margay_litmus::read::Read;
use margay_litmus::test::Variable;

use margay_console::limits;

/// The outcomes that a model allows, as values of the variables.
pub fn outcomes(
    read: &Read,
    variables: &[Variable],
    runner: &mut ExplicitRunner,
    timeout: Option<Duration>,
) -> Result<Outcomes, Error> {
    let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
    runner.outcomes(
        &read.test,
        variables,
        &Options { deadline, stop: limits::stop(), ..Options::default() },
    )
}
