//! `margay check`: a mapping, and the smallest counterexample.

mod files;
mod human;
mod json;
mod present;

use margay_mappings::check::{CheckOptions, CoReading, Techniques, Verdict, check};
use margay_mappings::language::LoadOptions;
use margay_models::diagnostic::Diagnostic;

use crate::Outcome;
use crate::arguments::{Check, Co, Format, Switch};
use crate::exit::Exit;
use crate::limits::Limits;
use crate::output::Output;
use crate::progress::Bar;

/// Runs the command.
pub fn run(options: &Check, output: &Output) -> Outcome {
    let sources = LoadOptions { source: options.source.clone(), target: options.target.clone() };
    let loaded = match margay_mappings::library::find(&options.mapping, &sources) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let mapping = loaded.mapping;
    for folder in [&options.out, &options.dump_cnf].into_iter().flatten() {
        if let Err(error) = std::fs::create_dir_all(folder) {
            let error = Diagnostic::error(format!("cannot make the folder `{}`: {error}", folder.display()));
            return output.wrong(&[error]);
        }
    }
    let limits = Limits::start(options.timeout, options.memory);
    let mut asked = CheckOptions::new(options.bound);
    asked.axioms.clone_from(&options.axiom);
    asked.without.clone_from(&options.without);
    asked.only.clone_from(&options.only);
    asked.typed = options.typed == Switch::On;
    asked.jobs = options.jobs.unwrap_or(asked.jobs);
    asked.deadline = limits.deadline;
    asked.stop = limits.stop.clone();
    asked.all = options.all;
    asked.keep_going = options.keep_going;
    asked.backend = options.solver;
    asked.co = match options.co {
        Co::Universal => CoReading::Universal,
        Co::Exists => CoReading::Exists,
    };
    asked.techniques = Techniques::default();
    asked.dump_cnf.clone_from(&options.dump_cnf);
    if asked.jobs == 0 {
        return output.wrong(&[Diagnostic::error("0 jobs cannot do anything").help("give at least 1")]);
    }

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
