//! Completions of shells, manual pages, and the texts of what is built in.

use std::process::{Command, Stdio};

use crate::program::{command, err, folder, json, margay, out};

#[test]
fn each_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = margay(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert!(out(&output).contains("all-mappings"), "{shell}");
        // Names of models, mappings and front ends, where the shell's completions have values.
        let has_values = ["bash", "fish", "zsh"].contains(&shell);
        for name in ["ptx-6.0", "rc11-to-ptx-descoped", "nv-atomic"] {
            assert!(!has_values || out(&output).contains(name), "{shell}: {name}");
        }
    }
    assert_eq!(json(&margay(&["completions", "fish", "--format", "json"]))["shell"], "fish");
    let wrong = margay(&["completions", "csh"]);
    assert!(wrong.status.code() == Some(2) && err(&wrong).contains("bash"), "{}", err(&wrong));
}

/// What bash is told is a program that bash can read.
#[test]
fn bash_reads_its_completions() {
    let Ok(mut bash) = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn() else {
        return eprintln!("skipped: there is no bash");
    };
    let text = margay(&["completions", "bash"]).stdout;
    std::io::Write::write_all(&mut bash.stdin.take().expect("a pipe"), &text).expect("bash reads");
    assert!(bash.wait().expect("it ends").success());
}

#[test]
fn each_command_has_a_page() {
    let folder = folder("manual/pages");
    let path = folder.join("new").display().to_string();
    let written = json(&margay(&["man", &path, "--format", "json"]));
    let files: Vec<&str> =
        written["files"].as_array().expect("a list").iter().filter_map(|f| f.as_str()).collect();
    for file in [
        "margay.1",
        "margay-check.1",
        "margay-case.1",
        "margay-app.1",
        "margay-gpu-tune.1",
        "margay-completions.1",
    ] {
        assert!(files.contains(&file), "{file} in {files:?}");
        let page = std::fs::read_to_string(folder.join("new").join(file)).expect("it is written");
        assert!(page.contains(".TH") && page.contains(".SH OPTIONS"), "{file}: {page}");
        assert!(page.contains(".SH EXAMPLES\n.TP\n\\fBmargay"), "{file}: {page}");
    }
    let wrong = margay(&["man", "/dev/null/no"]);
    assert!(
        wrong.status.code() == Some(2) && err(&wrong).contains("/dev/null/no"),
        "{}",
        err(&wrong)
    );
}

/// A list in a pipe has an entry a line, for whoever cuts it by lines; on a terminal it is as wide
/// as that, and no name is broken.
#[test]
fn lists_fit_what_reads_them() {
    for what in ["models", "mappings"] {
        let names: Vec<String> = json(&margay(&[what, "--format", "json"]))[what]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect();
        let piped = out(&command(&[what]).env_remove("COLUMNS").output().expect("it starts"));
        let firsts: Vec<&str> =
            piped.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(firsts, names, "{piped}");
        for columns in [60, 100, 200] {
            let shown = out(&command(&[what])
                .env("COLUMNS", columns.to_string())
                .output()
                .expect("it starts"));
            assert!(
                shown.lines().all(|line| line.chars().count() <= columns),
                "{columns}: {shown}"
            );
            for name in &names {
                assert!(
                    shown.split_whitespace().any(|word| word == name),
                    "{columns}, {name}: {shown}"
                );
            }
        }
    }
}

#[test]
fn a_name_shows_what_is_built_in() {
    for (command, name) in [("models", "ptx-6.0"), ("mappings", "rc11-to-ptx")] {
        let shown = margay(&[command, name]);
        assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
        assert_eq!(
            out(&shown),
            out(&margay(&[command, "--show", name])),
            "the old option does the same"
        );
    }
    assert!(err(&margay(&["models", "ptx-60"])).contains("did you mean `ptx-6.0`?"));
}
