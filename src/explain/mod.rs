//! `margay explain`: why a model forbids the outcome of a test, or what would forbid it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use margay_litmus::engine::Runner;
use margay_litmus::explicit::{Error, Forbidden, Options, Verdict, Witness};
use margay_litmus::test::{Quantifier, Test};
use margay_models::diagnostic::{Place, SourceFile};
use margay_models::execution::Execution;
use margay_models::explain;
use margay_models::picture::{Picture, event_label, event_name, svg, text};
use serde_json::{Value, json};

use crate::Outcome;
use crate::arguments::{Engine, Format};
use crate::exit::Exit;
use crate::fence::{self, Subject};
use crate::limits;
use crate::output::{Output, SCHEMA};

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A litmus test in any form
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// A .cat file or model name
    #[arg(short, long, value_name = "MODEL")]
    pub model: String,
    /// How often each backward jump is taken
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub unroll: usize,
    /// Who answers
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Give up after this time, e.g. `30s`
    #[arg(long, value_name = "TIME", value_parser = crate::limits::parse_time)]
    pub timeout: Option<Duration>,
}

/// How many ways to forbid an outcome are shown.
const WAYS: usize = 3;

/// Runs the command.
pub fn run(options: &Explain, output: &Output) -> Outcome {
    let subject = match Subject::load(&options.test, &options.model, output) {
        Ok(subject) => subject,
        Err(errors) => return output.wrong(&errors),
    };
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let deadline = limits::Limits::start(options.timeout, None).deadline;
    let run = Options { bounds, deadline, stop: limits::stop(), ..Options::default() };
    let mut runner = Runner::new(&subject.model);
    let verdict = match runner.run(&subject.test, &run, options.engine.choice()) {
        Ok(verdict) => verdict,
        Err(error) => return failed(&subject, &error, output),
    };
    if let Some(witness) = &verdict.witness {
        let found = fence::what_would_forbid(&subject, &run, options.engine.choice(), deadline);
        return allowed(&subject, witness, &found, output);
    }
    match runner.forbidden(&subject.test, &run, options.engine.choice()) {
        Ok(forbidden) => not_allowed(&subject, &verdict, forbidden.as_ref(), options.unroll, output),
        Err(error) => failed(&subject, &error, output),
    }
}

fn failed(subject: &Subject, error: &Error, output: &Output) -> Outcome {
    let Subject { file, source, model, test } = subject;
    if !error.is_undecided() {
        return output.wrong(&[crate::run::diagnostic(error, file, source, model)]);
    }
    match output.format {
        Format::Json => output.json(&json!({
            "schema": SCHEMA, "file": file, "name": test.name, "model": model.name, "verdict": "undecided",
            "reason": limits::gave_up(error),
        }))?,
        _ => output.print(&format!("{}: {}", output.unsure("undecided"), limits::gave_up(error)))?,
    }
    Ok(Exit::Undecided)
}

/// What every answer has.
fn base(subject: &Subject, verdict: &str) -> serde_json::Map<String, Value> {
    let object = json!({
        "schema": SCHEMA, "file": subject.file, "name": subject.test.name, "model": subject.model.name, "verdict": verdict,
        "litmus": subject.test.to_string(),
    });
    object.as_object().cloned().unwrap_or_default()
}

fn events(x: &Execution) -> Vec<Value> {
    let all = (0..x.size()).map(margay_models::bits::Event::from);
    all.map(|e| json!({ "name": event_name(x, e), "event": event_label(x, e) })).collect()
}

fn allowed(
    subject: &Subject,
    witness: &Witness,
    found: &Result<margay_litmus::strengthen::Found, margay_litmus::strengthen::Stopped>,
    output: &Output,
) -> Outcome {
    let x = &witness.execution;
    let title = format!("{}: allowed by {}", subject.test.name, subject.model.name);
    let picture = Picture::of(&title, x, None);
    if output.format == Format::Json {
        let mut object = base(subject, "allowed");
        object.insert("events".to_owned(), events(x).into());
        object.insert("svg".to_owned(), svg(x, &picture).into());
        match found {
            Ok(found) => {
                object.insert("cost".to_owned(), (!found.repairs.is_empty()).then_some(found.cost).into());
                object.insert("repairs".to_owned(), fence::repairs(subject, found).into());
            }
            Err(stopped) => {
                object.insert("reason".to_owned(), limits::gave_up(&stopped.error).into());
            }
        }
        output.json(&object.into())?;
    } else {
        output.print(&format!("{}: {} under {}", output.bad("allowed"), asked(&subject.test), subject.model.name))?;
        output.print("")?;
        output.print(&output.heading(&format!("An execution that {}", subject.test.condition.quantifier.asks_for())))?;
        output.print(text(x, &picture, output.width(), output.colour()).trim_end())?;
        output.print("")?;
        output.print(&output.heading("What would forbid it"))?;
        match found {
            Ok(found) => {
                output.print(&fence::answer(subject, found, output))?;
                fence::print(subject, found, WAYS, output)?;
            }
            Err(stopped) => {
                let why = limits::gave_up(&stopped.error);
                output.print(&format!("Not found: {why}; nothing that costs less than {} does.", stopped.at_least))?
            }
        }
    }
    Ok(if found.is_err() { Exit::Undecided } else { Exit::Holds })
}

/// What is allowed or forbidden: the outcome that a test is about, or for a `forall` what violates it.
fn asked(test: &Test) -> String {
    match test.condition.quantifier {
        Quantifier::Exists | Quantifier::NotExists => test.name.clone(),
        Quantifier::Forall => format!("what violates the condition of {}", test.name),
    }
}

fn not_allowed(subject: &Subject, verdict: &Verdict, forbidden: Option<&Forbidden>, unroll: usize, output: &Output) -> Outcome {
    let Some(forbidden) = forbidden else {
        let bounded = verdict.bounded;
        let asked = subject.test.condition.quantifier.asks_for();
        let why = if bounded {
            format!("no execution with at most {unroll} backward jumps in each loop {asked}")
        } else {
            format!("no execution of the program {asked}, whatever the model says")
        };
        if output.format == Format::Json {
            let mut object = base(subject, if bounded { "undecided" } else { "impossible" });
            object.insert("reason".to_owned(), why.into());
            output.json(&object.into())?;
        } else {
            let word = if bounded { output.unsure("undecided") } else { output.good("impossible") };
            output.print(&format!("{word}: {why}"))?;
        }
        return Ok(if bounded { Exit::Undecided } else { Exit::Holds });
    };
    let x = &forbidden.witness.execution;
    let name = |e| event_name(x, e);
    let mut axioms = Vec::new();
    if output.format != Format::Json {
        let bounded = if verdict.bounded { format!(", for at most {unroll} backward jumps in each loop") } else { String::new() };
        let answer = output.good("forbidden");
        output.print(&format!("{answer}: {} under {}{bounded}", asked(&subject.test), subject.model.name))?;
    }
    for &check in &forbidden.checks {
        let check_of = &subject.model.checks[check];
        let axiom = check_of.display_name();
        let violation = explain::violation(&subject.model, x, check);
        let picture = Picture::of(&format!("{}: forbidden by {axiom}", subject.test.name), x, violation.as_ref());
        let words = violation.as_ref().map(|v| v.words(&name)).unwrap_or_default();
        let edges = violation.as_ref().map(explain::Violation::edges_with_places).unwrap_or_default();
        let missing = violation.as_ref().map(explain::Violation::missing).unwrap_or_default();
        let is_cycle = violation.as_ref().is_some_and(explain::Violation::is_cycle);
        if output.format == Format::Json {
            let edge = |(e, place): &(explain::Edge, Place)| {
                json!({
                    "from": name(e.from), "to": name(e.to), "relation": e.link.name(), "file": place.file.name, "line": place.line(),
                    "text": line_of(place),
                })
            };
            let mut object = json!({
                "axiom": axiom, "file": check_of.place.file.name, "line": check_of.place.line(), "text": line_of(&check_of.place),
                "summary": violation.as_ref().map(|v| v.summary(&name)), "explanation": words, "svg": svg(x, &picture),
            });
            crate::violation::insert(&mut object, violation.as_ref(), &name);
            object[if is_cycle { "cycle" } else { "there" }] = edges.iter().map(edge).collect::<Vec<_>>().into();
            axioms.push(object);
            continue;
        }
        output.print("")?;
        let Place { file, .. } = &check_of.place;
        output.print(&output.heading(&format!("Axiom {axiom} ({}, line {})", file.name, check_of.place.line())))?;
        output.print(&format!("  {}", line_of(&check_of.place)))?;
        output.print("")?;
        for line in &words {
            output.print(&format!("  {line}"))?;
        }
        if !edges.is_empty() {
            output.print("")?;
            let what = if is_cycle { "The cycle, edge by edge" } else { "What is there, edge by edge" };
            output.print(&output.heading(&format!("{what}, and the line that each comes from")))?;
            for (e, place) in &edges {
                let edge = format!("{} -{}-> {}", name(e.from), e.link.name(), name(e.to));
                let line = format!("  {edge:<22} line {:<4}", place.line());
                let text = line_of(place);
                // In a narrow window the line of the model stands below.
                let fits = line.chars().count() + 1 + text.chars().count() <= output.width();
                output.print(&if fits { format!("{line} {text}") } else { format!("{}\n    {text}", line.trim_end()) })?;
            }
        }
        for e in &missing {
            output.print(&format!("  missing: {} -{}-> {}", name(e.from), e.link.name(), name(e.to)))?;
        }
        output.print("")?;
        output.print(text(x, &picture, output.width(), output.colour()).trim_end())?;
    }
    if output.format == Format::Json {
        let mut object = base(subject, "forbidden");
        object.insert("bounded".to_owned(), verdict.bounded.into());
        object.insert("events".to_owned(), events(x).into());
        object.insert("axioms".to_owned(), axioms.into());
        output.json(&object.into())?;
    }
    Ok(if verdict.bounded { Exit::Undecided } else { Exit::Holds })
}

/// The line of the model at a place.
fn line_of(place: &Place) -> String {
    let SourceFile { text, .. } = &*place.file;
    text.lines().nth(place.line().saturating_sub(1)).unwrap_or_default().trim().to_owned()
}
