//! The command line of Margay: options, and a folder or file for each subcommand.

mod app;
mod arguments;
mod case;
mod change;
mod check;
mod classify;
mod cluster;
mod confirm;
mod corpus;
mod diff;
mod examples;
mod explain;
mod extract;
mod fence;
mod r#gen;
mod gpu;
mod kernel;
mod manual;
mod prove;
mod question;
mod report;
mod run;
mod schema;
mod sim;
mod synth;
mod usage;
mod verify;

use std::process::ExitCode;

use arguments::Command;
use margay_answers::builtin;
use margay_console::exit::{self, CommandOutcome, Exit};
use margay_console::output::{FormatOption, Output};
use margay_console::{config, limits, terminal};
use margay_models::diagnostic::Diagnostic;
use tracing_subscriber::filter::Targets;

fn main() -> ExitCode {
    only_absolute_folders();
    let config::ParsedCommandLine { arguments, own, project, warnings, command } =
        match config::arguments(arguments::help::shown, |given: &arguments::Arguments| {
            given.command.missing()
        }) {
            Ok(arguments) => arguments,
            Err(config::CommandLineError::Usage(error)) => {
                return ExitCode::from(usage::print(&error) as u8);
            }
            Err(config::CommandLineError::File(errors, output)) => {
                return ExitCode::from(output.wrong(&errors).unwrap_or(Exit::Wrong) as u8);
            }
        };
    limits::watch_interrupts();
    let output = Output::new(arguments.format, arguments.color, arguments.verbose, command);
    output.warn(&warnings);
    output.took(own, project);
    #[cfg(unix)]
    outlive_file_limits();
    log();
    let misused = match (output.asked, &arguments.command) {
        (FormatOption::Junit, command) if !matches!(command, Command::Test(_)) => {
            Some("JUnit is the format of test reports: only `margay test` has one")
        }
        (FormatOption::Herd, command) if !matches!(command, Command::Run(_)) => {
            Some("herd7's format is a list of final states: only `margay run` has one")
        }
        (FormatOption::Sarif, command) if !matches!(command, Command::Kernel(_)) => {
            Some("SARIF is the format of findings in a source: only `margay kernel` has one")
        }
        _ => None,
    };
    if let Some(why) = misused {
        let exit = output.wrong(&[Diagnostic::error(why).help("use `--format json`")]);
        return ExitCode::from(exit.unwrap_or(Exit::Wrong) as u8);
    }
    let exit = match &arguments.command {
        Command::Check(options) => check::run(options, &output),
        Command::Prove(options) => prove::run(options, &output),
        Command::Verify(options) => verify::run(options, &output),
        Command::Case(options) => case::run(options, &output),
        Command::Confirm(options) => confirm::run(options, &output),
        Command::Weaken(options) => change::weaken(options, &output),
        Command::Repair(options) => change::repair(options, &output),
        Command::Diff(options) => diff::run(options, &output),
        Command::Synth(options) => synth::run(options, &output),
        Command::Run(options) => run::run(options, &output),
        Command::Test(options) => corpus::run(options, &output),
        Command::Sim(options) => sim::run(options, &output),
        Command::Gpu(options) => gpu::run(options, &output),
        Command::Classify(options) => classify::run(options, &output),
        Command::Explain(options) => explain::run(options, &output),
        Command::Extract(options) => extract::run(options, &output),
        Command::Fence(options) => fence::run(options, &output),
        Command::Report(options) => report::run(options, &output),
        Command::Kernel(options) => kernel::run(options, &output),
        Command::App(options) => app::run(options, &output),
        Command::Gen(options) => r#gen::run(options, &output),
        Command::Models(options) => builtin::models(options.asked(), &output),
        Command::Mappings(options) => builtin::mappings(options.asked(), &output),
        Command::Schema(options) => schema::run(options, &output),
        Command::Completions(options) => manual::completions(options, &output),
        Command::Man(options) => manual::pages(options, &output),
    };
    let exit =
        exit.unwrap_or_else(|error| output.failed(&error, arguments.command.is_a_question()));
    if exit == Exit::Wrong
        && let Some(hint) = usage::single_dash()
    {
        output.aside(&hint);
    }
    exit::leave(exit)
}

/// Nothing is started because it lies where the user works: what is started looks for programs in
/// the absolute folders of the PATH alone, and so does what that starts (docs/security.md).
fn only_absolute_folders() {
    let Some(path) = std::env::var_os("PATH") else { return };
    let folders: Vec<_> =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let kept = std::env::join_paths(&folders).ok().filter(|_| !folders.is_empty());
    // SAFETY: no other thread runs yet.
    unsafe {
        match kept {
            Some(path) => std::env::set_var("PATH", path),
            // An empty one would be the working directory, none is the system's.
            None => std::env::remove_var("PATH"),
        }
    }
}

/// A file that grows beyond `ulimit -f` is a write that fails, as on a full disk, and not the end
/// of the program.
#[cfg(unix)]
fn outlive_file_limits() {
    let reached = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    if let Err(error) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, reached) {
        tracing::warn!("a limit on the size of files would end the program: {error}");
    }
}

/// The log for whoever works on Margay itself, on standard error: errors only, unless the
/// environment says otherwise (`RUST_LOG=info`, `RUST_LOG=margay_mappings=debug`; CONTRIBUTING.md).
fn log() {
    use tracing_subscriber::prelude::*;
    let quiet = Targets::new().with_default(tracing::Level::ERROR);
    let asked = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty());
    let (targets, mistake) =
        match asked.map(|text| text.parse::<Targets>().map_err(|error| (text, error))) {
            None => (quiet, None),
            Some(Ok(targets)) => (targets, None),
            Some(Err(mistake)) => (quiet, Some(mistake)),
        };
    // Colours would need a feature that the log here does without; asking for them panics.
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| terminal::LogWriter)
        .with_ansi(false)
        .without_time();
    tracing_subscriber::registry().with(lines.with_filter(targets)).init();
    if let Some((text, error)) = mistake {
        tracing::error!(
            "RUST_LOG is `{text}`, which says nothing: {error}; expected is a level or `crate=level`, e.g. `info`"
        );
    }
}
