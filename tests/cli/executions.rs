//! Executions to look at: pictures in files, other executions than the first, all of them; and
//! first lines about litmus tests.

use crate::program::{err, folder, json, lines, margay, out, said, text, words, write};

const SB: &str = "GENERIC sb\n{ x=0; y=0; }\n P0 | P1 ;\n st x, 1 | st y, 1 ;\n ld r0, y | ld r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n";

#[test]
fn one_execution_is_drawn_into_a_file() {
    let folder = folder("executions/drawn");
    let test = write(&folder, "sb.litmus", SB);
    for command in ["run", "explain"] {
        // Forbidden by one model, allowed by the other.
        for (model, title) in [("sc", "sb: forbidden by SC"), ("tso", "sb: allowed by tso")] {
            for (kind, start) in [("svg", "<svg"), ("dot", "digraph")] {
                for format in ["human", "json"] {
                    let file = folder.join(format!("{command}-{model}-{format}.{kind}"));
                    let output = margay(&[
                        command,
                        &test,
                        "-m",
                        model,
                        "--out",
                        text(&file),
                        "--format",
                        format,
                    ]);
                    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
                    let drawn = std::fs::read_to_string(&file).expect("it is written");
                    assert!(
                        drawn.starts_with(start) && drawn.contains(title),
                        "{command} {model} {format}: {drawn}"
                    );
                }
            }
        }
    }
    let wrong = text(&folder.join("sb.png")).to_owned();
    said(&margay(&["run", &test, "-m", "sc", "--out", &wrong]), 2, "ends in `.svg`");
    said(&margay(&["run", &test, "-m", "sc,tso", "--out", "x.svg"]), 2, "one test under one model");
    said(
        &margay(&["run", &test, "-m", "sc", "--execution", "1", "--format", "herd"]),
        2,
        "no executions",
    );
    let unwritten = margay(&["run", &test, "-m", "sc", "--out", "no/such/folder/x.svg"]);
    assert_eq!(unwritten.status.code(), Some(0), "the answer stands");
    assert!(err(&unwritten).contains("cannot write"), "{}", err(&unwritten));
}

/// The number of an execution in a list is the one that `--execution` takes, and the states are
/// those of herd7's form.
#[test]
fn executions_and_states_are_listed() {
    let folder = folder("executions/listed");
    let test = write(&folder, "sb.litmus", SB);
    for (model, allowed, states) in [("sc", false, 3), ("tso", true, 4)] {
        let all =
            lines(&margay(&["run", &test, "-m", model, "--all-executions", "--format", "json"]))
                .remove(0);
        let listed = &all["listed"];
        assert_eq!((&listed["allowed"], &listed["complete"]), (&allowed.into(), &true.into()));
        let of_states = listed["states"].as_array().expect("states");
        assert_eq!(of_states.len(), states);
        assert_eq!(of_states.iter().filter(|s| s["asked"] == true).count(), usize::from(allowed));
        let herd = out(&margay(&["run", &test, "-m", model, "--format", "herd"]));
        assert!(herd.contains(&format!("States {states}\n")), "{herd}");
        let executions = listed["executions"].as_array().expect("executions");
        assert_eq!(executions.len(), 1, "both reads read initial values");
        assert_eq!(executions[0]["forbidden_by"].as_array().is_some_and(Vec::is_empty), allowed);
        for command in ["run", "explain"] {
            let output =
                margay(&[command, &test, "-m", model, "--execution", "1", "--format", "json"]);
            let one = if command == "run" { lines(&output).remove(0) } else { json(&output) };
            assert_eq!(one["listed"]["executions"][0], executions[0], "{command}");
            let shown = out(&margay(&[command, &test, "-m", model, "--all-executions"]));
            assert!(
                shown.contains(&format!("Final states that {model} allows: {states}\n")),
                "{shown}"
            );
            assert!(shown.contains("\nExecution 1\n"), "{shown}");
            said(
                &margay(&[command, &test, "-m", model, "--execution", "2"]),
                2,
                "there is no execution 2: there is only 1",
            );
        }
    }
    // A list that ends early says so.
    let free = write(&folder, "free.litmus", SB.replace("P0:r0 == 0 /\\ P1:r0 == 0", "true"));
    let few = out(&margay(&["run", &free, "-m", "tso", "--all-executions", "2"]));
    assert!(few.contains("Executions with this outcome: 2 or more\n"), "{few}");
    let again = out(&margay(&["run", &free, "-m", "tso", "--all-executions", "2"]));
    let times = |text: &str| {
        text.lines().filter(|l| !l.contains("tso  ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(times(&few), times(&again));
}

/// The first line says the bound and the axioms that count, in every form that an answer is printed
/// in.
#[test]
fn first_lines_are_the_same_in_every_form() {
    let folder = folder("executions/first");
    let sb = write(&folder, "sb.litmus", SB);
    let race = "C race\n{ x=0; }\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (1:r0=2)\n";
    let race = write(&folder, "race.litmus", race);
    let count = "PTX count\n{ x=0; }\n P0@cta 0,gpu 0 ;\n L: add r0, r0, 1 ;\n bne r0, 5, L ;\nexists (P0:r0 == 5)\n";
    let count = write(&folder, "count.litmus", count);
    for (arguments, expected) in [
        (vec!["run", &sb, "-m", "sc"], "forbidden: sb under sc"),
        (
            vec!["run", &sb, "-m", "sc", "--without-axiom", "SC"],
            "allowed (without axiom SC): sb under sc",
        ),
        (
            vec!["run", &race, "-m", "rc11"],
            "forbidden, and the program is undefined (it has a race): race under rc11",
        ),
        (vec!["run", &count, "-m", "ptx-8"], "undecided, no execution ends"),
        (vec!["explain", &sb, "-m", "tso"], "allowed: sb under tso"),
        (
            vec!["explain", &race, "-m", "rc11"],
            "impossible, and the program is undefined: race under rc11",
        ),
        (
            vec!["explain", &count, "-m", "ptx-8", "--unroll", "1"],
            "not found with at most 1 backward jump in each loop: count under ptx-8",
        ),
        (vec!["fence", &sb, "-m", "tso"], "one cheapest way to forbid sb under tso"),
        (vec!["fence", &sb, "-m", "tso", "--timeout", "0s"], "undecided, "),
    ] {
        let shown = words(&out(&margay(&arguments)));
        let output = margay(&[arguments.clone(), vec!["--format", "json"]].concat());
        let answer =
            if arguments[0] == "run" { lines(&output).remove(0) } else { json(&output) }["answer"]
                .clone();
        let answer = answer.as_str().expect("a first line");
        assert!(shown.starts_with(answer), "{arguments:?}: {answer}\n{shown}");
        assert!(
            answer.starts_with(expected) || expected == "undecided, no execution ends",
            "{arguments:?}: {answer}"
        );
        let file = write(&folder, "answer.json", out(&output));
        let page = folder.join("page.html");
        margay(&["report", &file, "-o", text(&page)]);
        let page = std::fs::read_to_string(&page).expect("a page");
        assert!(words(&page).contains(answer), "{arguments:?}: {answer}");
    }
    for command in ["explain", "fence", "run"] {
        let said = words(&out(&margay(&[command, &race, "-m", "rc11"])));
        assert!(
            said.contains("Racy: W.NA x=1 (P0, line 3") && said.contains(" (P1, line 4"),
            "{command}: {said}"
        );
    }
}

/// An edge of a definition that a file includes is said to be of that file.
#[test]
fn lines_of_other_files_are_named_with_the_file() {
    let dir = folder("executions/herd");
    let model = write(
        &dir,
        "m.cat",
        "\"m\"\ninclude \"cos.cat\"\nlet obs = rfe | fre | coe\nlet bob = po\nirreflexive (obs | bob)+ as order\n",
    );
    let shown = out(&margay(&[
        "explain",
        "tests/corpus/asplos2019/fig6-sb-narrow.litmus",
        "--model",
        &model,
    ]));
    let edges: Vec<&str> =
        shown.lines().filter(|line| line.contains("-> ") && line.contains("let ")).collect();
    assert!(
        edges.iter().any(|line| line.contains(" line 4 ") && line.ends_with("let bob = po")),
        "{shown}"
    );
    assert!(edges.iter().any(|line| line.contains("<built-in>/herd7.cat:")), "{shown}");
}

/// Operations of C that name no scope are of all threads: where those run says nothing, and is not
/// drawn. With a scope it is.
#[test]
fn places_are_drawn_where_scopes_play_a_part() {
    let dir = folder("executions/places");
    let text = |scope: &str| {
        format!(
            "C mp\n{{}}\nP0(atomic_int* x, atomic_int* y) {{ atomic_store_explicit(x, 1, memory_order_relaxed{scope}); \
             atomic_store_explicit(y, 1, memory_order_relaxed{scope}); }}\n\
             P1(atomic_int* x, atomic_int* y) {{ int r0 = atomic_load_explicit(y, memory_order_relaxed{scope}); \
             int r1 = atomic_load_explicit(x, memory_order_relaxed{scope}); }}\nexists (1:r0=1 /\\ 1:r1=0)\n"
        )
    };
    for (scope, model, drawn) in [
        ("", "rc11", false),
        ("", "rc11-scoped", false),
        (", memory_scope_device", "rc11-scoped", true),
    ] {
        let test = write(&dir, "mp.litmus", text(scope));
        let picture = dir.join("mp.svg").display().to_string();
        let output = margay(&["run", &test, "--model", model, "--out", &picture]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let svg = std::fs::read_to_string(&picture).expect("a picture");
        for shown in [out(&output), svg] {
            assert!(
                shown.contains("P1") && shown.contains("gpu 0") == drawn,
                "{scope} {model}: {shown}"
            );
        }
    }
}
