//! Loops and jumps of C: which statements are executed, and what depends on what.

use margay_litmus::explicit::{Options, run};
use margay_litmus::read;
use margay_litmus::unfold::UnfoldingBounds;
use margay_models::diagnostic::SourceFile;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;

fn holds(text: &str, model: &str, unroll: usize) -> (bool, bool) {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let model = crate::shipped::model(model);
    let options = Options {
        bounds: UnfoldingBounds { unroll, ..UnfoldingBounds::default() },
        ..Options::default()
    };
    let verdict = run(&test, &model, &options).unwrap();
    (verdict.holds, verdict.bounded)
}

/// The value of `n` after the statements; `x` is a location with 0 in it.
fn n_is(statements: &str, value: i64) -> bool {
    let text = format!(
        "C t\n{{ x=0; }}\nP0 (atomic_int* x) {{ int n = 0; {statements} }}\nforall (0:n = {value})\n"
    );
    let (holds, bounded) = holds(&text, "rc11", 8);
    assert!(!bounded, "{text}");
    holds
}

#[test]
fn turns_are_counted() {
    assert!(n_is("for (int i = 0; i < 5; i++) n += 2;", 10));
    assert!(n_is("for (int i = 5; i > 0; --i) { n++; }", 5));
    assert!(n_is("for (int i = 0; i < 5; i++) { if (i == 3) break; n++; }", 3));
    assert!(
        n_is("for (int i = 0; i < 5; i++) { if (i == 3) continue; n++; }", 4),
        "what is done after a turn is done then too"
    );
    assert!(n_is("int i = 0; while (i < 5) { i++; if (i == 2) { continue; } n += i; }", 13));
    assert!(
        n_is("int i = 0; do { i++; if (i == 2) continue; n += i; } while (i < 4);", 8),
        "continue goes to the condition"
    );
    assert!(n_is("while (1) { n++; if (n == 4) { break; } }", 4));
    assert!(
        n_is("for (;;) { for (;;) { n++; break; } n += 10; break; }", 11),
        "break leaves the innermost loop"
    );
    assert!(n_is("for (int i = 0, j = 6; i < j; i++, j--) n++;", 3));
    assert!(n_is("n = 1; if (n) { return; } n = 2;", 1));
    assert!(n_is("while (1) { n++; if (n == 3) return; }", 3));
    assert!(n_is("for (;n < 3;) { n++; }", 3));
    assert!(!n_is("for (int i = 0; i < 5; i++) n += 2;", 9));
}

/// Load buffering with a control dependency in P0, whose statements store 1 to `y` after `r0` was
/// read from `x`, and a data dependency in P1. A model with no more than an axiom against cycles of
/// dependencies tells whether the first one is there.
fn depends(statements: &str) -> bool {
    let text = format!(
        "C t\n{{ x=0; y=0; }}\nP0 (atomic_int* x, atomic_int* y) {{ int r0 = atomic_load_explicit(x, memory_order_relaxed); {statements} }}\n\
         P1 (atomic_int* x, atomic_int* y) {{ int r0 = atomic_load_explicit(y, memory_order_relaxed); \
         atomic_store_explicit(x, r0, memory_order_relaxed); }}\nexists (0:r0 = 1 /\\ 1:r0 = 1)\n"
    );
    let test = read::test(&SourceFile::new("t", text.as_str()))
        .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
        .test;
    let model = "C \"no thin air\"\nacyclic rf | addr | data | ctrl as no-thin-air\n";
    let model = Model::parse(SourceFile::new("m.cat", model), &OnlyBuiltIn).unwrap().model;
    !run(&test, &model, &Options::default()).unwrap().reachable
}

#[test]
fn control_dependencies_end_where_the_ways_join() {
    const STORE: &str = "atomic_store_explicit(y, 1, memory_order_relaxed);";
    assert!(depends(&format!("if (r0) {{ {STORE} }}")));
    assert!(!depends(&format!("if (r0) {{ }} {STORE}")), "the ways have joined");
    assert!(
        depends(&format!("if (!r0) {{ return; }} {STORE}")),
        "the rest of the thread depends on a return"
    );
    assert!(
        depends(&format!("for (;;) {{ if (!r0) break; {STORE} break; }}")),
        "the rest of the loop depends on a break"
    );
    assert!(
        !depends(&format!("for (;;) {{ if (!r0) break; break; }} {STORE}")),
        "behind the loop the ways have joined"
    );
    assert!(
        depends(&format!("for (int i = 0; i < 1; i++) {{ if (!r0) continue; {STORE} }}")),
        "so does the turn on a continue"
    );
    assert!(!depends(&format!("for (int i = 0; i < 1; i++) {{ if (!r0) continue; }} {STORE}")));
    assert!(!depends(&format!("do {{ if (r0) break; }} while (0); {STORE}")));
    assert!(depends(&format!("do {{ if (!r0) return; }} while (0); {STORE}")));
}

#[test]
fn a_bound_is_said() {
    let text = "C t\n{ x=0; }\nP0 (atomic_int* x) { int n = 0; for (int i = 0; i < 5; i++) n++; }\nexists (0:n = 5)\n";
    assert_eq!(holds(text, "rc11", 2), (false, true), "cut off: not decided");
    assert_eq!(holds(text, "rc11", 5), (true, false));
}
