//! `margay check`: a mapping, and the smallest counterexample.

mod files;
mod human;
mod json;
mod matrix;
mod present;

use margay_mappings::check::{CheckOptions, CoReading, Level, Verdict, check};
use margay_mappings::language::LoadOptions;
use margay_models::diagnostic::Diagnostic;

use crate::Outcome;
use crate::arguments::{self, Check, Co, Format, Switch};
use crate::exit::Exit;
use crate::limits::Limits;
use crate::output::Output;
use crate::progress::Bar;

fn level(level: arguments::Level) -> Level {
    match level {
        arguments::Level::Execution => Level::Execution,
        arguments::Level::Program => Level::Program,
    }
}

/// The options that mean the same for one mapping and for all.
fn usual(options: &Check) -> Result<CheckOptions, Diagnostic> {
    let mut asked = CheckOptions::new(options.bound);
    asked.without.clone_from(&options.without);
    asked.only.clone_from(&options.only);
    asked.typed = options.typed == Switch::On;
    asked.jobs = options.jobs.unwrap_or(asked.jobs);
    asked.backend = options.solver;
    if asked.jobs == 0 {
        return Err(Diagnostic::error("0 jobs cannot do anything").help("give at least 1"));
    }
    Ok(asked)
}

/// Makes the folders that files go to.
fn folders(options: &Check) -> Result<(), Diagnostic> {
    for folder in [&options.out, &options.dump_cnf].into_iter().flatten() {
        std::fs::create_dir_all(folder)
            .map_err(|error| Diagnostic::error(format!("cannot make the folder `{}`: {error}", folder.display())))?;
    }
    Ok(())
}

/// `--all-mappings`.
fn all(options: &Check, output: &Output) -> Outcome {
    let levels = options.level.map_or(vec![Level::Execution, Level::Program], |l| vec![level(l)]);
    match folders(options).and_then(|()| usual(options)) {
        Ok(asked) => matrix::run(options, &levels, &asked, output),
        Err(error) => output.wrong(&[error]),
    }
}

/// Runs the command.
pub fn run(options: &Check, output: &Output) -> Outcome {
    if options.all_mappings {
        return all(options, output);
    }
    let name = options.mapping.as_deref().unwrap_or_default();
    let sources = LoadOptions { source: options.source.clone(), target: options.target.clone() };
    let loaded = match margay_mappings::library::find(name, &sources) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let mapping = loaded.mapping;
    if let Err(error) = folders(options) {
        return output.wrong(&[error]);
    }
    let limits = Limits::start(options.timeout, options.memory);
    let mut asked = match usual(options) {
        Ok(asked) => asked,
        Err(error) => return output.wrong(&[error]),
    };
    asked.axioms.clone_from(&options.axiom);
    asked.deadline = limits.deadline;
    asked.stop = limits.stop.clone();
    asked.all = options.all;
    asked.keep_going = options.keep_going;
    (asked.level, asked.guards) = (options.level.map_or(Level::Execution, level), options.guards);
    asked.co = match (options.co, asked.level) {
        (Some(Co::Universal), Level::Program) => {
            let error = Diagnostic::error("at program level an outcome counts that no modification order explains");
            return output.wrong(&[error.help("leave out `--co universal`, or ask with `--level execution`")]);
        }
        (Some(Co::Exists), _) | (None, Level::Program) => CoReading::Exists,
        (Some(Co::Universal) | None, Level::Execution) => CoReading::Universal,
    };
    if asked.level == Level::Execution && asked.guards.is_some() {
        let error = Diagnostic::error("`--guards` is about programs, and this question is about executions");
        return output.wrong(&[error.help("add `--level program`")]);
    }
    asked.dump_cnf.clone_from(&options.dump_cnf);

    let bar = Bar::new(output.format == Format::Human);
    let start = std::time::Instant::now();
    let result = check(&mapping, &asked, &bar);
    bar.finish();
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (Verdict::Undecided(why), Some(reason)) = (&mut report.verdict, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    let presented: Vec<present::Presented> =
        report.counterexamples.iter().map(|c| present::Presented::new(&mapping, c)).collect();
    let context =
        present::Context { mapping: &mapping, options: &asked, report: &report, seconds: start.elapsed().as_secs_f64() };
    if let Some(folder) = &options.out
        && let Err(error) = files::write(folder, &context, &presented)
    {
        return output.wrong(&[Diagnostic::error(format!("cannot write into `{}`: {error}", folder.display()))]);
    }
    match output.format {
        Format::Human | Format::Junit => human::print(&context, &presented, output)?,
        Format::Json => output.json(&json::object(&context, &presented))?,
    }
    Ok(match report.verdict {
        Verdict::None => Exit::Holds,
        Verdict::Counterexample => Exit::Found,
        Verdict::Undecided(_) => Exit::Undecided,
    })
}
