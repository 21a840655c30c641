//! `margay test`: keeps a corpus of verdicts honest. Differences come first; `--bless` writes down what is found.

mod ask;
mod choice;
mod junit;
mod report;

use std::fmt;
use std::time::Instant;

use margay_console::exit::Exit;
use margay_console::limits::Limits;
use margay_console::output::{Format, Output};
use margay_litmus::corpus::{self, Expected, Folder, Line};
use margay_models::diagnostic::Diagnostic;
use margay_models::whole::write_over;

use crate::Outcome;
use crate::arguments::Corpus;
use ask::Answer;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// A verdict.
    Verdict(Expected),
    /// The explicit and the SAT engine say different things.
    Disagreement(Expected, Expected),
    /// No verdict in the time that each has.
    Undecided,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict(found) => write!(f, "{found}"),
            Self::Disagreement(explicit, sat) => write!(f, "explicit: {explicit}; sat: {sat}"),
            Self::Undecided => f.write_str("no answer in the time given"),
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
    fn exit(&self, options: &Corpus) -> Exit {
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
    let limits = Limits::start(None, None);
    let chosen = match choice::choose(&folders, options) {
        Ok(chosen) => chosen,
        Err(error) => return output.wrong(&[error]),
    };
    let answers = match ask::answer_all(&chosen.tests, options, &limits, output) {
        Ok(answers) => answers,
        Err(error) => return output.wrong(&[error]),
    };
    let mut report = Report { unmentioned: chosen.unmentioned, ..Report::default() };
    let mut all: Vec<Findings> = folders.iter().map(|f| Findings { lines: f.lines.clone(), wrong: false }).collect();
    for (test, answers) in chosen.tests.iter().zip(answers) {
        let name = test.path.join(test.file).display().to_string();
        let findings = &mut all[test.folder];
        for (&(at, line), answer) in test.lines.iter().zip(answers) {
            match answer {
                Answer::Found(found, seconds) => {
                    // What the engines do not agree on is not written down.
                    if let Found::Verdict(found) = found {
                        findings.lines[at].expected = found;
                    }
                    let (model, source) = (line.model.clone(), line.source.clone());
                    report.checked.push(Checked { test: name.clone(), model, expected: line.expected, found, source, seconds });
                }
                Answer::Wrong(mut errors) => {
                    findings.wrong = true;
                    report.errors.append(&mut errors);
                }
                Answer::NotRun => report.not_run.push(NotRun { test: name.clone(), model: line.model.clone() }),
            }
        }
    }
    if options.bless {
        bless(&folders, &all, &mut report.errors);
    }
    if report.checked.is_empty() && report.errors.is_empty() && report.not_run.is_empty() {
        let error = Diagnostic::error(format!("no verdict is expected of any test in `{}`", options.folder.display()));
        let help = format!("write lines `TEST MODEL VERDICT SOURCE` into its {}; `margay run` says verdicts", corpus::EXPECTED);
        report.errors.push(error.help(help));
    }
    report.seconds = start.elapsed().as_secs_f64();
    let exit = output.settle(report.exit(options));
    report.print(options, &limits, output)?;
    if let Some(file) = &options.junit {
        junit::write(&report, options.require_verdicts, file, output);
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
