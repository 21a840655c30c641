//! Is the outcome of a litmus test allowed, and what shows or forbids it?

mod certify;
mod findings;
mod herd;
pub(crate) mod lost;
pub mod rows;
mod show;

use std::path::PathBuf;
use std::time::Duration;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs::{self, InputFile};
use margay_console::limits::{self, RunLimits};
use margay_console::output::{Format, FormatOption, Output};
use margay_console::progress::StepBar;
use margay_console::table::number;
use margay_console::wrapped::wrapped;
use margay_litmus::ask::axioms::{self, ChosenAxioms, Dependence};
use margay_litmus::ask::{AskRunners, AskedTest, RunRequest};
use margay_litmus::corpus::Expected;
use margay_litmus::engine::Choice;
use margay_litmus::explicit::{Options as Searching, Verdict};
use margay_litmus::premise;
use margay_litmus::read::Read;
use margay_litmus::test::Test;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;
use margay_reports::run as document;

use crate::executions::{ChosenExecutions, ExecutionChoice};
use crate::outcome::headline;
use crate::races;
use crate::restriction::Restriction;
use findings::RunFindings;

/// One test under one model.
pub struct TestAnswer<'a> {
    file: &'a str,
    test: &'a Test,
    model: &'a ChosenAxioms,
    verdict: Verdict,
    dependences: Vec<Dependence>,
    milliseconds: f64,
    /// The executions that were chosen to be looked at.
    listed: Option<ChosenExecutions>,
    /// Were both engines to be compared, and could one alone be asked?
    is_uncompared: bool,
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Litmus tests, or folders of them.
    pub tests: Vec<PathBuf>,
    /// .cat files or names of models.
    pub models: Vec<String>,
    /// Optional axioms that are taken in.
    pub with: Vec<String>,
    /// Axioms that are left out.
    pub without: Vec<String>,
    /// How often each loop is gone round.
    pub unroll: usize,
    /// Who answers.
    pub engine: Choice,
    /// How long each answer may take.
    pub timeout: Option<Duration>,
    /// The number of threads, if not one for each core.
    pub jobs: Option<usize>,
    /// Are the tests asked for races, where a model leaves racy programs their meaning?
    pub races: bool,
    /// The folder of the certificate.
    pub certify: Option<PathBuf>,
    /// The executions that are shown.
    pub executions: ExecutionChoice,
}

/// Asks about each test under each model, and prints the answers.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &RunOptions, output: &Output) -> CommandOutcome {
    let loaded = match models(options, output) {
        Ok(loaded) => loaded,
        Err(errors) => return output.wrong(&errors),
    };
    let mut models = match axioms::choose(loaded.clone(), &options.with, &options.without) {
        Ok(models) => models,
        Err(errors) => return output.wrong(&errors),
    };
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let begun = inputs::inputs(&options.tests).and_then(|files| Ok((files, limits::jobs(options.jobs, usual)?)));
    let (files, jobs) = match begun.and_then(|begun| certify::begin(options).map(|()| begun)) {
        Ok(begun) => begun,
        Err(error) => return output.wrong(&[error]),
    };
    let mut errors: Vec<Diagnostic> = Vec::new();
    let (tests, in_folder) = read(&files, &mut errors, output)?;
    // Another tool's model is read for the tags of the tests that it is asked about.
    let tagged: Vec<Model> = loaded.iter().map(|model| of_tests(model, &tests).unwrap_or(model).clone()).collect();
    if tagged.iter().zip(&loaded).any(|(tagged, loaded)| tagged.signature != loaded.signature) {
        if options.certify.is_some() {
            let error =
                Diagnostic::error("no certificate is written of another tool's model under tests whose events carry tags");
            return output.wrong(&[error.help("leave out `--certify`, or ask the built-in model of the architecture")]);
        }
        models = match axioms::choose(tagged, &options.with, &options.without) {
            Ok(models) => models,
            Err(errors) => return output.wrong(&errors),
        };
    }
    if let Err(error) = options.executions.check(files.len() * models.len()).and_then(|()| not_herd(options, output)) {
        return output.wrong(&[errors, vec![error]].concat());
    }
    for model in &models {
        beyond_premise(&tests, &model.model, output);
    }
    let bounds = margay_litmus::unfold::Bounds { unroll: options.unroll, ..Default::default() };
    let limits = RunLimits::start(None, None);
    let question = RunRequest {
        unlimited: Searching { bounds, stop: limits::stop(), ..Searching::default() },
        timeout: options.timeout,
        choice: options.engine,
        certify: options.certify.as_deref(),
        models: &models,
        tests: &tests,
        stopped: &|| limits.reason().map(|reason| reason.words()),
    };
    let mut runners = AskRunners::new(&models);
    let bar = StepBar::new(output.format == Format::Human, tests.len() * models.len(), "answers");
    let mut found = RunFindings::new(&question, &in_folder, &options.executions, errors);
    question.ask(jobs, &runners, |asked: AskedTest| {
        bar.step(&tests[asked.test].test.name);
        found.add(asked, &bar, output)
    })?;
    bar.finish();
    let exit = output.settle(found.exit());
    if output.asked == FormatOption::Human && !found.answers.is_empty() {
        if let [only] = found.answers.as_slice() {
            output.headline(&first_line(only, options.unroll).painted(*output))?;
            output.print("")?;
        }
        print(&found.answers, output)?;
        lost::print(&found.answers, &tests, options.unroll, output)?;
        if let [only] = found.answers.as_slice() {
            let model = models.iter().position(|m| std::ptr::eq(m, only.model)).unwrap_or(0);
            let searching = (&question.unlimited, question.choice);
            show::explain(only, &mut runners.asked[model], searching, &options.executions, output)?;
        }
    } else if let [only] = found.answers.as_slice() {
        let model = models.iter().position(|m| std::ptr::eq(m, only.model)).unwrap_or(0);
        show::draw(only, &mut runners.asked[model], (&question.unlimited, question.choice), &options.executions, output);
    }
    if let Some(folder) = &options.certify {
        let claims = std::mem::take(&mut found.claims);
        let claimed = claims.len();
        match certify::end(&question, claims, folder) {
            Ok(extent) => certify::print(claimed, &extent, folder, output)?,
            // The answers are printed, and stand without it.
            Err(found) => output.warn(&found),
        }
    }
    found.tell_skipped(output);
    found.tell_unwritten(output);
    if !found.errors.is_empty() {
        return if output.format == Format::Json { Ok(Exit::Wrong) } else { output.wrong(&found.errors) };
    }
    Ok(exit)
}

/// The reading of a model for the first test whose events carry tags that it can speak of.
fn of_tests<'a>(model: &'a Model, tests: &[Read]) -> Option<&'a Model> {
    tests.iter().find_map(|read| model.of_tests(read.test.dialect.signature()))
}

/// The first line about one test.
fn first_line(answer: &TestAnswer<'_>, unroll: usize) -> crate::headline::Headline {
    let ChosenAxioms { model, taken, left_out, .. } = answer.model;
    let mut line = headline(answer.test, &model.name, &answer.verdict, unroll, &Restriction::of_axioms(taken, left_out));
    if answer.is_uncompared {
        line.rest += "; the SAT engine alone was asked, executions are too large for the explicit one";
    }
    line
}

/// Lists of final states in the form of herd7 have no executions.
fn not_herd(options: &RunOptions, output: &Output) -> Result<(), Diagnostic> {
    if output.asked != FormatOption::Herd || !options.executions.lists() {
        return Ok(());
    }
    let error = Diagnostic::error("`--format herd` lists final states, and no executions");
    Err(error.help("leave out `--format herd`, or `--execution` and `--all-executions`"))
}

/// The models that were asked for.
fn models(options: &RunOptions, output: &Output) -> Result<Vec<Model>, Vec<Diagnostic>> {
    let (mut models, mut errors) = (Vec::new(), Vec::new());
    for name in &options.models {
        match inputs::model(name, output) {
            Ok(model) => match races::of(model, options.races) {
                Ok(model) => models.push(model),
                Err(error) => errors.push(error),
            },
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    margay_models::library::tell_apart(models.iter_mut());
    Ok(models)
}

/// The tests that could be read, and for each whether it was found in a folder.
fn read(files: &[InputFile], errors: &mut Vec<Diagnostic>, output: &Output) -> std::io::Result<(Vec<Read>, Vec<bool>)> {
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
fn line(answer: &TestAnswer<'_>, read: &Read, unroll: usize) -> document::TestUnderModel {
    let v = &answer.verdict;
    let known = Expected::from(v).gap.is_none();
    document::TestUnderModel {
        file: answer.file.to_owned(),
        answer: first_line(answer, unroll).text(),
        name: answer.test.name.clone(),
        model: answer.model.model.name.clone(),
        with_axioms: answer.model.taken.clone(),
        without_axioms: answer.model.left_out.clone(),
        depends_on: answer.dependences.iter().map(depends).collect(),
        quantifier: v.quantifier.keyword().to_owned(),
        holds: known.then_some(v.holds),
        reachable: known.then_some(v.reachable),
        bounded: v.bounded,
        racy: v.racy,
        race: v.race.as_ref().and_then(|w| lost::race(&answer.model.model, w, &read.file)),
        gap: v.gap.as_ref().map(|gap| lost::gap(gap, v, unroll, &read.file)),
        engine: v.engine.to_string(),
        executions: v.executions,
        milliseconds: answer.milliseconds,
        listed: answer.listed.as_ref().map(|listed| listed.document(answer.test, &answer.model.model)),
    }
}

/// An optional axiom that decides an answer, and the answer with that axiom the other way.
fn depends(on: &Dependence) -> document::AxiomDependence {
    let otherwise = on.otherwise.as_ref();
    let otherwise = otherwise.map(|o| document::OtherwiseRecord { reachable: o.reachable, racy: o.racy });
    document::AxiomDependence { axiom: on.axiom.clone(), counts: on.counts, otherwise }
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
        answer: format!("undecided, {reason}: {}", crate::outcome::of(test, &model.name)),
        reason,
        milliseconds,
    }
}

fn print(answers: &[TestAnswer<'_>], output: &Output) -> std::io::Result<()> {
    let names = inputs::TestNames::new(answers.iter().map(|a| (a.test.name.as_str(), a.file)));
    let row = |a: &TestAnswer<'_>| {
        let mut cells = rows::cells(a.test, &a.model.label(), Expected::from(&a.verdict));
        cells[0] = names.of(&a.test.name, a.file);
        cells[2].push_str(if a.dependences.iter().any(Dependence::is_of_outcome) { "*" } else { "" });
        cells[4].push_str(if a.dependences.iter().any(Dependence::is_of_races) { "*" } else { "" });
        cells.extend([number(a.verdict.executions), format!("{:.2}", a.milliseconds)]);
        cells
    };
    let header: Vec<&str> = rows::COLUMNS.into_iter().chain(["judged", "ms"]).collect();
    rows::print(&header, &answers.iter().map(row).collect::<Vec<_>>(), output)?;
    for sentence in optional(answers) {
        output.print(&format!("\n{}", wrapped(&sentence, output.width())))?;
    }
    Ok(())
}

/// What the asterisks in the table mean: one sentence for each optional axiom that decides an answer.
fn optional(answers: &[TestAnswer<'_>]) -> Vec<String> {
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
