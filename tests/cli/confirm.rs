//! `margay confirm`: from a mapping to runs of its counterexamples, on the machine on the CPU.

use serde_json::Value;

use crate::program::{err, folder, json, margay, out};

fn confirm<'a>(mapping: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["confirm", mapping, "--bound", "4", "--device", "sim", "--instances", "20000"][..], more]
        .concat()
}

#[test]
fn a_counterexample_that_is_seen() {
    let folder = folder("confirm-seen");
    let (dir, results) = (folder.join("report"), folder.join("results.jsonl"));
    let more = ["--out", dir.to_str().expect("text"), "--results", results.to_str().expect("text")];
    let output = margay(&confirm("rc11-to-ptx-no-fence-sc-load", &more));
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(
        out(&output).starts_with("simulated: 1 of 1 counterexamples seen on sim, weak machine"),
        "{}",
        out(&output)
    );
    let page = std::fs::read_to_string(dir.join("confirmation.md")).expect("a report");
    assert!(page.starts_with("Not yet run on hardware"), "{page}");
    assert!(page.contains("times in 20 000 runs"), "{page}");
    assert!(!page.contains("stays a bug"), "{page}");
    let object: Value = serde_json::from_str(
        &std::fs::read_to_string(dir.join("confirmation.json")).expect("a report"),
    )
    .expect("JSON");
    let one = &object["confirmed"][0];
    assert_eq!((&one["seen"], &one["axiom"]), (&Value::from(true), &Value::from("SC")));
    let line: Value = serde_json::from_str(&std::fs::read_to_string(&results).expect("results"))
        .expect("one line");
    assert_eq!(margay_reports::body(&line), one["run"], "without its version, command and release");
    // The test that was run is written, and runs the same again.
    let test = dir.join("counterexample-1-target.litmus");
    let again = margay(&[
        "gpu",
        test.to_str().expect("text"),
        "--device",
        "sim",
        "--instances",
        "20000",
        "--format",
        "json",
    ]);
    let again = json(&again);
    let count = |line: &Value| -> u64 {
        let outcomes = line["outcomes"].as_array().expect("a list");
        outcomes.iter().filter(|o| o["asked"] == true).filter_map(|o| o["count"].as_u64()).sum()
    };
    assert_eq!(count(&again), count(&line));
    assert_eq!(one["count"], count(&line));
}

#[test]
fn a_bug_that_no_run_shows_stays_a_bug() {
    // Message passing with a condition: the machine on the CPU does not read ahead of it.
    let output = margay(&confirm("rc11-to-ptx-relaxed-acquire-load", &[]));
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("simulated: 0 of 1 counterexamples seen"), "{text}");
    assert!(
        text.contains("program: a compiler bug")
            && text.contains("A mapping bug that no run shows stays a bug"),
        "{text}"
    );
}

/// A program that races is not run unless asked for, and nothing is called a bug.
#[test]
fn racy_programs_are_refused() {
    let folder = folder("confirm-racy");
    let racy = |more: &[&str]| {
        margay(&confirm("rc11-to-ptx-no-release-rmw", &[&["--level", "execution"], more].concat()))
    };
    let dir = folder.join("refused");
    let output = racy(&["--out", dir.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    let text = out(&output);
    assert!(
        text.starts_with("nothing was run of 1 counterexamples (racy: its program is undefined"),
        "{text}"
    );
    assert!(err(&output).contains("`--racy` runs these all the same"), "{}", err(&output));
    assert!(!text.contains("stays a bug"), "{text}");
    let page = std::fs::read_to_string(dir.join("confirmation.md")).expect("a report");
    assert!(page.contains("not run: racy") && !page.contains("stays a bug"), "{page}");
    let output = racy(&["--racy"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(
        text.contains("of 1 counterexamples seen on sim, weak machine (racy: ")
            && !text.contains("stays a bug"),
        "{text}"
    );
    assert!(text.contains("says anything of the compiler"), "{text}");
    let object = json(&racy(&["--racy", "--format", "json"]));
    assert_eq!(
        (&object["status"], &object["confirmed"][0]["status"]),
        (&Value::from("racy"), &Value::from("racy"))
    );
    assert!(object["confirmed"][0]["seen"].is_boolean());
    // Asked about programs there is nothing to run.
    assert_eq!(margay(&confirm("rc11-to-ptx-no-release-rmw", &[])).status.code(), Some(0));
}

#[test]
fn a_sound_mapping_has_nothing_to_run() {
    let output = margay(&confirm("rc11-to-ptx", &["--without", "R.SC,W.SC"]));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        out(&output).starts_with("no counterexample up to 4 events, so nothing to run"),
        "{}",
        out(&output)
    );
    let report =
        json(&margay(&confirm("rc11-to-ptx", &["--without", "R.SC,W.SC", "--format", "json"])));
    assert_eq!(
        (&report["verdict"], &report["confirmed"]),
        (&Value::from("none"), &Value::Array(Vec::new()))
    );
}

#[test]
fn what_cannot_be_confirmed_is_said() {
    for (arguments, code, said) in [
        (confirm("no-such-mapping", &[]), 2, "no-such-mapping"),
        (
            confirm("rc11-to-ptx", &["--environment", "stress=much"]),
            2,
            "expected sequence, random or cache",
        ),
        (confirm("rc11-to-ptx", &["--profile", "no-such-file.toml"]), 2, "no-such-file.toml"),
        (confirm("rc11-to-ptx", &["--timeout", "1ns"]), 3, ""),
    ] {
        let output = margay(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    }
}
