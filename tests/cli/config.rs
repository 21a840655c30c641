//! `margay.toml`: found here or above, behind the command line, and wrong with a place.

use std::path::Path;
use std::process::Output;

use crate::program::{command, err, folder, json, out, said, write};

const MP: &str = "PTX mp\n{ x=0; f=0; }\n P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;\n st.weak x, 1         | ld.acquire.gpu r0, f     ;\n \
                  st.release.gpu f, 1  | ld.weak r1, x            ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

/// The program in a folder.
fn margay_in(folder: &Path, arguments: &[&str]) -> Output {
    command(arguments).current_dir(folder).output().expect("the program starts")
}

/// A folder with a corpus of one test, in which one verdict is wrong, and a folder in it.
fn project(name: &str, settings: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    let root = folder(name);
    let corpus = root.join("litmus");
    let below = root.join("a/b");
    for folder in [&corpus, &below] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    write(&corpus, "mp.litmus", MP);
    write(
        &corpus,
        "expected.txt",
        "mp.litmus ptx-6.0 reachable wrong\nmp.litmus ptx-8 unreachable x\n",
    );
    write(&root, "margay.toml", settings);
    (root, below)
}

#[test]
fn defaults_come_from_here_or_above_and_the_command_line_comes_first() {
    let settings = "[test]\nfolder = \"litmus\"\njunit = \"out/junit.xml\"\nfail-fast = true\n\n[check]\nmapping = \"rc11-to-ptx\"\nbound = 2\n\n\
                    [run]\nmodel = [\"ptx-6.0\", \"ptx-8\"]\n";
    let (root, below) = project("config/defaults", settings);
    let tested = margay_in(&below, &["test"]);
    assert_eq!(tested.status.code(), Some(1), "{}", err(&tested));
    assert!(out(&tested).contains("1 verdict not looked for (--fail-fast)"), "{}", out(&tested));
    assert!(root.join("out/junit.xml").exists(), "paths start from the folder of the file");
    let all = margay_in(&below, &["test", "--fail-fast=false"]);
    assert!(
        out(&all).contains("1 verdict as expected") && !out(&all).contains("fail-fast"),
        "{}",
        out(&all)
    );
    let bound = |output: &Output| json(output)["bound"].clone();
    assert_eq!(bound(&margay_in(&below, &["check", "--format", "json"])), 2);
    assert_eq!(bound(&margay_in(&below, &["check", "--bound", "1", "--format", "json"])), 1);
    let runs = |arguments: &[&str]| {
        out(&margay_in(&root, arguments)).lines().filter(|l| l.starts_with(" mp ")).count()
    };
    assert_eq!(
        (runs(&["run", "litmus"]), runs(&["run", "litmus", "--model", "ptx-8"])),
        (2, 1),
        "the list is replaced"
    );
    said(&margay_in(&below, &["run", "../../litmus", "--no-config"]), 2, "--model");
    let said_so = out(&margay_in(&root, &["check"]));
    assert_eq!(
        said_so.lines().nth(1),
        Some("as margay.toml says: mapping = \"rc11-to-ptx\"; bound = 2"),
        "{said_so}"
    );
    // Another file, whose folder paths start from, and do not leave.
    write(&below, "other.toml", "[test]\nfolder = \"../../litmus\"\n");
    said(
        &margay_in(&root, &["test", "--config", "a/b/other.toml"]),
        2,
        "leaves the folder of this file",
    );
    write(&root, "other.toml", "[test]\nfolder = \"litmus\"\n");
    assert_eq!(margay_in(&below, &["test", "--config", "../../other.toml"]).status.code(), Some(1));
}

#[test]
fn what_is_wrong_has_a_place_and_a_name_that_was_meant() {
    for (settings, place, what) in [
        ("[check]\nbuond = 4\n", "margay.toml:2:1", "did you mean `bound`?"),
        ("[chekc]\nbound = 4\n", "margay.toml:1:2", "did you mean `check`?"),
        ("jobbs = 4\n", "margay.toml:1:1", "did you mean `jobs`?"),
        ("[gpu.rnu]\ndevice = 'sim'\n", "margay.toml:1:6", "did you mean `run`?"),
        ("[check]\n\ntimeout = \"soon\"\n", "margay.toml:3:11", "not a time; write e.g. 30s"),
        ("[test]\nengine = \"bth\"\n", "margay.toml:2:10", "did you mean `both`?"),
        ("[test]\nfail-fast = \"yes\"\n", "margay.toml:2:13", "expected `true` or `false`"),
        ("[check]\nbound = [4, 5]\n", "margay.toml:2:9", "expected one value"),
        ("[check]\nbound = true\n", "margay.toml:2:9", "it is no switch"),
        ("[check]\nbound = 1979-05-27\n", "margay.toml:2:9", "expected a text, a number"),
        ("[run]\nmodel = ['sc', {}]\n", "margay.toml:2:9", "texts and numbers"),
        ("mapping = 'rc11-to-ptx'\n[check\n", "margay.toml:2:7", "no TOML"),
        ("folder = 'litmus'\n", "margay.toml:1:1", "has no option `folder`"),
        ("bound = 'x'\n", "margay.toml:1:9", "expected a whole number"),
    ] {
        let (root, _) = project("config/wrong", settings);
        let output = margay_in(&root, &["test", "litmus"]);
        let text = err(&output);
        assert_eq!(output.status.code(), Some(2), "{settings}: {text}");
        assert!(
            text.contains(place) && text.contains(what),
            "{settings}: `{place}`, `{what}`: {text}"
        );
        assert_eq!(text.matches("error: ").count(), 1, "said once: {text}");
        let errors = json(&margay_in(&root, &["test", "litmus", "--format", "json"]));
        assert_eq!(errors["errors"][0]["labels"][0]["file"], "margay.toml", "{errors}");
    }
    let (root, _) = project("config/wrong", "buond = 4\n");
    for fine in [["test", "--help"], ["--no-config", "models"], ["completions", "bash"]] {
        assert_eq!(margay_in(&root, &fine).status.code(), Some(0), "{fine:?}");
    }
    said(&margay_in(&root, &["test", "--config", "none.toml"]), 2, "cannot read `none.toml`");
    said(
        &margay_in(&root, &["test", "--config", "margay.toml", "--no-config"]),
        2,
        "cannot be used with",
    );
}
