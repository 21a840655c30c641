//! `margay repair`: the cheapest changes that mend a mapping.

use std::fs;
use std::time::Instant;

use margay_mappings::change::{Costs, Repair, RepairReport, repair};
use margay_mappings::check::CheckOptions;
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use serde_json::{Value, json};

use super::{falls, prepare, stem, write};
use crate::Outcome;
use crate::arguments::{self, Format};
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::progress::Bar;
use crate::table::table;

/// Runs the command.
pub fn run(options: &arguments::Repair, output: &Output) -> Outcome {
    let (mapping, limits, asked) = match prepare(&options.mapping, &options.question, output) {
        Ok(prepared) => prepared,
        Err(errors) => return output.wrong(&errors),
    };
    let costs = match &options.costs {
        Some(path) => match Costs::load(path, mapping.target.signature) {
            Ok(costs) => costs,
            Err(errors) => return output.wrong(&errors),
        },
        None => Costs::default(),
    };
    let start = Instant::now();
    let bar = Bar::new(*output);
    let result = repair(&mapping, &asked, &costs, options.candidates, &bar);
    bar.finish();
    let mut report = match result {
        Ok(report) => report,
        Err(errors) => return output.wrong(&errors),
    };
    if let (Some(why), Some(reason)) = (&mut report.stopped, limits.reason()) {
        *why = format!("{}; {why}", reason.words());
    }
    if let Some(folder) = &options.out {
        let fallen: Vec<(usize, &Mapping)> = report.fallen.map(|i| (i, &mapping)).into_iter().collect();
        let written = write(folder, &report.pool, &fallen).and_then(|()| {
            report.repairs.iter().enumerate().try_for_each(|(i, found)| {
                let path = folder.join(format!("repair-{}.map", i + 1));
                let text = format!("// Mended by `margay repair`, up to {} events.\n{}", asked.bound, found.mapping);
                fs::create_dir_all(folder)
                    .and_then(|()| fs::write(&path, text))
                    .map_err(|error| Diagnostic::error(format!("cannot write `{}`: {error}", path.display())))
            })
        });
        if let Err(error) = written {
            return output.wrong(&[error]);
        }
    }
    match output.format {
        Format::Human | Format::Junit => {
            output.print(&answer(&mapping, &report, asked.bound, *output))?;
            for (i, found) in report.repairs.iter().enumerate().filter(|(_, r)| !r.changes.is_empty()) {
                output.print("")?;
                output.print(&output.heading(&format!("Repair {} of {}", i + 1, report.repairs.len())))?;
                output.print(&changes(&mapping, found, *output))?;
            }
            output.print(&format!(
                "\n{} candidates, {} searches, {:.1} s",
                report.candidates,
                report.searches,
                start.elapsed().as_secs_f64()
            ))?;
        }
        Format::Json => output.json(&object(&mapping, &report, &asked, start.elapsed().as_secs_f64()))?,
    }
    Ok(match (report.fallen, &report.stopped) {
        (_, Some(_)) => Exit::Undecided,
        (Some(_), None) => Exit::Found,
        (None, None) => Exit::Holds,
    })
}

fn answer(mapping: &Mapping, report: &RepairReport, bound: usize, output: Output) -> String {
    let title = &mapping.title;
    let Some(index) = report.fallen else {
        return match &report.stopped {
            Some(why) => format!("{}: {why}: {title}", output.unsure("undecided")),
            None => format!("{} up to {bound} events: {title}", output.good("nothing to mend")),
        };
    };
    let how = falls(&report.pool.get(index).counterexample);
    let found = match (report.repairs.as_slice(), &report.stopped) {
        ([], Some(why)) => format!("{}: {why}", output.unsure("no repair was found")),
        ([], None) => output.bad("no change of its rows mends it").clone(),
        ([first, ..], stopped) => {
            let count = report.repairs.len();
            let plural = if count == 1 { "repair" } else { "repairs" };
            let found = format!("{} at a cost of {}", output.good(&format!("{count} cheapest {plural}")), first.cost);
            match stopped {
                Some(why) => format!("{found}, perhaps not all ({why})"),
                None => format!("{found}, sound up to {bound} events"),
            }
        }
    };
    format!("{found}: {title}, which {how}")
}

fn changes(mapping: &Mapping, repair: &Repair, output: Output) -> String {
    let rows: Vec<Vec<String>> = repair
        .changes
        .iter()
        .map(|c| {
            let (head, before) = c.slot.text(mapping, c.slot.lowering(mapping));
            vec![head, before, c.slot.text(mapping, &c.lowering).1]
        })
        .collect();
    table(&["row", "instead of", "emit"], &rows, &[], output.width())
}

fn object(mapping: &Mapping, report: &RepairReport, asked: &CheckOptions, seconds: f64) -> Value {
    let repairs: Vec<Value> = report
        .repairs
        .iter()
        .map(|r| {
            let changes: Vec<Value> = r
                .changes
                .iter()
                .map(|c| {
                    let (head, before) = c.slot.text(mapping, c.slot.lowering(mapping));
                    json!({ "row": head, "before": before, "after": c.slot.text(mapping, &c.lowering).1 })
                })
                .collect();
            json!({ "cost": r.cost, "steps": r.steps, "changes": changes, "mapping": r.mapping.to_string() })
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
        "files": report.fallen.map(stem),
        "repairs": repairs,
        "reason": report.stopped,
        "candidates": report.candidates,
        "searches": report.searches,
        "seconds": seconds,
    })
}
