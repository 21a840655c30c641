//! `margay gpu`: litmus tests as kernels.

pub mod arguments;
mod check;
mod emit;
mod run;
pub mod session;
mod summary;
mod table6;
mod tune;

use margay_console::output::Output;
use margay_models::diagnostic::Diagnostic;
use margay_runner::emit::Environment;

use self::arguments::{Gpu, GpuCommand};
use crate::Outcome;

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
