//! The minimal tests of a model.

mod files;

use std::path::Path;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::table;
use margay_console::wrapped::wrapped;
use margay_mappings::synthesis::{
    MinimalTest, SynthesisEffort, SynthesisOptions, SynthesisReport, synthesize,
};
use margay_models::model::Model;
use margay_reports::synth as document;

use crate::headline::{Headline, Tone, events};
use crate::restriction::Restriction;

/// Looks for the tests, and prints them; with a folder they are written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    model: &Model,
    asked: &SynthesisOptions,
    out: Option<&Path>,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    if let Some(Err(error)) = out.map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let start = std::time::Instant::now();
    let result = Bar::during(*output, asked.bound, |bar| synthesize(model, asked, bar));
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    let seconds = start.elapsed().as_secs_f64();
    if let (Some(why), Some(reason)) = (&mut report.undecided, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    let exit =
        output.settle(if report.undecided.is_some() { Exit::Undecided } else { Exit::Holds });
    let printed = match output.format {
        Format::Human => human(&model.name, asked, out.is_some(), &report, seconds, output),
        Format::Json => output.document(&document(&model.name, asked, &report, seconds)),
    };
    let is_like = |name: &str| name.ends_with(".litmus");
    let written =
        folder::fill(out, &is_like, *output, |folder| files::write(folder, &model.name, &report));
    if let (Some(folder), true, true) = (out, written, output.format != Format::Json) {
        output.print(&format!("The tests are in `{}`.", folder.display()))?;
    }
    printed.map(|()| exit)
}

/// The first line.
fn answer(model: &str, options: &SynthesisOptions, report: &SynthesisReport) -> Headline {
    let of = options.axiom.as_ref().map_or(String::new(), |a| format!(" that violate {a}"));
    let mut tests = match report.tests.len() {
        1 => "1 minimal test".to_owned(),
        n => format!("{n} minimal tests"),
    };
    // Of a program that races the model forbids nothing.
    match report.tests.iter().filter(|t| t.verdict.racy == Some(true)).count() {
        0 => {}
        racy => tests.push_str(&format!(" ({racy} of programs that race)")),
    }
    let restriction = Restriction::of_synthesis(options);
    match &report.undecided {
        None => Headline::new(
            Tone::Good,
            tests,
            &format!("{of} up to {}", events(options.bound)),
            &restriction,
            model,
        ),
        Some(_) => {
            let rest = format!("{of} found, and perhaps not all up to {}", events(options.bound));
            Headline::new(Tone::Unsure, tests, &rest, &restriction, model)
        }
    }
}

fn human(
    model: &str,
    options: &SynthesisOptions,
    is_written: bool,
    report: &SynthesisReport,
    seconds: f64,
    output: &Output,
) -> std::io::Result<()> {
    output.print(&wrapped(&answer(model, options, report).painted(*output), output.width()))?;
    if let Some(why) = &report.undecided {
        output.print(&wrapped(&format!("It ended early because: {why}."), output.width()))?;
    }
    if !report.tests.is_empty() {
        let rows: Vec<Vec<String>> = report
            .tests
            .iter()
            .map(|t| {
                vec![
                    t.test.name.clone(),
                    t.name.classic.unwrap_or_default().to_owned(),
                    t.events.to_string(),
                    t.test.threads.len().to_string(),
                    format!(
                        "{}{}",
                        t.violated.join(", "),
                        if t.verdict.racy == Some(true) { " (racy)" } else { "" }
                    ),
                    files::asked(&t.test),
                ]
            })
            .collect();
        output.print("")?;
        output.print(&table(
            &["test", "classic", "events", "threads", "forbidden by", "outcome"],
            &rows,
            &[2, 3],
            output.width(),
        ))?;
    }
    output.print("")?;
    let written = if is_written { "" } else { "`--out DIR` writes them as litmus tests. " };
    let by_bound: Vec<String> =
        report.rows.iter().map(|r| format!("{} of {}", r.tests, events(r.events))).collect();
    output.print(&wrapped(
        &format!(
            "{written}A test is minimal if its outcome is forbidden, and allowed as soon as any one instruction is removed or weakened by a \
             step, or threads are moved apart (docs/diff.md). A read-modify-write is two events. Tests by size: {}. {seconds:.2} s.",
            by_bound.join(", ")
        ),
        output.width(),
    ))
}

fn document(
    model: &str,
    options: &SynthesisOptions,
    report: &SynthesisReport,
    seconds: f64,
) -> document::Suite {
    let test = |t: &MinimalTest| document::MinimalTestRecord {
        name: t.test.name.clone(),
        classic: t.name.classic.map(str::to_owned),
        identity: t.name.to_string(),
        events: t.events,
        threads: t.test.threads.len(),
        violated: t.violated.clone(),
        expected: t.verdict.to_string(),
        litmus: t.test.to_string(),
    };
    let row = |r: &SynthesisEffort| document::SynthesisEffortRecord {
        events: r.events,
        tests: r.tests,
        open_shapes: r.open.clone(),
        explained: r.explained,
    };
    document::Suite {
        model: model.to_owned(),
        answer: answer(model, options, report).text(),
        axiom: options.axiom.clone(),
        bound: options.bound,
        complete: report.undecided.is_none(),
        reason: report.undecided.clone(),
        constructs: report.constructs.clone(),
        scopes: report.scopes.clone(),
        rows: report.rows.iter().map(row).collect(),
        tests: report.tests.iter().map(test).collect(),
        seconds,
    }
}
