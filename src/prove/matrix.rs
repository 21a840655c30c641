//! `margay prove --all-mappings`: what compilers emit, against readings of C++ and of PTX: theorem, counterexample, or open.

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

use super::of_mapping;
use crate::Outcome;
use crate::arguments::Prove;
use crate::check::{TARGETS, sources};

/// The answer to one question.
struct Cell {
    mapping: &'static str,
    source: &'static str,
    target: &'static str,
    verdict: Verdict,
    /// `theorem`, `counterexample at 4 (Coherence)`, `open, none up to 5`.
    words: String,
    /// For each axiom its name and the same.
    axioms: Vec<(String, String)>,
    seconds: f64,
}

/// Runs the command.
pub fn run(options: &Prove, output: &Output) -> Outcome {
    let start = Instant::now();
    // Ctrl-C and the memory limit end everything, the time limit a question.
    let all = Limits::start(None, options.search.memory);
    let mut cells = Vec::new();
    let mut stopped = None;
    let names: Vec<&'static str> = std::iter::once("rc11-to-ptx").chain(library::compilers()).collect();
    'questions: for mapping in names {
        let readings = match sources(mapping) {
            Ok(readings) => readings,
            Err(errors) => return output.wrong(&errors),
        };
        for &source in readings {
            for target in TARGETS {
                match question(options, (mapping, source, target), &all, output) {
                    Ok(cell) => cells.push(cell),
                    Err(errors) => return output.wrong(&errors),
                }
                stopped = all.reason().map(Reason::words);
                if stopped.is_some() {
                    break 'questions;
                }
            }
        }
    }
    let any = |verdict: Verdict| cells.iter().any(|c| c.verdict == verdict);
    let exit = output.settle(match (any(Verdict::Counterexample), any(Verdict::Undecided) || stopped.is_some()) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    });
    let printed = match output.format {
        Format::Human => print(&cells, options, stopped, start, output),
        Format::Json => output.document(&report(&cells, options, stopped)),
    };
    folder::fill(options.out.as_deref(), &|_| false, *output, |folder| folder.write("README.md", page(&cells, options, stopped)));
    printed.map(|()| exit)
}

fn question(
    options: &Prove,
    (mapping, source, target): (&'static str, &'static str, &'static str),
    all: &Limits,
    output: &Output,
) -> Result<Cell, Vec<Diagnostic>> {
    let begin = Instant::now();
    let loaded = library::find(mapping, &LoadOptions { source: Some(source.to_owned()), target: Some(target.to_owned()) })?;
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
    let axioms = answer.axioms().iter().map(|(name, said)| ((*name).to_owned(), words(said))).collect();
    let whole = answer.whole();
    let first = search.foremost().map_or(String::new(), |c| format!(" ({})", c.axiom));
    Ok(Cell {
        mapping,
        source,
        target,
        verdict: whole.verdict(),
        words: format!("{}{first}", words(&whole)),
        axioms,
        seconds: begin.elapsed().as_secs_f64(),
    })
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
        of(Verdict::Undecided),
        cells.len()
    )
}

fn print(cells: &[Cell], options: &Prove, stopped: Option<&str>, start: Instant, output: &Output) -> io::Result<()> {
    let ended = stopped.map_or(String::new(), |why| format!(" ({why}: not all questions were asked)"));
    output.print(&format!("{}{ended}\n", counts(cells)))?;
    let rows: Vec<Vec<String>> = cells
        .iter()
        .map(|c| {
            [c.mapping, c.source, c.target, &c.words]
                .map(str::to_owned)
                .into_iter()
                .chain([format!("{:.1}", c.seconds)])
                .collect()
        })
        .collect();
    output.print(&table(&["mapping", "source", "target", "answer", "s"], &rows, &[4], output.width()))?;
    output.print(&format!("{:.1} s; the search went up to {} events", start.elapsed().as_secs_f64(), options.statement.bound))
}

fn report(cells: &[Cell], options: &Prove, stopped: Option<&str>) -> document::Matrix {
    let axiom = |(name, words): &(String, String)| document::AxiomInWords { axiom: name.clone(), answer: words.clone() };
    let cell = |c: &Cell| document::Answer {
        mapping: c.mapping.to_owned(),
        source: c.source.to_owned(),
        target: c.target.to_owned(),
        verdict: c.verdict,
        answer: c.words.clone(),
        axioms: c.axioms.iter().map(axiom).collect(),
        seconds: c.seconds,
    };
    document::Matrix { complete: stopped.is_none(), bound: options.statement.bound, answers: cells.iter().map(cell).collect() }
}

/// The page.
fn page(cells: &[Cell], options: &Prove, stopped: Option<&str>) -> String {
    let timeout = options.search.timeout.map_or(String::new(), |t| format!(" --timeout {}", humantime::format_duration(t)));
    let mut out = format!(
        "# What compilers emit, proved\n\nMade by `margay prove --all-mappings --bound {}{timeout}`, version {}. *Theorem*: every legal target \
         execution, of whatever size, read back as a source execution without undefined behaviour, is one that the source model allows, for \
         every modification order above the target's coherence order. *Counterexample at n*: one with n source events (a read-modify-write \
         is two) is not. *Open*: no proof was found, and none of so many events or fewer is a counterexample. All of this is about single \
         executions, not programs ([docs/unbounded.md](../../docs/unbounded.md)).\n\n{}.\n\n",
        options.statement.bound,
        env!("CARGO_PKG_VERSION"),
        counts(cells)
    );
    if let Some(reason) = stopped {
        out.push_str(&format!("**{reason}: not all questions were asked.**\n\n"));
    }
    out.push_str("| mapping | source | target | answer | axioms |\n| --- | --- | --- | --- | --- |\n");
    for c in cells {
        let axioms: Vec<String> = c.axioms.iter().map(|(name, words)| format!("{name}: {words}")).collect();
        out.push_str(&format!("| {} | {} | {} | {} | {} |\n", c.mapping, c.source, c.target, c.words, axioms.join("; ")));
    }
    out
}
