//! Executions that satisfy all that a theorem supposes: they are there where there are any, each
//! sentence is true of them, and nothing is proved where there are none.

use margay_mappings::language::{LoadOptions, load_text};
use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::theorem::{Absent, prove};
use margay_theorem::certificate::{KeptInhabitant, TheoremDocument, TheoremOptions};
use margay_theorem::theorem::{Setting, shapes};
use margay_theorem::theory::StopSignal;
use margay_theorem::theory::mapping::ExecutionSelection;

use super::mapping;

fn model(text: &str) -> Model {
    Model::parse(SourceFile::new("test.cat", text), &FilesThenBuiltIn)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .model
}

/// All of a mapping, of one axiom.
fn setting<'a>(mapping: &'a margay_mappings::language::Mapping, axiom: &str) -> Setting<'a> {
    let options = margay_mappings::check::CheckOptions {
        axioms: vec![axiom.to_owned()],
        ..margay_mappings::check::CheckOptions::published(1)
    };
    let (axioms, constructs) =
        margay_mappings::check::asked(mapping, &options).expect("the options fit");
    Setting::of_mapping(mapping, &axioms, &ExecutionSelection { constructs, typed: true })
        .expect("its axioms have rules")
}

#[test]
fn every_shape_has_an_execution_where_the_target_allows_it() {
    for name in ["rc11-to-ptx", "rc11-to-x86", "rc11-to-aarch64", "rc11-to-riscv"] {
        let mapping = mapping(name, None);
        let setting = setting(&mapping, "Atomicity");
        let report = prove(&setting, &StopSignal::default());
        assert_eq!(report.premises.absent, [], "{name}");
        assert_eq!(report.premises.inhabitants.len(), shapes(&setting).len(), "{name}");
        for (shape, inhabitant) in shapes(&setting).iter().zip(&report.premises.inhabitants) {
            let again = KeptInhabitant::of(inhabitant).read().expect("it is read as it was kept");
            assert_eq!(
                (&again, again.check(&setting.theory, &shape.form)),
                (inhabitant, Ok(())),
                "{name}: {}",
                shape.name
            );
        }
    }
}

/// What holds is left out of an execution, pair by pair: most pairs are needed, and what is not an
/// execution any more is refused.
#[test]
fn a_part_of_an_execution_is_none() {
    let mapping = mapping("rc11-to-ptx", None);
    let setting = setting(&mapping, "Atomicity");
    let report = prove(&setting, &StopSignal::default());
    let passing = report
        .premises
        .inhabitants
        .iter()
        .find(|i| i.shows == "message passing")
        .expect("it is there");
    let shape = shapes(&setting)
        .into_iter()
        .find(|s| s.name == "message passing")
        .expect("it is asked about");
    let without = |at: usize| {
        let mut part = passing.clone();
        part.atoms.remove(at);
        part.check(&setting.theory, &shape.form).is_err()
    };
    let refused = (0..passing.atoms.len()).filter(|&at| without(at)).count();
    assert!(refused * 10 > passing.atoms.len() * 9, "{refused} of {}", passing.atoms.len());
}

/// Sequential consistency has no weak store buffering, and that is known.
#[test]
fn what_no_execution_has_is_refuted() {
    let sc = model("Generic \"asked\"\ninclude \"sc.cat\"\nempty rf & rf^-1 as Asked\n");
    let setting = Setting::of_model(&sc, &[sc.check_named("Asked").expect("it is there")])
        .expect("it has a rule");
    let report = prove(&setting, &StopSignal::default());
    assert!(report.is_theorem());
    assert_eq!(
        report.premises.absent,
        [("store buffering that is weak".to_owned(), Absent::Refuted)]
    );
}

#[test]
fn nothing_is_proved_of_a_model_that_allows_nothing() {
    for (axiom, is_seen) in [
        ("empty _ as Nothing", true),
        ("empty _ \\ IW as No-thread", true),
        ("irreflexive int as Contradiction", true),
        // Each thread goes on for ever: no finite execution.
        ("empty (_ \\ IW) \\ domain(po) as Endless", false),
    ] {
        let contradictory =
            model(&format!("Generic \"asked\"\ninclude \"sc.cat\"\n{axiom}\nempty rf as Asked\n"));
        let number = contradictory.check_named("Asked").expect("it is there");
        let setting = Setting::of_model(&contradictory, &[number]).expect("it has a rule");
        let report = prove(&setting, &StopSignal::default());
        assert!(!report.is_theorem() && report.proof.is_none(), "{axiom}");
        let what = report.premises.empty.as_deref().expect("it is empty");
        let words =
            if is_seen { "no execution satisfies the premises" } else { "no execution was found" };
        assert!(what.starts_with(words), "{axiom}: {what}");
    }
}

/// No rows' operation can occur, each alone or not at all.
#[test]
fn nothing_is_proved_of_a_target_that_allows_nothing() {
    let rows = "mapping \"to nothing\" from sc to none.cat\nR => R\nW => W\nRMW => RMW\nF => F\n";
    let allowing = load_text(
        &SourceFile::new("test.map", rows.replace("none.cat", "sc")),
        None,
        &LoadOptions::default(),
    );
    let mut mapping = allowing.expect("it is complete").mapping;
    assert!(prove(&setting(&mapping, "Atomicity"), &StopSignal::default()).is_theorem());
    for axiom in [
        // An event of a thread has one behind it, and what is behind one is read by a write.
        "empty ((_ \\ IW) \\ range(po)) \\ domain(po)\nempty range(po) \\ domain(rf & (W * W))",
        // Every read reads, and nothing is read.
        "empty rf",
        // A chain of three that has no room.
        "empty (_ \\ IW) \\ (domain(po) | range(po))\nempty po",
    ] {
        mapping.target = model(&format!("Generic \"none\"\ninclude \"sc.cat\"\n{axiom}\n"));
        let report = prove(&setting(&mapping, "Atomicity"), &StopSignal::default());
        assert!(report.premises.empty.is_some() && !report.is_theorem(), "{axiom}");
    }
}

/// A certificate without an execution, or with one that is none, is refused.
#[test]
fn a_certificate_needs_its_executions() {
    let mapping = mapping("rc11-to-x86", None);
    let report = prove(&setting(&mapping, "Atomicity"), &StopSignal::default());
    let given = TheoremOptions { without: Vec::new(), only: Vec::new(), typed: true };
    let proof = report.proof.as_ref().expect("there is one");
    let document = TheoremDocument::of_mapping(&mapping, given, &report.evidence(proof))
        .expect("its texts can be read");
    let folder = std::path::Path::new("nowhere");
    document.verify(folder).expect("each refutation is one");
    let mut less = document.clone();
    less.inhabitants.remove(0);
    let mut other = document.clone();
    other.inhabitants[0].holds.retain(|line| !line.starts_with("int: "));
    for (broken, words) in [(less, "it shows no execution"), (other, "is not shown")] {
        let refused = broken.verify(folder).expect_err("it is not accepted");
        assert!(refused[0].message.contains(words), "{refused:?}");
    }
}
