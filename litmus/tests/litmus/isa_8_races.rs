//! The hand-made tests of races (tests/corpus/isa-8-races) tell each part of the definition of a
//! race in `ptx-8` from its absence.

use std::path::Path;

use margay_litmus::corpus::{self, Expected};
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

/// A piece of ptx-8.cat, what is put in its place, and what is then not followed.
const EDITS: [(&str, &str, &str); 9] = [
    (
        "let conflict = ((W \\ IW) * (M \\ IW))",
        "let conflict = ((M \\ IW) * (M \\ IW))",
        "one at least is a write",
    ),
    (
        "let conflict = ((W \\ IW) * (M \\ IW))",
        "let conflict = (W * M)",
        "what a program starts from races with nothing",
    ),
    ("(M \\ IW)) & loc \\ id", "(M \\ IW)) \\ id", "they overlap"),
    ("(M \\ IW)) & loc \\ id", "(M \\ IW)) & loc & ext \\ id", "in one thread, too"),
    ("(M \\ IW)) & loc \\ id", "(M \\ IW)) & loc", "two operations"),
    (
        "let ordered = rmw?; causality",
        "let ordered = causality",
        "a read-modify-write is one operation",
    ),
    (
        "conflict \\ (morally-strong | ordered | ordered^-1)",
        "conflict \\ (ordered | ordered^-1)",
        "not morally strong",
    ),
    (
        "conflict \\ (morally-strong | ordered | ordered^-1)",
        "conflict \\ (morally-strong | ordered^-1)",
        "not in causality order",
    ),
    (
        "conflict \\ (morally-strong | ordered | ordered^-1)",
        "conflict \\ (morally-strong | ordered)",
        "nor the other way round",
    ),
];

fn tests() -> Vec<(Test, Expected)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/isa-8-races");
    let folders = corpus::read(&folder).unwrap();
    let lines = folders
        .iter()
        .flat_map(|f| f.lines.iter().map(move |line| (f, line)))
        .filter(|(_, line)| line.model == "ptx-8");
    lines
        .map(|(f, line)| {
            (
                read::load(&f.path.join(&line.file)).unwrap_or_else(|e| panic!("{}", e[0])).test,
                line.expected,
            )
        })
        .collect()
}

#[test]
fn every_part_of_the_definition_of_a_race_matters() {
    let tests = tests();
    let text = library::built_in("ptx-8").unwrap().text.clone();
    for (from, to, part) in EDITS {
        assert_eq!(
            text.matches(from).count(),
            1,
            "ptx-8.cat has changed, so must this test: {from}"
        );
        let edited = SourceFile::new("edited.cat", text.replace(from, to));
        let model =
            Model::parse(edited, &OnlyBuiltIn).unwrap_or_else(|e| panic!("{from}: {}", e[0])).model;
        let mut runner =
            ExplicitRunner::new(&model.asking_for_races().expect("it says what a race is"));
        let told = tests.iter().any(|(test, expected)| {
            let verdict = runner.run(test, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
            Expected::from(&verdict) != *expected
        });
        assert!(told, "no test tells that {part}: {to}");
    }
}
