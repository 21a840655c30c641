//! A file for another reading of a source differs from the main file in the definitions that it is about, and nowhere else.

use std::collections::BTreeMap;

use margay_models::Signature;
use margay_models::cat::ast::InstructionKind;
use margay_models::cat::parse;
use margay_models::judge::Judge;

use crate::random::{Random, describe, execution};
use crate::shipped;

/// The definitions and checks of a model, printed, by name.
fn parts(name: &str) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for instruction in parse(&shipped::model(name).source).file.instructions {
        let text = instruction.to_string();
        let key = match instruction.kind {
            InstructionKind::Let(bindings) => bindings.bindings[0].name.text.clone(),
            InstructionKind::Check { name, expr, .. } => name.map_or(expr.to_string(), |n| format!("check {n}")),
            _ => text.clone(),
        };
        assert!(parts.insert(key.clone(), text).is_none(), "{name} has two of {key}");
    }
    parts
}

/// The names of what two models do not share.
fn differences(a: &str, b: &str) -> Vec<String> {
    let (a, b) = (parts(a), parts(b));
    let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names.into_iter().filter(|n| a.get(*n) != b.get(*n)).cloned().collect()
}

#[test]
fn readings_differ_in_what_they_are_about() {
    assert_eq!(differences("rc11-scoped", "rc11-scoped-mo-atomic"), ["mo"]);
    assert_eq!(differences("rc11-scoped", "c20-scoped"), ["rs"]);
    assert_eq!(differences("rc11-scoped", "rc11"), ["check SC", "hb", "incl", "race", "rs", "sw"]);
    assert_eq!(differences("ptx-6.0", "ptx-6.0-any-fence"), ["acquire", "pattern-acq", "pattern-rel", "release"]);
    assert_eq!(differences("ptx-6.0", "ptx-6.0-strong-patterns"), ["pattern-acq", "pattern-rel"]);
}

#[test]
fn patterns_of_strong_operations_allow_the_same() {
    let (any, strong) = (shipped::model("ptx-6.0"), shipped::model("ptx-6.0-strong-patterns"));
    let (mut any, mut strong) = (Judge::new(&any), Judge::new(&strong));
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let e = execution(&mut random, Signature::Ptx);
        assert_eq!(any.judge(&e).consistent, strong.judge(&e).consistent, "{}", describe(&e));
    }
}
