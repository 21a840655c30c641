//! A file for another reading of a source differs from the main file in the definitions that it is
//! about, and nowhere else.

use std::collections::BTreeMap;

use margay_models::Signature;
use margay_models::cat::ast::InstructionKind;
use margay_models::cat::parse;
use margay_models::judge::Judge;

use crate::case::cases;
use crate::program::Program;
use crate::random::{Random, describe, execution};
use crate::shipped;

/// The definitions and checks of a model, printed, by name.
fn parts(name: &str) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for instruction in parse(&shipped::model(name).source).file.instructions {
        let text = instruction.to_string();
        let key = match instruction.kind {
            InstructionKind::Let(bindings) => bindings.bindings[0].name.text.clone(),
            InstructionKind::Check { name, expr, .. } => {
                name.map_or(expr.to_string(), |n| format!("check {n}"))
            }
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
    assert_eq!(differences("rc11", "rc11-lb"), ["check No-Thin-Air"]);
    assert_eq!(differences("rc11-lb", "c20"), ["rs"]);
    assert_eq!(
        differences("rc11-scoped", "rc11-lb"),
        ["check SC", "hb", "incl", "race", "rs", "sw"]
    );
    assert_eq!(
        differences("ptx-6.0", "ptx-6.0-any-fence"),
        ["acquire", "pattern-acq", "pattern-rel", "release"]
    );
    assert_eq!(differences("ptx-6.0", "ptx-6.0-strong-patterns"), ["pattern-acq", "pattern-rel"]);
}

#[test]
fn patterns_of_strong_operations_allow_the_same() {
    let (any, strong) = (shipped::model("ptx-6.0"), shipped::model("ptx-6.0-strong-patterns"));
    let (mut any, mut strong) = (Judge::new(&any), Judge::new(&strong));
    let mut random = Random::new(5);
    for _ in 0..20_000 {
        let e = execution(&mut random, Signature::PTX);
        assert_eq!(any.judge(&e).consistent, strong.judge(&e).consistent, "{}", describe(&e));
    }
}

/// A PTX model and a change of its text allow the same executions, as far as random ones and the
/// tables tell.
fn agree(name: &str, change: impl Fn(&str) -> String) {
    let text = shipped::text(name);
    let changed = change(&text);
    assert_ne!(text, changed, "nothing was changed");
    let (original, changed) = (shipped::model(name), shipped::from_text(name, &changed));
    let (mut original, mut changed) = (Judge::new(&original), Judge::new(&changed));
    let mut random = Random::new(9);
    let written =
        cases(name).into_iter().flat_map(|c| Program::parse(Signature::PTX, c.text).candidates());
    for e in written.chain((0..20_000).map(|_| execution(&mut random, Signature::PTX))) {
        assert_eq!(original.judge(&e).consistent, changed.judge(&e).consistent, "{}", describe(&e));
    }
}

#[test]
fn the_clause_of_one_thread_is_redundant_in_the_isa() {
    agree("ptx-8", |text| {
        text.replace("(po | po^-1 | (strong * strong) & sr)", "((strong * strong) & sr)")
    });
}

/// The axiom excludes orders of fences, but no outcomes (docs/ptx-isa-derivation.md, C9).
#[test]
fn the_fence_sc_axiom_excludes_no_outcome() {
    for name in ["ptx-6.0", "ptx-8"] {
        let start = shipped::text(name).find("irreflexive sync_fence;").expect("the axiom");
        let text = shipped::text(name);
        let end = start + text[start..].find('\n').expect("its line");
        let without = shipped::from_text(name, &format!("{}{}", &text[..start], &text[end..]));
        let original = shipped::model(name);
        let (mut original, mut without) = (Judge::new(&original), Judge::new(&without));
        for case in cases(name) {
            let candidates = Program::parse(Signature::PTX, case.text).candidates();
            let allowed = |judge: &mut Judge| candidates.iter().any(|e| judge.judge(e).consistent);
            assert_eq!(allowed(&mut original), allowed(&mut without), "{name}: {}", case.name);
        }
    }
}
