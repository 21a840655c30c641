//! The report as JUnit XML: a suite for each folder, a case for each test and model, with the
//! seconds that each took.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use margay_console::output::Output;
use margay_models::confined::make_folder;
use margay_models::diagnostic::Diagnostic;
use margay_models::durable::{not_another, write_over};
use margay_models::picture::escape;

use super::{CheckedVerdict, CorpusOptions, CorpusReport};
use crate::restriction::Restriction;

/// A case, and what there is to say of it.
struct JunitCase {
    name: String,
    seconds: f64,
    result: Option<Remark>,
    /// Where executions are lost, and what races.
    out: Vec<String>,
}

/// What is said of a case that did not simply pass: the element that says it, the type that it has
/// there, and the text.
struct Remark {
    element: &'static str,
    kind: Option<&'static str>,
    message: String,
}

/// Writes the report into a file; its folder is made if need be. If that fails, the answer stands.
pub fn write(report: &CorpusReport, options: &CorpusOptions, file: &Path, output: &Output) {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), make_folder);
    // Where a test or a model is named by mistake, it is not lost.
    let made = made.and_then(|()| {
        not_another(file, "report in XML", |text| text.trim_start().starts_with('<'))
    });
    if let Err(error) = made.and_then(|()| write_over(file, text(report, options).as_bytes())) {
        let what = format!("cannot write the report to `{}`: {error}", file.display());
        output.warn(&[Diagnostic::error(what).help("the answer stands without it")]);
    }
}

/// The report. Texts that cannot be checked are errors of a suite of their own; tests of which
/// nothing is expected are skipped, or failures where verdicts of all are required; a verdict that
/// nobody looked for is skipped.
pub fn text(report: &CorpusReport, options: &CorpusOptions) -> String {
    let suites = suites(report, options.require_verdicts);
    let restriction =
        Restriction::of_corpus(&options.filter.paths, &options.filter.models).to_string();
    let count = |cases: &[JunitCase], result: &str| {
        cases.iter().filter(|c| c.result.as_ref().is_some_and(|r| r.element == result)).count()
    };
    let all = |result: &str| suites.values().map(|cases| count(cases, result)).sum::<usize>();
    let tests: usize = suites.values().map(Vec::len).sum();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"margay test{}\" tests=\"{tests}\" skipped=\"{}\" \
         failures=\"{}\" errors=\"{}\" time=\"{:.3}\">\n",
        escape(&restriction).replace('"', "&quot;"),
        all("skipped"),
        all("failure"),
        all("error"),
        suites.values().flatten().map(|c| c.seconds).sum::<f64>()
    );
    for (folder, cases) in &suites {
        suite(&mut out, folder, cases, |result| count(cases, result));
    }
    out.push_str("</testsuites>\n");
    out
}

fn suites(report: &CorpusReport, required: bool) -> BTreeMap<&str, Vec<JunitCase>> {
    let mut suites: BTreeMap<&str, Vec<JunitCase>> = BTreeMap::new();
    for c in &report.checked {
        let (folder, file) = split(&c.test);
        suites.entry(folder).or_default().push(JunitCase {
            name: format!("{file} under {}", c.model),
            seconds: c.seconds,
            result: remark(c),
            out: c.remarks.clone(),
        });
    }
    let mut without_time = |path, name: &dyn Fn(&str) -> String, element, kind, message: &str| {
        let (folder, file) = split(path);
        let result = Some(Remark { element, kind, message: message.to_owned() });
        suites.entry(folder).or_default().push(JunitCase {
            name: name(file),
            seconds: 0.0,
            result,
            out: Vec::new(),
        });
    };
    for not_run in &report.not_run {
        let name = |file: &str| format!("{file} under {}", not_run.model);
        without_time(&not_run.test, &name, "skipped", None, "the run was stopped before");
    }
    for test in &report.unmentioned {
        let element = if required { "failure" } else { "skipped" };
        without_time(test, &str::to_owned, element, None, "no verdict is expected of it");
    }
    for error in &report.errors {
        // A case keeps its name when lines move: reporters follow it from run to run.
        let (file, message) = match error.labels.first() {
            Some(label) => {
                let (line, column) = label.file.position(label.span.start);
                (
                    label.file.name.as_str(),
                    format!("line {line}, column {column}: {}", error.message),
                )
            }
            None => ("margay test", error.message.clone()),
        };
        without_time(file, &str::to_owned, "error", Some("error"), &message);
    }
    suites
}

/// What is said of a verdict that is not the expected one.
fn remark(c: &CheckedVerdict) -> Option<Remark> {
    let (element, kind) = match c {
        c if c.differs() => ("failure", "difference"),
        c if c.is_undecided() => ("error", "timeout"),
        _ => return None,
    };
    let message = format!("expected {}, found {} ({})", c.expected, c.found, c.source);
    Some(Remark { element, kind: Some(kind), message })
}

fn suite(out: &mut String, folder: &str, cases: &[JunitCase], count: impl Fn(&str) -> usize) {
    let (tests, folder) = (cases.len(), escape(folder));
    let (skipped, errors, failures) = (count("skipped"), count("error"), count("failure"));
    // Nothing that is written to a string fails.
    let _ = writeln!(
        out,
        "    <testsuite name=\"{folder}\" tests=\"{tests}\" skipped=\"{skipped}\" errors=\"{errors}\" failures=\"{failures}\" time=\"{:.3}\">",
        cases.iter().map(|c| c.seconds).sum::<f64>()
    );
    for JunitCase { name, seconds, result, out: said } in cases {
        let _ = write!(
            out,
            "        <testcase name=\"{}\" classname=\"{folder}\" time=\"{seconds:.3}\"",
            escape(name)
        );
        if result.is_none() && said.is_empty() {
            out.push_str("/>\n");
            continue;
        }
        out.push_str(">\n");
        if let Some(Remark { element, kind, message }) = result {
            let kind = kind.map_or(String::new(), |kind| format!(" type=\"{kind}\""));
            let _ = writeln!(out, "            <{element} message=\"{}\"{kind}/>", escape(message));
        }
        if !said.is_empty() {
            let _ =
                writeln!(out, "            <system-out>{}</system-out>", escape(&said.join("\n")));
        }
        out.push_str("        </testcase>\n");
    }
    out.push_str("    </testsuite>\n");
}

/// Folder and file.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}
