//! `margay check --all-mappings`: what compilers emit, against readings of C++ and of PTX, as one table, with what mends what falls.

mod found;
mod json;
mod page;

use std::io;
use std::time::Instant;

use margay_answers::check::Presented;
use margay_console::exit::Exit;
use margay_console::folder::{self, Folder};
use margay_console::limits::{Limits, Reason};
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::table;
use margay_mappings::change::{Costs, RepairReport, repair};
use margay_mappings::check::{CheckOptions, CoReading, Level, Verdict, check};
use margay_mappings::language::{LoadOptions, Mapping, ScopePattern};
use margay_mappings::library;
use margay_mappings::status::Status;
use margay_models::diagnostic::Diagnostic;

use crate::Outcome;
use crate::arguments::Check;
use found::Found;

/// The readings of C++: release sequences with and without the later writes of the same thread; and both without scopes, where every
/// operation is of system scope.
const SOURCES: [&str; 4] = ["rc11-scoped", "c20-scoped", "rc11-lb", "c20"];
/// The readings of PTX.
pub const TARGETS: [&str; 2] = ["ptx-6.0", "ptx-8"];
/// As many candidates are looked at when a mapping is mended.
const CANDIDATES: usize = 2000;

/// One question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Question {
    mapping: &'static str,
    source: &'static str,
    target: &'static str,
    level: Level,
}

/// The answer to one question.
struct Cell {
    question: Question,
    title: String,
    verdict: Verdict,
    /// The bound up to which there is no counterexample.
    established: usize,
    /// The smallest counterexample.
    found: Option<Found>,
    seconds: f64,
}

impl Cell {
    /// `counterexample at 4 (Coherence)`, `counterexample at 4 (Coherence, racy)`, `none up to 7`.
    fn words(&self) -> String {
        match &self.found {
            Some(Found { events, axiom, status: Status::Program, .. }) => format!("counterexample at {events} ({axiom})"),
            Some(Found { events, axiom, status, .. }) => format!("counterexample at {events} ({axiom}, {})", status.name()),
            None => format!("none up to {}", self.established),
        }
    }
}

/// What mends a mapping that falls as a program.
struct Mended {
    question: Question,
    mapping: Mapping,
    bound: usize,
    report: RepairReport,
}

/// Runs the command. `asked` has the options that hold for every question.
pub fn run(options: &Check, levels: &[Level], asked: &CheckOptions, output: &Output) -> Outcome {
    let start = Instant::now();
    // Ctrl-C and the memory limit end everything, the time limit a question.
    let limits = Limits::start(None, options.question.search.memory);
    let ask = Ask { options, asked, limits: &limits, output };
    let mut cells: Vec<Cell> = Vec::new();
    let mut mended = Vec::new();
    let mut stopped = None;
    let names: Vec<&'static str> = std::iter::once("rc11-to-ptx").chain(library::compilers()).collect();
    'questions: for &mapping in &names {
        let of_mapping = cells.len();
        let sources = match sources(mapping) {
            Ok(sources) => sources,
            Err(errors) => return output.wrong(&errors),
        };
        for &source in sources {
            for target in TARGETS {
                for &level in levels {
                    match ask.question(Question { mapping, source, target, level }) {
                        Ok(cell) => cells.push(cell),
                        Err(errors) => return output.wrong(&errors),
                    }
                    stopped = limits.reason().map(Reason::words);
                    if stopped.is_some() {
                        break 'questions;
                    }
                }
            }
        }
        match ask.mend(&cells[of_mapping..]) {
            Ok(found) => mended.extend(found),
            Err(errors) => return output.wrong(&errors),
        }
    }
    let fell = cells.iter().any(|c| c.verdict == Verdict::Counterexample);
    let open = stopped.is_some() || cells.iter().any(|c| matches!(c.verdict, Verdict::Undecided(_)));
    let exit = output.settle(match (fell, open) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    });
    let printed = match output.format {
        Format::Human => {
            let effort = format!(
                "{:.1} s; of each question: bounds 1 to {}",
                start.elapsed().as_secs_f64(),
                options.question.statement.bound
            );
            output.print(&[summary(&cells, stopped, output), rows(&cells, levels, output), effort].join("\n"))
        }
        Format::Json => output.document(&json::document(&cells, &mended, stopped)),
    };
    folder::fill(options.out.as_deref(), &|_| false, *output, |folder| write(&mut cells, &mended, options, stopped, folder));
    printed.map(|()| exit)
}

/// The readings of C++ that a mapping can be asked about: one with rows for single scopes has none without scopes.
pub fn sources(mapping: &str) -> Result<&'static [&'static str], Vec<Diagnostic>> {
    let loaded = library::find(mapping, &LoadOptions::default())?.mapping;
    let names_scopes = loaded.rows.iter().any(|r| matches!(r.scope, ScopePattern::Named(_)));
    Ok(if names_scopes { &SOURCES[..2] } else { &SOURCES })
}

/// Writes counterexamples and page.
fn write(cells: &mut [Cell], mended: &[Mended], options: &Check, stopped: Option<&str>, folder: &mut Folder) -> io::Result<()> {
    found::write(cells, folder)?;
    folder.write("README.md", page::page(cells, mended, options, stopped))
}

/// How questions are asked.
struct Ask<'a> {
    options: &'a Check,
    asked: &'a CheckOptions,
    limits: &'a Limits,
    output: &'a Output,
}

impl Ask<'_> {
    fn load(&self, question: Question) -> Result<Mapping, Vec<Diagnostic>> {
        let models = LoadOptions { source: Some(question.source.to_owned()), target: Some(question.target.to_owned()) };
        Ok(library::find(question.mapping, &models)?.mapping)
    }

    fn limited(&self, level: Level) -> CheckOptions {
        let mut asked = self.asked.clone();
        asked.level = level;
        asked.co = CoReading::Exists;
        asked.deadline = self.options.question.search.timeout.and_then(|t| Instant::now().checked_add(t));
        asked.stop = self.limits.stop.clone();
        asked
    }

    fn question(&self, question: Question) -> Result<Cell, Vec<Diagnostic>> {
        let mapping = self.load(question)?;
        let start = Instant::now();
        let bar = Bar::new(*self.output);
        let result = check(&mapping, &self.limited(question.level), &bar);
        bar.finish();
        let report = result?;
        let found = report.foremost().map(|c| Found::new(&mapping, c, &Presented::new(&mapping, c)));
        Ok(Cell {
            question,
            title: mapping.title.clone(),
            verdict: report.verdict,
            established: report.established,
            found,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// What mends a mapping, by the first of its questions by which it falls as a program, up to the size of that program.
    fn mend(&self, cells: &[Cell]) -> Result<Option<Mended>, Vec<Diagnostic>> {
        let is_program = |c: &&Cell| c.question.level == Level::Program;
        let Some((question, events)) = cells.iter().filter(is_program).find_map(|c| Some((c.question, c.found.as_ref()?.events)))
        else {
            return Ok(None);
        };
        let mapping = self.load(question)?;
        let options = CheckOptions { bound: events, ..self.limited(question.level) };
        let bar = Bar::new(*self.output);
        let report = repair(&mapping, &options, &Costs::default(), CANDIDATES, &bar);
        bar.finish();
        Ok(Some(Mended { question, mapping, bound: events, report: report? }))
    }
}

/// The answer in a sentence.
fn summary(cells: &[Cell], stopped: Option<&str>, output: &Output) -> String {
    let fell = |level: Level| {
        let mut names: Vec<&str> = cells
            .iter()
            .filter(|c| c.question.level == level && c.verdict == Verdict::Counterexample)
            .map(|c| c.question.mapping)
            .collect();
        names.dedup();
        names.len()
    };
    let mut all: Vec<&str> = cells.iter().map(|c| c.question.mapping).collect();
    all.dedup();
    let mut parts = Vec::new();
    for level in [Level::Program, Level::Execution] {
        if cells.iter().any(|c| c.question.level == level) {
            let words = format!("{} of {} mappings have a counterexample at {} level", fell(level), all.len(), level.name());
            let of_level = |c: &&Cell| c.question.level == level && c.found.as_ref().is_some_and(|f| f.status.is_bug());
            let mut bugs: Vec<&str> = cells.iter().filter(of_level).map(|c| c.question.mapping).collect();
            bugs.dedup();
            parts.push(match level {
                Level::Program => format!("{words} (compiler bugs)"),
                Level::Execution => format!("{words} ({} by a compiler bug of that size)", bugs.len()),
            });
        }
    }
    let words = parts.join(", ");
    let text = if cells.iter().any(|c| c.verdict == Verdict::Counterexample) { output.bad(&words) } else { output.good(&words) };
    match stopped {
        Some(reason) => format!("{text} ({}: not all questions were asked)\n", output.unsure(reason)),
        None => format!("{text}\n"),
    }
}

/// One row for each mapping and pair of models.
fn rows(cells: &[Cell], levels: &[Level], output: &Output) -> String {
    let mut header = vec!["mapping", "source", "target"];
    header.extend(levels.iter().map(|&level| level.name()));
    let rows: Vec<Vec<String>> = cells
        .chunks(levels.len())
        .map(|chunk| {
            let first = &chunk[0];
            let Question { mapping, source, target, .. } = first.question;
            let head = [mapping.to_owned(), source.to_owned(), target.to_owned()];
            head.into_iter().chain(chunk.iter().map(Cell::words)).collect()
        })
        .collect();
    table(&header, &rows, &[], output.width())
}
