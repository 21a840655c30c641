//! One program with an outcome: the answer is that of running the program under the source's model
//! and what somebody compiled by hand under the target's.

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::test::Test;
use margay_mappings::language::Mapping;
use margay_mappings::one::{ProgramAnswer, ProgramVerdict, Refusal, ask};
use margay_models::diagnostic::SourceFile;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::setup::{read, shipped};

fn test(text: &str) -> Test {
    margay_litmus::read::test(&SourceFile::new("t.litmus", text))
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"))
        .test
}

fn asked(mapping: &Mapping, text: &str) -> ProgramAnswer {
    ask(mapping, &test(text), None).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn answer(mapping: &Mapping, text: &str) -> ProgramVerdict {
    asked(mapping, text).answer
}

/// RISC-V by fences, with some rows as they are given.
fn riscv(rows: &[(&str, &str)]) -> Mapping {
    let published = [
        ("R.NA", "lw"),
        ("R.RLX", "lw ; ctrl"),
        ("R.ACQ", "lw ; fence.r_rw"),
        ("R.SC", "fence.rw_rw ; lw ; fence.r_rw"),
        ("W.NA", "sw"),
        ("W.RLX", "sw"),
        ("W.REL", "fence.rw_w ; sw"),
        ("W.SC", "fence.rw_w ; sw"),
        ("RMW.RLX", "amoswap ; ctrl"),
        ("RMW.ACQ", "amoswap.aq"),
        ("RMW.REL", "amoswap.rl ; ctrl"),
        ("RMW.ACQ_REL", "amoswap.aqrl"),
        ("RMW.SC", "amoswap.aqrl"),
        ("F.ACQ", "fence.r_rw"),
        ("F.REL", "fence.rw_w"),
        ("F.ACQ_REL", "fence.tso"),
        ("F.SC", "fence.rw_rw"),
    ];
    let is_given = |name: &str| rows.iter().any(|(head, _)| *head == name);
    let kept =
        published.into_iter().filter(|(name, _)| !is_given(name)).chain(rows.iter().copied());
    let rows: String = kept.map(|(head, body)| format!("{head} => {body}\n")).collect();
    read(&format!("mapping \"m\" from c20 to riscv\n{rows}")).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Message passing with an operation that the condition does not look at: in some executions with
/// the outcome it reads its thread's own later write, or another thread's, and only one of these
/// executions may be what the compiled program does.
fn message_passing(condition: &str) -> String {
    format!(
        "C mp\n{{ x=0; y=0; z=0; }}\n\
         P0 (int* x, atomic_int* y, atomic_int* z) {{\n  *x = 1;\n  int r9 = atomic_exchange_explicit(z, 1, memory_order_relaxed);\n  \
         atomic_store_explicit(y, 1, memory_order_release);\n}}\n\
         P1 (int* x, atomic_int* y, atomic_int* z) {{\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n  \
         if (r0) {{ int r1 = *x; }}\n}}\n{condition}\n"
    )
}

#[test]
fn every_outcome_that_satisfies_the_condition_counts() {
    let broken = riscv(&[("R.ACQ", "lw")]);
    for condition in [
        "exists (1:r0=1 /\\ 1:r1=0)",
        "~exists (1:r0=1 /\\ 1:r1=0)",
        "forall (1:r0=0 \\/ 1:r1=1)",
        "exists (1:r0=1 /\\ (1:r1=0 \\/ 1:r1=7))",
        "exists (1:r0=1 /\\ 1:r1=0 /\\ x=1 /\\ z=1)",
        "exists (1:r0=1 /\\ ~(1:r1=1))",
    ] {
        let text = message_passing(condition);
        assert_eq!(answer(&broken, &text), ProgramVerdict::Counterexample, "{condition}");
        assert_eq!(answer(&riscv(&[]), &text), ProgramVerdict::TargetForbids, "{condition}");
    }
    let weak = message_passing("exists (1:r0=1 /\\ 1:r1=1)");
    assert_eq!(answer(&broken, &weak), ProgramVerdict::SourceAllows);
    let never = message_passing("exists (1:r0=5)");
    assert_eq!(ask(&broken, &test(&never), None).err(), Some(Refusal::NoExecution(None)));

    let scoped = message_passing("exists (1:r0=1 /\\ 1:r1=0)")
        .replace("P0 ", "P0@wg 0,dev 0 ")
        .replace("P1 ", "P1@wg 1,dev 0 ")
        .replace("relaxed)", "relaxed, memory_scope_device)")
        .replace("release)", "release, memory_scope_device)")
        .replace("acquire)", "acquire, memory_scope_device)");
    assert_eq!(
        answer(&shipped("rc11-to-ptx-relaxed-acquire-load"), &scoped),
        ProgramVerdict::Counterexample
    );
    assert_eq!(answer(&shipped("rc11-to-ptx"), &scoped), ProgramVerdict::TargetForbids);
}

#[test]
fn store_buffering_with_a_read_that_is_not_named() {
    let text = "C sb\n{ x=0; y=0; z=0; }\n\
        P0 (atomic_int* x, atomic_int* y, atomic_int* z) {\n  atomic_store_explicit(x, 1, memory_order_seq_cst);\n  \
        int r9 = atomic_exchange_explicit(z, 1, memory_order_relaxed);\n  int r0 = atomic_load_explicit(y, memory_order_seq_cst);\n}\n\
        P1 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(y, 1, memory_order_seq_cst);\n  \
        int r0 = atomic_load_explicit(x, memory_order_seq_cst);\n}\nexists (0:r0=0 /\\ 1:r0=0)\n";
    assert_eq!(answer(&riscv(&[("R.SC", "lw")]), text), ProgramVerdict::Counterexample);
    assert_eq!(answer(&riscv(&[]), text), ProgramVerdict::TargetForbids);
}

/// What is shown of a counterexample can be run, and the target allows it; the source's reading of
/// the same execution violates an axiom, and is coherent.
#[test]
fn what_is_shown_is_a_pair_of_tests() {
    for (mapping, condition) in [
        (riscv(&[("R.ACQ", "lw")]), "exists (1:r0=1 /\\ 1:r1=0)"),
        (riscv(&[]), "forall (1:r0=0 \\/ 1:r1=1)"),
    ] {
        let one = asked(&mapping, &message_passing(condition));
        let target = test(&one.target.as_ref().expect("it has a test").to_string());
        let said = Runner::new(&mapping.target)
            .run(&target, &Options::default(), Choice::Both)
            .expect("it can be run");
        assert_eq!(
            (said.reachable, one.allowed),
            (one.allowed, one.answer == ProgramVerdict::Counterexample),
            "{target}"
        );
        let violation = one.violation.expect("the source forbids it");
        assert_eq!(violation.name, "Coherence");
        // The exchange does not read what it writes.
        let own = one.source.rmw.pairs().find(|&(read, write)| one.source.rf.contains(write, read));
        assert_eq!(own, None);
    }
}

/// Loops, branches, computed addresses and every function are compiled; a loop that is cut off is
/// said.
#[test]
fn whole_programs_are_compiled() {
    let spin = "C spin\n{ x=0; y=0; }\nP0 (int* x, atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_release);\n}\n\
        P1 (int* x, atomic_int* y) {\n  while (atomic_load_explicit(y, memory_order_acquire) == 0) { }\n  int r1 = *x;\n}\n\
        exists (1:r1=0)\n";
    let broken = asked(&riscv(&[("R.ACQ", "lw")]), spin);
    assert_eq!(broken.answer, ProgramVerdict::Counterexample);
    // Both models forbid no less when a loop waits longer.
    let right = asked(&riscv(&[]), spin);
    assert_eq!((right.answer, right.turns), (ProgramVerdict::TargetForbids, None));
    let ptx = shipped("rc11-to-ptx-descoped");
    let right = asked(&ptx, spin);
    assert_eq!((right.answer, right.turns), (ProgramVerdict::TargetForbids, None));

    let other = "C other\n{ x=0; y=0; }\nP0 (int* x, atomic_int* y) {\n  *x = 1;\n  \
        int r0 = atomic_fetch_add_explicit(y, 2, memory_order_release);\n}\n\
        P1 (int* x, atomic_int* y) {\n  int r0 = atomic_fetch_or_explicit(y, 1, memory_order_acquire) & 2;\n  int r1 = 7;\n  \
        if (r0 == 0) { r1 = 8; } else { r1 = *x; }\n}\nexists (1:r1=0)\n";
    assert_eq!(answer(&riscv(&[("RMW.ACQ", "amoswap")]), other), ProgramVerdict::Counterexample);
    assert_eq!(answer(&riscv(&[]), other), ProgramVerdict::TargetForbids);
}

/// A compare-exchange has the row of its success and the row of its failure, by its pair of orders.
/// Without the row of the failure nobody knows what it becomes, unless the outcome is there without
/// a failure.
#[test]
fn a_compare_exchange_needs_its_rows() {
    let failing = "C cas\n{ x=0; y=0; }\nP0 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_seq_cst);\n  \
        int e = 7;\n  atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_seq_cst, memory_order_seq_cst);\n}\n\
        P1 (atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(y, 1, memory_order_seq_cst);\n  \
        int r1 = atomic_load_explicit(x, memory_order_seq_cst);\n}\nexists (0:e=0 /\\ 1:r1=0)\n";
    let refused = ask(&riscv(&[]), &test(failing), None).err();
    assert_eq!(refused, Some(Refusal::NoRow(vec!["CAS_FAIL.SC".to_owned()])));
    assert_eq!(answer(&riscv(&[("CAS_FAIL.SC", "lw")]), failing), ProgramVerdict::Counterexample);
    assert_eq!(
        answer(&riscv(&[("CAS_FAIL.SC", "fence.rw_rw ; lw ; fence.r_rw")]), failing),
        ProgramVerdict::TargetForbids
    );

    let succeeding =
        failing.replace("int e = 7", "int e = 0").replace("1:r1=0)", "1:r1=0 /\\ y=1)");
    let refused = ask(&riscv(&[]), &test(&succeeding), None).err();
    assert_eq!(refused, Some(Refusal::NoRow(vec!["CAS_FAIL.SC".to_owned()])));
    // It succeeds, the compiled program has the outcome, and what a failure becomes does not
    // matter.
    assert_eq!(
        answer(&riscv(&[("CAS.SC", "amoswap")]), &succeeding),
        ProgramVerdict::Counterexample
    );
    assert_eq!(
        answer(&riscv(&[("CAS.SC", "amoswap"), ("CAS_FAIL.SC", "lw")]), &succeeding),
        ProgramVerdict::Counterexample
    );
}

/// A table that has rows for compare-exchanges, of which it does not say what they become, is not
/// asked what its other read-modify-writes become.
#[test]
fn a_compare_exchange_without_instructions_is_no_other_operation() {
    let succeeding = "C mp\n{ x=0; y=0; }\nP0 (int* x, atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_release);\n}\n\
        P1 (int* x, atomic_int* y) {\n  int e = 1;\n  \
        int r0 = atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_acquire, memory_order_acquire);\n  int r1 = 7;\n  \
        if (r0) { r1 = *x; }\n}\nexists (1:r0=1 /\\ 1:r1=0)\n";
    let table = |atom: &str, row: &str| {
        let text = shipped("rc11-to-ptx-descoped").file.text.replace("atom.acquire.sys", atom);
        read(&format!("{text}\n{row}\n")).unwrap_or_else(|e| panic!("{row}: {e:?}"))
    };
    for (row, atom) in [
        ("CAS.ACQ.t => absent", "atom.relaxed.sys"),
        ("CAS.ACQ => other \"a lock\"", "atom.acquire.sys"),
        ("CAS.ACQ => atom.relaxed.sys [assumed]", "atom.acquire.sys"),
    ] {
        let refused = ask(&table(atom, row).known_only(), &test(succeeding), None).err();
        assert!(
            matches!(&refused, Some(Refusal::NoRow(heads)) if heads[0].starts_with("CAS.ACQ")),
            "{row}: {refused:?}"
        );
    }
    assert_eq!(answer(&table("atom.relaxed.sys", ""), succeeding), ProgramVerdict::Counterexample);
    assert_eq!(answer(&table("atom.acquire.sys", ""), succeeding), ProgramVerdict::TargetForbids);
    assert_eq!(
        answer(&table("atom.acquire.sys", "CAS.ACQ => atom.relaxed.sys"), succeeding),
        ProgramVerdict::Counterexample
    );
}

/// A table that ships, with another row.
fn with_row(name: &str, head: &str, body: &str) -> Mapping {
    let shipped = shipped(name);
    let line = |line: &str| {
        if line.split_whitespace().next() == Some(head) {
            format!("{head} => {body}\n")
        } else {
            format!("{line}\n")
        }
    };
    let text: String = shipped.file.text.lines().map(line).collect();
    read(&text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A read that goes back in coherence order, of loads that write back what they read. No execution
/// of the target that is forbidden by one axiom alone has it, and without any axiom what is written
/// back may come from nowhere: the answer is that the target forbids it all the same.
#[test]
fn what_loads_write_back_comes_from_somewhere() {
    let backwards = "C back\n{ x=0; y=0; }\nP0 (atomic_int* x) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\n\
        P1 (atomic_int* x) {\n  int r0 = atomic_load_explicit(x, memory_order_relaxed);\n  \
        int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\nexists (1:r0=1 /\\ 1:r1=0)\n";
    for (target, row) in [
        ("x86", "lock_xchg"),
        ("x86", "load or lock_xchg"),
        ("ptx-6.0", "atom.relaxed.sys"),
        ("riscv", "amoswap"),
    ] {
        let table = if target == "ptx-6.0" {
            "rc11-to-ptx-descoped".to_owned()
        } else {
            format!("rc11-to-{target}")
        };
        let (mapping, text) = (with_row(&table, "R.RLX", row), format!("{table}, {row}"));
        let one = asked(&mapping, backwards);
        assert_eq!(one.answer, ProgramVerdict::TargetForbids, "{text}");
        // What is shown has the outcome, in the source as well.
        let reads: Vec<i64> = one
            .source
            .rf
            .pairs()
            .map(|(write, _)| one.source.events[write.index()].value.unwrap_or(0))
            .collect();
        assert_eq!(reads.len(), 2, "{text}");
        assert_eq!(reads.iter().sum::<i64>(), 1, "{text}");
    }
}

/// A source model without scopes says nothing of where threads run: they may run anywhere, as in
/// the search.
#[test]
fn threads_of_a_model_without_scopes_run_anywhere() {
    let text = |placed: [&str; 2]| {
        format!(
            "C swap\n{{ x=0; }}\nP0{} (atomic_int* x) {{\n  int r0 = atomic_exchange_explicit(x, 1, memory_order_relaxed);\n}}\n\
             P1{} (atomic_int* x) {{\n  atomic_store_explicit(x, 2, memory_order_relaxed);\n}}\nexists (0:r0=2 /\\ x=2)\n",
            placed[0], placed[1]
        )
    };
    let table =
        |scope: &str| with_row("rc11-to-ptx-descoped", "RMW.RLX", &format!("atom.relaxed.{scope}"));
    let [nowhere, one_gpu, two_gpus, one_cta] = [
        ["", ""],
        ["@wg 0,dev 0", "@wg 1,dev 0"],
        ["@wg 0,dev 0", "@wg 0,dev 1"],
        ["@wg 0,dev 0", "@wg 0,dev 0"],
    ]
    .map(text);
    let (bug, none) = (ProgramVerdict::Counterexample, ProgramVerdict::TargetForbids);
    for (scope, text, answer, elsewhere, anywhere) in [
        ("sys", &nowhere, none, false, false),
        ("gpu", &nowhere, bug, true, true),
        ("gpu", &one_gpu, none, false, false),
        ("gpu", &two_gpus, bug, false, false),
        ("cta", &nowhere, bug, false, true),
        ("cta", &one_cta, none, false, false),
    ] {
        let one = asked(&table(scope), text);
        assert_eq!(
            (one.answer, one.elsewhere, one.anywhere),
            (answer, elsewhere, anywhere),
            "{scope}\n{text}"
        );
        let target = one.target.expect("it has a test").to_string();
        let said = Runner::new(&table(scope).target)
            .run(&test(&target), &Options::default(), Choice::Both)
            .expect("it can be run");
        assert_eq!(said.reachable, answer == bug, "{target}");
    }
}

/// Six threads have 2,471 ways to run in blocks of several GPUs, which only matter where a row of
/// the program names both. Of eight only the way is tried in which each is alone: it shows what
/// goes wrong, and not that nothing does.
#[test]
fn many_threads_run_anywhere() {
    let text = |threads: u8, condition: &str| -> String {
        let load = |register: u8| {
            format!("  int r{register} = atomic_load_explicit(x, memory_order_relaxed);\n")
        };
        let reader = |t: u8| {
            format!(
                "P{t} (atomic_int* x) {{\n{}{}}}\n",
                load(0),
                if t == 2 { load(1) } else { String::new() }
            )
        };
        let readers: String = (2..threads).map(reader).collect();
        format!(
            "C many\n{{ x=0; }}\nP0 (atomic_int* x) {{\n  int r0 = atomic_exchange_explicit(x, 1, memory_order_relaxed);\n}}\n\
             P1 (atomic_int* x) {{\n  atomic_store_explicit(x, 2, memory_order_relaxed);\n}}\n{readers}exists ({condition})\n"
        )
    };
    let (lost, never) = ("0:r0=2 /\\ x=2", "2:r0=2 /\\ 2:r1=0");
    let two_scopes =
        with_row("rc11-to-ptx-descoped", "RMW.RLX", "atom.relaxed.gpu or atom.relaxed.cta");
    let wide = with_row("rc11-to-ptx-descoped", "RMW.RLX", "atom.relaxed.sys");
    assert_eq!(answer(&two_scopes, &text(6, never)), ProgramVerdict::TargetForbids);
    for threads in [6, 8] {
        assert_eq!(
            answer(&two_scopes, &text(threads, lost)),
            ProgramVerdict::Counterexample,
            "{threads}"
        );
        assert_eq!(answer(&wide, &text(threads, lost)), ProgramVerdict::TargetForbids);
    }
    // Ten threads have 115,975 ways to run on several GPUs.
    let narrow = with_row("rc11-to-ptx-descoped", "RMW.RLX", "atom.relaxed.gpu");
    let one = asked(&narrow, &text(10, lost));
    assert_eq!((one.answer, one.elsewhere), (ProgramVerdict::Counterexample, true));
    let refused = ask(&two_scopes, &test(&text(8, never)), None);
    assert!(matches!(refused, Err(Refusal::TooMany(what)) if what.starts_with("to place")));
}

/// The operations of random programs: as C, and as PTX with the orders of a row.
#[derive(Debug, Clone)]
enum Op {
    Load(char, &'static str),
    Store(char, u8, &'static str),
    Exchange(char, u8, &'static str),
    Add(char, u8, &'static str),
    Compare(char, u8, u8, &'static str),
    Fence(&'static str),
}

/// A thread: operations, of which those behind the first load may be under a condition on what it
/// read.
#[derive(Debug, Clone)]
struct Thread {
    ops: Vec<Op>,
    guarded: bool,
}

const ROWS: [(&str, &[&str]); 11] = [
    ("R.RLX", &["ld.relaxed.sys"]),
    ("R.ACQ", &["ld.acquire.sys", "ld.relaxed.sys", "ld.relaxed.sys ; fence.acq_rel.sys"]),
    ("R.SC", &["fence.sc.sys ; ld.acquire.sys", "ld.acquire.sys", "ld.relaxed.sys"]),
    ("W.RLX", &["st.relaxed.sys"]),
    ("W.REL", &["st.release.sys", "st.relaxed.sys", "fence.acq_rel.sys ; st.relaxed.sys"]),
    ("W.SC", &["fence.sc.sys ; st.release.sys", "st.release.sys"]),
    ("RMW.RLX", &["atom.relaxed.sys"]),
    ("RMW.ACQ", &["atom.acquire.sys", "atom.relaxed.sys"]),
    ("RMW.REL", &["atom.release.sys", "atom.relaxed.sys"]),
    ("RMW.ACQ_REL", &["atom.acq_rel.sys", "atom.release.sys"]),
    ("RMW.SC", &["fence.sc.sys ; atom.acq_rel.sys", "atom.acq_rel.sys", "atom.relaxed.sys"]),
];

/// What each row emits: several alternatives now and then.
type Rows = Vec<(&'static str, Vec<&'static str>)>;

fn rows() -> impl Strategy<Value = Rows> {
    let one = |(head, bodies): (&'static str, &'static [&'static str])| {
        proptest::sample::subsequence(bodies.to_vec(), 1..=bodies.len().min(2))
            .prop_map(move |chosen| (head, chosen))
    };
    let fences = [
        ("F.ACQ", &["fence.acq_rel.sys"][..]),
        ("F.REL", &["fence.acq_rel.sys"]),
        ("F.ACQ_REL", &["fence.acq_rel.sys"]),
    ];
    let sc = ("F.SC", &["fence.sc.sys", "fence.acq_rel.sys"][..]);
    ROWS.into_iter().chain(fences).chain([sc]).map(one).collect::<Vec<_>>()
}

fn mapping(rows: &Rows) -> Mapping {
    let of = |name: &str| {
        rows.iter()
            .find(|(head, _)| *head == name)
            .map(|(_, bodies)| bodies.join(" or "))
            .expect("a row")
    };
    let mut text =
        "mapping \"m\" from rc11 to ptx-6.0\nR.NA => ld.weak\nW.NA => st.weak\n".to_owned();
    for (head, bodies) in rows {
        text += &format!("{head} => {}\n", bodies.join(" or "));
    }
    // A compare-exchange is one instruction, whether it succeeds or not.
    for (failure, success) in [("RLX", "RLX"), ("ACQ", "ACQ"), ("SC", "SC")] {
        text += &format!("CAS_FAIL.{failure} => {}\n", of(&format!("RMW.{success}")));
    }
    read(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn order(tag: &str) -> &'static str {
    match tag {
        "RLX" => "relaxed",
        "ACQ" => "acquire",
        "REL" => "release",
        "ACQ_REL" => "acq_rel",
        _ => "seq_cst",
    }
}

impl Op {
    fn c(&self, register: usize) -> String {
        match self {
            Op::Load(x, o) => {
                format!("int r{register} = atomic_load_explicit({x}, memory_order_{});", order(o))
            }
            Op::Store(x, v, o) => {
                format!("atomic_store_explicit({x}, {v}, memory_order_{});", order(o))
            }
            Op::Exchange(x, v, o) => {
                format!(
                    "int r{register} = atomic_exchange_explicit({x}, {v}, memory_order_{});",
                    order(o)
                )
            }
            Op::Add(x, v, o) => format!(
                "int r{register} = atomic_fetch_add_explicit({x}, {v}, memory_order_{});",
                order(o)
            ),
            Op::Compare(x, e, v, o) => format!(
                "int r{register} = {e}; atomic_compare_exchange_strong_explicit({x}, &r{register}, {v}, memory_order_{0}, memory_order_{0});",
                order(o)
            ),
            Op::Fence(o) => format!("atomic_thread_fence(memory_order_{});", order(o)),
        }
    }

    fn head(&self) -> String {
        match self {
            Op::Load(_, o) => format!("R.{o}"),
            Op::Store(_, _, o) => format!("W.{o}"),
            Op::Exchange(_, _, o) | Op::Add(_, _, o) | Op::Compare(_, _, _, o) => {
                format!("RMW.{o}")
            }
            Op::Fence(o) => format!("F.{o}"),
        }
    }

    /// The instructions of a right-hand side with this operation's operands.
    fn ptx(&self, body: &str, register: usize) -> Vec<String> {
        let of = |instruction: &str| match (instruction.split('.').next(), self) {
            (Some("ld"), Op::Load(x, _)) => format!("{instruction} r{register}, {x}"),
            (Some("st"), Op::Store(x, v, _)) => format!("{instruction} {x}, {v}"),
            (Some("atom"), Op::Exchange(x, v, _)) => {
                format!("{instruction}.exch r{register}, {x}, {v}")
            }
            (Some("atom"), Op::Add(x, v, _)) => format!("{instruction}.add r{register}, {x}, {v}"),
            (Some("atom"), Op::Compare(x, e, v, _)) => {
                format!("{instruction}.cas r{register}, {x}, {e}, {v}")
            }
            _ => instruction.to_owned(),
        };
        body.split(" ; ").map(of).collect()
    }

    fn reads(&self) -> bool {
        !matches!(self, Op::Store(..) | Op::Fence(_))
    }
}

fn c_text(threads: &[Thread], condition: &str) -> String {
    let mut text = "C random\n{ x=0; y=0; z=0; }\n".to_owned();
    for (t, thread) in threads.iter().enumerate() {
        text += &format!("P{t} (atomic_int* x, atomic_int* y, atomic_int* z) {{\n");
        let guard = thread.guard();
        for (i, op) in thread.ops.iter().enumerate() {
            text += &format!("  {}\n", op.c(i));
            if Some(i) == guard {
                text += &format!("  if (r{i} == 1) {{\n");
            }
        }
        text += if guard.is_some() { "  }\n}\n" } else { "}\n" };
    }
    text + condition
}

impl Thread {
    /// The load that the rest is under a condition on.
    fn guard(&self) -> Option<usize> {
        let first = self.ops.iter().position(|op| matches!(op, Op::Load(..)))?;
        (self.guarded && first + 1 < self.ops.len()).then_some(first)
    }
}

/// The program as PTX, one text for each mixture of alternatives.
fn ptx_texts(threads: &[Thread], rows: &Rows, condition: &str) -> Vec<String> {
    let mut mixtures: Vec<Vec<&str>> = vec![Vec::new()];
    for op in threads.iter().flat_map(|t| &t.ops) {
        let bodies = &rows.iter().find(|(head, _)| *head == op.head()).expect("a row").1;
        mixtures = mixtures
            .iter()
            .flat_map(|m| bodies.iter().map(|b| [m.as_slice(), &[*b]].concat()))
            .collect();
    }
    mixtures.iter().map(|bodies| ptx_text(threads, bodies, condition)).collect()
}

fn ptx_text(threads: &[Thread], bodies: &[&str], condition: &str) -> String {
    let mut bodies = bodies.iter();
    let mut columns: Vec<Vec<String>> = Vec::new();
    for thread in threads {
        let mut column = Vec::new();
        for (i, op) in thread.ops.iter().enumerate() {
            column.extend(op.ptx(bodies.next().expect("a body"), i));
            if Some(i) == thread.guard() {
                column.push(format!("bne r{i}, 1, END"));
            }
        }
        column.push("END:".to_owned());
        columns.push(column);
    }
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let registers: String = threads
        .iter()
        .enumerate()
        .flat_map(|(t, thread)| {
            thread
                .ops
                .iter()
                .enumerate()
                .filter(|(_, op)| op.reads())
                .map(move |(i, _)| format!(" P{t}:r{i}=0;"))
        })
        .collect();
    let mut text = format!("PTX random\n{{ x=0; y=0; z=0;{registers} }}\n");
    let names: Vec<String> = (0..threads.len()).map(|t| format!(" P{t}@cta {t},gpu 0 ")).collect();
    text += &format!("{};\n", names.join("|"));
    for line in 0..height {
        let cells: Vec<String> = columns
            .iter()
            .map(|c| format!(" {} ", c.get(line).map_or("", String::as_str)))
            .collect();
        text += &format!("{};\n", cells.join("|"));
    }
    let condition = (0..threads.len())
        .fold(condition.to_owned(), |c, t| c.replace(&format!("{t}:r"), &format!("P{t}:r")));
    text + &condition
}

fn operation() -> impl Strategy<Value = Op> {
    let location = || select(vec!['x', 'y']);
    let any = || select(vec!["RLX", "ACQ", "REL", "ACQ_REL", "SC"]);
    prop_oneof![
        2 => (location(), select(vec!["RLX", "ACQ", "SC"])).prop_map(|(x, o)| Op::Load(x, o)),
        2 => (location(), 1..=2_u8, select(vec!["RLX", "REL", "SC"])).prop_map(|(x, v, o)| Op::Store(x, v, o)),
        2 => (select(vec!['z']), 1..=2_u8, any()).prop_map(|(x, v, o)| Op::Exchange(x, v, o)),
        1 => (select(vec!['x', 'y', 'z']), 1..=2_u8, any()).prop_map(|(x, v, o)| Op::Add(x, v, o)),
        2 => (select(vec!['y', 'z']), 0..=1_u8, 1..=2_u8, select(vec!["RLX", "ACQ", "SC"]))
            .prop_map(|(x, e, v, o)| Op::Compare(x, e, v, o)),
        1 => select(vec!["ACQ", "REL", "ACQ_REL", "SC"]).prop_map(Op::Fence),
    ]
}

/// Message passing or store buffering, with orders that are often enough; now and then a flag is
/// set or read by another operation.
fn shape() -> impl Strategy<Value = [Vec<Op>; 2]> {
    let strong = |orders: [&'static str; 4]| select(orders.to_vec());
    let set = prop_oneof![
        3 => strong(["REL", "REL", "SC", "RLX"]).prop_map(|o| Op::Store('y', 1, o)),
        1 => strong(["REL", "ACQ_REL", "SC", "RLX"]).prop_map(|o| Op::Exchange('y', 1, o)),
        1 => strong(["REL", "ACQ_REL", "SC", "RLX"]).prop_map(|o| Op::Add('y', 1, o)),
    ];
    let look = prop_oneof![
        3 => strong(["ACQ", "ACQ", "SC", "RLX"]).prop_map(|o| Op::Load('y', o)),
        1 => strong(["ACQ", "ACQ", "SC", "RLX"]).prop_map(|o| Op::Compare('y', 2, 1, o)),
        1 => strong(["ACQ", "ACQ_REL", "SC", "RLX"]).prop_map(|o| Op::Add('y', 1, o)),
    ];
    let passing = (set, look).prop_map(|(set, look)| {
        [vec![Op::Store('x', 1, "RLX"), set], vec![look, Op::Load('x', "RLX")]]
    });
    let sc = || select(vec!["SC", "SC", "SC", "RLX"]);
    let buffering = (sc(), sc(), sc(), sc()).prop_map(|(a, b, c, d)| {
        [vec![Op::Store('x', 1, a), Op::Load('y', b)], vec![Op::Store('y', 1, c), Op::Load('x', d)]]
    });
    prop_oneof![passing, buffering]
}

/// A shape with operations between its own.
fn threads() -> impl Strategy<Value = Vec<Thread>> {
    let extra = || proptest::option::of((operation(), 0..=2_usize));
    (shape(), [extra(), extra()], any::<[bool; 2]>()).prop_map(|(shape, extra, guarded)| {
        let threads = shape.into_iter().zip(extra).zip(guarded);
        threads
            .map(|((mut ops, extra), guarded)| {
                if let Some((op, at)) = extra {
                    ops.insert(at, op);
                }
                Thread { ops, guarded }
            })
            .collect()
    })
}

/// What is asked: values of some registers and locations, mostly the weak outcome of a shape.
fn condition(threads: &[Thread]) -> BoxedStrategy<String> {
    let mut variables: Vec<String> = vec!["x".to_owned(), "y".to_owned(), "z".to_owned()];
    // The last load of each thread returned 0, and whoever looks at the flag first has seen it.
    let mut weak: Vec<String> = Vec::new();
    for (t, thread) in threads.iter().enumerate() {
        variables.extend(
            (0..thread.ops.len()).filter(|&i| thread.ops[i].reads()).map(|i| format!("{t}:r{i}")),
        );
        let loads = |x: char| {
            thread.ops.iter().position(
                |op| matches!(op, Op::Load(l, _) | Op::Add(l, ..) | Op::Compare(l, ..) if *l == x),
            )
        };
        if matches!(thread.ops.last(), Some(Op::Load(..))) {
            weak.push(format!("{t}:r{}=0", thread.ops.len() - 1));
        }
        if let (1, Some(i)) = (t, loads('y').filter(|&i| i + 1 < thread.ops.len())) {
            weak.push(format!("{t}:r{i}=1"));
        }
    }
    let weak = weak.iter().map(|atom| format!("({atom})")).collect::<Vec<_>>().join(" /\\ ");
    let atom = (select(variables), 0..=2_u8).prop_map(|(name, v)| format!("{name}={v}"));
    let parts =
        proptest::collection::vec((atom, select(vec!["/\\", "/\\", "\\/"]), any::<bool>()), 1..=3);
    let some = parts.prop_map(|parts| {
        let mut text = String::new();
        for (i, (atom, operator, negated)) in parts.iter().enumerate() {
            let atom = if *negated { format!("~({atom})") } else { format!("({atom})") };
            text = if i == 0 { atom } else { format!("({text} {operator} {atom})") };
        }
        text
    });
    let asked = if weak.is_empty() {
        some.boxed()
    } else {
        prop_oneof![4 => Just(weak), 1 => some].boxed()
    };
    (0..3_usize, asked)
        .prop_map(|(quantifier, asked)| match quantifier {
            0 => format!("exists ({asked})\n"),
            1 => format!("~exists ({asked})\n"),
            _ => format!("forall (~({asked}))\n"),
        })
        .boxed()
}

fn case() -> impl Strategy<Value = (Vec<Thread>, Rows, String)> {
    (threads(), rows())
        .prop_flat_map(|(threads, rows)| (Just(threads.clone()), Just(rows), condition(&threads)))
}

/// The right answer, by running texts; `None` if no execution has the outcome.
fn expected(mapping: &Mapping, source: &str, targets: &[String]) -> Option<ProgramVerdict> {
    let options = Options::default();
    let said = Runner::new(&mapping.source)
        .run(&test(source), &options, Choice::Auto)
        .expect("it can be run");
    let mut anything = mapping.target.clone();
    anything.checks.clear();
    let (mut runner, mut anything) = (Runner::new(&mapping.target), Runner::new(&anything));
    let reaches = |runner: &mut Runner| {
        targets.iter().any(|t| {
            runner
                .run(&test(t), &options, Choice::Auto)
                .unwrap_or_else(|e| panic!("{e}\n{t}"))
                .reachable
        })
    };
    match () {
        () if !reaches(&mut anything) => None,
        () if said.racy == Some(true) => Some(ProgramVerdict::Races),
        () if said.reachable => Some(ProgramVerdict::SourceAllows),
        () if reaches(&mut runner) => Some(ProgramVerdict::Counterexample),
        () => Some(ProgramVerdict::TargetForbids),
    }
}

/// The answer of the question and of running texts; `None` if there are too many mixtures.
fn both(
    (threads, rows, condition): &(Vec<Thread>, Rows, String),
) -> Option<[Option<ProgramVerdict>; 2]> {
    let mapping = mapping(rows);
    let source = c_text(threads, condition);
    let targets = ptx_texts(threads, rows, condition);
    if targets.len() > 16 {
        return None;
    }
    let found = match ask(&mapping, &test(&source), None) {
        Ok(one) => Some(one.answer),
        Err(Refusal::NoExecution(None)) => None,
        Err(refusal) => panic!("{refusal:?}\n{source}"),
    };
    let wanted = expected(&mapping, &source, &targets);
    assert_eq!(found, wanted, "{mapping}\n{source}\n{}", targets[0]);
    Some([found, wanted])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_answer_is_that_of_running_what_somebody_compiled(case in case()) {
        both(&case);
    }
}

/// The programs above are of all kinds.
#[test]
fn random_programs_have_every_answer() {
    let mut runner = TestRunner::deterministic();
    let strategy = case();
    let mut seen = Vec::new();
    for _ in 0..200 {
        let case = strategy.new_tree(&mut runner).expect("a case").current();
        seen.extend(both(&case).map(|[found, _]| found));
    }
    let of = |answer: Option<ProgramVerdict>| seen.iter().filter(|&&a| a == answer).count();
    let counts = [
        ProgramVerdict::Counterexample,
        ProgramVerdict::SourceAllows,
        ProgramVerdict::TargetForbids,
    ]
    .map(|a| of(Some(a)));
    assert!(counts.iter().all(|&n| n > 1) && of(None) > 1, "{counts:?}");
}
