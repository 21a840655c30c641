//! Fig. 11 is proved; no broken table is, and none with an axiom of the target less, unless a
//! search finds nothing either.

use margay_mappings::check::CheckOptions;
use margay_mappings::language::{LoadOptions, Mapping};
use margay_mappings::library;
use margay_models::library as models;
use margay_models::signature::{Signature, constructs};
use margay_prove::theorem::prove;
use margay_theorem::certificate::{FollowedTheorem, TheoremDocument, TheoremOptions};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::StopSignal;
use margay_theorem::theory::mapping::ExecutionSelection;
use rayon::prelude::*;

use super::mutants::judged;
use super::{fig_11_with, mapping, no_sc, options, proved, setting, theorems};

#[test]
fn fig_11_with_the_papers_operations() {
    let report = proved(&mapping("rc11-to-ptx", None), &no_sc());
    assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC"]);
    let proof = report.proof.expect("there is one");
    assert!(proof.steps.len() > 10, "the argument has its lemmas");
    // What cannot arise are cases of an induction (behind a read-from edge comes no other one) and
    // edges of a union (no fence is in the modification order); no goal holds so.
    for step in &report.steps {
        let is_goal =
            step.claims.iter().any(|c| c.starts_with("irreflexive") || c.starts_with("empty"));
        assert!(step.empty.is_empty() || !is_goal, "{step:?}");
        assert!(
            step.rule != "induction" || step.empty.len() < step.obligations,
            "not all of it holds emptily: {step:?}"
        );
    }
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn fig_11_without_scopes_with_all_operations() {
    for target in ["ptx-6.0", "ptx-8"] {
        let report = proved(&onto_model("rc11-to-ptx-descoped", Some("rc11-lb"), target), &[]);
        assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC"], "{target}");
    }
}

/// The first relation that contains `rf; rmw` there, `rf; base-causality`, is in no bound of
/// release sequences, and is given up.
#[test]
fn fig_11_with_the_papers_operations_under_chapter_8() {
    let mapping = onto_model("rc11-to-ptx", None, "ptx-8");
    let setting = setting(&mapping, &no_sc());
    let report = prove(&setting, &StopSignal::default());
    assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC"]);
    let (given, proof) = (
        TheoremOptions { without: no_sc(), only: Vec::new(), typed: true },
        report.proof.as_ref().expect("there is one"),
    );
    let document = TheoremDocument::of_mapping(&mapping, given, &report.evidence(proof))
        .expect("its texts can be read");
    let folder = tempfile::tempdir().expect("a folder");
    document.write(folder.path()).expect("it can be written");
    let FollowedTheorem { extent, .. } =
        document.verify(folder.path()).expect("each refutation is one");
    assert!(extent.obligations > 50 && document.theorems == theorems(&report), "{extent:?}");
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn fig_11_with_scopes_and_seq_cst_accesses_is_no_theorem() {
    // It has a counterexample with 5 events.
    let report = proved(&mapping("rc11-to-ptx", None), &[]);
    assert!(!theorems(&report).contains(&"SC"));
}

/// The row of seq_cst stores, and that of seq_cst read-modify-writes.
const STORE: &str = "W.SC        => fence.sc.sys ; st.release.sys";
const RMW: &str = "RMW.SC      => fence.sc.sys ; atom.acq_rel.sys";

/// Fig. 11 without scopes and with another row for seq_cst stores.
fn with_seq_cst_store(instructions: &str) -> Mapping {
    fig_11_with(&[(STORE, &format!("W.SC => {instructions}"))], "ptx-6.0")
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_seq_cst_store_behind_its_fence_may_be_relaxed() {
    // Among atomic loads and stores; that it may among all operations (results/theorems.md) takes
    // minutes.
    let others = [
        "R.NA",
        "W.NA",
        "RMW.RLX",
        "RMW.ACQ",
        "RMW.REL",
        "RMW.ACQ_REL",
        "RMW.SC",
        "F.ACQ",
        "F.REL",
        "F.ACQ_REL",
        "F.SC",
    ];
    let others = others.map(str::to_owned);
    let report = proved(&with_seq_cst_store("fence.sc.sys ; st.relaxed.sys"), &others);
    assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC"]);
    // The fence is needed: for what a store releases, and for the order of all seq_cst accesses.
    let report = proved(&with_seq_cst_store("st.relaxed.sys"), &others);
    assert!(
        !theorems(&report).contains(&"Coherence") && !theorems(&report).contains(&"SC"),
        "{:?}",
        theorems(&report)
    );
}

/// The order of SC is that of the fences. It has no step from one half of a read-modify-write to
/// the other, and contains every other edge along program order, where program order itself has no
/// more than these.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_seq_cst_store_behind_its_fence_may_be_relaxed_among_read_modify_writes() {
    let others = ["R.NA", "W.NA", "F.ACQ", "F.REL", "F.ACQ_REL", "F.SC"].map(str::to_owned);
    let mapping = with_seq_cst_store("fence.sc.sys ; st.relaxed.sys");
    assert_eq!(proved_axiom(&mapping, &others, "SC"), ["SC"]);
}

/// The one axiom that is asked about, if it is a theorem.
fn proved_axiom(mapping: &Mapping, without: &[String], axiom: &str) -> Vec<String> {
    let asked = CheckOptions { axioms: vec![axiom.to_owned()], ..options(without) };
    let (axioms, constructs) =
        margay_mappings::check::asked(mapping, &asked).expect("the options fit");
    let setting =
        Setting::of_mapping(mapping, &axioms, &ExecutionSelection { constructs, typed: true })
            .expect("it has a rule");
    prove(&setting, &StopSignal::default()).theorems()
}

/// Synchronisation begins at the fence before a seq_cst operation, and happens-before contains
/// program order: that a chain of it reaches the fence is known where its last two steps are told
/// apart.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn fences_may_be_the_release_of_seq_cst_stores_and_read_modify_writes() {
    let store = (STORE, "W.SC => fence.sc.sys ; st.relaxed.sys");
    let mapping =
        fig_11_with(&[store, (RMW, "RMW.SC => fence.sc.sys ; atom.acquire.sys")], "ptx-6.0");
    // Loads that acquire or are seq_cst, and what has these rows; all operations take minutes
    // (results/theorems.md).
    let kept = ["R.ACQ", "R.SC", "W.RLX", "W.SC", "RMW.SC"];
    let all = constructs(Signature::C).into_iter().map(|c| c.name(Signature::C));
    let others: Vec<String> = all.filter(|name| !kept.contains(&name.as_str())).collect();
    let report = proved(&mapping, &others);
    assert_eq!(theorems(&report), ["Coherence", "Atomicity", "SC"]);
    // The fence before the read-modify-write is needed.
    let mapping = fig_11_with(&[store, (RMW, "RMW.SC => atom.acquire.sys")], "ptx-6.0");
    assert!(proved_axiom(&mapping, &others, "Coherence").is_empty());
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn a_compilers_whole_table() {
    // `cuda::atomic` of libcu++: its seq_cst read-modify-write begins to synchronise at the fence
    // before it. Its largest obligations speak of thirty-odd events and need thousands of choices.
    let mapping = onto_model("libcudacxx-3.5", Some("c20"), "ptx-6.0");
    assert_eq!(theorems(&proved(&mapping, &[])), ["Coherence", "Atomicity", "SC"]);
}

/// A table with another target.
fn onto_model(name: &str, source: Option<&str>, target: &str) -> Mapping {
    let models = LoadOptions {
        source: source.map(str::to_owned),
        target: Some(target.to_owned()),
        ..LoadOptions::default()
    };
    library::find(name, &models).expect("it is shipped").mapping
}

/// The tables that are broken on purpose in a row that is not of seq_cst accesses.
fn broken() -> Vec<&'static str> {
    let names = library::names()
        .filter(|n| n.starts_with("rc11-to-ptx-") && !n.starts_with("rc11-to-ptx-descoped"));
    // Fig. 12's release is that of the seq_cst read-modify-write.
    names
        .filter(|n| {
            !["sc-load", "sc-store", "sc-rmw", "no-release-rmw"].iter().any(|row| n.contains(row))
        })
        .collect()
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn no_broken_table_is_proved() {
    let all = broken();
    assert!(all.len() > 12);
    let asked: Vec<(&str, &str)> =
        all.iter().flat_map(|&name| ["ptx-6.0", "ptx-8"].map(|target| (name, target))).collect();
    asked.par_iter().for_each(|&(name, target)| {
        let mapping = onto_model(name, None, target);
        let axioms = judged(&format!("{name} under {target}"), &mapping, &no_sc(), 4);
        // An axiom that the mistake leaves alone may be a theorem; all of them may not.
        assert!(axioms.iter().any(|a| a.1 != "theorem"), "{name} under {target}");
    });
}

/// Fig. 11 onto a target with one line of its text replaced.
fn onto(line: &str, by: &str) -> Mapping {
    let text = models::built_in("ptx-6.0").expect("it is shipped").text.clone();
    assert!(text.contains(line), "{line}");
    let file = std::env::temp_dir().join(format!(
        "margay-prove-{}-{}.cat",
        std::process::id(),
        line.len() * 1000 + by.len()
    ));
    std::fs::write(&file, text.replacen(line, by, 1)).expect("it can be written");
    let target = Some(file.display().to_string());
    let found = library::find(
        "rc11-to-ptx",
        &LoadOptions { source: None, target, ..LoadOptions::default() },
    )
    .expect("it is a model")
    .mapping;
    std::fs::remove_file(&file).expect("it is there");
    found
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn weakened_axioms_of_the_target_prove_less() {
    let weakened = [
        ("empty ((W * W) & morally-strong) \\ (co | co^-1 | id) as Coherence-Order", ""),
        (
            "empty ((SC * SC) & morally-strong) \\ (sync_fence | sync_fence^-1 | id) as Fence-SC-Order",
            "",
        ),
        ("empty (([W]; cause; [W]) & loc) \\ co as Coherence", ""),
        ("irreflexive sync_fence; cause as Fence-SC", ""),
        ("empty ((morally-strong & fr); (morally-strong & co)) & rmw as Atomicity", ""),
        ("acyclic (morally-strong & (rf | co | fr)) | po-loc as SC-per-Location", ""),
        ("irreflexive (rf | fr); cause as Causality", ""),
        ("irreflexive (rf | fr); cause as Causality", "irreflexive fr; cause as Causality"),
        ("let cause-base = (po?; sw; po?)+", "let cause-base = po?; sw; po?"),
        ("let cause-base = (po?; sw; po?)+", "let cause-base = (po?; sw)+"),
        ("let rec obs = (morally-strong & rf) | (obs; rmw; obs)", "let obs = morally-strong & rf"),
    ];
    let judged = |(line, by): &(&str, &str)| {
        judged(&format!("without `{line}`"), &onto(line, by), &no_sc(), 4)
    };
    let all: Vec<Vec<(String, String)>> = weakened.par_iter().map(judged).collect();
    let fallen = all.iter().filter(|axioms| axioms.iter().any(|a| a.1.starts_with("at "))).count();
    assert!(fallen >= 6, "most of them have a counterexample of 4 events or fewer: {all:?}");
}

/// Texts that the reader of mappings is given.
#[test]
fn an_axiom_that_claims_that_something_is_there_is_refused() {
    let text = "C \"with something there\"\nlet hb = (sb | rf)+\n~empty hb as Something\nirreflexive hb as Order";
    let file =
        std::env::temp_dir().join(format!("margay-prove-something-{}.cat", std::process::id()));
    std::fs::write(&file, text).expect("it can be written");
    let source = Some(file.display().to_string());
    let mapping = library::find(
        "rc11-to-ptx-descoped",
        &LoadOptions { source, target: None, ..LoadOptions::default() },
    )
    .expect("it is a model")
    .mapping;
    std::fs::remove_file(&file).expect("it is there");
    let all: Vec<usize> = (0..mapping.source.checks.len()).collect();
    let constructs = margay_models::signature::constructs(mapping.source.signature);
    let selection = margay_theorem::theory::mapping::ExecutionSelection { constructs, typed: true };
    let errors = margay_theorem::theorem::Setting::of_mapping(&mapping, &all, &selection)
        .err()
        .expect("no rule covers it");
    assert!(errors[0].message.contains("`Something`"), "{errors:?}");
    assert_eq!(
        errors[0].labels[0].file.position(errors[0].labels[0].span.start).0,
        3,
        "the line of the axiom"
    );
}
