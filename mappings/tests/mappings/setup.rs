//! What the tests have in common: loading a mapping, asking about it.

use margay_litmus::explicit;
use margay_litmus::render::render;
use margay_mappings::Backend;
use margay_mappings::check::{
    CheckOptions, CheckReport, CheckVerdict, Counterexample, Silent, check,
};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_mappings::library;
use margay_models::diagnostic::{Diagnostic, SourceFile};

/// A shipped mapping.
pub fn shipped(name: &str) -> Mapping {
    let file = library::built_in(name).unwrap_or_else(|| panic!("no mapping {name}"));
    load_text(&file, None, &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{name}: {e:?}"))
        .mapping
}

/// A shipped mapping as it would be without rows for compare-exchanges that fail.
pub fn without_failures(name: &str) -> Mapping {
    let text = shipped(name).file.text.clone();
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("CAS_FAIL.")).collect();
    read(&(kept.join("\n") + "\n")).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// A mapping from its text.
pub fn read(text: &str) -> Result<Mapping, Vec<Diagnostic>> {
    load_text(&SourceFile::new("m.map", text), None, &LoadOptions::default())
        .map(|loaded| loaded.mapping)
}

/// The solvers of this build; the one that is the program's own comes first.
pub fn backends() -> Vec<Backend> {
    Backend::available()
}

/// The published question, with options that do not depend on the machine or on the features of the
/// build.
pub fn options(bound: usize) -> CheckOptions {
    let mut options = CheckOptions::published(bound);
    options.jobs = 2;
    options.backend = Backend::batsat();
    options
}

/// Names as the options take them.
pub fn names(list: &str) -> Vec<String> {
    list.split(',').filter(|n| !n.is_empty()).map(str::to_owned).collect()
}

/// The report of a check that must be possible.
pub fn ask(mapping: &Mapping, options: &CheckOptions) -> CheckReport {
    check(mapping, options, &Silent).unwrap_or_else(|e| panic!("{}: {e:?}", mapping.title))
}

/// Where a mapping falls: `Coherence, SC at 4`, or `none up to 5`.
pub fn falls(report: &CheckReport) -> String {
    match &report.verdict {
        CheckVerdict::None => format!("none up to {}", report.established),
        CheckVerdict::Undecided(why) => panic!("undecided: {why}"),
        CheckVerdict::Counterexample => {
            let fallen = report.axioms.iter().filter(|a| a.verdict == CheckVerdict::Counterexample);
            let names: Vec<&str> = fallen.map(|a| a.axiom.as_str()).collect();
            format!("{} at {}", names.join(", "), report.established + 1)
        }
    }
}

/// The target execution is a litmus test whose text reads back, and whose outcome its model allows.
pub fn reads_back(mapping: &Mapping, found: &Counterexample) {
    let rendered = render(&found.target, "target", None, &[]).expect("a test");
    let text = rendered.test.to_string();
    let word = mapping.target.signature.word();
    assert!(text.starts_with(word), "{text}");
    let read = margay_litmus::read::test(&SourceFile::new("target.litmus", text.clone()))
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(read.test.to_string(), text);
    let verdict = explicit::run(&read.test, &mapping.target, &explicit::Options::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(verdict.reachable, "{text}");
}
