//! What others saw beside what is seen here: published tests, by their names, in files of results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use margay_console::output::Output;
use margay_console::table::{counted, number, table};
use margay_litmus::published::PublishedOutcomes;
use margay_reports::gpu::{ElsewhereRecord, ElsewhereTest, ElsewhereTotals};

use crate::summary::TestSummary;

/// The name of a test that a file of results calls by its file: that of the file, as
/// `margay gen --published` writes it.
fn name(file: &str) -> &str {
    Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file)
}

/// Puts both beside each other.
pub(crate) fn compare(
    published: &PublishedOutcomes,
    table: &str,
    rows: &BTreeMap<String, TestSummary>,
) -> ElsewhereRecord {
    let mut here: BTreeMap<&str, Vec<&TestSummary>> = BTreeMap::new();
    for (file, row) in rows {
        here.entry(name(file)).or_default().push(row);
    }
    let mut models = BTreeSet::new();
    let tests: Vec<ElsewhereTest> = (published.tests.iter())
        .map(|of| {
            let rows = here.remove(of.test.name.as_str()).unwrap_or_default();
            models.extend(rows.iter().flat_map(|row| &row.models));
            let said: Vec<bool> = rows.iter().filter_map(|row| row.forbidden).collect();
            let devices = published.devices.iter().zip(&of.seen).filter(|(_, seen)| **seen);
            ElsewhereTest {
                name: of.test.name.clone(),
                shape: of.shape.title.to_owned(),
                seen_on: devices.map(|(device, _)| device.clone()).collect(),
                allowed_by_authors: of.allowed_by_authors,
                asked: rows.iter().map(|row| row.asked).sum(),
                instances: rows.iter().map(|row| row.instances).sum(),
                forbidden: (!said.is_empty()).then(|| said.iter().all(|forbidden| *forbidden)),
            }
        })
        .collect();
    let unpublished = rows.keys().filter(|file| here.contains_key(name(file))).cloned().collect();
    let mut shapes: Vec<&str> = Vec::new();
    for test in &tests {
        if !shapes.contains(&test.shape.as_str()) {
            shapes.push(&test.shape);
        }
    }
    let of_shape = |shape: &&str| {
        totals(shape, &published.devices, tests.iter().filter(|test| test.shape == **shape))
    };
    let mut shapes: Vec<ElsewhereTotals> = shapes.iter().map(of_shape).collect();
    shapes.push(totals("all", &published.devices, tests.iter()));
    ElsewhereRecord {
        table: table.to_owned(),
        devices: published.devices.clone(),
        models: models.into_iter().cloned().collect(),
        shapes,
        tests,
        unpublished,
    }
}

fn totals<'a>(
    shape: &str,
    devices: &[String],
    tests: impl Iterator<Item = &'a ElsewhereTest>,
) -> ElsewhereTotals {
    let tests: Vec<&ElsewhereTest> = tests.collect();
    let count =
        |of: &dyn Fn(&ElsewhereTest) -> bool| tests.iter().filter(|test| of(test)).count() as u64;
    ElsewhereTotals {
        shape: shape.to_owned(),
        tests: tests.len() as u64,
        seen_by_others: count(&|test| !test.seen_on.is_empty()),
        seen_on: devices
            .iter()
            .map(|device| count(&|test| test.seen_on.contains(device)))
            .collect(),
        run_here: count(&|test| test.instances > 0),
        seen_here: count(&|test| test.asked > 0),
        seen_by_both: count(&|test| test.asked > 0 && !test.seen_on.is_empty()),
        forbidden: tests
            .iter()
            .any(|test| test.forbidden.is_some())
            .then(|| count(&|test| test.forbidden == Some(true))),
    }
}

/// Prints the table of shapes; `all`: and every published test.
pub(crate) fn print(compared: &ElsewhereRecord, all: bool, output: &Output) -> std::io::Result<()> {
    let Some(sum) = compared.shapes.last() else { return Ok(()) };
    let devices = compared
        .devices
        .iter()
        .zip(&sum.seen_on)
        .map(|(device, seen)| format!("{device} {}", number(*seen)));
    output.print("")?;
    output.print(&format!(
        "{} published tests: {} seen by others ({}), {} by both; {} were run here, and {} not.",
        number(sum.tests),
        number(sum.seen_by_others),
        devices.collect::<Vec<_>>().join(", "),
        number(sum.seen_by_both),
        number(sum.run_here),
        number(sum.tests - sum.run_here),
    ))?;
    output.print(&match compared.models.join(", ") {
        none if none.is_empty() => "No model was asked what is forbidden.".to_owned(),
        models => format!("Forbidden: by {models}, of those that were run here."),
    })?;
    if !compared.unpublished.is_empty() {
        output.print(&format!(
            "Not among them: {} of the results.",
            counted(compared.unpublished.len() as u64, "test", "tests")
        ))?;
    }
    let forbidden = |said: Option<u64>| said.map_or("-".to_owned(), number);
    let line = |of: &ElsewhereTotals| {
        let numbers =
            [of.tests, of.run_here, of.seen_by_others, of.seen_here, of.seen_by_both].map(number);
        [vec![of.shape.clone()], numbers.to_vec(), vec![forbidden(of.forbidden)]].concat()
    };
    let lines: Vec<Vec<String>> = compared.shapes.iter().map(line).collect();
    let heads =
        ["shape", "tests", "run here", "seen by others", "seen here", "by both", "forbidden"];
    output.print("")?;
    output.print(&table(&heads, &lines, &[1, 2, 3, 4, 5, 6], output.width()))?;
    if !all {
        return Ok(());
    }
    let line = |test: &ElsewhereTest| {
        let here = if test.instances == 0 { "not run".to_owned() } else { test.asked.to_string() };
        let forbidden = if test.forbidden == Some(true) { "forbidden" } else { "" };
        vec![
            test.name.clone(),
            test.seen_on.join(" "),
            here,
            test.instances.to_string(),
            forbidden.to_owned(),
        ]
    };
    let lines: Vec<Vec<String>> = compared.tests.iter().map(line).collect();
    output.print("")?;
    output.print(&table(
        &["published test", "seen by others on", "seen here", "instances", ""],
        &lines,
        &[2, 3],
        output.width(),
    ))
}
