//! C++ on machines whose axioms are about closures without a name.

use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::diagnostic::SourceFile;

use super::mutants::judged;
use super::{proved, theorems};

/// RISC-V's older table. The read half of a seq_cst operation may be made before a seq_cst store
/// that is before it.
const RISCV: &str = "mapping \"older table\" from c20 to riscv
R.NA => lw
R.RLX => lw
R.ACQ => lw ; fence.r_rw
R.SC => fence.rw_rw ; lw ; fence.r_rw
W.NA => sw
W.RLX => sw
W.REL => fence.rw_w ; sw
W.SC => fence.rw_w ; sw
RMW.RLX => lr_sc
RMW.ACQ => lr.aq_sc
RMW.REL => lr_sc.rl
RMW.ACQ_REL => lr.aq_sc.rl
RMW.SC => lr.aq_sc.rl
F.ACQ => fence.r_rw
F.REL => fence.rw_w
F.ACQ_REL => fence.tso
F.SC => fence.rw_rw
";

/// What is neither seq_cst nor plain.
fn others() -> Vec<String> {
    let all =
        "R.RLX R.ACQ W.RLX W.REL RMW.RLX RMW.ACQ RMW.REL RMW.ACQ_REL F.ACQ F.REL F.ACQ_REL F.SC";
    all.split(' ').map(str::to_owned).collect()
}

fn table(text: &str) -> Mapping {
    load_text(&SourceFile::new("test.map", text), None, &LoadOptions::default())
        .expect("it is a mapping")
        .mapping
}

#[test]
fn an_operation_stands_where_its_write_half_does() {
    assert_eq!(theorems(&proved(&table(RISCV), &others())), ["Coherence", "Atomicity", "SC"]);
}

/// Where its write half does not wait either, or its read half does not make others wait, there is
/// no such order.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn no_weaker_operation_stands_there() {
    for by in ["lr.aq_sc", "lr_sc.rl", "lr_sc"] {
        let weaker = RISCV.replace("RMW.SC => lr.aq_sc.rl", &format!("RMW.SC => {by}"));
        let answers = judged(by, &table(&weaker), &others(), 4);
        assert!(answers.iter().any(|(_, answer)| answer != "theorem"), "{by}: {answers:?}");
    }
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn cpp_on_riscv_by_its_older_table() {
    assert_eq!(theorems(&proved(&table(RISCV), &[])), ["Coherence", "Atomicity", "SC"]);
}

/// Power, whose threads see writes at different times: what passes on what was seen is a fence.
const POWER: &str = "mapping \"acquire by lwsync\" from c20 to power
R.NA => ld
R.RLX => ld
R.ACQ => ld ; lwsync
R.SC => sync ; ld ; lwsync
W.NA => st
W.RLX => st
W.REL => lwsync ; st
W.SC => sync ; st
RMW.RLX => lwarx_stwcx
RMW.ACQ => lwarx_stwcx ; lwsync
RMW.REL => lwsync ; lwarx_stwcx
RMW.ACQ_REL => lwsync ; lwarx_stwcx ; lwsync
RMW.SC => sync ; lwarx_stwcx ; lwsync
F.ACQ => lwsync
F.REL => lwsync
F.ACQ_REL => lwsync
F.SC => sync
";

/// What is seq_cst.
fn seq_cst() -> Vec<String> {
    ["R.SC", "W.SC", "RMW.SC", "F.SC"].map(str::to_owned).to_vec()
}

#[test]
fn what_was_seen_before_a_fence_is_seen_by_all_who_see_what_is_behind_it() {
    assert_eq!(theorems(&proved(&table(POWER), &seq_cst())), ["Coherence", "Atomicity", "SC"]);
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn cpp_on_power_by_lwsync() {
    assert_eq!(theorems(&proved(&table(POWER), &[])), ["Coherence", "Atomicity", "SC"]);
}

/// Without one of the fences nothing is passed on. `isync` waits for nothing without a branch.
#[test]
fn nothing_else_passes_on_what_was_seen() {
    for (row, by) in [
        ("R.ACQ => ld ; lwsync", "R.ACQ => ld"),
        ("R.ACQ => ld ; lwsync", "R.ACQ => ld ; isync"),
        ("W.REL => lwsync ; st", "W.REL => st"),
        ("RMW.ACQ => lwarx_stwcx ; lwsync", "RMW.ACQ => lwarx_stwcx"),
        ("F.REL => lwsync", "F.REL => isync"),
    ] {
        assert!(POWER.contains(row), "{row}");
        let answers = judged(by, &table(&POWER.replace(row, by)), &seq_cst(), 4);
        assert!(
            answers.iter().any(|(axiom, answer)| axiom == "Coherence" && answer != "theorem"),
            "{by}: {answers:?}"
        );
    }
}
