//! The checker of arguments takes no argument that is not whole.

use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::theorem::prove;
use margay_theorem::argument::{ArgumentProof, WrittenClaim, WrittenRule, check};
use margay_theorem::certificate::{ComparedModel, TheoremDocument};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;

fn read(text: &str) -> Model {
    Model::parse(SourceFile::new("test.cat", text), &FilesThenBuiltIn).unwrap_or_else(|e| panic!("{e:?}")).model
}

/// Is it accepted, and does it prove the goal?
fn accepted(setting: &Setting<'_>, proof: &ArgumentProof) -> bool {
    check(&mut setting.theory.clone(), proof).is_ok_and(|(claims, _)| setting.goals.iter().all(|g| claims.contains(&g.claim)))
}

#[test]
fn damaged_arguments_are_refused() {
    let claimed = read("PTX \"claimed\"\ninclude \"ptx-6.0.cat\"\nempty (obs; rmw) \\ loc as Question");
    let number = claimed.check_named("Question").expect("it is there");
    let setting = Setting::of_model(&claimed, &[number]).expect("it is of a form that has a rule");
    let proof = prove(&setting, &StopSignal::default()).proof.expect("there is a proof");
    assert!(accepted(&setting, &proof));
    let mut refused = 0;
    let mut try_without = |damage: &dyn Fn(&mut ArgumentProof)| {
        let mut damaged = proof.clone();
        damage(&mut damaged);
        assert!(!accepted(&setting, &damaged));
        refused += 1;
    };
    for step in 0..proof.steps.len() {
        // A step less, a rule that shows nothing, a refutation less.
        try_without(&|p| {
            p.steps.remove(step);
            p.settled.remove(step);
        });
        try_without(&|p| p.settled[step].clear());
        try_without(&|p| p.steps[step].rule = WrittenRule::Induction(Vec::new()));
        for settled in 0..proof.settled[step].len().min(8) {
            let refutation = &proof.settled[step][settled].refutation;
            // An instance less, a derived clause less. What is kept is all needed.
            for instance in 0..refutation.instances.len().min(4) {
                try_without(&|p| {
                    p.settled[step][settled].refutation.instances.remove(instance);
                });
            }
            try_without(&|p| {
                p.settled[step][settled].refutation.steps.pop();
            });
        }
    }
    // Another claim with the same refutations.
    let last = proof.steps.len() - 1;
    try_without(&|p| {
        let rf = margay_theorem::argument::WrittenExpr::Name("rf".to_owned());
        p.steps[last].claims = vec![WrittenClaim::Irreflexive(rf)];
    });
    assert!(refused > 10, "{refused}");
}

/// Where two axioms have one name, a certificate of that name is one of both.
#[test]
fn a_name_of_two_axioms_is_of_both() {
    let old = read("PTX \"old\"\nirreflexive po; rf as First");
    let new = read("PTX \"new\"\nirreflexive po; rf as Both\nirreflexive po; fr as Both");
    let setting = Setting::of_models(&old, &new, &[0]).expect("it is of a form that has a rule");
    let report = prove(&setting, &StopSignal::default());
    let proof = report.proof.as_ref().expect("the first one is the axiom that is supposed");
    let document = TheoremDocument::of_models([&old, &new], ComparedModel::Supposed, &report.evidence(proof)).expect("written");
    assert_eq!(document.theorems, ["Both"]);
    let refused = document.verify(std::path::Path::new("nowhere")).expect_err("the second one does not follow");
    assert!(refused[0].message.contains("does not end with `Both`"), "{refused:?}");
}
