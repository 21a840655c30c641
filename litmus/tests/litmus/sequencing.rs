//! Operands of C are not sequenced: what is found of every order in which their accesses may be
//! done.

use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

fn said(text: &str, model: &str) -> String {
    said_by(text, model, Choice::Both)
}

fn said_by(text: &str, model: &str, choice: Choice) -> String {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let model = crate::shipped::model(model);
    let verdict = Runner::new(&model)
        .run(&test, &Options::default(), choice)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
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
    assert_eq!(
        values("atomic_fetch_add_explicit(x, ADD + 5, memory_order_relaxed)", 0..10),
        [1],
        "an operand comes first"
    );
    assert_eq!(values("ADD && ADD", 0..3), [0], "the left side comes first, and decides");
    // Of three calls the third may come first, between the two of the left side, or last: 0 1 2 are
    // what they add to. If it comes first, the left side is false, and done.
    assert_eq!(
        values("(!ADD && ADD) * 10 + ADD", 0..30),
        [0, 11, 12],
        "what stands beside a short-circuit may come between"
    );
    assert_eq!(values("(ADD || ADD) * 10 + ADD", 0..30), [10, 11, 12]);
    assert_eq!(values("(ADD ? 5 : ADD) * 10 + ADD", 0..60), [12, 21, 50]);
    assert_eq!(values("ADD ? ADD : ADD * 10", 0..60), [10], "only one of the two is done");
    assert_eq!(values("ADD == 0 ? ADD + 7 : 3", 0..60), [8]);
}

#[test]
fn too_many_orders_are_refused() {
    let sum = ["atomic_load(x)"; 6].join(" + ");
    let text =
        format!("C t\n{{ x=0; }}\nP0 (atomic_int* x) {{\n  int t = {sum};\n}}\nexists (0:t=1)\n");
    let test = read::test(&SourceFile::new("t", text.as_str())).unwrap().test;
    let model = crate::shipped::model("c20");
    let error = Runner::new(&model).run(&test, &Options::default(), Choice::Auto).unwrap_err();
    assert!(error.to_string().contains("more than 120 orders"), "{error}");
}

/// The object of a test in C++ with the accesses of a statement; `p` has two elements.
fn cpp(word: &str, statement: &str, value: i64) -> String {
    format!(
        "{word} t\n{{ x=0; p[2]={{0,0}}; }}\nP0 (atomic_int* x, atomic_int* p) {{ int t = 0; {} }}\nexists (0:t={value})\n",
        statement.replace("ADD", "x->fetch_add(1, memory_order_relaxed)")
    )
}

/// C++17 sequences more than C11, in texts that are C++.
#[test]
fn cpp_has_its_own_rules() {
    let values = |word: &str, statement: &str, among: std::ops::Range<i64>| -> Vec<i64> {
        let text = |value| cpp(word, statement, value);
        let among: Vec<i64> =
            among.filter(|&value| said(&text(value), "c20") == "allowed,race-free").collect();
        let read = read::test(&SourceFile::new("t", text(0))).unwrap().test;
        let again = read::test(&SourceFile::new("t", read.to_string()))
            .unwrap_or_else(|e| panic!("{}\n{read}", e[0]))
            .test;
        assert_eq!(read, again, "it reads back as what it is");
        among
    };
    // The functions alone are C; a member call makes a text C++.
    let c = |statement: &str| {
        statement.replace("ADD", "atomic_fetch_add_explicit(x, 1, memory_order_relaxed)")
    };
    let shift = "t = (ADD + 1) << ADD;";
    assert_eq!(values("C", shift, 0..9), [2], "the left side of a shift comes first");
    assert_eq!(values("C", &c(shift), 0..9), [2], "(0 + 1) << 1, or (1 + 1) << 0");
    let shift = "t = (ADD + 2) << ADD;";
    assert_eq!((values("C", shift, 0..9), values("C", &c(shift), 0..9)), (vec![4], vec![3, 4]));
    // The right side of an assignment comes first.
    let assign = "p[ADD] = ADD + 5; t = p->load(memory_order_relaxed);";
    assert_eq!(values("C", assign, 0..9), [0], "the right side reads 0, the left one is p[1]");
    let of_c = c("p[ADD] = ADD + 5; t = atomic_load_explicit(p, memory_order_relaxed);");
    assert_eq!(values("C", &of_c, 0..9), [0, 6]);
    // The object of a member call comes before its arguments.
    let call = "t = (p + ADD)->exchange(ADD + 3, memory_order_relaxed); t = (p + 1)->load(memory_order_relaxed);";
    assert_eq!(values("C", call, 0..9), [0], "the object is p[0]");
    // Arguments do not interleave: one is done before the other begins.
    let arguments = "p->store(2, memory_order_relaxed); atomicCAS(p, ADD - ADD, ADD + 5); t = p->load(memory_order_relaxed);";
    assert_eq!(values("CUDA", arguments, 0..9), [2], "2 - 0 has the third addition between");
}

/// A subscript, and an assignment with an operator: C leaves both sides unsequenced, C++17 does
/// not, and in either the left side is evaluated once.
#[test]
fn subscripts_and_assignments_with_operators() {
    let values = |word: &str, statement: &str| -> Vec<i64> {
        let text = |value| {
            format!(
                "{word} t\n{{ x=0; p[4]={{10,20,30,40}}; }}\nP0 (atomic_int* x, int* p) {{ int t = 0; {statement} }}\nexists (0:t={value})\n"
            )
        };
        // What a sum of all orders may be; the other engine does not know how far an address goes
        // that is counted.
        let is_found = |&value: &i64| {
            said_by(&text(value), "c20", Choice::Only(Engine::Explicit)) == "allowed,race-free"
        };
        let among: Vec<i64> = [9, 10, 11, 12, 15, 16, 20, 21, 22, 23, 30, 31, 32, 40]
            .into_iter()
            .filter(is_found)
            .collect();
        let read = read::test(&SourceFile::new("t", text(0))).unwrap().test;
        let again = read::test(&SourceFile::new("t", read.to_string()))
            .unwrap_or_else(|e| panic!("{}\n{read}", e[0]))
            .test;
        assert_eq!(read, again, "it reads back as what it is: {read}");
        among
    };
    let c = |statement: &str| {
        statement.replace("ADD", "atomic_fetch_add_explicit(x, 1, memory_order_relaxed)")
    };
    let cpp = |statement: &str| statement.replace("ADD", "x->fetch_add(1, memory_order_relaxed)");
    // `a[b]`: a is p + 0 and b is 1, or a is p + 1 and b is 0; weights tell them apart.
    let subscript = "t = (p + 2 * ADD)[ADD];";
    assert_eq!(values("C", &c(subscript)), [20, 30]);
    assert_eq!(values("C", &cpp(subscript)), [20], "a comes before b");
    // `*(a + b)` is a sum, in C++ as well.
    let sum = "t = *(p + 2 * ADD + ADD);";
    assert_eq!(values("C", &c(sum)), [20, 30]);
    assert_eq!(values("C", &cpp(sum)), [20, 30]);
    let address = "int* q = &(p + 2 * ADD)[ADD]; t = *q;";
    assert_eq!(values("C", &cpp(address)), [20]);
    // The right side first: it is 0, and the left one is p[1].
    let update = "p[ADD] += ADD + 1; t = p[1];";
    assert_eq!(values("C", &cpp(update)), [21]);
    assert_eq!(values("C", &c(update)), [20, 21], "20: the left side is p[0]");
    // The left side is evaluated once.
    for once in ["p[ADD] += 5; t = p[0] + ADD;", "p[ADD] -= 0 - 5; t = p[0] + ADD;"] {
        assert_eq!(
            [values("C", &c(once)), values("C", &cpp(once))],
            [vec![16], vec![16]],
            "{once}"
        );
    }
    assert_eq!(values("C", &c("p[ADD]++; t = p[0] + ADD;")), [12]);
    assert_eq!(values("C", &c("--p[ADD]; t = p[0] + ADD;")), [10]);
}

/// With an acquire load on its right side, the read of `+=` is behind it in C++, and beside it in
/// C.
#[test]
fn an_update_reads_behind_its_operand_in_cpp() {
    let text = |load: &str| {
        format!(
            "C t\n{{ x=0; y=0; }}\nP0 (atomic_int* x, int* y) {{ *y = 1; atomic_store_explicit(x, 1, memory_order_release); }}\n\
             P1 (atomic_int* x, int* y) {{\n  int r = atomic_load_explicit(x, memory_order_relaxed);\n  if (r) {{ *y += {load}; }}\n}}\n\
             exists (y=7)\n"
        )
    };
    assert_eq!(
        said(&text("atomic_load_explicit(x, memory_order_acquire)"), "rc11"),
        "forbidden,racy"
    );
    assert_eq!(said(&text("x->load(memory_order_acquire)"), "rc11"), "forbidden,race-free");
}

/// `*x` of an atomic object is a seq_cst access in C; it is read as a plain one, as herd7 has it,
/// and that is said once.
#[test]
fn plain_accesses_to_atomic_objects_are_read_as_plain_with_a_warning() {
    let warnings = |parameter: &str, statement: &str| {
        let text = format!(
            "C t\n{{ x=0; }}\nP0 ({parameter} x) {{\n  {statement}\n  {statement}\n}}\nexists (x=1)\n"
        );
        read::test(&SourceFile::new("t", text.clone()))
            .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
            .warnings
    };
    for statement in [
        "*x = 1;",
        "int r = *x + 1;",
        "x[0] = 1;",
        "if (*x) { *x = 2; }",
        "while (*x == 1) { }",
        "*x += 1;",
        "for (int i = 0; i < *x; i++) { }",
    ] {
        let found = warnings("atomic_int*", statement);
        assert_eq!(found.len(), 1, "{statement}: {found:?}");
        assert!(found[0].message.contains("`*x` is read as a plain access"), "{}", found[0]);
        assert!(warnings("int*", statement).is_empty(), "{statement}");
    }
    for statement in [
        "atomic_store(x, 1);",
        "int r = atomic_load_explicit(&*x, memory_order_relaxed);",
        "(*x).store(1);",
    ] {
        assert!(warnings("atomic_int*", statement).is_empty(), "{statement}");
    }
}
