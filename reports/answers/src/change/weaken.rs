//! Which rows of a mapping could be weaker.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::folder;
use margay_console::limits::RunLimits;
use margay_console::output::{Format, Output};
use margay_console::progress::Bar;
use margay_console::table::{counted, table};
use margay_console::wrapped::wrapped;
use margay_mappings::change::{Fate, Need, RowReport, WeakenReport, WeakerLowering, weaken};
use margay_mappings::check::CheckOptions;
use margay_mappings::language::Mapping;
use margay_reports::{Verdict, change as document};

use super::{falls, search, write};
use crate::check::{is_like, stem};
use crate::headline::{Headline, Tone, events};
use crate::restriction::{Restriction, supposes};

/// Weakens row after row, and prints what is found; counterexamples go into the folder.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    mapping: &Mapping,
    asked: &CheckOptions,
    out: Option<&Path>,
    limits: &RunLimits,
    output: &Output,
) -> CommandOutcome {
    if let Some(Err(error)) = out.map(folder::prepare) {
        return output.wrong(&[error]);
    }
    let start = Instant::now();
    let result = Bar::during(*output, asked.bound, |bar| weaken(mapping, asked, bar));
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (Some(why), Some(reason)) = (&mut report.stopped, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    let exit = output.settle(match (report.fallen, &report.stopped) {
        (Some(_), _) => Exit::Found,
        (None, Some(_)) => Exit::Undecided,
        (None, None) if report.rows.iter().any(|r| r.is_loose(asked.bound)) => Exit::Found,
        (None, None) if report.rows.iter().all(RowReport::is_tight) => Exit::Holds,
        // The bound is too small for what is left.
        (None, None) => Exit::Undecided,
    });
    let seconds = start.elapsed().as_secs_f64();
    let printed = match output.format {
        Format::Human => human(mapping, &report, asked, seconds, output),
        Format::Json => output.document(&document(mapping, &report, asked, seconds)),
    };
    let written = folder::fill(out, &is_like, *output, |folder| {
        let changed = fallen(mapping, &report);
        write(folder, &report.pool, &changed.iter().map(|(i, m)| (*i, m)).collect::<Vec<_>>())
    });
    if output.format != Format::Json {
        match out {
            Some(folder) if written => {
                output.prose(&format!("the counterexamples are in {}", folder.display()))?
            }
            None if !report.pool.is_empty() => {
                output.print("`--out DIR` writes the counterexamples")?
            }
            Some(_) | None => {}
        }
    }
    printed.map(|()| exit)
}

/// The mappings that fall, each once with the counterexample of the pool by which it does.
fn fallen(mapping: &Mapping, report: &WeakenReport) -> Vec<(usize, Mapping)> {
    let mut found: BTreeMap<usize, Mapping> =
        report.fallen.map(|index| (index, mapping.clone())).into_iter().collect();
    for (slot, weaker) in report.rows.iter().flat_map(|r| r.weaker.iter().map(move |w| (r.slot, w)))
    {
        if let Fate::Falls(index) = weaker.fate {
            found.entry(index).or_insert_with(|| {
                let mut changed = mapping.clone();
                slot.set(&mut changed, weaker.lowering.clone());
                changed
            });
        }
    }
    found.into_iter().collect()
}

fn human(
    mapping: &Mapping,
    report: &WeakenReport,
    asked: &CheckOptions,
    seconds: f64,
    output: &Output,
) -> std::io::Result<()> {
    let bound = asked.bound;
    output.print(&wrapped(&answer(mapping, report, asked).painted(*output), output.width()))?;
    if let Some(words) = supposes(mapping, &asked.constructs_of(mapping), asked.typed) {
        output.print(&wrapped(&format!("It supposes that {words}."), output.width()))?;
    }
    if let Some(words) = under(report) {
        output.print(&wrapped(&words, output.width()))?;
    }
    if !report.rows.is_empty() {
        output.print("")?;
        output.print(&rows(mapping, report, bound, *output))?;
    }
    if !report.pool.is_empty() && report.fallen.is_none() {
        output.prose("\nCounterexamples of the weaker mappings, by axiom and number of events")?;
        output.print(&sizes(report, bound, *output))?;
    }
    output.prose(&format!(
        "\n{}, {seconds:.1} s; one row is weakened at a time",
        counted(report.searches as u64, "search", "searches")
    ))?;
    if report.rows.iter().any(|r| r.is_untold(bound)) {
        let meaning = format!(
            "`needs 6`, for example, means that it takes programs with 6 events to tell this operation from a weaker one. With fewer, {} allows the \
             same outcomes for both, so that a lowering which is too weak looks right. Do not weaken such a row before a larger bound was asked.",
            mapping.source.name
        );
        output.print(&wrapped(&meaning, output.width()))?;
    }
    Ok(())
}

/// The first line.
fn answer(mapping: &Mapping, report: &WeakenReport, asked: &CheckOptions) -> Headline {
    let bound = asked.bound;
    let restriction = Restriction::of_rows(asked);
    let not_asked = mapping.not_asked_in_words(Some(&asked.constructs_of(mapping)));
    let subject = format!("{}{not_asked}", mapping.title);
    let line =
        |tone, found: &str, rest: &str| Headline::new(tone, found, rest, &restriction, &subject);
    if let Some(index) = report.fallen {
        return line(
            Tone::Bad,
            "wrong as it is",
            &format!(", {}", falls(&report.pool.get(index).counterexample)),
        );
    }
    // A construct has several rows where it is lowered by type, or in one of several ways.
    let names = |rows: &[&RowReport]| {
        let mut heads: Vec<String> = Vec::new();
        for head in rows.iter().map(|r| r.slot.text(mapping, r.slot.lowering(mapping)).0) {
            if !heads.contains(&head) {
                heads.push(head);
            }
        }
        heads.join(", ")
    };
    let loose: Vec<&RowReport> = report.rows.iter().filter(|r| r.is_loose(bound)).collect();
    let untold: Vec<&RowReport> = report.rows.iter().filter(|r| r.is_untold(bound)).collect();
    let all = report.rows.len();
    let (tone, found, mut rest) = match (loose.as_slice(), untold.as_slice()) {
        ([], []) => {
            (Tone::Good, "tight".to_owned(), format!(" up to {bound}", bound = events(bound)))
        }
        ([], _) => {
            let few =
                if bound == 1 { "1 event is".to_owned() } else { format!("{bound} events are") };
            let (of, others) = match untold.len() == all {
                true => (String::new(), ""),
                false => (
                    format!(" for {} of {all} rows", untold.len()),
                    ", and no other row could be weaker",
                ),
            };
            (Tone::Unsure, format!("{few} too few{of}"), others.to_owned())
        }
        _ => {
            let words = format!("{} of {all} rows could be weaker", loose.len());
            (Tone::Unsure, words, format!(" up to {} ({})", events(bound), names(&loose)))
        }
    };
    if !untold.is_empty() {
        let most = untold.iter().map(|r| match r.need {
            Some(Need::Events(n)) => Some(n),
            Some(Need::MoreThan(_) | Need::Unknown(_)) | None => None,
        });
        let wanted = match most.collect::<Option<Vec<usize>>>().and_then(|n| n.into_iter().max()) {
            Some(n) => format!("`--bound {n}`"),
            None => "a larger bound".to_owned(),
        };
        let need = if untold.len() == 1 { "needs" } else { "need" };
        rest.push_str(&format!("; {} {need} {wanted}", names(&untold)));
    }
    let open = report
        .rows
        .iter()
        .filter(|r| r.weaker.iter().any(|w| matches!(w.fate, Fate::Undecided(_))))
        .count();
    match &report.stopped {
        // It is not even known whether the mapping is right as it is.
        Some(_) if all == 0 => line(Tone::Unsure, "undecided", ", before any row was made weaker"),
        Some(_) if open == all => line(
            Tone::Unsure,
            "undecided",
            &format!(", of each of {}", counted(all as u64, "row", "rows")),
        ),
        Some(_) => line(
            Tone::Unsure,
            "undecided",
            &format!(" of {open} of {all} rows, and but for these {found}{rest}"),
        ),
        None => line(tone, &found, &rest),
    }
}

/// What follows the first line: why not all is known, and what to do next.
fn under(report: &WeakenReport) -> Option<String> {
    match (&report.stopped, report.fallen) {
        (Some(why), _) => Some(format!("Undecided because: {why}.")),
        (None, Some(_)) => Some("`margay repair` looks for what mends it.".to_owned()),
        (None, None) => None,
    }
}

fn words(
    report: &WeakenReport,
    row: &RowReport,
    weaker: &WeakerLowering,
    bound: usize,
    output: Output,
) -> String {
    match &weaker.fate {
        Fate::Sound if row.is_loose(bound) => output.good(&format!("none up to {bound}")),
        Fate::Sound => output.unsure(&format!("bound {bound} is too small")),
        Fate::Falls(index) => {
            format!("{}: {}", falls(&report.pool.get(*index).counterexample), stem(*index))
        }
        Fate::Undecided(_) => output.unsure("undecided"),
    }
}

/// The bound that a row needs.
fn needs(row: &RowReport) -> String {
    match &row.need {
        Some(Need::Events(n)) => n.to_string(),
        Some(Need::MoreThan(n)) => format!("more than {n}"),
        Some(Need::Unknown(_)) => "?".to_owned(),
        None => "-".to_owned(),
    }
}

fn rows(mapping: &Mapping, report: &WeakenReport, bound: usize, output: Output) -> String {
    let lines: Vec<Vec<String>> = report
        .rows
        .iter()
        .flat_map(|r| {
            let (head, body) = r.slot.text(mapping, r.slot.lowering(mapping));
            let first = [head, body, needs(r)];
            r.weaker.iter().enumerate().map(move |(i, w)| {
                let [head, body, needs] = if i == 0 { first.clone() } else { Default::default() };
                vec![
                    head,
                    body,
                    needs,
                    r.slot.text(mapping, &w.lowering).1,
                    words(report, r, w, bound, output),
                ]
            })
        })
        .collect();
    table(&["row", "lowering", "needs", "weaker", "answer"], &lines, &[], output.width())
}

/// How many counterexamples of each size there are; what does not appear any more at the end was
/// found with fewer events.
fn sizes(report: &WeakenReport, bound: usize, output: Output) -> String {
    let header: Vec<String> =
        std::iter::once("axiom".to_owned()).chain((1..=bound).map(|n| n.to_string())).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let count =
        |of: &BTreeMap<usize, usize>, n: usize| of.get(&n).map_or("-".to_owned(), usize::to_string);
    let of_axiom = |(axiom, of): (&str, BTreeMap<usize, usize>)| -> Vec<String> {
        std::iter::once(axiom.to_owned()).chain((1..=bound).map(|n| count(&of, n))).collect()
    };
    let rows: Vec<Vec<String>> = report.sizes().into_iter().map(of_axiom).collect();
    let right: Vec<usize> = (1..=bound).collect();
    table(&header, &rows, &right, output.width())
}

fn row(
    mapping: &Mapping,
    report: &WeakenReport,
    row: &RowReport,
    bound: usize,
) -> document::WeakenedRowRecord {
    let (head, body) = row.slot.text(mapping, row.slot.lowering(mapping));
    let weaker = |w: &WeakerLowering| {
        let (verdict, index, reason) = match &w.fate {
            Fate::Sound => (Verdict::None, None, None),
            Fate::Falls(index) => (Verdict::Counterexample, Some(*index), None),
            Fate::Undecided(why) => (Verdict::Undecided, None, Some(why.clone())),
        };
        let found = index.map(|i| &report.pool.get(i).counterexample);
        document::WeakerLoweringRecord {
            lowering: row.slot.text(mapping, &w.lowering).1,
            verdict,
            reason,
            events: found.map(|c| c.events),
            axiom: found.map(|c| c.axiom.clone()),
            status: found.map(|c| c.status.into()),
            files: index.map(stem),
        }
    };
    let (needs, needs_more_than) = match row.need {
        Some(Need::Events(n)) => (Some(n), None),
        Some(Need::MoreThan(n)) => (None, Some(n)),
        Some(Need::Unknown(_)) | None => (None, None),
    };
    document::WeakenedRowRecord {
        row: head,
        lowering: body,
        tight: row.is_tight(),
        loose: row.is_loose(bound),
        needs,
        needs_more_than,
        weaker: row.weaker.iter().map(weaker).collect(),
    }
}

fn document(
    mapping: &Mapping,
    report: &WeakenReport,
    asked: &CheckOptions,
    seconds: f64,
) -> document::WeakenDocument {
    let fallen = report.fallen.map(|i| &report.pool.get(i).counterexample);
    document::WeakenDocument {
        search: search(
            mapping,
            asked,
            fallen,
            (&answer(mapping, report, asked), &report.stopped, report.searches, seconds),
        ),
        rows: report.rows.iter().map(|r| row(mapping, report, r, asked.bound)).collect(),
        sizes: report.sizes().into_iter().map(|(axiom, of)| (axiom.to_owned(), of)).collect(),
    }
}
