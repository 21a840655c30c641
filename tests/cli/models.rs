//! `margay diff` and `margay synth` as a user meets them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{command, err, folder, json, margay, out, words};

/// A folder with `old.cat` (ptx-6.0) and `new.cat`, in which something is replaced.
fn edit(name: &str, from: &str, to: &str) -> (PathBuf, String, String) {
    let folder = folder(name);
    let old = std::fs::read_to_string("models/ptx-6.0.cat").expect("the model is there");
    assert!(old.contains(from));
    let path = |file: &str| folder.join(file).to_str().expect("a path of text").to_owned();
    std::fs::write(path("old.cat"), &old).expect("it can be written");
    std::fs::write(path("new.cat"), old.replace(from, to)).expect("it can be written");
    let (old, new) = (path("old.cat"), path("new.cat"));
    (folder, old, new)
}

#[test]
fn a_weaker_fence_is_lost_message_passing() {
    let (folder, old, new) =
        edit("diff/fence", "[F & release]; po; [W]", "[F & release & SC]; po; [W]");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["diff", &old, &new, "--bound", "5", "--first", "--out", path]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(
        text.starts_with("different, smallest difference of 5 events: old and new\n"),
        "{text}"
    );
    for expected in [
        "allowed by old, forbidden by new: none",
        "new.cat:28 (`pattern-rel`) no longer has F",
        "old.cat:28 does",
        "exists",
        "cycle:",
    ] {
        // Where lines break depends on how long the paths are.
        let text = words(&text);
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}') && err(&output).is_empty());
    for file in
        ["report.json", "newly-allowed-1.litmus", "newly-allowed-1.svg", "newly-allowed-1.txt"]
    {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let svg = std::fs::read_to_string(folder.join("newly-allowed-1.svg")).expect("a picture");
    roxmltree::Document::parse(&svg).expect("well-formed XML");
    // The written test reads back, and asks for an outcome that the older model forbids and the
    // newer one allows.
    let test = folder.join("newly-allowed-1.litmus");
    for (model, reachable) in [(&old, false), (&new, true)] {
        let run = margay(&[
            "run",
            test.to_str().expect("a path of text"),
            "--model",
            model,
            "--format",
            "json",
        ]);
        assert_eq!(json(&run)["reachable"], reachable, "{model}");
    }
}

#[test]
fn a_difference_as_json() {
    let (_, old, new) = edit("diff/json", "irreflexive (rf | fr); cause as Causality", "");
    let output = margay(&["diff", &old, &new, "--bound", "3", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!((&report["schema"], &report["verdict"]), (&1.into(), &"different".into()));
    let question = &report["questions"][0];
    assert_eq!((&question["kind"], &question["events"]), (&"newly-allowed".into(), &3.into()));
    let difference = &question["differences"][0];
    assert_eq!(difference["violated"][0], "Causality");
    assert_eq!(difference["reasons"][0]["kind"], "axiom");
    assert_eq!(difference["reasons"][0]["forbids"]["line"], 75);
    assert!(difference["litmus"][0].as_str().is_some_and(|t| t.starts_with("PTX newly-allowed-1")));
    assert_eq!(report["not_compared"], serde_json::json!([]));
    assert!(report["constructs"].as_array().is_some_and(|a| a.iter().any(|n| n == "B")));
    // A refactoring: exit code 0.
    let (_, old, new) = edit(
        "diff/equal",
        "let rec obs = (morally-strong & rf) | (obs; rmw; obs)",
        "let rec obs = (obs; rmw; obs) | (rf & morally-strong)",
    );
    let output = margay(&["diff", &old, &new, "--bound", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert!(
        out(&output).starts_with(
            "equal for executions of every size, because the axioms are the same: old and new\n"
        ),
        "{}",
        out(&output)
    );
    // Words do not run over the edge; tests and tables are as wide as they are.
    let narrow = command(&["diff", &old, &new, "--bound", "2"])
        .env("COLUMNS", "60")
        .output()
        .expect("it runs");
    assert!(out(&narrow).lines().skip(1).all(|l| l.chars().count() <= 60), "{}", out(&narrow));
}

/// What equal models were not compared on is in the first line, and an edit of the barriers alone
/// is seen.
#[test]
fn what_is_not_compared_is_said_first() {
    let output = margay(&["diff", "ptx-6.0", "ptx-8", "--bound", "2"]);
    assert_eq!(output.status.code(), Some(0));
    let text = out(&output);
    assert!(
        text.starts_with(
            "equal up to 2 events (ALIAS, SUR, TEX, CON, ASYNC not compared): ptx-6.0 and ptx-8\n"
        ),
        "{text}"
    );
    let (_, old, new) = edit("diff/barriers", " | sync_barrier | sync_fence", " | sync_fence");
    let output =
        margay(&["diff", &old, &new, "--bound", "5", "--first", "--only", "R.WEAK,W.WEAK,B"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    assert!(
        text.starts_with("different, smallest difference of 5 events (only executions of R.WEAK, W.WEAK, B): old and new\n"),
        "{text}"
    );
    let joined = words(&text);
    assert!(
        text.contains("bar.cta.sync 0 ") && joined.contains("no longer has B;sync_barrier;B"),
        "{text}"
    );
    let narrow =
        command(&["diff", &old, &new, "--bound", "5", "--first", "--only", "R.WEAK,W.WEAK,B"]);
    let narrow = out(&{ narrow }.env("COLUMNS", "60").output().expect("it runs"));
    // A path may be as long as it is.
    let words = |l: &&str| (l.contains("because") || l.contains("[po]")) && !l.contains(".cat");
    assert!(
        narrow.lines().filter(words).count() > 5
            && narrow.lines().filter(words).all(|l| l.chars().count() <= 60),
        "{narrow}"
    );
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity =
        ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(identity)
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_file_and_its_version_at_a_revision() {
    let (folder, _, new) = edit("diff/git", "irreflexive sync_fence; cause as Fence-SC", "");
    let text = std::fs::read_to_string(folder.join("old.cat")).expect("it is there");
    let edited = std::fs::read_to_string(&new).expect("it is there");
    let file = folder.join("model.cat");
    std::fs::write(&file, text).expect("it can be written");
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "model.cat"]);
    git(&folder, &["commit", "--quiet", "--message", "a model"]);
    std::fs::write(&file, edited).expect("it can be written");
    let path = file.to_str().expect("a path of text");
    let output = margay(&["diff", path, "--git", "HEAD", "--bound", "2"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(
        out(&output).contains("newly allowed because the axiom `Fence-SC` (HEAD:"),
        "{}",
        out(&output)
    );

    let wrong = |arguments: &[&str], expected: &str| {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{}", out(&output));
        assert!(err(&output).contains(expected), "{arguments:?}\n{}", err(&output));
    };
    wrong(&["diff", path, "--git", "no-such-revision"], "git knows no revision `no-such-revision`");
    let late = folder.join("new.cat");
    wrong(
        &["diff", late.to_str().expect("a path of text"), "--git", "HEAD"],
        "is not in revision `HEAD`",
    );
    wrong(&["diff", path, path, "--git", "HEAD"], "compares one file with itself");
    wrong(&["diff", path], "a comparison needs two models");
    wrong(&["diff", "ptx-6.0", "--git", "HEAD"], "`ptx-6.0` is not the path of a .cat file");
    let outside = std::env::temp_dir().join(format!("margay-outside-{}", std::process::id()));
    std::fs::create_dir_all(&outside).expect("a folder");
    let lone = outside.join("lone.cat");
    std::fs::write(&lone, "SC \"x\"\nacyclic po as A\n").expect("it can be written");
    wrong(
        &["diff", lone.to_str().expect("a path of text"), "--git", "HEAD"],
        "is not in a git repository",
    );
    std::fs::remove_dir_all(&outside).expect("it was made here");
}

#[test]
fn models_that_cannot_be_compared() {
    let wrong = |arguments: &[&str], expected: &[&str]| {
        let output = margay(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{}", out(&output));
        for expected in expected {
            assert!(err(&output).contains(expected), "{arguments:?}\n{}", err(&output));
        }
    };
    wrong(&["diff", "rc11", "ptx-6.0"], &["`rc11` is a model of C executions", "--mapping"]);
    wrong(
        &["diff", "tso", "no-such-model"],
        &["`no-such-model` cannot be compared; `tso` reads without errors", "there is no model"],
    );
    let (_, old, new) = edit("diff/broken", "let strong = F | RLX", "let strong = F | | RLX");
    wrong(
        &["diff", &old, &new],
        &["new.cat` cannot be compared; `", "old.cat` reads without errors", "F | | RLX"],
    );
    wrong(
        &["diff", "sc", "tso", "--only", "R", "--without", "R"],
        &["--only and --without leave no construct"],
    );
    wrong(&["diff", "sc", "tso", "--bound", "0"], &["a bound of 0 events compares nothing"]);
    wrong(
        &["diff", "rc11-scoped", "ptx-6.0", "--mapping", "no-such-mapping"],
        &["no-such-mapping"],
    );
    wrong(
        &["synth", "tso", "--axiom", "Casuality"],
        &["`tso` has no axiom `Casuality`", "did you mean `Causality`?"],
    );
    wrong(&["synth", "no-such-model"], &["there is no model `no-such-model`"]);
}

#[test]
fn a_suite_is_a_corpus() {
    let folder = folder("synth/tso");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["synth", "tso", "--bound", "4", "--axiom", "causality", "--out", path]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(words(&out(&output)).contains("Tests by size: 0 of 1 event, "), "{}", out(&output));
    let text = out(&output);
    assert!(
        text.starts_with("7 minimal tests that violate causality up to 4 events: tso\n"),
        "{text}"
    );
    for classic in ["MP", "LB", "2+2W"] {
        assert!(
            text.lines().any(|l| l.contains("tso-4-") && l.contains(classic)),
            "{classic}\n{text}"
        );
    }
    let tested = margay(&["test", path]);
    assert_eq!(tested.status.code(), Some(0), "{}", out(&tested));
    assert!(out(&tested).contains("7 verdicts as expected"), "{}", out(&tested));
    let index = std::fs::read_to_string(folder.join("index.md")).expect("an index");
    assert_eq!(index.lines().filter(|l| l.starts_with("| [tso-")).count(), 7);
    let report = json(&margay(&["synth", "tso", "--bound", "3", "--format", "json"]));
    assert_eq!(
        (&report["complete"], &report["tests"][0]["expected"]),
        (&true.into(), &"forbidden".into())
    );
}

/// A limit ends a search with what was established, exit code 3.
#[test]
fn limits() {
    let output = margay(&["synth", "ptx-6.0", "--bound", "8", "--timeout", "1ms"]);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(out(&output).contains("the time given was used up"), "{}", out(&output));
    let output = margay(&["diff", "ptx-6.0", "ptx-8", "--bound", "12", "--timeout", "1ms"]);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(
        out(&output).starts_with("undecided; no size was searched to its end"),
        "{}",
        out(&output)
    );
    assert!(
        out(&output).contains("\nUndecided because: the time given was used up"),
        "{}",
        out(&output)
    );
}
