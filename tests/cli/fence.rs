//! `margay fence` as programs meet it: what is said where nothing was found, and that a proposed
//! change, applied, is what it says to be. The worked examples of docs/explain.md are those of
//! pages.rs.

use crate::program::{err, folder, json, margay, out, write};

/// What is proposed, as it is written in the JSON, is read again, and the outcome is forbidden.
#[test]
fn a_proposed_change_applied_forbids_the_outcome() {
    let folder = folder("fence/applied");
    for (test, model) in [
        ("tests/fence/mailbox.litmus", "ptx-8"),
        ("tests/fence/sb.litmus", "c20"),
        ("tests/fence/lock.litmus", "rc11-scoped"),
        ("tests/corpus/asplos2015/cas-sl.litmus", "ptx-6.0"),
    ] {
        let found = json(&margay(&["fence", test, "--model", model, "--format", "json"]));
        assert_eq!(found["verdict"], "repairable", "{test}");
        let repairs = found["repairs"].as_array().expect("repairs");
        for repair in repairs {
            let file = write(&folder, "changed.litmus", repair["litmus"].as_str().expect("a text"));
            let run = out(&margay(&["run", &file, "--model", model]));
            assert!(run.contains("forbidden") && !run.contains("racy"), "{test}: {run}");
            assert_eq!(
                (&repair["bounded"], repair["racy"].as_bool().unwrap_or(false)),
                (&false.into(), false),
                "{test}"
            );
            let again = margay(&["fence", &file, "--model", model]);
            assert_eq!(again.status.code(), Some(0));
            assert!(out(&again).starts_with("nothing to do: "), "{}", out(&again));
        }
    }
}

#[test]
fn no_way_says_what_was_tried() {
    let test = "tests/fence/early.litmus";
    let output = margay(&["fence", test, "--model", "ptx-8"]);
    assert_eq!(output.status.code(), Some(1));
    let said = out(&output);
    assert!(
        said.starts_with(
            "no way: early under ptx-8 is still allowed with all changes at once that were tried\n"
        ),
        "{said}"
    );
    assert!(
        said.contains("\nTried\n")
            && said.contains("\nNot tried\n")
            && said.contains("more barriers"),
        "{said}"
    );
    let found = json(&margay(&["fence", test, "--model", "ptx-8", "--format", "json"]));
    assert_eq!(found["verdict"], "irreparable");
    assert!(found["tried"].as_array().is_some_and(|tried| !tried.is_empty()));
    assert!(
        found["not_tried"].as_array().is_some_and(|left| left.contains(&"more barriers".into()))
    );
    let explained = json(&margay(&["explain", test, "--model", "ptx-8", "--format", "json"]));
    assert_eq!(explained["not_tried"], found["not_tried"]);
    assert!(out(&margay(&["explain", test, "--model", "ptx-8"])).contains("\nNot tried\n"));
    // A part of the means is no statement about the others.
    let fences = out(&margay(&["fence", test, "--model", "ptx-8", "--use", "fences"]));
    assert!(fences.contains("stronger orders (`--use`)"), "{fences}");
}

#[test]
fn races_are_said_before_and_after() {
    let folder = folder("fence/races");
    let racy = "C racy\n{ x=0; y=0; }\nP0 (int* x, int* y) { *x = 1; *y = 1; }\nP1 (int* x, int* y) { int r0 = *y; if (r0) { int r1 = *x; } }\n\
                exists (1:r0=1 /\\ 1:r1=0)\n";
    let test = write(&folder, "racy.litmus", racy);
    let said = out(&margay(&["fence", &test, "--model", "c20"]));
    assert!(
        said.contains("be rid of the program's race")
            && said.contains("after the change it has none"),
        "{said}"
    );
    assert!(!said.contains("scope"), "{said}");
    assert!(said.contains("+ P0 (int* x, atomic_int* y)"), "{said}");
    // Fences alone make nothing atomic.
    let fences = margay(&["fence", &test, "--model", "c20", "--use", "fences"]);
    assert_eq!(fences.status.code(), Some(1), "{}", err(&fences));
    let said = out(&fences);
    assert!(said.starts_with("no way: ") && said.contains("has a race"), "{said}");
    let impossible =
        write(&folder, "impossible.litmus", racy.replace("1:r0=1 /\\ 1:r1=0", "1:r0=2"));
    let explained = out(&margay(&["fence", &impossible, "--model", "c20"]));
    assert!(explained.contains("to be rid of the race of racy"), "{explained}");
}
