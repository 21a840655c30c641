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

/// A solver that Margay knows and was built without is named with what to do.
#[test]
fn a_solver_of_another_build_is_wrong_input() {
    let dir = folder("solvers/left-out");
    for (name, built, expected) in [
        (
            "cadical",
            cfg!(feature = "cadical"),
            "build with `--features cadical`, which needs a C++ compiler, or name a program",
        ),
        ("varisat", cfg!(feature = "varisat"), "build with `--features varisat`"),
    ] {
        if built {
            eprintln!("skipped: this build has {name}");
            continue;
        }
        let output = margay(&[&QUESTION[..], &["--solver", name]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(
            err(&output).contains("is not in this build") && err(&output).contains(expected),
            "{}",
            err(&output)
        );
        write(&dir, "margay.toml", format!("[check]\nsolver = \"{name}\"\n"));
        let output = command(&QUESTION).current_dir(&dir).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{}{}", out(&output), err(&output));
        assert!(
            err(&output).contains("margay.toml:2:") && err(&output).contains(expected),
            "{}",
            err(&output)
        );
    }
}

/// What every build has answers the same, and proves.
#[test]
fn the_solvers_of_every_build_prove() {
    let dir = folder("solvers/built-in");
    for solver in ["auto", "batsat"] {
        let proofs = dir.join(solver);
        let proofs = proofs.to_str().expect("text");
        let output = margay(
            &[&QUESTION[..], &["--format", "json", "--solver", solver, "--certify", proofs]]
                .concat(),
        );
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert_eq!(
            (&json(&output)["verdict"], &json(&output)["established"]),
            (&"none".into(), &3.into())
        );
        let verified = margay(&["verify", proofs]);
        assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
    }
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
    assert!(
        err(&output).contains("margay.toml:2:")
            && err(&output).contains("names a program to start"),
        "{}",
        err(&output)
    );
    assert!(!dir.join("started").exists());
    let into = dir.join("cases");
    let kept = dir.join("kept");
    let [into, kept] = [&into, &kept].map(|path| path.to_str().expect("text"));
    let export = [
        "case",
        "export",
        "rc11-to-ptx",
        "--bound",
        "3",
        "--solver",
        "dimacs:true",
        "--into",
        into,
        "--checkpoint",
        kept,
    ];
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
    for (name, solver) in
        [("binary", "dimacs:cadical -q"), ("text", "dimacs:cadical -q --no-binary")]
    {
        let proofs = dir.join(name);
        let proofs = proofs.to_str().expect("text");
        let output = margay(
            &[&QUESTION[..], &["--format", "json", "--solver", solver, "--certify", proofs]]
                .concat(),
        );
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert_eq!(json(&output)["verdict"], "none");
        assert_eq!(json(&output)["established"], 3);
        let verified = margay(&["verify", proofs]);
        assert_eq!(verified.status.code(), Some(0), "{}", err(&verified));
    }
    // A counterexample is the same whoever finds it.
    let found = |solver: &str| {
        let output = margay(&[
            "check",
            "rc11-to-ptx-cta-relaxed-rmw",
            "--bound",
            "3",
            "--format",
            "json",
            "--solver",
            solver,
        ]);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        json(&output)["counterexamples"].take()
    };
    assert_eq!(found("dimacs:cadical -q"), found("auto"));
}

/// A machine with Rust is enough: nothing in the default build compiles or binds what is written in
/// another language.
#[test]
fn the_default_build_is_rust_alone() {
    let tree = [
        "tree",
        "--offline",
        "--locked",
        "--workspace",
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
    ];
    let output = std::process::Command::new(env!("CARGO"))
        .args(tree)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let output = output.expect("cargo runs the tests");
    assert!(output.status.success(), "{}", err(&output));
    let packages: std::collections::BTreeSet<String> =
        out(&output).lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    assert!(packages.contains("batsat") && packages.contains("margay-solver"), "{packages:?}");
    for package in ["cc", "cmake", "cxx-build", "bindgen", "cadical-sys"] {
        assert!(!packages.contains(package), "{package} is part of the default build");
    }
}
