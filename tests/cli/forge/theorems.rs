//! Certificates of theorems, forged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use margay_mappings::check::{CheckOptions, CheckVerdict, Silent, check};
use margay_mappings::compare::{CompareOptions, Objection, Subjects, compare};
use margay_mappings::language::Mapping;
use margay_mappings::library as mappings;
use margay_models::certificate::open;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Role;
use margay_models::typing::FilesThenBuiltIn;
use margay_models::{Model, library};
use margay_prove::theorem::prove;
use margay_theorem::certificate::{
    ComparedModel, HeldTheoremTexts, TheoremDocument, TheoremSubject,
};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;

use super::forgery::{self, Edits};

/// Edits that matter: an axiom less strong or gone, another claim, an instruction weaker.
const EDITS: Edits<'_> = &[
    ("acyclic", "irreflexive"),
    ("irreflexive", "empty"),
    ("as Coherence", "as Coherence\nempty rf; rf as More"),
    ("as Atomicity", "as Atomicity\nempty rf & ext as More"),
    ("empty (obs; rmw)", "empty (po; rmw)"),
    ("acquire", "relaxed"),
    ("release", "relaxed"),
    ("rf", "co"),
    ("co", "rf"),
    ("fact ", "supposed "),
    ("fact 1", "fact 2"),
    (" | ", " | 0 "),
];

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("forge").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn verify(folder: &Path) -> Result<TheoremDocument, Vec<Diagnostic>> {
    let document: TheoremDocument =
        open(folder).and_then(|sealed| sealed.parse()).map_err(|e| vec![e])?;
    document.subject.bases(&HeldTheoremTexts::default(), &mappings::texts().collect::<Vec<_>>())?;
    document.verify(folder)?;
    Ok(document)
}

/// Is there no counterexample to what is claimed, as far as a search without certificates finds?
fn is_true(document: &TheoremDocument) {
    match &document.subject {
        TheoremSubject::Theorem { mapping, source, target, given } => {
            let [source, target] = [source, target].map(|m| m.read().expect("it was verified"));
            let mapping =
                Mapping::between(&mapping.file(), source, target).expect("it was verified");
            let mut options = CheckOptions::published(4);
            options.axioms.clone_from(&document.theorems);
            options.without.clone_from(&given.without);
            options.only.clone_from(&given.only);
            (options.typed, options.keep_going, options.jobs) = (given.typed, true, 2);
            let report = check(&mapping, &options, &Silent).expect("it was verified");
            let false_ones: Vec<&str> = report
                .axioms
                .iter()
                .filter(|a| a.verdict != CheckVerdict::None)
                .map(|a| a.axiom.as_str())
                .collect();
            assert!(false_ones.is_empty(), "{false_ones:?} of {:?}", document.subject);
        }
        TheoremSubject::ModelTheorem { model } => {
            let whole = model.read().expect("it was verified");
            let mut rest = whole.clone();
            rest.checks.retain(|c| {
                c.role != Role::Axiom || !document.theorems.contains(&c.display_name())
            });
            let report = compare(Subjects::Models(&rest, &whole), &CompareOptions::new(3), &Silent)
                .expect("it was verified");
            assert!(
                report.questions.iter().all(|q| q.differences.is_empty()),
                "{:?}",
                document.theorems
            );
        }
        TheoremSubject::DiffTheorem { supposed, claimed, .. } => {
            let [supposed, mut claimed] =
                [supposed, claimed].map(|m| m.read().expect("it was verified"));
            claimed
                .checks
                .retain(|c| c.role != Role::Axiom || document.theorems.contains(&c.display_name()));
            let subjects = Subjects::Models(&supposed, &claimed);
            let report =
                compare(subjects, &CompareOptions::new(3), &Silent).expect("it was verified");
            let mut own =
                report.questions.iter().filter(|q| q.allows == 0 && q.kind == Objection::Forbidden);
            assert!(own.all(|q| q.differences.is_empty()), "{:?}", document.theorems);
        }
    }
}

/// Forges all that there is, and sees to it that what is accepted is true, and is in these places
/// and no others.
fn forge(name: &str, folder: &Path, may_change: &[&str]) {
    let known = std::sync::Mutex::new(BTreeSet::new());
    forgery::forge(name, folder, EDITS, may_change, verify, |document| {
        let key = serde_json::to_string(&(&document.subject, &document.theorems))
            .expect("it has a JSON form");
        if known.lock().expect("nothing panics within").insert(key) {
            is_true(document);
        }
    });
}

/// Where another argument is one for the same theorem: steps in another order or twice, what
/// nothing uses. Who wrote it is the author's word.
const ANY: [&str; 11] = [
    // An execution besides those that are needed may be left out, or be another one.
    "/inhabitants",
    "/inhabitants/*",
    "/inhabitants/*/holds",
    "/inhabitants/*/shows",
    "/margay",
    "/steps",
    "/steps/*/obligations/*/derived",
    "/steps/*/obligations/*/derived/*",
    "/steps/*/obligations/*/instances",
    "/steps/*/step/known",
    "/theorems",
];

#[test]
fn theorems_of_a_model() {
    let text = "PTX \"asked\"\ninclude \"ptx-6.0.cat\"\nempty (obs; rmw) \\ loc as Property\n";
    let model =
        Model::parse(SourceFile::new("asked.cat", text), &FilesThenBuiltIn).expect("a model").model;
    let number = model.check_named("Property").expect("it is there");
    let setting = Setting::of_model(&model, &[number]).expect("there are rules");
    let report = prove(&setting, &StopSignal::default());
    assert!(report.is_theorem() && library::built_in("ptx-6.0").is_some());
    let document = TheoremDocument::of_model(
        &model,
        &report.evidence(report.proof.as_ref().expect("there is one")),
    )
    .expect("written");
    let folder = folder("model-theorem");
    document.write(&folder).expect("there is room");
    verify(&folder).unwrap_or_else(|e| panic!("{e:?}"));
    // The names of files that are included; and `po & loc` is `loc & po`, in each of the unions
    // that bound `obs`.
    let own = [
        "/subject/model/includes/*/file/name",
        "/steps/*/step/claims/*/bound/*/union/*/seq/*/and",
        "/steps/*/step/claims/*/bound/*/union/*/union/*/seq/*/and",
        "/steps/*/step/claims/*/bound/*/union/*/union/*/union/*/seq/*/and",
    ];
    forge("model-theorem", &folder, &[&ANY[..], &own].concat());
}

/// A theorem about two models may claim less than all axioms: what is said of it names those that
/// it has.
#[test]
fn theorems_of_two_models() {
    let read = |name: &str, body: &str| {
        let text = format!(
            "PTX \"{name}\"\n{body}\nempty (obs; rmw) \\ loc as One\nirreflexive po; obs as Other\n"
        );
        Model::parse(SourceFile::new(format!("{name}.cat"), text), &FilesThenBuiltIn)
            .expect("a model")
            .model
    };
    let body = |obs: &str| {
        format!(
            "let ms = rf & (po | sr)\nlet rec obs = ms | {obs}\nirreflexive rf; po as Coherence"
        )
    };
    let [old, new] = [read("old", &body("(obs; rmw; obs)")), read("new", &body("(ms; rmw; obs)"))];
    let all: Vec<usize> = (0..new.checks.len()).collect();
    let setting = Setting::of_models(&old, &new, &all).expect("there are rules");
    let report = prove(&setting, &StopSignal::default());
    assert!(report.is_theorem(), "{:?}", report.goals.iter().map(|g| &g.gap).collect::<Vec<_>>());
    let proof = report.proof.as_ref().expect("there is one");
    let document =
        TheoremDocument::of_models([&old, &new], ComparedModel::Supposed, &report.evidence(proof))
            .expect("written");
    let folder = folder("diff-theorem");
    document.write(&folder).expect("there is room");
    verify(&folder).unwrap_or_else(|e| panic!("{e:?}"));
    // What the two and their files are called the author says; the claimed model may have an axiom
    // more, of which nothing is said.
    let own = [
        "/subject/names/*",
        "/subject/claimed/model/name",
        "/subject/claimed/model/text",
        "/subject/supposed/model/name",
        "/theorems/*",
    ];
    forge("diff-theorem", &folder, &[&ANY[..], &own].concat());
}
