//! `margay check --all-mappings`: what compilers emit, against the readings of C++ and PTX, at both levels, as one table.

use std::fs;
use std::io;
use std::time::Instant;

use margay_mappings::check::{CheckOptions, CoReading, Level, Verdict, check};
use margay_mappings::language::LoadOptions;
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;

use super::files;
use super::present::{Context, Presented};
use crate::Outcome;
use crate::arguments::{Check, Format};
use crate::exit::Exit;
use crate::limits::{Limits, Reason};
use crate::output::{Output, SCHEMA};
use crate::progress::Bar;
use crate::table::table;

/// The readings of C++: release sequences with and without the later writes of the same thread.
const SOURCES: [&str; 2] = ["rc11-scoped", "c20-scoped"];
/// The readings of PTX.
const TARGETS: [&str; 2] = ["ptx-6.0", "ptx-8"];

/// The answer to one question.
struct Cell {
    mapping: String,
    title: String,
    source: &'static str,
    target: &'static str,
    level: Level,
    verdict: Verdict,
    /// The bound up to which there is no counterexample.
    established: usize,
    /// Axiom and size of the smallest counterexample.
    found: Option<(String, usize)>,
    seconds: f64,
}

impl Cell {
    /// `falls at 4 (Coherence)`, `none up to 7`.
    fn words(&self) -> String {
        match (&self.verdict, &self.found) {
            (Verdict::Counterexample, Some((axiom, events))) => format!("falls at {events} ({axiom})"),
            _ => format!("none up to {}", self.established),
        }
    }

    /// The folder of its files, below that of the report.
    fn folder(&self) -> String {
        format!("{}/{}-{}-{}", self.mapping, self.source, self.target, level_name(self.level))
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Execution => "execution",
        Level::Program => "program",
    }
}

/// Runs the command. `asked` has the options that hold for every question.
pub fn run(options: &Check, levels: &[Level], asked: &CheckOptions, output: &Output) -> Outcome {
    let start = Instant::now();
    // Ctrl-C and the memory limit end everything, the time limit a question.
    let limits = Limits::start(None, options.memory);
    let mut cells = Vec::new();
    let mut stopped = None;
    let names: Vec<&str> = std::iter::once("rc11-to-ptx").chain(library::compilers()).collect();
    'questions: for name in names {
        for source in SOURCES {
            for target in TARGETS {
                for &level in levels {
                    match ask(name, source, target, level, (options, asked, &limits), output) {
                        Ok(Ok(cell)) => cells.push(cell),
                        Ok(Err(errors)) => return output.wrong(&errors),
                        Err(error) => return output.wrong(&[Diagnostic::error(format!("cannot write the results: {error}"))]),
                    }
                    stopped = limits.reason().map(Reason::words);
                    if stopped.is_some() {
                        break 'questions;
                    }
                }
            }
        }
    }
    if let Some(folder) = &options.out
        && let Err(error) = fs::write(folder.join("README.md"), page(&cells, options, stopped))
    {
        return output.wrong(&[Diagnostic::error(format!("cannot write into `{}`: {error}", folder.display()))]);
    }
    match output.format {
        Format::Human | Format::Junit => {
            output.print(&summary(&cells, stopped, output))?;
            output.print(&rows(&cells, levels, output))?;
            output.print(&format!("{:.1} s; of each question: bounds 1 to {}", start.elapsed().as_secs_f64(), options.bound))?;
        }
        Format::Json => output.json(&json(&cells, stopped))?,
    }
    let fell = cells.iter().any(|c| c.verdict == Verdict::Counterexample);
    let open = stopped.is_some() || cells.iter().any(|c| matches!(c.verdict, Verdict::Undecided(_)));
    Ok(match (fell, open) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    })
}

/// One question; its counterexample goes to files, if asked.
fn ask(
    name: &str,
    source: &'static str,
    target: &'static str,
    level: Level,
    (options, asked, limits): (&Check, &CheckOptions, &Limits),
    output: &Output,
) -> io::Result<Result<Cell, Vec<Diagnostic>>> {
    let models = LoadOptions { source: Some(source.to_owned()), target: Some(target.to_owned()) };
    let mapping = match library::find(name, &models) {
        Ok(loaded) => loaded.mapping,
        Err(errors) => return Ok(Err(errors)),
    };
    let mut asked = asked.clone();
    asked.level = level;
    asked.co = CoReading::Exists;
    asked.deadline = options.timeout.and_then(|t| Instant::now().checked_add(t));
    asked.stop = limits.stop.clone();
    let start = Instant::now();
    let bar = Bar::new(output.format == Format::Human);
    let result = check(&mapping, &asked, &bar);
    bar.finish();
    let report = match result {
        Ok(report) => report,
        Err(errors) => return Ok(Err(errors)),
    };
    let cell = Cell {
        mapping: name.to_owned(),
        title: mapping.title.clone(),
        source,
        target,
        level,
        verdict: report.verdict.clone(),
        established: report.established,
        found: report.counterexamples.first().map(|c| (c.axiom.clone(), c.events)),
        seconds: start.elapsed().as_secs_f64(),
    };
    if let Some(folder) = &options.out
        && !report.counterexamples.is_empty()
    {
        let presented: Vec<Presented> = report.counterexamples.iter().map(|c| Presented::new(&mapping, c)).collect();
        let context = Context { mapping: &mapping, options: &asked, report: &report, seconds: cell.seconds };
        files::write(&folder.join(cell.folder()), &context, &presented)?;
    }
    Ok(Ok(cell))
}

/// The answer in a sentence.
fn summary(cells: &[Cell], stopped: Option<&str>, output: &Output) -> String {
    let fell = |level: Level| {
        let mut names: Vec<&str> = cells
            .iter()
            .filter(|c| c.level == level && c.verdict == Verdict::Counterexample)
            .map(|c| c.mapping.as_str())
            .collect();
        names.dedup();
        names.len()
    };
    let mut all: Vec<&str> = cells.iter().map(|c| c.mapping.as_str()).collect();
    all.dedup();
    let mut parts = Vec::new();
    for level in [Level::Execution, Level::Program] {
        if cells.iter().any(|c| c.level == level) {
            parts.push(format!("{} of {} mappings fall at {} level", fell(level), all.len(), level_name(level)));
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
    header.extend(levels.iter().map(|&l| level_name(l)));
    let rows: Vec<Vec<String>> = cells
        .chunks(levels.len())
        .map(|chunk| {
            let first = &chunk[0];
            let head = [first.mapping.clone(), first.source.to_owned(), first.target.to_owned()];
            head.into_iter().chain(chunk.iter().map(Cell::words)).collect()
        })
        .collect();
    table(&header, &rows, &[], output.width())
}

/// The page: a matrix of mappings and models.
fn page(cells: &[Cell], options: &Check, stopped: Option<&str>) -> String {
    let mut out = format!(
        "# What compilers emit, checked\n\nMade by `margay check --all-mappings --bound {}`, version {}. A number is the size of the smallest \
         counterexample in source operations (a read-modify-write is two); `none up to N` says how far there is none. At execution \
         level a counterexample is one execution whose outcome no modification order explains; at program level a program without \
         races whose outcome the source forbids.\n\n",
        options.bound,
        env!("CARGO_PKG_VERSION")
    );
    if let Some(reason) = stopped {
        out.push_str(&format!("**{reason}: not all questions were asked.**\n\n"));
    }
    let mut columns: Vec<(&str, &str, Level)> = cells.iter().map(|c| (c.source, c.target, c.level)).collect();
    columns.sort_by_key(|&(s, t, l)| {
        (SOURCES.iter().position(|x| *x == s), TARGETS.iter().position(|x| *x == t), l == Level::Program)
    });
    columns.dedup();
    let names: Vec<String> = columns.iter().map(|(s, t, l)| format!("{s} to {t}, {}", level_name(*l))).collect();
    out.push_str(&format!("| mapping | {} |\n|{}\n", names.join(" | "), " --- |".repeat(names.len() + 1)));
    let mut mappings: Vec<(&str, &str)> = cells.iter().map(|c| (c.mapping.as_str(), c.title.as_str())).collect();
    mappings.dedup();
    for (mapping, title) in mappings {
        let entries: Vec<String> = columns
            .iter()
            .map(|&(s, t, l)| {
                let cell = cells.iter().find(|c| c.mapping == mapping && c.source == s && c.target == t && c.level == l);
                match cell {
                    Some(cell) if cell.found.is_some() => format!("[{}]({}/)", cell.words(), cell.folder()),
                    Some(cell) => cell.words(),
                    None => "not asked".to_owned(),
                }
            })
            .collect();
        out.push_str(&format!("| **{mapping}**: {title} | {} |\n", entries.join(" | ")));
    }
    out
}

fn json(cells: &[Cell], stopped: Option<&str>) -> serde_json::Value {
    let answers: Vec<serde_json::Value> = cells
        .iter()
        .map(|c| {
            let (verdict, why) = match &c.verdict {
                Verdict::None => ("none", None),
                Verdict::Counterexample => ("counterexample", None),
                Verdict::Undecided(why) => ("undecided", Some(why)),
            };
            serde_json::json!({
                "mapping": c.mapping, "source": c.source, "target": c.target, "level": level_name(c.level),
                "verdict": verdict, "reason": why, "bound": c.established, "seconds": c.seconds,
                "axiom": c.found.as_ref().map(|f| &f.0), "events": c.found.as_ref().map(|f| f.1),
            })
        })
        .collect();
    serde_json::json!({ "schema": SCHEMA, "complete": stopped.is_none(), "answers": answers })
}
