//! A finding in assembly: the accesses and fences of a litmus test stand on a way through the
//! function, whatever stands on others.

use margay_extract::assembly::{AssemblyReader, module};
use margay_extract::finding::{FindingThread, ReproducedFinding};
use margay_models::signature::Architecture;

/// Is there a way through a function that makes the steps, and no fence more? The instructions that
/// make them.
fn way(architecture: &str, code: &str, steps: &[&str]) -> Result<String, String> {
    let architecture = Architecture::built_in(architecture).expect("it is built in");
    let text =
        format!("\t.type P0, @function\nP0:\n\t{}\n\t.size P0, .-P0\n", code.replace("; ", "\n\t"));
    let finding = ReproducedFinding {
        front_end: "gcc".to_owned(),
        compiler: "gcc-15".to_owned(),
        command: None,
        architecture: "power".to_owned(),
        program: "program.c".to_owned(),
        locations: vec!["x".to_owned(), "y".to_owned()],
        threads: vec![FindingThread {
            name: "P0".to_owned(),
            steps: steps.iter().map(|s| (*s).to_owned()).collect(),
        }],
        also: Vec::new(),
        upstream: None,
    };
    let mut reader = AssemblyReader::of(architecture).expect("the text says its assembly");
    let module = module(&text, architecture).expect("a function");
    finding
        .verify_assembly(&mut reader, &module)
        .map(|ways| ways.join("\n"))
        .map_err(|why| why.to_string())
}

/// As clang 22 has a compare-exchange that is acq_rel if it succeeds and seq_cst if it fails: each
/// way has fences of its own.
const EACH_ITS_OWN: &str = "li 7,1; sync; stw 7,0(3); .L1:; lwarx 3,0,4; cmplwi 3,7; bne- 0,.L4; lwsync; stwcx. 7,0,4; bne- 0,.L1; .L3:; stw 3,0(5); blr; .L4:; sync; b .L3";

#[test]
fn fences_of_other_ways_do_not_count() {
    let steps = ["sync", "st x", "failed lwarx_stwcx y", "sync"];
    let found = way("power", EACH_ITS_OWN, &steps).expect("the way that fails");
    assert_eq!(found, "P0: sync ; stw 7,0(3) ; lwarx 3,0,4 ; sync");
    // What each way lacks or has besides.
    for wrong in [
        &["sync", "st x", "failed lwarx_stwcx y"][..],
        &["sync", "st x", "failed lwarx_stwcx y", "lwsync"],
        &["sync", "st x", "failed lwarx_stwcx y", "sync", "lwsync"],
        &["sync", "st x", "lwarx_stwcx y"],
        &["sync", "st x", "lwarx_stwcx y", "sync"],
        &["st x", "failed lwarx_stwcx y", "sync"],
        &["sync", "st x", "sync", "failed lwarx_stwcx y"],
    ] {
        let why = way("power", EACH_ITS_OWN, wrong).expect_err(&wrong.join(" ; "));
        assert!(
            why.contains("no way through P0") && why.contains("lwsync ; stwcx. 7,0,4"),
            "{why}"
        );
    }
}

/// A pair that stores is both halves, in whatever round; one that fails has no store behind it.
#[test]
fn pairs_store_or_fail() {
    let code = "dmb ish; .L1:; ldaxr w3,[x1]; cmp w3,w2; b.ne .L2; stlxr w4,w5,[x1]; cbnz w4,.L1; dmb ishld; .L2:; str w3,[x6]; ret";
    assert!(way("aarch64", code, &["dmb.ish", "failed ldaxr_stlxr x"]).is_ok());
    assert!(way("aarch64", code, &["dmb.ish", "ldaxr_stlxr x", "dmb.ishld"]).is_ok());
    assert!(way("aarch64", code, &["dmb.ish", "ldaxr_stlxr x"]).is_err());
    assert!(way("aarch64", code, &["dmb.ish", "failed ldaxr_stlxr x", "dmb.ishld"]).is_err());
    assert!(way("aarch64", code, &["dmb.ish", "ldxr_stlxr x", "dmb.ishld"]).is_err());
    // What is not read, and may jump to a label, is no way on.
    let unread = code.replace("b.ne .L2", "brand.new .L2");
    assert!(way("aarch64", &unread, &["dmb.ish", "ldaxr_stlxr x", "dmb.ishld"]).is_err());
}
