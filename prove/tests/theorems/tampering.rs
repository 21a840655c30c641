//! The checker of arguments takes no argument that is not whole.

use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use margay_prove::theorem::prove;
use margay_theorem::argument::{
    ArgumentProof, WrittenClaim, WrittenExpr, WrittenRule, WrittenStep, check,
};
use margay_theorem::certificate::{
    ComparedModel, FollowedTheorem, TheoremDocument, TheoremSubject,
};
use margay_theorem::ground::ExistenceValue;
use margay_theorem::logic::EventTerm;
use margay_theorem::logic::clause::MAX_EVENTS;
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;

fn read(text: &str) -> Model {
    Model::parse(SourceFile::new("test.cat", text), &FilesThenBuiltIn)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .model
}

/// Is it accepted, and does it prove the goal?
fn accepted(setting: &Setting<'_>, proof: &ArgumentProof) -> bool {
    check(&mut setting.theory.clone(), proof)
        .is_ok_and(|(claims, _)| setting.goals.iter().all(|g| claims.contains(&g.claim)))
}

#[test]
fn damaged_arguments_are_refused() {
    let claimed =
        read("PTX \"claimed\"\ninclude \"ptx-6.0.cat\"\nempty (obs; rmw) \\ loc as Question");
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
    // Events that have no number: what exists may be several events, of which the first has one.
    let mut said = Vec::new();
    for (source, of) in (0..64).flat_map(|source| [(source, 1), (source, 2)]) {
        let mut damaged = proof.clone();
        let of = (0..of).map(|_| EventTerm::event(0)).collect();
        let value = ExistenceValue {
            source,
            of,
            event: EventTerm::event(MAX_EVENTS - 1),
            unless: Vec::new(),
        };
        let settled =
            damaged.settled[last].iter_mut().next().expect("the last step has an obligation");
        settled.refutation.values.push(value);
        said.extend(
            check(&mut setting.theory.clone(), &damaged).err().map(|flaw| flaw.what.to_string()),
        );
    }
    assert!(said.iter().any(|what| what.contains("there are 128 events at most")), "{said:?}");
}

/// A set in the place of a relation, or the other way round, wherever it stands: definitions would
/// say another thing of it.
#[test]
fn written_expressions_have_a_sort() {
    let model = read("PTX \"a model\"\nirreflexive po as Order");
    let setting = Setting::of_model(&model, &[0]).expect("it is of a form that has a rule");
    let name = |name: &str| WrittenExpr::Name(name.to_owned());
    let two = |a: &WrittenExpr, b: &WrittenExpr| Box::new([a.clone(), b.clone()]);
    let (set, relation) = (name("W"), name("rf"));
    let mixed = WrittenExpr::Union(two(&set, &relation));
    let wrong = [
        mixed.clone(),
        WrittenExpr::Closure(Box::new(set.clone())),
        WrittenExpr::Closure(Box::new(mixed.clone())),
        WrittenExpr::Inverse(Box::new(set.clone())),
        WrittenExpr::On(Box::new(relation.clone())),
        WrittenExpr::On(Box::new(WrittenExpr::Domain(Box::new(set.clone())))),
        WrittenExpr::On(Box::new(WrittenExpr::Range(Box::new(mixed.clone())))),
        WrittenExpr::Product(two(&set, &relation)),
        WrittenExpr::Seq(two(&relation, &set)),
        WrittenExpr::Seq(two(
            &relation,
            &WrittenExpr::Closure(Box::new(WrittenExpr::And(two(&set, &relation)))),
        )),
    ];
    let claims = |e: &WrittenExpr| {
        [
            WrittenClaim::Within(e.clone(), relation.clone()),
            WrittenClaim::Irreflexive(e.clone()),
            WrittenClaim::Acyclic(e.clone()),
            WrittenClaim::Empty(e.clone(), false),
            WrittenClaim::Bound(relation.clone(), e.clone()),
            WrittenClaim::Pairs(relation.clone(), vec![(e.clone(), [0, 1], true)]),
        ]
    };
    let is_read = |claim: WrittenClaim| {
        let step = WrittenStep { claims: vec![claim], rule: WrittenRule::Direct, known: true };
        step.read(&mut setting.theory.clone()).is_ok()
    };
    for e in &wrong {
        for claim in claims(e) {
            assert!(!is_read(claim.clone()), "{claim:?}");
        }
    }
    for e in [
        relation.clone(),
        WrittenExpr::Closure(Box::new(relation.clone())),
        WrittenExpr::Seq(two(&relation, &relation)),
    ] {
        for claim in claims(&e) {
            assert!(is_read(claim.clone()), "{claim:?}");
        }
    }
}

/// A certificate of two models with one axiom, the same in both.
fn of_equal_models() -> TheoremDocument {
    let [old, new] =
        ["old", "new"].map(|name| read(&format!("PTX \"{name}\"\nirreflexive po; rf as One")));
    let setting = Setting::of_models(&old, &new, &[0]).expect("it is of a form that has a rule");
    let report = prove(&setting, &StopSignal::default());
    let proof = report.proof.as_ref().expect("it is the axiom that is supposed");
    TheoremDocument::of_models([&old, &new], ComparedModel::Supposed, &report.evidence(proof))
        .expect("written")
}

/// Whoever writes a certificate says what the two models are called, and its sentences name the
/// texts.
#[test]
fn what_two_models_are_called_is_not_believed() {
    let mut document = of_equal_models();
    let TheoremSubject::DiffTheorem { names, .. } = &mut document.subject else {
        panic!("it is about two models")
    };
    *names = ["ptx-6.0", "ptx-8"].map(str::to_owned);
    let FollowedTheorem { hypotheses, .. } =
        document.verify(std::path::Path::new("nowhere")).expect("the argument is the same");
    assert!(
        hypotheses.sentences.iter().all(|s| !s.contains("ptx-6.0")),
        "{:?}",
        hypotheses.sentences
    );
    assert!(
        hypotheses.sentences[0].contains("every axiom of `test.cat`"),
        "{:?}",
        hypotheses.sentences
    );
}

/// Where two axioms have one name, a certificate of that name is one of both.
#[test]
fn a_name_of_two_axioms_is_of_both() {
    let old = read("PTX \"old\"\nirreflexive po; rf as First");
    let new = read("PTX \"new\"\nirreflexive po; rf as Both\nirreflexive po; fr as Both");
    let setting = Setting::of_models(&old, &new, &[0]).expect("it is of a form that has a rule");
    let report = prove(&setting, &StopSignal::default());
    let proof = report.proof.as_ref().expect("the first one is the axiom that is supposed");
    let document =
        TheoremDocument::of_models([&old, &new], ComparedModel::Supposed, &report.evidence(proof))
            .expect("written");
    assert_eq!(document.theorems, ["Both"]);
    let refused = document
        .verify(std::path::Path::new("nowhere"))
        .expect_err("the second one does not follow");
    assert!(refused[0].message.contains("does not end with `Both`"), "{refused:?}");
}

/// What is printed of a certificate is what its model calls the axioms, each once, whatever the
/// certificate repeats.
#[test]
fn a_theorem_that_is_named_twice_is_one() {
    let mut document = of_equal_models();
    document.theorems = ["one", "One", "ONE "].map(str::to_owned).to_vec();
    let followed =
        document.verify(std::path::Path::new("nowhere")).expect("the argument is the same");
    assert_eq!(followed.axioms, ["One"]);
}
