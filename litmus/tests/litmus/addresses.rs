//! Registers that hold addresses, and rules of machines that tables of events cannot say.

use margay_litmus::corpus::Expected;
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

fn said(text: &str, model: &str) -> String {
    let test =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).test;
    let model = crate::shipped::model(model);
    let verdict = Runner::new(&model)
        .run(&test, &Options::default(), Choice::Both)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    Expected::from(&verdict).to_string()
}

#[test]
fn a_register_in_brackets_is_no_location() {
    let mp = |head: &str, last: &str| {
        format!(
            "riscv MP\n{{ {head} x=0; y=0; }}\n P0 | P1 ;\n sw x, 1 | lw x5, y ;\n fence.rw_rw | xor x7, x5, x5 ;\n \
             sw y, 1 | add x10, x9, x7 ;\n  | {last} ;\nexists (P1:x5 == 1 /\\ P1:x8 == 0)\n"
        )
    };
    assert_eq!(
        said(&mp("P1:x9=x;", "lw x8, [x10]"), "riscv"),
        "forbidden",
        "the address depends on what was read"
    );
    assert_eq!(said(&mp("P1:x9=x;", "lw x8, [x9]"), "riscv"), "allowed");
    // One that is written below its first use, in a loop, is an error and no new location.
    let below = "riscv t\n{ x=0; P0:x9=x; }\n P0 ;\n L: ;\n lw x8, [x10] ;\n add x10, x9, 0 ;\n beq x8, 0, L ;\nexists (P0:x8 == 1)\n";
    let errors = read::test(&SourceFile::new("t", below)).unwrap_err();
    assert!(errors[0].message.contains("`x10` is a register"), "{}", errors[0]);
}

/// "When not successful, has acquire semantics if aq bit is 1 but does not have release semantics,
/// regardless of rl" (Zacas).
#[test]
fn a_failing_amocas_does_not_release() {
    let text = |expected: i64| {
        format!(
            "riscv t\n{{ x=0; y=0; }}\n P0 | P1 ;\n fence.rw_w | fence.rw_w ;\n sw x, 1 | sw y, 1 ;\n \
             amoswap.aqrl.cas r0, y, {expected}, 2 | fence.rw_rw ;\n | lw r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n"
        )
    };
    assert_eq!(said(&text(5), "riscv"), "allowed");
    // It acquires as before.
    let acquires = "riscv t\n{ x=0; y=0; }\n P0 | P1 ;\n sw x, 1 | amoswap.aqrl.cas r0, y, 5, 2 ;\n fence.rw_rw | lw r1, x ;\n sw y, 1 | ;\n\
                    exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
    assert_eq!(said(acquires, "riscv"), "forbidden");
}
