//! `margay weaken`: which rows of a mapping could be weaker.

use std::collections::BTreeMap;
use std::time::Instant;

use margay_mappings::change::{Fate, RowReport, WeakenReport, Weaker, weaken};
use margay_mappings::check::CheckOptions;
use margay_mappings::language::Mapping;
use serde_json::{Value, json};

use super::{falls, prepare, stem, write};
use crate::Outcome;
use crate::arguments::{Format, Weaken};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::progress::Bar;
use crate::table::table;

/// Runs the command.
pub fn run(options: &Weaken, output: &Output) -> Outcome {
    let (mapping, limits, asked) = match prepare(&options.mapping, &options.question, output) {
        Ok(prepared) => prepared,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let bar = Bar::new(*output);
    let result = weaken(&mapping, &asked, &bar);
    bar.finish();
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (Some(why), Some(reason)) = (&mut report.stopped, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    if let Some(folder) = &options.out {
        let changed: Vec<(usize, Mapping)> = report
            .rows
            .iter()
            .flat_map(|r| r.weaker.iter().map(move |w| (r.slot, w)))
            .filter_map(|(slot, w)| {
                let Fate::Falls(index) = w.fate else { return None };
                let mut changed = mapping.clone();
                slot.set(&mut changed, w.lowering.clone());
                Some((index, changed))
            })
            .collect();
        let mut found: Vec<(usize, &Mapping)> =
            changed.iter().map(|(i, m)| (*i, m)).chain(report.fallen.map(|i| (i, &mapping))).collect();
        found.sort_by_key(|&(i, _)| i);
        found.dedup_by_key(|&mut (i, _)| i);
        if let Err(error) = write(folder, &report.pool, &found) {
            return output.wrong(&[error]);
        }
    }
    match output.format {
        Format::Human | Format::Junit => {
            output.print(&answer(&mapping, &report, asked.bound, *output))?;
            if !report.rows.is_empty() {
                output.print("")?;
                output.print(&rows(&mapping, &report, asked.bound, *output))?;
            }
            if !report.pool.is_empty() && report.fallen.is_none() {
                output.print("\nCounterexamples of the weaker mappings, by axiom and number of events")?;
                output.print(&sizes(&report, asked.bound, *output))?;
            }
            let effort = format!("{} searches, {:.1} s", report.searches, start.elapsed().as_secs_f64());
            output.print(&format!("\n{effort}; one row is weakened at a time"))?;
            match &options.out {
                Some(folder) => output.print(&format!("the counterexamples are in {}", folder.display()))?,
                None if !report.pool.is_empty() => output.print("`--out DIR` writes the counterexamples")?,
                None => {}
            }
        }
        Format::Json => output.json(&object(&mapping, &report, &asked, start.elapsed().as_secs_f64()))?,
    }
    Ok(match (report.fallen, &report.stopped, report.rows.iter().all(RowReport::is_tight)) {
        (Some(_), _, _) => Exit::Found,
        (None, Some(_), _) => Exit::Undecided,
        (None, None, true) => Exit::Holds,
        (None, None, false) => Exit::Found,
    })
}

fn answer(mapping: &Mapping, report: &WeakenReport, bound: usize, output: Output) -> String {
    let title = &mapping.title;
    if let Some(index) = report.fallen {
        let how = falls(&report.pool.get(index).counterexample);
        return format!("{}: {title} {how}; `margay repair` looks for what mends it", output.bad("it falls as it is"));
    }
    let loose = report.rows.iter().filter(|r| r.weaker.iter().any(|w| w.fate == Fate::Sound)).count();
    let all = report.rows.len();
    let found = match loose {
        0 => format!("{} up to {bound} events: {title}", output.good("tight")),
        n => format!("{} up to {bound} events: {title}", output.unsure(&format!("{n} of {all} rows could be weaker"))),
    };
    match &report.stopped {
        Some(why) => format!("{}: {why}\n{found}, as far as it was asked", output.unsure("undecided")),
        None => found,
    }
}

fn words(report: &WeakenReport, weaker: &Weaker, bound: usize, output: Output) -> String {
    match &weaker.fate {
        Fate::Sound => output.good(&format!("none up to {bound}")),
        Fate::Falls(index) => format!("{}: {}", falls(&report.pool.get(*index).counterexample), stem(*index)),
        Fate::Undecided(_) => output.unsure("undecided"),
    }
}

fn rows(mapping: &Mapping, report: &WeakenReport, bound: usize, output: Output) -> String {
    let lines: Vec<Vec<String>> = report
        .rows
        .iter()
        .flat_map(|r| {
            let (head, body) = r.slot.text(mapping, r.slot.lowering(mapping));
            let first = [head, body];
            r.weaker.iter().enumerate().map(move |(i, w)| {
                let [head, body] = if i == 0 { first.clone() } else { [String::new(), String::new()] };
                vec![head, body, r.slot.text(mapping, &w.lowering).1, words(report, w, bound, output)]
            })
        })
        .collect();
    table(&["row", "lowering", "weaker", "answer"], &lines, &[], output.width())
}

/// How many counterexamples of each size there are; what does not appear any more at the end was found with fewer events.
fn sizes(report: &WeakenReport, bound: usize, output: Output) -> String {
    let header: Vec<String> = std::iter::once("axiom".to_owned()).chain((1..=bound).map(|n| n.to_string())).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let count = |of: &BTreeMap<usize, usize>, n: usize| of.get(&n).map_or("-".to_owned(), usize::to_string);
    let of_axiom = |(axiom, of): (&str, BTreeMap<usize, usize>)| -> Vec<String> {
        std::iter::once(axiom.to_owned()).chain((1..=bound).map(|n| count(&of, n))).collect()
    };
    let rows: Vec<Vec<String>> = report.sizes().into_iter().map(of_axiom).collect();
    let right: Vec<usize> = (1..=bound).collect();
    table(&header, &rows, &right, output.width())
}

fn object(mapping: &Mapping, report: &WeakenReport, asked: &CheckOptions, seconds: f64) -> Value {
    let rows: Vec<Value> = report
        .rows
        .iter()
        .map(|r| {
            let (head, body) = r.slot.text(mapping, r.slot.lowering(mapping));
            let weaker: Vec<Value> = r
                .weaker
                .iter()
                .map(|w| {
                    let (verdict, index, reason) = match &w.fate {
                        Fate::Sound => ("none", None, None),
                        Fate::Falls(index) => ("counterexample", Some(*index), None),
                        Fate::Undecided(why) => ("undecided", None, Some(why)),
                    };
                    let found = index.map(|i| &report.pool.get(i).counterexample);
                    json!({
                        "lowering": r.slot.text(mapping, &w.lowering).1, "verdict": verdict, "reason": reason,
                        "events": found.map(|c| c.events), "axiom": found.map(|c| &c.axiom),
                        "files": index.map(stem),
                    })
                })
                .collect();
            json!({ "row": head, "lowering": body, "tight": r.is_tight(), "weaker": weaker })
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "mapping": mapping.title,
        "source": mapping.source.name,
        "target": mapping.target.name,
        "level": asked.level,
        "bound": asked.bound,
        "falls": report.fallen.map(|i| falls(&report.pool.get(i).counterexample)),
        "rows": rows,
        "sizes": report.sizes(),
        "reason": report.stopped,
        "searches": report.searches,
        "seconds": seconds,
    })
}
