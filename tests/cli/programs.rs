//! `--level program` as a user meets it: the answer, its files, JSON, what is refused and where.

use crate::program::{err, folder, json, margay, out, words};

/// An acquire load that is relaxed: message passing, with a guard, as plain data race without it.
#[test]
fn message_passing_needs_a_guard() {
    let folder = folder("programs/message-passing");
    let path = folder.to_str().expect("a path of text");
    let asked = ["check", "rc11-to-ptx-relaxed-acquire-load", "--level", "program", "--bound", "4"];
    let output = margay(&[&asked[..], &["--out", path]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    // Paragraphs are broken into lines.
    let text = words(&out(&output));
    for expected in ["counterexample with 4 events", "if (r0 == 1) {", "bne r0, 1, END", "racy", "The question is about programs"]
    {
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    assert!(!text.contains("Not established"), "{text}");
    // The source test is free of races and its outcome unreachable; the target's is reachable. Said by `margay run`.
    for (file, model, reachable) in
        [("counterexample-source.litmus", "rc11-scoped", false), ("counterexample-target.litmus", "ptx-6.0", true)]
    {
        let path = folder.join(file);
        let run = margay(&["run", path.to_str().expect("a path of text"), "--model", model, "--format", "json"]);
        let run = json(&run);
        assert_eq!(run["reachable"], reachable, "{file}");
        assert_ne!(run["racy"], true, "{file}");
    }
    // Without guards another program is left, with atomic data.
    let output = margay(&[&asked[..], &["--guards", "0", "--format", "json"]].concat());
    let report = json(&output);
    assert_eq!((output.status.code(), &report["level"], &report["guards"]), (Some(1), &"program".into(), &0.into()));
    let first = &report["counterexamples"][0];
    assert_eq!((&first["guards"], &first["events"]), (&0.into(), &4.into()));
    assert!(!first["source_litmus"].as_str().expect("text").contains("if ("), "{first}");
    let rows = report["axioms"][0]["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|r| r["racy"].as_u64() > Some(0)), "{rows:?}");
    assert_eq!(report["candidates"], serde_json::json!([]));
}

/// The execution that makes the mapping of Fig. 12 fall at 4 events is of a racy program.
#[test]
fn an_execution_of_a_racy_program_is_no_counterexample() {
    let asked = ["check", "rc11-to-ptx-no-release-rmw", "--bound", "4"];
    assert_eq!(margay(&asked).status.code(), Some(1));
    let output = margay(&[&asked[..], &["--level", "program"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert!(out(&output).starts_with("no counterexample up to 4 events"), "{}", out(&output));
}

/// The published mapping: what falls at 5 events falls as a program.
#[test]
fn the_published_mapping_falls_by_a_program_of_5_events() {
    let asked = ["check", "rc11-to-ptx", "--level", "program", "--bound", "5", "--only", "R.SC,W.SC", "--format", "json"];
    let report = json(&margay(&asked));
    let first = &report["counterexamples"][0];
    assert_eq!((&first["axiom"], &first["events"], &first["guards"]), (&"SC".into(), &5.into(), &0.into()));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder("programs/no-race");
    let path = folder.join("tso.map");
    std::fs::write(&path, "mapping \"m\" from sc to tso\nR => R\nW => W ; F\nRMW => RMW\nF => F\n").expect("written");
    let path = path.to_str().expect("a path of text");
    let cases: [(&[&str], &str); 4] = [
        (&["check", path, "--level", "program"], "does not say what a data race is"),
        (&["check", "rc11-to-ptx", "--level", "program", "--axiom", "SC"], "the axioms of the source model are taken together"),
        (&["check", "rc11-to-ptx", "--level", "program", "--co", "universal"], "that no modification order explains"),
        (&["check", "rc11-to-ptx", "--guards", "2"], "`--guards` is about programs"),
    ];
    for (arguments, expected) in cases {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    let output = margay(&["check", path, "--level", "program", "--format", "json"]);
    let label = &json(&output)["errors"][0]["labels"][0];
    assert!(label["file"].as_str().expect("a file").ends_with("sc.cat") && label["line"].as_u64() > Some(1), "{label}");
}

#[test]
fn a_time_limit_names_what_is_not_decided() {
    let asked = ["check", "rc11-to-ptx", "--level", "program", "--bound", "9", "--timeout", "3s", "--without", "R.SC,W.SC"];
    let output = margay(&asked);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(out(&output).starts_with("undecided: the time given was used up"), "{}", out(&output));
    assert!(out(&output).contains("thread shapes of"), "{}", out(&output));
}
