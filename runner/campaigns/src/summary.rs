//! `margay gpu summary`: files of results as one table: which tests showed the outcome that they
//! ask about, how often, and what was forbidden.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use margay_console::exit::{CommandOutcome, Exit};
use margay_console::output::{Format, Output};
use margay_console::table::{number, table};
use margay_litmus::published;
use margay_models::diagnostic::Diagnostic;
use margay_reports::Verdict;
use margay_reports::gpu as document;

use crate::elsewhere;
use crate::results::{ResultLine, ResultsEntry, is_cut};

/// What all lines of a test come to.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TestSummary {
    pub(crate) instances: u64,
    /// Instances with the outcome that the test asks about.
    pub(crate) asked: u64,
    seconds: f64,
    runs: u64,
    violation: bool,
    failed: Option<String>,
    simulated: bool,
    /// Does the model forbid what the test asks about? `None` without a model, or if it stopped at
    /// a bound.
    pub(crate) forbidden: Option<bool>,
    /// The models that it was compared with.
    pub(crate) models: BTreeSet<String>,
}

/// What is summed up, and what is shown of it.
#[derive(Debug, Clone)]
pub struct SummaryOptions {
    /// Files of results.
    pub files: Vec<PathBuf>,
    /// Also the tests that did not show what they ask about?
    pub all: bool,
    /// A table of what others saw.
    pub seen_elsewhere: Option<PathBuf>,
}

/// Prints the table.
pub fn run(options: &SummaryOptions, output: &Output) -> CommandOutcome {
    let SummaryOptions { files, all, seen_elsewhere } = options;
    let published = match seen_elsewhere.as_deref().map(published::load).transpose() {
        Ok(published) => published,
        Err(error) => return output.wrong(&[error]),
    };
    let mut rows: BTreeMap<String, TestSummary> = BTreeMap::new();
    for file in files {
        let text = match margay_models::limited::text(file, 1 << 28) {
            Ok(text) => text,
            Err(error) => {
                return output.wrong(&[Diagnostic::error(format!(
                    "cannot read `{}`: {error}",
                    file.display()
                ))]);
            }
        };
        let mut cut: Vec<usize> = Vec::new();
        for (n, line) in text.lines().enumerate() {
            match ResultsEntry::read(line).and_then(|(_, entry)| entry) {
                Some(entry) => add(&mut rows, &entry.answer),
                None if is_cut(line) => cut.push(n + 1),
                None => {
                    let message =
                        format!("`{}`: line {} is no result of `gpu run`", file.display(), n + 1);
                    return output.wrong(&[
                        Diagnostic::error(message).help("give files that --results wrote")
                    ]);
                }
            }
        }
        if let Some(first) = cut.first() {
            let others = match cut.len() - 1 {
                0 => "is cut off, and".to_owned(),
                more => format!("and {more} more are cut off, and"),
            };
            let what = format!("`{}`: line {first} {others} not counted", file.display());
            output.warn(&[Diagnostic::warning(what)
                .help("the program was stopped while it wrote; the other lines are counted")]);
        }
    }
    let table = seen_elsewhere.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let compared = published.map(|published| elsewhere::compare(&published, &table, &rows));
    if let Some(compared) = &compared
        && compared.shapes.last().is_none_or(|all| all.run_here == 0)
    {
        let error = Diagnostic::error(format!("no test of the results is one of `{table}`"));
        return output.wrong(&[error.help(format!(
            "run the tests that `margay gen --published {table} --out DIR` writes"
        ))]);
    }
    let exit =
        output.settle(if rows.values().any(|r| r.violation) { Exit::Found } else { Exit::Holds });
    if output.format == Format::Json {
        output.document(&document(&rows, compared))?;
    } else {
        // Beside the table of shapes, single tests are those at which something is wrong.
        let shown = |row: &TestSummary| {
            *all || row.violation || row.failed.is_some() || row.asked > 0 && compared.is_none()
        };
        print(&rows, &shown, output)?;
        if let Some(compared) = &compared {
            elsewhere::print(compared, *all, output)?;
        }
    }
    Ok(exit)
}

fn add(rows: &mut BTreeMap<String, TestSummary>, answer: &ResultLine) {
    match answer {
        ResultLine::Failed(line) => {
            rows.entry(line.question.file.clone()).or_default().failed = Some(line.failed.clone())
        }
        ResultLine::Measured(line) => {
            let row = rows.entry(line.question.file.clone()).or_default();
            row.asked += line.outcomes.iter().filter(|o| o.asked).map(|o| o.count).sum::<u64>();
            row.instances += line.instances;
            row.seconds += line.seconds;
            row.runs += 1;
            row.violation |= line.violation;
            row.simulated |= line.question.simulated;
            if let Some(model) = line.question.model.as_ref().filter(|_| !line.bounded) {
                // The line has each outcome that the model allows, seen or not.
                let allowed =
                    line.outcomes.iter().any(|o| o.asked && o.model == Some(Verdict::Allowed));
                row.forbidden = Some(row.forbidden.unwrap_or(true) && !allowed);
                row.models.insert(model.clone());
            }
        }
    }
}

impl TestSummary {
    /// Of so many instances one showed the outcome; 0 if none did.
    fn rate(&self) -> f64 {
        self.asked as f64 / self.instances.max(1) as f64
    }

    fn a_second(&self) -> f64 {
        self.instances as f64 / self.seconds.max(1e-9)
    }
}

/// The most often seen first.
fn sorted(rows: &BTreeMap<String, TestSummary>) -> Vec<(&String, &TestSummary)> {
    let mut all: Vec<_> = rows.iter().collect();
    all.sort_by(|(a, x), (b, y)| {
        y.violation.cmp(&x.violation).then(y.rate().total_cmp(&x.rate())).then(a.cmp(b))
    });
    all
}

fn print(
    rows: &BTreeMap<String, TestSummary>,
    shown: &dyn Fn(&TestSummary) -> bool,
    output: &Output,
) -> std::io::Result<()> {
    let count =
        |of: fn(&TestSummary) -> bool| number(rows.values().filter(|r| of(r)).count() as u64);
    let mark = if rows.values().any(|r| r.simulated) { "simulated: " } else { "" };
    let showing = count(|r| r.asked > 0);
    let violations = rows.values().filter(|r| r.violation).count();
    let answer = match violations {
        0 => output.good(&format!("{mark}nothing that the model forbids")),
        n => output.bad(&format!("{mark}{n} tests show what the model forbids")),
    };
    let (tests, failed) = (number(rows.len() as u64), count(|r| r.failed.is_some()));
    let instances = number(rows.values().map(|r| r.instances).sum());
    output.print(&format!("{answer}; {showing} of {tests} tests show the outcome that they ask about; {instances} instances"))?;
    if failed != "0" {
        output.print(&format!("At {failed} the device failed."))?;
    }
    let lines: Vec<Vec<String>> = sorted(rows)
        .into_iter()
        .filter(|(_, r)| shown(r))
        .map(|(name, r)| {
            let what = match (r.violation, &r.failed) {
                (true, _) => "forbidden".to_owned(),
                (false, Some(why)) => why.clone(),
                (false, None) => String::new(),
            };
            vec![
                name.clone(),
                r.asked.to_string(),
                r.instances.to_string(),
                format!("{:.2e}", r.rate()),
                format!("{:.2e}", r.a_second()),
                what,
            ]
        })
        .collect();
    if lines.is_empty() {
        return Ok(());
    }
    output.print("")?;
    output.print(&table(
        &["test", "seen", "instances", "rate", "a second", ""],
        &lines,
        &[1, 2, 3, 4],
        output.width(),
    ))
}

fn document(
    rows: &BTreeMap<String, TestSummary>,
    compared: Option<document::ElsewhereRecord>,
) -> document::SummaryDocument {
    let test = |(name, r): (&String, &TestSummary)| document::TestTotals {
        file: name.clone(),
        asked: r.asked,
        instances: r.instances,
        rate: r.rate(),
        instances_a_second: r.a_second(),
        runs: r.runs,
        violation: r.violation,
        failed: r.failed.clone(),
        simulated: r.simulated,
    };
    document::SummaryDocument {
        tests: sorted(rows).into_iter().map(test).collect(),
        seen_elsewhere: compared,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{ResultsEntry, add, sorted};

    #[test]
    fn lines_of_a_test_are_one_row() {
        let question = |file: &str| {
            format!(
                r#""schema": 1, "file": "{file}", "device": "sim", "simulated": true, "target": null, "driver": null, "environment": null,
                "seed": 1, "asked_instances": 100, "compiled": null, "model": null"#
            )
        };
        let outcome = |asked: bool, count: u64| {
            format!(
                r#"{{"outcome": "r0=1", "values": {{"r0": 1}}, "count": {count}, "seen": true, "asked": {asked}, "model": null}}"#
            )
        };
        let line = |file: &str, asked: u64, instances: u64| {
            let (question, others) = (question(file), outcome(false, instances - asked));
            format!(
                r#"{{{question}, "name": "{file}", "clocks": null, "kernel": null, "assembler": null, "level": null, "compared": null,
                "narrowed": null, "instances": {instances}, "interrupted": false, "launches": 1, "stuck": 0, "uncounted": 0, "seconds": 0.5,
                "bounded": false, "violation": false, "outcomes": [{}, {others}]}}"#,
                outcome(true, asked)
            )
        };
        let failed = format!(r#"{{{}, "failed": "gone"}}"#, question("lb"));
        let mut rows = BTreeMap::new();
        for text in [line("mp", 1, 100), line("sb", 9, 100), line("mp", 3, 100), failed] {
            let (_, entry) = ResultsEntry::read(&text).expect("it is JSON");
            add(&mut rows, &entry.expect("a line of results").answer);
        }
        let order: Vec<(&str, u64, f64)> =
            sorted(&rows).into_iter().map(|(name, r)| (name.as_str(), r.asked, r.rate())).collect();
        assert_eq!(order, [("sb", 9, 0.09), ("mp", 4, 0.02), ("lb", 0, 0.0)]);
        assert_eq!(
            (rows["mp"].a_second(), rows["mp"].runs, rows["lb"].failed.as_deref()),
            (200.0, 2, Some("gone"))
        );
    }
}
