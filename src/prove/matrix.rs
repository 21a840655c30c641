//! `margay prove --all-mappings`: what compilers emit, against readings of C++ and of PTX: theorem, counterexample, or open. The page is
//! written again with each answer, and answers are kept beside it, so that the same command goes on after an interruption.

use std::io;
use std::time::Instant;

use margay_answers::prove::answer::{Answer, Said};
use margay_console::exit::Exit;
use margay_console::folder;
use margay_console::limits::{Limits, Reason};
use margay_console::output::{Format, Output};
use margay_console::table::table;
use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;
use margay_reports::{Verdict, prove as document};

use super::kept::Kept;
use super::{of_mapping, page};
use crate::Outcome;
use crate::arguments::Prove;
use crate::check::{TARGETS, sources};

/// The answer to one question.
pub struct Cell {
    /// The name of the table.
    pub mapping: String,
    /// The reading of C++.
    pub source: &'static str,
    /// The reading of PTX.
    pub target: &'static str,
    /// Theorem, counterexample, or undecided.
    pub verdict: Verdict,
    /// `theorem`, `counterexample at 4 (Coherence)`, `open, none up to 5`.
    pub words: String,
    /// For each axiom its name and the same.
    pub axioms: Vec<(String, String)>,
    /// How long it took, now or when it was found.
    pub seconds: f64,
    /// Was the time given used up?
    pub late: bool,
    /// Was it found by a run before?
    pub kept: bool,
}

/// Runs the command.
pub fn run(options: &Prove, output: &Output) -> Outcome {
    let start = Instant::now();
    // Ctrl-C and the memory limit end everything, the time limit a question.
    let all = Limits::start(None, options.search.memory);
    let mut cells = Vec::new();
    let mut stopped = None;
    let mut names: Vec<&str> = std::iter::once("rc11-to-ptx").chain(library::compilers()).collect();
    names.extend(options.mapping.as_deref());
    'questions: for mapping in names {
        let readings = match sources(mapping) {
            Ok(readings) => readings,
            Err(errors) => return output.wrong(&errors),
        };
        for &source in readings {
            for target in TARGETS {
                let cell = match question(options, (mapping, source, target), &all, output) {
                    Ok(cell) => cell,
                    Err(errors) => return output.wrong(&errors),
                };
                // What was interrupted is no answer.
                stopped = all.reason().map(Reason::words);
                if stopped.is_some() {
                    break 'questions;
                }
                cells.push(cell);
                write(&cells, options, Some("interrupted"), output);
            }
        }
    }
    let any = |verdict: Verdict| cells.iter().any(|c| c.verdict == verdict);
    let exit = output.settle(match (any(Verdict::Counterexample), any(Verdict::Open) || stopped.is_some()) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    });
    let printed = match output.format {
        Format::Human => print(&cells, options, stopped, start, output),
        Format::Json => output.document(&report(&cells, options, stopped)),
    };
    write(&cells, options, stopped, output);
    printed.map(|()| exit)
}

/// Writes the page. `stopped`: why not all questions were asked.
fn write(cells: &[Cell], options: &Prove, stopped: Option<&str>, output: &Output) {
    let page = || page::page(cells, options, &counts(cells), stopped);
    folder::fill(options.out.as_deref(), &|_| false, *output, |folder| folder.write("README.md", page()));
}

fn question(
    options: &Prove,
    (mapping, source, target): (&str, &'static str, &'static str),
    all: &Limits,
    output: &Output,
) -> Result<Cell, Vec<Diagnostic>> {
    let begin = Instant::now();
    let loaded = library::find(mapping, &LoadOptions { source: Some(source.to_owned()), target: Some(target.to_owned()) })?;
    let kept = Kept::of(&loaded.mapping, (mapping, source, target), options)?;
    if let Some(cell) = kept.as_ref().and_then(Kept::read) {
        return Ok(cell);
    }
    let limits = all.of_one(options.search.timeout);
    let (asked, report, search, _) = of_mapping(&loaded.mapping, None, options, &limits, output)?;
    let answer = Answer {
        mapping: &loaded.mapping,
        options: &asked,
        report: &report,
        search: &search,
        lemmas: &[],
        stopped: None,
        certified: None,
        rocq: None,
        seconds: 0.0,
    };
    let (axioms, whole) = (answer.axioms(), answer.whole());
    let late = limits.reason() == Some(Reason::Time);
    let remark = if late && matches!(whole, Said::Open(..)) { " (time)" } else { "" };
    let cell = Cell {
        mapping: mapping.to_owned(),
        source,
        target,
        verdict: whole.verdict(),
        words: format!("{}{}{remark}", words(&whole), more(&whole, &axioms)),
        axioms: axioms.iter().map(|(name, said)| ((*name).to_owned(), words(said))).collect(),
        seconds: begin.elapsed().as_secs_f64(),
        late,
        kept: false,
    };
    if let Some(kept) = kept.filter(|_| all.reason().is_none()) {
        kept.write(&cell, output);
    }
    Ok(cell)
}

/// Which axioms fall first, or which are theorems though the whole is open.
fn more(whole: &Said<'_>, axioms: &[(&str, Said<'_>)]) -> String {
    let list = |wanted: &dyn Fn(&Said<'_>) -> bool| -> String {
        let names: Vec<&str> = axioms.iter().filter(|a| wanted(&a.1)).map(|a| a.0).collect();
        names.join(", ")
    };
    match whole {
        Said::Counterexample(n) => format!(" ({})", list(&|s| matches!(s, Said::Counterexample(m) if m == n))),
        Said::Open(..) => match list(&|s| matches!(s, Said::Theorem)) {
            none if none.is_empty() => none,
            some => format!("; theorem: {some}"),
        },
        Said::Theorem | Said::Bug => String::new(),
    }
}

fn words(said: &Said<'_>) -> String {
    match said {
        Said::Theorem => "theorem".to_owned(),
        Said::Counterexample(n) => format!("counterexample at {n}"),
        Said::Open(n, _) => format!("open, none up to {n}"),
        Said::Bug => "contradiction (a bug)".to_owned(),
    }
}

fn counts(cells: &[Cell]) -> String {
    let of = |verdict: Verdict| cells.iter().filter(|c| c.verdict == verdict).count();
    format!(
        "{} theorems, {} with a counterexample, {} open, of {} questions",
        of(Verdict::Theorem),
        of(Verdict::Counterexample),
        of(Verdict::Open),
        cells.len()
    )
}

fn print(cells: &[Cell], options: &Prove, stopped: Option<&str>, start: Instant, output: &Output) -> io::Result<()> {
    let ended = stopped.map_or(String::new(), |why| format!(" ({why}: not all questions were asked)"));
    output.print(&format!("{}{ended}\n", counts(cells)))?;
    let rows: Vec<Vec<String>> = cells
        .iter()
        .map(|c| {
            [&c.mapping, c.source, c.target, &c.words]
                .map(str::to_owned)
                .into_iter()
                .chain([format!("{:.1}", c.seconds)])
                .collect()
        })
        .collect();
    output.print(&table(&["mapping", "source", "target", "answer", "s"], &rows, &[4], output.width()))?;
    let before = match cells.iter().filter(|c| c.kept).count() {
        0 => String::new(),
        1 => "; one answer was there from a run before".to_owned(),
        n => format!("; {n} answers were there from a run before"),
    };
    let seconds = start.elapsed().as_secs_f64();
    output.print(&format!("{seconds:.1} s; the search went up to {} events{before}", options.statement.bound))
}

fn report(cells: &[Cell], options: &Prove, stopped: Option<&str>) -> document::Matrix {
    let axiom = |(name, words): &(String, String)| document::AxiomInWords { axiom: name.clone(), answer: words.clone() };
    let cell = |c: &Cell| document::Answer {
        mapping: c.mapping.clone(),
        source: c.source.to_owned(),
        target: c.target.to_owned(),
        verdict: c.verdict,
        answer: c.words.clone(),
        axioms: c.axioms.iter().map(axiom).collect(),
        seconds: c.seconds,
    };
    document::Matrix { complete: stopped.is_none(), bound: options.statement.bound, answers: cells.iter().map(cell).collect() }
}
