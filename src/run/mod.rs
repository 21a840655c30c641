//! `margay run`: is the outcome of a litmus test allowed, and what shows or forbids it?

mod show;

use std::sync::Arc;
use std::time::Instant;

use margay_litmus::clusters;
use margay_litmus::engine::Runner;
use margay_litmus::explicit::{Error, Options, Verdict};
use margay_litmus::test::Test;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Format, Run};
use crate::diagnostics;
use crate::exit::Exit;
use crate::inputs;
use crate::output::{Output, SCHEMA};
use crate::table::{number, table};

/// One test under one model.
struct Answer<'a> {
    file: &'a str,
    test: &'a Test,
    model: &'a Model,
    verdict: Verdict,
    milliseconds: f64,
}

/// Runs the command.
pub fn run(options: &Run, output: &Output) -> Outcome {
    let mut errors: Vec<Diagnostic> = Vec::new();
    let mut models: Vec<Model> = Vec::new();
    for name in &options.model {
        match inputs::model(name, output) {
            Ok(model) => models.push(model),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return output.wrong(&errors);
    }
    let files = match inputs::files(&options.tests) {
        Ok(files) => files,
        Err(error) => return output.wrong(&[error]),
    };
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let unlimited = Options { bounds, ..Options::default() };
    let mut runners: Vec<Runner> = models.iter().map(Runner::new).collect();
    let mut tests: Vec<(String, Arc<SourceFile>, Test)> = Vec::new();
    // In JSON, what is wrong with a file is a line of its own; for people it comes at the end, after the table.
    let wrong = |found: Vec<Diagnostic>, file: &str, errors: &mut Vec<Diagnostic>| {
        if output.format == Format::Json {
            output.print(&json!({ "schema": SCHEMA, "file": file, "errors": diagnostics::json(&found) }).to_string())?;
        }
        errors.extend(found);
        std::io::Result::Ok(())
    };
    for path in &files {
        let name = path.display().to_string();
        match inputs::test(path, output) {
            Ok(read) => tests.push((name, read.file, read.test)),
            Err(found) => wrong(found, &name, &mut errors)?,
        }
    }
    let mut answers = Vec::new();
    let mut undecided = false;
    for (file, source, test) in &tests {
        for (model, runner) in models.iter().zip(&mut runners) {
            if let Some(error) = clusters::mismatch(test, model, source) {
                wrong(vec![error], file, &mut errors)?;
                continue;
            }
            let start = Instant::now();
            let deadline = options.timeout.and_then(|t| start.checked_add(t));
            match runner.run(test, &Options { deadline, ..unlimited }, options.engine.choice()) {
                Ok(verdict) => {
                    undecided |= verdict.bounded;
                    let answer = Answer { file, test, model, verdict, milliseconds: start.elapsed().as_secs_f64() * 1e3 };
                    if output.format == Format::Json {
                        output.print(&line(&answer).to_string())?;
                    }
                    answers.push(answer);
                }
                Err(error @ (Error::Time | Error::Steps | Error::Disagreement { .. } | Error::Unconfirmed(_))) => {
                    undecided = true;
                    let why = match error {
                        Error::Time => "no answer in the time given".to_owned(),
                        other => other.to_string(),
                    };
                    if output.format == Format::Json {
                        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
                        output.print(&without_answer(file, test, model, &why, milliseconds).to_string())?;
                    }
                    output.warn(&[Diagnostic::warning(format!("`{file}` under `{}` is undecided: {why}", model.name))]);
                }
                Err(error) => wrong(vec![diagnostic(&error, file, source, model)], file, &mut errors)?,
            }
        }
    }
    if output.format == Format::Human && !answers.is_empty() {
        print(&answers, output)?;
        if let [only] = answers.as_slice() {
            show::explain(only, &mut runners[0], &unlimited, options.engine.choice(), output)?;
        }
    }
    if !errors.is_empty() {
        return if output.format == Format::Json { Ok(Exit::Wrong) } else { output.wrong(&errors) };
    }
    Ok(if undecided { Exit::Undecided } else { Exit::Holds })
}

/// Why a test could not be run.
pub fn diagnostic(error: &Error, file: &str, source: &Arc<SourceFile>, model: &Model) -> Diagnostic {
    match error {
        Error::Unfold(e) => {
            let diagnostic = Diagnostic::error(format!("`{file}` under `{}`: {}", model.name, e.message));
            match e.place {
                Some(span) => diagnostic.at(source, span, "here"),
                None => diagnostic,
            }
        }
        Error::Time | Error::Steps | Error::Disagreement { .. } | Error::Unconfirmed(_) => {
            Diagnostic::error(format!("`{file}` under `{}`: {error}", model.name))
        }
        Error::Signature { .. } => Diagnostic::error(format!("`{file}` cannot be run under `{}`: {error}", model.name))
            .help("PTX tests need a PTX model, C tests a C model; models of plain executions (sc, tso) take both"),
    }
}

/// One line of JSON.
fn line(answer: &Answer<'_>) -> serde_json::Value {
    let v = &answer.verdict;
    json!({
        "schema": SCHEMA,
        "file": answer.file,
        "name": answer.test.name,
        "model": answer.model.name,
        "quantifier": v.quantifier.keyword(),
        "holds": v.holds,
        "reachable": v.reachable,
        "bounded": v.bounded,
        "racy": v.racy,
        "engine": v.engine.to_string(),
        "executions": v.executions,
        "milliseconds": answer.milliseconds,
    })
}

/// The line of a test that was not answered.
fn without_answer(file: &str, test: &Test, model: &Model, reason: &str, milliseconds: f64) -> serde_json::Value {
    json!({
        "schema": SCHEMA,
        "file": file,
        "name": test.name,
        "model": model.name,
        "quantifier": test.condition.quantifier.keyword(),
        "holds": null,
        "reachable": null,
        "bounded": false,
        "racy": null,
        "engine": null,
        "executions": null,
        "reason": reason,
        "milliseconds": milliseconds,
    })
}

fn print(answers: &[Answer<'_>], output: &Output) -> std::io::Result<()> {
    let rows: Vec<Vec<String>> = answers
        .iter()
        .map(|a| {
            let v = &a.verdict;
            let outcome = match (v.reachable, v.bounded) {
                (true, _) => "allowed",
                (false, true) => "not found (bounded)",
                (false, false) => "forbidden",
            };
            vec![
                a.test.name.clone(),
                a.model.name.clone(),
                outcome.to_owned(),
                format!("{} {}", v.quantifier.keyword(), if v.holds { "holds" } else { "fails" }),
                v.racy.map_or("-", |r| if r { "racy" } else { "race-free" }).to_owned(),
                number(v.executions),
                format!("{:.2}", a.milliseconds),
            ]
        })
        .collect();
    let header = ["test", "model", "outcome", "condition", "races", "executions", "ms"];
    let kept = fitting(&header, &rows, output.width());
    let pick = |row: &[String]| row[..kept].to_vec();
    let right: Vec<usize> = (5..kept).collect();
    output.print(&table(&header[..kept], &rows.iter().map(|r| pick(r)).collect::<Vec<_>>(), &right, output.width()))
}

/// How many columns fit without breaking a word; the first three are there in any case, the last ones say least.
fn fitting(header: &[&str], rows: &[Vec<String>], width: usize) -> usize {
    let wide = |column: usize| {
        let cells = rows.iter().map(|r| r[column].as_str()).chain([header[column]]);
        cells.map(|c| c.chars().count()).max().unwrap_or(0) + 2
    };
    let mut kept = header.len();
    while kept > 3 && (0..kept).map(wide).sum::<usize>() > width {
        kept -= 1;
    }
    kept
}
