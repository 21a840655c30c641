//! The documents speak of what there is: every base name, every model, every test by its name, and
//! examples that are models.

use std::collections::BTreeSet;
use std::path::Path;

use margay_models::Signature;
use margay_models::signature::{BaseRelation, BaseSet};

use crate::case::TABLES;
use crate::shipped;

fn document(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name))
        .expect("a document")
}

#[test]
fn the_language_reference_lists_every_base_name() {
    let text = document("cat.md");
    let names = BaseSet::names_of_front_ends().chain(BaseRelation::names_of_front_ends());
    let missing: BTreeSet<_> = names.filter(|n| !text.contains(&format!("`{n}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_example_of_the_language_reference_is_a_model() {
    let text = document("cat.md");
    let indented: Vec<&str> = text
        .lines()
        .skip_while(|l| !l.starts_with("    "))
        .take_while(|l| l.starts_with("    "))
        .collect();
    let model = shipped::from_text("example", &indented.join("\n"));
    assert_eq!((model.signature, model.checks.len()), (Signature::PTX, 1));
}

#[test]
fn the_semantics_speak_of_every_model() {
    let text = document("semantics.md");
    // In a heading of its own, or in the tables of readings.
    let headings: Vec<&str> =
        text.lines().filter(|l| l.starts_with("## ")).flat_map(|l| l[3..].split(", ")).collect();
    let models = shipped::models().into_iter().map(|m| m.name);
    let missing: Vec<_> = models
        .filter(|m| !headings.contains(&m.as_str()) && !text.contains(&format!("`{m}`")))
        .collect();
    assert!(missing.is_empty(), "no word on {missing:?}");
}

#[test]
fn the_derivation_names_tests_that_exist() {
    let text = document("ptx-isa-derivation.md");
    let names: Vec<&str> = TABLES.iter().flat_map(|t| t.cases).map(|c| c.name).collect();
    let mut found = 0;
    for line in text.lines().filter(|l| l.contains("test: *") || l.contains("tests: *")) {
        let (_, tests) = line.split_once("test").expect("the word");
        for name in tests.split('*').skip(1).step_by(2) {
            assert!(names.contains(&name), "there is no test `{name}`");
            found += 1;
        }
    }
    assert!(found >= 8, "{found}");
}
