//! Operands of C are not sequenced: what is found of every order in which their accesses may be done.

use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_models::library;

fn said(text: &str, model: &str) -> String {
    let test = read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let model = library::load(model, &[]).unwrap().model;
    let verdict = Runner::new(&model).run(&test, &Options::default(), Choice::Both).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Expected::from(&verdict).to_string()
}

/// Message passing whose reader evaluates an expression with the acquire load and the plain read.
fn reader(statement: &str) -> String {
    format!(
        "C t\n{{ x=0; y=0; z=0; }}\nP0 (atomic_int* x, int* y, atomic_int* z) {{ *y = 1; atomic_store_explicit(x, 1, memory_order_release); }}\n\
         P1 (atomic_int* x, int* y, atomic_int* z) {{\n  int r = atomic_load_explicit(x, memory_order_relaxed);\n  int t = 0;\n  \
         if (r) {{ {statement} }}\n}}\nexists (1:t=9)\n"
    )
    .replace("ACQ", "atomic_load_explicit(x, memory_order_acquire)")
}

#[test]
fn unsequenced_operands_race() {
    for statement in [
        "t = ACQ + *y;",
        "t = *y + ACQ;",
        "t = (ACQ * 2) - (*y & 3);",
        "t = ACQ == *y;",
        "atomic_store_explicit(z, ACQ + *y, memory_order_relaxed);",
        "t = atomic_fetch_add_explicit(z, ACQ + *y, memory_order_relaxed);",
        "t = atomic_exchange_explicit(z + (ACQ - 1), *y, memory_order_relaxed);",
        "if (ACQ + *y) { t = 1; }",
        "t = -(ACQ | *y);",
    ] {
        assert_eq!(said(&reader(statement), "rc11"), "forbidden,racy", "{statement}");
    }
}

#[test]
fn sequenced_operands_do_not() {
    for statement in [
        "t = ACQ && *y;",
        "t = ACQ || *y;",
        "int a = ACQ; t = a + *y;",
        "int a = ACQ, b = *y; t = a + b;",
        "if (ACQ) { t = *y; }",
        "t = (ACQ && *y) + 1;",
    ] {
        assert_eq!(said(&reader(statement), "rc11"), "forbidden,race-free", "{statement}");
    }
}

#[test]
fn both_sides_of_an_assignment_are_unsequenced() {
    let text = "C t\n{ x=0; y=0; p[2]={0,0}; }\nP0 (atomic_int* x, int* y, int* p) { *y = 1; atomic_store_explicit(x, 1, memory_order_release); }\n\
                P1 (atomic_int* x, int* y, int* p) {\n  int r = atomic_load_explicit(x, memory_order_relaxed);\n  \
                if (r) { p[atomic_load_explicit(x, memory_order_acquire)] = *y; }\n}\nexists (p[1]=2)\n";
    assert_eq!(said(text, "rc11"), "forbidden,racy");
}

/// Two calls are done in either order, and each before what it is an operand of.
#[test]
fn outcomes_of_every_order_are_found() {
    let text = |e: &str, value: i64| {
        format!(
            "C t\n{{ x=0; }}\nP0 (atomic_int* x) {{ int t = {}; }}\nexists (0:t={value})\n",
            e.replace("ADD", "atomic_fetch_add_explicit(x, 1, memory_order_relaxed)")
        )
    };
    let values = |e: &str, among: std::ops::Range<i64>| -> Vec<i64> {
        among.filter(|&value| said(&text(e, value), "c20") == "allowed,race-free").collect()
    };
    assert_eq!(values("ADD * 10 + ADD", 0..40), [1, 10]);
    assert_eq!(values("ADD * 100 + ADD * 10 + ADD", 0..220), [12, 21, 102, 120, 201, 210]);
    assert_eq!(values("atomic_fetch_add_explicit(x, ADD + 5, memory_order_relaxed)", 0..10), [1], "an operand comes first");
    assert_eq!(values("ADD && ADD", 0..3), [0], "the left side comes first, and decides");
    assert_eq!(values("(!ADD && ADD) * 10 + ADD", 0..30), [0, 12], "a short-circuit is one step");
}

#[test]
fn too_many_orders_are_refused() {
    let sum = ["atomic_load(x)"; 6].join(" + ");
    let text = format!("C t\n{{ x=0; }}\nP0 (atomic_int* x) {{\n  int t = {sum};\n}}\nexists (0:t=1)\n");
    let test = read::test(&SourceFile::new("t", text.as_str())).unwrap().test;
    let model = library::load("c20", &[]).unwrap().model;
    let error = Runner::new(&model).run(&test, &Options::default(), Choice::Auto).unwrap_err();
    assert!(error.to_string().contains("more than 120 orders"), "{error}");
}
