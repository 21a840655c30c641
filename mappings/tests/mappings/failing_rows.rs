//! What the tables that ship say of compare-exchanges that fail: which of them say it, and that
//! what they say is enough and needed.

use margay_litmus::read;
use margay_mappings::language::LoweringForm;
use margay_mappings::library;
use margay_mappings::one::{ProgramVerdict, ask};
use margay_models::diagnostic::SourceFile;

use crate::setup::{read as mapping, shipped};

/// Each table that ships has rows for each order of a load that it has.
#[test]
fn the_tables_that_do_not_say_it() {
    let silent: Vec<&str> =
        library::names().filter(|name| !shipped(name).unknown_failures(None).is_empty()).collect();
    assert_eq!(silent, Vec::<&str>::new());
}

/// The compare-exchanges of cuda-oxide are what LLVM makes of `cmpxchg`, of 32 and 64 bits: the
/// rows are those of the tables that were measured.
#[test]
fn cuda_oxide_has_the_rows_of_llvm() {
    let oxide = shipped("cuda-oxide");
    let own: Vec<&str> = oxide.file.text.lines().filter(|line| line.starts_with("CAS")).collect();
    assert_eq!(own.len(), 21);
    for llvm in ["llvm-22.1-sm90", "llvm-23-sm90"] {
        let text = shipped(llvm).file.text.clone();
        for line in &own {
            let (head, lowering) = line.split_once("=>").expect("it is a row");
            let (head, lowering) =
                (head.trim(), lowering.split('[').next().unwrap_or_default().trim());
            let is_it = |other: &str| {
                let Some((of, rest)) = other.split_once("=>") else { return false };
                let of = of.trim();
                (of == head || of == format!("{head} b32 b64 b128"))
                    && rest.split('[').next().unwrap_or_default().trim() == lowering
            };
            assert!(text.lines().any(is_it), "{llvm}: {line}");
        }
    }
}

/// The table of cuda-oxide without its rows for compare-exchanges that fail.
fn silent_table() -> String {
    let text = shipped("cuda-oxide").file.text.clone();
    text.lines()
        .filter(|line| !line.starts_with("CAS_FAIL"))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Rows that are assumed are counted as such, and it is not said that there are none.
#[test]
fn an_assumed_row_is_a_row() {
    for name in ["desul-new", "dpcpp", "libclc-old", "nvidia-abi-12.8.1"] {
        let known = shipped(name).known_only();
        assert_eq!(known.unknown_failures(None), Vec::<String>::new(), "{name}");
        assert!(
            known.about.left_out.iter().any(|head| head.text.starts_with("CAS_FAIL.")),
            "{name}: {:?}",
            known.about.left_out
        );
    }
}

/// So is one that says that there is none, whatever it calls its scopes, and however the load's
/// rows are written.
#[test]
fn an_absent_row_is_a_row() {
    let text = silent_table();
    let silent = mapping(&text).expect("it is a mapping").unknown_failures(None).len();
    for more in [
        "CAS_FAIL.ACQ.s => absent",
        "CAS_FAIL.ACQ.t => absent",
        "CAS_FAIL.ACQ.t => absent\nR.ACQ.cta b8 => ld.acquire.cta",
    ] {
        let said =
            mapping(&format!("{text}\n{more}\n")).unwrap_or_else(|e| panic!("{more}: {e:?}"));
        assert_eq!(
            said.unknown_failures(None).len(),
            silent - 1,
            "{more}: {:?}",
            said.unknown_failures(None)
        );
    }
}

/// The row of a compare-exchange that fails is told apart from that of the load only where they
/// differ: else the search would ask twice.
#[test]
fn a_failing_row_that_is_the_row_of_the_load_is_not_asked_about_twice() {
    let asked = |text: &str, order: &str| -> usize {
        let mapping = mapping(text).expect("it is a mapping");
        let row = mapping.rows.iter().find(|row| {
            row.head(mapping.source.signature, LoweringForm::Usual) == format!("R.{order}.s")
        });
        row.expect("it has the row").asked().len()
    };
    let text = shipped("rc11-to-ptx").file.text.clone();
    for order in ["RLX", "ACQ", "SC"] {
        assert_eq!(asked(&text, order), 1, "{order}");
    }
    // A weaker one is a row of its own, and so is one for which the load has another width.
    assert_eq!(
        asked(
            &text.replace("CAS_FAIL.ACQ.s => atom.acquire.s", "CAS_FAIL.ACQ.s => atom.relaxed.s"),
            "ACQ"
        ),
        2
    );
    assert_eq!(
        asked(
            &text.replace(
                "CAS_FAIL.ACQ.s => atom.acquire.s",
                "CAS_FAIL.ACQ.s => atom.acquire.s.b32"
            ),
            "ACQ"
        ),
        2
    );
    let typed = text.replace(
        "R.ACQ.s       => ld.acquire.s",
        "R.ACQ.s b32 => ld.acquire.s\nR.ACQ.s b8 b16 b64 => ld.acquire.s ; fence.acquire.s",
    );
    assert_eq!(asked(&typed, "ACQ"), 3);
}

/// Store buffering, whose loads are seq_cst compare-exchanges that fail.
const FAILING: &str = "C failing\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_seq_cst);\n  \
    int e = 7;\n  atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_seq_cst, memory_order_seq_cst);\n}\n\
    P1 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(y, 1, memory_order_seq_cst);\n  int e = 7;\n  \
    atomic_compare_exchange_strong_explicit(x, &e, 2, memory_order_seq_cst, memory_order_seq_cst);\n}\nexists (0:e=0 /\\ 1:e=0)\n";

/// A locked read orders as a fence does: where seq_cst stores have none, that of a compare-exchange
/// that fails is needed.
#[test]
fn a_compare_exchange_that_fails_is_a_locked_read_of_x86() {
    let test = read::test(&SourceFile::new("failing.litmus", FAILING)).expect("it is a test").test;
    let answer = |text: &str| {
        ask(&mapping(text).expect("it is a mapping"), &test, None).expect("it is decided").answer
    };
    let text = shipped("rc11-to-x86").file.text.clone();
    assert_eq!(answer(&text), ProgramVerdict::TargetForbids);
    let bare = text.replace("W.SC  => store ; mfence", "W.SC  => store");
    assert_ne!(bare, text);
    assert_eq!(answer(&bare), ProgramVerdict::TargetForbids);
    let unlocked = bare.replace("CAS_FAIL.SC  => lock_xchg", "CAS_FAIL.SC  => load");
    assert_ne!(unlocked, bare);
    assert_eq!(answer(&unlocked), ProgramVerdict::Counterexample);
}

/// The same of Power and RISC-V: the load of the pair, with the fences that it passes.
#[test]
fn a_compare_exchange_that_fails_passes_the_fences_around_its_pair() {
    let test = read::test(&SourceFile::new("failing.litmus", FAILING)).expect("it is a test").test;
    let answer = |text: &str| {
        ask(&mapping(text).expect("it is a mapping"), &test, None).expect("it is decided").answer
    };
    let cases = [
        (
            "c11-to-power-leading",
            "CAS_FAIL.SC  => sync ; lwarx_stwcx ; ctrl ; isync",
            "CAS_FAIL.SC => lwarx_stwcx ; ctrl ; isync",
        ),
        ("rc11-to-riscv", "CAS_FAIL.SC  => lr.aqrl_sc.rl", "CAS_FAIL.SC => lr.aq_sc"),
        (
            "rc11-to-ptx",
            "CAS_FAIL.SC.s  => fence.sc.s ; atom.acq_rel.s",
            "CAS_FAIL.SC.s => atom.acq_rel.s",
        ),
        (
            "opencl-to-ptx",
            "CAS_FAIL.SC.s  => fence.sc.s ; atom.acq_rel.s",
            "CAS_FAIL.SC.s => atom.acq_rel.s",
        ),
    ];
    for (name, row, broken) in cases {
        let text = shipped(name).file.text.clone();
        assert_eq!(answer(&text), ProgramVerdict::TargetForbids, "{name}");
        let without = text.replace(row, broken);
        assert_ne!(without, text, "{name}");
        assert_eq!(answer(&without), ProgramVerdict::Counterexample, "{name}");
    }
}

/// The load of an exclusive pair is an acquire where it is one in the pair.
#[test]
fn a_compare_exchange_that_fails_is_the_load_of_its_pair() {
    let test = read::test(&SourceFile::new("failing.litmus", FAILING)).expect("it is a test").test;
    let answer = |text: &str| {
        ask(&mapping(text).expect("it is a mapping"), &test, None).expect("it is decided").answer
    };
    let text = shipped("rc11-to-aarch64").file.text.clone();
    assert_eq!(answer(&text), ProgramVerdict::TargetForbids);
    let relaxed =
        text.replace("CAS_FAIL.SC  => ldaxr_stlxr ; ctrl", "CAS_FAIL.SC  => ldxr_stxr ; ctrl");
    assert_ne!(relaxed, text);
    assert_eq!(answer(&relaxed), ProgramVerdict::Counterexample);
}
