//! Theorems, and what must not be one.

mod facts;
mod mappings;
mod models;
mod mutants;
mod rocq;
mod rules;
mod sentences;
mod tampering;

use margay_mappings::check::{CheckOptions, asked};
use margay_mappings::language::{LoadOptions, Mapping};
use margay_mappings::library;
use margay_prove::theorem::{Report, Setting, prove};
use margay_prove::theory::Stop;
use margay_prove::theory::mapping::Selection;

/// From now on the solver is the one that the executable uses.
fn use_cadical() {
    margay_cadical::backend().register();
}

/// A mapping that is shipped, perhaps from another source.
fn mapping(name: &str, source: Option<&str>) -> Mapping {
    use_cadical();
    library::find(name, &LoadOptions { source: source.map(str::to_owned), target: None }).expect("it is shipped").mapping
}

/// The constructs without accesses that are seq_cst.
fn no_sc() -> Vec<String> {
    ["R.SC", "W.SC", "RMW.SC"].map(str::to_owned).to_vec()
}

/// What is asked of a mapping.
fn options(without: &[String]) -> CheckOptions {
    CheckOptions::new(4).with(|o| o.without = without.to_vec())
}

/// The setting of a mapping.
fn setting<'a>(mapping: &'a Mapping, without: &[String]) -> Setting<'a> {
    let (axioms, constructs) = asked(mapping, &options(without)).expect("the options fit");
    Setting::of_mapping(mapping, &axioms, &Selection { constructs, typed: true })
        .expect("its axioms are of forms that have rules")
}

/// Proves a mapping.
fn proved(mapping: &Mapping, without: &[String]) -> Report {
    prove(&setting(mapping, without), &Stop::default())
}

/// The names of the axioms that are theorems.
fn theorems(report: &Report) -> Vec<&str> {
    report.goals.iter().filter(|g| g.is_theorem()).map(|g| g.name.as_str()).collect()
}
