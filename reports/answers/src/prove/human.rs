//! The answer for people: what is a theorem, the counterexample, or what is missing and the few events that show it.

use std::io;

use margay_console::output::Output;
use margay_console::table::{number, table};
use margay_console::wrapped::{indented, wrapped};
use margay_models::picture::text;
use margay_prove::theorem::{Gap, Report, StepReport};

use super::answer::{MappingAnswer, Said};
use crate::check::human::between;
use crate::check::print_counterexample;

/// More direct steps than these are not listed.
const MOST_DIRECT: usize = 12;

/// Prints the answer.
pub fn print(answer: &MappingAnswer<'_>, tried: bool, output: &Output) -> io::Result<()> {
    let whole = answer.whole();
    output.print(&wrapped(&headline(answer, &whole, *output), output.width()))?;
    output.print(&between(answer.mapping))?;
    output.print("")?;
    let rows: Vec<Vec<String>> =
        answer.axioms().iter().map(|(name, said)| vec![(*name).to_owned(), words(said), missing(said)]).collect();
    output.print(&table(&["axiom", "answer", "missing"], &rows, &[], output.width()))?;
    for shown in &answer.presented() {
        print_counterexample(answer.mapping, shown, output)?;
    }
    if let Said::Open(..) = whole {
        gaps(answer.report, output)?;
    }
    for lemma in answer.lemmas {
        output.print("")?;
        lemma.print(output)?;
    }
    if !answer.report.steps.is_empty() {
        output.print("")?;
        steps(answer.report, output)?;
    }
    if tried {
        guesses(answer.report, output)?;
    }
    output.print("")?;
    output.print(&effort(answer))?;
    if let Some(written) = answer.certified {
        output.print(&wrapped(&written.words(), output.width()))?;
    }
    output.print("")?;
    output.print(&wrapped(&meaning(answer, &whole), output.width()))
}

fn headline(answer: &MappingAnswer<'_>, whole: &Said<'_>, output: Output) -> String {
    let title = &answer.mapping.title;
    let stopped = answer.stopped.map_or(String::new(), |why| format!(" ({why})"));
    match whole {
        Said::Theorem => format!("{} for executions of every size: {title}", output.good("theorem")),
        Said::Counterexample(events) => format!("{} with {events} events: {title}", output.bad("counterexample")),
        Said::Open(0, _) => {
            format!("{}{stopped}: not proved, and nothing is established by search: {title}", output.unsure("open"))
        }
        Said::Open(bound, _) => {
            format!("{}{stopped}: not proved, and no counterexample up to {bound} events: {title}", output.unsure("open"))
        }
        Said::Bug => format!(
            "{}: what is proved has a counterexample, which is a bug in Margay; please report it: {title}",
            output.bad("contradiction")
        ),
    }
}

/// What is said of an axiom.
fn words(said: &Said<'_>) -> String {
    match said {
        Said::Theorem => "theorem".to_owned(),
        Said::Counterexample(events) => format!("counterexample with {events} events"),
        Said::Open(bound, _) => format!("open, none up to {bound}"),
        Said::Bug => "contradiction".to_owned(),
    }
}

fn missing(said: &Said<'_>) -> String {
    match said {
        Said::Open(_, Some(gap)) => gap.obligation.clone().unwrap_or_else(|| gap.what.clone()),
        _ => String::new(),
    }
}

/// What is missing, each obligation once.
pub fn gaps(report: &Report, output: &Output) -> io::Result<()> {
    let mut shown: Vec<&Gap> = Vec::new();
    for goal in &report.goals {
        let Some(gap) = goal.gap.as_ref().filter(|g| !shown.iter().any(|s| s.what == g.what)) else { continue };
        shown.push(gap);
        output.print("")?;
        output.print(&output.heading(&format!("What is missing for {}", goal.name)))?;
        missing_events(gap, output)?;
    }
    Ok(())
}

/// What is missing, and the events that show it.
pub fn missing_events(gap: &Gap, output: &Output) -> io::Result<()> {
    output.print(&wrapped(&format!("{}.", gap.what), output.width()))?;
    if let Some(drawing) = &gap.drawing {
        output.print("These events make it fail, as far as they alone tell (they need not be all of an execution):")?;
        output.print(text(&drawing.execution, &drawing.picture, output.width(), output.colour()).trim())?;
    }
    Ok(())
}

/// The steps of the argument.
pub fn steps(report: &Report, output: &Output) -> io::Result<()> {
    output.print(&output.heading("Argument"))?;
    let direct = report.steps.iter().filter(|s| s.rule == "direct").count();
    let is_shown = |s: &StepReport| s.rule != "direct" || direct <= MOST_DIRECT;
    for (number, step) in report.steps.iter().enumerate().filter(|(_, s)| is_shown(s)) {
        let counts = match step.obligations {
            0 => "from the steps before".to_owned(),
            n => format!(
                "{n} obligation{}, at most {} events{}{}",
                if n == 1 { "" } else { "s" },
                step.witnesses,
                match step.values {
                    0 => String::new(),
                    1 => " and 1 value".to_owned(),
                    v => format!(" and {v} values"),
                },
                match step.empty.len() {
                    0 => String::new(),
                    e => format!(", {e} of cases that cannot arise"),
                }
            ),
        };
        let line = format!("{:>3}. {} [{}, {counts}]", number + 1, step.claims.join("; "), step.rule);
        output.print(&indented(&line, output.width()))?;
    }
    if direct > MOST_DIRECT {
        let line =
            format!("     and {direct} direct steps, which `--format json` lists, one for each edge of a relation and the like");
        output.print(&indented(&line, output.width()))?;
    }
    Ok(())
}

/// What was guessed, and what was thrown out.
fn guesses(report: &Report, output: &Output) -> io::Result<()> {
    for (of, guesses) in report.tried.iter().filter(|t| !t.1.is_empty()) {
        let kept: Vec<&str> = guesses.iter().filter(|g| g.1).map(|g| g.0.as_str()).collect();
        output.print("")?;
        output.print(&output.heading(&format!("{of}: {} of {} guesses hold", kept.len(), guesses.len())))?;
        for (guess, holds) in guesses {
            output.print(&indented(&format!("  {} {guess}", if *holds { "kept  " } else { "thrown" }), output.width()))?;
        }
    }
    Ok(())
}

fn effort(answer: &MappingAnswer<'_>) -> String {
    let report = answer.report;
    let times = report.times;
    let obligations: usize = report.steps.iter().map(|s| s.obligations).sum();
    let instances: usize = report.steps.iter().map(|s| s.instances).sum();
    format!(
        "{:.2} s: search {:.2} s, refutations {:.2} s, check {:.2} s; {} obligations, {} instances",
        answer.seconds,
        times.search.as_secs_f64(),
        times.proof.as_secs_f64(),
        times.check.as_secs_f64(),
        number(obligations as u64),
        number(instances as u64)
    )
}

fn meaning(answer: &MappingAnswer<'_>, whole: &Said<'_>) -> String {
    let mut out = match whole {
        Said::Theorem => "A legal target execution of whatever size, read back as a source execution without undefined behaviour, satisfies these \
            axioms for every modification order above the target's coherence order (the published statement). Every obligation was refuted \
            and every refutation followed again by a checker without a solver. "
            .to_owned(),
        Said::Counterexample(_) => "Events are operations of the source; a read-modify-write is two, initial writes are none. The judge confirmed \
            the counterexample. "
            .to_owned(),
        Said::Open(..) | Said::Bug => "A proof that was not found says nothing about whether there is one: the guesses are of a few forms \
            (docs/unbounded.md). "
            .to_owned(),
    };
    if !answer.options.without.is_empty() || !answer.options.only.is_empty() {
        out.push_str(&format!("Programs are made of {}. ", answer.search.constructs.join(", ")));
    }
    out.push_str("This is about single executions, not programs: what that leaves out is in docs/unbounded.md.");
    out
}
