//! `margay prove --all-mappings`: what compilers emit, against readings of C++ and of PTX: theorem, counterexample, or open. Each answer is
//! kept as it comes, and the page is made of the answers.

use std::io;
use std::time::Instant;

use margay_mappings::language::{LoadOptions, Mapping};
use margay_mappings::library;
use margay_models::certificate::{ModelText, Text};
use margay_models::diagnostic::Diagnostic;
use margay_models::digest::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::{Answer, Said};
use super::{of_mapping, page};
use crate::Outcome;
use crate::arguments::{Format, Prove};
use crate::check::{TARGETS, sources};
use crate::exit::Exit;
use crate::folder;
use crate::gpu::results::Results;
use crate::limits::{Limits, Reason};
use crate::output::{Output, SCHEMA};
use crate::table::table;

/// The answer to one question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// The name of the table.
    pub mapping: String,
    /// The reading of C++.
    pub source: String,
    /// The reading of PTX.
    pub target: String,
    /// `theorem`, `counterexample` or `open`.
    pub verdict: String,
    /// `theorem`, `counterexample at 4 (Coherence)`, `open, none up to 5`.
    #[serde(rename = "answer")]
    pub words: String,
    /// The same of each axiom.
    pub axioms: Vec<Axiom>,
    /// Was the time of the question used up?
    pub timed_out: bool,
    seconds: f64,
}

/// What is said of one axiom.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Axiom {
    /// Its name.
    pub axiom: String,
    /// In words.
    pub answer: String,
}

/// Runs the command.
pub fn run(options: &Prove, output: &Output) -> Outcome {
    let start = Instant::now();
    let mut results = match options.results.as_deref().map(Results::open).transpose() {
        Ok(results) => results,
        Err(error) => return output.wrong(&[error]),
    };
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
                let cell = match question(options, (mapping, source, target), &all, output, results.as_mut()) {
                    Ok(cell) => cell,
                    Err(errors) => return output.wrong(&errors),
                };
                // What was interrupted is no answer.
                stopped = all.reason().map(Reason::words);
                if stopped.is_some() {
                    break 'questions;
                }
                cells.push(cell);
            }
        }
    }
    let any = |verdict: &str| cells.iter().any(|c| c.verdict == verdict);
    let exit = output.settle(match (any("counterexample"), any("open") || stopped.is_some()) {
        (true, _) => Exit::Found,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Holds,
    });
    let printed = match output.format {
        Format::Human => print(&cells, options, stopped, start, output),
        Format::Json => output.json(&json(&cells, options, stopped)),
    };
    folder::fill(options.out.as_deref(), &|_| false, *output, |folder| {
        folder.write("README.md", page::page(&cells, options, &counts(&cells), stopped))
    });
    printed.map(|()| exit)
}

/// What an answer is an answer to: the texts of the question too, since a file of answers may be older than they are.
fn asked(options: &Prove, mapping: &Mapping, (name, source, target): (&str, &str, &str)) -> Result<Value, Vec<Diagnostic>> {
    let texts = (Text::of(&mapping.file), ModelText::of(&mapping.source)?, ModelText::of(&mapping.target)?);
    let texts = serde_json::to_string(&texts).expect("texts are JSON");
    Ok(json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "mapping": name,
        "source": source,
        "target": target,
        "texts": digest(texts.as_bytes()),
        "bound": options.statement.bound,
        "timeout": options.search.timeout.map(|t| t.as_secs_f64()),
        "without": options.search.without,
        "only": options.search.only,
        "typed": format!("{:?}", options.statement.typed),
    }))
}

fn question(
    options: &Prove,
    (mapping, source, target): (&str, &str, &str),
    all: &Limits,
    output: &Output,
    results: Option<&mut Results>,
) -> Result<Cell, Vec<Diagnostic>> {
    let begin = Instant::now();
    let loaded = library::find(mapping, &LoadOptions { source: Some(source.to_owned()), target: Some(target.to_owned()) })?;
    let asked = asked(options, &loaded.mapping, (mapping, source, target))?;
    let known = results.as_ref().and_then(|r| r.known(&asked)).map(|line| serde_json::from_value::<Cell>(line.clone()));
    if let Some(Ok(cell)) = known {
        return Ok(cell);
    }
    let limits = all.of_one(options.search.timeout);
    let (wanted, report, search, _) = of_mapping(&loaded.mapping, None, options, &limits, output)?;
    let answer = Answer {
        mapping: &loaded.mapping,
        options: &wanted,
        report: &report,
        search: &search,
        lemmas: &[],
        stopped: None,
        certified: None,
        rocq: None,
        seconds: 0.0,
    };
    let axioms = answer.axioms();
    let whole = answer.whole();
    let cell = Cell {
        mapping: mapping.to_owned(),
        source: source.to_owned(),
        target: target.to_owned(),
        verdict: whole.word().to_owned(),
        words: format!("{}{}", words(&whole), more(&whole, &axioms)),
        axioms: axioms.iter().map(|(name, said)| Axiom { axiom: (*name).to_owned(), answer: words(said) }).collect(),
        timed_out: matches!(whole, Said::Open(..)) && limits.reason() == Some(Reason::Time),
        seconds: begin.elapsed().as_secs_f64(),
    };
    if let Some(results) = results.filter(|_| all.reason().is_none()) {
        let mut line = asked;
        let own = serde_json::to_value(&cell).expect("an answer is JSON");
        line.as_object_mut().expect("it is an object").extend(own.as_object().expect("it is an object").clone());
        results.add(&line).map_err(|e| vec![e])?;
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
    let of = |verdict: &str| cells.iter().filter(|c| c.verdict == verdict).count();
    format!(
        "{} theorems, {} with a counterexample, {} open, of {} questions",
        of("theorem"),
        of("counterexample"),
        of("open"),
        cells.len()
    )
}

fn print(cells: &[Cell], options: &Prove, stopped: Option<&str>, start: Instant, output: &Output) -> io::Result<()> {
    let ended = stopped.map_or(String::new(), |why| format!(" ({why}: not all questions were asked)"));
    output.print(&format!("{}{ended}\n", counts(cells)))?;
    let rows: Vec<Vec<String>> = cells
        .iter()
        .map(|c| {
            [&c.mapping, &c.source, &c.target, &c.words]
                .map(String::clone)
                .into_iter()
                .chain([format!("{:.1}", c.seconds)])
                .collect()
        })
        .collect();
    output.print(&table(&["mapping", "source", "target", "answer", "s"], &rows, &[4], output.width()))?;
    output.print(&format!("{:.1} s; the search went up to {} events", start.elapsed().as_secs_f64(), options.statement.bound))
}

fn json(cells: &[Cell], options: &Prove, stopped: Option<&str>) -> Value {
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "complete": stopped.is_none(),
        "bound": options.statement.bound,
        "answers": cells,
    })
}
