//! What was lost, or hung, or was refused without need: one damaged line, one wrong file, one word
//! too many.

use crate::program::{command, err, folder, json, lines, margay, out, said, shell, text, write};

const MP: &str = "PTX mp\n{ x=0; f=0; }\n P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;\n st.weak x, 1         | ld.acquire.gpu r0, f     ;\n \
                  st.release.gpu f, 1  | ld.weak r1, x            ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

#[test]
fn the_first_list_of_verdicts_is_written_by_margay() {
    let dir = folder("lost/first");
    write(&dir, "mp.litmus", MP);
    write(
        &dir,
        "c.litmus",
        "C c\n{ x = 0; }\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\nexists (x == 1)\n",
    );
    said(&margay(&["test", text(&dir)]), 2, "--bless");
    said(
        &margay(&["test", text(&dir), "--bless", "--model", "ptx-80"]),
        2,
        "did you mean `ptx-8`?",
    );
    let output = margay(&["test", text(&dir), "--bless", "--model", "ptx-8,ptx-6.0"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(
        out(&output).contains("2 verdicts written down of tests of which none was expected"),
        "{}",
        out(&output)
    );
    assert!(
        out(&output).contains("c.litmus: no verdict is expected of it"),
        "it is for other models: {}",
        out(&output)
    );
    let list = std::fs::read_to_string(dir.join("expected.txt")).expect("it is written");
    let rows: Vec<Vec<&str>> =
        list.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    let release = env!("CARGO_PKG_VERSION");
    assert_eq!(
        rows,
        [
            ["mp.litmus", "ptx-8", "forbidden", "margay", release],
            ["mp.litmus", "ptx-6.0", "forbidden", "margay", release]
        ]
    );
    let again = json(&margay(&["test", text(&dir), "--format", "json"]));
    assert_eq!((&again["passed"], &again["first"]), (&2.into(), &0.into()), "{again}");
    // Nothing that is expected already is changed by it, and the older words are read.
    let older = "mp.litmus ptx-8 unreachable by hand\n";
    write(&dir, "expected.txt", older);
    assert_eq!(
        margay(&["test", text(&dir), "--bless", "--model", "ptx-6.0"]).status.code(),
        Some(2),
        "c.litmus is for another model"
    );
    assert_eq!(std::fs::read_to_string(dir.join("expected.txt")).expect("it is there"), older);
    let found =
        json(&margay(&["test", text(&dir), "--bless", "--model", "rc11", "--format", "json"]));
    assert_eq!(found["first"], 1, "{found}");
    let list = std::fs::read_to_string(dir.join("expected.txt")).expect("it is written");
    assert!(list.contains("by hand") && list.contains("c.litmus"), "{list}");
}

#[test]
fn a_test_that_cannot_be_read_is_an_error_with_or_without_a_verdict() {
    let dir = folder("lost/unread");
    write(&dir, "mp.litmus", MP);
    write(&dir, "bad.litmus", MP.replace("release", "relese"));
    write(&dir, "expected.txt", "mp.litmus ptx-8 forbidden x\n");
    said(&margay(&["test", text(&dir)]), 2, "did you mean `release`?");
    said(&margay(&["run", text(&dir), "--model", "ptx-8"]), 2, "did you mean `release`?");
    let report = json(&margay(&["test", text(&dir), "--format", "json"]));
    assert_eq!(
        (&report["passed"], report["errors"].as_array().map(Vec::len)),
        (&1.into(), Some(1)),
        "{report}"
    );
}

/// Wherever a text is cut off, the terminal, JSON and JUnit name the same place.
#[test]
fn a_mistake_has_one_place() {
    let dir = folder("lost/place");
    let mut compared = 0;
    for cut in (0..MP.len()).step_by(9) {
        for behind in ["", "\n", "\n\n", "\r\n", "@", "\r", "\u{2028}@"] {
            let file = write(&dir, "t.litmus", format!("{}{behind}", &MP[..cut]));
            let run = margay(&["run", &file, "--model", "ptx-8"]);
            if run.status.code() != Some(2) {
                continue;
            }
            let error = err(&run);
            let shown =
                error.split_once("--> ").and_then(|(_, rest)| rest.lines().next()).map(str::trim);
            let found = lines(&margay(&["run", &file, "--model", "ptx-8", "--format", "json"]));
            let label = &found[0]["errors"][0]["labels"][0];
            let place = format!(
                "{}:{}:{}",
                label["file"].as_str().unwrap_or_default(),
                label["line"],
                label["column"]
            );
            assert_eq!(shown, Some(place.as_str()), "{cut} {behind:?}: {error}");
            let junit = out(&margay(&["test", text(&dir), "--format", "junit"]));
            let message = format!("message=\"line {}, column {}: ", label["line"], label["column"]);
            assert!(junit.contains(&message), "{cut} {behind:?}: {place} {junit}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn warnings_are_in_the_documents() {
    let dir = folder("lost/warnings");
    let one = write(&dir, "one.litmus", MP.replace("exists (P1:r0 == 1 /\\ P1:r1 == 0)\n", ""));
    let two = write(&dir, "two.litmus", MP);
    let found = lines(&margay(&["run", &one, &two, "--model", "ptx-8", "--format", "json"]));
    let warnings = found[0]["warnings"].as_array().expect("the first one has them");
    assert!(
        warnings[0]["message"].as_str().is_some_and(|m| m.contains("without a condition")),
        "{warnings:?}"
    );
    assert_eq!(warnings[0]["severity"], "warning");
    assert!(found[1].get("warnings").is_none(), "{}", found[1]);
}

#[test]
fn herds_list_of_states_without_time_is_undecided() {
    let dir = folder("lost/herd");
    let stores: String =
        (1..=7).map(|n| format!(" st.weak x, {n} | st.weak x, {} ;\n", n + 10)).collect();
    let test = write(
        &dir,
        "many.litmus",
        format!(
            "PTX many\n{{ x=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{stores}exists (x == 1)\n"
        ),
    );
    let output = margay(&["run", &test, "--model", "ptx-8", "--format", "herd", "--timeout", "0s"]);
    assert_eq!(output.status.code(), Some(3), "{}{}", out(&output), err(&output));
}

#[test]
fn one_line_that_was_cut_off_loses_no_other() {
    let dir = folder("lost/summary");
    write(&dir, "mp.litmus", MP);
    let results = dir.join("r.jsonl");
    let asked = [
        "gpu",
        "run",
        text(&dir),
        "--device",
        "sim",
        "--instances",
        "100",
        "--results",
        text(&results),
    ];
    assert_eq!(margay(&asked).status.code(), Some(0));
    let line = std::fs::read_to_string(&results).expect("written");
    let half = &line[..line.len() / 2];
    std::fs::write(&results, format!("{half}\n{line}{half}\n{line}")).expect("written");
    let output = margay(&["gpu", "summary", text(&results), "--all"]);
    said(&output, 0, "line 1 and 1 more are cut off, and not counted");
    let report = json(&margay(&["gpu", "summary", text(&results), "--format", "json"]));
    assert_eq!(
        (&report["tests"][0]["runs"], report["warnings"].as_array().map(Vec::len)),
        (&2.into(), Some(1)),
        "{report}"
    );
    std::fs::write(&results, format!("{line}rubbish\n")).expect("written");
    said(&margay(&["gpu", "summary", text(&results)]), 2, "line 2 is no result");
}

#[test]
fn the_program_of_a_front_end_is_a_document() {
    for (option, field, has) in
        [("--program", "program", "define"), ("--template", "template", "command = ")]
    {
        let asked = ["extract", "llvm-ir", option];
        let plain = out(&margay(&asked));
        let report = json(&margay(&[&asked[..], &["--format", "json"]].concat()));
        assert_eq!(report["front_end"], "llvm-ir");
        let written = report[field].as_str().expect("a text");
        assert!(written.contains(has) && written.trim_end() == plain.trim_end(), "{written}");
    }
}

#[test]
fn a_file_of_another_kind_is_named() {
    let dir = folder("lost/kinds");
    let test = write(&dir, "mp.litmus", MP);
    let report = write(
        &dir,
        "report.json",
        out(&margay(&["check", "rc11-to-ptx", "--bound", "1", "--format", "json"])),
    );
    let (map, model) = ("mappings/rc11-to-ptx.map", "models/rc11.cat");
    for (arguments, what, help) in [
        (&["run", map, "--model", "ptx-8"][..], "this is a mapping", "margay check"),
        (&["run", model, "--model", "ptx-8"], "this is a memory model", "--model models/rc11.cat"),
        (&["run", &report, "--model", "ptx-8"], "this is an answer in JSON", "margay report"),
        (&["gpu", "emit", map], "this is a mapping", "margay check"),
        (&["check", model], "this is a memory model", "margay diff"),
        (&["check", &test], "this is a litmus test", "margay run"),
        (&["check", &report], "this is an answer in JSON", "margay report"),
        (&["weaken", &test], "this is a litmus test", "margay run"),
        (&["run", &test, "--model", &test], "this is a litmus test", "margay run"),
        (&["run", &test, "--model", map], "is a mapping, and a model is expected", "margay check"),
        (&["diff", &test, "sc"], "this is a litmus test", "margay run"),
        (&["kernel", map], "this is a mapping, and no GPU kernel", "margay check"),
        (&["kernel", model], "this is a memory model", "margay diff"),
        (&["kernel", &test], "this is a litmus test", "margay run"),
        (
            &["run", "tests/kernels/lock.ptx", "--model", "ptx-8"],
            "this is a GPU kernel",
            "margay kernel",
        ),
        (&["check", "tests/kernels/lock.ptx"], "this is a GPU kernel", "margay kernel"),
        // Of what is missing that is told which another command does not need.
        (
            &["run", "tests/kernels/lock.cu"],
            "seems to be a GPU kernel",
            "margay kernel tests/kernels/lock.cu",
        ),
        (&["run", map], "seems to be a mapping", "margay check"),
    ] {
        let output = margay(arguments);
        said(&output, 2, what);
        assert!(err(&output).contains(help), "{arguments:?}: {}", err(&output));
    }
}

/// The loop of docs/certificates.md says "is refused" of what is refused alone.
#[test]
fn the_loop_over_refutations_refuses_what_is_wrong() {
    let page = include_str!("../../docs/certificates.md");
    let (_, from) = page.split_once("for cnf in ").expect("the loop");
    let (body, _) = from.split_once("\ndone").expect("its end");
    let dir = folder("lost/loop");
    for folder in ["refutations", "target/checkers"] {
        std::fs::create_dir_all(dir.join(folder)).expect("a folder");
    }
    // As lrat-trim ends: 20 where it is verified, 1 where it is not.
    write(
        &dir,
        "target/checkers/lrat-trim",
        "#!/bin/sh\ngrep -q right \"$3\" && { echo s VERIFIED; exit 20; }\necho s NOT; exit 1\n",
    );
    for (name, what) in [("a", "right"), ("b", "wrong"), ("c", "right")] {
        write(&dir, &format!("refutations/{name}.cnf"), "p cnf 0 1\n0\n");
        write(&dir, &format!("refutations/{name}.lrat"), what);
    }
    let output =
        shell(&dir, &format!("chmod +x target/checkers/lrat-trim; for cnf in {body}\ndone"), &[]);
    assert_eq!(out(&output), "refutations/b.cnf is refused\n", "{}", err(&output));
}

/// What a killed process left goes with the next file that is written there.
#[test]
fn unfinished_files_do_not_stay() {
    let dir = folder("lost/unfinished");
    write(&dir, ".unfinished-abc", "half");
    let old = shell(&dir, "touch -d '2 hours ago' .unfinished-abc", &[]);
    assert!(old.status.success());
    let report = write(
        &dir,
        "check.json",
        out(&margay(&["check", "rc11-to-ptx", "--bound", "1", "--format", "json"])),
    );
    let mut asked = command(&["report", &report, "--out", "page.html"]);
    assert_eq!(asked.current_dir(&dir).output().expect("it starts").status.code(), Some(0));
    assert!(dir.join("page.html").is_file() && !dir.join(".unfinished-abc").exists());
}
