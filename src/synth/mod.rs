//! `margay synth`: the minimal tests of a model.

mod files;

use margay_mappings::synthesis::{SynthesisOptions, SynthesisReport, synthesize};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Format, Switch, Synth};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::progress::Bar;
use crate::table::table;
use crate::wrapped::wrapped;

/// Runs the command.
pub fn run(options: &Synth, output: &Output) -> Outcome {
    let loaded = match library::load(&options.model, &[]) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    output.warn(&loaded.warnings);
    let model = loaded.model;
    let limits = options.search.limits();
    let mut asked = SynthesisOptions::new(options.bound);
    asked.axiom.clone_from(&options.axiom);
    asked.without.clone_from(&options.search.without);
    asked.only.clone_from(&options.search.only);
    asked.typed = options.typed == Switch::On;
    asked.deadline = limits.deadline;
    asked.stop = limits.stop.clone();
    asked.backend = options.search.solver.clone();
    asked.jobs = match options.search.jobs(asked.jobs) {
        Ok(jobs) => jobs,
        Err(error) => return output.wrong(&[error]),
    };
    let bar = Bar::new(*output);
    let start = std::time::Instant::now();
    let result = synthesize(&model, &asked, &bar);
    bar.finish();
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    let seconds = start.elapsed().as_secs_f64();
    if let (Some(why), Some(reason)) = (&mut report.undecided, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    if let Some(folder) = &options.out
        && let Err(error) = files::write(folder, &model.name, &report)
    {
        return output.wrong(&[Diagnostic::error(format!("cannot write into `{}`: {error}", folder.display()))]);
    }
    match output.format {
        Format::Human | Format::Junit => human(&model.name, options, &report, seconds, output)?,
        Format::Json => output.json(&object(&model.name, options, &report, seconds))?,
    }
    Ok(if report.undecided.is_some() { Exit::Undecided } else { Exit::Holds })
}

fn human(model: &str, options: &Synth, report: &SynthesisReport, seconds: f64, output: &Output) -> std::io::Result<()> {
    let of = options.axiom.as_ref().map_or(String::new(), |a| format!(" that violate {a}"));
    let tests = match report.tests.len() {
        1 => "1 minimal test".to_owned(),
        n => format!("{n} minimal tests"),
    };
    match &report.undecided {
        None => output.print(&format!("{}{of} up to {} events: {model}", output.good(&tests), options.bound))?,
        Some(why) => output.print(&wrapped(&format!("{}{of} found; {why}: {model}", output.unsure(&tests)), output.width()))?,
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
                    t.violated.join(", "),
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
    let written = match &options.out {
        Some(folder) => format!("The tests are in `{}`. ", folder.display()),
        None => "`--out DIR` writes them as litmus tests. ".to_owned(),
    };
    let by_bound: Vec<String> = report.rows.iter().map(|r| format!("{} of {} events", r.tests, r.events)).collect();
    output.print(&wrapped(
        &format!(
            "{written}A test is minimal if its outcome is forbidden, and allowed as soon as any one instruction is removed or weakened by a \
             step, or threads are moved apart (docs/diff.md). A read-modify-write is two events. {}. {seconds:.2} s.",
            by_bound.join(", ")
        ),
        output.width(),
    ))
}

fn object(model: &str, options: &Synth, report: &SynthesisReport, seconds: f64) -> serde_json::Value {
    let tests: Vec<serde_json::Value> = report
        .tests
        .iter()
        .map(|t| {
            json!({
                "name": t.test.name,
                "classic": t.name.classic,
                "identity": t.name.to_string(),
                "events": t.events,
                "threads": t.test.threads.len(),
                "violated": t.violated,
                "verdict": t.verdict.to_string(),
                "litmus": t.test.to_string(),
            })
        })
        .collect();
    let rows: Vec<serde_json::Value> = report
        .rows
        .iter()
        .map(|r| json!({ "events": r.events, "tests": r.tests, "open_shapes": r.open, "explained": r.explained }))
        .collect();
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "model": model,
        "axiom": options.axiom,
        "bound": options.bound,
        "complete": report.undecided.is_none(),
        "reason": report.undecided,
        "constructs": report.constructs,
        "scopes": report.scopes,
        "rows": rows,
        "tests": tests,
        "seconds": seconds,
    })
}
