//! The report as JUnit XML: a suite for each folder, a case for each test and model. Without times: what is the same is written
//! the same.

use std::collections::BTreeMap;

use margay_models::diagnostic::Diagnostic;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Checked;

/// The report. Texts that cannot be checked are errors of a suite of their own; tests of which nothing is expected are skipped, or
/// failures where that is `required`.
pub fn report(checked: &[Checked], errors: &[Diagnostic], unmentioned: &[String], required: bool) -> std::io::Result<String> {
    let mut suites: BTreeMap<&str, Vec<TestCase>> = BTreeMap::new();
    for c in checked {
        let (folder, file) = split(&c.test);
        let status = if c.differs() {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("difference").set_message(format!("expected {}, found {} ({})", c.expected, c.found, c.source));
            status
        } else {
            TestCaseStatus::success()
        };
        suites.entry(folder).or_default().push(case(format!("{file} under {}", c.model), folder, status));
    }
    for test in unmentioned {
        let (folder, file) = split(test);
        let mut status = match required {
            true => TestCaseStatus::non_success(NonSuccessKind::Failure),
            false => TestCaseStatus::skipped(),
        };
        status.set_message("no verdict is expected of it");
        suites.entry(folder).or_default().push(case(file.to_owned(), folder, status));
    }
    for error in errors {
        let (file, line) = match error.labels.first() {
            Some(label) => (label.file.name.as_str(), label.file.position(label.span.start).0),
            None => ("margay test", 0),
        };
        let (folder, _) = split(file);
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("error").set_message(error.message.clone());
        suites.entry(folder).or_default().push(case(format!("{file}:{line}"), folder, status));
    }
    let mut report = Report::new("margay test");
    for (folder, cases) in suites {
        let mut suite = TestSuite::new(folder);
        suite.add_test_cases(cases);
        report.add_test_suite(suite);
    }
    report.to_string().map_err(std::io::Error::other)
}

fn case(name: String, folder: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(folder);
    case
}

/// Folder and file.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}
