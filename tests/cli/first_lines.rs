//! What first lines say that an answer is not about: rows of the table, locations of both kinds,
//! and more, whichever command prints them.

use serde_json::Value;

use crate::program::{err, folder, json, margay, out, words, write};

/// The first line, whole however wide the output is.
fn first(arguments: &[&str]) -> String {
    let output = margay(arguments);
    let text = out(&output);
    assert!(!text.is_empty(), "{arguments:?}: {}", err(&output));
    // A first line may be broken between words; what follows it is behind an empty line, or names
    // the models.
    words(text.split("\n\n").next().unwrap_or_default())
}

fn coverage(arguments: &[&str]) -> Value {
    json(&margay(&[arguments, &["--format", "json"]].concat()))["coverage"].clone()
}

#[test]
fn rows_that_were_not_asked_about_are_counted() {
    let absent = "KernelIntrinsics.jl; 7 of 17 rows were not asked about (7 absent)";
    assert!(first(&["check", "kernelintrinsics", "--bound", "2"]).contains(absent));
    assert!(first(&["weaken", "kernelintrinsics", "--bound", "2"]).contains(absent));
    let counts = coverage(&["check", "kernelintrinsics", "--bound", "2"]);
    assert_eq!(
        counts,
        serde_json::json!({"rows": 17, "other": 0, "absent": 7, "idle": 0, "assumed": 0, "taken": 0})
    );
    // So are those between two models that are compared.
    let compared = |table: &str, more: &[&str]| {
        let arguments = ["diff", "rc11-scoped", "ptx-6.0", "--mapping", table, "--bound", "2"];
        words(&out(&margay(&[&arguments[..], more].concat())))
    };
    assert!(
        compared("kernelintrinsics", &[])
            .contains("rc11-scoped and ptx-6.0; 7 of 17 rows were not asked about (7 absent)")
    );
    assert!(compared("cuda-oxide", &[]).contains("; 8 of 38 rows are assumed"));
    // A table that does not say what becomes of a compare-exchange that fails.
    let dir = folder("first_lines/silent");
    let text = std::fs::read_to_string("mappings/compilers/cuda-oxide.map").expect("it is shipped");
    let silent: String = text
        .lines()
        .filter(|line| !line.starts_with("CAS_FAIL"))
        .map(|line| format!("{line}\n"))
        .collect();
    let silent = write(&dir, "silent.map", silent);
    assert!(
        compared(&silent, &[]).contains(
            "; 8 of 28 rows are assumed; compare-exchanges that fail were not asked about"
        )
    );
    assert!(!compared("kernelintrinsics", &["--only", "R.RLX,W.RLX"]).contains("asked about"));
    // What is assumed is left out by a check, and taken as it is by other commands.
    let checked = first(&["check", &silent, "--bound", "2"]);
    assert!(
        checked.contains(
            "cuda-oxide (Rust); 8 of 28 rows were not asked about (8 assumed); compare-exchanges"
        ),
        "{checked}"
    );
    let confirmed = first(&["confirm", "cuda-oxide", "--bound", "2", "--device", "sim"]);
    assert!(
        confirmed.starts_with(
            "no counterexample up to 2 events, so nothing to run: cuda-oxide (Rust); 8 of 38"
        ),
        "{confirmed}"
    );
    let repaired = first(&["repair", "cuda-oxide", "--bound", "2"]);
    assert!(repaired.contains("; 8 of 38 rows are assumed"), "{repaired}");
    // Of the constructs that programs are made of.
    let some = first(&["check", "kernelintrinsics", "--bound", "2", "--only", "R,W"]);
    assert!(some.contains("; 2 of 8 rows were not asked about (2 absent)"), "{some}");
    let none = first(&["check", "kernelintrinsics", "--bound", "2", "--only", "R.RLX,W.RLX"]);
    assert!(!none.contains("not asked about"), "{none}");
}

/// Whatever was named twice is said once, wherever it was named.
#[test]
fn what_is_named_twice_is_said_once() {
    let asked =
        ["--bound", "2", "--axiom", "Atomicity,SC,Atomicity", "--only", "R.RLX,W.RLX,R.RLX"];
    let said = "only programs of R.RLX, W.RLX; only axioms Atomicity, SC)";
    let checked =
        first(&[&["check", "rc11-to-ptx-descoped", "--level", "execution"], &asked[..]].concat());
    assert!(checked.contains(said), "{checked}");
    let left_out =
        first(&["check", "rc11-to-ptx-descoped", "--bound", "2", "--without", "F.SC,R.SC,F.SC"]);
    assert!(left_out.contains("(no programs with F.SC, R.SC)"), "{left_out}");
}

#[test]
fn a_verified_theorem_says_which_rows_it_is_not_about() {
    let certificate = folder("first_lines/verified").join("c").display().to_string();
    let absent = "2 of 8 rows were not asked about (2 absent)";
    let proved = first(&[
        "prove",
        "kernelintrinsics",
        "--bound",
        "2",
        "--only",
        "R,W",
        "--axiom",
        "Atomicity",
        "--certify",
        &certificate,
    ]);
    assert!(proved.starts_with("theorem ") && proved.contains(absent), "{proved}");
    let verified = first(&["verify", &certificate]);
    assert!(
        verified.starts_with("verified: Atomicity ") && verified.contains(absent),
        "{verified}"
    );
}

/// A compiled program that is undefined may do anything, and the axioms of the target do not say
/// which are.
#[test]
fn what_the_target_leaves_undefined_is_not_passed_over() {
    let folder = folder("first_lines/undefined_target");
    let target = |undefined: &str| {
        format!("vulkan \"a target\"\nacyclic po | rf | co | fr as SC\n{undefined}")
    };
    let rows = "mapping \"plain\" from past.cat to TARGET\nR => load.dev\nW => store.dev\nRMW => atomic.dev\nF => nothing\n";
    write(&folder, "past.cat", "Generic \"a source\"\nirreflexive po; rf as Past\n");
    for (name, undefined, word) in [
        ("racy", "flag ~empty rf & ext as Race\n", "what `racy` leaves undefined (Race)"),
        (
            "asking",
            "undefined_unless empty rf & ext as Asked\n",
            "what `asking` leaves undefined (Asked)",
        ),
        ("defined", "flag ~acyclic po | rf as Optional\n", ""),
    ] {
        write(&folder, &format!("{name}.cat"), target(undefined));
        let map =
            write(&folder, &format!("{name}.map"), rows.replace("TARGET", &format!("{name}.cat")));
        let certificate = folder.join(format!("{name}-certificate")).display().to_string();
        for arguments in [
            vec!["check", &map, "--bound", "2"],
            vec!["prove", &map, "--bound", "2", "--certify", &certificate],
            vec!["verify", &certificate],
        ] {
            let line = first(&arguments);
            let is_said = line.matches("leaves undefined").count();
            assert_eq!(is_said, usize::from(!word.is_empty()), "{arguments:?}: {line}");
            assert!(
                line.contains(word) && !line.starts_with("counterexample"),
                "{arguments:?}: {line}"
            );
        }
    }
}

#[test]
fn causes_say_what_was_not_asked_about() {
    let line = words(&out(&margay(&["check", "kernelintrinsics", "--bound", "2", "--causes"])));
    assert!(
        line.starts_with(
            "nothing wrong was found, programs of up to 2 events: KernelIntrinsics.jl; 7 of 17 rows"
        ),
        "{line}"
    );
    let answer = json(&margay(&[
        "check",
        "kernelintrinsics",
        "--bound",
        "2",
        "--causes",
        "--format",
        "json",
    ]))["answer"]
        .clone();
    assert!(answer.to_string().contains("7 of 17 rows were not asked about"), "{answer}");
}

#[test]
fn locations_of_one_kind_are_supposed() {
    let second = |more: &[&str]| {
        let text = out(&margay(&[&["check", "rc11-to-ptx", "--bound", "2"], more].concat()));
        text.lines().nth(1).unwrap_or_default().to_owned()
    };
    let supposed = "; no location is accessed by both plain and atomic operations";
    assert!(second(&[]).ends_with(supposed), "{}", second(&[]));
    // Where it leaves nothing out it is not said.
    for more in [&["--typed", "off"][..], &["--only", "R.NA,W.NA,F"], &["--only", "R.RLX,W.RLX"]] {
        assert!(!second(more).contains("no location"), "{}", second(more));
    }
    let plain = out(&margay(&["check", "rc11-to-x86", "--source", "sc", "--bound", "2"]));
    assert!(!plain.contains("no location"), "{plain}");
}

/// The answers about one program, and of runs.
#[test]
fn documents_have_the_first_line() {
    let dir = folder("first-lines");
    let text = "C mp\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
                atomic_store_explicit(y, 1, memory_order_release);\n}\nP1 (atomic_int* x, atomic_int* y) {\n  \
                int r0 = atomic_load_explicit(y, memory_order_acquire);\n  int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\n\
                exists (1:r0=1 /\\ 1:r1=0)\n";
    let test = write(&dir, "mp.litmus", text);
    for (mapping, starts) in [
        (
            "rc11-to-ptx",
            "no counterexample (what it is compiled to cannot have the outcome): mp under scoped C++ to PTX",
        ),
        ("rc11-to-ptx-relaxed-acquire-load", "counterexample (program: a compiler bug): mp under "),
    ] {
        let asked = ["check", mapping, "--test", &test];
        let answer = json(&margay(&[&asked[..], &["--format", "json"]].concat()))["answer"].clone();
        let answer = answer.as_str().expect("a line");
        assert!(answer.starts_with(starts), "{answer}");
        assert!(words(&out(&margay(&asked))).starts_with(answer), "{answer}");
    }
    let confirm = |more: &[&str]| {
        let asked = ["confirm", "rc11-to-ptx", "--device", "sim", "--bound", "2", "--only", "R,W"];
        first(&[&asked[..], more].concat())
    };
    let executions = confirm(&["--level", "execution"]);
    let bound = "no counterexample up to 2 events among single executions (the published question), so nothing to run";
    assert!(executions.starts_with(&format!("{bound} (only programs of R, W): ")), "{executions}");
}

/// Why a kernel was not asked about in any launch.
#[test]
fn the_one_reason_for_all_launches_is_named() {
    let text = ".version 8.0\n.target sm_90\n.address_size 32\n.visible .entry k(.param .u32 p) {\n.reg .b32 %r<9>;\n\
                mov.u32 %r2, %tid.x;\nshl.b32 %r2, %r2, 2;\nld.param.u32 %r1, [p];\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%r1], 1;\nret;\n}\n";
    let path = write(&folder("first_lines/short_addresses"), "short.ptx", text);
    let line = first(&["kernel", &path]);
    assert!(line.starts_with("undecided: `k`"), "{line}");
    assert!(
        line.contains("not answered: 1x2, 1x4, 1x33 (PTX with addresses of 32 bits is not read"),
        "{line}"
    );
}
