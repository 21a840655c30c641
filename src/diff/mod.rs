//! `margay diff`: the smallest executions about which two models differ, or that there are none.

mod load;

use margay_answers::diff::proof::{self, Proof};
use margay_answers::diff::{Context, Presented, files, human, json};
use margay_answers::prove::beside;
use margay_console::exit::Exit;
use margay_console::folder;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::check::Level;
use margay_mappings::compare::{CompareOptions, Subjects, compare};

use crate::Outcome;
use crate::arguments::{Diff, Switch};
use load::Loading;

/// Runs the command.
pub fn run(options: &Diff, output: &Output) -> Outcome {
    let mut warnings = Vec::new();
    let loaded = match load::load(options, &mut warnings) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&warnings);
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let subjects = match &loaded {
        Loading::Models(models) => Subjects::Models(&models[0], &models[1]),
        Loading::Mapping(mapping) => Subjects::Mapping(mapping),
    };
    let limits = options.search.limits();
    let mut asked = CompareOptions::new(options.bound);
    asked.without.clone_from(&options.search.without);
    asked.only.clone_from(&options.search.only);
    asked.typed = options.typed == Switch::On;
    asked.most = options.all.unwrap_or(asked.most);
    asked.first = options.first;
    asked.level = if options.program { Level::Program } else { Level::Execution };
    asked.deadline = limits.deadline;
    asked.stop = limits.stop.clone();
    asked.backend = options.search.solver.clone();
    asked.jobs = match options.search.jobs(asked.jobs) {
        Ok(jobs) => jobs,
        Err(error) => return output.wrong(&[error]),
    };

    asked.certify.clone_from(&options.certify);
    if let Some(Err(error)) = options.certify.as_deref().map(|folder| margay_mappings::certificate::folder(folder, false)) {
        return output.wrong(&[error]);
    }

    if options.prove {
        options.search.solver.clone().register();
    }
    let settings = if options.prove { proof::settings(subjects) } else { Ok(Vec::new()) };
    let settings = match settings {
        Ok(settings) => settings,
        Err(errors) => return output.wrong(&errors),
    };
    let bar = Bar::new(*output);
    let start = std::time::Instant::now();
    let search = |stop| compare(subjects, &CompareOptions { stop, ..asked.clone() }, &bar);
    let (reports, result) =
        if options.prove { beside(&limits, &settings, search) } else { (Vec::new(), search(limits.stop.clone())) };
    bar.finish();
    let report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    let proofs: Vec<Proof> = reports.into_iter().enumerate().map(|(allows, report)| Proof { allows, report }).collect();
    let context = Context {
        subjects,
        options: &asked,
        report: &report,
        stopped: limits.reason().filter(|_| report.undecided().is_some()).map(|r| r.words()),
        seconds: start.elapsed().as_secs_f64(),
        proofs: &proofs,
    };
    let presented: Vec<Presented<'_>> = report
        .questions
        .iter()
        .enumerate()
        .flat_map(|(q, question)| question.differences.iter().map(move |d| (q, d)))
        .map(|(q, difference)| Presented::new(&context, q, difference))
        .collect();
    let exit = output.settle(if report.differ() {
        Exit::Found
    } else if context.is_proved() {
        Exit::Holds
    } else if report.undecided().is_some() || options.prove {
        Exit::Undecided
    } else {
        Exit::Holds
    });
    let printed = match output.format {
        Format::Human => human::print(&context, &presented, output),
        Format::Json => output.document(&json::document(&context, &presented)),
    };
    folder::fill(options.out.as_deref(), &files::is_like, *output, |folder| files::write(folder, &context, &presented));
    output.warn(&report.uncertified);
    printed.map(|()| exit)
}
