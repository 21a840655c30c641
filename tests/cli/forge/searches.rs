//! Certificates of checks and comparisons, forged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use margay_mappings::certificate::{
    BasisStanding, ComparisonBasis, HeldSearchTexts, MappingDocument, MappingSubject, ModelText,
    QuestionOptions, Verified,
};
use margay_mappings::check::{self, Baseline, CheckOptions, CoReading, Level, Silent, check};
use margay_mappings::compare::{CompareOptions, Subjects, compare};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::certificate::open;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::typing::FilesThenBuiltIn;
use margay_models::{Model, library};
use margay_solver::Backend;

use super::forgery::{self, Edits};

/// Edits that matter: an axiom less strong, another one more, an instruction weaker, an operation
/// gone.
const EDITS: Edits<'_> = &[
    ("acyclic", "irreflexive"),
    ("irreflexive", "empty"),
    ("as Coherence", "as Coherence\nempty rf; rf as More"),
    ("as Sequential-Consistency", "as Sequential-Consistency\nempty rf; rf as More"),
    ("as SC", "as Sc"),
    ("acquire", "relaxed"),
    ("fence.sc", "fence.acq_rel"),
    ("rf", "co"),
    ("flag ~empty race as Race", ""),
];

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("forge").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

pub fn names(list: &str) -> Vec<String> {
    list.split(',').map(str::to_owned).collect()
}

pub fn mapping(name: &str, source: &str) -> Mapping {
    let file = margay_mappings::library::built_in(name).expect("it is shipped");
    let options =
        LoadOptions { source: Some(source.to_owned()), target: None, ..LoadOptions::default() };
    load_text(&file, None, &options).expect("it is complete").mapping
}

/// A shipped model with one axiom more.
pub fn with_axiom(name: &str, axiom: &str) -> Model {
    let text =
        format!("{}\n{axiom} as Odd\n", library::built_in(name).expect("it is shipped").text);
    Model::parse(SourceFile::new("odd.cat", text), &FilesThenBuiltIn).expect("a model").model
}

pub fn certified(name: &str, mapping: &Mapping, mut options: CheckOptions) -> PathBuf {
    let folder = folder(name);
    (options.backend, options.jobs, options.certify) =
        (Backend::default(), 2, Some(folder.clone()));
    let report = check(mapping, &options, &Silent).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    assert!(
        report.certified.is_some_and(|c| c.claims.iter().any(|c| c.none_up_to > 0)),
        "{name} claims something"
    );
    verify(&folder).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    folder
}

pub fn verify(folder: &Path) -> Result<(MappingDocument, Verified), Vec<Diagnostic>> {
    let document: MappingDocument =
        open(folder).and_then(|sealed| sealed.parse()).map_err(|e| vec![e])?;
    let verified =
        margay_mappings::verify(&document, folder, &HeldSearchTexts::default(), (1, &Silent))?;
    Ok((document, verified))
}

/// Answers of searches without certificates, by what was asked.
#[derive(Default)]
pub struct Truth(Mutex<BTreeMap<String, BTreeMap<String, usize>>>);

impl Truth {
    /// Is each claim what a search of its own finds, and each name of a built-in text that text's?
    pub fn agrees(&self, document: &MappingDocument, verified: &Verified) {
        for basis in verified.bases.iter().filter(|b| b.standing == BasisStanding::BuiltIn) {
            let name =
                basis.name.strip_prefix(library::BUILT_IN_FOLDER).expect("only those are built in");
            let mapping = name.strip_suffix(".map").and_then(margay_mappings::library::built_in);
            let text = mapping.or_else(|| library::built_in(name)).expect("it is shipped");
            assert_eq!(basis.sha256, margay_models::digest::digest(text.text.as_bytes()), "{name}");
        }
        let most = document.claims.iter().map(|c| c.none_up_to).max().unwrap_or(0);
        let key = serde_json::to_string(&(&document.subject, most)).expect("it has a JSON form");
        let mut known = self.0.lock().expect("nothing panics within");
        let found = known.entry(key).or_insert_with(|| match &document.subject {
            MappingSubject::Check { mapping, source, target, baseline, given } => {
                let read = |m: &ModelText| m.read().expect("it was verified");
                let mapping = Mapping::between(&mapping.file(), read(source), read(target))
                    .expect("it was verified");
                let beside = baseline
                    .as_ref()
                    .map(|text| Baseline::read(&mapping, text).expect("it was verified"));
                checked(&mapping, beside, given, most)
            }
            MappingSubject::Diff { mapping, old, new, given } => {
                let [mut old, mut new] = [old, new].map(|m| m.read().expect("it was verified"));
                match mapping {
                    Some(mapping) => {
                        let mapping =
                            Mapping::between(&mapping.file(), old, new).expect("it was verified");
                        compared(Subjects::Mapping(&mapping), given, most)
                    }
                    None => {
                        library::tell_apart([&mut old, &mut new]);
                        compared(Subjects::Models(&old, &new), given, most)
                    }
                }
            }
        });
        for claim in &document.claims {
            assert!(
                found.get(&claim.axiom).is_some_and(|&none| none >= claim.none_up_to),
                "{claim:?} is false: {found:?}"
            );
        }
    }
}

/// Up to how many events a check finds nothing, by question.
fn checked(
    mapping: &Mapping,
    beside: Option<Baseline>,
    given: &QuestionOptions,
    bound: usize,
) -> BTreeMap<String, usize> {
    let mut options = CheckOptions::published(bound.max(1));
    options.axioms.clone_from(&given.axioms);
    options.without.clone_from(&given.without);
    options.only.clone_from(&given.only);
    (options.typed, options.level, options.guards, options.co) =
        (given.typed, given.level, given.guards, given.co);
    (options.keep_going, options.jobs) = (true, 2);
    options.baseline = beside.map(Arc::new);
    let report = check(mapping, &options, &Silent).expect("it was verified");
    report
        .axioms
        .iter()
        .map(|a| {
            (
                a.axiom.clone(),
                if a.verdict == check::CheckVerdict::None { bound } else { a.bound - 1 },
            )
        })
        .collect()
}

/// The same of a comparison.
fn compared(
    subjects: Subjects<'_>,
    given: &ComparisonBasis,
    bound: usize,
) -> BTreeMap<String, usize> {
    let mut options = CompareOptions::new(bound.max(1));
    options.without.clone_from(&given.without);
    options.only.clone_from(&given.only);
    (options.typed, options.level, options.jobs) = (given.typed, given.level, 2);
    let report = compare(subjects, &options, &Silent).expect("it was verified");
    (0..report.questions.len())
        .map(|q| (report.title(q), report.questions[q].established))
        .collect()
}

/// Forges all that there is, and sees to it that what is accepted is true, and is in these places
/// and no others.
fn forge(name: &str, folder: &Path, may_change: &[&str]) {
    let truth = Truth::default();
    forgery::forge(name, folder, EDITS, may_change, verify, |(document, verified)| {
        truth.agrees(document, verified)
    });
}

/// Where another document says the same of every certificate: who wrote it is the author's word,
/// the bound is what was asked for and no claim, and cases may come in any order.
const ANY: [&str; 4] = ["/bounds/*/cases", "/margay", "/solver", "/subject/given/bound"];

/// Constructs by name: in another order they are the same.
const ONLY: &str = "/subject/given/only";

/// Without plain accesses it does not matter whether locations are typed.
const TYPED: &str = "/subject/given/typed";

/// Names of texts: no claim has them, and they are the author's word unless a text is built in.
const NAMES: [&str; 3] =
    ["/subject/mapping/name", "/subject/source/model/name", "/subject/target/model/name"];

#[test]
fn executions() {
    let mut options = CheckOptions::published(3);
    options.only = names("R.RLX,W.RLX,RMW.RLX,W.REL,R.ACQ");
    options.axioms = names("Coherence,SC");
    let folder = certified("executions", &mapping("rc11-to-ptx", "rc11-scoped"), options);
    forge(
        "executions",
        &folder,
        &[&ANY[..], &NAMES, &[ONLY, TYPED, "/subject/given/axioms"]].concat(),
    );
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn executions_for_no_modification_order() {
    // A store order that nobody can see: another one explains what it forbids.
    let mut mapping = mapping("rc11-to-ptx", "rc11-scoped");
    mapping.source =
        with_axiom("rc11-scoped", "empty [W & RLX]; (mo & ext); [W & REL]; (mo & ext)");
    let mut options = CheckOptions::published(3);
    (options.only, options.axioms) = (names("R.RLX,W.RLX,W.REL"), names("Odd"));
    let all = check(&mapping, &CheckOptions { keep_going: true, ..options.clone() }, &Silent)
        .expect("it can be asked");
    assert_eq!(
        all.established, 2,
        "with any modification order there is a counterexample of 3 events"
    );
    options.co = CoReading::Exists;
    let folder = certified("exists", &mapping, options);
    // The model is the author's own: with an axiom less the claims may be as true.
    forge(
        "exists",
        &folder,
        &[&ANY[..], &NAMES, &[ONLY, TYPED, "/subject/given/axioms", "/subject/source/model/text"]]
            .concat(),
    );
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn programs() {
    let mut options = CheckOptions::published(3);
    // With a read-modify-write that acquires, a candidate of 3 events is refuted by a race:
    // something is learned.
    (options.level, options.only) = (Level::Program, names("R.NA,W.NA,RMW.ACQ,W.REL"));
    let folder = certified("programs", &mapping("rc11-to-ptx", "rc11-scoped"), options);
    let (document, _) = verify(&folder).expect("it is as it was written");
    let answers = document.bounds.iter().flat_map(|e| &e.cases).flat_map(|c| &c.answers);
    assert!(answers.flat_map(|a| &a.learned).count() > 0, "something was learned");
    forge("programs", &folder, &[&ANY[..], &NAMES, &[ONLY]].concat());
}

#[test]
fn shapes_that_were_split() {
    let mut options = CheckOptions::published(3);
    (options.only, options.axioms, options.split) =
        (names("R.RLX,W.RLX,RMW.RLX"), names("Coherence"), Some(40));
    let folder = certified("split", &mapping("rc11-to-ptx", "rc11-scoped"), options);
    forge("split", &folder, &[&ANY[..], &NAMES, &[ONLY, TYPED, "/subject/given/axioms"]].concat());
}

pub fn certified_comparison(
    name: &str,
    subjects: Subjects<'_>,
    mut options: CompareOptions,
) -> PathBuf {
    let folder = folder(name);
    (options.backend, options.jobs, options.certify) =
        (Backend::default(), 2, Some(folder.clone()));
    let report = compare(subjects, &options, &Silent).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    assert!(
        report.certified.is_some_and(|c| c.claims.iter().any(|c| c.none_up_to > 0)),
        "{name} claims something"
    );
    verify(&folder).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    folder
}

#[test]
fn comparisons() {
    let [old, new] = ["sc", "tso"].map(|n| library::load(n, &[]).expect("it is shipped").model);
    let folder =
        certified_comparison("comparisons", Subjects::Models(&old, &new), CompareOptions::new(2));
    // The claims have the names of the models. Nothing is typed in these.
    forge("comparisons", &folder, &[&ANY[..], &[TYPED]].concat());
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn comparisons_of_programs() {
    let old = library::load("rc11", &[]).expect("it is shipped").model;
    let new = with_axiom("rc11", "empty [W & RLX]; (co & ext); [W & REL]; (co & ext)");
    let mut options = CompareOptions::new(3);
    (options.level, options.only) = (Level::Program, names("R.RLX,W.RLX,W.REL"));
    let folder =
        certified_comparison("comparisons-of-programs", Subjects::Models(&old, &new), options);
    let own = ["/subject/new/model/text", "/bounds/*/cases/*/answers/*/learned/*/orders/coherence"];
    forge("comparisons-of-programs", &folder, &[&ANY[..], &own, &[ONLY, TYPED]].concat());
}

#[test]
fn comparisons_across_a_mapping() {
    let mapping = mapping("rc11-to-ptx", "rc11-scoped");
    let mut options = CompareOptions::new(2);
    options.only = names("R.RLX,W.RLX,W.REL,R.ACQ");
    let folder = certified_comparison("across", Subjects::Mapping(&mapping), options);
    forge("across", &folder, &[&ANY[..], &[ONLY, TYPED, "/subject/mapping/name"]].concat());
}
