//! The report for people: the answer first, then what shows it.

use std::io;

use margay_mappings::check::{CoReading, Level, Verdict};
use margay_models::picture::text;

use super::present::{Context, Presented};
use crate::output::Output;
use crate::side_by_side::side_by_side;
use crate::table::{number, table};
use crate::wrapped::{indented, wrapped};

/// Prints the report.
pub fn print(context: &Context<'_>, presented: &[Presented<'_>], output: &Output) -> io::Result<()> {
    output.print(&answer(context, presented, *output))?;
    output.print(&format!(
        "{} ({}) -> {} ({})",
        context.mapping.source.name,
        context.mapping.source.source.name,
        context.mapping.target.name,
        context.mapping.target.source.name
    ))?;
    for (i, shown) in presented.iter().enumerate() {
        counterexample(context, shown, (presented.len() > 1).then_some((i + 1, presented.len())), output)?;
    }
    for candidate in &context.report.candidates {
        output.print("")?;
        output.print(&output.heading("Proposed when the limit was reached, and not decided"))?;
        output.print("")?;
        output.print(candidate)?;
    }
    if let Some(assumed) = &context.assumed {
        output.print("")?;
        output.print(&wrapped(&assumed.words(), output.width()))?;
    }
    output.print("")?;
    output.print(&effort(context, *output))?;
    if let (Some(certified), Some(folder)) = (&context.report.certified, &context.options.certify) {
        output.print("")?;
        output.print(&wrapped(&crate::verify::written(certified, folder), output.width()))?;
    }
    output.print("")?;
    output.print(&wrapped(&meaning(context), output.width()))
}

fn answer(context: &Context<'_>, presented: &[Presented<'_>], output: Output) -> String {
    let title = &context.mapping.title;
    match &context.report.verdict {
        Verdict::None => {
            format!("{} up to {} events: {title}", output.good("no counterexample"), context.report.established)
        }
        Verdict::Counterexample => match presented.iter().min_by_key(|p| p.counterexample.events) {
            Some(first) => format!(
                "{} with {} events, axiom {}: {title}",
                output.bad("counterexample"),
                first.counterexample.events,
                first.counterexample.axiom
            ),
            None => format!("{}: {title}", output.bad("counterexample")),
        },
        Verdict::Undecided(why) => {
            let established = match context.report.established {
                0 => "nothing is established".to_owned(),
                n => format!("no counterexample up to {n} events"),
            };
            format!("{}: {why}; established: {established}: {title}", output.unsure("undecided"))
        }
    }
}

fn counterexample(
    context: &Context<'_>,
    shown: &Presented<'_>,
    position: Option<(usize, usize)>,
    output: &Output,
) -> io::Result<()> {
    let c = shown.counterexample;
    output.print("")?;
    let of = position.map_or(String::new(), |(i, n)| format!(" {i} of {n}"));
    let heading = format!("Counterexample{of}: {} of {} fails with {} events", c.axiom, context.mapping.source.name, c.events);
    output.print(&output.heading(&heading))?;
    output.print("")?;
    let (left, right) = (
        format!("source, forbidden by {}", context.mapping.source.name),
        format!("target, allowed by {}", context.mapping.target.name),
    );
    output.print(&side_by_side((&left, &shown.source), (&right, &shown.target), output.width()))?;
    output.print("")?;
    output.print(&format!("{} {}", output.heading("Outcome"), shown.outcome))?;
    output.print("")?;
    if !shown.rows.is_empty() {
        output.print(&output.heading("Rows"))?;
        for line in &shown.rows {
            output.print(&indented(&format!("  {line}"), output.width()))?;
        }
        output.print("")?;
    }
    output.print(&output.heading(&format!("Why {} forbids it (axiom {})", context.mapping.source.name, c.axiom)))?;
    for line in &shown.explanation {
        output.print(&indented(&format!("  {line}"), output.width()))?;
    }
    output.print("")?;
    output.print(text(&c.source, &shown.source_picture, output.width(), output.colour()).trim_end())
}

/// The table of axioms and bounds.
fn effort(context: &Context<'_>, output: Output) -> String {
    let is_program = context.options.level == Level::Program;
    let rows: Vec<Vec<String>> = context
        .report
        .axioms
        .iter()
        .flat_map(|a| &a.rows)
        .map(|r| {
            let verdict = match &r.verdict {
                Verdict::None => "none".to_owned(),
                Verdict::Counterexample => "counterexample".to_owned(),
                Verdict::Undecided(_) => "undecided".to_owned(),
            };
            let shapes =
                if r.shapes == r.all_shapes { r.shapes.to_string() } else { format!("{} of {}", r.shapes, r.all_shapes) };
            let mut row = vec![
                r.axiom.clone(),
                r.bound.to_string(),
                verdict,
                shapes,
                number(r.variables as u64),
                number(r.clauses as u64),
                number(r.conflicts),
                format!("{:.2}", r.seconds),
            ];
            if is_program {
                // One question for all axioms.
                row.splice(7..7, [number(r.racy as u64), number(r.explained as u64)]);
                row.remove(0);
            }
            row
        })
        .collect();
    let mut header = vec!["axiom", "events", "answer", "shapes", "variables", "clauses", "conflicts", "CPU s"];
    if is_program {
        header.splice(7..7, ["racy", "explained"]);
        header.remove(0);
    }
    let right: Vec<usize> = (0..header.len()).filter(|&i| !["axiom", "answer"].contains(&header[i])).collect();
    let mut out = table(&header, &rows, &right, output.width());
    out.push_str(&format!(
        "\n{:.2} s on {} threads, {}",
        context.seconds,
        context.options.jobs,
        context.options.backend.version()
    ));
    out
}

/// What the answer means, and what it does not establish.
fn meaning(context: &Context<'_>) -> String {
    let mut out = match context.options.level {
        Level::Execution => meaning_of_executions(context.options.co),
        Level::Program => meaning_of_programs(context.options.guards),
    };
    if !context.options.without.is_empty() || !context.options.only.is_empty() {
        out.push_str(&format!("Programs were made of {}. ", context.report.constructs.join(", ")));
    }
    if context.report.truncated {
        out.push_str("There are more counterexamples than are shown. ");
    }
    let later: Vec<String> = context
        .report
        .axioms
        .iter()
        .filter(|a| a.verdict == Verdict::None && a.bound < context.options.bound)
        .map(|a| format!("{} holds up to {} events", a.axiom, a.bound))
        .collect();
    if context.report.verdict == Verdict::Counterexample && !later.is_empty() {
        out.push_str(&format!("The search ended with the counterexample: {}; `--keep-going` goes on.", later.join(", ")));
    }
    out.trim_end().to_owned()
}

const EVENTS: &str = "Events are operations of the source; a read-modify-write is two, initial writes are none. ";

fn meaning_of_executions(co: CoReading) -> String {
    let reading = match co {
        CoReading::Universal => {
            "A counterexample is one for some modification order above the target's coherence order (the published statement); \
             `--co exists` asks whether all of them fail. "
        }
        CoReading::Exists => "A counterexample's outcome is explained by no modification order. ",
    };
    format!(
        "{EVENTS}The question is about single executions: a legal target execution, read back as a source execution without \
         undefined behaviour. {reading}Not established: that a program with such an execution is free of races in all its \
         executions, and that its guards leave the execution possible; `--level program` asks that. "
    )
}

fn meaning_of_programs(guards: Option<usize>) -> String {
    let limit = match guards {
        None => String::new(),
        Some(n) => format!(" with at most {n} guards and computed values"),
    };
    format!(
        "{EVENTS}The question is about programs{limit}: a counterexample is a program and an outcome such that no consistent source \
         execution has the outcome, none races, and the compiled program, with the dependencies of its guards and computed values, has it. The \
         judge confirmed the target execution; a search through all executions of the source program confirmed the other two. \
         `racy` and `explained` count the programs that were proposed and refuted. What programs are covered: \
         docs/program-level.md. "
    )
}
