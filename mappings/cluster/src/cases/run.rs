//! `margay case run`: cases from their files.

use std::path::PathBuf;
use std::time::Duration;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::{number, table};
use margay_mappings::check::{CaseFile, CheckOptions, SolvedCaseFile};
use margay_models::diagnostic::Diagnostic;
use margay_reports::{Verdict, case};

fn answer(found: Option<bool>) -> Verdict {
    match found {
        Some(true) => Verdict::Counterexample,
        Some(false) => Verdict::None,
        None => Verdict::Undecided,
    }
}

fn document(solved: &SolvedCaseFile) -> case::SolvedCaseRecord {
    let answers = solved
        .answers
        .iter()
        .map(|(axiom, found)| case::AxiomAnswer { axiom: axiom.clone(), verdict: answer(*found) });
    case::SolvedCaseRecord {
        case: solved.name.clone(),
        answers: answers.collect(),
        conflicts: solved.conflicts,
        seconds: solved.seconds,
        kept: solved.kept,
        file: (solved.is_decided() && !solved.unwritten).then(|| solved.path.display().to_string()),
    }
}

fn rows(solved: &SolvedCaseFile) -> Vec<Vec<String>> {
    let rows = solved.answers.iter().enumerate().map(|(i, (axiom, found))| {
        let first = |text: String| if i == 0 { text } else { String::new() };
        let answer = answer(*found).word().to_owned();
        let seconds = first(format!("{:.2}", solved.seconds));
        vec![
            first(solved.name.clone()),
            axiom.clone(),
            answer,
            first(number(solved.conflicts)),
            seconds,
        ]
    });
    rows.collect()
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct ClusterRunOptions {
    /// Case files.
    pub files: Vec<PathBuf>,
    /// The folder of answers.
    pub into: PathBuf,
    /// The folder of proofs.
    pub certify: Option<PathBuf>,
    /// When to stop.
    pub timeout: Option<Duration>,
    /// How much memory the program may use, in bytes.
    pub memory: Option<u64>,
}

/// Solves the cases one after the other, and keeps their answers.
pub fn run(options: &ClusterRunOptions, output: &Output) -> CommandOutcome {
    let limits = RunLimits::start(options.timeout, options.memory);
    let mut asked = CheckOptions::new(1);
    (asked.stop, asked.deadline) = (limits.stop.clone(), limits.deadline);
    asked.certify.clone_from(&options.certify);
    if let Some(folder) = &options.certify
        && let Err(error) = margay_models::confined::make_folder(folder)
    {
        return output.wrong(&[Diagnostic::error(format!(
            "cannot write proofs into `{}`: {error}",
            folder.display()
        ))]);
    }
    let mut solved: Vec<SolvedCaseFile> = Vec::new();
    for path in &options.files {
        let bar = Bar::new(*output);
        let one = CaseFile::read(path)
            .map_err(|error| vec![error])
            .and_then(|case| case.solve(&options.into, &asked, &bar));
        bar.finish();
        match one {
            Ok(one) => solved.push(one),
            Err(errors) => return output.wrong(&errors),
        }
    }
    let verdicts: Vec<Option<bool>> =
        solved.iter().flat_map(|s| s.answers.iter().map(|&(_, found)| found)).collect();
    let (found, open) = (verdicts.contains(&Some(true)), verdicts.contains(&None));
    let (exit, verdict) = match (found, open) {
        (true, _) => (Exit::Found, Verdict::Counterexample),
        (false, true) => (Exit::Undecided, Verdict::Undecided),
        (false, false) => (Exit::Holds, Verdict::None),
    };
    // Others wait for the files: without them the command has not done what it is for, whatever the
    // answers are.
    let unwritten: Vec<Diagnostic> = solved
        .iter()
        .filter(|s| s.unwritten)
        .map(|s| {
            Diagnostic::error(format!(
                "the answer of `{}` cannot be kept in `{}`",
                s.name,
                s.path.display()
            ))
        })
        .collect();
    let ends = output.settle(if unwritten.is_empty() { exit } else { Exit::Wrong });
    let reason =
        open.then(|| limits.reason().map_or("a limit was reached", |reason| reason.words()));
    if output.format == Format::Json {
        let (reason, cases) = (reason.map(str::to_owned), solved.iter().map(document).collect());
        output.document(&case::CaseRunDocument { verdict, reason, cases })?;
        output.warn(&unwritten);
        return Ok(ends);
    }
    let cases =
        if solved.len() == 1 { "1 case".to_owned() } else { format!("{} cases", solved.len()) };
    let answer = match exit {
        Exit::Found => format!("{} in {cases}", output.bad("counterexample")),
        Exit::Undecided => {
            let decided = solved.iter().filter(|s| s.is_decided()).count();
            format!(
                "{}: {}; {decided} of {cases} decided",
                output.unsure("undecided"),
                reason.unwrap_or_default()
            )
        }
        Exit::Holds | Exit::Wrong => format!("{} in {cases}", output.good("no counterexample")),
    };
    output.print(&answer)?;
    output.print("")?;
    let rows: Vec<Vec<String>> = solved.iter().flat_map(rows).collect();
    output.print(&table(
        &["case", "axiom", "answer", "conflicts", "CPU s"],
        &rows,
        &[3, 4],
        output.width(),
    ))?;
    let kept = solved.iter().filter(|s| s.kept).count();
    if kept > 0 {
        output.print(&format!("{kept} of {cases} had an answer already."))?;
    }
    output.warn(&unwritten);
    Ok(ends)
}
