//! Keeps a corpus of verdicts honest: what is found beside what is expected. The sum comes first,
//! then what differs; what is found can be written down.

mod junit;
mod report;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::{self, RunLimits};
use margay_console::output::{Format, FormatOption, Output};
use margay_console::progress::StepBar;
use margay_litmus::corpus::ask::{Asking, ComparedVerdict, FoundVerdict, answer_all};
use margay_litmus::corpus::choice::{Filter, choose};
use margay_litmus::corpus::{self, CorpusFolder, ExpectationLine, Expected};
use margay_litmus::engine::Choice;
use margay_litmus::read;
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::write_over;
use margay_models::library;

/// What is asked, and what becomes of it.
#[derive(Debug, Clone)]
pub struct CorpusOptions {
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
struct CheckedVerdict {
    test: String,
    model: String,
    expected: Expected,
    found: FoundVerdict,
    source: String,
    /// How long it took.
    seconds: f64,
    /// Where executions are lost, and what races.
    remarks: Vec<String>,
}

impl CheckedVerdict {
    fn differs(&self) -> bool {
        matches!(self.found, FoundVerdict::Verdict(found) if found != self.expected)
            || self.is_disagreement()
    }

    fn is_disagreement(&self) -> bool {
        matches!(self.found, FoundVerdict::Disagreement(..))
    }

    fn is_undecided(&self) -> bool {
        self.found == FoundVerdict::Undecided
    }
}

/// A verdict that nobody looked for, because the run was stopped before.
struct NotRun {
    test: String,
    model: String,
}

/// The lines of a folder with what was found.
struct CorpusFindings {
    lines: Vec<ExpectationLine>,
    /// Of how many lines something was expected; the others are asked for the first time.
    expected: usize,
    /// Those of them, by their index, of which nothing was found that can be written down.
    unknown: BTreeSet<usize>,
    /// Could one not be answered because something is wrong?
    wrong: bool,
}

impl CorpusFindings {
    /// Takes the answer about the line at an index, as it was, into the lines and the report.
    fn take(
        &mut self,
        test: &str,
        (at, line): (usize, &ExpectationLine),
        answer: ComparedVerdict,
        report: &mut CorpusReport,
    ) {
        let is_first = at >= self.expected;
        match answer {
            ComparedVerdict::Found(found, seconds, remarks) => {
                // What the engines do not agree on is not written down.
                if let FoundVerdict::Verdict(found) = found {
                    self.lines[at].expected = found;
                    if is_first {
                        report.first += 1;
                        return;
                    }
                } else if is_first {
                    self.unknown.insert(at);
                }
                let (test, model, source) =
                    (test.to_owned(), line.model.clone(), line.source.clone());
                report.checked.push(CheckedVerdict {
                    test,
                    model,
                    expected: line.expected,
                    found,
                    source,
                    seconds,
                    remarks,
                });
            }
            // It can be read, and is for other models.
            ComparedVerdict::Wrong(_) | ComparedVerdict::NotRun if is_first => {
                self.unknown.insert(at);
            }
            ComparedVerdict::Wrong(mut errors) => {
                self.wrong = true;
                report.errors.append(&mut errors);
            }
            ComparedVerdict::NotRun => {
                report.not_run.push(NotRun { test: test.to_owned(), model: line.model.clone() })
            }
        }
    }

    /// Leaves out the lines of which nothing was found; gives the tests that have no line then.
    fn without_unknown(&mut self, folder: &CorpusFolder) -> BTreeSet<String> {
        let mut at = 0_usize..;
        self.lines.retain(|_| at.next().is_none_or(|at| !self.unknown.contains(&at)));
        let named = |file: &str| self.lines.iter().any(|line| line.file == file);
        let files = self
            .unknown
            .iter()
            .map(|&at| folder.lines[at].file.as_str())
            .filter(|file| !named(file));
        files.map(|file| folder.path.join(file).display().to_string()).collect()
    }
}

/// All that is to be reported.
#[derive(Default)]
struct CorpusReport {
    checked: Vec<CheckedVerdict>,
    errors: Vec<Diagnostic>,
    /// Tests of which nothing is expected.
    unmentioned: Vec<String>,
    not_run: Vec<NotRun>,
    /// How many verdicts were found of tests of which none was expected, to be written down.
    first: usize,
    seconds: f64,
}

impl CorpusReport {
    /// How the program ends.
    fn exit(&self, options: &CorpusOptions) -> Exit {
        let disagree = self.checked.iter().any(CheckedVerdict::is_disagreement);
        let differ = self.checked.iter().any(CheckedVerdict::differs);
        let missing = options.require_verdicts && !self.unmentioned.is_empty();
        match () {
            () if !self.errors.is_empty() => Exit::Wrong,
            () if missing || disagree || differ && !options.bless => Exit::Found,
            () if self.checked.iter().any(CheckedVerdict::is_undecided)
                || !self.not_run.is_empty() =>
            {
                Exit::Undecided
            }
            () => Exit::Holds,
        }
    }
}

/// Says that nothing could be compared. Reporters hear it, too: a report that is missing looks like
/// a step that was left out.
fn refused(errors: Vec<Diagnostic>, options: &CorpusOptions, output: &Output) -> CommandOutcome {
    let report = CorpusReport { errors, ..CorpusReport::default() };
    if output.asked == FormatOption::Junit {
        output.print(&junit::text(&report, options))?;
    }
    if let Some(file) = &options.junit {
        junit::write(&report, options, file, output);
    }
    output.wrong(&report.errors)
}

/// Compares, and prints the report.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &CorpusOptions, output: &Output) -> CommandOutcome {
    let mut folders = match corpus::read(&options.filter.folder) {
        Ok(folders) if folders.is_empty() => {
            let error = Diagnostic::error(format!(
                "there is no litmus test in `{}`",
                options.filter.folder.display()
            ));
            return refused(
                vec![error.help(
                    "the names of tests end in `.litmus`; folders in it are looked into as well",
                )],
                options,
                output,
            );
        }
        Ok(folders) => folders,
        Err(errors) => return refused(errors, options, output),
    };
    let before: Vec<Vec<ExpectationLine>> =
        folders.iter().map(|folder| folder.lines.clone()).collect();
    if options.bless
        && let Err(errors) = add_first(&mut folders, &options.filter)
    {
        return refused(errors, options, output);
    }
    let start = Instant::now();
    let limits = RunLimits::start(None, None);
    let chosen = match choose(&folders, &options.filter) {
        Ok(chosen) => chosen,
        Err(error) => return refused(vec![error], options, output),
    };
    let jobs = match limits::jobs(options.jobs) {
        Ok(jobs) => jobs,
        Err(error) => return refused(vec![error], options, output),
    };
    let bar = StepBar::new(output.format == Format::Human, chosen.tests.len(), "tests");
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
    let mut report = CorpusReport { unmentioned: chosen.unmentioned, ..CorpusReport::default() };
    // Of a test that nobody expects anything of it is said all the same that it is none.
    let errors = &mut report.errors;
    report
        .unmentioned
        .retain(|test| read::load(Path::new(test)).map_err(|found| errors.extend(found)).is_ok());
    let begun = |(folder, before): (&CorpusFolder, &Vec<ExpectationLine>)| {
        let (lines, expected) = (folder.lines.clone(), before.len());
        CorpusFindings { lines, expected, unknown: BTreeSet::new(), wrong: false }
    };
    let mut all: Vec<CorpusFindings> = folders.iter().zip(&before).map(begun).collect();
    for (test, answers) in chosen.tests.iter().zip(answers) {
        let name = test.path.join(test.file).display().to_string();
        for (&line, answer) in test.lines.iter().zip(answers) {
            all[test.folder].take(&name, line, answer, &mut report);
        }
    }
    if options.bless {
        for (findings, folder) in all.iter_mut().zip(&folders) {
            report.unmentioned.extend(findings.without_unknown(folder));
        }
        bless(&folders, &before, &all, &mut report.errors);
    }
    if report.first == 0
        && report.checked.is_empty()
        && report.errors.is_empty()
        && report.not_run.is_empty()
    {
        let error = Diagnostic::error(format!(
            "no verdict is expected of any test in `{}`",
            options.filter.folder.display()
        ));
        let help = format!(
            "`margay test {} --model MODEL --bless` writes down what is found under a model; lines of {} are `TEST MODEL VERDICT SOURCE` (docs/ci.md)",
            options.filter.folder.display(),
            corpus::EXPECTED
        );
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

/// Adds a line for each test of which nothing is expected and each model that is asked about,
/// behind the lines that are there: what is found will take the place of what it says.
///
/// # Errors
/// A model cannot be read, or a name cannot stand in the list of verdicts.
fn add_first(folders: &mut [CorpusFolder], filter: &Filter) -> Result<(), Vec<Diagnostic>> {
    for model in &filter.models {
        library::load_named(model, &[PathBuf::from("models")])?;
    }
    if filter.models.is_empty() {
        return Ok(());
    }
    let tests = folders
        .iter()
        .flat_map(|folder| folder.unmentioned.iter().map(|file| (file, folder.path.join(file))));
    let models = filter.models.iter().map(|model| (model, PathBuf::from(model)));
    let errors: Vec<Diagnostic> = tests
        .chain(models)
        .filter(|(name, _)| !corpus::is_word(name))
        .map(|(_, path)| {
            let error = Diagnostic::error(format!("`{}` cannot stand in {}", path.display(), corpus::EXPECTED));
            error.help("its columns are words: rename the file, so that its name has no blanks and does not begin with `#`")
        })
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let source = format!("margay {}", margay_reports::RELEASE);
    for folder in folders {
        let (path, lines) = (&folder.path, &mut folder.lines);
        folder.unmentioned.retain(|file| {
            // What is wrong with it is said where it is looked at.
            if read::load(&path.join(file)).is_err() {
                return true;
            }
            let expected = Expected { reachable: false, bounded: false, racy: None, gap: None };
            lines.extend(filter.models.iter().map(|model| {
                let (file, model, source) = (file.clone(), model.clone(), source.clone());
                ExpectationLine { file, model, expected, source, place: None }
            }));
            false
        });
    }
    Ok(())
}

/// Writes down what was found, in each folder where something changes and nothing is wrong.
fn bless(
    folders: &[CorpusFolder],
    before: &[Vec<ExpectationLine>],
    found: &[CorpusFindings],
    errors: &mut Vec<Diagnostic>,
) {
    let all = folders.iter().zip(before).zip(found);
    for ((folder, _), found) in
        all.filter(|((_, before), found)| !found.wrong && **before != found.lines)
    {
        let file = folder.path.join(corpus::EXPECTED);
        if let Err(error) = write_over(&file, corpus::write(&found.lines).as_bytes()) {
            errors.push(Diagnostic::error(format!("cannot write `{}`: {error}", file.display())));
        }
    }
}
