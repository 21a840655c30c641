//! Certificates of litmus tests, forged.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use margay_litmus::certificate::{self, Bases, Held, TestClaim, TestDocument, TestQuestion};
use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_litmus::unfold::UnfoldingBounds;
use margay_models::certificate::{BasisStanding, open};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::{Model, library};

use super::forgery::{self, Edits};

/// Edits that matter: an instruction weaker, another outcome, an axiom less strong.
const EDITS: Edits<'_> = &[
    ("release", "relaxed"),
    ("acquire", "relaxed"),
    ("exists", "forall"),
    ("== 1", "== 0"),
    ("=1", "=0"),
    ("acyclic", "irreflexive"),
    ("irreflexive", "empty"),
    ("flag ~empty race as Race", ""),
];

/// Certifies all tests under all models.
fn certified(name: &str, tests: &[&str], models: &[&str], unroll: usize) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("forge").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let load = |test: &&str| {
        let text = std::fs::read_to_string(root.join(format!("{test}.litmus")))
            .expect("it is in the corpus");
        read::test(&SourceFile::new(format!("{test}.litmus"), text)).expect("it is a test")
    };
    let tests: Vec<_> = tests.iter().map(load).collect();
    let models: Vec<Model> =
        models.iter().map(|m| library::load(m, &[]).expect("it is shipped").model).collect();
    let options = Options {
        bounds: UnfoldingBounds { unroll, ..UnfoldingBounds::default() },
        ..Options::default()
    };
    let mut claims = Vec::new();
    for (t, test) in tests.iter().enumerate() {
        for (m, model) in models.iter().enumerate() {
            let name = |session: usize| certificate::proof_file(t, m, session);
            let certified = Runner::new(model).certified(
                &test.test,
                &options,
                Choice::Only(Engine::Sat),
                (&folder, &name),
            );
            let (verdict, shown) = certified.expect("it can be run");
            claims.push(TestClaim::new(t, m, &verdict, shown));
        }
    }
    let files: Vec<&Arc<SourceFile>> = tests.iter().map(|t| &t.file).collect();
    certificate::write(&files, &models, TestQuestion::of(&options), claims, &folder)
        .expect("there is room");
    verify(&folder).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    folder
}

fn verify(folder: &Path) -> Result<(TestDocument, Bases), Vec<Diagnostic>> {
    let document: TestDocument =
        open(folder).and_then(|sealed| sealed.parse()).map_err(|e| vec![e])?;
    let held = Held { known: margay_kernel::known_models()?, ..Held::default() };
    let (_, bases) = certificate::verify(&document, folder, &held, (1, |_: &TestClaim| ()))?;
    Ok((document, bases))
}

/// Is each claim what the explicit engine says, and each name of a built-in model that model's?
fn agrees(document: &TestDocument, bases: &Bases) {
    for basis in bases.all().iter().filter(|b| b.standing == BasisStanding::BuiltIn) {
        let name =
            basis.name.strip_prefix(library::BUILT_IN_FOLDER).expect("only those are built in");
        let text = &library::built_in(name).expect("it is shipped").text;
        assert_eq!(basis.sha256, margay_models::digest::digest(text.as_bytes()), "{name}");
    }
    let (tests, models) = (document.subject.tests(), document.subject.models());
    for claim in &document.claims {
        let options = document.subject.given()[claim.given].options();
        let test = read::test(&tests[claim.test].file()).expect("it was verified").test;
        let model = models[claim.model].read().expect("it was verified");
        let verdict = Runner::new(&model)
            .run(&test, &options, Choice::Only(Engine::Explicit))
            .expect("it was verified");
        assert_eq!(
            Expected::from(&verdict),
            claim.verdict(),
            "{} under {}",
            tests[claim.test].name,
            models[claim.model].model.name
        );
    }
}

fn forge(name: &str, folder: &Path, may_change: &[&str]) {
    forgery::forge(name, folder, EDITS, may_change, verify, |(document, bases)| {
        agrees(document, bases)
    });
}

/// Where another document says the same: who wrote it and what files are called is the author's
/// word, and what is not claimed is said to have no answer. Pairs of an execution may come in any
/// order.
const ANY: [&str; 10] = [
    "/claims",
    "/claims/*/sessions/*/answers/*/execution/co",
    "/claims/*/sessions/*/answers/*/execution/rf",
    "/claims/*/sessions/*/answers/*/execution/values",
    "/margay",
    "/solver",
    "/subject/models",
    "/subject/models/*/model/name",
    "/subject/tests",
    "/subject/tests/*/name",
];

#[test]
#[ignore = "takes long; --ignored runs it"]
fn tests_of_ptx() {
    let tests = ["asplos2019/fig5-mp", "asplos2019/fig6-sb-narrow", "syntax/spin-lock"];
    let folder = certified("run-ptx", &tests, &["ptx-6.0", "sc"], 2);
    // Without loops it does not matter how often they are taken.
    forge("run-ptx", &folder, &[&ANY[..], &["/subject/given/unroll"]].concat());
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn tests_of_c() {
    let tests = ["asplos2019/fig12a-isa2", "readings/c-spin", "readings/c-mp-relaxed"];
    let folder = certified("run-c", &tests, &["rc11-scoped", "c20-scoped"], 2);
    // One execution may show what another one does, with two writes in the other order, too: the
    // judge is asked about each.
    let shown = [
        "/claims/*/sessions/*/answers/*",
        "/claims/*/sessions/*/answers/*/execution",
        "/claims/*/sessions/*/answers/*/execution/co/*",
    ];
    forge("run-c", &folder, &[&ANY[..], &shown].concat());
}

/// What tests were asked for is the author's word. Of this lock it does not matter which rounds of
/// its loops are looked at, nor how many. Models are known by their texts.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn tests_of_kernels() {
    let folder = crate::program::folder("forge/kernel").join("certificate");
    let path = folder.to_str().expect("a path of text");
    let asked = ["kernel", "tests/kernels/locks.ptx", "--kernel", "cas_lock", "--certify", path];
    assert_eq!(crate::program::margay(&asked).status.code(), Some(0));
    let said = [
        "/margay",
        "/solver",
        "/subject/asked/*/file",
        "/subject/asked/*/kernel",
        "/subject/asked/*/launch",
        "/subject/asked/*/question",
        "/subject/given/*",
        "/subject/given/*/rounds/racing",
        "/subject/given/*/unroll",
        "/subject/models/*/includes/*/file/name",
        "/subject/models/*/model/name",
        "/subject/tests/*/name",
    ];
    forge("kernel", &folder, &said);
}
