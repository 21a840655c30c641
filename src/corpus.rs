//! `margay test`: keeps a corpus of verdicts honest. Differences come first; `--bless` writes down what is found.

mod junit;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use margay_litmus::corpus::{self, Expected, Folder, Line};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::{Error, Options};
use margay_litmus::{clusters, parallel, read};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use margay_models::model::Model;
use margay_models::whole::write_over;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Corpus, Format, FormatOption};
use crate::diagnostics;
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// A verdict.
    Verdict(Expected),
    /// The explicit and the SAT engine say different things.
    Disagreement(Expected, Expected),
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict(found) => write!(f, "{found}"),
            Self::Disagreement(explicit, sat) => write!(f, "explicit: {explicit}; sat: {sat}"),
        }
    }
}

/// A verdict, and the expected one.
struct Checked {
    test: String,
    model: String,
    expected: Expected,
    found: Found,
    source: String,
}

impl Checked {
    fn differs(&self) -> bool {
        self.found != Found::Verdict(self.expected)
    }

    fn is_disagreement(&self) -> bool {
        matches!(self.found, Found::Disagreement(..))
    }
}

/// What is found for each line of one test.
type Answers = Vec<Result<Found, Vec<Diagnostic>>>;

/// Runs the command.
pub fn run(options: &Corpus, output: &Output) -> Outcome {
    let folders = match corpus::read(&options.folder) {
        Ok(folders) if folders.is_empty() => {
            let error = Diagnostic::error(format!("there is no litmus test in `{}`", options.folder.display()));
            return output.wrong(&[error]);
        }
        Ok(folders) => folders,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let tests: Vec<(&Folder, &str, Vec<&Line>)> =
        folders.iter().flat_map(|f| by_test(f).into_iter().map(move |(test, lines)| (f, test, lines))).collect();
    let mut answers = answer_all(&tests, options.engine.choice());
    let mut errors = Vec::new();
    let mut checked: Vec<Checked> = Vec::new();
    for folder in &folders {
        let mut found_lines = Vec::new();
        for ((of, test, lines), answers) in tests.iter().zip(&mut answers) {
            if !std::ptr::eq(*of, folder) {
                continue;
            }
            for (line, answer) in lines.iter().zip(answers) {
                match answer {
                    Ok(found) => {
                        checked.push(Checked {
                            test: folder.path.join(test).display().to_string(),
                            model: line.model.clone(),
                            expected: line.expected,
                            found: *found,
                            source: line.source.clone(),
                        });
                        // What the engines do not agree on is not written down.
                        let expected = match *found {
                            Found::Verdict(found) => found,
                            Found::Disagreement(..) => line.expected,
                        };
                        found_lines.push(Line { expected, ..(*line).clone() });
                    }
                    Err(found) => errors.append(found),
                }
            }
        }
        if options.bless && found_lines.iter().zip(&folder.lines).any(|(a, b)| a != b) && found_lines.len() == folder.lines.len()
        {
            let file = folder.path.join(corpus::EXPECTED);
            if let Err(error) = write_over(&file, corpus::write(&found_lines).as_bytes()) {
                errors.push(Diagnostic::error(format!("cannot write `{}`: {error}", file.display())));
            }
        }
    }
    let unmentioned: Vec<String> =
        folders.iter().flat_map(|f| f.unmentioned.iter().map(|t| f.path.join(t).display().to_string())).collect();
    if checked.is_empty() && errors.is_empty() {
        let error = Diagnostic::error(format!("no verdict is expected of any test in `{}`", options.folder.display()));
        let help = format!("write lines `TEST MODEL VERDICT SOURCE` into its {}; `margay run` says verdicts", corpus::EXPECTED);
        errors.push(error.help(help));
    }
    let disagree = checked.iter().any(Checked::is_disagreement);
    let differ = checked.iter().any(Checked::differs);
    let missing = options.require_verdicts && !unmentioned.is_empty();
    let exit = output.settle(match errors.is_empty() {
        false => Exit::Wrong,
        true if !missing && (!differ || options.bless && !disagree) => Exit::Holds,
        true => Exit::Found,
    });
    report(&checked, &errors, &unmentioned, start.elapsed().as_secs_f64(), options, output)?;
    // In JSON they are part of the report.
    if !errors.is_empty() && output.format != Format::Json {
        return output.wrong(&errors);
    }
    Ok(exit)
}

/// The lines of a folder by test, in the order of the file.
fn by_test(folder: &Folder) -> Vec<(&str, Vec<&Line>)> {
    let mut out: Vec<(&str, Vec<&Line>)> = Vec::new();
    for line in &folder.lines {
        match out.last_mut() {
            Some((test, lines)) if *test == line.file => lines.push(line),
            _ => out.push((&line.file, vec![line])),
        }
    }
    out
}

/// The answers for all tests, in their order; the tests are shared among as many threads as there are cores.
fn answer_all(tests: &[(&Folder, &str, Vec<&Line>)], engine: Choice) -> Vec<Answers> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let work = |runners: &mut BTreeMap<String, (Model, Runner)>, at: usize| -> Answers {
        let (folder, test, lines) = &tests[at];
        let path = folder.path.join(test);
        match read::load(&path) {
            Ok(read) => lines.iter().map(|line| verdict(runners, line, &read, &path, engine)).collect(),
            Err(found) => vec![Err(found)],
        }
    };
    let mut answers = Vec::with_capacity(tests.len());
    let keep = |_, found| {
        answers.push(found);
        Ok::<(), std::convert::Infallible>(())
    };
    let Ok(()) = parallel::in_order(jobs, tests.len(), BTreeMap::new, work, keep);
    answers
}

fn verdict(
    runners: &mut BTreeMap<String, (Model, Runner)>,
    line: &Line,
    read: &margay_litmus::read::Read,
    path: &Path,
    engine: Choice,
) -> Result<Found, Vec<Diagnostic>> {
    if !runners.contains_key(&line.model) {
        let loaded = library::load_named(&line.model, &[PathBuf::from("models")])?;
        let runner = Runner::new(&loaded.model);
        runners.insert(line.model.clone(), (loaded.model, runner));
    }
    let failed = |why: String| vec![Diagnostic::error(format!("`{}` under `{}`: {why}", path.display(), line.model))];
    let Some((model, runner)) = runners.get_mut(&line.model) else { return Err(failed("no such model".to_owned())) };
    if let Some(error) = clusters::mismatch(&read.test, model, &read.file) {
        return Err(vec![error]);
    }
    match runner.run(&read.test, &Options::default(), engine) {
        Ok(verdict) => Ok(Found::Verdict(Expected::from(&verdict))),
        Err(Error::Disagreement { explicit, sat }) => Ok(Found::Disagreement(Expected::from(&*explicit), Expected::from(&*sat))),
        Err(error) => Err(failed(error.to_string())),
    }
}

fn report(
    checked: &[Checked],
    errors: &[Diagnostic],
    unmentioned: &[String],
    seconds: f64,
    options: &Corpus,
    output: &Output,
) -> std::io::Result<()> {
    if output.asked == FormatOption::Junit {
        return output.print(&junit::report(checked, errors, unmentioned, options.require_verdicts));
    }
    let differences: Vec<&Checked> = checked.iter().filter(|c| c.differs()).collect();
    let passed = checked.len() - differences.len();
    if output.format == Format::Json {
        let list: Vec<serde_json::Value> = differences
            .iter()
            .map(|d| {
                json!({
                    "test": d.test, "model": d.model, "expected": d.expected.to_string(), "found": d.found.to_string(), "source": d.source,
                    "disagreement": matches!(d.found, Found::Disagreement(..)),
                })
            })
            .collect();
        return output.json(&json!({
            "schema": SCHEMA, "passed": passed, "differences": list, "without_verdict": unmentioned,
            "require_verdicts": options.require_verdicts, "blessed": options.bless,
            "errors": diagnostics::json(errors), "seconds": seconds,
        }));
    }
    for d in &differences {
        output.print(&format!("{} under {}: expected {}, found {} ({})", d.test, d.model, d.expected, d.found, d.source))?;
    }
    for test in unmentioned {
        output.print(&format!("{test}: no verdict is expected of it; add a line to {}", corpus::EXPECTED))?;
    }
    if checked.is_empty() {
        return Ok(());
    }
    let count = differences.len() + if options.require_verdicts { unmentioned.len() } else { 0 };
    let answer = if count == 0 { output.good("no difference") } else { output.bad(&format!("{count} differences")) };
    let blessed = if options.bless && count > 0 { ", written down" } else { "" };
    output.print(&format!("{answer}{blessed}; {passed} verdicts as expected, {seconds:.2} s"))
}
