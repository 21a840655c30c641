//! docs/security.md, "Settings"

use std::path::Path;

use super::{link, margay_in, names, project, script};
use crate::program::{command, err, folder, json, out, said, write};

pub(super) fn a_project_starts_nothing() {
    for (settings, key) in [
        ("[extract]\ncmd = 'touch pwned; cat {in} > {out}'\n", "cmd"),
        ("[extract]\ncompiler = 'x'\n", "compiler"),
        ("[extract]\narch = 'sm_90;touch pwned'\n", "arch"),
        ("[extract]\nfront_end = 'x.toml'\n", "front_end"),
        ("[extract]\nall = true\n", "all"),
        ("compilers = 'x'\n", "compilers"),
        ("[gpu.check]\ntoolkit = 'x'\n", "toolkit"),
        ("toolkit = 'x'\n", "toolkit"),
        ("[check]\ncluster = 'slurm'\n", "cluster"),
        ("[check]\ncluster-args = '--x'\n", "cluster-args"),
    ] {
        let root = project("starts", settings);
        for arguments in [
            &["extract", "clang"][..],
            &["check", "rc11-to-ptx", "--bound", "1"],
            &["gpu", "check", "tests"],
        ] {
            said(
                &margay_in(&root.join("tests"), arguments),
                2,
                &format!("`{key}` cannot be set by the file of a project"),
            );
        }
        assert!(!root.join("tests/pwned").exists());
    }
    let root = project("starts", "[check]\nsolver = 'dimacs:touch pwned'\n");
    said(
        &margay_in(&root, &["check", "rc11-to-ptx", "--bound", "1"]),
        2,
        "names a program to start",
    );
    assert!(!root.join("pwned").exists());
}

pub(super) fn a_project_changes_no_gate() {
    for (settings, key) in [
        ("[test]\nbless = true\n", "bless"),
        ("[check]\ncheckpoint = 'x'\n", "checkpoint"),
        ("[gpu.run]\nresults = 'x'\n", "results"),
    ] {
        let root = project("gate", settings);
        let before = std::fs::read(root.join("tests/expected.txt")).expect("it is there");
        said(
            &margay_in(&root, &["test", "tests"]),
            2,
            &format!("`{key}` cannot be set by the file of a project"),
        );
        assert_eq!(std::fs::read(root.join("tests/expected.txt")).expect("it is there"), before);
    }
}

pub(super) fn a_project_stays_in_its_folder() {
    let outside = folder("security/outside");
    write(&outside, "secret.cat", "secret words");
    for settings in [
        "[test]\njunit = '../outside/x.xml'\n".to_owned(),
        format!("[test]\njunit = '{}'\n", outside.join("x.xml").display()),
        "[test]\njunit = 'out/x.xml'\n".to_owned(),
        "[test]\nmodel = 'out/secret.cat'\n".to_owned(),
        "[test]\nmodel = 'herd7:../outside/secret.cat'\n".to_owned(),
        "[test]\nfolder = '..'\n".to_owned(),
    ] {
        let root = project("stays", &settings);
        link(&outside, &root.join("out"));
        let output = margay_in(&root.join("tests"), &["test", ".."]);
        said(&output, 2, "leaves the folder of this file");
        assert!(!err(&output).contains("secret words"), "{}", err(&output));
        assert_eq!(names(&outside), ["secret.cat"]);
    }
    for (settings, folder) in [
        ("junit = '.git/x.xml'", ".git"),
        ("junit = 'docs/x.xml'", ".git"),
        ("junit = 'a/.GIT/x.xml'", ".GIT"),
    ] {
        let root = project("stays", &format!("[test]\n{settings}\n"));
        std::fs::create_dir_all(root.join(".git")).expect("a folder");
        link(".git", &root.join("docs"));
        said(&margay_in(&root, &["test", "tests"]), 2, &format!("`junit` leads into `{folder}`"));
        assert!(names(&root.join(".git")).is_empty());
    }
    let root = project("stays", "[test]\nfolder = 'tests'\njunit = 'reports/new/x.xml'\n");
    assert_eq!(margay_in(&root.join("tests"), &["test"]).status.code(), Some(0));
    assert!(root.join("reports/new/x.xml").is_file());
}

pub(super) fn a_project_is_named() {
    let root = project(
        "named",
        "jobs = 1\n[check]\nonly = ['R.SC', 'W.SC']\nsource = 'rc11-scoped'\nbound = 2\n[diff]\nbound = 1\n",
    );
    let asked = ["check", "rc11-to-ptx", "--bound", "1"];
    let output = margay_in(&root, &asked);
    let answer = out(&output);
    let second = answer.lines().nth(1).unwrap_or_default();
    assert_eq!(
        second, "as margay.toml says: jobs = 1; only = ['R.SC', 'W.SC']; source = 'rc11-scoped'",
        "{answer}"
    );
    let report = json(&margay_in(&root, &[&asked[..], &["--format", "json"]].concat()));
    let options =
        serde_json::json!({ "jobs": "1", "only": "['R.SC', 'W.SC']", "source": "'rc11-scoped'" });
    assert_eq!(
        report["margay_toml"],
        serde_json::json!({ "file": "margay.toml", "options": options })
    );
    let page = write(&root, "check.json", report.to_string());
    for form in ["html", "markdown"] {
        let page = margay_in(&root, &["report", &page, "--as", form]);
        assert!(out(&page).contains("only"), "{}", out(&page));
    }
    let root = project("named", "jobs = 1\n");
    let output = margay_in(&root, &asked);
    assert!(
        err(&output).contains("as margay.toml says: jobs = 1")
            && !out(&output).contains("margay.toml"),
        "{}",
        err(&output)
    );
    // Where there is no answer, what the file says may be what is wrong.
    let root = project("named", "[check]\nlevel = 'execution'\nguards = 2\n");
    said(&margay_in(&root, &asked), 2, "as margay.toml says: level = 'execution'; guards = 2");
    // JUnit and what is no answer are for programs.
    let root = project("named", "[test]\nmodel = 'ptx-8'\n[gpu.emit]\ntarget = 'sm_80'\n");
    for arguments in
        [&["test", "tests", "--format", "junit"][..], &["gpu", "emit", "tests/mp.litmus"]]
    {
        let output = margay_in(&root, arguments);
        assert!(
            err(&output).contains("as margay.toml says") && !out(&output).contains("margay.toml"),
            "{}",
            out(&output)
        );
    }
}

pub(super) fn a_foreign_file_is_not_read() {
    use std::os::unix::fs::PermissionsExt;
    let asked = ["check", "rc11-to-ptx", "--bound", "1"];
    let root = project("foreign", "buond = 4\n");
    let file = root.join("margay.toml");
    let mode = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("ours")
    };
    said(&margay_in(&root, &asked), 2, "did you mean `bound`?");
    mode(&file, 0o666);
    said(&margay_in(&root, &asked), 0, "is not read: everybody may write to it");
    said(
        &margay_in(&root, &[&asked[..], &["--config", "margay.toml"]].concat()),
        2,
        "did you mean `bound`?",
    );
    mode(&file, 0o644);
    mode(&root, 0o777);
    said(
        &margay_in(&root.join("tests"), &asked),
        0,
        "is not read: everybody may write to its folder",
    );
    mode(&root, 0o755);
    // Only root can give a file away.
    if std::os::unix::fs::chown(&file, Some(12_345), None).is_ok() {
        said(
            &margay_in(&root, &asked),
            0,
            "is not read: it belongs to another user (number 12345)",
        );
        std::os::unix::fs::chown(&file, Some(0), None).expect("root");
        std::os::unix::fs::chown(&root, Some(12_345), None).expect("root");
        said(
            &margay_in(&root, &asked),
            0,
            "is not read: its folder belongs to another user (number 12345)",
        );
        std::os::unix::fs::chown(&root, Some(0), None).expect("root");
    }
    std::fs::rename(&file, root.join("other")).expect("moved");
    link("other", &file);
    said(&margay_in(&root, &asked), 0, "is not read: it is a link");
    let report = json(&margay_in(&root, &[&asked[..], &["--format", "json"]].concat()));
    assert!(
        report["warnings"][0]["message"].as_str().is_some_and(|m| m.contains("is not read")),
        "{report}"
    );
}

pub(super) fn your_own_file() {
    let home = folder("security/home");
    std::fs::create_dir_all(home.join("margay")).expect("a folder");
    let solver = home.join("solver");
    script(&solver, &format!("touch {}", home.join("started").display()));
    let own = format!(
        "verbose = true\n[check]\nbound = 1\nsolver = 'dimacs:{}'\n[test]\nbless = true\n",
        solver.display()
    );
    write(&home.join("margay"), "margay.toml", own);
    let root = project("own", "verbose = false\n[check]\nbound = 2\n");
    let asked = |arguments: &[&str]| {
        command(arguments)
            .current_dir(&root)
            .env("XDG_CONFIG_HOME", &home)
            .output()
            .expect("the program starts")
    };
    asked(&["check", "rc11-to-ptx"]);
    assert!(home.join("started").exists());
    let report = json(&asked(&["check", "rc11-to-ptx", "--solver", "batsat", "--format", "json"]));
    assert_eq!(report["bound"], 2);
    assert_eq!(
        json(&asked(&[
            "check",
            "rc11-to-ptx",
            "--solver",
            "batsat",
            "--bound",
            "1",
            "--format",
            "json"
        ]))["bound"],
        1
    );
    write(&root.join("tests"), "expected.txt", "mp.litmus ptx-8 allowed x\n");
    assert!(out(&asked(&["test", "tests"])).contains("written down"));
}

pub(super) fn neither_file() {
    let home = folder("security/neither");
    std::fs::create_dir_all(home.join("margay")).expect("a folder");
    write(&home.join("margay"), "margay.toml", "nonsense\n");
    let root = project("neither-project", "nonsense\n");
    let asked = |arguments: &[&str]| {
        command(arguments)
            .current_dir(&root)
            .env("XDG_CONFIG_HOME", &home)
            .output()
            .expect("the program starts")
    };
    assert_eq!(asked(&["models"]).status.code(), Some(2));
    assert_eq!(asked(&["models", "--no-config"]).status.code(), Some(0));
}
