//! Is the outcome of a litmus test allowed, and what shows or forbids it?

mod answer;
mod certify;
mod findings;
mod herd;
mod json;
pub(crate) mod lost;
mod options;
mod reading;
pub mod rows;
mod show;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::inputs;
use margay_console::limits::{self, RunLimits};
use margay_console::output::{Format, FormatOption, Output};
use margay_console::progress::StepBar;
use margay_console::table::{counted, number};
use margay_console::wrapped::wrapped;
use margay_litmus::ask::axioms::{self, Dependence};
use margay_litmus::ask::{AskRunners, AskedTest, RunRequest};
use margay_litmus::corpus::Expected;
use margay_litmus::explicit::Options as Searching;
use margay_litmus::read::Read;
use margay_models::diagnostic::Diagnostic;
use margay_models::model::Model;

use crate::races;
use answer::TestAnswer;
use findings::RunFindings;
use reading::{beyond_premise, read};

pub use options::RunOptions;

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
    let begun =
        inputs::inputs(&options.tests).and_then(|files| Ok((files, limits::jobs(options.jobs)?)));
    let (files, jobs) = match begun.and_then(|begun| certify::begin(options).map(|()| begun)) {
        Ok(begun) => begun,
        Err(error) => return output.wrong(&[error]),
    };
    let mut errors: Vec<Diagnostic> = Vec::new();
    let (tests, in_folder) = read(&files, &mut errors, output)?;
    // Another tool's model is read for the tags of the tests that it is asked about.
    let tagged: Vec<Model> =
        loaded.iter().map(|model| of_tests(model, &tests).unwrap_or(model).clone()).collect();
    if tagged.iter().zip(&loaded).any(|(tagged, loaded)| tagged.signature != loaded.signature) {
        if options.certify.is_some() {
            let error = Diagnostic::error(
                "no certificate is written of another tool's model under tests whose events carry tags",
            );
            return output.wrong(&[
                error.help("leave out `--certify`, or ask the built-in model of the architecture")
            ]);
        }
        models = match axioms::choose(tagged, &options.with, &options.without) {
            Ok(models) => models,
            Err(errors) => return output.wrong(&errors),
        };
    }
    if let Err(error) = options
        .executions
        .check(files.len() * models.len())
        .and_then(|()| not_herd(options, output))
    {
        return output.wrong(&[errors, vec![error]].concat());
    }
    for model in &models {
        beyond_premise(&tests, &model.model, output);
    }
    let bounds =
        margay_litmus::unfold::UnfoldingBounds { unroll: options.unroll, ..Default::default() };
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
            output.headline(&only.first_line(options.unroll).painted(*output))?;
            output.print("")?;
        }
        if let Some(line) = compared(&found.answers) {
            output.headline(&line)?;
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
        show::draw(
            only,
            &mut runners.asked[model],
            (&question.unlimited, question.choice),
            &options.executions,
            output,
        );
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
        return if output.format == Format::Json {
            Ok(Exit::Wrong)
        } else {
            output.wrong(&found.errors)
        };
    }
    Ok(exit)
}

/// The reading of a model for the first test whose events carry tags that it can speak of.
fn of_tests<'a>(model: &'a Model, tests: &[Read]) -> Option<&'a Model> {
    tests.iter().find_map(|read| model.of_tests(read.test.dialect.signature()))
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

/// The first line where each test was asked about under several models: about which tests they
/// differ. An outcome that was not found, but is not known to be forbidden, differs from none.
fn compared(answers: &[TestAnswer<'_>]) -> Option<String> {
    /// So many tests are named.
    const NAMED: usize = 5;
    let names = inputs::TestNames::new(answers.iter().map(|a| (a.test.name.as_str(), a.file)));
    let tests: Vec<&[TestAnswer<'_>]> = answers
        .chunk_by(|a, b| std::ptr::eq(a.test, b.test))
        .filter(|group| group.len() > 1)
        .collect();
    let found = |group: &[TestAnswer<'_>], reachable: bool| {
        group.iter().map(|a| Expected::from(&a.verdict)).any(|v| match reachable {
            true => v.reachable,
            false => !v.reachable && !v.bounded && v.gap.is_none(),
        })
    };
    let differing: Vec<String> = (tests.iter())
        .filter(|group| found(group, true) && found(group, false))
        .map(|group| names.of(&group[0].test.name, group[0].file))
        .collect();
    let of = counted(tests.len() as u64, "test", "tests");
    let more = if differing.len() > NAMED { ", .." } else { "" };
    match (tests.len(), differing.len()) {
        (0, _) => None,
        (_, 0) => Some(format!("no difference found between the models in {of}")),
        (_, count) => {
            let named =
                differing.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            Some(format!("the models differ about {} of {of}: {named}{more}", number(count as u64)))
        }
    }
}

fn print(answers: &[TestAnswer<'_>], output: &Output) -> std::io::Result<()> {
    let names = inputs::TestNames::new(answers.iter().map(|a| (a.test.name.as_str(), a.file)));
    let row = |a: &TestAnswer<'_>| {
        let mut cells = rows::cells(a.test, &a.model.label(), Expected::from(&a.verdict));
        cells[0] = names.of(&a.test.name, a.file);
        cells[2].push_str(if a.dependences.iter().any(Dependence::is_of_outcome) {
            "*"
        } else {
            ""
        });
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

/// What the asterisks in the table mean: one sentence for each optional axiom that decides an
/// answer.
fn optional(answers: &[TestAnswer<'_>]) -> Vec<String> {
    // What is said in front of the models and behind them, and the models.
    let mut found: Vec<(String, String, Vec<&str>)> = Vec::new();
    for answer in answers {
        let name = answer.model.model.name.as_str();
        for Dependence { axiom, counts, otherwise } in &answer.dependences {
            let (before, behind) = match (otherwise, counts, answer.model.left_out.contains(axiom))
            {
                (None, ..) => (
                    format!("Whether this depends on {axiom}, an optional axiom of"),
                    " was not decided".to_owned(),
                ),
                (_, _, true) => {
                    (format!("Only without {axiom}, an axiom of"), " that was left out".to_owned())
                }
                (_, true, false) => (
                    format!("Only with {axiom}, an optional axiom of"),
                    " that `--axiom` took in".to_owned(),
                ),
                (_, false, false) => (
                    format!("Only without {axiom}, an optional axiom of"),
                    format!(" that `--axiom {axiom}` takes in"),
                ),
            };
            match found.iter_mut().find(|(b, e, _)| (b, e) == (&before, &behind)) {
                Some((.., models)) if models.contains(&name) => {}
                Some((.., models)) => models.push(name),
                None => found.push((before, behind, vec![name])),
            }
        }
    }
    found
        .into_iter()
        .map(|(before, behind, models)| format!("* {before} {}{behind}.", models.join(", ")))
        .collect()
}
