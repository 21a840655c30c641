//! Mbarriers and asynchronous operations: the hand-made tests of tests/corpus/asynchronous under both engines, each line of the model that is
//! about them, and what is refused.

use std::path::Path;

use margay_litmus::corpus::{self, Expected};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

fn tests() -> Vec<(String, Test, Expected)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/asynchronous");
    let mut tests = Vec::new();
    for folder in corpus::read(&folder).unwrap() {
        for line in folder.lines.iter().filter(|l| l.model == "ptx-8") {
            let test = read::load(&folder.path.join(&line.file)).unwrap_or_else(|e| panic!("{}: {}", line.file, e[0])).test;
            tests.push((line.file.clone(), test, line.expected));
        }
    }
    tests
}

fn model(text: String) -> Model {
    Model::parse(SourceFile::new("edited.cat", text), &OnlyBuiltIn).unwrap_or_else(|e| panic!("{}", e[0])).model
}

fn shipped() -> String {
    library::built_in("ptx-8").unwrap().text.clone()
}

/// The tests whose verdict is another one.
fn differing(model: &Model, tests: &[(String, Test, Expected)], choice: Choice) -> Vec<String> {
    let mut runner = Runner::new(model);
    let of = |(file, test, expected): &(String, Test, Expected)| match runner.run(test, &Options::default(), choice) {
        Ok(verdict) if Expected::from(&verdict) == *expected => None,
        Ok(verdict) => Some(format!("{file}: {:?}, expected {expected:?}", Expected::from(&verdict))),
        Err(error) => Some(format!("{file}: {error}")),
    };
    tests.iter().filter_map(of).collect()
}

#[test]
fn verdicts_are_those_of_the_text() {
    let wrong = differing(&model(shipped()), &tests(), Choice::Both);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A piece of ptx-8.cat, what is put in its place, and what then is not followed.
const EDITS: [(&str, &str, &str); 26] = [
    (" | (ASYNC * ASYNC)", "", "8.6: the async proxy"),
    ("let same-mbarrier = (MBARRIER * MBARRIER) & loc", "let same-mbarrier = 0", "operations on one mbarrier are in one order"),
    ("[W & WEAK & MBARRIER]; po; [F & MBARRIER]", "[M]; po; [F & MBARRIER]", "fence.mbarrier_init: of mbarrier.init alone"),
    ("    (initialisation; po; [B & RLX & CLUSTER]; sync_barrier)\n", "    0\n", "fence.mbarrier_init before a barrier"),
    (
        "  | (initialisation; po; [W & strong]; observation; acquire-pattern) & scluster\n",
        "",
        "fence.mbarrier_init before a store",
    ),
    ("  | releases-initialisation\n", "", "fence.mbarrier_init"),
    ("  | async_complete\n", "", "what waits for completion"),
    ("let before-async = base-causality?; async_issue", "let before-async = async_issue", "8.9.1.1: behind an acquire"),
    ("let before-async = base-causality?; async_issue", "let before-async = 0", "8.9.1.1: ordered after prior instructions"),
    (
        "let base-causality = (po | synchronizes)+",
        "let base-causality = (po | synchronizes | async_issue)+",
        "8.9.1.1: the end of a path",
    ),
    ("observation; acquire-pattern) & scluster", "observation; acquire-pattern)", "fence.mbarrier_init: of scope cluster"),
    (" | from-async\n", "\n", "the implicit fence of the async proxy"),
    (
        "[F & ASYNC & S]; (before-async & scta); [ASYNC & S]",
        "[F]; (before-async & scta); [ASYNC & S]",
        "a fence of the async proxy",
    ),
    (
        "[F & ASYNC & S]; (before-async & scta); [ASYNC & S]",
        "[F & ASYNC]; (before-async & scta); [ASYNC]",
        "fence.proxy.async of a state space",
    ),
    (
        "[F & ASYNC & S]; (before-async & scta); [ASYNC & S]",
        "[F & ASYNC & S]; before-async; [ASYNC & S]",
        "8.9.5: the fence is in the thread block of the access",
    ),
    (
        "let from-async = [ASYNC]; (async_complete | po; [W & MBARRIER])",
        "let from-async = [ASYNC]; async_complete",
        "complete-tx is followed by a fence",
    ),
    (
        "let from-async = [ASYNC]; (async_complete | po; [W & MBARRIER])",
        "let from-async = [ASYNC]; po; [W & MBARRIER]",
        "completion of a group is, too",
    ),
    (
        "let into-async = enter-async(SHARED) | enter-async(GLOBAL)",
        "let into-async = enter-async(SHARED)",
        "fences for global memory",
    ),
    (
        "let into-async = enter-async(SHARED) | enter-async(GLOBAL)",
        "let into-async = enter-async(GLOBAL)",
        "fences for shared memory",
    ),
    ("    ((from-generic; before-async; [GEN]) & overlap)\n", "    0\n", "generic asynchronous accesses"),
    ("  | ((from-generic; base-causality; into-async) & overlap)\n", "", "asynchronous accesses behind a fence"),
    ("  | (before-async & overlap & same-proxy & scta)\n", "", "two asynchronous accesses of a thread block"),
    ("  | into-asynchronous\n", "", "asynchronous accesses"),
    (" | same-mbarrier\n", "\n", "operations on one mbarrier are atomic whatever their scopes are"),
    (" \\ narrow-mbarrier\n", "\n", "8.5: what they order goes by their scopes"),
    ("same-mbarrier \\ (po | po^-1 | sr)", "same-mbarrier \\ (po | po^-1)", "8.5: scopes that include each other"),
];

#[test]
fn every_line_of_the_model_matters_to_a_hand_made_test() {
    let (tests, text) = (tests(), shipped());
    let mut blind = Vec::new();
    for (from, to, what) in EDITS {
        assert_eq!(text.matches(from).count(), 1, "ptx-8.cat has changed, so must this test: {from}");
        let edited = model(text.replace(from, to));
        if differing(&edited, &tests, Choice::Auto).is_empty() {
            blind.push(format!("{what}: {from} => {to}"));
        }
    }
    assert!(blind.is_empty(), "no hand-made test tells\n{}", blind.join("\n"));
}

/// Where the text allows two readings: a model text beside the tests, in what it differs from `ptx-8`, and the smallest test that tells them
/// apart. (docs/ptx-isa-derivation.md, A3.)
type Reading = (&'static str, &'static [(&'static str, &'static str)], &'static str);
const READINGS: [Reading; 1] = [(
    "ptx-8-reads-before-async-writes.cat",
    &[(
        "  | (before-async & overlap & same-proxy & scta)\n",
        "  | (before-async & overlap & same-proxy & scta)\n  | (([R & GEN]; before-async; [W & ASYNC]) & overlap)\n",
    )],
    "pipeline-reuse-no-fence.litmus",
)];

#[test]
fn each_other_reading_is_told_apart_by_one_test() {
    let tests = tests();
    for (file, edits, telling) in READINGS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/asynchronous").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        let mut wanted = shipped();
        for (from, to) in edits {
            assert_eq!(wanted.matches(from).count(), 1, "{from}");
            wanted = wanted.replace(from, to);
        }
        // The first line, the title, is the reading's own.
        let body = |text: &str| text.split_once('\n').unwrap().1.to_owned();
        assert_eq!(body(&text), body(&wanted), "{file} is not ptx-8 with its edits");
        let other: Vec<String> = differing(&model(text), &tests, Choice::Both);
        let names: Vec<&str> = other.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(names, [telling], "{file}");
    }
}
