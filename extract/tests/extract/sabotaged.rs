//! PTX that looks like the row of an operation and does something else: each function beside the
//! right one. Numbers show most of it, and paths the rest.

use margay_extract::compile::{CompileCommand, CompiledPoints, PointCompilation};
use margay_extract::front;
use margay_extract::lowering::LoweringAnswer;
use margay_extract::point::{Point, What};
use margay_extract::ptx;
use margay_extract::table::Table;
use margay_models::execution::{Order, Scope};

/// The rows of a relaxed operation on an object of so many bits (by the index of its type) whose
/// function has this body.
fn rows(front_end: &str, of: (What, usize), body: &str) -> Vec<String> {
    let table = table(front_end, of, body);
    let answers = table.rows.iter().map(|row| match &row.row.answer {
        LoweringAnswer::Lowered(all) => {
            all.iter().map(|s| s.text(None)).collect::<Vec<_>>().join(" or ")
        }
        LoweringAnswer::Other(what) => format!("other: {what}"),
        LoweringAnswer::Absent(why) | LoweringAnswer::Unknown(why) => why.clone(),
    });
    answers.collect()
}

fn table(front_end: &str, (what, data): (What, usize), body: &str) -> Table {
    let text = format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .func f0(.param .b64 f0_0, .param .b64 f0_1, .param .b64 f0_2, .param .b32 f0_3, \
         .param .b32 f0_4)\n{{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\nld.param.u64 %d1, [f0_0];\n\
         ld.param.u64 %d2, [f0_1];\nld.param.u64 %d3, [f0_2];\nld.param.u32 %r1, [f0_3];\nld.param.u32 %r2, [f0_4];\n{body}\nret;\n}}\n"
    );
    let module = ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let point = Point { what, order: Order::Rlx, scope: Some(Scope::Gpu), data: Some(data) };
    let points = vec![(point, PointCompilation::Function(0, "f0".to_owned()))];
    let command = CompileCommand {
        template: "none".to_owned(),
        worker: false,
        compiler: None,
        architecture: "sm_90".to_owned(),
        assembly: None,
        words: Vec::new(),
        limit: std::time::Duration::from_secs(1),
    };
    let front = front::find(front_end).unwrap_or_else(|e| panic!("{}", e[0]));
    Table::new(
        &front,
        &command,
        String::new(),
        &CompiledPoints { modules: vec![(text, module)], points, runs: 1 },
    )
}

const B8: usize = 0;
const B32: usize = 2;
const EXCHANGE: What = What::Rmw(0);
const ADD: What = What::Rmw(1);
const CAS: What = What::Swap(Order::Rlx);

/// What is done, what its function must be, and others with what is said of them.
type Sabotage<'a> = ((What, usize), &'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn what_does_something_else_is_no_row() {
    let sabotage: [Sabotage<'_>; 6] = [
        (
            (What::Load, B32),
            "ld.relaxed.gpu.b32 %r3, [%d1];\nst.b32 [%d2], %r3;",
            "ld.relaxed.gpu",
            &[
                ("ld.relaxed.gpu.b32 %r3, [%d1];\nst.b32 [%d2], %r1;", "returns"),
                ("ld.relaxed.gpu.b32 %r3, [%d1+4];\nst.b32 [%d2], %r3;", "returns"),
                ("ld.relaxed.gpu.b32 %r3, [%d1];", "what it returns cannot be followed"),
                ("ldu.global.b32 %r3, [%d1];\nst.b32 [%d2], %r3;", "not coherent"),
                ("ld.const.b32 %r3, [%d1];\nst.b32 [%d2], %r3;", "accesses .const memory"),
                (
                    "discard.global.L2 [%d1], 128;\nld.relaxed.gpu.b32 %r3, [%d1];\nst.b32 [%d2], %r3;",
                    "destroys",
                ),
                (
                    "ld.relaxed.gpu.b32 %r3, [%d1];\nst.b32 [%d2], %r3;\nadd.s64 %d4, %d1, 100000;\nst.b32 [%d4+4], %r3;",
                    "it does it with",
                ),
            ],
        ),
        (
            (What::Store, B32),
            "st.relaxed.gpu.b32 [%d1], %r1;",
            "st.relaxed.gpu",
            &[
                ("st.relaxed.gpu.b16 [%d1], %r1;", "it writes 0x"),
                ("st.relaxed.gpu.b32 [%d1+4], %r1;", "lies beside the object"),
                ("add.u32 %r3, %r1, 1;\nst.relaxed.gpu.b32 [%d1], %r3;", "it writes 0x"),
                ("st.local.b32 [%d1], %r1;", "accesses .local memory"),
                ("st.relaxed.gpu.shared.b32 [%d1], %r1;", "an access outside of every array"),
                (
                    "setp.eq.u32 %p1, %r1, 77;\nselp.b64 %d4, %d2, %d1, %p1;\nst.relaxed.gpu.b32 [%d4], %r1;",
                    "cannot be followed",
                ),
                ("add.s64 %d4, %d1, 2;\nst.relaxed.gpu.b32 [%d4], %r1;", "no multiple of its size"),
            ],
        ),
        (
            (What::Store, B8),
            "st.relaxed.gpu.b8 [%d1], %r1;",
            "st.relaxed.gpu",
            &[("and.b64 %d4, %d1, -4;\nst.relaxed.gpu.b32 [%d4], %r1;", "beside the object")],
        ),
        (
            (EXCHANGE, B32),
            "atom.relaxed.gpu.exch.b32 %r3, [%d1], %r1;\nst.b32 [%d2], %r3;",
            "atom.relaxed.gpu",
            &[
                ("atom.relaxed.gpu.add.u32 %r3, [%d1], %r1;\nst.b32 [%d2], %r3;", "exch of"),
                (
                    "atom.relaxed.gpu.or.b32 %r3, [%d1], 0;\nst.b32 [%d2], %r3;",
                    "does not always write",
                ),
                (
                    "atom.relaxed.gpu.exch.b32 %r3, [%d1+64], %r1;\nst.b32 [%d2], %r3;",
                    "an access outside of every array",
                ),
            ],
        ),
        (
            (ADD, B32),
            "ld.b32 %r3, [%d1];\nL:\nadd.u32 %r4, %r3, %r1;\natom.relaxed.gpu.cas.b32 %r5, [%d1], %r3, %r4;\nsetp.ne.u32 %p1, %r5, %r3;\n\
             mov.u32 %r3, %r5;\n@%p1 bra L;\nst.b32 [%d2], %r5;",
            "atom.relaxed.gpu",
            &[
                // One try: another thread may come between.
                (
                    "ld.b32 %r3, [%d1];\nadd.u32 %r4, %r3, %r1;\natom.relaxed.gpu.cas.b32 %r5, [%d1], %r3, %r4;\nst.b32 [%d2], %r5;",
                    "may not have written",
                ),
                // It is not tried again where it failed, but where it did not.
                (
                    "ld.b32 %r3, [%d1];\nL:\nadd.u32 %r4, %r3, %r1;\natom.relaxed.gpu.cas.b32 %r5, [%d1], %r3, %r4;\nsetp.eq.u32 %p1, %r5, %r3;\n\
                     mov.u32 %r3, %r5;\n@%p1 bra L;\nst.b32 [%d2], %r5;",
                    "other",
                ),
            ],
        ),
        (
            (CAS, B32),
            "atom.relaxed.gpu.cas.b32 %r3, [%d1], %r2, %r1;\nst.b32 [%d2], %r3;\nsetp.eq.u32 %p1, %r3, %r2;\nselp.u32 %r4, 1, 0, %p1;\nst.b8 [%d3], %r4;",
            "atom.relaxed.gpu",
            &[
                (
                    "atom.relaxed.gpu.cas.b32 %r3, [%d1], %r1, %r2;\nst.b32 [%d2], %r3;\nsetp.eq.u32 %p1, %r3, %r2;\nselp.u32 %r4, 1, 0, %p1;\nst.b8 [%d3], %r4;",
                    "although it read what was expected",
                ),
                (
                    "atom.relaxed.gpu.cas.b32 %r3, [%d1], %r2, %r1;\nst.b32 [%d2], %r3;\nsetp.ne.u32 %p1, %r3, %r2;\nselp.u32 %r4, 1, 0, %p1;\nst.b8 [%d3], %r4;",
                    "says that it",
                ),
                (
                    "atom.relaxed.gpu.cas.b32 %r3, [%d1], %r2, %r1;\nst.b32 [%d2], %r3;",
                    "says that it",
                ),
                (
                    "and.b32 %r5, %r2, 65535;\nld.b32 %r6, [%d1];\nand.b32 %r7, %r6, 65535;\nsetp.ne.u32 %p2, %r5, %r7;\nmov.u32 %r3, %r6;\n@%p2 bra L;\n\
                     atom.relaxed.gpu.cas.b32 %r3, [%d1], %r6, %r1;\nL:\nst.b32 [%d2], %r3;\nsetp.eq.u32 %p1, %r3, %r2;\nselp.u32 %r4, 1, 0, %p1;\n\
                     st.b8 [%d3], %r4;",
                    "other",
                ),
            ],
        ),
    ];
    for (of, right, row, wrong) in sabotage {
        let made = rows("clang", of, right);
        assert!(made.iter().all(|made| made.starts_with(row)), "{right}: {made:?}");
        for (body, said) in wrong {
            let made = rows("clang", of, body);
            assert!(
                made.iter().any(|made| made.starts_with("other") && made.contains(said)),
                "{body}: {made:?}"
            );
        }
    }
}

/// What libcu++ does with a word that an object of 8 bits has to itself is right there alone.
#[test]
fn a_word_of_its_own() {
    let body = "st.relaxed.gpu.b32 [%d1], %r1;";
    assert_eq!(rows("cuda-atomic", (What::Store, B8), body), ["st.relaxed.gpu.b32"]);
    assert!(rows("clang", (What::Store, B8), body)[0].starts_with("other"));
}

/// What is not run on numbers is counted, and is a row by its paths alone.
#[test]
fn what_is_not_run_is_counted() {
    for (of, body, not_run) in [
        ((EXCHANGE, B32), "atom.relaxed.gpu.exch.b32 %r3, [%d1], %r1;\nst.b32 [%d2], %r3;", 0),
        // `inc`, and a register that the machine does not have.
        ((What::Rmw(11), B32), "atom.relaxed.gpu.inc.u32 %r3, [%d1], %r1;\nst.b32 [%d2], %r3;", 1),
        (
            (EXCHANGE, B32),
            "mov.u32 %r5, %clock_hi;\nmov.u32 %r6, %pm0;\natom.relaxed.gpu.exch.b32 %r3, [%d1], %r1;\nst.b32 [%d2], %r3;",
            1,
        ),
    ] {
        let table = table("clang", of, body);
        assert!(matches!(table.rows[0].row.answer, LoweringAnswer::Lowered(_)), "{body}");
        assert_eq!(table.not_run(), not_run, "{body}");
        let said = margay_extract::table::map(&table, &Default::default());
        assert_eq!(said.contains("read from paths alone"), not_run > 0, "{said}");
    }
}
