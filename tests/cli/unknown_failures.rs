//! Tables without rows for compare-exchanges that fail: what nobody asked about is said.

use crate::program::{err, folder, json, margay, out, said, words, write};

const WITHOUT: &str =
    "compare-exchanges that fail were not asked about: the table has no row for them";

/// A seq_cst store, and a compare-exchange that fails behind it.
const FAILING: &str = "C failing\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_seq_cst);\n  \
    int e = 7;\n  atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_seq_cst, memory_order_seq_cst);\n}\n\
    P1 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(y, 1, memory_order_seq_cst);\n  \
    int r1 = atomic_load_explicit(x, memory_order_seq_cst);\n}\nexists (0:e=0 /\\ 1:r1=0)\n";

/// Sequentially consistent accesses of x86, whose locked instructions stand for all
/// read-modify-writes.
fn table(more: &str) -> String {
    format!(
        "mapping \"m\" from rc11 to x86\nR.NA => load\nR.RLX => load\nR.ACQ => load\nR.SC => load\nW.NA => store\nW.RLX => store\nW.REL => store\n\
         W.SC => store ; mfence\nRMW.RLX => lock_xchg\nRMW.ACQ => lock_xchg\nRMW.REL => lock_xchg\nRMW.ACQ_REL => lock_xchg\nRMW.SC => lock_xchg\n\
         F.ACQ => nothing\nF.REL => nothing\nF.ACQ_REL => nothing\nF.SC => mfence\n{more}"
    )
}

#[test]
fn the_first_line_says_what_was_not_asked_about() {
    let dir = folder("unknown-failures");
    let without = write(&dir, "without.map", table(""));
    let some = write(&dir, "some.map", table("CAS_FAIL.RLX => load\nCAS_FAIL.ACQ => load\n"));
    let all = write(
        &dir,
        "all.map",
        table("CAS_FAIL.RLX => load\nCAS_FAIL.ACQ => load\nCAS_FAIL.SC => load\n"),
    );
    let none = write(
        &dir,
        "none.map",
        table("CAS_FAIL.RLX => absent\nCAS_FAIL.ACQ => absent\nCAS_FAIL.SC => absent\n"),
    );
    for command in ["check", "weaken", "repair"] {
        let line = |file: &str, more: &[&str]| {
            words(&out(&margay(&[&[command, file, "--bound", "2"], more].concat())))
        };
        assert!(line(&without, &[]).contains(WITHOUT), "{command}: {}", line(&without, &[]));
        assert!(
            line(&some, &[]).contains("no row for CAS_FAIL.SC"),
            "{command}: {}",
            line(&some, &[])
        );
        // There is nothing that was not asked about; what somebody leaves out by an option is
        // another matter.
        for complete in [line(&all, &[]), line(&none, &[]), line(&without, &["--only", "R,W"])] {
            assert!(!complete.contains("compare-exchanges that fail"), "{command}: {complete}");
        }
        let field = |file: &str| {
            json(&margay(&[command, file, "--bound", "2", "--format", "json"]))["not_asked"].clone()
        };
        assert_eq!(
            field(&without),
            serde_json::json!(["CAS_FAIL.RLX", "CAS_FAIL.ACQ", "CAS_FAIL.SC"]),
            "{command}"
        );
        assert_eq!(field(&all), serde_json::json!([]), "{command}");
    }
    let theorem = margay(&["prove", &without, "--bound", "2", "--axiom", "Atomicity"]);
    assert_eq!(theorem.status.code(), Some(0), "{}{}", out(&theorem), err(&theorem));
    assert!(words(&out(&theorem)).contains(WITHOUT), "{}", out(&theorem));
}

/// A program with one is refused, and the row that is missing is named; with rows it is asked
/// about, that of the search, too.
#[test]
fn a_program_needs_the_row() {
    let dir = folder("unknown-failures-test");
    let test = write(&dir, "failing.litmus", FAILING);
    let without = write(&dir, "without.map", table(""));
    said(&margay(&["check", &without, "--test", &test]), 2, "has no row for `CAS_FAIL.SC`");
    let refused = json(&margay(&["check", &without, "--test", &test, "--format", "json"]));
    assert!(
        refused["errors"][0]["message"].as_str().is_some_and(|m| m.contains("CAS_FAIL.SC")),
        "{refused}"
    );
    let right = write(&dir, "right.map", table("CAS_FAIL.SC => mfence ; load\n"));
    assert_eq!(margay(&["check", &right, "--test", &test]).status.code(), Some(0));
    // The fence stands before loads; the one before a failing compare-exchange was forgotten.
    let fences = table("CAS_FAIL.SC => load\n")
        .replace("store ; mfence", "store")
        .replace("R.SC => load", "R.SC => mfence ; load");
    let wrong = write(&dir, "wrong.map", fences);
    let found = json(&margay(&["check", &wrong, "--test", &test, "--format", "json"]));
    assert_eq!(found["verdict"], "counterexample", "{found}");
    let searched = json(&margay(&[
        "check",
        &wrong,
        "--only",
        "R.SC,W.SC",
        "--bound",
        "4",
        "--all",
        "--format",
        "json",
    ]));
    let mut compared = 0;
    for (i, c) in searched["counterexamples"].as_array().expect("a list").iter().enumerate() {
        let source = c["source_litmus"].as_str().expect("text");
        let again = write(&dir, &format!("{i}.litmus"), source);
        assert_eq!(margay(&["check", &wrong, "--test", &again]).status.code(), Some(1), "{source}");
        compared += usize::from(source.contains("compare_exchange"));
    }
    assert!(compared > 0, "{}", searched["answer"]);
}
