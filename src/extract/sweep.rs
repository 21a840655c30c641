//! `margay extract --all`: every compiler in a folder of unpacked ones.

use crate::Outcome;
use crate::output::Output;
use margay_models::diagnostic::Diagnostic;

use super::arguments::Extract;

/// Runs it.
pub fn run(options: &Extract, output: &Output) -> Outcome {
    let _ = options;
    output.wrong(&[Diagnostic::error("todo")])
}
