//! `margay check`: a mapping, and the smallest counterexample.

mod causes;
mod matrix;
mod one;

pub use matrix::{TARGETS, sources};

use margay_answers::check::{assumed, files, human, is_like, json, present};
use margay_console::exit::Exit;
use margay_console::folder;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_mappings::check::{Level, Verdict, check};
use margay_models::diagnostic::Diagnostic;

use crate::Outcome;
use crate::arguments::Check;
use crate::question::level;

/// Sees to it that files can be written where they are asked for.
fn folders(options: &Check) -> Result<(), Diagnostic> {
    [&options.out, &options.dump_cnf].into_iter().flatten().try_for_each(|path| folder::prepare(path))
}

/// `--all-mappings`.
fn all(options: &Check, output: &Output) -> Outcome {
    let mut levels: Vec<Level> = options.question.level.iter().map(|&l| level(l)).collect();
    levels.sort_unstable();
    levels.dedup();
    match folders(options).and_then(|()| options.question.statement.usual(&options.question.search)) {
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
    let loaded = match options.question.statement.load(name) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let whole = loaded.mapping;
    // A counterexample that uses an assumed row is no finding: the question is asked without these rows.
    let assumed = whole.assumed();
    let mapping = if assumed.is_empty() { whole.clone() } else { whole.known_only() };
    if let Err(error) = folders(options) {
        return output.wrong(&[error]);
    }
    let limits = options.question.search.limits();
    let mut asked = match options.question.options(&limits) {
        Ok(asked) => asked,
        Err(error) => return output.wrong(&[error]),
    };
    if let Some(file) = &options.test {
        return one::run(file, &mapping, &limits, output);
    }
    asked.all = options.all;
    asked.next = options.next;
    asked.keep_going = options.keep_going;
    asked.dump_cnf.clone_from(&options.dump_cnf);
    asked.certify.clone_from(&options.certify);
    if let Some(Err(error)) =
        options.certify.as_deref().map(|folder| margay_mappings::certificate::folder(folder, options.checkpoint.is_some()))
    {
        return output.wrong(&[error]);
    }
    if options.causes {
        return causes::run(options, &mapping, &assumed, &asked, output);
    }
    asked.checkpoint.clone_from(&options.checkpoint);
    asked.split = options.split.map(|n| n as usize);
    let cluster = match crate::cluster::attach(&options.cluster, &mut asked, &limits) {
        Ok(cluster) => cluster,
        Err(error) => return output.wrong(&[error]),
    };

    let bar = Bar::new(*output);
    let start = std::time::Instant::now();
    let result = check(&mapping, &asked, &bar);
    bar.finish();
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    let failure = cluster.as_ref().and_then(|cluster| cluster.failure());
    let reason = failure.or_else(|| limits.reason().map(|reason| reason.words().to_owned()));
    if let (Verdict::Undecided(why), Some(reason)) = (&mut report.verdict, reason) {
        *why = format!("{reason}; {why}");
        if let Some(folder) = &options.checkpoint {
            *why = format!("{why}; what was answered is kept in {}, and the same command goes on from there", folder.display());
        }
    }
    let assumed = assumed::Assumed::ask(&whole, assumed, &asked, &report);
    let presented: Vec<present::Presented> =
        report.counterexamples.iter().map(|c| present::Presented::new(&mapping, c)).collect();
    let context = present::Context {
        mapping: &mapping,
        asked_as: name,
        options: &asked,
        report: &report,
        seconds: start.elapsed().as_secs_f64(),
        assumed,
    };
    let exit = output.settle(match report.verdict {
        Verdict::None => Exit::Holds,
        Verdict::Counterexample => Exit::Found,
        Verdict::Undecided(_) => Exit::Undecided,
    });
    let printed = match output.format {
        Format::Human => human::print(&context, &presented, output),
        Format::Json => output.document(&json::document(&context, &presented)),
    };
    // First the answer, then what can fail.
    folder::fill(options.out.as_deref(), &is_like, *output, |folder| files::write(folder, &context, &presented));
    output.warn(&report.uncertified);
    if let Some(what) = &report.undumped {
        output.warn(&[Diagnostic::error(what.clone()).help("the answer stands; the formulas are not complete")]);
    }
    printed.map(|()| exit)
}
