//! Assembly of AArch64, as gcc and clang print it.

use margay_extract::point::What;
use margay_models::signature::Architecture;

use super::{FlagNumbers, SWAP, beside, built_in, conditions_of_arm, fence_stands, flags, of, rmw};

/// gcc and clang for AArch64: single instructions, and loops of exclusive pairs as one
/// read-modify-write.
#[test]
fn code_of_compilers_becomes_rows() {
    let is = |what, kind, body: &str, expected: &[&str]| {
        assert_eq!(built_in("aarch64", what, kind, body), expected, "{body}")
    };
    is(What::Load, "b32", "ldar w0, [x0]; str w0, [x1]; ret", &["ldar"]);
    is(What::Load, "b8", "ldaprb w0, [x0]; strb w0, [x1]; ret", &["ldapr"]);
    is(What::Store, "b64", "stlr x3, [x0]; ret", &["stlr"]);
    is(What::Fence, "", "dmb ishld; ret", &["dmb.ishld"]);
    is(What::Fence, "", "ret", &["nothing"]);
    is(
        rmw("add"),
        "b32",
        ".L2:; ldaxr w2, [x0]; add w4, w2, w3; stlxr w5, w4, [x0]; cbnz w5, .L2; str w2, [x1]; ret",
        &["ldaxr_stlxr"],
    );
    let nand = "sxtb w3, w3; .L13:; ldxrb w2, [x0]; and w4, w2, w3; mvn w4, w4; stlxrb w5, w4, [x0]; cbnz w5, .L13; strb w2, [x1]; ret";
    is(rmw("nand"), "b8", nand, &["ldxr_stlxr"]);
    let cas = "sxtb w4, w4; .L41:; ldaxrb w5, [x0]; cmp w5, w4, uxtb; bne .L42; stlxrb w6, w3, [x0]; cbnz w6, .L41; .L42:; cset w0, eq; strb w0, [x2]; strb w5, [x1]; ret";
    is(SWAP, "b8", cas, &["ldaxr_stlxr", "ldaxr_stlxr"]);
    is(
        SWAP,
        "b64",
        "mov x8, x4; casal x8, x3, [x0]; cmp x8, x4; str x8, [x1]; cset w9, eq; strb w9, [x2]; ret",
        &["swpal", "swpal"],
    );
    // A loop of compare-exchanges that begins with a load.
    let max = "ldr w8, [x0]; .L1:; cmp w8, w3; csel w9, w8, w3, gt; mov w10, w8; casal w10, w9, [x0]; cmp w10, w8; mov w8, w10; b.ne .L1; str w8, [x1]; ret";
    is(rmw("max"), "b32", max, &["swpal"]);
}

/// The helpers of `-moutline-atomics` are followed: what they do, with which order and width, and
/// which registers they leave.
#[test]
fn helpers_of_libgcc_are_followed() {
    beside(&[
        (
            "aarch64",
            rmw("add"),
            "b32",
            "stp x29, x30, [sp, -32]!; str x19, [sp, 16]; mov x19, x1; mov x1, x0; mov w0, w3; bl __aarch64_ldadd4_acq; str w0, [x19]; ldr x19, [sp, 16]; ldp x29, x30, [sp], 32; ret",
            "ldaxr_stxr",
            &[
                ("4_acq", "4_relax", "ldxr_stxr"),
                ("4_acq", "4_rel", "ldxr_stlxr"),
                ("4_acq", "4_acq_rel", "ldaxr_stlxr"),
                ("4_acq", "4_sync", "`bl __aarch64_ldadd4_sync`"),
                ("4_acq", "2_acq", "other"),
                ("4_acq", "8_acq", "other"),
                ("ldadd4", "ldset4", "add of"),
                ("mov w0, w3", "neg w0, w3", "add of"),
                ("mov x1, x0; ", "", "is not of the object"),
                ("mov x19, x1", "mov x17, x1; mov x19, x1", "ldaxr_stxr"),
                ("[x19]", "[x17]", "cannot be followed"),
                ("; ldp x29, x30, [sp], 32", "; ldp x29, x9, [sp], 32", "does not lead back"),
            ],
        ),
        (
            "aarch64",
            rmw("and"),
            "b8",
            "stp x29, x30, [sp, -32]!; str x19, [sp, 16]; mov x19, x1; mov x1, x0; mvn w0, w3; bl __aarch64_ldclr1_acq_rel; strb w0, [x19]; ldr x19, [sp, 16]; ldp x29, x30, [sp], 32; ret",
            "ldaxr_stlxr",
            &[("mvn w0", "mov w0", "and of"), ("ldclr1", "ldeor1", "and of")],
        ),
        (
            "aarch64",
            SWAP,
            "b64",
            "stp x29, x30, [sp, -48]!; stp x19, x20, [sp, 16]; str x21, [sp, 32]; mov x19, x4; mov x20, x1; mov x21, x2; mov x2, x0; mov x1, x3; mov x0, x4; bl __aarch64_cas8_acq; cmp x0, x19; cset w1, eq; strb w1, [x21]; str x0, [x20]; ldp x19, x20, [sp, 16]; ldr x21, [sp, 32]; ldp x29, x30, [sp], 48; ret",
            "ldaxr_stxr, ldaxr_stxr",
            &[
                ("cas8_acq", "cas8_rel", "ldxr_stlxr, ldxr_stlxr"),
                ("mov x1, x3", "mov x1, x4", "it writes"),
                ("cas8_acq", "cas4_acq", "other"),
                ("ldp x19, x20, [sp, 16]", "ldp x20, x19, [sp, 16]", "does not give"),
            ],
        ),
    ]);
}

/// Where nobody uses the result another instruction is a lowering of its own.
#[test]
fn results_that_nobody_uses() {
    let aarch64 = Architecture::built_in("aarch64").expect("it is shipped");
    let used = "ldadd w3, w4, [x0]; str w4, [x1]; ret";
    assert_eq!(
        of(aarch64, rmw("add"), "b32", used, Some("ldadd w3, wzr, [x0]; ret")),
        ["swp or swp_zr"]
    );
    assert_eq!(of(aarch64, rmw("add"), "b32", used, Some("ldadd w3, w9, [x0]; ret")), ["swp"]);
    assert_eq!(
        of(aarch64, rmw("add"), "b32", used, Some("ret")),
        ["other: where nobody uses the result: it does not always write the object"]
    );
}

/// What a compiler does wrong, or what is not followed, is said, and no row.
#[test]
fn nothing_is_guessed() {
    let cas = "L1:; ldaxr w5, [x0]; cmp w5, w4; b.ne L2; stlxr w6, w3, [x0]; cbnz w6, L1; L2:; cset w0, eq; strb w0, [x2]; str w5, [x1]; ret".replace('L', ".L");
    let is = |what, body: &str, expected: &str| {
        let found = built_in("aarch64", what, "b32", body);
        assert!(found.iter().all(|row| row.contains(expected)), "{body}: {found:?}");
    };
    is(
        SWAP,
        &cas.replace("cmp w5, w4", "cmp w5, w3"),
        "it does not write although it read what was expected",
    );
    is(SWAP, &cas.replace("cmp w5, w4; b.ne .L2; ", "cmp w5, w4; "), "it writes over");
    is(
        SWAP,
        &cas.replace("stlxr w6, w3", "stlxr w6, w4"),
        "it writes 0x17390005 where 0x1b3d0009 was given",
    );
    // The shortest course is shown, and one that fails is shorter than one that writes.
    is(
        SWAP,
        &cas.replace("cset w0, eq", "cset w0, ne"),
        "it does not write and says that it succeeded",
    );
    is(SWAP, &cas.replace("cset w0, eq", "mov w0, #0"), "it writes and says that it failed");
    is(SWAP, &cas.replace("str w5, [x1]", "str w3, [x1]"), "returns");
    is(SWAP, "mov w0, w4; bl __aarch64_cas16_acq; ret", "`bl __aarch64_cas16_acq`");
    is(SWAP, "stp x29, x30, [sp, -48]!; bl __other_cas4_acq; ret", "`bl __other_cas4_acq`");
    is(rmw("add"), "ldr w4, [x0]; add w5, w4, w3; str w5, [x0]; str w4, [x1]; ret", "other: ");
    is(rmw("sub"), "ldaddal w3, w4, [x0]; str w4, [x1]; ret", "sub of ");
    is(What::Load, "ret", "it does not read the object");
    is(What::Load, "frobnicate w0; ret", "frobnicate");
    is(What::Load, "ldr w4, [x0]; ldar w5, [x0]; str w4, [x1]; ret", "returns");
    is(What::Load, "ldar w4, [x9]; str w4, [x1]; ret", "cannot be followed");
    is(What::Load, ".L1:; b .L1", "does not end");
    is(What::Load, "b elsewhere", "goes to what is not in the function");
    is(What::Store, "str w3, [x0]; str w3, [x0]; ret", "it writes more than once");
    // A part of the object keeps what was there.
    for (kind, body) in [
        ("b32", "strh w3, [x0]; ret"),
        ("b32", "strb w3, [x0]; ret"),
        ("b64", "stlr w3, [x0]; ret"),
        ("b16", "strb w3, [x0]; ret"),
    ] {
        let found = built_in("aarch64", What::Store, kind, body);
        assert!(found.iter().all(|row| row.starts_with("other: ")), "{kind} {body}: {found:?}");
    }
    let half = ".L1:; ldxr x5, [x0]; cmp x5, x4; b.ne .L2; stxr w6, w3, [x0]; cbnz w6, .L1; .L2:; cset w0, eq; strb w0, [x2]; str x5, [x1]; ret";
    assert!(built_in("aarch64", SWAP, "b64", half)[0].starts_with("other: "));
    // What the assembler makes of data, and what it leaves out.
    is(What::Load, "ldar w4, [x0]; .inst 0xb900001f; str w4, [x1]; ret", ".inst 0xb900001f");
    is(What::Load, "ldr w4, [x0]; .if 0; dmb ishld; .endif; str w4, [x1]; ret", ".if 0");
    // A comparison of half of the object.
    let narrow = "mov x8, x4; .L1:; ldaxr x5, [x0]; cmp w5, w4; b.ne .L2; stlxr w6, x3, [x0]; cbnz w6, .L1; .L2:; cset w0, eq; strb w0, [x2]; str x5, [x1]; ret";
    assert!(built_in("aarch64", SWAP, "b64", narrow)[0].starts_with("other: it writes over"));
}

/// Frames, signed return addresses, and parts of registers as compilers print them are followed,
/// and so is what is wrong with them.
#[test]
fn frames_and_parts_of_registers() {
    const BACK: &str = "does not lead back to where the function was called";
    beside(&[
        (
            "aarch64",
            What::Load,
            "b32",
            "hint #25; stp x29, x30, [sp, #-16]!; mov x29, sp; ldar w8, [x0]; str w8, [x1]; ldp x29, x30, [sp], #16; hint #29; ret",
            "ldar",
            &[
                ("hint #29; ret", "retaa", "ldar"),
                ("hint #29; ret", "retab", BACK),
                ("hint #29; ", "", BACK),
                ("hint #25; ", "", BACK),
                ("hint #29", "autibsp", BACK),
                ("[sp], #16", "[sp], #32", BACK),
                ("ldp x29, x30, [sp], #16; hint #29", "hint #29; ldp x29, x30, [sp], #16", BACK),
                ("mov x29, sp", "str x9, [sp, #8]", BACK),
                ("ldp x29, x30", "ldp x30, x29", BACK),
                ("[sp, #-16]!", "[x0, #-16]!", "cannot be followed"),
                ("str w8", "bl g; str w8", "`bl g`"),
            ],
        ),
        (
            "aarch64",
            What::Load,
            "b64",
            "paciasp; sub sp, sp, #48; stp x29, x30, [sp, 32]; ldar x8, [x0]; str x8, [sp, -16]!; ldr x9, [sp], 16; str x9, [x1]; ldp x29, x30, [sp, 32]; add sp, sp, 48; autiasp; ret",
            "ldar",
            &[
                ("ldr x9, [sp], 16", "ldr x9, [sp], 8", BACK),
                ("ldr x9, [sp], 16", "ldr x9, [sp, 8]; add sp, sp, 16", "other: "),
                ("ldp x29, x30, [sp, 32]", "ldp x29, x30, [sp, 24]", BACK),
                ("str x8, [sp, -16]!", "str x8, [x0, -16]!", "[x0, -16]!"),
            ],
        ),
        (
            "aarch64",
            SWAP,
            "b8",
            ".L1:; ldaxrb w8, [x0]; subs w9, w8, w4, uxtb; b.ne .L2; stlxrb w9, w3, [x0]; cbnz w9, .L1; .L2:; subs w9, w8, w4, uxtb; cset w9, eq; strb w9, [x2]; strb w8, [x1]; ret",
            "ldaxr_stlxr, ldaxr_stlxr",
            &[("uxtb; b.ne", "uxth; b.ne", "other: "), ("uxtb; cset", "sxtb; cset", "other: ")],
        ),
    ]);
}

/// Registers and values have as many bits as the instruction says: what is cut, extended by a sign,
/// or left in a register, is so in a trial.
#[test]
fn values_have_their_widths() {
    const SIGN: &str = "1:; ldaxr x8, [x0]; mov x9, x8; mov x10, x4; cmp x9, x10; b.ne 2f; stlxr w9, x3, [x0]; cbnz w9, 1b; mov w9, #1; b 3f; 2:; mov w9, wzr; 3:; strb w9, [x2]; str x8, [x1]; ret";
    beside(&[
        (
            "aarch64",
            What::Load,
            "b64",
            "ldar x8, [x0]; str x8, [x1]; ret",
            "ldar",
            &[
                ("; str", "; sxtw x8, w8; str", "returns"),
                ("; str", "; uxtw x8, w8; str", "returns"),
                ("; str", "; mov w8, w8; str", "returns"),
                ("; str", "; add x8, xzr, w8, sxtw; str", "returns"),
                ("; str", "; add x8, xzr, w8, uxtw #0; str", "returns"),
                ("; str", "; add x8, xzr, x8, sxtx; str", "ldar"),
            ],
        ),
        (
            "aarch64",
            What::Load,
            "b32",
            "ldar w8, [x0]; sxtw x8, w8; str w8, [x1]; ret",
            "ldar",
            &[("sxtw x8, w8", "sxth x8, w8", "returns")],
        ),
        (
            "aarch64",
            SWAP,
            "b64",
            SIGN,
            "ldaxr_stlxr, ldaxr_stlxr",
            &[
                ("mov x9, x8; mov x10, x4", "sxtw x9, w8; sxtw x10, w4", "it writes over"),
                ("cmp x9, x10", "cmp x9, w10, uxtw", "it does not write although"),
                (
                    "mov x9, x8; mov x10, x4; cmp x9, x10",
                    "lsr x9, x8, #32; lsr x10, x4, #32; cmp x9, x10",
                    "it writes over",
                ),
            ],
        ),
    ]);
}

/// A compare-exchange says whether it succeeded: in the bits of Power's condition register, in what
/// is computed from the values, and on every machine. What is not known is no row.
#[test]
fn success_is_known() {
    const UNKNOWN: &str = "whether it says that it succeeded cannot be followed";
    beside(&[(
        "aarch64",
        SWAP,
        "b32",
        "mov w8, w4; casal w8, w3, [x0]; cmp w8, w4; str w8, [x1]; cset w9, eq; strb w9, [x2]; ret",
        "swpal, swpal",
        &[("cset w9, eq; ", "", UNKNOWN), ("; strb w9, [x2]", "", UNKNOWN)],
    )]);
}

/// A function ends where it returns, and returns to where it was called; Armv7's pc is no register
/// that a value is read from or written to.
#[test]
fn functions_return() {
    const ASTRAY: &str = "does not lead back to where the function was called";
    beside(&[(
        "aarch64",
        What::Fence,
        "",
        "dmb ish; ret",
        "dmb.ish",
        &[("dmb", "mov x30, x0; dmb", ASTRAY), ("dmb", "sub sp, sp, #16; dmb", ASTRAY)],
    )]);
}

/// What stands above a parameter that is narrower than its register is not known on x86 and
/// AArch64.
#[test]
fn bits_above_a_parameter_are_not_zeros() {
    beside(&[(
        "aarch64",
        SWAP,
        "b8",
        "1:; ldaxrb w5, [x0]; cmp w5, w4, uxtb; bne 2f; stlxrb w6, w3, [x0]; cbnz w6, 1b; 2:; cset w0, eq; strb w0, [x2]; strb w5, [x1]; ret",
        "ldaxr_stlxr, ldaxr_stlxr",
        &[
            (", uxtb", "", "it does not write although"),
            (", uxtb", ", uxth", "it does not write although"),
        ],
    )]);
}

/// An address has all the bits of its register: half of one is another address, where it is none.
#[test]
fn addresses_have_their_width() {
    const ELSEWHERE: &str = "accesses an address that cannot be followed";
    beside(&[(
        "aarch64",
        What::Load,
        "b32",
        "ldar w8, [x0]; str w8, [x1]; ret",
        "ldar",
        &[("ldar", "mov w0, w0; ldar", ELSEWHERE)],
    )]);
}

/// A load-reserved whose store-conditional never comes writes nothing back, and one that is given
/// up lets none succeed.
#[test]
fn halves_of_pairs_that_stand_alone() {
    let swap = "1:; ldaxr w8, [x0]; stlxr w9, w3, [x0]; cbnz w9, 1b; str w8, [x1]; ret";
    let compare = "1:; ldaxr w8, [x0]; cmp w8, w4; b.ne 2f; stlxr w9, w3, [x0]; cbnz w9, 1b; mov w9, #1; b 3f; 2:; mov w9, wzr; 3:; strb w9, [x2]; str w8, [x1]; ret";
    beside(&[
        (
            "aarch64",
            What::Load,
            "b32",
            "ldaxr w8, [x0]; str w8, [x1]; ret",
            "ldar",
            &[("ldaxr", "ldxr", "ldr")],
        ),
        (
            "aarch64",
            What::Load,
            "b32",
            "1:; ldaxr w8, [x0]; stlxr w9, w8, [x0]; cbnz w9, 1b; str w8, [x1]; ret",
            "ldaxr_stlxr",
            &[
                ("cbnz w9, 1b", "nop", "it accesses the object again behind the access"),
                ("; cbnz", "; clrex; cbnz", "ldaxr_stlxr"),
            ],
        ),
        (
            "aarch64",
            rmw("exch"),
            "b32",
            swap,
            "ldaxr_stlxr",
            &[
                ("; stlxr", "; clrex; stlxr", "does not end"),
                ("; cbnz", "; clrex; cbnz", "ldaxr_stlxr"),
            ],
        ),
        (
            "aarch64",
            SWAP,
            "b32",
            compare,
            "ldaxr_stlxr, ldaxr_stlxr",
            &[
                ("; stlxr", "; clrex; stlxr", "does not end"),
                ("2:; mov", "2:; clrex; mov", "ldaxr_stlxr, ldaxr_stlxr"),
            ],
        ),
        // What another thread writes between the two halves lets the second one fail: what is read
        // there is what the first one read.
        (
            "aarch64",
            rmw("exch"),
            "b32",
            "1:; ldaxr w10, [x0]; ldr w8, [x0]; stlxr w9, w3, [x0]; cbnz w9, 1b; str w8, [x1]; ret",
            "ldaxr_stlxr",
            &[("stlxr w9, w3, [x0]; cbnz w9, 1b", "stlr w3, [x0]", "other: ")],
        ),
    ]);
}

/// What each instruction makes of the flags, and each condition of them, as the manual has it:
/// carry and overflow of sums and differences in their width, neither for what is computed bit by
/// bit.
#[test]
fn flags_are_those_of_the_machine() {
    for FlagNumbers { a, b, difference, borrow, over, sum, carry, over_sum } in FlagNumbers::all() {
        for (instruction, flags) in [
            ("cmp w8, w9", flags(difference, !borrow, over)),
            ("subs w8, w8, w9", flags(difference, !borrow, over)),
            ("adds w8, w8, w9", flags(sum, carry, over_sum)),
            ("cmn w8, w9", flags(sum, carry, over_sum)),
            ("ands w8, w8, w9", flags(a & b, false, false)),
            ("tst w8, w9", flags(a & b, false, false)),
        ] {
            for (condition, holds) in conditions_of_arm(flags) {
                let begin = format!("mov w8, #{a}; mov w9, #{b}; {instruction}");
                for way in [format!("b.{condition}"), format!("cset w10, {condition}; cbnz w10,")] {
                    fence_stands(
                        "aarch64",
                        "dmb",
                        &format!("{begin}; {way} 1f; ret; 1:; dmb ish; ret"),
                        holds,
                    );
                }
            }
        }
    }
}
