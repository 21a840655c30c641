//! Loops that wait by read-modify-writes which write back what they read: one round, the last,
//! shows what any number of them does.
//!
//! Held against brute force: with a model that differs from a built-in one by a comment, of which
//! nothing is argued, such loops are unrolled. What more turns reach, the one round must reach, and
//! nothing else.

use std::collections::BTreeSet;

use crate::shipped::model;
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::{Test, Variable};
use margay_litmus::unfold::UnfoldingBounds;
use margay_models::diagnostic::SourceFile;
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::FilesThenBuiltIn;
use proptest::prelude::*;
use proptest::sample::select;

fn test(text: &str) -> Test {
    read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test
}

/// The same model as a text of its own.
fn unargued(name: &str) -> Model {
    let text = format!("{}\n(* The same. *)\n", library::built_in(name).unwrap().text);
    Model::parse(SourceFile::new(format!("{name}.cat"), text), &FilesThenBuiltIn).unwrap().model
}

/// The final values of what the condition names, and whether a loop was cut off.
fn finals(text: &str, model: &Model, unroll: usize) -> (BTreeSet<Vec<i64>>, bool) {
    let test = test(text);
    let variables: Vec<Variable> =
        test.condition.proposition.variables().into_iter().cloned().collect();
    let options = Options {
        bounds: UnfoldingBounds { unroll, ..UnfoldingBounds::default() },
        ..Options::default()
    };
    let found = ExplicitRunner::new(model)
        .outcomes(&test, &variables, &options)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    (found.values, found.bounded)
}

/// Is the loop one that only waits, so that no bound is needed? Then what is reachable is what
/// turns up to a bound reach.
fn decided(text: &str, name: &str, turns: usize) -> bool {
    let (found, bounded) = finals(text, &model(name), 1);
    if bounded {
        return false;
    }
    let mut unrolled = BTreeSet::new();
    for unroll in 0..=turns {
        unrolled.extend(finals(text, &unargued(name), unroll).0);
    }
    assert_eq!(found, unrolled, "{name}\n{text}");
    true
}

fn ptx(threads: &[&[&str]], places: &str, condition: &str) -> String {
    let rows = threads.iter().map(|t| t.len()).max().unwrap_or(0);
    let row = |r: usize| {
        threads.iter().map(|t| t.get(r).copied().unwrap_or("")).collect::<Vec<_>>().join(" | ")
    };
    let rows: String = (0..rows).map(|r| format!(" {} ;\n", row(r))).collect();
    format!("PTX t\n{{ x=0; p=0; }}\n {places} ;\n{rows}exists ({condition})\n")
}

const TWO: &str = "P0@cta 0,gpu 0 | P1@cta 1,gpu 0";
const THREE: &str = "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 0,gpu 0";
const PTX: [&str; 4] = ["ptx-6.0", "ptx-6.0-any-fence", "ptx-6.0-strong-patterns", "ptx-8"];

#[test]
fn a_spin_on_an_addition_of_nothing_needs_no_bound() {
    for operation in [
        "add r0, p, 0",
        "or r0, p, 0",
        "xor r0, p, 0",
        "and r0, p, -1",
        "exch r0, p, 0",
        "cas r0, p, 0, 0",
        "cas r0, p, 1, 0",
    ] {
        let reader =
            [&format!("L: atom.acquire.gpu.{operation}")[..], "beq r0, 0, L", "ld.weak r1, x"];
        let text =
            ptx(&[&["st.weak x, 1", "st.release.gpu p, 1"], &reader], TWO, "P1:r1 == 0 /\\ p == 1");
        for name in PTX {
            assert!(decided(&text, name, 2), "{name}\n{text}");
            assert_eq!(
                finals(&text, &unargued(name), 2).1,
                !operation.contains("p, 1"),
                "only a failing exchange is a read\n{text}"
            );
        }
    }
    // What changes something is unrolled.
    for operation in ["add r0, p, 1", "exch r0, p, 2", "cas r0, p, 0, 2", "max r0, p, 1"] {
        let reader = [&format!("L: atom.acquire.gpu.{operation}")[..], "beq r0, 0, L"];
        let text = ptx(&[&["st.release.gpu p, 1"], &reader], TWO, "P1:r0 == 1 /\\ p == 1");
        assert!(finals(&text, &model("ptx-8"), 2).1, "{text}");
    }
}

/// A lock that is taken by exchanges: a round that finds it taken writes what was there, since
/// nothing else is ever written.
#[test]
fn a_lock_of_exchanges_needs_no_bound() {
    let thread = "{ while (atomicExch(lock, 1) != 0) { } __threadfence(); int r0 = *x; *x = r0 + 1; __threadfence(); atomicExch(lock, 0); }";
    let text = |other: &str| {
        format!(
            "C t\n{{ }}\nP0@wg 0,dev 0 (int* x, int* lock) {thread}\nP1@wg 1,dev 0 (int* x, int* lock) {thread}\n\
                 P2@wg 2,dev 0 (int* x, int* lock) {{ {other} }}\nexists (x = 1)\n"
        )
    };
    for name in ["rc11-scoped", "c20-scoped"] {
        let (found, bounded) = finals(&text("int r0 = 0;"), &model(name), 1);
        assert_eq!((found, bounded), (BTreeSet::from([vec![2]]), false), "{name}");
        assert!(
            finals(&text("atomicExch(lock, 2);"), &model(name), 1).1,
            "the exchange may change a 2 into a 1"
        );
    }
}

/// What nobody reads behind the loop, and the test does not ask for, is nothing that a round leaves
/// behind.
#[test]
fn what_is_not_asked_for_is_no_trace_of_a_round() {
    let text = |condition: &str| {
        let waiter = [
            "int last = 0;",
            "while (last == 0) { last = atomic_load_explicit(p, memory_order_acquire); }",
        ]
        .join(" ");
        let other = "int seen = 0; while (atomic_fetch_add_explicit(x, 0, memory_order_relaxed) == 0) { seen = atomic_load(p); }";
        format!(
            "C t\n{{ }}\nP0@wg 0,dev 0 (atomic_int* x, atomic_int* p) {{ atomic_store(p, 1); atomic_store(x, 1); }}\n\
             P1@wg 1,dev 0 (atomic_int* x, atomic_int* p) {{ {waiter} }}\nP2@wg 2,dev 0 (atomic_int* x, atomic_int* p) {{ {other} }}\n\
             exists ({condition})\n"
        )
    };
    for name in ["rc11", "c20"] {
        assert!(!finals(&text("x = 2"), &model(name), 1).1, "{name}");
        assert!(
            finals(&text("2:seen = 7"), &model(name), 1).1,
            "{name}: what was seen in the round before the last is asked for"
        );
    }
}

/// Where the accesses of others are not in the scope of the one that waits, its write stands
/// between a release and an acquire: a round before the last one makes an outcome possible, and
/// such a loop is unrolled.
#[test]
fn where_scopes_do_not_include_each_other_rounds_count() {
    let spin = |scope: &str| format!("L: atom.relaxed.{scope}.add r0, p, 0");
    let condition = "P1:r0 == 2 /\\ P2:r0 == 1 /\\ P2:r1 == 0";
    let text = |scope: &str| {
        let writer = ["st.weak x, 1", "st.release.cta p, 1", "st.relaxed.cta p, 2"];
        let waiter = [&spin(scope)[..], "bne r0, 2, L"];
        ptx(&[&writer, &waiter, &["ld.acquire.cta r0, p", "ld.weak r1, x"]], THREE, condition)
    };
    let is_found = |text: &str, unroll: usize| {
        finals(text, &model("ptx-8"), unroll).0.contains(&vec![2, 1, 0])
    };
    for scope in ["cta", "gpu"] {
        let text = text(scope);
        assert!(finals(&text, &model("ptx-8"), 1).1, "it is not called decided\n{text}");
        assert!(
            !is_found(&text, 0) && is_found(&text, 1),
            "one round before the last makes a difference\n{text}"
        );
    }
}

/// Models whose orders see a difference between a write and one that is read within a thread are
/// not among those.
#[test]
fn other_models_unroll() {
    for name in ["aarch64", "power", "ptx-2015", "rmo", "rc11-scoped-mo-atomic"] {
        let model = model(name);
        let runner = margay_litmus::engine::Runner::new(&model);
        assert!(!runner.may_skip_rewriting(), "{name}");
    }
    for name in [
        "sc",
        "tso",
        "x86",
        "ptx-6.0",
        "ptx-8",
        "rc11",
        "rc11-lb",
        "rc11-scoped",
        "c20",
        "c20-scoped",
    ] {
        let (argued, unargued) = (model(name), unargued(name));
        assert!(margay_litmus::engine::Runner::new(&argued).may_skip_rewriting(), "{name}");
        assert!(!margay_litmus::engine::Runner::new(&unargued).may_skip_rewriting(), "{name}");
        // Without the axiom that it is argued from, it is not.
        let atomicity = (0..argued.checks.len())
            .filter(|&i| argued.checks[i].name.as_deref() == Some("Atomicity"));
        let weaker = argued.choosing(&[], &atomicity.collect::<Vec<_>>());
        assert!(!margay_litmus::engine::Runner::new(&weaker).may_skip_rewriting(), "{name}");
    }
}

/// Threads around one that waits: each accesses what it waits for, and something else.
fn strong_operation() -> impl Strategy<Value = String> {
    let order = select(vec!["relaxed", "acq_rel"]);
    let store = select(vec!["relaxed", "release"]).prop_map(|o| format!("st.{o}.gpu p, 1"));
    let load = select(vec!["relaxed", "acquire"]).prop_map(|o| format!("ld.{o}.gpu r2, p"));
    let modify =
        (order, select(vec!["add r2, p, 1", "exch r2, p, 1", "add r2, p, 0", "cas r2, p, 0, 1"]));
    prop_oneof![store, load, modify.prop_map(|(o, m)| format!("atom.{o}.gpu.{m}"))]
}

fn weak_operation() -> impl Strategy<Value = String> {
    select(vec!["st.weak x, 1", "ld.weak r1, x", "fence.sc.gpu", "fence.acq_rel.gpu"])
        .prop_map(str::to_owned)
}

fn around() -> impl Strategy<Value = [String; 2]> {
    (strong_operation(), weak_operation(), any::<bool>())
        .prop_map(|(p, x, first)| if first { [p, x] } else { [x, p] })
}

/// A loop that waits for `p` by a read-modify-write, and may be left for another reason as well.
fn waiter() -> impl Strategy<Value = Vec<String>> {
    let order = select(vec!["relaxed", "acquire", "release", "acq_rel"]);
    let operation = select(vec!["add r0, p, 0", "or r0, p, 0"]);
    let before = select(vec![
        None,
        Some("st.relaxed.gpu p, 2"),
        Some("st.weak x, 2"),
        Some("atom.relaxed.gpu.add r3, p, 1"),
    ]);
    let inside = select(vec![None, Some("fence.sc.gpu"), Some("fence.acq_rel.gpu")]);
    let leave = select(vec!["beq r0, 0, L", "bne r0, 1, L", "bne r0, 2, L"]);
    let other = any::<bool>();
    let after = select(vec!["ld.weak r1, x", "st.weak x, 3", "ld.relaxed.gpu r1, p"]);
    (order, operation, before, inside, leave, other, after).prop_map(
        |(order, operation, before, inside, leave, other, after)| {
            let mut all: Vec<String> = before.map(str::to_owned).into_iter().collect();
            all.push(if other { "L: ld.relaxed.gpu r4, x" } else { "L:" }.to_owned());
            if other {
                // What was read in the last round is not seen behind the loop.
                all.extend(["mov r0, 0", "beq r4, 1, E"].map(str::to_owned));
            }
            all.push(format!("atom.{order}.gpu.{operation}"));
            all.extend(inside.map(str::to_owned));
            all.push(leave.to_owned());
            all.push(format!("E: {after}"));
            all
        },
    )
}

/// The text in the syntax of models without orders and scopes.
fn generic(text: &str) -> String {
    let plain = [".relaxed", ".acquire", ".release", ".acq_rel", ".weak", ".gpu", ".sc"];
    let text = plain.iter().fold(text.to_owned(), |text, word| text.replace(word, ""));
    text.replace("PTX t", "GENERIC t").replace("@cta 0,gpu 0", "").replace("@cta 1,gpu 0", "")
}

/// In that of the architecture x86.
fn x86(text: &str) -> String {
    let text = generic(text).replace("GENERIC t", "x86 t");
    [("ld ", "load "), ("st ", "store "), ("atom.", "lock_xchg."), ("fence", "mfence")]
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// An operation of another thread on what is waited for, or on something else, in C.
fn of_c() -> impl Strategy<Value = &'static str> {
    select(vec![
        "atomic_store_explicit(p, 1, memory_order_release);",
        "atomic_store_explicit(p, 1, memory_order_relaxed);",
        "r2 = atomic_fetch_add_explicit(p, 1, memory_order_acq_rel);",
        "r2 = atomic_fetch_add_explicit(p, 0, memory_order_relaxed);",
        "r2 = atomic_exchange_explicit(p, 1, memory_order_relaxed);",
        "r2 = atomic_load_explicit(p, memory_order_acquire);",
        "atomic_store_explicit(x, 1, memory_order_relaxed);",
        "r1 = atomic_load_explicit(x, memory_order_relaxed);",
        "atomic_store(x, 1);",
        "atomic_thread_fence(memory_order_seq_cst);",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn one_round_reaches_what_any_number_reaches(first in around(), waiter in waiter(), last in around(), three in any::<bool>()) {
        let lines = |all: &[String]| all.to_vec();
        let threads: Vec<Vec<String>> = if three { vec![lines(&first), waiter, lines(&last)] } else { vec![lines(&first), waiter] };
        let threads: Vec<Vec<&str>> = threads.iter().map(|t| t.iter().map(String::as_str).collect()).collect();
        let threads: Vec<&[&str]> = threads.iter().map(Vec::as_slice).collect();
        let more = if three { " /\\ P2:r1 == 0 /\\ P2:r2 == 0" } else { "" };
        let condition = format!("P0:r1 == 0 /\\ P0:r2 == 0 /\\ P1:r0 == 0 /\\ P1:r1 == 0 /\\ p == 0 /\\ x == 0{more}");
        let text = ptx(&threads, if three { THREE } else { TWO }, &condition);
        let registers = ["P0:r1", "P0:r2", "P1:r0", "P1:r1", "P2:r1", "P2:r2"];
        let declared: String = registers[..if three { 6 } else { 4 }].iter().map(|r| format!("{r}=0; ")).collect();
        let text = text.replace("{ ", &format!("{{ {declared}"));
        let turns = if three { 1 } else { 2 };
        for name in ["ptx-6.0", "ptx-8"] {
            prop_assert!(decided(&text, name, turns), "{text}");
        }
        for name in ["sc", "tso"] {
            prop_assert!(decided(&generic(&text), name, turns), "{}", generic(&text));
        }
        prop_assert!(decided(&x86(&text), "x86", turns), "{}", x86(&text));
    }

    #[test]
    fn one_round_reaches_what_any_number_reaches_in_c(
        (first, second) in (of_c(), of_c()),
        order in select(vec!["relaxed", "acquire", "release", "acq_rel", "seq_cst"]),
        (before, inside, after) in (of_c(), any::<bool>(), of_c()),
        last in of_c(),
    ) {
        let order = format!("memory_order_{order}");
        let inside = if inside { "atomic_thread_fence(memory_order_seq_cst);" } else { "" };
        let registers = "int r1 = 0; int r2 = 0;";
        let wait = format!("int r0 = 0; do {{ r0 = atomic_fetch_add_explicit(p, 0, {order}); {inside} }} while (r0 == 0);");
        let thread = |n: usize, body: &str| format!("P{n}@wg {n},dev 0 (atomic_int* x, atomic_int* p) {{ {registers} {body} }}\n");
        let threads = [format!("{first} {second}"), format!("{before} {wait} {after}"), last.to_owned()];
        let threads: String = threads.iter().enumerate().map(|(n, body)| thread(n, body)).collect();
        let condition = "0:r1=0 /\\ 0:r2=0 /\\ 1:r0=0 /\\ 1:r1=0 /\\ 1:r2=0 /\\ 2:r1=0 /\\ 2:r2=0 /\\ x=0 /\\ p=0";
        let text = format!("C t\n{{ }}\n{threads}exists ({condition})\n");
        for name in ["rc11", "rc11-lb", "c20", "rc11-scoped", "c20-scoped"] {
            prop_assert!(decided(&text, name, 1), "{text}");
        }
    }
}
