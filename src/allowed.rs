//! What a model allows a test to do, for comparison with what was seen.

use std::time::{Duration, Instant};

use margay_litmus::explicit::{Options, Outcomes, Runner};
use margay_litmus::read::Read;
use margay_litmus::test::Variable;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;

/// The outcomes that a model allows, as values of the variables.
pub fn outcomes(
    read: &Read,
    variables: &[Variable],
    model: &Model,
    runner: &mut Runner,
    timeout: Option<Duration>,
    file: &str,
) -> Result<Outcomes, Diagnostic> {
    let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
    runner
        .outcomes(&read.test, variables, &Options { deadline, ..Options::default() })
        .map_err(|error| crate::run::diagnostic(&error, file, &read.file, model))
}
