//! `margay run`: is the outcome of a litmus test allowed, and what shows or forbids it?

mod ask;
mod axioms;
mod certify;
pub mod rows;
mod show;

use std::sync::Arc;

use margay_litmus::corpus::Expected;
use margay_litmus::explicit::{Error, Options, Verdict};
use margay_litmus::read::Read;
use margay_litmus::test::Test;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Format, Run};
use crate::diagnostics;
use crate::exit::Exit;
use crate::inputs;
use crate::limits::Limits;
use crate::output::{Output, SCHEMA};
use crate::progress::Steps;
use crate::question::jobs;
use crate::table::number;
use crate::wrapped::wrapped;
use ask::{Answered, Asked, Failure, Question, Runners};
use axioms::{Chosen, Dependence};

/// One test under one model.
struct Answer<'a> {
    file: &'a str,
    test: &'a Test,
    model: &'a Chosen,
    verdict: Verdict,
    dependences: Vec<Dependence>,
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
    let models = match axioms::choose(models, &options.axiom, &options.without_axiom) {
        Ok(models) => models,
        Err(errors) => return output.wrong(&errors),
    };
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let begun = inputs::files(&options.tests).and_then(|files| Ok((files, jobs(options.jobs, usual)?)));
    let (files, jobs) = match begun.and_then(|begun| certify::begin(options).map(|()| begun)) {
        Ok(begun) => begun,
        Err(error) => return output.wrong(&[error]),
    };
    let mut tests: Vec<Read> = Vec::new();
    // In JSON, what is wrong with a file is a line of its own; for people it comes at the end, after the table.
    let wrong = |found: Vec<Diagnostic>, file: &str, errors: &mut Vec<Diagnostic>| {
        if output.format == Format::Json {
            output.print(&json!({ "schema": SCHEMA, "file": file, "errors": diagnostics::json(&found) }).to_string())?;
        }
        errors.extend(found);
        std::io::Result::Ok(())
    };
    for path in &files {
        match inputs::test(path, output) {
            Ok(read) => tests.push(read),
            Err(found) => wrong(found, &path.display().to_string(), &mut errors)?,
        }
    }
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let question = Question {
        options,
        unlimited: Options { bounds, ..Options::default() },
        choice: options.engine.choice(),
        models: &models,
        tests: &tests,
        limits: options.certify.is_some().then(|| Limits::start(None, None)),
    };
    let mut runners = Runners::new(&models);
    let (mut answers, mut claims, mut unwritten) = (Vec::new(), Vec::new(), Vec::new());
    let mut undecided = false;
    let bar = Steps::new(output.format == Format::Human, tests.len() * models.len(), "answers");
    question.ask(jobs, &runners, |asked: Asked| {
        let Read { test, file: source, .. } = &tests[asked.test];
        let (file, model, milliseconds) = (source.name.as_str(), &models[asked.model], asked.milliseconds);
        bar.step(&test.name);
        unwritten.extend(asked.unwritten.map(|why| (test.name.clone(), why)));
        match asked.result {
            Ok(Answered { verdict, claim, dependences }) => {
                undecided |= verdict.bounded;
                claims.extend(claim);
                let answer = Answer { file, test, model, verdict, dependences, milliseconds };
                if output.format == Format::Json {
                    output.print(&line(&answer).to_string())?;
                }
                answers.push(answer);
            }
            Err(Failure::Mismatch(error)) => wrong(vec![error], file, &mut errors)?,
            Err(Failure::Engine(error)) if !error.is_undecided() => {
                wrong(vec![diagnostic(&error, file, source, &model.model)], file, &mut errors)?;
            }
            Err(failure) => {
                undecided = true;
                let why = match failure {
                    Failure::Engine(Error::Time) => "no answer in the time given".to_owned(),
                    Failure::Engine(other) => other.to_string(),
                    Failure::Stopped(why) => why.to_owned(),
                    Failure::Mismatch(error) => error.message,
                };
                if output.format == Format::Json {
                    output.print(&without_answer(file, test, &model.model, &why, milliseconds).to_string())?;
                }
                let warning = Diagnostic::warning(format!("`{file}` under `{}` is undecided: {why}", model.label()));
                bar.aside(|| output.warn(&[warning]));
            }
        }
        Ok(())
    })?;
    bar.finish();
    if output.format == Format::Human && !answers.is_empty() {
        print(&answers, output)?;
        if let [only] = answers.as_slice() {
            let model = models.iter().position(|m| std::ptr::eq(m, only.model)).unwrap_or(0);
            show::explain(only, &mut runners.asked[model], &question.unlimited, question.choice, output)?;
        }
    }
    if let Some(folder) = &options.certify {
        let claimed = claims.len();
        match certify::end(&question, claims, folder) {
            Ok(extent) => certify::print(claimed, &extent, folder, output)?,
            // The answers are printed, and stand without it.
            Err(found) => output.warn(&found),
        }
    }
    if let Some((name, why)) = unwritten.first() {
        let more = if unwritten.len() > 1 { format!(", nor are {} more answers", unwritten.len() - 1) } else { String::new() };
        let error = Diagnostic::error(format!("`{name}` is not in the certificate{more}: {why}"));
        output.warn(&[error.help("the answers stand; the certificate is of what has a proof alone")]);
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
        Error::Signature { .. } => Diagnostic::error(format!("`{file}` cannot be run under `{}`: {error}", model.name))
            .help("PTX tests need a PTX model, C tests a C model; models of plain executions (sc, tso) take both"),
        undecided => Diagnostic::error(format!("`{file}` under `{}`: {undecided}", model.name)),
    }
}

/// One line of JSON.
fn line(answer: &Answer<'_>) -> serde_json::Value {
    let v = &answer.verdict;
    json!({
        "schema": SCHEMA,
        "file": answer.file,
        "name": answer.test.name,
        "model": answer.model.model.name,
        "with_axioms": answer.model.taken,
        "without_axioms": answer.model.left_out,
        "depends_on": answer.dependences.iter().map(depends).collect::<Vec<_>>(),
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

/// An optional axiom that decides an answer, and the answer with that axiom the other way.
fn depends(on: &Dependence) -> serde_json::Value {
    let otherwise = on.otherwise.as_ref();
    json!({
        "axiom": on.axiom,
        "counts": on.counts,
        "otherwise": otherwise.map(|o| json!({ "reachable": o.reachable, "racy": o.racy })),
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
    let row = |a: &Answer<'_>| {
        let mut cells = rows::cells(a.test, &a.model.label(), Expected::from(&a.verdict));
        cells[2].push_str(if a.dependences.iter().any(Dependence::is_of_outcome) { "*" } else { "" });
        cells[4].push_str(if a.dependences.iter().any(Dependence::is_of_races) { "*" } else { "" });
        cells.extend([number(a.verdict.executions), format!("{:.2}", a.milliseconds)]);
        cells
    };
    let header: Vec<&str> = rows::COLUMNS.into_iter().chain(["executions", "ms"]).collect();
    rows::print(&header, &answers.iter().map(row).collect::<Vec<_>>(), output)?;
    for sentence in optional(answers) {
        output.print(&format!("\n{}", wrapped(&sentence, output.width())))?;
    }
    Ok(())
}

/// What the asterisks in the table mean: one sentence for each optional axiom that decides an answer.
fn optional(answers: &[Answer<'_>]) -> Vec<String> {
    // What is said in front of the models and behind them, and the models.
    let mut found: Vec<(String, String, Vec<&str>)> = Vec::new();
    for answer in answers {
        let name = answer.model.model.name.as_str();
        for Dependence { axiom, counts, otherwise } in &answer.dependences {
            let (before, behind) = match (otherwise, counts, answer.model.left_out.contains(axiom)) {
                (None, ..) => (format!("Whether this depends on {axiom}, an optional axiom of"), " was not decided".to_owned()),
                (_, _, true) => (format!("Only without {axiom}, an axiom of"), " that was left out".to_owned()),
                (_, true, false) => (format!("Only with {axiom}, an optional axiom of"), " that `--axiom` took in".to_owned()),
                (_, false, false) => {
                    (format!("Only without {axiom}, an optional axiom of"), format!(" that `--axiom {axiom}` takes in"))
                }
            };
            match found.iter_mut().find(|(b, e, _)| (b, e) == (&before, &behind)) {
                Some((.., models)) if models.contains(&name) => {}
                Some((.., models)) => models.push(name),
                None => found.push((before, behind, vec![name])),
            }
        }
    }
    found.into_iter().map(|(before, behind, models)| format!("* {before} {}{behind}.", models.join(", "))).collect()
}
