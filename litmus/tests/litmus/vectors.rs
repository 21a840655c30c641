//! Arrays and vectors: what they read and print as, and what is wrong with them.

use margay_litmus::read;
use margay_litmus::test::{InitialValue, Operation};
use margay_litmus::unfold::{Unfolding, UnfoldingBounds};
use margay_models::diagnostic::SourceFile;
use margay_models::signature::Signature;

fn test(state: &str, cell: &str) -> String {
    format!("PTX t\n{{ {state} }}\n P0@cta 0,gpu 0 ;\n {cell} ;\nexists (x[0] == 1)\n")
}

/// What is wrong with a test, in reading or unfolding it.
fn wrong(state: &str, cell: &str) -> String {
    match read::test(&SourceFile::new("t", test(state, cell))) {
        Ok(read) => match Unfolding::new(&read.test, Signature::PTX, UnfoldingBounds::default()) {
            Ok(_) => "nothing".to_string(),
            Err(error) => error.to_string(),
        },
        Err(errors) => errors[0].to_string(),
    }
}

#[test]
fn arrays_are_locations_one_after_the_other() {
    let text = test("int x[3] = {4, -5}; y[0]=1; y[1]=x;", "ld.weak r0, x[2]");
    let read = read::test(&SourceFile::new("t", text)).unwrap().test;
    let locations: Vec<(&str, Option<&InitialValue>)> =
        read.locations.iter().map(|l| (l.name.as_str(), l.value.as_ref())).collect();
    let number = |n| Some(InitialValue::Integer(n));
    let address = InitialValue::AddressOf("x".to_string());
    assert_eq!(
        locations,
        [
            ("x[0]", number(4).as_ref()),
            ("x[1]", number(-5).as_ref()),
            ("x[2]", number(0).as_ref()),
            ("y[0]", number(1).as_ref()),
            ("y[1]", Some(&address)),
        ]
    );
    assert!(read.to_string().contains("{ x[3]={4,-5,0}; y[2]={1,&x}; }"), "{read}");
}

#[test]
fn vectors_read_and_print() {
    for (cell, printed) in [
        ("ld.weak.v2.u32 {r0, r1}, [x]", "ld.weak.v2.u32 {r0, r1}, x[0]"),
        (
            "st.global.relaxed.gpu.v4.u32 [x], {1, r0, -1, 4}",
            "st.relaxed.gpu.global.v4.u32 x[0], {1, r0, -1, 4}",
        ),
        ("ld.v2 {r0,r1}, x[2]", "ld.v2 {r0, r1}, x[2]"),
        ("ld.v2.u32 {r0,r1}, [x+8]", "ld.v2.u32 {r0, r1}, [x[0]+8]"),
    ] {
        let text = test("x[4]", cell);
        let read = read::test(&SourceFile::new("t", text))
            .unwrap_or_else(|e| panic!("{cell}: {}", e[0]))
            .test;
        assert_eq!(read.thread_lines(margay_litmus::test::ThreadId(0)), [printed]);
        let again = read::test(&SourceFile::new("t", read.to_string())).unwrap().test;
        assert_eq!(again, read);
        assert_eq!(wrong("x[4]", cell), "nothing");
    }
}

#[test]
fn every_order_of_the_elements_is_a_path() {
    // What another thread accesses decides which orders there are.
    let cases = [
        ("ld.weak.v2.u32 {r0, r1}, [x]", "ld.weak.v2.u32 {r0, r1}, [x]", 2),
        ("st.weak.v4.u32 [x], {1, 2, 3, 4}", "ld.weak.v4.u32 {r0, r1, r2, r3}, [x]", 24),
        ("st.weak.v4.u32 [x], {1, 2, 3, 4}", "ld.weak.u32 r0, x[2]", 1),
        ("st.weak.v4.u32 [x], {1, 2, 3, 4}", "ld.weak.u32 r0, [x+8]", 24),
        ("ld.weak.b16x2 r0, [x]", "st.weak.b16x2 [x], 65537", 2),
    ];
    for (cell, other, orders) in cases {
        let text = format!(
            "PTX t\n{{ x[4]={{0,0,0,0}}; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n {cell} | {other} ;\nexists (x[0] == 1)\n"
        );
        let read = read::test(&SourceFile::new("t", text)).unwrap().test;
        let unfolding = Unfolding::new(&read, Signature::PTX, UnfoldingBounds::default()).unwrap();
        let others = if other.contains("v4") {
            24
        } else if other.contains("v2") || other.contains("x2") {
            2
        } else {
            1
        };
        assert_eq!(unfolding.len(), orders * others, "{cell} {other}");
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..unfolding.len() {
            let execution = unfolding.skeleton(n).unwrap().execution;
            let accessed: Vec<Option<u16>> = execution
                .events
                .iter()
                .filter(|e| e.thread == Some(0))
                .map(|e| e.location)
                .collect();
            seen.insert(accessed);
        }
        assert_eq!(seen.len(), orders, "no order twice");
    }
}

/// A vector load takes its address before it overwrites the register that holds it.
#[test]
fn a_vector_may_overwrite_its_address() {
    let text = test("x[2]={3,4}; P0:r1=x;", "ld.weak.v2.u32 {r1, r2}, [r1]");
    let read = read::test(&SourceFile::new("t", text)).unwrap().test;
    assert!(matches!(
        &margay_litmus::test::Test::thread_lines(&read, margay_litmus::test::ThreadId(0))[..],
        [line] if line == "ld.weak.v2.u32 {r1, r2}, [r1]"
    ));
    let model = crate::shipped::model("ptx-8");
    let asked =
        read.to_string().replace("exists (x[0] == 1)", "forall (P0:r1 == 3 /\\ P0:r2 == 4)");
    let read = read::test(&SourceFile::new("t", asked)).unwrap().test;
    assert!(margay_litmus::explicit::run(&read, &model, &Default::default()).unwrap().holds);
    let margay_litmus::test::Body::Instructions(code) = &read.threads[0].body else {
        panic!("PTX")
    };
    assert!(matches!(code[0].operation, Operation::VectorLoad { .. }));
}

#[test]
fn what_is_wrong() {
    let said = |state: &str, cell: &str| format!("{cell}\n    {}\n", wrong(state, cell));
    let all = [
        said("x[2]", "ld.v2 r0, [x]"),
        said("x[2]", "ld.v2 {r0}, [x]"),
        said("x[2]", "ld.v4.u32 {r0, r1, r2, r3}, [x]"),
        said("x[2]", "ld.v8.u32 {r0, r1}, [x]"),
        said("x[4]", "ld.v2.u32 {r0, r1}, x[1]"),
        said("x[4]", "ld.v2.u32 {r0, r1}, [x+4]"),
        said("x[2]", "atom.relaxed.gpu.v2.add r0, x, 1"),
        said("x[2]", "ld.u32 r0, x[2]"),
        said("x[2]", "ld.u32 r0, [x+2]"),
        said("x[2]", "ld.u32 r0, [x+8]"),
        said("x[2]", "st.u32 x[0], 1 ;\n ld.u64 r0, x[1]"),
        said("x[2]; P0:r1=x;", "st.u32 x[0], 1 ;\n ld.u64 r0, [r1]"),
        said("x[2]; y @ generic aliases x[0];", "st.u32 x[0], 1 ;\n ld.u64 r0, y"),
        said("x[2]={1,2,3}", "ld.u32 r0, x"),
        said("x[0]", "ld.u32 r0, x"),
        said("x[1]=5", "ld.u32 r0, x"),
        said("x[2]; x=1", "ld.u32 r0, x"),
    ];
    insta::assert_snapshot!(all.concat(), @r"
    ld.v2 r0, [x]
        t:4:8: error: expected `{`, found `r0`
    ld.v2 {r0}, [x]
        t:4:8: error: 1 elements where `.v2` has 2
    ld.v4.u32 {r0, r1, r2, r3}, [x]
        there is no location 4 bytes behind `x[1]`; elements of arrays are declared by `x[2]={0,0}`
    ld.v8.u32 {r0, r1}, [x]
        t:4:12: error: 2 elements where `.v8` has 8
    ld.v2.u32 {r0, r1}, x[1]
        a vector of 8 bytes is accessed at an address that is no multiple of that
    ld.v2.u32 {r0, r1}, [x+4]
        a vector of 8 bytes is accessed at an address that is no multiple of that
    atom.relaxed.gpu.v2.add r0, x, 1
        t:4:19: error: `.v2` is not read here
    ld.u32 r0, x[2]
        t:4:13: error: unknown location `x[2]`
    ld.u32 r0, [x+2]
        an access 2 bytes behind the start of `x[0]` overlaps it partially: the model does not apply (PTX ISA 8.7.2)
    ld.u32 r0, [x+8]
        there is no location 4 bytes behind `x[1]`; elements of arrays are declared by `x[2]={0,0}`
    st.u32 x[0], 1 ;
     ld.u64 r0, x[1]
        accesses of 64 and of 32 bits to `x`: an access of 64 bits is not aligned at byte 4
    st.u32 x[0], 1 ;
     ld.u64 r0, [r1]
        accesses of 32 and of 64 bits to `x[0]` that are not taken apart: whether they race is not looked into, and if so the model does not apply (PTX ISA 8.7.2)
    st.u32 x[0], 1 ;
     ld.u64 r0, y
        accesses of 32 and of 64 bits to `x[0]` that are not taken apart: whether they race is not looked into, and if so the model does not apply (PTX ISA 8.7.2)
    ld.u32 r0, x
        t:2:14: error: 3 values for 2 elements
    ld.u32 r0, x
        t:2:3: error: an array without elements
    ld.u32 r0, x
        t:2:3: error: elements are declared one after the other
    ld.u32 r0, x
        t:2:9: error: location `x` is declared twice
        ");
}
