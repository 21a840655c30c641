//! `margay run` and `margay test` as a user or a program meets them: fields of an answer, formats,
//! bad files, narrow terminals.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{command, err, folder, json, lines, margay, out, text, write};

/// The answers of `run --format json`, one for each line.
fn answers(arguments: &[&str]) -> (Vec<Value>, Option<i32>) {
    let output = margay(&[&["run"], arguments, &["--format", "json"]].concat());
    (lines(&output), output.status.code())
}

/// Message passing; `flag` is the order of the flag's store.
fn mp(quantifier: &str, flag: &str) -> String {
    format!(
        "PTX mp\n{{ x=0; y=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, y ;\n \
         st.{flag}.gpu y, 1 | ld.weak r1, x ;\n{quantifier} (P1:r0 == 1 /\\ P1:r1 == 0)\n"
    )
}

#[test]
fn every_field_of_an_answer() {
    let folder = folder("litmus/fields");
    let file = write(&folder, "mp.litmus", mp("exists", "release"));
    let (lines, code) = answers(&[&file, "--model", "ptx-6.0,ptx-8"]);
    assert_eq!(code, Some(0));
    assert_eq!(lines.len(), 2, "one line for each test and model");
    let first = lines[0].as_object().expect("an object");
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    let documented = [
        "answer",
        "bounded",
        "command",
        "depends_on",
        "engine",
        "executions",
        "file",
        "gap",
        "holds",
        "margay",
        "milliseconds",
        "model",
        "name",
        "quantifier",
        "race",
        "racy",
        "reachable",
        "schema",
        "with_axioms",
        "without_axioms",
    ];
    let mut names = names.clone();
    names.sort_unstable();
    assert_eq!(names, documented, "the fields of docs/json.md and no others");
    assert_eq!(first["schema"], 1);
    assert_eq!(first["file"], file.as_str());
    assert_eq!(first["name"], "mp");
    assert_eq!(
        (&lines[0]["model"], &lines[1]["model"]),
        (&Value::from("ptx-6.0"), &Value::from("ptx-8"))
    );
    assert_eq!(first["quantifier"], "exists");
    assert_eq!((&first["holds"], &first["reachable"]), (&Value::from(false), &Value::from(false)));
    assert_eq!(first["bounded"], false);
    assert_eq!(first["racy"], Value::Null, "PTX does not say what is undefined");
    assert!(first["engine"].as_str().is_some_and(|e| e == "explicit" || e == "sat"), "{first:?}");
    assert!(first["executions"].is_u64() || first["executions"].is_null(), "{first:?}");
    assert!(first["milliseconds"].as_f64().is_some_and(|ms| ms >= 0.0), "{first:?}");
    let documentation =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md"))
            .expect("docs/json.md");
    let section = documentation
        .split("## `margay run`")
        .nth(1)
        .and_then(|s| s.split("\n## ").next())
        .expect("a section");
    for name in documented {
        assert!(section.contains(&format!("`{name}`")), "{name} is not documented");
    }
}

#[test]
fn quantifiers() {
    let folder = folder("litmus/quantifiers");
    for (quantifier, flag, holds, reachable) in [
        ("exists", "relaxed", true, true),
        ("exists", "release", false, false),
        ("~exists", "relaxed", false, true),
        ("~exists", "release", true, false),
        // Violated by the initial state already.
        ("forall", "release", false, true),
    ] {
        let file = write(&folder, "mp.litmus", mp(quantifier, flag));
        let (lines, code) = answers(&[&file, "-m", "ptx-8"]);
        assert_eq!(code, Some(0), "decided, whether it holds or not");
        assert_eq!(lines[0]["quantifier"], quantifier);
        assert_eq!(
            (&lines[0]["holds"], &lines[0]["reachable"]),
            (&Value::from(holds), &Value::from(reachable)),
            "{quantifier} {flag}"
        );
    }
}

#[test]
fn races_and_bounds() {
    let folder = folder("litmus/races");
    let c = |order: &str| {
        format!(
            "C mp\n{{ x=0; y=0; }}\nP0@wg 0,dev 0 (int* x, atomic_int* y) {{ *x = 1; atomic_store_explicit(y, 1, {order}, \
             memory_scope_device); }}\nP1@wg 1,dev 0 (int* x, atomic_int* y) {{ int r0 = atomic_load_explicit(y, \
             memory_order_acquire, memory_scope_device); if (r0) {{ int r1 = *x; }} }}\nexists (1:r0 = 1 /\\ 1:r1 = 0)\n"
        )
    };
    for (order, racy) in [("memory_order_release", false), ("memory_order_relaxed", true)] {
        let file = write(&folder, "mp.litmus", c(order));
        let (lines, code) = answers(&[&file, "-m", "rc11-scoped"]);
        assert_eq!((&lines[0]["racy"], code), (&Value::from(racy), Some(0)), "{order}");
    }
    let count = "PTX count\n{ x=0; }\n P0@cta 0,gpu 0 ;\n mov r0, 0 ;\n L: ;\n add r0, r0, 1 ;\n bne r0, 5, L ;\nexists (P0:r0 == 5)\n";
    let file = write(&folder, "count.litmus", count);
    let (lines, code) = answers(&[&file, "-m", "ptx-8"]);
    assert_eq!(
        (&lines[0]["bounded"], &lines[0]["reachable"], code),
        (&Value::from(true), &Value::from(false), Some(3))
    );
    let human = margay(&["run", &file, "-m", "ptx-8"]);
    assert!(
        out(&human).contains("not found (bounded)") && out(&human).contains("larger --unroll"),
        "{}",
        out(&human)
    );
    let (lines, code) = answers(&[&file, "-m", "ptx-8", "--unroll", "1000"]);
    assert_eq!(
        (&lines[0]["bounded"], &lines[0]["reachable"], code),
        (&Value::from(false), &Value::from(true), Some(0))
    );
}

#[test]
fn a_test_without_an_answer_is_a_line_too() {
    let folder = folder("litmus/undecided");
    let file = write(&folder, "mp.litmus", mp("exists", "release"));
    let (lines, code) = answers(&[&file, "-m", "ptx-8", "--engine", "explicit", "--timeout", "0s"]);
    assert_eq!((lines.len(), code), (1, Some(3)));
    for field in ["holds", "reachable", "racy", "engine", "executions"] {
        assert!(lines[0][field].is_null(), "{}", lines[0]);
    }
    assert_eq!(
        (&lines[0]["name"], &lines[0]["reason"]),
        (&Value::from("mp"), &Value::from("no answer in the time given"))
    );
}

#[test]
fn a_wrong_file_is_a_line_and_the_others_are_answered() {
    let folder = folder("litmus/wrong");
    write(&folder, "a.litmus", mp("exists", "release"));
    write(&folder, "b.litmus", mp("exists", "relese"));
    write(&folder, "c.litmus", mp("exists", "relaxed"));
    let (lines, code) = answers(&[folder.to_str().expect("a path of text"), "-m", "ptx-8"]);
    assert_eq!(code, Some(2));
    let wrong: Vec<&Value> = lines.iter().filter(|l| l.get("errors").is_some()).collect();
    assert_eq!((lines.len(), wrong.len()), (3, 1));
    assert!(wrong[0]["file"].as_str().is_some_and(|f| f.ends_with("b.litmus")), "{}", wrong[0]);
    let error = &wrong[0]["errors"][0];
    assert_eq!(
        (&error["labels"][0]["line"], &error["labels"][0]["column"]),
        (&Value::from(5), &Value::from(5)),
        "{error}"
    );
    assert_eq!(error["help"], "did you mean `release`?");
}

#[test]
fn bad_files() {
    let folder = folder("litmus/bad");
    let empty_folder = folder.join("nothing");
    std::fs::create_dir_all(&empty_folder).expect("a folder");
    let nothing = empty_folder.to_str().expect("a path of text").to_owned();
    for (file, run, test) in [
        (write(&folder, "empty.litmus", ""), "the text is empty", "is a file"),
        (
            write(&folder, "binary.litmus", [0x50, 0x54, 0x58, 0x20, 0xff, 0x00, 0x07]),
            "is not a text in UTF-8",
            "is a file",
        ),
        (write(&folder, "zero.litmus", "PTX a\0b"), "binary data", "is a file"),
        (
            write(&folder, "shell.litmus", "#!/bin/sh\necho\n"),
            "unknown kind of litmus test",
            "is a file",
        ),
        (
            folder.join("missing.litmus").to_str().expect("text").to_owned(),
            "cannot read",
            "cannot read",
        ),
        (nothing, "there is no .litmus file", "there is no litmus test"),
    ] {
        for (arguments, expected) in
            [(vec!["run", &file, "-m", "ptx-8"], run), (vec!["test", &file], test)]
        {
            let output = margay(&arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
            assert!(
                !err(&output).contains("panicked") && !err(&output).contains('\u{1b}'),
                "{}",
                err(&output)
            );
            assert_eq!(out(&output), "", "{arguments:?}");
        }
    }
}

#[test]
fn clusters_are_refused_where_there_are_none() {
    let folder = folder("litmus/clusters");
    let head = " P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;";
    let placed = format!(
        "PTX t\n{{ x=0; }}\n{head}\n st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\nexists (P1:r0 == 1)\n"
    );
    let file = write(&folder, "placed.litmus", &placed);
    assert_eq!(
        margay(&["run", &file, "-m", "ptx-6.0"]).status.code(),
        Some(0),
        "a place is not a use"
    );
    for (file, text, place) in [
        ("scope.litmus", placed.replace("ld.relaxed.gpu", "ld.relaxed.cluster"), ":4:24"),
        ("fence.litmus", placed.replace("st.relaxed.gpu x, 1", "fence.sc.cluster"), ":4:2"),
        ("barrier.litmus", placed.replace("st.relaxed.gpu x, 1", "barrier.cluster.arrive"), ":4:2"),
        (
            "c.litmus",
            "C t\n{ x=0; }\nP0@wg 0,dev 0 (atomic_int* x) {\n for (int i = 0; i < 1; i++) {\n  if (i == 0) { int r0 = 1 + \
             atomic_load_explicit(x, memory_order_relaxed, memory_scope_cluster); } } }\nexists (x = 0)\n"
                .to_owned(),
            "",
        ),
    ] {
        let path = write(&folder, file, text);
        if place.is_empty() {
            assert_eq!(margay(&["run", &path, "-m", "c20-scoped"]).status.code(), Some(0), "scoped C has clusters");
            continue;
        }
        for model in ["ptx-6.0", "ptx-2015"] {
            let output = margay(&["run", &path, "-m", model]);
            assert_eq!(output.status.code(), Some(2), "{file} {model}");
            assert!(
                err(&output).contains("has no clusters") && err(&output).contains(&format!("{file}{place}")),
                "{}",
                err(&output)
            );
        }
        assert_eq!(margay(&["run", &path, "-m", "ptx-8,sc"]).status.code(), Some(0), "{file}");
    }
}

#[test]
fn junit_reports_every_case() {
    let folder = folder("litmus/junit");
    write(&folder, "mp.litmus", mp("exists", "release"));
    write(&folder, "new.litmus", mp("exists", "relaxed"));
    write(&folder, "wrong.litmus", mp("exists", "relese"));
    write(
        &folder,
        "expected.txt",
        "mp.litmus ptx-8 unreachable \"a\" & <b>\nmp.litmus ptx-6.0 reachable a mistake\nwrong.litmus ptx-8 reachable x\n",
    );
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["test", path, "--format", "junit"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(err(&output).contains("did you mean `release`?"), "{}", err(&output));
    let text = out(&output);
    let xml = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let cases: Vec<(String, Vec<&str>)> = xml
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .map(|n| {
            let name = n.attribute("name").unwrap_or_default();
            (
                name.rsplit('/').next().unwrap_or_default().to_owned(),
                n.children().filter(|c| c.is_element()).map(|c| c.tag_name().name()).collect(),
            )
        })
        .collect();
    let expected = [
        ("mp.litmus under ptx-8", vec![]),
        ("mp.litmus under ptx-6.0", vec!["failure"]),
        ("new.litmus", vec!["skipped"]),
        ("wrong.litmus", vec!["error"]),
    ];
    assert_eq!(cases, expected.map(|(name, status)| (name.to_owned(), status)), "{text}");
    let suites = xml.root_element();
    assert_eq!(
        (suites.attribute("tests"), suites.attribute("failures"), suites.attribute("errors")),
        (Some("4"), Some("1"), Some("1"))
    );
    assert!(text.contains("expected allowed, found forbidden (a mistake)"), "{text}");
    let without_times = |text: &str| {
        let mut parts = text.split(" time=\"");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| all + part.split_once('"').expect("a time ends").1)
    };
    let again = out(&margay(&["test", path, "--format", "junit"]));
    assert!(again != without_times(&again), "each case has a time: {again}");
    assert_eq!(without_times(&text), without_times(&again), "else the same each time");
    for other in [
        vec!["models"],
        vec!["run", path, "-m", "ptx-8"],
        vec!["check", "rc11-to-ptx", "--bound", "1"],
    ] {
        let output = margay(&[other.as_slice(), &["--format", "junit"]].concat());
        assert_eq!(output.status.code(), Some(2), "{other:?}");
        assert!(err(&output).contains("only `margay test` has one"), "{}", err(&output));
    }
}

#[test]
fn a_corpus_with_errors_is_one_object() {
    let folder = folder("litmus/errors");
    write(&folder, "mp.litmus", mp("exists", "release"));
    write(
        &folder,
        "expected.txt",
        "mp.litmus ptx-8 unreachable x\nmp.litmus ptx-9 unreachable x\n",
    );
    let output = margay(&["test", folder.to_str().expect("text"), "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let report = json(&output);
    assert_eq!(
        (&report["passed"], report["errors"].as_array().map(Vec::len)),
        (&Value::from(1), Some(1)),
        "{report}"
    );
}

#[test]
fn what_is_always_so_is_not_called_forbidden() {
    let dir = folder("litmus/forall");
    let test = |condition: &str| {
        let text = format!(
            "PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\nforall ({condition})\n"
        );
        write(&dir, "forall.litmus", &text)
    };
    for (condition, outcome, why) in [
        ("x == 1", "always", "Why ptx-8 forbids what violates the condition"),
        ("P1:r0 < 2", "always", "No execution of the program violates the condition"),
        ("P1:r0 == 1", "not always", "An execution that violates the condition"),
    ] {
        let file = test(condition);
        let said = out(&margay(&["run", &file, "--model", "ptx-8"]));
        let row = said.lines().nth(3).unwrap_or_default().to_owned();
        assert!(
            row.contains(outcome) && !row.contains("forbidden") && !row.contains("allowed"),
            "{condition}: {said}"
        );
        assert!(said.contains(why) || condition == "x == 1", "{condition}: {said}");
        let explained = out(&margay(&["explain", &file, "--model", "ptx-8"]));
        assert!(
            explained.starts_with(&format!("{outcome}: ")) || explained.starts_with("impossible: "),
            "{condition}: {explained}"
        );
    }
}

#[test]
fn tests_of_one_name_are_told_apart_by_their_files() {
    let dir = folder("litmus/names");
    let files = ["one.litmus", "two.litmus"].map(|name| write(&dir, name, mp("exists", "release")));
    let charts = dir.join("charts");
    let simulated = ["--device", "sim", "--instances", "100", "--charts", text(&charts)];
    let listings: [(&[&str], &[&str]); 4] = [
        (&["run"], &["-m", "ptx-8"]),
        (&["sim"], &["--runs", "10"]),
        (&["classify"], &[]),
        (&["gpu", "run"], &simulated),
    ];
    for (command, options) in listings {
        let both = out(&margay(&[command, &[text(&dir)], options].concat()));
        for file in &files {
            assert!(both.contains(&format!("({file})")), "{command:?} {file}: {both}");
        }
        // Nor do their charts overwrite each other.
        let drawn = || {
            std::fs::read_dir(&charts)
                .expect("a folder")
                .flatten()
                .filter(|e| e.path().extension().is_some_and(|x| x == "svg"))
        };
        assert!(command[0] != "gpu" || drawn().count() == 2, "{}", drawn().count());
        let one = out(&margay(&[command, &[&files[0]], options].concat()));
        assert!(!one.contains("one.litmus)"), "one file needs no telling apart: {one}");
    }
}

#[test]
fn narrow_terminals_pipes_and_colours() {
    let corpus = "tests/corpus/asplos2019";
    let narrow = command(&["run", corpus, "-m", "ptx-6.0,ptx-8"])
        .env("COLUMNS", "60")
        .output()
        .expect("starts");
    let text = out(&narrow);
    assert!(text.lines().all(|l| l.chars().count() <= 60), "{text}");
    assert!(
        text.contains("forbidden") && text.contains("exists: no"),
        "words are not broken: {text}"
    );
    let wide = command(&["run", corpus, "-m", "ptx-6.0,ptx-8"])
        .env("COLUMNS", "120")
        .output()
        .expect("starts");
    assert!(
        out(&wide).lines().any(|l| l.contains("outcome") && l.contains("judged")),
        "{}",
        out(&wide)
    );
    assert!(!out(&wide).contains('\u{1b}'), "no colours in a pipe");
    let forced = margay(&[
        "run",
        "tests/corpus/asplos2019/fig5-mp.litmus",
        "-m",
        "ptx-8",
        "--color",
        "always",
    ]);
    assert!(out(&forced).contains('\u{1b}'));
    // NO_COLOR is about `auto`; who says `always` gets colours.
    let quiet = command(&["run", "missing.litmus", "-m", "ptx-8"])
        .env("NO_COLOR", "1")
        .output()
        .expect("starts");
    assert!(!err(&quiet).contains('\u{1b}'));
    let many = folder("litmus/shapes");
    let made = margay(&["gen", "--shapes", "--out", many.to_str().expect("text")]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let shapes = many.join("shapes-ptx").to_str().expect("text").to_owned();
    let mut child = command(&["run", &shapes, "-m", "ptx-8", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    // Not every test was answered when the pipe was closed.
    assert!(
        !err(&output).contains("panicked") && output.status.code() == Some(3),
        "{:?} {}",
        output.status,
        err(&output)
    );
}

/// A corpus that expects nothing shows nothing; with `--require-verdicts` every test must have a
/// verdict.
#[test]
fn a_corpus_without_verdicts_is_an_error() {
    let folder = folder("litmus/none");
    let path = folder.to_str().expect("text").to_owned();
    write(&folder, "mp.litmus", mp("exists", "release"));
    write(&folder, "sb.litmus", mp("exists", "relaxed"));
    let output = margay(&["test", &path]);
    assert_eq!(output.status.code(), Some(2), "{} {}", out(&output), err(&output));
    assert!(err(&output).contains("no verdict is expected of any test"), "{}", err(&output));
    let report = json(&margay(&["test", &path, "--format", "json"]));
    assert_eq!(
        (&report["passed"], report["errors"].as_array().map(Vec::len)),
        (&Value::from(0), Some(1)),
        "{report}"
    );
    write(&folder, "expected.txt", "mp.litmus ptx-8 unreachable x\n");
    assert_eq!(margay(&["test", &path]).status.code(), Some(0));
    let required = margay(&["test", &path, "--require-verdicts"]);
    assert_eq!(required.status.code(), Some(1), "{}", out(&required));
    assert!(
        out(&required).contains("sb.litmus: no verdict is expected of it"),
        "{}",
        out(&required)
    );
    let junit = out(&margay(&["test", &path, "--require-verdicts", "--format", "junit"]));
    assert!(junit.contains("<failure"), "{junit}");
    write(&folder, "expected.txt", "mp.litmus ptx-8 unreachable x\nsb.litmus ptx-8 reachable x\n");
    assert_eq!(margay(&["test", &path, "--require-verdicts"]).status.code(), Some(0));
}

/// In a folder, tests for other models are skipped, and that is said; a test that is named must be
/// one for the model.
#[test]
fn tests_of_other_models_in_a_folder_are_skipped() {
    let folder = folder("litmus/skipped");
    let path = folder.to_str().expect("text").to_owned();
    write(&folder, "mp.litmus", mp("exists", "release"));
    let c = write(&folder, "c.litmus", "C c\n{ x=0; }\nP0 (int* x) { *x = 1; }\nexists (x=1)\n");
    let both = margay(&["run", &path, "-m", "ptx-8"]);
    assert_eq!(both.status.code(), Some(0), "{}", err(&both));
    let said = err(&both).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("1 test is for other models than `ptx-8`, and skipped:")
            && said.contains("c.litmus"),
        "{said}"
    );
    let (lines, code) = answers(&[&path, "-m", "ptx-8"]);
    assert_eq!((lines.len(), code), (2, Some(0)));
    assert!(lines.iter().any(|l| l["reachable"].is_null() && l["reason"].is_string()), "{lines:?}");
    assert_eq!(margay(&["run", &c, "-m", "ptx-8"]).status.code(), Some(2), "it was named");
    std::fs::remove_file(folder.join("mp.litmus")).expect("removed");
    let none = margay(&["run", &path, "-m", "ptx-8"]);
    assert_eq!(none.status.code(), Some(2), "nothing was run");
    assert!(err(&none).contains("no test was run"), "{}", err(&none));
}

/// What a published model does not speak of is said, for one test and for many.
#[test]
fn answers_outside_of_a_model_are_marked() {
    let one = margay(&["run", "tests/corpus/asplos2015/mp-L1+membar.gls.litmus", "-m", "ptx-2015"]);
    assert_eq!(one.status.code(), Some(0));
    assert!(
        err(&one).contains("another cache operator than `.cg`, which `ptx-2015` does not speak of"),
        "{}",
        err(&one)
    );
    let inside = margay(&["run", "tests/corpus/asplos2015/mp+membar.gls.litmus", "-m", "ptx-2015"]);
    assert!(!err(&inside).contains("does not speak of"), "{}", err(&inside));
    let later = margay(&["run", "tests/corpus/asplos2015/mp-L1+membar.gls.litmus", "-m", "ptx-8"]);
    assert!(!err(&later).contains("does not speak of"), "{}", err(&later));
    let many = margay(&["run", "tests/corpus/asplos2015", "-m", "ptx-2015"]);
    assert!(err(&many).contains("nor does it speak of what is in"), "{}", err(&many));
}

/// Files without an end, names without one, and characters that drive a terminal.
#[test]
fn files_that_are_no_tests_are_refused_soon() {
    let folder = folder("litmus/long");
    #[cfg(unix)]
    {
        let endless = margay(&["run", "/dev/zero", "-m", "ptx-8"]);
        assert_eq!(endless.status.code(), Some(2));
        assert!(err(&endless).contains("more than 1048576 bytes"), "{}", err(&endless));
    }
    let name = "n".repeat(100_000);
    let long = write(
        &folder,
        "long.litmus",
        mp("exists", "release").replace("PTX mp", &format!("PTX {name}")),
    );
    let output = margay(&["run", &long, "-m", "ptx-8"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        out(&output).len() < 110_000,
        "the table cuts it off, the heading of the picture has it: {}",
        out(&output).len()
    );
    let location = mp("exists", "release").replace("st.weak x", &format!("st.weak {name}"));
    let other = location.replace("{ x=0;", &format!("{{ {name}z=0; x=0;"));
    let output = margay(&["run", &write(&folder, "other.litmus", other), "-m", "ptx-8"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        err(&output).chars().take(2000).collect::<String>()
    );
    let escape = write(
        &folder,
        "escape.litmus",
        mp("exists", "release").replace("PTX mp", "PTX mp\u{1b}[31m"),
    );
    let output = margay(&["run", &escape, "-m", "ptx-8"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("a control character, U+001B") && !err(&output).contains('\u{1b}'),
        "{}",
        err(&output)
    );
}

#[test]
fn states_as_herd7_prints_them() {
    let folder = folder("litmus/herd");
    let file = write(&folder, "mp.litmus", mp("exists", "relaxed"));
    let printed = margay(&["run", &file, "--model", "ptx-6.0", "--format", "herd"]);
    assert_eq!(printed.status.code(), Some(0), "{}", err(&printed));
    let expected = "Test mp Allowed\nStates 4\n1:r0=0; 1:r1=0;\n1:r0=0; 1:r1=1;\n1:r0=1; 1:r1=0;\n1:r0=1; 1:r1=1;\nOk\nWitnesses\n\
                    Positive: 1 Negative: 3\nCondition exists (1:r0=1 /\\ 1:r1=0)\nObservation mp Sometimes 1 3\n\n";
    assert_eq!(out(&printed), expected);
    let file = write(&folder, "never.litmus", mp("~exists", "release"));
    let never = out(&margay(&["run", &file, "--model", "ptx-6.0", "--format", "herd"]));
    assert!(
        never.starts_with("Test mp Forbidden\nStates 3\n")
            && never.contains("\nOk\nWitnesses\nPositive: 0 Negative: 3\n"),
        "{never}"
    );
    assert!(never.contains("\nObservation mp Never 0 3\n"), "{never}");
    // What a `forall` speaks of is counted as positive, and fails if there is anything else.
    let file = write(&folder, "all.litmus", mp("forall", "release"));
    let all = out(&margay(&["run", &file, "--model", "ptx-6.0", "--format", "herd"]));
    assert!(
        all.starts_with("Test mp Required\n")
            && all.contains("\nNo\nWitnesses\nPositive: 0 Negative: 3\n"),
        "{all}"
    );
    let other = margay(&["check", "rc11-to-ptx", "--bound", "2", "--format", "herd"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(err(&other).contains("only `margay run` has one"), "{}", err(&other));
}

#[test]
fn standard_input_is_a_file_once() {
    use std::io::Write;
    let with = |arguments: &[&str], text: &str| {
        let mut child = command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    let read = |path: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file")
    };
    let test = mp("exists", "release");
    let output = with(&["run", "-", "--model", "ptx-6.0"], &test);
    assert!(output.status.success() && out(&output).contains("forbidden"), "{}", err(&output));
    let output = with(
        &["run", "tests/corpus/asplos2019/fig5-mp.litmus", "--model", "-"],
        &read("models/ptx-6.0.cat"),
    );
    assert!(output.status.success() && out(&output).contains("forbidden"), "{}", err(&output));
    let output = with(&["check", "-", "--bound", "2"], &read("mappings/rc11-to-ptx.map"));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let output = with(&["check", "-", "--bound", "2"], "mapping \"m\" from rc11 to nowhere\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("standard input:1:"), "{}", err(&output));
    let output = with(&["run", "-", "-", "--model", "ptx-6.0"], &test);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("cannot read standard input: it was read already"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_long_run_in_a_pipe_says_that_it_goes_on() {
    // No counterexample ends it, and nine events take longer than two seconds.
    let asked = [
        "check",
        "rc11-to-ptx",
        "--bound",
        "9",
        "--without",
        "R.SC,W.SC,RMW.SC",
        "--timeout",
        "2",
        "--format",
        "json",
    ];
    let output =
        command(&asked).env("MARGAY_PROGRESS", "0.2").output().expect("the program starts");
    assert!(
        err(&output)
            .lines()
            .any(|l| l.starts_with("margay: ") && l.contains(" thread shapes after ")),
        "{}",
        err(&output)
    );
    // What the cases of smaller bounds cost says what those of this one will.
    assert!(
        err(&output).lines().any(|l| l.starts_with("margay: ") && l.contains(" %")),
        "{}",
        err(&output)
    );
    let quiet = command(&["check", "rc11-to-ptx", "--bound", "4"])
        .env("MARGAY_PROGRESS", "0")
        .output()
        .expect("the program starts");
    assert!(err(&quiet).is_empty(), "{}", err(&quiet));
}

/// Where executions are lost, no format calls anything forbidden, and all name the place.
#[test]
fn lost_executions_in_every_format() {
    let folder = folder("litmus/lost");
    let text = "PTX arr\n{ a[2]={0,7}; p=a; }\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, p ;\n ld.relaxed.gpu r1, [r0+8] ;\nexists (P0:r1 == 7)\n";
    for quantifier in ["exists", "~exists", "forall"] {
        let file = write(&folder, "arr.litmus", text.replace("exists", quantifier));
        for engine in ["explicit", "sat", "both", "auto"] {
            let (lines, code) = answers(&[&file, "-m", "ptx-8", "--engine", engine]);
            assert_eq!(
                (&lines[0]["holds"], &lines[0]["reachable"], code),
                (&Value::Null, &Value::Null, Some(3)),
                "{engine}"
            );
            let stop = &lines[0]["gap"]["stops"][0];
            assert_eq!(
                (&lines[0]["gap"]["kind"], &stop["cause"]),
                (&Value::from("endless"), &Value::from("address"))
            );
            assert_eq!((&stop["thread"], &stop["line"]), (&Value::from(0), &Value::from(5)));
            assert_eq!(stop["text"], "ld.relaxed.gpu r1, [r0+8]");
        }
        for format in ["human", "herd"] {
            for columns in ["60", "120"] {
                let shown =
                    crate::program::command(&["run", &file, "-m", "ptx-8", "--format", format])
                        .env("COLUMNS", columns)
                        .output();
                let shown = shown.expect("it starts");
                let text = out(&shown);
                assert_eq!(shown.status.code(), Some(3), "{text}");
                for word in ["forbidden", "Never", "Always", "always", "fails", "holds", "Ok"] {
                    assert!(!text.contains(word), "{format} says {word}: {text}");
                }
            }
        }
    }
    let file = write(&folder, "arr.litmus", text);
    let shown = margay(&["explain", &file, "-m", "ptx-8"]);
    assert_eq!(shown.status.code(), Some(3), "{}", out(&shown));
    assert!(out(&shown).contains("undecided") && out(&shown).contains("line 5"), "{}", out(&shown));
    let shown = margay(&["fence", &file, "-m", "ptx-8"]);
    assert_eq!(shown.status.code(), Some(3), "{}", out(&shown));
    write(&folder, "expected.txt", "arr.litmus ptx-8 unreachable by mistake\n");
    let shown = margay(&["test", folder.to_str().expect("a path"), "--format", "junit"]);
    assert_eq!(shown.status.code(), Some(1), "{}", out(&shown));
    assert!(
        out(&shown).contains("found undecided,endless") && out(&shown).contains("line 5"),
        "{}",
        out(&shown)
    );
}

/// A race stands beside the verdict, with both accesses.
#[test]
fn races_in_every_format() {
    let folder = folder("litmus/race");
    let text = "C race\n{ x=0; }\nP0 (volatile int* x) {\n  *x = 1;\n}\nP1 (int* x) {\n  int r0 = *x;\n}\nexists (1:r0=2)\n";
    let file = write(&folder, "race.litmus", text);
    let (lines, code) = answers(&[&file, "-m", "rc11"]);
    let accesses = lines[0]["race"]["accesses"].as_array().expect("accesses");
    let lines_of: Vec<_> =
        accesses.iter().map(|a| (a["thread"].as_u64(), a["line"].as_u64())).collect();
    assert_eq!((lines_of, code), (vec![(Some(0), Some(4)), (Some(1), Some(7))], Some(0)));
    assert!(
        lines[0]["warnings"][0]["message"].as_str().is_some_and(|w| w.contains("`volatile`")),
        "{}",
        lines[0]
    );
    for options in [&["-v"][..], &[]] {
        let shown = crate::program::command(&[&["run", &file, "-m", "rc11"], options].concat())
            .env("COLUMNS", "60")
            .output();
        let shown = shown.expect("it starts");
        let text = out(&shown).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("line 4") && text.contains("line 7") && text.contains("undefined"),
            "{text}"
        );
    }
    write(&folder, "expected.txt", "race.litmus rc11 unreachable,racy by hand\n");
    let shown = margay(&["test", folder.to_str().expect("a path"), "--format", "junit"]);
    assert!(
        out(&shown).contains("<system-out>") && out(&shown).contains("line 7"),
        "{}",
        out(&shown)
    );
}
