//! What names mean: each base name at each level, whatever a text, a model or a definition is
//! called.

mod base;
mod capture;
mod fence_orders;
mod random;
mod refused;

use std::path::Path;
use std::time::{Duration, Instant};

use margay_mappings::check::{CheckOptions, CheckReport, Silent, asked, check};
use margay_mappings::language::{LoadOptions, Mapping, load};
use margay_prove::completion::complete;
use margay_prove::ground::GroundEffort;
use margay_prove::theorem::{REACH, prove};
use margay_theorem::argument::{Claim, ClaimStep, Rule};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;
use margay_theorem::theory::mapping::ExecutionSelection;

/// A mapping whose files are these, the last of them the mapping itself.
fn mapping_of(files: &[(&str, &str)]) -> Mapping {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("there is room");
    }
    let (map, text) = files.last().expect("a mapping");
    let loaded = load(&Path::new(folder.path()).join(map), &LoadOptions::default());
    loaded
        .unwrap_or_else(|errors| {
            panic!("{text}\n{}", errors.iter().map(ToString::to_string).collect::<String>())
        })
        .mapping
}

/// What is asked of single executions, axiom by axiom.
fn question(bound: usize, axioms: &[&str]) -> CheckOptions {
    let axioms = axioms.iter().map(|a| (*a).to_owned()).collect();
    CheckOptions { axioms, keep_going: true, ..CheckOptions::published(bound) }.with(|o| o.jobs = 1)
}

/// The answer of the search.
fn searched(mapping: &Mapping, options: &CheckOptions) -> CheckReport {
    check(mapping, options, &Silent).unwrap_or_else(|e| panic!("{}: {e:?}", mapping.file.text))
}

/// The setting of a proof of some axioms; of all if none is named. Barriers, which a proof refuses,
/// are left out.
fn setting<'a>(mapping: &'a Mapping, axioms: &[&str]) -> Setting<'a> {
    let (axioms, mut constructs) = asked(mapping, &question(1, axioms))
        .unwrap_or_else(|e| panic!("{}: {e:?}", mapping.file.text));
    constructs.retain(|construct| !mapping.source.signature.is_of_barrier(*construct));
    let selection = ExecutionSelection { constructs, typed: true };
    Setting::of_mapping(mapping, &axioms, &selection)
        .expect("its axioms are of forms that have rules")
}

/// The axioms that are called theorems, after so many seconds at most.
fn theorems(mapping: &Mapping, axioms: &[&str], seconds: u64) -> Vec<String> {
    let stop =
        StopSignal { flag: None, deadline: Some(Instant::now() + Duration::from_secs(seconds)) };
    prove(&setting(mapping, axioms), &stop).theorems()
}

/// Does a claim follow from what a setting supposes, without any lemma?
fn follows(setting: &Setting<'_>, claim: Claim) -> bool {
    let step = ClaimStep { claims: vec![claim.clone()], rule: Rule::Direct, known: true };
    complete(
        &setting.theory,
        &setting.theory,
        &[step],
        &[claim],
        REACH,
        &mut GroundEffort::default(),
    )
    .is_ok()
}
