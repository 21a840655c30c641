//! The cheapest strengthenings of a program that forbid an outcome: the answer of `margay fence`, and a part of that of `margay explain`.

mod ask;
mod changes;

pub use ask::{Options, run};

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use margay_console::exit::Exit;
use margay_console::output::{Format, Output};
use margay_console::{inputs, limits};
use margay_litmus::clusters;
use margay_litmus::engine::Choice;
use margay_litmus::explicit;
use margay_litmus::strengthen::{Costs, Found, Limits, Means, Repair, Stopped, cheapest};
use margay_litmus::test::Test;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use margay_reports::{Verdict, fence as document};

use crate::refusal::by_engine;

/// A test and a model that can be asked about it.
pub struct Subject {
    /// The file as named.
    pub file: String,
    /// Its text.
    pub source: Arc<SourceFile>,
    /// The test.
    pub test: Test,
    /// The model.
    pub model: Model,
}

impl Subject {
    /// Reads both.
    pub fn load(test: &Path, model: &str, output: &Output) -> Result<Self, Vec<Diagnostic>> {
        let (model, read) = match (inputs::model(model, output), inputs::test(test, output)) {
            (Ok(model), Ok(read)) => (model, read),
            (model, read) => return Err(model.err().into_iter().chain(read.err()).flatten().collect()),
        };
        if let Some(error) = clusters::mismatch(&read.test, &model, &read.file) {
            return Err(vec![error]);
        }
        Ok(Self { file: test.display().to_string(), source: read.file, test: read.test, model })
    }
}

/// No answer: why, and what is known.
fn stop(subject: &Subject, stopped: &Stopped, seconds: f64, output: &Output) -> std::io::Result<Exit> {
    let Subject { file, source, model, test } = subject;
    if !stopped.error.is_undecided() {
        return output.wrong(&[by_engine(&stopped.error, file, source, model)]);
    }
    match output.format {
        Format::Json => output.document(&document::Undecided {
            file: file.clone(),
            name: test.name.clone(),
            model: model.name.clone(),
            verdict: Verdict::Undecided,
            reason: limits::gave_up(&stopped.error),
            cost_at_least: stopped.at_least,
            seconds,
        })?,
        _ => output.print(&format!(
            "{}: {}; nothing that costs less than {} forbids the outcome",
            output.unsure("undecided"),
            limits::gave_up(&stopped.error),
            stopped.at_least
        ))?,
    }
    Ok(Exit::Undecided)
}

/// The answer in a line.
pub fn answer(subject: &Subject, found: &Found, output: &Output) -> String {
    let of = format!("{} under {}", subject.test.name, subject.model.name);
    let bounded = if found.bounded { ", for as many turns of loops as --unroll says" } else { "" };
    if found.already {
        return format!("{}: {of} is forbidden as it is{bounded}", output.good("nothing to do"));
    }
    match found.repairs.len() {
        0 => format!("{}: however strong the program, {of} is allowed", output.bad("no way")),
        1 => format!("{} to forbid {of}, at a cost of {}{bounded}", output.good("one cheapest way"), found.cost),
        n => {
            let ways = format!("{n}{} cheapest ways", if found.truncated { " or more" } else { "" });
            format!("{} to forbid {of}, each at a cost of {}{bounded}", output.good(&ways), found.cost)
        }
    }
}

/// The repairs: the threads that change, with `+` at what is added and `-` at what is taken away.
pub fn print(subject: &Subject, found: &Found, most: usize, output: &Output) -> std::io::Result<()> {
    for (i, repair) in found.repairs.iter().take(most).enumerate() {
        output.print("")?;
        if found.repairs.len() > 1 {
            output.print(&output.heading(&format!("{}.", i + 1)))?;
        }
        for line in changes::shown(&subject.test, &repair.test) {
            let text = format!("  {}", line.text);
            output.print(&match line.mark {
                '+' => output.good(&text),
                '-' => output.bad(&text),
                _ => text,
            })?;
        }
    }
    if found.repairs.len() > most {
        output.prose(&format!("\n{} more ways: `margay fence`", found.repairs.len() - most))?;
    }
    Ok(())
}

/// The repairs as a part of a document.
pub fn repairs(subject: &Subject, found: &Found) -> Vec<document::Repair> {
    let change = |c: &changes::Change| document::Change {
        thread: c.thread.to_string(),
        line: c.line + 1,
        before: c.before.clone(),
        after: c.after.clone(),
    };
    let repair = |r: &Repair| document::Repair {
        changes: changes::of(&subject.test, &r.test).iter().map(change).collect(),
        litmus: r.test.to_string(),
    };
    found.repairs.iter().map(repair).collect()
}

/// The answer as a document.
fn document(subject: &Subject, found: &Found, seconds: f64) -> document::Found {
    let verdict = match (found.already, found.repairs.is_empty()) {
        (true, _) => Verdict::Forbidden,
        (false, true) => Verdict::Irreparable,
        (false, false) => Verdict::Repairable,
    };
    document::Found {
        file: subject.file.clone(),
        name: subject.test.name.clone(),
        model: subject.model.name.clone(),
        verdict,
        cost: (verdict == Verdict::Repairable).then_some(found.cost),
        repairs: repairs(subject, found),
        truncated: found.truncated,
        bounded: found.bounded,
        asked: found.asked,
        litmus: subject.test.to_string(),
        seconds,
    }
}

/// What would forbid an allowed outcome, by the built-in costs.
pub fn what_would_forbid(
    subject: &Subject,
    run: &explicit::Options,
    engine: Choice,
    deadline: Option<Instant>,
) -> Result<Found, Stopped> {
    let limits = Limits { deadline, repairs: Some(1000) };
    cheapest(&subject.test, &subject.model, &Costs::default(), Means::ALL, run, engine, limits)
}
