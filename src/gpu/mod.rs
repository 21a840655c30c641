//! `margay gpu`: litmus tests as kernels.

pub mod arguments;
mod campaign;
mod check;
mod emit;
mod explain;
mod idioms;
pub mod measure;
mod places;
pub mod results;
mod run;
pub mod session;
mod summary;
mod table6;
mod tune;

use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_runner::emit::{Environment, Error, Fault};

use self::arguments::{Gpu, GpuCommand};
use crate::Outcome;
use crate::output::Output;

/// Runs the command.
pub fn run(options: &Gpu, output: &Output) -> Outcome {
    match &options.command {
        Some(GpuCommand::Emit(options)) => emit::run(options, output),
        Some(GpuCommand::Check(options)) => check::run(options, output),
        Some(GpuCommand::Run(options)) => run::run(options, output),
        Some(GpuCommand::Tune(options)) => tune::run(options, output),
        Some(GpuCommand::Table6(options)) => table6::run(options, output),
        Some(GpuCommand::Summary(options)) => summary::run(options, output),
        None => run::run(&options.run, output),
    }
}

/// The environment of `--environment`.
fn environment(text: &str) -> Result<Environment, Diagnostic> {
    Environment::parse(text).map_err(|why| Diagnostic::error(format!("--environment: {why}")))
}

/// Why there is no kernel for a test.
fn diagnostic(error: &Error, name: &str, read: &Read) -> Diagnostic {
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
