//! `margay run`: is the outcome of a litmus test allowed, and what shows or forbids it?

mod ask;
mod axioms;
mod certify;
mod herd;
pub mod rows;
mod show;

use std::time::Instant;

use margay_answers::refusal::by_engine;
use margay_console::exit::Exit;
use margay_console::inputs::{self, Input};
use margay_console::limits::{Limits, stop};
use margay_console::output::{Format, FormatOption, Output};
use margay_console::progress::Steps;
use margay_console::table::number;
use margay_console::wrapped::wrapped;
use margay_litmus::corpus::Expected;
use margay_litmus::explicit::{Options, Verdict};
use margay_litmus::premise;
use margay_litmus::read::Read;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_reports::run as document;

use crate::Outcome;
use crate::arguments::Run;
use crate::question::jobs;
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
    let models = match chosen(options, output) {
        Ok(models) => models,
        Err(errors) => return output.wrong(&errors),
    };
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let begun = inputs::inputs(&options.tests).and_then(|files| Ok((files, jobs(options.jobs, usual)?)));
    let (files, jobs) = match begun.and_then(|begun| certify::begin(options).map(|()| begun)) {
        Ok(begun) => begun,
        Err(error) => return output.wrong(&[error]),
    };
    let mut errors: Vec<Diagnostic> = Vec::new();
    let (tests, in_folder) = read(&files, &mut errors, output)?;
    for model in &models {
        beyond_premise(&tests, &model.model, output);
    }
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let limits = Limits::start(None, None);
    let question = Question {
        options,
        unlimited: Options { bounds, stop: stop(), ..Options::default() },
        choice: options.engine.choice(),
        models: &models,
        tests: &tests,
        limits,
    };
    let mut runners = Runners::new(&models);
    let (mut answers, mut claims, mut unwritten) = (Vec::new(), Vec::new(), Vec::new());
    let mut undecided = false;
    // For each model the files of tests that are for others.
    let mut skipped: Vec<Vec<&str>> = vec![Vec::new(); models.len()];
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
                match output.asked {
                    FormatOption::Json => output.line(&line(&answer))?,
                    FormatOption::Herd => {
                        let deadline = options.timeout.and_then(|t| Instant::now().checked_add(t));
                        if let Err(error) =
                            herd::states(&answer, &tests[asked.test], &Options { deadline, ..question.unlimited }, output)?
                        {
                            undecided |= error.is_undecided();
                            wrong(vec![by_engine(&error, file, source, &model.model)], file, &mut errors, output)?;
                        }
                    }
                    _ => {}
                }
                answers.push(answer);
            }
            // In a folder there may be tests for other models.
            Err(failure) if in_folder[asked.test] && failure.is_of_another_model() => {
                skipped[asked.model].push(file);
                if output.format == Format::Json {
                    output.line(&without_answer(file, test, &model.model, failure.message(), milliseconds))?;
                }
            }
            Err(Failure::Mismatch(error)) => wrong(vec![error], file, &mut errors, output)?,
            Err(Failure::Engine(error)) if !error.is_undecided() => {
                wrong(vec![by_engine(&error, file, source, &model.model)], file, &mut errors, output)?;
            }
            Err(failure) => {
                undecided = true;
                let why = failure.message();
                if output.format == Format::Json {
                    output.line(&without_answer(file, test, &model.model, why.clone(), milliseconds))?;
                }
                let warning = Diagnostic::warning(format!("`{file}` under `{}` is undecided: {why}", model.label()));
                bar.aside(|| output.warn(&[warning]));
            }
        }
        Ok(())
    })?;
    bar.finish();
    // Of tests that are for other models more may be said, and no test answered is an error.
    let all_skipped = answers.is_empty() && !undecided;
    let exit = match (errors.is_empty() && !all_skipped, undecided) {
        (false, _) => Exit::Wrong,
        (true, true) => Exit::Undecided,
        (true, false) => Exit::Holds,
    };
    output.settle(exit);
    if output.asked == FormatOption::Human && !answers.is_empty() {
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
    tell_skipped(&models, &skipped, all_skipped, &mut errors, output);
    if let Some((name, why)) = unwritten.first() {
        let more = if unwritten.len() > 1 { format!(", nor are {} more answers", unwritten.len() - 1) } else { String::new() };
        let error = Diagnostic::error(format!("`{name}` is not in the certificate{more}: {why}"));
        output.warn(&[error.help("the answers stand; the certificate is of what has a proof alone")]);
    }
    if !errors.is_empty() {
        return if output.format == Format::Json { Ok(Exit::Wrong) } else { output.wrong(&errors) };
    }
    Ok(exit)
}

/// The models that were asked for, with the axioms that count.
fn chosen(options: &Run, output: &Output) -> Result<Vec<Chosen>, Vec<Diagnostic>> {
    let (mut models, mut errors) = (Vec::new(), Vec::new());
    for name in &options.model {
        match inputs::model(name, output) {
            Ok(model) => models.push(model),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    margay_models::library::tell_apart(&mut models);
    axioms::choose(models, &options.axiom, &options.without_axiom)
}

/// The tests that could be read, and for each whether it was found in a folder.
fn read(files: &[Input], errors: &mut Vec<Diagnostic>, output: &Output) -> std::io::Result<(Vec<Read>, Vec<bool>)> {
    let (mut tests, mut in_folder) = (Vec::new(), Vec::new());
    for input in files {
        match inputs::test(&input.path, output) {
            Ok(read) => {
                tests.push(read);
                in_folder.push(input.in_folder);
            }
            Err(found) => wrong(found, &input.path.display().to_string(), errors, output)?,
        }
    }
    Ok((tests, in_folder))
}

/// In JSON, what is wrong with a file is a line of its own; for people it comes at the end, after the table.
fn wrong(found: Vec<Diagnostic>, file: &str, errors: &mut Vec<Diagnostic>, output: &Output) -> std::io::Result<()> {
    if output.format == Format::Json {
        output.wrong_line(file, &found)?;
    }
    errors.extend(found);
    Ok(())
}

/// Says which tests of folders are for other models: an error if there are no others, `nothing` having been answered.
fn tell_skipped(models: &[Chosen], skipped: &[Vec<&str>], nothing: bool, errors: &mut Vec<Diagnostic>, output: &Output) {
    for (model, files) in models.iter().zip(skipped).filter(|(_, files)| !files.is_empty()) {
        let count = if files.len() == 1 { "1 test is".to_owned() } else { format!("{} tests are", files.len()) };
        let message = format!("{count} for other models than `{}`, and skipped: {}", model.model.name, some(files));
        if nothing {
            errors.push(Diagnostic::error(format!("no test was run; {message}")));
        } else if output.format == Format::Human {
            output.warn(&[Diagnostic::warning(message)]);
        }
    }
}

/// Warns of tests with what a model does not speak of: shows the first place, and names the other tests.
fn beyond_premise(tests: &[Read], model: &Model, output: &Output) {
    let found: Vec<(&str, Diagnostic)> = tests
        .iter()
        .filter_map(|read| Some((read.file.name.as_str(), premise::beyond(&read.test, model, &read.file)?)))
        .collect();
    let Some(((_, first), others)) = found.split_first() else { return };
    let mut warnings = vec![first.clone()];
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        warnings.push(Diagnostic::warning(format!("nor does it speak of what is in {}", some(&names))));
    }
    output.warn(&warnings);
}

/// The first names of a list, and how many others there are.
fn some(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown} and {} others", names.len() - SHOWN) } else { shown }
}

/// One line of JSON.
fn line(answer: &Answer<'_>) -> document::Answer {
    let v = &answer.verdict;
    document::Answer {
        file: answer.file.to_owned(),
        name: answer.test.name.clone(),
        model: answer.model.model.name.clone(),
        with_axioms: answer.model.taken.clone(),
        without_axioms: answer.model.left_out.clone(),
        depends_on: answer.dependences.iter().map(depends).collect(),
        quantifier: v.quantifier.keyword().to_owned(),
        holds: v.holds,
        reachable: v.reachable,
        bounded: v.bounded,
        racy: v.racy,
        engine: v.engine.to_string(),
        executions: v.executions,
        milliseconds: answer.milliseconds,
    }
}

/// An optional axiom that decides an answer, and the answer with that axiom the other way.
fn depends(on: &Dependence) -> document::Dependence {
    let otherwise = on.otherwise.as_ref();
    let otherwise = otherwise.map(|o| document::Otherwise { reachable: o.reachable, racy: o.racy });
    document::Dependence { axiom: on.axiom.clone(), counts: on.counts, otherwise }
}

/// The line of a test that was not answered.
fn without_answer(file: &str, test: &Test, model: &Model, reason: String, milliseconds: f64) -> document::Unanswered {
    document::Unanswered {
        file: file.to_owned(),
        name: test.name.clone(),
        model: model.name.clone(),
        quantifier: test.condition.quantifier.keyword().to_owned(),
        holds: None,
        reachable: None,
        bounded: false,
        racy: None,
        engine: None,
        executions: None,
        reason,
        milliseconds,
    }
}

fn print(answers: &[Answer<'_>], output: &Output) -> std::io::Result<()> {
    let names = inputs::Names::new(answers.iter().map(|a| (a.test.name.as_str(), a.file)));
    let row = |a: &Answer<'_>| {
        let mut cells = rows::cells(a.test, &a.model.label(), Expected::from(&a.verdict));
        cells[0] = names.of(&a.test.name, a.file);
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
