//! The answer for people: what is a theorem, the counterexample, or what is missing and the few
//! events that show it.

use std::io;

use margay_console::output::Output;
use margay_console::table::{counted, number, table};
use margay_console::wrapped::{indented, wrapped};
use margay_prove::theorem::Report;

use super::answer::{MappingAnswer, Said};
use super::argument::{gaps, inhabitants, steps};
use crate::check::human::between;
use crate::check::print_counterexample;
use crate::headline::events;

pub fn print(answer: &MappingAnswer<'_>, tried: bool, output: &Output) -> io::Result<()> {
    let whole = answer.whole();
    output.print(&wrapped(&answer.headline().painted(*output), output.width()))?;
    output.print(&between(answer.mapping))?;
    output.print("")?;
    let mut rows: Vec<Vec<String>> = answer
        .axioms()
        .iter()
        .map(|(name, said)| vec![(*name).to_owned(), words(said), missing(said)])
        .collect();
    let columns = if rows.iter().all(|row| row[2].is_empty()) { 2 } else { 3 };
    rows.iter_mut().for_each(|row| row.truncate(columns));
    output.print(&table(&["axiom", "answer", "missing"][..columns], &rows, &[], output.width()))?;
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

/// What is said of an axiom.
fn words(said: &Said<'_>) -> String {
    match said {
        Said::Theorem => "theorem".to_owned(),
        Said::Counterexample(events) => {
            format!("counterexample with {}", counted(*events as u64, "event", "events"))
        }
        Said::Open(bound, _) => format!("open, none up to {bound}"),
        Said::Empty(_) => "nothing was proved".to_owned(),
        Said::Unsearched(bound) => {
            format!("proved; searched up to {}", counted(*bound as u64, "event", "events"))
        }
        Said::Contradiction(events) => {
            format!(
                "contradiction: proved, and a counterexample with {}",
                counted(*events as u64, "event", "events")
            )
        }
    }
}

fn missing(said: &Said<'_>) -> String {
    match said {
        Said::Open(_, Some(gap)) => gap.obligation.clone().unwrap_or_else(|| gap.what.clone()),
        _ => String::new(),
    }
}

/// What was guessed, and what was thrown out.
fn guesses(report: &Report, output: &Output) -> io::Result<()> {
    for (of, guesses) in report.tried.iter().filter(|t| !t.1.is_empty()) {
        let kept: Vec<&str> = guesses.iter().filter(|g| g.1).map(|g| g.0.as_str()).collect();
        output.print("")?;
        output.print(&output.heading(&format!(
            "{of}: {} of {} guesses hold",
            kept.len(),
            guesses.len()
        )))?;
        for (guess, holds) in guesses {
            output.print(&indented(
                &format!("  {} {guess}", if *holds { "kept  " } else { "thrown" }),
                output.width(),
            ))?;
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
        Said::Theorem => format!(
            "Every obligation was refuted and every refutation followed again by a checker without a solver. {} The search for a counterexample \
             beside the proof found none up to {}. ",
            inhabitants(&answer.report.premises),
            events(answer.options.bound)
        ),
        Said::Counterexample(_) => "Events are operations of the source; a read-modify-write is two, initial writes are none. The judge confirmed \
            the counterexample. "
            .to_owned(),
        Said::Empty(_) => "Of executions that there are not everything is true. Leave out what cannot occur (`--without`), or look for the axioms \
            that contradict each other. "
            .to_owned(),
        Said::Unsearched(_) => "Nothing is called a theorem before the search beside the proof has reached its bound: allow more time, or lower \
            `--bound`. "
            .to_owned(),
        Said::Contradiction(_) => "Neither a certificate nor a file for Rocq is written. ".to_owned(),
        Said::Open(..) => "A proof that was not found says nothing about whether there is one: the guesses are of a few forms \
            (docs/unbounded.md). "
            .to_owned(),
    };
    if matches!(whole, Said::Theorem)
        || answer.axioms().iter().any(|(_, said)| matches!(said, Said::Theorem))
    {
        return out + &answer.hypotheses.sentences.join(" ");
    }
    if !answer.options.without.is_empty() || !answer.options.only.is_empty() {
        out.push_str(&format!("Programs are made of {}. ", answer.search.constructs.join(", ")));
    }
    out.push_str("This is about single executions, not programs: what that leaves out is in docs/unbounded.md.");
    out
}
