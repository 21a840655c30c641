//! Theorems, and what must not be one.

mod effort;
mod facts;
mod limits;
mod machines;
mod mappings;
mod models;
mod mutants;
mod premises;
mod rocq;
mod rules;
mod sentences;
mod shown;
mod solver;
mod tampering;
mod texts;
mod trailing;

use margay_mappings::check::{CheckOptions, asked};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_mappings::library;
use margay_models::diagnostic::SourceFile;
use margay_prove::completion::complete;
use margay_prove::ground::GroundEffort;
use margay_prove::theorem::{REACH, Report, prove};
use margay_theorem::argument::{Claim, ClaimStep, Rule};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::mapping::ExecutionSelection;
use margay_theorem::theory::{StopSignal, Theory};

/// A mapping that is shipped, perhaps from another source.
fn mapping(name: &str, source: Option<&str>) -> Mapping {
    library::find(
        name,
        &LoadOptions { source: source.map(str::to_owned), target: None, ..LoadOptions::default() },
    )
    .expect("it is shipped")
    .mapping
}

/// The constructs without accesses that are seq_cst.
fn no_sc() -> Vec<String> {
    ["R.SC", "W.SC", "RMW.SC"].map(str::to_owned).to_vec()
}

/// What is asked of a mapping.
fn options(without: &[String]) -> CheckOptions {
    // Theorems are about single executions, axiom by axiom.
    CheckOptions::published(4).with(|o| o.without = without.to_vec())
}

/// The setting of a mapping.
fn setting<'a>(mapping: &'a Mapping, without: &[String]) -> Setting<'a> {
    let (axioms, constructs) = asked(mapping, &options(without)).expect("the options fit");
    Setting::of_mapping(mapping, &axioms, &ExecutionSelection { constructs, typed: true })
        .expect("its axioms are of forms that have rules")
}

/// Proves a mapping.
fn proved(mapping: &Mapping, without: &[String]) -> Report {
    prove(&setting(mapping, without), &StopSignal::default())
}

/// Does a claim follow from what a setting supposes, without any lemma? `found`: the theory that
/// has its names.
fn follows(setting: &Setting<'_>, found: &Theory, claim: Claim) -> bool {
    let step = ClaimStep { claims: vec![claim.clone()], rule: Rule::Direct, known: true };
    complete(&setting.theory, found, &[step], &[claim], REACH, &mut GroundEffort::default()).is_ok()
}

/// Fig. 11 without scopes from c20, with some rows changed.
fn fig_11_with(rows: &[(&str, &str)], target: &str) -> Mapping {
    let mut text = library::built_in("rc11-to-ptx-descoped").expect("it is shipped").text.clone();
    for (row, by) in rows {
        assert!(text.contains(row), "{row}");
        text = text.replace(row, by);
    }
    let models = LoadOptions {
        source: Some("c20".to_owned()),
        target: Some(target.to_owned()),
        ..LoadOptions::default()
    };
    load_text(&SourceFile::new("changed.map", text), None, &models)
        .expect("it is a mapping")
        .mapping
}

/// The names of the axioms that are theorems.
fn theorems(report: &Report) -> Vec<&str> {
    report.goals.iter().filter(|g| g.is_theorem()).map(|g| g.name.as_str()).collect()
}
