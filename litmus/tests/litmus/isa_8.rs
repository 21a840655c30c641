//! The hand-made tests of chapter 8 of the PTX ISA (tests/corpus/isa-8) tell every definition of
//! `ptx-8` from its absence: each edit of the model's text changes a verdict.

use std::path::Path;

use margay_litmus::corpus::{self, Expected};
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

/// A piece of ptx-8.cat, what is put in its place, and the section that then is not followed.
///
/// Not here are three words that nothing depends on: that the write of a release pattern is strong
/// (it must be observed, which is to be morally strong with a read of another thread, or with an
/// atomic operation that is such a write itself), and that morally strong operations are strong
/// (`sr` relates only what has a scope).
const EDITS: [(&str, &str, &str); 54] = [
    (
        "let read-operation = R \\ RED",
        "let read-operation = R",
        "8.11.1: red forms no acquire pattern",
    ),
    ("let overlap = vloc", "let overlap = loc", "8.2.1: same virtual address"),
    (
        "po | po^-1 | (strong * strong) & sr) \\",
        "po | po^-1 | (strong * strong)) \\",
        "8.7: scopes include each other",
    ),
    (
        "let release-operation = W & REL",
        "let release-operation = W & strong",
        "8.4: release operations",
    ),
    (
        "let release-fence = (F & (REL | ACQ_REL | SC)) \\ limited",
        "let release-fence = (F & (ACQ | REL | ACQ_REL | SC)) \\ limited",
        "8.8: not fence.acquire",
    ),
    (
        "let release-fence = (F & (REL | ACQ_REL | SC)) \\ limited",
        "let release-fence = (F & (ACQ_REL | SC)) \\ limited",
        "8.8: fence.release",
    ),
    (
        "let release-fence = (F & (REL | ACQ_REL | SC)) \\ limited",
        "let release-fence = (F & (REL | SC)) \\ limited",
        "8.8: fence.acq_rel",
    ),
    (
        "let release-fence = (F & (REL | ACQ_REL | SC)) \\ limited",
        "let release-fence = (F & (REL | ACQ_REL)) \\ limited",
        "8.8: fence.sc",
    ),
    (
        "let acquire-operation = R & ACQ",
        "let acquire-operation = R & strong",
        "8.4: acquire operations",
    ),
    (
        "let acquire-fence = (F & (ACQ | ACQ_REL | SC)) \\ limited",
        "let acquire-fence = (F & (ACQ | REL | ACQ_REL | SC)) \\ limited",
        "8.8: not fence.release",
    ),
    (
        "let acquire-fence = (F & (ACQ | ACQ_REL | SC)) \\ limited",
        "let acquire-fence = (F & (ACQ_REL | SC)) \\ limited",
        "8.8: fence.acquire",
    ),
    (
        "let acquire-fence = (F & (ACQ | ACQ_REL | SC)) \\ limited",
        "let acquire-fence = (F & (ACQ | SC)) \\ limited",
        "8.8: fence.acq_rel",
    ),
    (
        "let acquire-fence = (F & (ACQ | ACQ_REL | SC)) \\ limited",
        "let acquire-fence = (F & (ACQ | ACQ_REL)) \\ limited",
        "8.8: fence.sc",
    ),
    ("    [release-operation]\n", "    0\n", "8.8: release pattern 1"),
    ("  | [release-operation]; (po & overlap); [W & strong]\n", "", "8.8: release pattern 2"),
    (
        "[release-operation]; (po & overlap); [W & strong]",
        "[release-operation]; po; [W & strong]",
        "8.8: release pattern 2 on M",
    ),
    ("  | [release-fence]; po; [W & strong]\n", "", "8.8: release pattern 3"),
    ("    [acquire-operation]\n", "    0\n", "8.8: acquire pattern 1"),
    (
        "  | [read-operation & strong]; (po & overlap); [acquire-operation]\n",
        "",
        "8.8: acquire pattern 2",
    ),
    (
        "(po & overlap); [acquire-operation]",
        "po; [acquire-operation]",
        "8.8: acquire pattern 2 on M",
    ),
    ("  | [read-operation & strong]; po; [acquire-fence]\n", "", "8.8: acquire pattern 3"),
    ("| (observation; rmw; observation)", "", "8.9.2: through read-modify-writes"),
    ("(morally-strong & rf) |", "rf |", "8.9.2: morally strong"),
    (
        "    sync_fence\n  | [B \\ (RLX | ACQ)]; sync_barrier\n",
        "    [B \\ (RLX | ACQ)]; sync_barrier\n",
        "8.9.4: fence.sc",
    ),
    (
        "    sync_fence\n  | [B \\ (RLX | ACQ)]; sync_barrier\n",
        "    sync_fence\n",
        "8.9.4: barriers",
    ),
    (
        "  | [B \\ (RLX | ACQ)]; sync_barrier\n",
        "  | sync_barrier\n",
        "9.7.13.4: a relaxed arrival has no memory ordering",
    ),
    (
        "  | [B \\ (RLX | ACQ)]; sync_barrier\n",
        "  | [B \\ RLX]; sync_barrier\n",
        "8.9.4: an exit has none",
    ),
    (
        "[release-fence]; po; [B & RLX & CLUSTER]",
        "[release-fence]; po; [B & (RLX | ACQ) & CLUSTER]",
        "9.7.13.4: nor has one with a fence before it",
    ),
    ("  | fenced-arrival\n", "", "9.7.13.4: a fence before a relaxed arrival"),
    (
        "let fenced-arrival = ([release-fence]; po;",
        "let fenced-arrival = ([F]; po;",
        "9.7.13.4: a fence that releases",
    ),
    (
        "[release-fence]; po; [B & RLX & CLUSTER]; sync_barrier) & sr",
        "[release-fence]; po; [B & RLX & CLUSTER]; sync_barrier)",
        "8.5: a fence of a scope with the thread that waits",
    ),
    (
        "| (morally-strong & (release-pattern; observation; acquire-pattern))",
        "| ((release-pattern; observation; acquire-pattern))",
        "8.9.4: first and last operation morally strong",
    ),
    (
        "let base-causality = (po | synchronizes | commits)+",
        "let base-causality = synchronizes | po | commits",
        "8.9.5: transitive",
    ),
    (
        "  | ((from-generic; base-causality; [ALIAS]; base-causality; to-generic) & loc)\n",
        "",
        "8.9.5: alias fences",
    ),
    ("to-generic) & overlap)", "to-generic) & loc)", "8.9.5, item 1: same address"),
    (
        "base-causality; [ALIAS]; base-causality",
        "base-causality",
        "8.9.5, item 3: an alias fence along the path",
    ),
    (
        "let from-generic = [GEN] | leave(SUR)",
        "let from-generic = [GEN]",
        "8.6: a fence of the proxy of the first",
    ),
    ("| leave(SUR) | leave(TEX)", "| leave(SUR)", "8.6: a texture fence behind a texture load"),
    ("leave(TEX) | leave(CON)", "leave(TEX)", "8.6: a constant fence behind a constant load"),
    (
        "let to-generic = [GEN] | enter(SUR)",
        "let to-generic = [GEN]",
        "8.6: a fence of the proxy of the second",
    ),
    ("| enter(SUR) | enter(TEX)", "| enter(SUR)", "8.6: a texture fence before a texture load"),
    ("enter(TEX) | enter(CON)", "enter(TEX)", "8.6: a constant fence before a constant load"),
    (
        "[P]; (base-causality & scta); [F & P]",
        "[P]; base-causality; [F & P]",
        "8.6: in the thread block of the first access",
    ),
    (
        "[F & P]; (base-causality & scta); [P]",
        "[F & P]; base-causality; [P]",
        "8.6: in the thread block of the second access",
    ),
    (
        "let leave(P) = [P]; (base-causality & scta); [F & P]",
        "let leave(P) = [P]; (base-causality & scta); [F]",
        "8.6: of the proxy",
    ),
    ("  | (base-causality & overlap & same-proxy & scta)\n", "", "8.9.5: same proxy, same block"),
    (
        "let causality = proxy-preserved | (observation; proxy-preserved)",
        "let causality = proxy-preserved",
        "8.9.5: observation",
    ),
    ("empty ([W]; causality; [W]) \\ co as Coherence\n", "", "8.10.1"),
    ("empty ((morally-strong & fr); (morally-strong & co)) & rmw as Atomicity", "", "8.10.3"),
    (
        "let dependency = addr | data | ctrl | rmw",
        "let dependency = addr | data | ctrl",
        "8.10.4: an RMW's own dependency",
    ),
    (
        "acyclic (po & overlap & same-proxy) | (morally-strong & communication) as SC-per-Location",
        "",
        "8.10.5",
    ),
    (
        "acyclic rf | dependency | [B & (RLX | ACQ)]; sync_barrier; (po | async_issue) as",
        "acyclic rf | dependency as",
        "8.10.4: who passes a barrier once a thread has arrived, or exited, goes on after that",
    ),
    (
        "acyclic rf | dependency | [B & (RLX | ACQ)]; sync_barrier; (po | async_issue) as",
        "acyclic rf | dependency | [B & RLX]; sync_barrier; (po | async_issue) as",
        "8.10.4: who passes a barrier once a thread has exited goes on after that",
    ),
    (
        "acyclic rf | dependency | [B & (RLX | ACQ)]; sync_barrier; (po | async_issue) as",
        "acyclic rf | dependency | [B]; sync_barrier; (po | async_issue) as",
        "8.10.4: to come to a barrier that orders memory is no dependency",
    ),
];

/// Edits that take a whole axiom or a kind of dependency away.
const MORE: [(&str, &str, &str); 6] = [
    (
        "let dependency = addr | data | ctrl | rmw",
        "let dependency = data | ctrl | rmw",
        "8.10.4: addresses",
    ),
    (
        "let dependency = addr | data | ctrl | rmw",
        "let dependency = addr | ctrl | rmw",
        "8.10.4: data",
    ),
    (
        "let dependency = addr | data | ctrl | rmw",
        "let dependency = addr | data | rmw",
        "8.10.4: control",
    ),
    (
        "irreflexive (rf | fr); causality as Causality",
        "irreflexive fr; causality as Causality",
        "8.10.6, item 1",
    ),
    (
        "irreflexive (rf | fr); causality as Causality",
        "irreflexive rf; causality as Causality",
        "8.10.6, item 2",
    ),
    (
        "empty ((SC * SC) & morally-strong) \\ (sync_fence | sync_fence^-1 | id) as Fence-SC-Order",
        "",
        "8.9.3: relates every morally strong pair",
    ),
];

fn tests() -> Vec<(String, Test, Expected)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/isa-8");
    let mut tests = Vec::new();
    for folder in corpus::read(&folder).unwrap() {
        for line in folder.lines.iter().filter(|l| l.model == "ptx-8") {
            let test = read::load(&folder.path.join(&line.file))
                .unwrap_or_else(|e| panic!("{}", e[0]))
                .test;
            tests.push((line.file.clone(), test, line.expected));
        }
    }
    tests
}

#[test]
fn every_definition_matters_to_a_hand_made_test() {
    let tests = tests();
    let text = library::built_in("ptx-8").unwrap().text.clone();
    let mut blind = Vec::new();
    for (from, to, section) in EDITS.into_iter().chain(MORE) {
        assert_eq!(
            text.matches(from).count(),
            1,
            "ptx-8.cat has changed, so must this test: {from}"
        );
        let edited = SourceFile::new("edited.cat", text.replace(from, to));
        let model =
            Model::parse(edited, &OnlyBuiltIn).unwrap_or_else(|e| panic!("{from}: {}", e[0])).model;
        let mut runner = ExplicitRunner::new(&model);
        let told = tests.iter().any(|(file, test, expected)| {
            let verdict =
                runner.run(test, &Options::default()).unwrap_or_else(|e| panic!("{file}: {e}"));
            Expected::from(&verdict) != *expected
        });
        if !told {
            blind.push(format!("{section}: {from} => {to}"));
        }
    }
    assert!(blind.is_empty(), "no hand-made test tells\n{}", blind.join("\n"));
}

#[test]
fn every_test_says_its_section_and_derivation() {
    for (file, test, _) in tests() {
        let description = test.description.unwrap_or_default();
        let section = description.split(':').next().unwrap_or_default();
        assert!(
            section.starts_with("8.") && description.len() > section.len() + 10,
            "{file}: {description}"
        );
    }
}
