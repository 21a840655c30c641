//! `margay gpu`: litmus tests as kernels.

mod check;
mod emit;
mod results;
mod run;

use std::path::Path;

use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_runner::emit::{Environment, Error, Fault};

use crate::Outcome;
use crate::arguments::{Gpu, GpuCommand};
use crate::output::Output;

/// Runs the command.
pub fn run(options: &Gpu, output: &Output) -> Outcome {
    match &options.command {
        GpuCommand::Emit(options) => emit::run(options, output),
        GpuCommand::Check(options) => check::run(options, output),
        GpuCommand::Run(options) => run::run(options, output),
    }
}

/// The environment of `--environment`.
fn environment(text: &str) -> Result<Environment, Diagnostic> {
    Environment::parse(text).map_err(|why| Diagnostic::error(format!("--environment: {why}")))
}

/// Why there is no kernel for a test.
fn diagnostic(error: &Error, path: &Path, read: &Read) -> Diagnostic {
    let name = path.display().to_string();
    let diagnostic = Diagnostic::error(format!("there is no kernel for `{name}`: {error}"));
    let diagnostic = match error.place {
        Some(span) => diagnostic.at(&read.file, span, "here"),
        None => diagnostic,
    };
    match error.fault {
        Fault::Test => diagnostic,
        Fault::Target => diagnostic.help("name another --target"),
        Fault::Environment => diagnostic.help("change --environment"),
    }
}
