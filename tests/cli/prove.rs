//! `margay prove`: theorems, counterexamples, what is open, and bad input.

use crate::program::{err, folder, json, margay, out, words};

const NO_SC: &str = "R.SC,W.SC,RMW.SC";

#[test]
fn fig_11_is_a_theorem() {
    let output = margay(&["prove", "rc11-to-ptx", "--without", NO_SC, "--format", "json", "--tried"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "theorem");
    assert_eq!(report["contradiction"], false);
    let axioms = report["axioms"].as_array().expect("a list");
    assert_eq!(axioms.len(), 3);
    assert!(axioms.iter().all(|a| a["verdict"] == "theorem" && a["missing"].is_null()));
    let claims: Vec<String> = report["steps"].as_array().expect("a list").iter().map(|s| s["claims"].to_string()).collect();
    assert!(claims.iter().any(|c| c.contains("hb in po | cause-base")), "{claims:?}");
    assert!(report["tried"].as_array().is_some_and(|t| t.iter().any(|t| t["of"] == "cause-base")));
}

#[test]
fn a_broken_table_has_its_counterexample() {
    let folder = folder("prove/broken").join("out");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["prove", "rc11-to-ptx-relaxed-release-store", "--without", NO_SC, "--bound", "4", "--out", path]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("counterexample with 4 events"), "{text}");
    assert!(folder.join("counterexample-source.litmus").exists());
}

#[test]
fn what_is_not_decided_is_open() {
    // Broken, and the counterexample is larger than the bound.
    let output = margay(&["prove", "rc11-to-ptx-relaxed-release-store", "--without", NO_SC, "--bound", "2"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let text = words(&out(&output));
    assert!(text.starts_with("open: not proved, and no counterexample up to 2 events"), "{text}");
    assert!(text.contains("What is missing for Coherence") && text.contains("These events make it fail"), "{text}");
    // No time at all.
    let output = margay(&["prove", "rc11-to-ptx", "--timeout", "0s", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert_eq!(json(&output)["reason"], "the time given was used up");
}

#[test]
fn wrong_questions() {
    for (arguments, word) in [
        (&["prove", "rc11-to-ptx", "--axiom", "Coherense"][..], "did you mean `Coherence`?"),
        (&["prove", "no-such-table"], "no-such-table"),
        (&["prove", "rc11-to-ptx", "--without", "R.XY"], "R.XY"),
        (&["prove"], "MAPPING"),
    ] {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(err(&output).contains(word), "{}", err(&output));
    }
}
