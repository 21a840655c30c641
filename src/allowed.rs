//! What a model allows a test to do, for comparison with what was seen.

use std::time::{Duration, Instant};

use margay_litmus::explicit::{Options, Outcomes, Runner};
use margay_litmus::test::{Test, Variable};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;

/// The outcomes that a model allows, as values of the variables.
pub fn outcomes(
    test: &Test,
    variables: &[Variable],
    model: &Model,
    runner: &mut Runner,
    timeout: Option<Duration>,
    file: &str,
) -> Result<Outcomes, Diagnostic> {
    let deadline = timeout.and_then(|t| Instant::now().checked_add(t));
    runner.outcomes(test, variables, &Options { deadline, ..Options::default() }).map_err(|error| {
        let source = SourceFile::new(file, std::fs::read_to_string(file).unwrap_or_default());
        crate::run::diagnostic(&error, file, &source, model)
    })
}
