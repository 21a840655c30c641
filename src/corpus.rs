//! `margay test`: keeps a corpus of verdicts honest. Differences come first; `--bless` writes down what is found.

mod junit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use margay_litmus::corpus::{self, Expected, Folder, Line};
use margay_litmus::explicit::{Options, Runner};
use margay_litmus::{clusters, read};
use margay_models::diagnostic::Diagnostic;
use margay_models::library;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Corpus, Format};
use crate::diagnostics;
use crate::exit::Exit;
use crate::output::{Output, SCHEMA};

/// A verdict, and the expected one.
struct Checked {
    test: String,
    model: String,
    expected: Expected,
    found: Expected,
    source: String,
}

impl Checked {
    fn differs(&self) -> bool {
        self.expected != self.found
    }
}

/// Runs the command.
pub fn run(options: &Corpus, output: &Output) -> Outcome {
    let folders = match corpus::read(&options.folder) {
        Ok(folders) if folders.is_empty() => {
            let error = Diagnostic::error(format!("there is no litmus test in `{}`", options.folder.display()));
            return output.wrong(&[error]);
        }
        Ok(folders) => folders,
        Err(errors) => return output.wrong(&errors),
    };
    let start = Instant::now();
    let mut errors = Vec::new();
    let mut runners: BTreeMap<String, Runner> = BTreeMap::new();
    let mut checked: Vec<Checked> = Vec::new();
    for folder in &folders {
        let mut found_lines = Vec::new();
        for (test, lines) in by_test(folder) {
            let path = folder.path.join(test);
            let parsed = match read::load(&path) {
                Ok(parsed) => parsed,
                Err(found) => {
                    errors.extend(found);
                    continue;
                }
            };
            for line in lines {
                match verdict(&mut runners, line, &parsed, &path) {
                    Ok(found) => {
                        checked.push(Checked {
                            test: path.display().to_string(),
                            model: line.model.clone(),
                            expected: line.expected,
                            found,
                            source: line.source.clone(),
                        });
                        found_lines.push(Line { expected: found, ..line.clone() });
                    }
                    Err(found) => errors.extend(found),
                }
            }
        }
        if options.bless && found_lines.iter().zip(&folder.lines).any(|(a, b)| a != b) && found_lines.len() == folder.lines.len()
        {
            let file = folder.path.join(corpus::EXPECTED);
            if let Err(error) = std::fs::write(&file, corpus::write(&found_lines)) {
                errors.push(Diagnostic::error(format!("cannot write `{}`: {error}", file.display())));
            }
        }
    }
    let unmentioned: Vec<String> =
        folders.iter().flat_map(|f| f.unmentioned.iter().map(|t| f.path.join(t).display().to_string())).collect();
    report(&checked, &errors, &unmentioned, start.elapsed().as_secs_f64(), options, output)?;
    if !errors.is_empty() {
        // In JSON they are part of the report.
        return if output.format == Format::Json { Ok(Exit::Wrong) } else { output.wrong(&errors) };
    }
    Ok(if options.bless || !checked.iter().any(Checked::differs) { Exit::Holds } else { Exit::Found })
}

/// The lines of a folder by test, in the order of the file.
fn by_test(folder: &Folder) -> Vec<(&str, Vec<&Line>)> {
    let mut out: Vec<(&str, Vec<&Line>)> = Vec::new();
    for line in &folder.lines {
        match out.last_mut() {
            Some((test, lines)) if *test == line.file => lines.push(line),
            _ => out.push((&line.file, vec![line])),
        }
    }
    out
}

fn verdict(
    runners: &mut BTreeMap<String, Runner>,
    line: &Line,
    read: &margay_litmus::read::Read,
    path: &Path,
) -> Result<Expected, Vec<Diagnostic>> {
    if !runners.contains_key(&line.model) {
        let loaded = library::load(&line.model, &[PathBuf::from("models")])?;
        runners.insert(line.model.clone(), Runner::new(&loaded.model));
    }
    if let Some(error) = clusters::mismatch(&read.test, &line.model, &read.file) {
        return Err(vec![error]);
    }
    let failed = |why: String| vec![Diagnostic::error(format!("`{}` under `{}`: {why}", path.display(), line.model))];
    let Some(runner) = runners.get_mut(&line.model) else { return Err(failed("no such model".to_owned())) };
    let verdict = runner.run(&read.test, &Options::default()).map_err(|e| failed(e.to_string()))?;
    Ok(Expected::from(&verdict))
}

fn report(
    checked: &[Checked],
    errors: &[Diagnostic],
    unmentioned: &[String],
    seconds: f64,
    options: &Corpus,
    output: &Output,
) -> std::io::Result<()> {
    if output.format == Format::Junit {
        return output.print(&junit::report(checked, errors, unmentioned)?);
    }
    let differences: Vec<&Checked> = checked.iter().filter(|c| c.differs()).collect();
    let passed = checked.len() - differences.len();
    if output.format == Format::Json {
        let list: Vec<serde_json::Value> = differences
            .iter()
            .map(|d| {
                json!({
                    "test": d.test, "model": d.model, "expected": d.expected.to_string(), "found": d.found.to_string(), "source": d.source,
                })
            })
            .collect();
        return output.json(&json!({
            "schema": SCHEMA, "passed": passed, "differences": list, "without_verdict": unmentioned, "blessed": options.bless,
            "errors": diagnostics::json(errors), "seconds": seconds,
        }));
    }
    for d in &differences {
        output.print(&format!("{} under {}: expected {}, found {} ({})", d.test, d.model, d.expected, d.found, d.source))?;
    }
    for test in unmentioned {
        output.print(&format!("{test}: no verdict is expected of it; add a line to {}", corpus::EXPECTED))?;
    }
    let count = differences.len();
    let answer = if count == 0 { output.good("no difference") } else { output.bad(&format!("{count} differences")) };
    let blessed = if options.bless && count > 0 { ", written down" } else { "" };
    output.print(&format!("{answer}{blessed}; {passed} verdicts as expected, {seconds:.2} s"))
}
