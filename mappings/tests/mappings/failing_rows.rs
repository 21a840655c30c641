//! What the tables that ship say of compare-exchanges that fail: which of them say it, and that what they say is enough and needed.

use margay_litmus::read;
use margay_mappings::library;
use margay_mappings::one::{ProgramVerdict, ask};
use margay_models::diagnostic::SourceFile;

use crate::setup::{read as mapping, shipped};

/// Tables of which nothing that was read says it: the paper's with its variants, documents, what was read in part, and those of Power, whose
/// failing pairs leave before or behind the `isync`.
#[test]
fn the_tables_that_do_not_say_it() {
    let silent: Vec<&str> = library::names().filter(|name| !shipped(name).unknown_failures(None).is_empty()).collect();
    let (of_the_paper, others): (Vec<&str>, Vec<&str>) = silent.into_iter().partition(|name| name.starts_with("rc11-to-ptx"));
    assert_eq!(of_the_paper.len(), library::published().filter(|name| name.starts_with("rc11-to-ptx")).count());
    assert_eq!(
        others.join(" "),
        "cuda-builtins nvidia-abi-12.8.1 nvidia-abi-middle nvidia-abi-newest cuda-oxide dpcpp desul-new \
         desul-old libclc-old c11-to-power-leading c11-to-power-trailing opencl-to-ptx rc11-to-power-leading rc11-to-power-trailing rc11-to-riscv"
    );
}

/// Store buffering, whose loads are seq_cst compare-exchanges that fail.
const FAILING: &str = "C failing\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_seq_cst);\n  \
    int e = 7;\n  atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_seq_cst, memory_order_seq_cst);\n}\n\
    P1 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(y, 1, memory_order_seq_cst);\n  int e = 7;\n  \
    atomic_compare_exchange_strong_explicit(x, &e, 2, memory_order_seq_cst, memory_order_seq_cst);\n}\nexists (0:e=0 /\\ 1:e=0)\n";

/// A locked read orders as a fence does: where seq_cst stores have none, that of a compare-exchange that fails is needed.
#[test]
fn a_compare_exchange_that_fails_is_a_locked_read_of_x86() {
    let test = read::test(&SourceFile::new("failing.litmus", FAILING)).expect("it is a test").test;
    let answer = |text: &str| ask(&mapping(text).expect("it is a mapping"), &test, None).expect("it is decided").answer;
    let text = shipped("rc11-to-x86").file.text.clone();
    assert_eq!(answer(&text), ProgramVerdict::TargetForbids);
    let bare = text.replace("W.SC  => store ; mfence", "W.SC  => store");
    assert_ne!(bare, text);
    assert_eq!(answer(&bare), ProgramVerdict::TargetForbids);
    let unlocked = bare.replace("CAS_FAIL.SC  => lock_xchg", "CAS_FAIL.SC  => load");
    assert_ne!(unlocked, bare);
    assert_eq!(answer(&unlocked), ProgramVerdict::Counterexample);
}

/// The load of an exclusive pair is an acquire where it is one in the pair.
#[test]
fn a_compare_exchange_that_fails_is_the_load_of_its_pair() {
    let test = read::test(&SourceFile::new("failing.litmus", FAILING)).expect("it is a test").test;
    let answer = |text: &str| ask(&mapping(text).expect("it is a mapping"), &test, None).expect("it is decided").answer;
    let text = shipped("rc11-to-aarch64").file.text.clone();
    assert_eq!(answer(&text), ProgramVerdict::TargetForbids);
    let relaxed = text.replace("CAS_FAIL.SC  => ldaxr_stlxr ; ctrl", "CAS_FAIL.SC  => ldxr_stxr ; ctrl");
    assert_ne!(relaxed, text);
    assert_eq!(answer(&relaxed), ProgramVerdict::Counterexample);
}
