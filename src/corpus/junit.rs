//! The report as JUnit XML: a suite for each folder, a case for each test and model. Without times: what is the same is written
//! the same.

use std::collections::BTreeMap;
use std::fmt::Write;

use margay_models::diagnostic::Diagnostic;
use margay_models::picture::escape;

use super::Checked;

/// A case, and what there is to say of it.
struct Case {
    name: String,
    result: Option<Remark>,
}

/// What is said of a case that did not simply pass: the element that says it, the type that it has there, and the text.
struct Remark {
    element: &'static str,
    kind: Option<&'static str>,
    message: String,
}

/// The report. Texts that cannot be checked are errors of a suite of their own; tests of which nothing is expected are skipped, or
/// failures where that is `required`.
pub fn report(checked: &[Checked], errors: &[Diagnostic], unmentioned: &[String], required: bool) -> String {
    let mut suites: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for c in checked {
        let (folder, file) = split(&c.test);
        let result = c.differs().then(|| Remark {
            element: "failure",
            kind: Some("difference"),
            message: format!("expected {}, found {} ({})", c.expected, c.found, c.source),
        });
        suites.entry(folder).or_default().push(Case { name: format!("{file} under {}", c.model), result });
    }
    for test in unmentioned {
        let (folder, file) = split(test);
        let element = if required { "failure" } else { "skipped" };
        let result = Some(Remark { element, kind: None, message: "no verdict is expected of it".to_owned() });
        suites.entry(folder).or_default().push(Case { name: file.to_owned(), result });
    }
    for error in errors {
        let (file, line) = match error.labels.first() {
            Some(label) => (label.file.name.as_str(), label.file.position(label.span.start).0),
            None => ("margay test", 0),
        };
        let result = Some(Remark { element: "error", kind: Some("error"), message: error.message.clone() });
        suites.entry(split(file).0).or_default().push(Case { name: format!("{file}:{line}"), result });
    }
    let count =
        |cases: &[Case], result: &str| cases.iter().filter(|c| c.result.as_ref().is_some_and(|r| r.element == result)).count();
    let all = |result: &str| suites.values().map(|cases| count(cases, result)).sum::<usize>();
    let tests: usize = suites.values().map(Vec::len).sum();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"margay test\" tests=\"{tests}\" skipped=\"{}\" \
         failures=\"{}\" errors=\"{}\">\n",
        all("skipped"),
        all("failure"),
        all("error")
    );
    for (folder, cases) in &suites {
        suite(&mut out, folder, cases, |result| count(cases, result));
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, folder: &str, cases: &[Case], count: impl Fn(&str) -> usize) {
    let (tests, folder) = (cases.len(), escape(folder));
    let (skipped, errors, failures) = (count("skipped"), count("error"), count("failure"));
    // Nothing that is written to a string fails.
    let _ = writeln!(
        out,
        "    <testsuite name=\"{folder}\" tests=\"{tests}\" skipped=\"{skipped}\" errors=\"{errors}\" failures=\"{failures}\">"
    );
    for Case { name, result } in cases {
        let _ = write!(out, "        <testcase name=\"{}\" classname=\"{folder}\"", escape(name));
        let _ = match result {
            None => writeln!(out, "/>"),
            Some(Remark { element, kind, message }) => {
                let kind = kind.map_or(String::new(), |kind| format!(" type=\"{kind}\""));
                writeln!(out, ">\n            <{element} message=\"{}\"{kind}/>\n        </testcase>", escape(message))
            }
        };
    }
    out.push_str("    </testsuite>\n");
}

/// Folder and file.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}
