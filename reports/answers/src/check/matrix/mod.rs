//! `--all-mappings`: what compilers emit, against readings of C++ and of PTX, as one table, with
//! what mends what falls.

mod found;
mod json;
mod page;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder::{self, OutputFolder};
use margay_console::limits::{RunLimits, StopReason};
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::table;
use margay_mappings::change::{InstructionCosts, RepairReport, repair};
use margay_mappings::check::{CheckOptions, CheckVerdict, CoReading, Level, check};
use margay_mappings::language::{Coverage, Mapping};
use margay_mappings::status::Status;
use margay_models::diagnostic::Diagnostic;

use super::PresentedCounterexample;
use crate::headline::{Headline, Tone, events};
use crate::matrix::{MappingPair, names, pairs};
use crate::restriction::Restriction;
use found::MatrixCounterexample;

/// As many candidates are looked at when a mapping is mended.
const CANDIDATES: usize = 2000;

/// What is asked of all mappings.
#[derive(Debug, Clone)]
pub struct CheckMatrixOptions {
    /// The levels of the questions, in their order and each once.
    pub levels: Vec<Level>,
    /// What holds for every question.
    pub check: CheckOptions,
    /// The time of a question.
    pub timeout: Option<Duration>,
    /// The memory for all.
    pub memory: Option<u64>,
    /// The folder for the page and the counterexamples.
    pub out: Option<PathBuf>,
}

/// The answer to one question.
struct CheckMatrixCell {
    of: MappingPair<'static>,
    level: Level,
    title: String,
    verdict: CheckVerdict,
    /// The bound up to which there is no counterexample.
    established: usize,
    /// The smallest counterexample.
    found: Option<MatrixCounterexample>,
    /// How many rows it is about.
    coverage: Coverage,
    /// Does the mapping not say what some compare-exchanges become that fail?
    unknown_failures: bool,
    seconds: f64,
}

impl CheckMatrixCell {
    /// `counterexample at 4 (Coherence)`, `counterexample at 4 (Coherence, racy)`, `none up to 7`.
    fn words(&self) -> String {
        match &self.found {
            Some(MatrixCounterexample { events, axiom, status: Status::Program, .. }) => {
                format!("counterexample at {events} ({axiom})")
            }
            Some(MatrixCounterexample { events, axiom, status, .. }) => {
                format!("counterexample at {events} ({axiom}, {})", status.name())
            }
            None => format!("none up to {}", self.established),
        }
    }
}

/// What mends a mapping that falls as a program.
struct Mended {
    of: MappingPair<'static>,
    mapping: Mapping,
    bound: usize,
    report: RepairReport,
}

/// All answers.
#[derive(Default)]
struct CheckMatrixAnswers {
    cells: Vec<CheckMatrixCell>,
    mended: Vec<Mended>,
    /// Why not all questions were asked.
    stopped: Option<&'static str>,
}

impl CheckMatrixAnswers {
    fn exit(&self) -> Exit {
        let fell = self.cells.iter().any(|c| c.verdict == CheckVerdict::Counterexample);
        let open = self.stopped.is_some()
            || self.cells.iter().any(|c| matches!(c.verdict, CheckVerdict::Undecided(_)));
        match (fell, open) {
            (true, _) => Exit::Found,
            (false, true) => Exit::Undecided,
            (false, false) => Exit::Holds,
        }
    }

    /// Writes counterexamples and page.
    fn write(&mut self, options: &CheckMatrixOptions, folder: &mut OutputFolder) -> io::Result<()> {
        found::write(&mut self.cells, folder)?;
        folder.write("README.md", page::page(self, options))
    }
}

/// Asks about all mappings, and prints the table; with a folder the page is written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &CheckMatrixOptions, output: &Output) -> CommandOutcome {
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let start = Instant::now();
    // Ctrl-C and the memory limit end everything, the time limit a question.
    let limits = RunLimits::start(None, options.memory);
    let mut answers = match (Ask { options, limits: &limits, output }).all() {
        Ok(answers) => answers,
        Err(errors) => return output.wrong(&errors),
    };
    let exit = output.settle(answers.exit());
    let printed = match output.format {
        Format::Human => {
            let effort = format!(
                "{:.1} s; of each question: bounds 1 to {}",
                start.elapsed().as_secs_f64(),
                options.check.bound
            );
            output.print(
                &[
                    format!("{}\n", summary(&answers, options).painted(*output)),
                    rows(&answers.cells, &options.levels, output),
                    effort,
                ]
                .join("\n"),
            )
        }
        Format::Json => {
            output.document(&json::document(&answers, summary(&answers, options).text()))
        }
    };
    folder::fill(options.out.as_deref(), &|_| false, *output, |folder| {
        answers.write(options, folder)
    });
    printed.map(|()| exit)
}

/// How questions are asked.
struct Ask<'a> {
    options: &'a CheckMatrixOptions,
    limits: &'a RunLimits,
    output: &'a Output,
}

impl Ask<'_> {
    /// Mapping by mapping, each with what mends it.
    fn all(&self) -> Result<CheckMatrixAnswers, Vec<Diagnostic>> {
        let mut answers = CheckMatrixAnswers::default();
        for name in names() {
            let of_mapping = answers.cells.len();
            for pair in pairs(name)? {
                for &level in &self.options.levels {
                    answers.cells.push(self.question(pair, level)?);
                    answers.stopped = self.limits.reason().map(StopReason::words);
                    if answers.stopped.is_some() {
                        return Ok(answers);
                    }
                }
            }
            let mended = self.mend(&answers.cells[of_mapping..])?;
            answers.mended.extend(mended);
        }
        Ok(answers)
    }

    fn limited(&self, level: Level) -> CheckOptions {
        let mut asked = self.options.check.clone();
        asked.level = level;
        asked.co = CoReading::Exists;
        asked.deadline = self.options.timeout.and_then(|t| Instant::now().checked_add(t));
        asked.stop = self.limits.stop.clone();
        asked
    }

    fn question(
        &self,
        of: MappingPair<'static>,
        level: Level,
    ) -> Result<CheckMatrixCell, Vec<Diagnostic>> {
        let mapping = of.load()?;
        let start = Instant::now();
        let asked = self.limited(level);
        let report = Bar::during(*self.output, asked.bound, |bar| check(&mapping, &asked, bar))?;
        let found = report.foremost().map(|c| {
            MatrixCounterexample::new(&mapping, c, &PresentedCounterexample::new(&mapping, c))
        });
        Ok(CheckMatrixCell {
            of,
            level,
            title: mapping.title.clone(),
            coverage: mapping.coverage(Some(&report.constructs)),
            unknown_failures: !mapping.unknown_failures(Some(&report.constructs)).is_empty(),
            verdict: report.verdict,
            established: report.established,
            found,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// What mends a mapping, by the first of its questions by which it falls as a program, up to
    /// the size of that program.
    fn mend(&self, cells: &[CheckMatrixCell]) -> Result<Option<Mended>, Vec<Diagnostic>> {
        let is_program = |c: &&CheckMatrixCell| c.level == Level::Program;
        let Some((of, events)) =
            cells.iter().filter(is_program).find_map(|c| Some((c.of, c.found.as_ref()?.events)))
        else {
            return Ok(None);
        };
        let mapping = of.load()?;
        let options = self.limited(Level::Program).with(|options| options.bound = events);
        let mend =
            |bar: &Bar| repair(&mapping, &options, &InstructionCosts::default(), CANDIDATES, bar);
        let report = Bar::during(*self.output, events, mend)?;
        Ok(Some(Mended { of, mapping, bound: events, report }))
    }
}

/// The answer in a sentence.
fn summary(answers: &CheckMatrixAnswers, options: &CheckMatrixOptions) -> Headline {
    let cells = &answers.cells;
    let fell = |level: Level| {
        let mut names: Vec<&str> = cells
            .iter()
            .filter(|c| c.level == level && c.verdict == CheckVerdict::Counterexample)
            .map(|c| c.of.mapping)
            .collect();
        names.dedup();
        names.len()
    };
    let mut all: Vec<&str> = cells.iter().map(|c| c.of.mapping).collect();
    all.dedup();
    let mut parts = Vec::new();
    for level in [Level::Program, Level::Execution] {
        if cells.iter().any(|c| c.level == level) {
            let words = format!(
                "{} of {} mappings have a counterexample at {} level",
                fell(level),
                all.len(),
                level.name()
            );
            let of_level = |c: &&CheckMatrixCell| {
                c.level == level && c.found.as_ref().is_some_and(|f| f.status.is_bug())
            };
            let mut bugs: Vec<&str> = cells.iter().filter(of_level).map(|c| c.of.mapping).collect();
            bugs.dedup();
            parts.push(match level {
                Level::Program => format!("{words} (compiler bugs)"),
                Level::Execution => {
                    format!("{words} ({} by a compiler bug of that size)", bugs.len())
                }
            });
        }
    }
    let restriction = Restriction::of_check(&options.check);
    let tone = if cells.iter().any(|c| c.verdict == CheckVerdict::Counterexample) {
        Tone::Bad
    } else {
        Tone::Good
    };
    let stopped = answers
        .stopped
        .map_or(String::new(), |reason| format!(" ({reason}: not all questions were asked)"));
    let rest = format!(", up to {}{stopped}", events(options.check.bound));
    // As `supposes` of one mapping: all of these have plain and atomic accesses.
    let typed = if options.check.typed {
        "; no location is accessed by both plain and atomic operations"
    } else {
        ""
    };
    let subject = format!("what compilers emit{}{typed}", not_asked(cells));
    Headline::new(tone, parts.join(", "), &rest, &restriction, &subject)
}

/// What the answers are not about, as the end of the first line: of how many mappings rows, or
/// compare-exchanges that fail, were not asked about.
fn not_asked(cells: &[CheckMatrixCell]) -> String {
    let of = |is: &dyn Fn(&CheckMatrixCell) -> bool| {
        let mut names: Vec<&str> = cells.iter().filter(|c| is(c)).map(|c| c.of.mapping).collect();
        names.dedup();
        names.len()
    };
    let rows = of(&|c| c.coverage.not_asked() > 0);
    let assumed = of(&|c| c.coverage.taken > 0);
    let failures = of(&|c| c.unknown_failures);
    let parts = [
        (rows, "some rows were not asked about"),
        (failures, "compare-exchanges that fail were not asked about"),
        (assumed, "some rows are assumed"),
    ];
    parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("; of {n} {what}")).collect()
}

/// One row for each mapping and pair of models.
fn rows(cells: &[CheckMatrixCell], levels: &[Level], output: &Output) -> String {
    let mut header = vec!["mapping", "source", "target"];
    header.extend(levels.iter().map(|&level| level.name()));
    let rows: Vec<Vec<String>> = cells
        .chunks(levels.len())
        .map(|chunk| {
            let first = &chunk[0];
            let MappingPair { mapping, source, target } = first.of;
            let head = [mapping.to_owned(), source.to_owned(), target.to_owned()];
            head.into_iter().chain(chunk.iter().map(CheckMatrixCell::words)).collect()
        })
        .collect();
    table(&header, &rows, &[], output.width())
}
