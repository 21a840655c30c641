//! `margay confirm`: check a mapping, and run its smallest counterexamples on a device.

use std::time::Instant;

use margay_answers::check::{Presented, is_like, stem, write_counterexample};
use margay_campaigns::confirm::{self, Confirmed};
use margay_campaigns::measure::{Judge, Problem, measure};
use margay_campaigns::results::Results;
use margay_console::exit::Exit;
use margay_console::folder;
use margay_console::limits::Reason;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_litmus::read;
use margay_mappings::check::{Verdict, check};
use margay_models::diagnostic::{Diagnostic, SourceFile};

use crate::Outcome;
use crate::arguments::Confirm;
use crate::gpu::session::{Session, absent};

/// Runs the command.
pub fn run(options: &Confirm, output: &Output) -> Outcome {
    let loaded = match options.question.statement.load(&options.mapping) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let mapping = loaded.mapping;
    let mut results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    // First: without a device there is nothing to wait for.
    let mut session = match Session::open(&options.on, options.instances, output) {
        Ok(session) => session,
        Err(closed) => return closed.end(output),
    };
    let limits = options.question.search.limits();
    let mut asked = match options.question.options(&limits) {
        Ok(asked) => asked,
        Err(error) => return output.wrong(&[error]),
    };
    asked.all = options.all;
    let bar = Bar::new(*output);
    let start = Instant::now();
    let checked = check(&mapping, &asked, &bar);
    bar.finish();
    let mut checked = match checked {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (Verdict::Undecided(why), Some(reason)) = (&mut checked.verdict, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    let seconds = start.elapsed().as_secs_f64();
    if limits.reason() != Some(Reason::Memory) {
        session.request.stop = limits.stop.clone();
    }
    let mut judge = Judge::new(mapping.target.clone(), None);
    let mut confirmed: Vec<Confirmed<'_>> = Vec::new();
    let (mut failed, mut unwritten) = (None, Vec::new());
    for (i, counterexample) in checked.counterexamples.iter().enumerate() {
        if limits.reason() == Some(Reason::Interrupted) {
            let of = checked.counterexamples.len();
            let message = format!("interrupted: {i} of {of} counterexamples were run, the last of them perhaps in part");
            output.warn(&[Diagnostic::warning(message)]);
            break;
        }
        let presented = Presented::new(&mapping, counterexample);
        let name = stem(i);
        if !counterexample.status.is_bug() && !options.racy {
            let why = Diagnostic::error(counterexample.status.words()).help("`--racy` runs it all the same");
            confirmed.push(Confirmed { presented, name, ran: Err(why), refused: true });
            continue;
        }
        let file = SourceFile::new(format!("{name}-target.litmus"), presented.target.as_str());
        let ran = match read::test(&file) {
            // What says why there is no test is no test.
            Err(mut errors) => Err(errors.remove(0)),
            Ok(read) => match measure(
                &mut **session.device,
                &format!("{name} of {}", mapping.title),
                &read,
                &session.request,
                Some(&mut judge),
            ) {
                Ok(measured) => Ok(measured),
                Err(Problem::Test(problem)) => Err(problem),
                Err(Problem::Device(failure)) => {
                    let problem = Diagnostic::error(failure.to_string());
                    failed = Some(failure);
                    Err(problem)
                }
            },
        };
        if let (Some(results), Ok(measured)) = (&mut results, &ran)
            && let Err(error) = results.measured(&measured.line)
        {
            unwritten.push(error);
        }
        confirmed.push(Confirmed { presented, name, ran, refused: false });
        if failed.is_some() || !unwritten.is_empty() {
            break;
        }
    }
    let report = confirm::Report {
        mapping: &mapping,
        checked: &checked,
        confirmed: &confirmed,
        device: session.device.description(),
        request: &session.request,
        seconds,
    };
    let refused = confirmed.iter().filter(|c| c.refused).count();
    let exit = output.settle(match (&failed, &checked.verdict) {
        // What was asked for was not done.
        (None, Verdict::Counterexample) if refused > 0 && refused == confirmed.len() => Exit::Wrong,
        (_, Verdict::None) => Exit::Holds,
        (_, Verdict::Counterexample) => Exit::Found,
        (_, Verdict::Undecided(_)) => Exit::Undecided,
    });
    let printed = match output.format {
        Format::Json => output.document(&report.document()),
        Format::Human => report.print(output),
    };
    folder::fill(options.out.as_deref(), &is_like, *output, |folder| {
        confirmed.iter().try_for_each(|c| write_counterexample(folder, &c.name, &mapping, &c.presented))?;
        report.write(folder)
    });
    output.warn(&unwritten);
    printed?;
    if exit == Exit::Wrong && output.format != Format::Json {
        let error = Diagnostic::error("nothing was run: no counterexample is a compiler bug");
        output.warn(&[error.help("leave out `--level execution` to look for compiler bugs; `--racy` runs these all the same")]);
    }
    match failed {
        Some(failure) => absent(&failure, output),
        None => Ok(exit),
    }
}
