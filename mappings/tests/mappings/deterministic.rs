//! The answer and the counterexample that is shown depend on nothing but the question: not on the
//! number of threads, not on the SAT solver.

use margay_mappings::check::{CheckReport, CoReading};
use margay_mappings::language::Mapping;

use crate::setup::{ask, backends, options, shipped};

/// What a user sees of a report, times and sizes aside.
fn seen(report: &CheckReport) -> String {
    let mut out = format!("{:?} {} {:?}\n", report.verdict, report.established, report.constructs);
    for axiom in &report.axioms {
        out += &format!("{} {:?} {}\n", axiom.axiom, axiom.verdict, axiom.bound);
    }
    for c in &report.counterexamples {
        out +=
            &format!("{} {:?} {:?} {:?} {:?}\n", c.axiom, c.source, c.target, c.origin, c.finals);
    }
    out
}

fn same(mapping: &Mapping, bound: usize, all: Option<usize>, co: CoReading) {
    let mut first: Option<String> = None;
    for backend in backends() {
        for jobs in [1, 2, 4] {
            let mut options = options(bound);
            (options.jobs, options.backend, options.all, options.co) =
                (jobs, backend.clone(), all, co);
            options.without = ["R.SC", "W.SC", "RMW.SC"].map(str::to_owned).to_vec();
            let seen = seen(&ask(mapping, &options));
            let first = first.get_or_insert_with(|| seen.clone());
            assert_eq!(*first, seen, "{}: {backend:?}, {jobs} jobs", mapping.title);
        }
    }
    assert!(first.is_some_and(|text| text.contains("Counterexample")));
}

#[test]
fn one_counterexample() {
    for name in [
        "rc11-to-ptx-weak-relaxed-store",
        "rc11-to-ptx-cta-relaxed-rmw",
        "rc11-to-ptx-relaxed-acquire-load",
    ] {
        same(&shipped(name), 4, None, CoReading::Universal);
    }
}

#[test]
fn no_modification_order() {
    same(&shipped("rc11-to-ptx-relaxed-release-store"), 4, None, CoReading::Exists);
}

#[test]
fn all_counterexamples() {
    same(&shipped("rc11-to-ptx-weak-relaxed-load"), 3, Some(5000), CoReading::Universal);
}
