//! Asks about the tests of a corpus, on several threads, each verdict with a time of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use margay_console::limits::{Limits, stop};
use margay_console::output::{Format, Output};
use margay_console::progress::Steps;
use margay_litmus::corpus::{Expected, Line};
use margay_litmus::engine::Runner;
use margay_litmus::explicit::{Error, Options};
use margay_litmus::read::Read;
use margay_litmus::{clusters, parallel, read};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use margay_models::model::Model;

use super::Found;
use super::choice::Chosen;
use crate::arguments::Corpus;
use crate::question::jobs;

/// What became of one verdict.
pub enum Answer {
    /// What was found, and after how many seconds.
    Found(Found, f64),
    /// The test or the model is wrong.
    Wrong(Vec<Diagnostic>),
    /// The run was stopped before.
    NotRun,
}

impl Answer {
    /// Does `--fail-fast` end with it?
    fn fails(&self, line: &Line) -> bool {
        match self {
            Self::Found(found, _) => *found != Found::Verdict(line.expected),
            Self::Wrong(_) => true,
            Self::NotRun => false,
        }
    }
}

/// Each thread prepares a model once.
type Runners = BTreeMap<String, (Model, Runner)>;

/// The answers for all tests, in their order; with `--fail-fast` nothing is run after the first that fails.
pub fn answer_all(
    tests: &[Chosen<'_>],
    options: &Corpus,
    limits: &Limits,
    output: &Output,
) -> Result<Vec<Vec<Answer>>, Diagnostic> {
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs(options.jobs, usual)?;
    let bar = Steps::new(output.format == Format::Human, tests.len(), "tests");
    let work = |runners: &mut Runners, at: usize| -> Vec<Answer> {
        let Chosen { path, file, lines, .. } = &tests[at];
        if limits.reason().is_some() {
            return lines.iter().map(|_| Answer::NotRun).collect();
        }
        let path = path.join(file);
        match read::load(&path) {
            Ok(read) => lines.iter().map(|(_, line)| verdict(runners, line, &read, &path, options, limits)).collect(),
            // Said once, however many verdicts there would be.
            Err(found) => vec![Answer::Wrong(found)],
        }
    };
    let mut answers: Vec<Vec<Answer>> = Vec::with_capacity(tests.len());
    let keep = |at: usize, mut found: Vec<Answer>| {
        bar.step(tests[at].file);
        let lines = &tests[at].lines;
        let failed = found.iter().zip(lines).position(|(answer, (_, line))| answer.fails(line)).filter(|_| options.fail_fast);
        if let Some(failed) = failed {
            found.iter_mut().skip(failed + 1).for_each(|answer| *answer = Answer::NotRun);
        }
        answers.push(found);
        if failed.is_some() { Err(()) } else { Ok(()) }
    };
    // An error only says that no more is wanted.
    let _ = parallel::in_order(jobs, tests.len(), BTreeMap::new, work, keep);
    bar.finish();
    let left = tests.iter().skip(answers.len()).map(|test| test.lines.iter().map(|_| Answer::NotRun).collect());
    let left: Vec<Vec<Answer>> = left.collect();
    answers.extend(left);
    Ok(answers)
}

fn verdict(runners: &mut Runners, line: &Line, read: &Read, path: &Path, options: &Corpus, limits: &Limits) -> Answer {
    if limits.reason().is_some() {
        return Answer::NotRun;
    }
    if !runners.contains_key(&line.model) {
        match library::load_named(&line.model, &[PathBuf::from("models")]) {
            Ok(loaded) => {
                let runner = Runner::new(&loaded.model);
                runners.insert(line.model.clone(), (loaded.model, runner));
            }
            Err(errors) => return Answer::Wrong(errors),
        }
    }
    let failed =
        |why: String| Answer::Wrong(vec![Diagnostic::error(format!("`{}` under `{}`: {why}", path.display(), line.model))]);
    let Some((model, runner)) = runners.get_mut(&line.model) else { return failed("no such model".to_owned()) };
    if let Some(error) = clusters::mismatch(&read.test, model, &read.file) {
        return Answer::Wrong(vec![error]);
    }
    let start = Instant::now();
    let deadline = options.timeout.and_then(|time| start.checked_add(time));
    let found = match runner.run(&read.test, &Options { deadline, stop: stop(), ..Options::default() }, options.engine.choice()) {
        Ok(verdict) => Found::Verdict(Expected::from(&verdict)),
        Err(Error::Disagreement { explicit, sat }) => Found::Disagreement(Expected::from(&*explicit), Expected::from(&*sat)),
        Err(Error::Time) if limits.reason().is_some() => return Answer::NotRun,
        Err(Error::Time) => Found::Undecided,
        Err(error) => return failed(error.to_string()),
    };
    Answer::Found(found, start.elapsed().as_secs_f64())
}
