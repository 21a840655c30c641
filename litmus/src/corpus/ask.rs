//! Asks about the tests of a corpus, on several threads, each verdict with a time of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use margay_models::model::Model;

use super::choice::ChosenTests;
use super::{EXPECTED, ExpectationLine, Expected};
use crate::engine::{Choice, Runner};
use crate::explicit::{Error, Options, TestVerdict};
use crate::race::{self, Race};
use crate::read::Read;
use crate::{clusters, parallel, read};

/// How tests are asked about.
pub struct Asking<'a> {
    /// The number of threads.
    pub jobs: usize,
    /// Who answers.
    pub engine: Choice,
    /// How long each verdict may take.
    pub timeout: Option<Duration>,
    /// Is nothing run after the first test that fails?
    pub fail_fast: bool,
    /// Ends a search that runs.
    pub stop: Option<&'static Arc<AtomicBool>>,
    /// Is no more to be begun?
    pub ended: &'a (dyn Fn() -> bool + Sync),
    /// Is told of the file of each test that is done.
    pub done: &'a (dyn Fn(&str) + Sync),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundVerdict {
    Verdict(Expected),
    /// The explicit and the SAT engine say different things.
    Disagreement(Expected, Expected),
    /// No verdict in the time that each has.
    Undecided,
}

impl fmt::Display for FoundVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict(found) => write!(f, "{found}"),
            Self::Disagreement(explicit, sat) => write!(f, "explicit: {explicit}; sat: {sat}"),
            Self::Undecided => f.write_str("no answer in the time given"),
        }
    }
}

/// What became of one verdict.
#[derive(Debug)]
pub enum ComparedVerdict {
    /// What was found, after how many seconds, and what else is to be said of it: where executions
    /// are lost, and what races.
    Found(FoundVerdict, f64, Vec<String>),
    /// The test or the model is wrong.
    Wrong(Vec<Diagnostic>),
    /// The run was stopped before.
    NotRun,
}

impl ComparedVerdict {
    /// Does `--fail-fast` end with it?
    fn fails(&self, line: &ExpectationLine) -> bool {
        match self {
            Self::Found(found, ..) => *found != FoundVerdict::Verdict(line.expected),
            Self::Wrong(_) => true,
            Self::NotRun => false,
        }
    }
}

/// Each thread prepares a model once.
type CorpusRunners = BTreeMap<String, (Model, Runner)>;

/// The answers for all tests, in their order; with `--fail-fast` nothing is run after the first
/// that fails.
pub fn answer_all(tests: &[ChosenTests<'_>], asking: &Asking<'_>) -> Vec<Vec<ComparedVerdict>> {
    let Asking { jobs, ended, .. } = *asking;
    let work = |runners: &mut CorpusRunners, at: usize| -> Vec<ComparedVerdict> {
        let ChosenTests { path, file, lines, .. } = &tests[at];
        if ended() {
            return lines.iter().map(|_| ComparedVerdict::NotRun).collect();
        }
        let path = path.join(file);
        match read::load(&path) {
            Ok(read) => {
                lines.iter().map(|(_, line)| verdict(runners, line, &read, &path, asking)).collect()
            }
            // Said once, however many verdicts there would be.
            Err(found) if path.exists() => vec![ComparedVerdict::Wrong(found)],
            Err(found) => {
                let line = lines
                    .first()
                    .and_then(|(_, line)| line.place.as_ref())
                    .map(|place| format!(":{}", place.line()));
                let at = format!(
                    "{}{}",
                    path.with_file_name(EXPECTED).display(),
                    line.unwrap_or_default()
                );
                let help = format!("{at} names it: put the test back, or take the line out");
                vec![ComparedVerdict::Wrong(
                    found.into_iter().map(|error| error.help(help.clone())).collect(),
                )]
            }
        }
    };
    let mut answers: Vec<Vec<ComparedVerdict>> = Vec::with_capacity(tests.len());
    let keep = |at: usize, mut found: Vec<ComparedVerdict>| {
        (asking.done)(tests[at].file);
        let lines = &tests[at].lines;
        let failed = found
            .iter()
            .zip(lines)
            .position(|(answer, (_, line))| answer.fails(line))
            .filter(|_| asking.fail_fast);
        if let Some(failed) = failed {
            found.iter_mut().skip(failed + 1).for_each(|answer| *answer = ComparedVerdict::NotRun);
        }
        answers.push(found);
        if failed.is_some() { Err(()) } else { Ok(()) }
    };
    // An error only says that no more is wanted.
    let _ = parallel::in_order(jobs, tests.len(), BTreeMap::new, work, keep);
    let left = tests
        .iter()
        .skip(answers.len())
        .map(|test| test.lines.iter().map(|_| ComparedVerdict::NotRun).collect());
    let left: Vec<Vec<ComparedVerdict>> = left.collect();
    answers.extend(left);
    answers
}

fn verdict(
    runners: &mut CorpusRunners,
    line: &ExpectationLine,
    read: &Read,
    path: &Path,
    asking: &Asking<'_>,
) -> ComparedVerdict {
    if (asking.ended)() {
        return ComparedVerdict::NotRun;
    }
    let of_test = read.test.dialect.signature();
    // Another tool's model, which is a file, is read for the tags of the tests that it is asked
    // about.
    let key = if line.model.ends_with(".cat") {
        format!("{} of {of_test}", line.model)
    } else {
        line.model.clone()
    };
    // A model of PTX leaves racy programs their meaning, and is asked for races where an answer is
    // expected.
    let races = line.expected.racy.is_some();
    let key = if races { format!("{key} and races") } else { key };
    if !runners.contains_key(&key) {
        match library::load_named(&line.model, &[PathBuf::from("models")]) {
            Ok(loaded) => {
                let model = loaded.model.of_tests(of_test).unwrap_or(&loaded.model).clone();
                let model = if races { model.asking_for_races().unwrap_or(model) } else { model };
                let runner = Runner::new(&model);
                runners.insert(key.clone(), (model, runner));
            }
            Err(errors) => {
                // What cannot be found has no place of its own: the line names it.
                let placed = |error: Diagnostic| match &line.place {
                    Some(place) if error.labels.is_empty() => {
                        error.at(&place.file, place.span, "this line names it")
                    }
                    _ => error,
                };
                return ComparedVerdict::Wrong(errors.into_iter().map(placed).collect());
            }
        }
    }
    let failed = |why: String| {
        ComparedVerdict::Wrong(vec![Diagnostic::error(format!(
            "`{}` under `{}`: {why}",
            path.display(),
            line.model
        ))])
    };
    let Some((model, runner)) = runners.get_mut(&key) else {
        return failed("no such model".to_owned());
    };
    if let Some(error) = clusters::mismatch(&read.test, model, &read.file) {
        return ComparedVerdict::Wrong(vec![error]);
    }
    let start = Instant::now();
    let deadline = asking.timeout.and_then(|time| start.checked_add(time));
    let options = Options { deadline, stop: asking.stop, ..Options::default() };
    let mut said = Vec::new();
    let found = match runner.run(&read.test, &options, asking.engine) {
        Ok(verdict) => {
            said = remarks(&verdict, read, model, &options);
            FoundVerdict::Verdict(Expected::from(&verdict))
        }
        Err(Error::Disagreement { explicit, sat }) => {
            FoundVerdict::Disagreement(Expected::from(&*explicit), Expected::from(&*sat))
        }
        Err(Error::Time) if (asking.ended)() => return ComparedVerdict::NotRun,
        Err(Error::Time) => FoundVerdict::Undecided,
        Err(error) => return failed(error.to_string()),
    };
    ComparedVerdict::Found(found, start.elapsed().as_secs_f64(), said)
}

/// Where executions are lost, and what races.
fn remarks(verdict: &TestVerdict, read: &Read, model: &Model, options: &Options) -> Vec<String> {
    let unroll = verdict.bounded.then_some(options.bounds.unroll);
    let gap = verdict.gap.as_ref().map(|gap| gap.sentences(&read.file, verdict.quantifier, unroll));
    let race = verdict.race.as_ref().and_then(|race| Race::of(model, race));
    let race =
        race.map(|race| vec![race.sentence(&read.file), race::meaning(race.meaning).to_owned()]);
    gap.into_iter().chain(race).flatten().collect()
}
