//! Lemmas of models, as questions of their own, and false ones.

use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::theorem::{Report, Setting, prove};
use margay_prove::theory::Stop;

fn read(name: &str, text: &str) -> Model {
    crate::use_cadical();
    Model::parse(SourceFile::new(name, text), &FilesThenBuiltIn).unwrap_or_else(|e| panic!("{e:?}")).model
}

/// A property of a model.
fn asked(model: &str, property: &str) -> Report {
    let claimed = read("claimed.cat", &format!("PTX \"claimed\"\ninclude \"{model}.cat\"\n{property} as Question"));
    let number = claimed.check_named("Question").expect("it is there");
    prove(&Setting::of_model(&claimed, &[number]).expect("it is of a form that has a rule"), &Stop::default())
}

#[test]
fn lemmas_of_ptx() {
    for property in ["irreflexive po; rf", "empty obs \\ loc", "empty (obs; rmw) \\ loc", "empty (cause-base; po) \\ cause-base"]
    {
        let report = asked("ptx-6.0", property);
        assert!(report.is_theorem(), "{property}: {:?}", report.goals[0].gap);
    }
}

#[test]
fn false_lemmas_are_none() {
    for property in ["empty cause-base \\ po", "empty obs \\ rf", "acyclic po | rf | fr", "empty rf \\ morally-strong"] {
        let report = asked("ptx-6.0", property);
        let gap = report.goals[0].gap.as_ref().unwrap_or_else(|| panic!("{property} is no theorem"));
        assert!(!gap.what.is_empty());
    }
}

/// A part of a model: neither red, nor other proxies, nor aliases.
fn generic(model: &str) -> Model {
    let text = format!(
        "PTX \"generic\"\ninclude \"{model}.cat\"\nempty RED as No-RED\nempty M \\ GEN as Generic\n\
         empty SUR | TEX | CON | ALIAS as No-Proxy\nempty (loc \\ vloc) | (vloc \\ loc) as One-Address"
    );
    read(&format!("generic-{model}.cat"), &text)
}

/// The axioms of one model that are theorems about what another one allows, and those that are not.
fn compared(supposed: &Model, claimed: &Model) -> (Vec<String>, Vec<String>) {
    let axioms: Vec<usize> = (0..claimed.checks.len()).collect();
    let setting = Setting::of_models(supposed, claimed, &axioms).expect("its axioms are of forms that have rules");
    let report = prove(&setting, &Stop::default());
    let (proved, open): (Vec<_>, Vec<_>) = report.goals.iter().partition(|g| g.is_theorem());
    let names = |goals: Vec<&margay_prove::theorem::GoalReport>| goals.iter().map(|g| g.name.clone()).collect();
    (names(proved), names(open))
}

#[test]
fn what_ptx_6_allows_today_s_isa_allows() {
    // Its axioms about cycles are within closures of axioms, which have no name.
    let (proved, open) = compared(&generic("ptx-6.0"), &generic("ptx-8"));
    assert!(open.is_empty(), "{open:?}");
    assert!(proved.len() >= 10 && proved.iter().any(|p| p == "SC-per-Location"), "{proved:?}");
    // With red it does not follow: a red forms no acquire pattern today.
    let (_, open) = compared(
        &read("red.cat", "PTX \"red\"\ninclude \"ptx-8.cat\""),
        &read("all.cat", "PTX \"all\"\ninclude \"ptx-6.0.cat\""),
    );
    assert!(open.iter().any(|o| o == "Coherence"), "{open:?}");
}

#[test]
fn an_axiom_less_is_no_theorem() {
    // Each axiom about cycles that is left out of what is supposed is not proved of the other model.
    for axiom in ["No-Thin-Air", "SC-per-Location"] {
        let mut supposed = generic("ptx-6.0");
        supposed.checks.retain(|c| c.display_name() != axiom);
        let (_, open) = compared(&supposed, &generic("ptx-8"));
        assert!(open.iter().any(|o| o == axiom), "{axiom}: {open:?}");
    }
}
