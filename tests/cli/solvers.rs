//! `--solver`: solvers by name, and programs.

use crate::program::{command, err, folder, json, margay, out, write};

const QUESTION: [&str; 5] = ["check", "rc11-to-ptx", "--bound", "3", "--without=R.SC,W.SC,RMW.SC"];

#[test]
fn a_program_that_cannot_be_started_is_wrong_input() {
    let output = margay(&[&QUESTION[..], &["--solver", "dimacs:/no/such/program -q"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("`/no/such/program -q` cannot be started"), "{}", err(&output));
    let output = margay(&[&QUESTION[..], &["--solver", "dimacs:"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("[possible values: "), "{}", err(&output));
}

#[cfg(unix)]
#[test]
fn a_program_that_does_not_know_leaves_the_question_open() {
    let dir = folder("solvers/unknown");
    // The shell reads it: a file that was just written cannot be started while another test forks.
    let solver = format!("dimacs:sh {}", write(&dir, "unsure", "echo 's UNKNOWN'\n"));
    let output = margay(&[&QUESTION[..], &["--format", "json", "--solver", &solver]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert_eq!(json(&output)["verdict"], "undecided");
}

/// Files that somebody else wrote do not start programs.
#[test]
fn programs_are_named_on_the_command_line_alone() {
    let dir = folder("solvers/config");
    write(&dir, "margay.toml", "[check]\nsolver = \"dimacs:touch started\"\n");
    let output = command(&QUESTION).current_dir(&dir).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}{}", out(&output), err(&output));
    assert!(err(&output).contains("margay.toml:2:") && err(&output).contains("names a program to start"), "{}", err(&output));
    assert!(!dir.join("started").exists());
    let into = dir.join("cases");
    let kept = dir.join("kept");
    let [into, kept] = [&into, &kept].map(|path| path.to_str().expect("text"));
    let export =
        ["case", "export", "rc11-to-ptx", "--bound", "3", "--solver", "dimacs:true", "--into", into, "--checkpoint", kept];
    let output = margay(&export);
    assert_eq!(output.status.code(), Some(2), "{}{}", out(&output), err(&output));
    assert!(err(&output).contains("cannot be solved by `dimacs:true`"), "{}", err(&output));
}

/// The same answers, and certificates that are accepted, by Debian's `cadical`.
#[test]
fn a_program_answers_and_proves() {
    if std::process::Command::new("cadical").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `cadical` here (Debian: the package cadical)");
        return;
    }
    let dir = folder("solvers/certified");
    for (name, solver) in [("binary", "dimacs:cadical -q"), ("text", "dimacs:cadical -q --no-binary")] {
        let proofs = dir.join(name);
        let proofs = proofs.to_str().expect("text");
        let output = margay(&[&QUESTION[..], &["--format", "json", "--solver", solver, "--certify", proofs]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert_eq!(json(&output)["verdict"], "none");
        assert_eq!(json(&output)["established"], 3);
        let verified = margay(&["verify", proofs]);
        assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
    }
    // A counterexample is the same whoever finds it.
    let found = |solver: &str| {
        let output = margay(&["check", "rc11-to-ptx-cta-relaxed-rmw", "--bound", "3", "--format", "json", "--solver", solver]);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        json(&output)["counterexamples"].take()
    };
    assert_eq!(found("dimacs:cadical -q"), found("auto"));
}
