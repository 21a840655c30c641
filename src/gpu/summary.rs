//! `margay gpu summary`: files of results as one table: which tests showed the outcome that they ask about, how often, and what was forbidden.

use std::collections::BTreeMap;

use margay_models::diagnostic::Diagnostic;
use serde_json::{Value, json};

use super::arguments::Summary;
use crate::Outcome;
use crate::arguments::Format;
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};
use crate::table::{number, table};

/// What all lines of a test come to.
#[derive(Debug, Default, PartialEq)]
struct Row {
    instances: u64,
    /// Instances with the outcome that the test asks about.
    asked: u64,
    seconds: f64,
    runs: u64,
    violation: bool,
    failed: Option<String>,
    simulated: bool,
}

/// Runs the command.
pub fn run(options: &Summary, output: &Output) -> Outcome {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for file in &options.files {
        let text = match margay_models::limited::text(file, 1 << 28) {
            Ok(text) => text,
            Err(error) => return output.wrong(&[Diagnostic::error(format!("cannot read `{}`: {error}", file.display()))]),
        };
        let last = text.lines().count();
        for (n, line) in text.lines().enumerate() {
            match serde_json::from_str::<Value>(line).ok().filter(|l| l["schema"] == SCHEMA && l["file"].is_string()) {
                Some(line) => add(&mut rows, &line),
                // The last line may have been cut off.
                None if n + 1 == last => {}
                None => {
                    let message = format!("`{}`: line {} is no result of `gpu run`", file.display(), n + 1);
                    return output.wrong(&[Diagnostic::error(message).help("give files that --results wrote")]);
                }
            }
        }
    }
    let exit = output.settle(if rows.values().any(|r| r.violation) { Exit::Found } else { Exit::Holds });
    if output.format == Format::Json {
        output.json(&object(&rows))?;
    } else {
        print(&rows, options.all, output)?;
    }
    Ok(exit)
}

fn add(rows: &mut BTreeMap<String, Row>, line: &Value) {
    let row = rows.entry(line["file"].as_str().unwrap_or_default().to_owned()).or_default();
    if let Some(failed) = line["failed"].as_str() {
        row.failed = Some(failed.to_owned());
        return;
    }
    let outcomes = line["outcomes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let asked = outcomes.iter().filter(|o| o["asked"] == true).filter_map(|o| o["count"].as_u64());
    row.asked += asked.sum::<u64>();
    row.instances += line["instances"].as_u64().unwrap_or(0);
    row.seconds += line["seconds"].as_f64().unwrap_or(0.0);
    row.runs += 1;
    row.violation |= line["violation"] == true;
    row.simulated |= line["simulated"] == true;
}

impl Row {
    /// Of so many instances one showed the outcome; 0 if none did.
    fn rate(&self) -> f64 {
        self.asked as f64 / self.instances.max(1) as f64
    }

    fn a_second(&self) -> f64 {
        self.instances as f64 / self.seconds.max(1e-9)
    }
}

/// The most often seen first.
fn sorted(rows: &BTreeMap<String, Row>) -> Vec<(&String, &Row)> {
    let mut all: Vec<_> = rows.iter().collect();
    all.sort_by(|(a, x), (b, y)| y.violation.cmp(&x.violation).then(y.rate().total_cmp(&x.rate())).then(a.cmp(b)));
    all
}

fn print(rows: &BTreeMap<String, Row>, all: bool, output: &Output) -> std::io::Result<()> {
    let count = |of: fn(&Row) -> bool| number(rows.values().filter(|r| of(r)).count() as u64);
    let mark = if rows.values().any(|r| r.simulated) { "simulated: " } else { "" };
    let shown = count(|r| r.asked > 0);
    let violations = rows.values().filter(|r| r.violation).count();
    let answer = match violations {
        0 => output.good(&format!("{mark}nothing that the model forbids")),
        n => output.bad(&format!("{mark}{n} tests show what the model forbids")),
    };
    let (tests, failed) = (number(rows.len() as u64), count(|r| r.failed.is_some()));
    let instances = number(rows.values().map(|r| r.instances).sum());
    output.print(&format!("{answer}; {shown} of {tests} tests show the outcome that they ask about; {instances} instances"))?;
    if failed != "0" {
        output.print(&format!("At {failed} the device failed."))?;
    }
    let lines: Vec<Vec<String>> = sorted(rows)
        .into_iter()
        .filter(|(_, r)| all || r.asked > 0 || r.violation || r.failed.is_some())
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
    output.print(&table(&["test", "seen", "instances", "rate", "a second", ""], &lines, &[1, 2, 3, 4], output.width()))
}

fn object(rows: &BTreeMap<String, Row>) -> Value {
    let tests = sorted(rows).into_iter().map(|(name, r)| {
        json!({
            "file": name, "asked": r.asked, "instances": r.instances, "rate": r.rate(), "instances_a_second": r.a_second(), "runs": r.runs,
            "violation": r.violation, "failed": r.failed, "simulated": r.simulated,
        })
    });
    json!({ "schema": SCHEMA, "tests": tests.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{add, sorted};

    #[test]
    fn lines_of_a_test_are_one_row() {
        let line = |file: &str, asked: u64, instances: u64| {
            json!({ "file": file, "instances": instances, "seconds": 0.5, "violation": false, "simulated": true,
                "outcomes": [{ "asked": true, "count": asked }, { "asked": false, "count": instances - asked }] })
        };
        let mut rows = BTreeMap::new();
        for line in [line("mp", 1, 100), line("sb", 9, 100), line("mp", 3, 100), json!({ "file": "lb", "failed": "gone" })] {
            add(&mut rows, &line);
        }
        let order: Vec<(&str, u64, f64)> =
            sorted(&rows).into_iter().map(|(name, r)| (name.as_str(), r.asked, r.rate())).collect();
        assert_eq!(order, [("sb", 9, 0.09), ("mp", 4, 0.02), ("lb", 0, 0.0)]);
        assert_eq!((rows["mp"].a_second(), rows["mp"].runs, rows["lb"].failed.as_deref()), (200.0, 2, Some("gone")));
    }
}
