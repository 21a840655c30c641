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
