//! `--all-mappings`: what compilers emit, against readings of C++ and of PTX: theorem,
//! counterexample, or open. The page is written again with each answer, and answers are kept beside
//! it, so that the same command goes on after an interruption.

mod kept;
mod page;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::{RunLimits, StopReason};
use margay_console::output::{Format, Output};
use margay_console::table::table;
use margay_mappings::check::CheckOptions;
use margay_models::diagnostic::Diagnostic;
use margay_reports::{Verdict, prove as document};
use margay_theorem::theorem::Hypotheses;

use super::answer::{MappingAnswer, Said};
use super::mapping::settle;
use crate::headline::events;
use crate::matrix::{MappingPair, names, pairs};
use kept::KeptProofAnswer;

/// What is asked of all mappings.
#[derive(Debug, Clone)]
pub struct ProofMatrixOptions {
    /// One more table.
    pub more: Option<String>,
    /// The search beside each proof, without limits.
    pub check: CheckOptions,
    /// The time of a question.
    pub timeout: Option<Duration>,
    /// The memory for all.
    pub memory: Option<u64>,
    /// The folder for the page and the answers.
    pub out: Option<PathBuf>,
}

/// The answer to one question.
struct ProofMatrixCell<'a> {
    of: MappingPair<'a>,
    /// Theorem, counterexample, or undecided.
    verdict: Verdict,
    /// `theorem`, `counterexample at 4 (Coherence)`, `open, none up to 5`.
    words: String,
    /// For each axiom its name and the same.
    axioms: Vec<(String, String)>,
    /// How long it took, now or when it was found.
    seconds: f64,
    /// Was the time given used up?
    late: bool,
    /// Was it found by a run before?
    kept: bool,
}

/// The answers so far.
struct ProofMatrixAnswers<'a> {
    cells: Vec<ProofMatrixCell<'a>>,
    /// Why not all questions were asked.
    stopped: Option<&'static str>,
}

impl ProofMatrixAnswers<'_> {
    fn count(&self, verdict: Verdict) -> usize {
        self.cells.iter().filter(|c| c.verdict == verdict).count()
    }

    fn counts(&self) -> String {
        format!(
            "{} theorems, {} with a counterexample, {} open, of {} questions",
            self.count(Verdict::Theorem),
            self.count(Verdict::Counterexample),
            self.count(Verdict::Open),
            self.cells.len()
        )
    }

    fn exit(&self) -> Exit {
        match (
            self.count(Verdict::Counterexample) > 0,
            self.count(Verdict::Open) > 0 || self.stopped.is_some(),
        ) {
            (true, _) => Exit::Found,
            (false, true) => Exit::Undecided,
            (false, false) => Exit::Holds,
        }
    }

    /// Writes the page.
    fn write(&self, options: &ProofMatrixOptions, output: &Output) {
        let page = || page::page(self, options);
        folder::fill(options.out.as_deref(), &|_| false, *output, |folder| {
            folder.write("README.md", page())
        });
    }
}

/// Asks about all mappings, and prints the table; with a folder the page is written into it.
///
/// # Errors
/// The output cannot be written.
pub fn run(options: &ProofMatrixOptions, output: &Output) -> CommandOutcome {
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let start = Instant::now();
    // Ctrl-C and the memory limit end everything, the time limit a question.
    let limits = RunLimits::start(None, options.memory);
    let answers = match ask(options, &limits, output) {
        Ok(answers) => answers,
        Err(errors) => return output.wrong(&errors),
    };
    let exit = output.settle(answers.exit());
    let printed = match output.format {
        Format::Human => print(&answers, options, start, output),
        Format::Json => output.document(&report(&answers, options)),
    };
    answers.write(options, output);
    printed.map(|()| exit)
}

/// Asks one after the other, until the limits end it.
fn ask<'a>(
    options: &'a ProofMatrixOptions,
    limits: &RunLimits,
    output: &Output,
) -> Result<ProofMatrixAnswers<'a>, Vec<Diagnostic>> {
    // A table that cannot be read is told of before the others take their time.
    let mut tables: Vec<&str> = names().collect();
    tables.extend(options.more.as_deref());
    let all = tables.into_iter().map(pairs).collect::<Result<Vec<_>, _>>()?;
    let mut answers = ProofMatrixAnswers { cells: Vec::new(), stopped: Some("interrupted") };
    for of in all.into_iter().flatten() {
        let cell = question(options, of, limits, output)?;
        // What was interrupted is no answer.
        if let Some(reason) = limits.reason() {
            answers.stopped = Some(reason.words());
            return Ok(answers);
        }
        answers.cells.push(cell);
        answers.write(options, output);
    }
    answers.stopped = None;
    Ok(answers)
}

fn question<'a>(
    options: &'a ProofMatrixOptions,
    of: MappingPair<'a>,
    all: &RunLimits,
    output: &Output,
) -> Result<ProofMatrixCell<'a>, Vec<Diagnostic>> {
    let begin = Instant::now();
    let mapping = of.load()?;
    let kept = KeptProofAnswer::of(&mapping, of, options)?;
    if let Some(cell) = kept.as_ref().and_then(KeptProofAnswer::read) {
        return Ok(cell);
    }
    let limits = all.of_one(options.timeout);
    let (_, _, report, search) = settle(&mapping, None, false, &options.check, &limits, output)?;
    let answer = MappingAnswer {
        mapping: &mapping,
        options: &options.check,
        report: &report,
        search: &search,
        lemmas: &[],
        stopped: None,
        hypotheses: &Hypotheses::default(),
        certified: None,
        rocq: None,
        seconds: 0.0,
    };
    let (axioms, whole) = (answer.axioms(), answer.whole());
    let late = limits.reason() == Some(StopReason::Time);
    let remark =
        if late && matches!(whole, Said::Open(..) | Said::Unsearched(_)) { " (time)" } else { "" };
    let cell = ProofMatrixCell {
        of,
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
        Said::Counterexample(n) => {
            format!(" ({})", list(&|s| matches!(s, Said::Counterexample(m) if m == n)))
        }
        Said::Open(..) => match list(&|s| matches!(s, Said::Theorem)) {
            none if none.is_empty() => none,
            some => format!("; theorem: {some}"),
        },
        Said::Theorem | Said::Empty(_) | Said::Unsearched(_) | Said::Contradiction(_) => {
            String::new()
        }
    }
}

fn words(said: &Said<'_>) -> String {
    match said {
        Said::Theorem => "theorem".to_owned(),
        Said::Counterexample(n) => format!("counterexample at {n}"),
        Said::Open(n, _) => format!("open, none up to {n}"),
        Said::Empty(what) => format!("empty: {what}"),
        Said::Unsearched(n) => format!("open: proved, and searched up to {n}"),
        Said::Contradiction(n) => {
            format!("contradiction (a bug): proved, and a counterexample at {n}")
        }
    }
}

fn print(
    answers: &ProofMatrixAnswers<'_>,
    options: &ProofMatrixOptions,
    start: Instant,
    output: &Output,
) -> io::Result<()> {
    let cells = &answers.cells;
    let ended = answers
        .stopped
        .map_or(String::new(), |why| format!(" ({why}: not all questions were asked)"));
    output.print(&format!("{}{ended}\n", answers.counts()))?;
    let rows: Vec<Vec<String>> = cells
        .iter()
        .map(|c| {
            [c.of.mapping, c.of.source, c.of.target, &c.words]
                .map(str::to_owned)
                .into_iter()
                .chain([format!("{:.1}", c.seconds)])
                .collect()
        })
        .collect();
    output.print(&table(
        &["mapping", "source", "target", "answer", "s"],
        &rows,
        &[4],
        output.width(),
    ))?;
    let before = match cells.iter().filter(|c| c.kept).count() {
        0 => String::new(),
        1 => "; one answer was there from a run before".to_owned(),
        n => format!("; {n} answers were there from a run before"),
    };
    let seconds = start.elapsed().as_secs_f64();
    output.print(&format!(
        "{seconds:.1} s; the search went up to {}{before}",
        events(options.check.bound)
    ))
}

fn report(
    answers: &ProofMatrixAnswers<'_>,
    options: &ProofMatrixOptions,
) -> document::ProofMatrixDocument {
    let axiom = |(name, words): &(String, String)| document::AxiomInWords {
        axiom: name.clone(),
        answer: words.clone(),
    };
    let cell = |c: &ProofMatrixCell<'_>| document::ProofMatrixAnswerRecord {
        mapping: c.of.mapping.to_owned(),
        source: c.of.source.to_owned(),
        target: c.of.target.to_owned(),
        verdict: c.verdict,
        answer: c.words.clone(),
        axioms: c.axioms.iter().map(axiom).collect(),
        seconds: c.seconds,
    };
    document::ProofMatrixDocument {
        complete: answers.stopped.is_none(),
        bound: options.check.bound,
        answers: answers.cells.iter().map(cell).collect(),
    }
}
