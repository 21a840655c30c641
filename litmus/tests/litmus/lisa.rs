//! LISA, herd7's generic assembly: its instructions, what its annotations are to models, and what
//! is refused.

use margay_litmus::explicit::{Options, run};
use margay_litmus::read;
use margay_models::Model;
use margay_models::diagnostic::SourceFile;

use crate::shipped;

/// Is the outcome of a test reachable?
fn reachable(text: &str, model: &Model) -> bool {
    let test = read::test(&SourceFile::new("t.litmus", text))
        .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
        .test;
    run(&test, model, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}")).reachable
}

/// A test of threads in columns.
fn lisa(state: &str, rows: &str, condition: &str) -> String {
    format!("LISA t\n{{ {state} }}\n{rows}\nexists ({condition})\n")
}

/// One thread, its instructions with `;` between them.
fn one(code: &str, condition: &str) -> String {
    let rows: String = code.split(';').map(|line| format!(" {line} ;\n")).collect();
    lisa("x=3; y=0;", &format!(" P0 ;\n{rows}"), condition)
}

/// What herd7's semantics of these instructions says (herd/BellSem.ml): an operation that names the
/// register that is read into computes from the value that was read; another one does not.
#[test]
fn instructions_mean_what_they_mean_in_herd7() {
    let sc = shipped::model("sc");
    for (code, condition) in [
        ("rmw[] r1 (add r1 1) x", "0:r1=3 /\\ x=4"),
        ("rmw[] r1 (add 1 r1) x", "0:r1=3 /\\ x=4"),
        ("mov r2 5;rmw[] r1 (add r1 r2) x", "0:r1=3 /\\ x=8"),
        ("mov r2 5;rmw[] r1 (add r2 2) x", "0:r1=3 /\\ x=7"),
        ("rmw[] r1 (xor r1 1) x", "0:r1=3 /\\ x=2"),
        ("rmw[] r1 (and r1 1) x", "0:r1=3 /\\ x=1"),
        ("mov r1 9;rmw[] r1 r1 x", "0:r1=3 /\\ x=3"),
        ("mov r1 9;rmw[] r1 (xor r1 r1) x", "0:r1=3 /\\ x=0"),
        ("mov r1 9;rmw[] r1 (and r1 r1) x", "0:r1=3 /\\ x=3"),
        ("rmw[] r1 7 x", "0:r1=3 /\\ x=7"),
        ("mov r2 3;rmw[] r1 (eq r2 3) x", "0:r1=3 /\\ x=1"),
        ("mov r2 3;mov r3 (eq r2 3);mov r4 (neq r2 3)", "0:r3=1 /\\ 0:r4=0"),
        ("mov r2 x;r[] r1 r2", "0:r1=3"),
        ("r r1 x;w y r1;f", "y=3"),
        ("mov r2 1;b[] r2 L;w[] y 1;L:w[] x 1", "y=0 /\\ x=1"),
        ("mov r2 0;b[] r2 L;w[] y 1;L:w[] x 1", "y=1 /\\ x=1"),
        ("b[] L;w[] y 1;L:w[] x 1", "y=0 /\\ x=1"),
        ("mov r2 0;r[] r1 x+r2;w[] y+r2 r1", "y=3"),
    ] {
        assert!(reachable(&one(code, condition), &sc), "{code}");
        let other = format!("~({condition})");
        assert!(!reachable(&one(code, &other), &sc), "{code}");
    }
}

/// What is not declared is a location where an address stands, also where a register takes it.
#[test]
fn locations_need_no_declaration() {
    let sc = shipped::model("sc");
    let text =
        "LISA t\n{ }\n P0 ;\n mov r1 x ;\n w[] r1 3 ;\n r[] r2 z ;\nexists (x=3 /\\ 0:r2=0)\n";
    assert!(reachable(text, &sc));
}

#[test]
fn what_cannot_be_said_is_refused() {
    for (code, why) in [
        ("rmw[] r1 (add r1 r1) x", "double"),
        ("r[unknown] r1 x", "`unknown` is not known behind `r[`"),
        ("mov r1 (sub r1 1)", "is not read"),
        ("f[mb] {a}{b}", "is not read"),
        ("call[sync]", "calls are not read"),
    ] {
        let errors = read::test(&SourceFile::new("t.litmus", one(code, "x=3"))).expect_err(code);
        assert!(errors[0].message.contains(why), "{code}: {}", errors[0]);
    }
}

/// A model of herd7's for LISA, whose sets are the annotations of tests.
fn of_herd7(text: &str) -> Model {
    let source =
        SourceFile::new("herd7:m.cat", format!("\"of the kernel\"\ninclude \"cos.cat\"\n{text}"));
    let loaded = Model::parse(source, &margay_models::typing::OnlyBuiltIn)
        .unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let signature =
        margay_models::signature::Architecture::built_in("lisa").expect("it is built in");
    loaded.model.of_tests(signature).expect("it is read for LISA").clone()
}

/// Message passing: each annotation and each dependency counts by itself.
#[test]
fn annotations_are_the_models_sets() {
    let model = of_herd7(
        "let w = [W]; po; [Wmb]; po; [W] | po; [Release] let r = [R]; po; [Rmb]; po; [R] | [Acquire]; po | addr | (ctrl & (_ * W))\n\
         acyclic po-loc | rf | co | fr\nempty rmw & (fre; coe)\nacyclic w | r | po; [Mb]; po | rfe | fre | coe as hb",
    );
    let mp = |first: &str, fence: &str, read: &str, between: &str, last: &str| {
        let rows = format!(
            " P0 | P1 ;\n w[once] x 1 | {read} r1 y ;\n {fence} | {between} ;\n {first} y 1 | r[once] r2 {last} ;\n"
        );
        reachable(&lisa("x=0; y=0;", &rows, "1:r1=1 /\\ 1:r2=0"), &model)
    };
    let nothing = "mov r9 0";
    assert!(mp("w[once]", nothing, "r[once]", nothing, "x"));
    for (first, fence) in [("w[once]", "f[wmb]"), ("w[once]", "f[mb]"), ("w[release]", nothing)] {
        assert!(
            mp(first, fence, "r[once]", nothing, "x") && mp(first, fence, "r[once]", "f[wmb]", "x")
        );
        assert!(!mp(first, fence, "r[acquire]", nothing, "x"));
        assert!(
            !mp(first, fence, "r[once]", "f[rmb]", "x")
                && !mp(first, fence, "r[once]", "f[mb]", "x")
        );
        assert!(!mp(first, fence, "r[once]", "mov r3 (xor r1 r1)", "x+r3"));
    }
    assert!(
        mp("w[once]", "f[rmb]", "r[acquire]", nothing, "x")
            && mp("w[once]", "f", "r[acquire]", nothing, "x")
    );
    // Load buffering behind branches, and an exchange that acquires.
    let branches = " P0 | P1 ;\n r[] r1 x | r[] r1 y ;\n b[] r1 L | b[] r1 M ;\n b[] E | b[] F ;\n L: w[] y 1 | M: w[] x 1 ;\n E: | F: ;\n";
    assert!(!reachable(&lisa("x=0; y=0;", branches, "0:r1=1 /\\ 1:r1=1"), &model));
    let exchange = " P0 | P1 ;\n w[once] x 1 | rmw[acquire] r1 2 y ;\n f[wmb] | r[once] r2 x ;\n w[once] y 1 | ;\n";
    assert!(!reachable(&lisa("x=0; y=0;", exchange, "1:r1=1 /\\ 1:r2=0"), &model));
    assert!(reachable(
        &lisa("x=0; y=0;", &exchange.replace("[acquire]", "[once]"), "1:r1=1 /\\ 1:r2=0"),
        &model
    ));
}
