//! `margay check` as a user meets it: exit codes, bad input, pipes, JSON, interruption.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{command, err, folder, json, margay, out, words};

#[test]
fn the_published_mapping_holds_without_seq_cst_accesses() {
    let output = margay(&[
        "check",
        "mappings/rc11-to-ptx.map",
        "--bound",
        "4",
        "--without",
        "R.SC,W.SC,RMW.SC",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).starts_with("no counterexample up to 4 events"), "{}", out(&output));
    assert!(!out(&output).contains('\u{1b}'), "no colours in a pipe");
    assert_eq!(err(&output), "", "no progress in a pipe");
}

#[test]
fn a_broken_mapping_is_explained() {
    let folder = folder("check/explained");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&[
        "check",
        "mappings/rc11-to-ptx-no-fence-sc-load.map",
        "--bound",
        "4",
        "--out",
        path,
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = out(&output);
    assert!(
        text.starts_with("counterexample with 4 events (program: a compiler bug), axiom SC: "),
        "{text}"
    );
    for expected in [
        "memory_order_seq_cst",
        "fence.sc.cta",
        "cycle: a -sb-> b,  b -rb-> c,  c -sb-> d,  d -rb-> a",
        "is sequenced before",
    ] {
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    for file in [
        "report.json",
        "counterexample-1-source.litmus",
        "counterexample-1-target.litmus",
        "counterexample-1-source.svg",
        "counterexample-1-source.dot",
        "counterexample-1-target.dot",
        "counterexample-1.txt",
    ] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let svg =
        std::fs::read_to_string(folder.join("counterexample-1-source.svg")).expect("a picture");
    roxmltree::Document::parse(&svg).expect("well-formed XML");
    // The written tests read back, and each model says of its own what the check said.
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
        assert_eq!(run.status.code(), Some(0), "{file}: {}", err(&run));
        assert_eq!(json(&run)["reachable"], reachable, "{file}");
    }
}

/// The answer fits one screen and needs no knowledge of the model's definitions; what is behind it
/// comes with `--verbose`.
#[test]
fn an_answer_is_one_screen() {
    let asked = ["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4"];
    let (short, long) = (out(&margay(&asked)), out(&margay(&[&asked[..], &["-v"]].concat())));
    assert!(short.lines().count() <= 40, "{} lines\n{short}", short.lines().count());
    let around = "a is sequenced before b; b reads a value that c overwrites; c is sequenced before d; d reads a value that a overwrites";
    assert!(words(&short).contains(around), "{short}");
    let mends = "`R.SC.s => fence.sc.s ; ld.acquire.s` would mend this one; `margay repair rc11-to-ptx-no-fence-sc-load` looks at";
    assert!(words(&short).contains(mends), "{short}");
    let report = json(&margay(&[&asked[..], &["--format", "json"]].concat()));
    let change = serde_json::json!([{ "row": "R.SC.s", "before": "ld.acquire.s", "after": "fence.sc.s ; ld.acquire.s" }]);
    assert_eq!(report["mended_by"], change, "{report}");
    for more in ["-psc->", "conflicts", "The question is about programs"] {
        assert!(
            !short.contains(more) && words(&long).contains(more),
            "`{more}` in\n{short}\n{long}"
        );
    }
    assert_eq!(short.lines().next(), long.lines().next(), "the first line is the same");
}

/// The log of developers is asked for by RUST_LOG alone, and a mistake there is told and costs
/// nothing.
#[test]
fn the_log_is_asked_for_by_the_environment() {
    let asked = ["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "3", "-v"];
    assert_eq!(err(&margay(&asked)), "", "--verbose is for people");
    let logged = |value: &str| command(&asked).env("RUST_LOG", value).output().expect("it runs");
    assert!(
        err(&logged("margay_mappings=info")).contains("conflicts"),
        "{}",
        err(&logged("margay_mappings=info"))
    );
    let wrong = logged("margay=loud");
    assert!(
        err(&wrong).contains("RUST_LOG is `margay=loud`") && wrong.status.code() == Some(0),
        "{}",
        err(&wrong)
    );
}

#[test]
fn the_report_is_json_of_the_documented_schema() {
    let asked = ["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--format", "json"];
    let report = json(&margay(&asked));
    assert_eq!(
        (&report["level"], &report["status"], &report["co"]),
        (&"program".into(), &"program".into(), &"exists".into())
    );
    let first = &report["counterexamples"][0];
    assert_eq!((&first["status"], &first["race"]), (&"program".into(), &serde_json::Value::Null));
    let cycle = first["cycle"].as_array().expect("a cycle");
    assert_eq!(cycle.len(), 4);
    assert!((0..4).all(|i| cycle[i]["to"] == cycle[(i + 1) % 4]["from"]), "{cycle:?}");
    assert_eq!(
        (&first["there"], &first["missing"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );

    let output = margay(&[&asked[..], &["--level", "execution"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["schema"], 1);
    assert_eq!(report["level"], "execution");
    assert_eq!(report["verdict"], "counterexample");
    assert_eq!(report["bound"], 4);
    assert_eq!(report["established"], 3);
    let axioms = report["axioms"].as_array().expect("axioms");
    assert_eq!(
        axioms.iter().map(|a| a["axiom"].as_str()).collect::<Vec<_>>(),
        [Some("Coherence"), Some("Atomicity"), Some("SC")]
    );
    for field in ["verdict", "bound", "seconds", "shapes", "variables", "clauses", "conflicts"] {
        assert!(!axioms[0][field].is_null(), "{field}");
    }
    let first = &report["counterexamples"][0];
    assert_eq!(first["events"], 4);
    for field in ["axiom", "source_litmus", "target_litmus", "outcome", "cycle"] {
        assert!(!first[field].is_null(), "{field}");
    }
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_jobs_or_the_solver() {
    let answer = |arguments: &[&str]| {
        let mut report = json(&margay(
            &[
                &["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--format", "json"],
                arguments,
            ]
            .concat(),
        ));
        report["counterexamples"].take()
    };
    for level in ["program", "execution"] {
        let one = answer(&["--level", level, "--jobs", "1"]);
        assert!(one[0]["events"].is_number());
        let others = [["--jobs", "2"], ["--jobs", "5"], ["--solver", "batsat"]];
        let varisat = cfg!(feature = "varisat").then_some(["--solver", "varisat"]);
        for other in others.into_iter().chain(varisat) {
            assert_eq!(
                one,
                answer(&[&["--level", level], &other[..]].concat()),
                "{level}, {other:?}"
            );
        }
    }
}

#[test]
fn an_edited_row_changes_the_answer() {
    let folder = folder("check/edited");
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/mappings/rc11-to-ptx.map"))
            .expect("the mapping");
    let edited = text.replace("ld.acquire.s\nR.SC", "ld.relaxed.s\nR.SC");
    assert_ne!(text, edited);
    let path = folder.join("edited.map");
    std::fs::write(&path, edited).expect("written");
    let output = margay(&["check", path.to_str().expect("a path of text"), "--bound", "4"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
}

#[test]
fn wrong_input_is_reported_with_its_place() {
    let folder = folder("check/wrong");
    let file = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("a path of text").to_owned()
    };
    let head = "mapping \"m\" from rc11-scoped to ptx-6.0\n";
    let cases: Vec<(Vec<String>, &str)> = vec![
        (vec![file("empty.map", b"")], "the mapping is empty"),
        (vec![file("binary.map", &[0, 159, 146, 150, 7])], "is not a text"),
        (vec![folder.to_str().expect("text").to_owned()], "it is a folder"),
        (vec!["no-such-file.map".to_owned()], "cannot read the mapping"),
        (vec!["ptx-8".to_owned()], "`ptx-8` is a built-in model"),
        (vec![file("word.map", b"hello\n")], "expected `mapping`"),
        (vec![file("missing.map", head.as_bytes())], "no row for R.NA"),
        (
            vec![file("unknown.map", format!("{head}R.FOO.s => ld.weak\n").as_bytes())],
            "unknown construct `R.FOO.s`",
        ),
        (vec![file("model.map", b"mapping \"m\" from rc11-scopd to ptx-6.0\n")], "rc11-scopd"),
        (vec!["rc11-to-ptx".into(), "--bound".into(), "0".into()], "bound of 0"),
        (
            vec!["rc11-to-ptx".into(), "--bound".into(), "60".into()],
            "bound of 60 events is out of reach",
        ),
        (
            vec![
                "rc11-to-ptx".into(),
                "--level=execution".into(),
                "--axiom".into(),
                "Sanity".into(),
            ],
            "no axiom `Sanity`",
        ),
        (
            vec!["rc11-to-ptx".into(), "--level=execution".into(), "--axiom".into(), "race".into()],
            "is not an axiom",
        ),
        (vec!["rc11-to-ptx".into(), "--without".into(), "Q".into()], "no construct `Q`"),
        (
            vec![
                "rc11-to-ptx".into(),
                "--only".into(),
                "R.NA".into(),
                "--without".into(),
                "R".into(),
            ],
            "leave no construct",
        ),
        (
            vec![
                "rc11-to-ptx".into(),
                "--source".into(),
                file("bad.cat", b"C\nlet a = po |\nacyclic a\n"),
            ],
            "bad.cat",
        ),
        (vec!["rc11-to-ptx".into(), "--timeout".into(), "soon".into()], "--timeout"),
    ];
    for (arguments, expected) in cases {
        let mut all = vec!["check"];
        all.extend(arguments.iter().map(String::as_str));
        let output = margay(&all);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(
            err(&output).contains(expected),
            "{arguments:?}: `{expected}` is missing in\n{}",
            err(&output)
        );
        assert_eq!(out(&output), "", "{arguments:?}");
    }
}

/// A name may be one of several axioms: it asks about all of them.
#[test]
fn axioms_of_one_name_are_asked_together() {
    let folder = folder("check/one-name");
    std::fs::create_dir_all(&folder).expect("made");
    let file = folder.join("twice.cat");
    std::fs::write(&file, "C \"twice\"\ninclude \"rc11-scoped.cat\"\nempty rmw as Coherence\n")
        .expect("written");
    let source = file.to_str().expect("a path of text");
    let question = [
        "check",
        "rc11-to-ptx",
        "--level",
        "execution",
        "--source",
        source,
        "--axiom",
        "Coherence",
        "--bound",
        "2",
    ];
    let output = margay(&[&question[..], &["--keep-going", "--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let report = json(&output);
    let verdicts: Vec<&str> = report["axioms"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|a| a["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["none", "counterexample"], "{report}");
    assert!(err(&output).contains("two checks are named `Coherence`"), "{}", err(&output));
}

#[test]
fn wrong_input_as_json() {
    let output = margay(&["check", "no-such-file.map", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(json(&output)["errors"][0]["severity"], "error");
}

#[test]
fn a_mistyped_command_is_answered_with_the_nearest() {
    let output = margay(&["chekc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("check"), "{}", err(&output));
    assert_eq!(margay(&["--help"]).status.code(), Some(0));
    assert_eq!(margay(&["--version"]).status.code(), Some(0));
}

#[test]
fn a_time_limit_ends_with_what_was_established() {
    let output = margay(&[
        "check",
        "rc11-to-ptx",
        "--bound",
        "9",
        "--timeout",
        "2s",
        "--without",
        "R.SC,W.SC,RMW.SC",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(
        out(&output).contains("Undecided because: the time given was used up"),
        "{}",
        out(&output)
    );
    let left = words(&out(&output));
    assert!(left.contains(" thread shapes not decided (events of each thread: "), "{left}");
    assert!(
        out(&output).starts_with("undecided, but no counterexample up to "),
        "{}",
        out(&output)
    );
}

#[test]
fn a_memory_limit_ends_with_what_was_established() {
    let output = margay(&[
        "check",
        "rc11-to-ptx",
        "--bound",
        "9",
        "--memory",
        "1MiB",
        "--without",
        "R.SC,W.SC,RMW.SC",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", out(&output));
    assert!(
        out(&output).starts_with("undecided")
            && out(&output).contains("Undecided because: the memory given was used up"),
        "{}",
        out(&output)
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_what_was_established() {
    let mut child =
        command(&["check", "rc11-to-ptx", "--bound", "10", "--without", "R.SC,W.SC,RMW.SC"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Instant::now();
    let killed =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    assert!(sent.elapsed() < Duration::from_secs(600), "it ends after the interrupt");
    let mut text = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut text).expect("text");
    assert_eq!(status.code(), Some(3), "{text}");
    assert!(
        text.starts_with("undecided, ") && text.contains("Undecided because: interrupted"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = command(&["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(err(&output), "");
    assert_eq!(output.status.code(), Some(1), "the answer is the same, whoever reads it");
}

#[test]
fn narrow_terminals_get_narrow_output() {
    let output = command(&["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "-v"])
        .env("COLUMNS", "60")
        .output()
        .expect("starts");
    let text = out(&output);
    // Programs and explanations are not broken; what Margay lays out itself fits.
    let table: Vec<&str> =
        text.lines().skip_while(|l| !l.trim_start().starts_with("events ")).collect();
    assert!(!table.is_empty(), "{text}");
    for line in &table {
        assert!(line.chars().count() <= 60, "{line}");
    }
    assert!(
        table.iter().any(|l| l.split_whitespace().nth(1) == Some("counterexample")),
        "no cell is broken: {text}"
    );
}

#[test]
fn cnf_is_written_for_other_solvers() {
    let folder = folder("check/cnf");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&[
        "check",
        "rc11-to-ptx",
        "--level=execution",
        "--bound",
        "2",
        "--axiom",
        "SC",
        "--dump-cnf",
        path,
    ]);
    assert_eq!(output.status.code(), Some(0));
    let files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 3, "one case for each thread shape of 1 and 2 events");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        let header: Vec<usize> = text
            .lines()
            .find_map(|l| l.strip_prefix("p cnf "))
            .expect("a header")
            .split(' ')
            .map(|n| n.parse().expect("a number"))
            .collect();
        let clauses: Vec<&str> =
            text.lines().filter(|l| !l.starts_with('c') && !l.starts_with('p')).collect();
        assert_eq!(clauses.len(), header[1]);
        assert!(clauses.iter().all(|c| c.ends_with(" 0") || *c == "0"));
    }
}

#[test]
fn built_in_texts_are_listed_and_shown() {
    let listed = out(&margay(&["models"]));
    for name in ["sc", "tso", "ptx-6.0", "rc11-scoped", "rc11", "c20-scoped", "c20"] {
        assert!(
            listed.lines().any(|l| l.split_whitespace().next() == Some(name)),
            "{name}: {listed}"
        );
    }
    assert!(out(&margay(&["models", "--show", "ptx-6.0"])).starts_with("PTX"));
    assert!(out(&margay(&["mappings"])).contains("rc11-to-ptx"));
    let wrong = margay(&["mappings", "--show", "rc11-to-ptxx"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("did you mean `rc11-to-ptx`?"), "{}", err(&wrong));
}

#[test]
fn the_corpus_has_the_expected_verdicts() {
    let output = margay(&["test", "tests/corpus/asplos2019", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{} {}", out(&output), err(&output));
    let report = json(&output);
    assert!(report["passed"].as_u64() > Some(20), "{report}");
    assert_eq!(report["differences"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_difference_in_a_corpus_is_found_and_can_be_written_down() {
    let folder = folder("check/corpus");
    std::fs::write(folder.join("sb.litmus"), "PTX sb\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n ld.weak r0, y | ld.weak r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n").expect("written");
    std::fs::write(folder.join("expected.txt"), "sb.litmus ptx-6.0 unreachable a mistake\n")
        .expect("written");
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["test", path]);
    assert_eq!(output.status.code(), Some(1), "{} {}", out(&output), err(&output));
    assert!(
        out(&output).contains("expected forbidden, found allowed (a mistake)"),
        "{}",
        out(&output)
    );
    assert_eq!(margay(&["test", path, "--bless"]).status.code(), Some(0));
    assert_eq!(margay(&["test", path]).status.code(), Some(0));
}

/// A test by either engine: the same answer, and the output says whose it is.
#[test]
fn engines_are_chosen() {
    let ask = |model: &str, engine: &str| {
        let test = "tests/corpus/asplos2019/fig5-mp.litmus";
        let output =
            margay(&["run", test, "--model", model, "--engine", engine, "--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        json(&output)
    };
    for (engine, by) in
        [("auto", "explicit"), ("explicit", "explicit"), ("sat", "sat"), ("both", "explicit")]
    {
        let answer = ask("ptx-6.0", engine);
        assert_eq!(
            (&answer["engine"], &answer["reachable"]),
            (&by.into(), &false.into()),
            "{engine}"
        );
    }
    // A forbidden outcome is explained, whoever says so.
    let output = margay(&[
        "run",
        "tests/corpus/asplos2019/fig5-mp.litmus",
        "--model",
        "ptx-6.0",
        "--engine",
        "sat",
    ]);
    assert!(out(&output).contains("Why ptx-6.0 forbids it"), "{}", out(&output));
}

/// Time is up for the SAT engine as for the other: undecided, exit code 3.
#[test]
fn a_time_limit_ends_a_test() {
    let folder = folder("check/slow-test");
    let threads = 14;
    let header: Vec<String> = (0..threads).map(|t| format!("P{t}@cta {t},gpu 0")).collect();
    let row: Vec<String> =
        (1..=threads).map(|v| format!("atom.relaxed.gpu.add r0, x, {}", 1 << v)).collect();
    let text = format!(
        "PTX t\n{{ x=0; }}\n {} ;\n {} ;\nexists (x == 2)\n",
        header.join(" | "),
        row.join(" | ")
    );
    let path = folder.join("slow.litmus");
    std::fs::write(&path, text).expect("a test is written");
    let path = path.to_str().expect("a path of text");
    for engine in ["explicit", "auto"] {
        let output =
            margay(&["run", path, "--model", "ptx-6.0", "--engine", engine, "--timeout", "1ms"]);
        assert_eq!(output.status.code(), Some(3), "{engine}: {}", out(&output));
        assert!(err(&output).contains("no answer in the time given"), "{}", err(&output));
    }
}

/// The source program is CUDA C++ only where the target is a GPU's.
#[test]
fn other_machines_get_no_cuda_program() {
    for (mapping, more, cuda) in [
        ("c11-to-power-trailing", &["--bound", "5", "--only", "R.SC,W.SC,R.ACQ"][..], false),
        ("rc11-to-ptx-no-fence-sc-load", &["--bound", "4"][..], true),
    ] {
        let output = margay(
            &[
                &["check", mapping, "--axiom", "SC", "--level", "execution", "--format", "json"],
                more,
            ]
            .concat(),
        );
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        assert_eq!(
            json(&output)["counterexamples"][0]["source_cuda"].is_string(),
            cuda,
            "{mapping}"
        );
    }
}
