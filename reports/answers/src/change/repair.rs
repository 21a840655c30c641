//! The cheapest changes that mend a mapping.

use std::path::PathBuf;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::{counted, table};
use margay_console::wrapped::wrapped;
use margay_mappings::change::{InstructionCosts, MappingRepair, RepairReport, repair};
use margay_mappings::check::{CheckOptions, Counterexample};
use margay_mappings::language::Mapping;
use margay_reports::change as document;

use super::row::change;
use super::{search, write};
use crate::check::{is_like, stem};
use crate::headline::{Headline, Tone, events};
use crate::restriction::{Restriction, supposes};

/// What is asked.
#[derive(Debug, Clone)]
pub struct RepairOptions {
    /// How mappings are checked.
    pub check: CheckOptions,
    /// A table of what instructions cost.
    pub costs: Option<PathBuf>,
    /// The most candidates that are looked at.
    pub candidates: usize,
    /// The folder for counterexamples and mended mappings.
    pub out: Option<PathBuf>,
}

/// Looks for the changes, and prints them.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    mapping: &Mapping,
    options: &RepairOptions,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    let asked = &options.check;
    if let Some(Err(error)) = options.out.as_deref().map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let costs = match &options.costs {
        Some(path) => match InstructionCosts::load(path, mapping.target.signature) {
            Ok(costs) => costs,
            Err(errors) => return output.wrong(&errors),
        },
        None => InstructionCosts::default(),
    };
    let start = Instant::now();
    let result = Bar::during(*output, asked.bound, |bar| {
        repair(mapping, asked, &costs, options.candidates, bar)
    });
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (Some(why), Some(reason)) = (&mut report.stopped, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    let seconds = start.elapsed().as_secs_f64();
    let exit = output.settle(match (report.fallen, &report.stopped) {
        (_, Some(_)) => Exit::Undecided,
        (Some(_), None) => Exit::Found,
        (None, None) => Exit::Holds,
    });
    let printed = match output.format {
        Format::Human => output.print(&human(mapping, &report, asked, seconds, *output)),
        Format::Json => output.document(&document(mapping, &report, asked, seconds)),
    };
    folder::fill(
        options.out.as_deref(),
        &|name| is_like(name) || name.starts_with("repair-"),
        *output,
        |folder| {
            let fallen: Vec<(usize, &Mapping)> =
                report.fallen.map(|i| (i, mapping)).into_iter().collect();
            write(folder, &report.pool, &fallen)?;
            report.repairs.iter().enumerate().filter(|(_, r)| !r.changes.is_empty()).try_for_each(
                |(i, found)| {
                    let text = format!(
                        "// Mended by `margay repair`, up to {}.\n{}",
                        events(asked.bound),
                        found.mapping
                    );
                    folder.write(&format!("repair-{}.map", i + 1), text)
                },
            )
        },
    );
    printed.map(|()| exit)
}

fn human(
    mapping: &Mapping,
    report: &RepairReport,
    asked: &CheckOptions,
    seconds: f64,
    output: Output,
) -> String {
    let mut first = wrapped(&answer(mapping, report, asked).painted(output), output.width());
    if let Some(words) = supposes(mapping, &asked.constructs_of(mapping), asked.typed) {
        first.push_str(&format!("\nIt supposes that {words}."));
    }
    for words in under(report) {
        first.push('\n');
        first.push_str(&wrapped(&words, output.width()));
    }
    let mut parts = vec![first];
    for (i, found) in report.repairs.iter().enumerate().filter(|(_, r)| !r.changes.is_empty()) {
        let heading = format!("Repair {} of {} ({})", i + 1, report.repairs.len(), price(found));
        parts.push(format!("{}\n{}", output.heading(&heading), changes(mapping, found, output)));
    }
    let candidates = counted(report.candidates as u64, "candidate", "candidates");
    parts.push(format!(
        "{candidates}, {}, {seconds:.1} s",
        counted(report.searches as u64, "search", "searches")
    ));
    if report.repairs.iter().any(|r| !r.changes.is_empty()) {
        let meaning = "The price is what the instructions cost more (`--costs` names a table), and one for each step of order, scope or fence. A change of \
                       plain loads and stores counts as dearer than any of relaxed operations, and that as dearer than any of the others: more \
                       programs pay for it (docs/weaken-and-repair.md).";
        parts.push(wrapped(meaning, output.width()));
    }
    parts.join("\n\n")
}

/// What is ranked by, and its two parts: `3 = 2 in instructions + 1 step`.
fn price(repair: &MappingRepair) -> String {
    let steps = u64::from(repair.steps);
    format!(
        "{} = {} in instructions + {}",
        repair.cost + steps,
        repair.cost,
        counted(steps, "step", "steps")
    )
}

/// The first line.
fn answer(mapping: &Mapping, report: &RepairReport, asked: &CheckOptions) -> Headline {
    let bound = asked.bound;
    let restriction = Restriction::of_rows(asked);
    let not_asked = mapping.not_asked_in_words(Some(&asked.constructs_of(mapping)));
    let subject = format!("{}{not_asked}", mapping.title);
    let line =
        |tone, found: &str, rest: &str| Headline::new(tone, found, rest, &restriction, &subject);
    match (report.fallen, report.repairs.as_slice(), &report.stopped) {
        (None, _, Some(_)) => line(
            Tone::Unsure,
            "undecided",
            &format!(", asked up to {bound}", bound = events(bound)),
        ),
        (None, _, None) => {
            line(Tone::Good, "nothing to mend", &format!(" up to {bound}", bound = events(bound)))
        }
        (Some(_), [], Some(_)) => line(
            Tone::Unsure,
            "no repair was found",
            &format!(" up to {bound}, and not all was tried", bound = events(bound)),
        ),
        (Some(_), [], None) => line(
            Tone::Bad,
            "no change of its rows mends it",
            &format!(" up to {bound}", bound = events(bound)),
        ),
        (Some(_), [first, ..], stopped) => {
            let words = match report.more || stopped.is_some() {
                true => format!("{} or more cheapest repairs", report.repairs.len()),
                false => {
                    counted(report.repairs.len() as u64, "cheapest repair", "cheapest repairs")
                }
            };
            line(
                Tone::Good,
                &words,
                &format!(" at a price of {}, sound up to {}", first.price.sum(), events(bound)),
            )
        }
    }
}

/// What follows the first line: how the mapping falls, and why not all is known.
fn under(report: &RepairReport) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(index) = report.fallen {
        let Counterexample { events: size, axiom, status, .. } =
            &report.pool.get(index).counterexample;
        let racy = if status.is_bug() { String::new() } else { format!(", {}", status.name()) };
        out.push(format!(
            "As it is, it has a counterexample with {} (axiom {axiom}{racy}).",
            events(*size)
        ));
    }
    if let Some(why) = &report.stopped {
        out.push(format!("It ended early because: {why}."));
    }
    out
}

fn changes(mapping: &Mapping, repair: &MappingRepair, output: Output) -> String {
    let changes = repair.changes.iter().map(|c| change(mapping, c));
    let rows: Vec<Vec<String>> = changes.map(|c| vec![c.row, c.before, c.after]).collect();
    table(&["row", "instead of", "emit"], &rows, &[], output.width())
}

fn document(
    mapping: &Mapping,
    report: &RepairReport,
    asked: &CheckOptions,
    seconds: f64,
) -> document::Repaired {
    let repair = |r: &MappingRepair| document::RepairRecord {
        price: r.price.sum(),
        price_by_use: document::PriceByUse {
            plain: r.price.plain,
            relaxed: r.price.relaxed,
            ordered: r.price.ordered,
        },
        cost: r.cost,
        steps: r.steps,
        changes: r.changes.iter().map(|c| change(mapping, c)).collect(),
        mapping: r.mapping.to_string(),
    };
    let fallen = report.fallen.map(|i| &report.pool.get(i).counterexample);
    document::Repaired {
        search: search(
            mapping,
            asked,
            fallen,
            (&answer(mapping, report, asked), &report.stopped, report.searches, seconds),
        ),
        files: report.fallen.map(stem),
        repairs: report.repairs.iter().map(repair).collect(),
        more: report.more,
        candidates: report.candidates,
    }
}
