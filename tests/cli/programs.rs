//! The question about programs, and the published one beside it, as a user meets them: the answer,
//! its files, JSON, what is refused and where.

use crate::program::{command, err, folder, json, margay, out, words};

/// An acquire load that is relaxed: message passing, with a guard, as plain data race without it.
#[test]
fn message_passing_needs_a_guard() {
    let folder = folder("programs/message-passing");
    let path = folder.to_str().expect("a path of text");
    let asked = ["check", "rc11-to-ptx-relaxed-acquire-load", "--bound", "4"];
    let output = margay(&[&asked[..], &["--out", path, "--verbose"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    // Paragraphs are broken into lines.
    let text = words(&out(&output));
    assert!(
        text.starts_with(
            "counterexample with 4 events (program: a compiler bug), axiom Coherence: "
        ),
        "{text}"
    );
    for expected in ["if (r0 == 1) {", "bne r0, 1, END", "racy", "The question is about programs"] {
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    assert!(!text.contains("Not established"), "{text}");
    // The source test is free of races and its outcome unreachable; the target's is reachable. Said
    // by `margay run`.
    for (file, model, reachable) in [
        ("counterexample-1-source.litmus", "rc11-scoped", false),
        ("counterexample-1-target.litmus", "ptx-6.0", true),
    ] {
        let path = folder.join(file);
        let run = margay(&[
            "run",
            path.to_str().expect("a path of text"),
            "--model",
            model,
            "--format",
            "json",
        ]);
        let run = json(&run);
        assert_eq!(run["reachable"], reachable, "{file}");
        assert_ne!(run["racy"], true, "{file}");
    }
    // Without guards another program is left, with atomic data.
    let output = margay(&[&asked[..], &["--guards", "0", "--format", "json"]].concat());
    let report = json(&output);
    assert_eq!(
        (output.status.code(), &report["level"], &report["guards"]),
        (Some(1), &"program".into(), &0.into())
    );
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
    let execution = [&asked[..], &["--level", "execution"]].concat();
    let output = margay(&execution);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    let first = "counterexample with 4 events (racy: its program is undefined, so no compiler bug follows), axiom Coherence: ";
    assert!(text.starts_with(first), "{text}");
    assert!(words(&text).contains("race in another execution of it"), "{text}");
    let report = json(&margay(&[&execution[..], &["--format", "json"]].concat()));
    assert_eq!((&report["status"], &report["level"]), (&"racy".into(), &"execution".into()));
    let found = &report["counterexamples"][0];
    assert_eq!(found["status"], "racy");
    assert_eq!(found["race"].as_array().map(Vec::len), Some(2), "{found}");
    // Asked about programs, with or without saying so, there is none.
    for more in [&[][..], &["--level", "program"]] {
        let output = margay(&[&asked[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", out(&output));
        assert!(out(&output).starts_with("no counterexample up to 4 events: "), "{}", out(&output));
    }
    let none = margay(&["check", "rc11-to-ptx", "--bound", "3", "--level", "execution"]);
    assert!(out(&none).starts_with(
        "no counterexample up to 3 events among single executions (the published question): "
    ));
}

/// A single execution of a program that is a compiler bug is shown as one, and comes before others
/// of its size.
#[test]
fn single_executions_of_compiler_bugs_are_called_so() {
    let asked =
        ["check", "rc11-to-ptx-relaxed-release-store", "--bound", "4", "--level", "execution"];
    let output = margay(&asked);
    assert!(
        out(&output).starts_with(
            "counterexample with 4 events (program: a compiler bug), axiom Coherence: "
        ),
        "{}",
        out(&output)
    );
    let all = json(&margay(&[&asked[..], &["--all", "--keep-going", "--format", "json"]].concat()));
    let of_axiom = |axiom: &str| -> Vec<String> {
        let found = all["counterexamples"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|c| c["axiom"] == axiom);
        found.map(|c| c["status"].as_str().expect("a status").to_owned()).collect()
    };
    for axiom in ["Coherence", "SC"] {
        let found = of_axiom(axiom);
        assert!(
            found.len() > 1 && found[0] == "program" && found.is_sorted(),
            "{axiom}: {found:?}"
        );
    }
}

/// Assembly has no undefined behaviour: a plain source model needs no word about races.
#[test]
fn programs_of_plain_models_are_asked_about() {
    let folder = folder("programs/plain");
    let path = folder.join("tso.map");
    for (store, code, first) in [
        ("W => W", 1, "counterexample with 4 events (program: a compiler bug), axiom "),
        ("W => W ; F", 0, "no counterexample up to 4 events: m"),
    ] {
        std::fs::write(
            &path,
            format!("mapping \"m\" from sc to tso\nR => R\n{store}\nRMW => RMW\nF => F\n"),
        )
        .expect("written");
        let output = margay(&["check", path.to_str().expect("a path of text"), "--bound", "4"]);
        assert_eq!(output.status.code(), Some(code), "{store}: {}{}", out(&output), err(&output));
        assert!(out(&output).starts_with(first), "{store}: {}", out(&output));
    }
}

/// All tables of compilers: programs unless both levels are asked for, what follows from each in
/// the table and in the JSON, and nothing of an earlier run in the folder.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn all_mappings_are_asked_about_programs() {
    let dir = folder("programs/all").join("out");
    let into = ["--out", dir.to_str().expect("a path of text")];
    let asked = ["check", "--all-mappings", "--bound", "3"];
    let output = margay(&[&asked[..], &into].concat());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(
        text.starts_with(
            "4 of 20 mappings have a counterexample at program level (compiler bugs), up to "
        ),
        "{text}"
    );
    assert!(
        text.contains("counterexample at 3 (Coherence)") && !text.contains("execution"),
        "{text}"
    );
    let page = |name: &str| std::fs::read_to_string(dir.join(name)).expect("a page");
    assert!(page("README.md").contains("Made by `margay check --all-mappings --bound 3`, "));
    assert!(page("cuda-5.5/1/counterexample.txt").contains("\nprogram: a compiler bug\n"));
    let report = json(&margay(
        &[&asked[..3], &["2", "--level", "execution,program", "--format", "json"], &into].concat(),
    ));
    let answers = report["answers"].as_array().expect("answers");
    assert!(
        answers.len() > 200
            && answers.iter().all(|a| a["verdict"] == "none" && a["status"].is_null())
    );
    assert!(["execution", "program"].iter().all(|l| answers.iter().any(|a| a["level"] == *l)));
    assert!(!dir.join("cuda-5.5").exists(), "what fell before is gone");
    assert!(page("README.md").contains("--bound 2 --level execution,program`, "));
}

/// The published mapping: what falls at 5 events falls as a program.
#[test]
fn the_published_mapping_falls_by_a_program_of_5_events() {
    let asked = [
        "check",
        "rc11-to-ptx",
        "--level",
        "program",
        "--bound",
        "5",
        "--only",
        "R.SC,W.SC",
        "--format",
        "json",
    ];
    let report = json(&margay(&asked));
    let first = &report["counterexamples"][0];
    assert_eq!(
        (&first["axiom"], &first["events"], &first["guards"]),
        (&"SC".into(), &5.into(), &0.into())
    );
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder("programs/no-race");
    let path = folder.join("silent.cat");
    std::fs::write(&path, "C \"silent\"\nacyclic po | rf | co | fr as sc\n").expect("written");
    let path = path.to_str().expect("a path of text");
    let cases: [(&[&str], &str); 6] = [
        (&["check", "rc11-to-ptx-descoped", "--source", path], "does not say what a data race is"),
        (
            &["check", "rc11-to-ptx", "--axiom", "SC"],
            "the axioms of the source model are taken together",
        ),
        (&["check", "rc11-to-ptx", "--co", "universal"], "that no modification order explains"),
        (
            &["check", "rc11-to-ptx", "--level", "execution", "--guards", "2"],
            "`--guards` is about programs",
        ),
        (&["check", "rc11-to-ptx", "--level", "execution,program"], "one question at a time"),
        (
            &["weaken", "rc11-to-ptx", "--level", "execution", "--co", "universal"],
            "ask with `--co exists`",
        ),
    ];
    for (arguments, expected) in cases {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    let output = margay(&["check", "rc11-to-ptx-descoped", "--source", path, "--format", "json"]);
    let label = &json(&output)["errors"][0]["labels"][0];
    assert!(
        label["file"].as_str().expect("a file").ends_with("silent.cat")
            && label["line"].as_u64() > Some(1),
        "{label}"
    );
}

#[test]
fn a_time_limit_names_what_is_not_decided() {
    let asked =
        ["check", "rc11-to-ptx", "--bound", "9", "--timeout", "3s", "--without", "R.SC,W.SC"];
    let output = margay(&asked);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(
        out(&output).starts_with("undecided, ")
            && out(&output).contains("Undecided because: the time given was used up"),
        "{}",
        out(&output)
    );
    assert!(out(&output).contains("thread shapes not decided"), "{}", out(&output));
}

/// Whoever shows progress himself gets it in lines, also beside JSON; in a pipe there is none
/// otherwise.
#[test]
fn progress_is_told_in_lines_to_whom_asks_for_it() {
    let asked = ["check", "rc11-to-ptx", "--bound", "3", "--format", "json"];
    let told =
        |how: &str| err(&command(&asked).env("MARGAY_PROGRESS", how).output().expect("it runs"));
    let lines = told("lines");
    assert!(
        lines.lines().all(|line| line.starts_with('\r')) && lines.contains("thread shapes"),
        "{lines:?}"
    );
    assert!(lines.contains("1 of 3 events, "), "{lines:?}");
    assert!(
        lines.contains("preparing, ") && !lines.contains("0/0"),
        "what is not known yet is not said: {lines:?}"
    );
    assert_eq!(told(""), "");
}
