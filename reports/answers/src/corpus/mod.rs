//! Keeps a corpus of verdicts honest: what is found beside what is expected. Differences come first; what is found can be written down.

mod junit;
mod report;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use margay_console::exit::{Exit, Outcome};
use margay_console::limits::{self, Limits};
use margay_console::output::{Format, Output};
use margay_console::progress::Steps;
use margay_litmus::corpus::ask::{Asking, Compared, Found, answer_all};
use margay_litmus::corpus::choice::{Filter, choose};
use margay_litmus::corpus::{self, Expected, Folder, Line};
use margay_litmus::engine::Choice;
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::write_over;

/// What is asked, and what becomes of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The tests and models that are meant.
    pub filter: Filter,
    /// Is nothing run after the first test that fails?
    pub fail_fast: bool,
    /// How long each verdict may take.
    pub timeout: Option<Duration>,
    /// The number of threads, if not one for each core.
    pub jobs: Option<usize>,
    /// Where the report is written as JUnit XML as well.
    pub junit: Option<PathBuf>,
    /// Is what is found written down?
    pub bless: bool,
    /// Is a test of which nothing is expected a difference?
    pub require_verdicts: bool,
    /// Who answers.
    pub engine: Choice,
}

/// A verdict, and the expected one.
struct Checked {
    test: String,
    model: String,
    expected: Expected,
    found: Found,
    source: String,
    /// How long it took.
    seconds: f64,
}

impl Checked {
    fn differs(&self) -> bool {
        matches!(self.found, Found::Verdict(found) if found != self.expected) || self.is_disagreement()
    }

    fn is_disagreement(&self) -> bool {
        matches!(self.found, Found::Disagreement(..))
    }

    fn is_undecided(&self) -> bool {
        self.found == Found::Undecided
    }
}

/// A verdict that nobody looked for, because the run was stopped before.
struct NotRun {
    test: String,
    model: String,
}

/// The lines of a folder with what was found, and whether one could not be answered because something is wrong.
struct Findings {
    lines: Vec<Line>,
    wrong: bool,
}

/// All that is to be reported.
#[derive(Default)]
struct Report {
    checked: Vec<Checked>,
    errors: Vec<Diagnostic>,
    /// Tests of which nothing is expected.
    unmentioned: Vec<String>,
    not_run: Vec<NotRun>,
    seconds: f64,
}

impl Report {
    /// How the program ends.
    fn exit(&self, options: &Options) -> Exit {
        let disagree = self.checked.iter().any(Checked::is_disagreement);
        let differ = self.checked.iter().any(Checked::differs);
        let missing = options.require_verdicts && !self.unmentioned.is_empty();
        match () {
            () if !self.errors.is_empty() => Exit::Wrong,
            () if missing || disagree || differ && !options.bless => Exit::Found,
            () if self.checked.iter().any(Checked::is_undecided) || !self.not_run.is_empty() => Exit::Undecided,
            () => Exit::Holds,
        }
    }
}

/// Compares, and prints the report.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &Options, output: &Output) -> Outcome {
    let folders = match corpus::read(&options.filter.folder) {
        Ok(folders) if folders.is_empty() => {
            let error = Diagnostic::error(format!("there is no litmus test in `{}`", options.filter.folder.display()));
            return output.wrong(&[error]);
        }
        Ok(folders) => folders,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let limits = Limits::start(None, None);
    let chosen = match choose(&folders, &options.filter) {
        Ok(chosen) => chosen,
        Err(error) => return output.wrong(&[error]),
    };
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = match limits::jobs(options.jobs, usual) {
        Ok(jobs) => jobs,
        Err(error) => return output.wrong(&[error]),
    };
    let bar = Steps::new(output.format == Format::Human, chosen.tests.len(), "tests");
    let asking = Asking {
        jobs,
        engine: options.engine,
        timeout: options.timeout,
        fail_fast: options.fail_fast,
        stop: limits::stop(),
        ended: &|| limits.reason().is_some(),
        done: &|file| bar.step(file),
    };
    let answers = answer_all(&chosen.tests, &asking);
    bar.finish();
    let mut report = Report { unmentioned: chosen.unmentioned, ..Report::default() };
    let mut all: Vec<Findings> = folders.iter().map(|f| Findings { lines: f.lines.clone(), wrong: false }).collect();
    for (test, answers) in chosen.tests.iter().zip(answers) {
        let name = test.path.join(test.file).display().to_string();
        let findings = &mut all[test.folder];
        for (&(at, line), answer) in test.lines.iter().zip(answers) {
            match answer {
                Compared::Found(found, seconds) => {
                    // What the engines do not agree on is not written down.
                    if let Found::Verdict(found) = found {
                        findings.lines[at].expected = found;
                    }
                    let (model, source) = (line.model.clone(), line.source.clone());
                    report.checked.push(Checked { test: name.clone(), model, expected: line.expected, found, source, seconds });
                }
                Compared::Wrong(mut errors) => {
                    findings.wrong = true;
                    report.errors.append(&mut errors);
                }
                Compared::NotRun => report.not_run.push(NotRun { test: name.clone(), model: line.model.clone() }),
            }
        }
    }
    if options.bless {
        bless(&folders, &all, &mut report.errors);
    }
    if report.checked.is_empty() && report.errors.is_empty() && report.not_run.is_empty() {
        let error = Diagnostic::error(format!("no verdict is expected of any test in `{}`", options.filter.folder.display()));
        let help = format!("write lines `TEST MODEL VERDICT SOURCE` into its {}; `margay run` says verdicts", corpus::EXPECTED);
        report.errors.push(error.help(help));
    }
    report.seconds = start.elapsed().as_secs_f64();
    let exit = output.settle(report.exit(options));
    report.print(options, &limits, output)?;
    if let Some(file) = &options.junit {
        junit::write(&report, options, file, output);
    }
    // In JSON they are part of the report.
    if !report.errors.is_empty() && output.format != Format::Json {
        return output.wrong(&report.errors);
    }
    Ok(exit)
}

/// Writes down what was found, in each folder where something changes and nothing is wrong.
fn bless(folders: &[Folder], found: &[Findings], errors: &mut Vec<Diagnostic>) {
    for (folder, found) in folders.iter().zip(found).filter(|(folder, found)| !found.wrong && folder.lines != found.lines) {
        let file = folder.path.join(corpus::EXPECTED);
        if let Err(error) = write_over(&file, corpus::write(&found.lines).as_bytes()) {
            errors.push(Diagnostic::error(format!("cannot write `{}`: {error}", file.display())));
        }
    }
}
