//! Assembly of Armv7, as gcc and clang print it.

use margay_extract::point::What;

use super::{
    FlagNumbers, SWAP, beside, built_in, conditions_of_arm, fence_stands, flags, rmw, trial,
};

/// Armv7: parameters on the stack, and a fence that no row can say.
#[test]
fn code_of_compilers_becomes_rows() {
    let is = |what, kind, body: &str, expected: &[&str]| {
        assert_eq!(built_in("armv7", what, kind, body), expected, "{body}")
    };
    let cas = "push {r4, lr}; ldr lr, [sp, #8]; dmb ish; .L1:; ldrex ip, [r0]; cmp ip, lr; bne .L2; strex r4, r3, [r0]; cmp r4, #0; bne .L1; .L2:; dmb ish; \
               moveq r3, #1; movne r3, #0; strb r3, [r2]; str ip, [r1]; pop {r4, pc}";
    is(SWAP, "b32", cas, &["dmb ; ldrex_strex ; ctrl ; dmb", "dmb ; ldrex_strex ; ctrl ; dmb"]);
    let between =
        cas.replace("dmb ish; .L1:", ".L1:").replace("bne .L2; strex", "bne .L2; dmb ish; strex");
    is(
        SWAP,
        "b32",
        &between,
        &["other: a fence stands between the halves of a pair", "ldrex_strex ; ctrl ; dmb"],
    );
}

/// What changes code without being an instruction is in the way of its row.
#[test]
fn directives_that_are_not_passed_over() {
    beside(&[(
        "armv7",
        What::Fence,
        "",
        "dmb ish @ # 10; bx lr",
        "dmb",
        &[("ish @", "", "dmb.st")],
    )]);
}

/// A compare-exchange says whether it succeeded: in the bits of Power's condition register, in what
/// is computed from the values, and on every machine. What is not known is no row.
#[test]
fn success_is_known() {
    const UNKNOWN: &str = "whether it says that it succeeded cannot be followed";
    beside(&[(
        "armv7",
        SWAP,
        "b32",
        "push {r4, lr}; ldr lr, [sp, #8]; 1:; ldrex ip, [r0]; cmp ip, lr; bne 2f; strex r4, r3, [r0]; cmp r4, #0; bne 1b; 2:; dmb ish; \
             moveq r3, #1; movne r3, #0; strb r3, [r2]; str ip, [r1]; pop {r4, pc}",
        "ldrex_strex ; ctrl ; dmb, ldrex_strex ; ctrl ; dmb",
        &[
            ("strb r3", "strb r5", "says that it succeeded"),
            ("strb r3, [r2]; ", "", UNKNOWN),
            ("#8]", "#4]", "it does not write although"),
        ],
    )]);
}

/// A function ends where it returns, and returns to where it was called; Armv7's pc is no register
/// that a value is read from or written to.
#[test]
fn functions_return() {
    const ASTRAY: &str = "does not lead back to where the function was called";
    const ARM: &str = "ldr r3, [r0]; dmb ish; str r3, [r1]; bx lr";
    const BEHIND: &str = "dmb ish; str r3, [r1]; bx lr";
    beside(&[(
        "armv7",
        What::Load,
        "b32",
        ARM,
        "ldr ; dmb",
        &[
            (BEHIND, "str r3, [r1]; bx lr; dmb ish; bx lr", "ldr"),
            (BEHIND, "str r3, [r1]; mov pc, lr; dmb ish; bx lr", "ldr"),
            (BEHIND, "str r3, [r1]; push {r4, lr}; pop {r4, pc}; dmb ish; bx lr", "ldr"),
            (BEHIND, "str r3, [r1]; push {r4, lr}; pop {r4, lr}; bx lr; dmb ish; bx lr", "ldr"),
            (BEHIND, "str r3, [r1]; pop {pc}; dmb ish; bx lr", ASTRAY),
            (BEHIND, "str r3, [r1]; push {r4, lr}; pop {pc}; dmb ish; bx lr", ASTRAY),
            (BEHIND, "str r3, [r1]; push {r4, lr}; bx lr; dmb ish; bx lr", ASTRAY),
            (BEHIND, "str r3, [r1]; ldr pc, [sp, #8]; dmb ish; bx lr", "`ldr pc, [sp, #8]`"),
            (BEHIND, "str r3, [r1]; sub r15, lr, #0; dmb ish; bx lr", "`sub r15, lr, #0`"),
            (BEHIND, "str r3, [r1]; add pc, pc, #0; dmb ish; bx lr", "`add pc, pc, #0`"),
            (BEHIND, "str r3, [r1]; cmp r3, #0; moveq pc, lr; dmb ish; bx lr", "`moveq pc, lr`"),
            (BEHIND, "str r3, [r1]; bx ip; dmb ish; bx lr", "`bx ip`"),
            (BEHIND, "str r3, [r1]; ldmfd sp!, {pc}; dmb ish; bx lr", "`ldmfd sp!, {pc}`"),
            ("dmb", "mov lr, r3; dmb", ASTRAY),
            ("str r3", "ldr r3, [pc, #4]; str r3", "`ldr r3, [pc, #4]`"),
        ],
    )]);
}

/// Armv7's carry behind a number that is not a byte: it was rotated, or the assembler takes another
/// instruction.
#[test]
fn carries_of_rotated_numbers() {
    for (instruction, path) in [
        ("tst r2, #255", "dmb ish"),
        ("ands r12, r2, #255", "dmb ish"),
        ("tst r2, #256", "dmb ish or nothing"),
        ("tst r2, #-2147483648", "dmb ish or nothing"),
        ("teq r2, #1024", "dmb ish or nothing"),
        ("ands r12, r2, #-256", "dmb ish or nothing"),
        ("eors r12, r2, #65280", "dmb ish or nothing"),
    ] {
        let found = trial(
            "armv7",
            &format!(
                "mov r2, #1; mov r3, #1; cmp r2, r3; {instruction}; bhs 1f; bx lr; 1:; dmb ish; bx lr"
            ),
        );
        assert_eq!(found, path, "{instruction}");
    }
}

/// A load-reserved whose store-conditional never comes writes nothing back, and one that is given
/// up lets none succeed.
#[test]
fn halves_of_pairs_that_stand_alone() {
    beside(&[
        (
            "armv7",
            What::Load,
            "b32",
            "ldrex r3, [r0]; clrex; dmb ish; str r3, [r1]; bx lr",
            "ldr ; dmb",
            &[],
        ),
        (
            "armv7",
            rmw("exch"),
            "b32",
            "1:; ldrex r12, [r0]; strex r2, r3, [r0]; cmp r2, #0; bne 1b; str r12, [r1]; bx lr",
            "ldrex_strex",
            &[("; strex", "; clrex; strex", "does not end")],
        ),
    ]);
}

/// What each instruction makes of the flags, and each condition of them, as the manual has it:
/// carry and overflow of sums and differences in their width, neither for what is computed bit by
/// bit, the carry that `ands` leaves.
#[test]
fn flags_are_those_of_the_machine() {
    for FlagNumbers { a, b, difference, borrow, over, sum, carry, over_sum } in FlagNumbers::all() {
        for (instruction, flags) in [
            ("cmp r2, r3", flags(difference, !borrow, over)),
            ("subs r2, r2, r3", flags(difference, !borrow, over)),
            ("adds r2, r2, r3", flags(sum, carry, over_sum)),
            // Carry and overflow are those of the comparison before it.
            ("cmp r2, r3; ands r2, r2, r3", flags(a & b, !borrow, over)),
            ("cmp r2, r3; tst r2, r3", flags(a & b, !borrow, over)),
            ("adds r12, r2, r3; eors r2, r2, r3", flags(a ^ b, carry, over_sum)),
        ] {
            for (condition, holds) in conditions_of_arm(flags) {
                let begin = format!("mov r2, #{a}; mov r3, #{b}; {instruction}");
                for way in [
                    format!("b{condition}"),
                    format!("mov r0, #0; mov{condition} r0, #1; cmp r0, #0; bne"),
                ] {
                    fence_stands(
                        "armv7",
                        "dmb",
                        &format!("{begin}; {way} 1f; bx lr; 1:; dmb ish; bx lr"),
                        holds,
                    );
                }
            }
        }
    }
}

/// A difference takes one more away where the one before it borrowed, and says so in its own flags.
#[test]
fn differences_go_on() {
    for FlagNumbers { a, b, difference, borrow, over, .. } in FlagNumbers::all() {
        let less = difference.wrapping_sub(1);
        let borrowed = u64::from(a) < u64::from(b) + 1;
        let over_less = i64::from(a as i32) - i64::from(b as i32) - 1 != i64::from(less as i32);
        for (before, result, flags) in [
            ("mov r0, #0; mov r1, #0; cmp r0, r1", difference, flags(difference, !borrow, over)),
            ("mov r0, #0; mov r1, #1; cmp r0, r1", less, flags(less, !borrowed, over_less)),
        ] {
            let begin = format!("{before}; mov r2, #{a}; mov r3, #{b}; sbcs r12, r2, r3");
            for (condition, holds) in conditions_of_arm(flags) {
                fence_stands(
                    "armv7",
                    "dmb",
                    &format!("{begin}; b{condition} 1f; bx lr; 1:; dmb ish; bx lr"),
                    holds,
                );
            }
            fence_stands(
                "armv7",
                "dmb",
                &format!(
                    "{begin}; mov r3, #{result}; cmp r12, r3; beq 1f; bx lr; 1:; dmb ish; bx lr"
                ),
                true,
            );
        }
    }
}

#[test]
fn zeros_in_front_are_counted() {
    for number in
        [0_u32, 1, 2, 3, 255, 256, 65_535, 65_536, 0x00ff_ffff, 0x7fff_ffff, 0x8000_0000, u32::MAX]
    {
        let zeros = number.leading_zeros();
        let counted = |n: u32| {
            format!(
                "mov r2, #{number}; clz r3, r2; mov r2, #{n}; cmp r3, r2; beq 1f; bx lr; 1:; dmb ish; bx lr"
            )
        };
        fence_stands("armv7", "dmb", &counted(zeros), true);
        fence_stands("armv7", "dmb", &counted(zeros + 1), false);
    }
}

/// Several registers are stored and loaded in their order from the lowest address, which `!` moves
/// on behind them; whatever is pushed is given back.
#[test]
fn several_registers_at_once() {
    const PUSHED: &str = "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}; sub sp, sp, #16; mov r4, sp; stm r4!, {r0, r1, r3}; ldm sp, {r5, r6, r7}; add sp, sp, #16;                           dmb ish; 1:; ldrex r8, [r5]; add r9, r8, r7; strex r10, r9, [r5]; cmp r10, #0; bne 1b; str r8, [r6];                           pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}";
    beside(&[(
        "armv7",
        rmw("add"),
        "b32",
        PUSHED,
        "dmb ; ldrex_strex",
        &[
            ("{r5, r6, r7}", "{r6, r5, r7}", "other: "),
            ("stm r4!, {r0, r1, r3}", "stm r4!, {r0, r1}; str r3, [r4, #4]", "other: "),
            (
                "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}",
                "pop {r5, r4, r6, r7, r8, r9, r10, r11, pc}",
                "back",
            ),
            (
                "ldm sp, {r5, r6, r7}",
                "ldm sp, {r5, r6, r7, r8, r9, r10, r11}",
                "so many registers at once",
            ),
        ],
    )]);
}

/// 64 bits are pairs of registers, one access in an exclusive pair and two elsewhere; what is
/// computed has a carry. An instruction under a condition says so itself, whatever `it` announces.
#[test]
fn pairs_of_registers() {
    const SWAPPED: &str = "push {r4, r5, r6, r7, fp}; ldrd fp, [sp, #28]; ldrd r6, [sp, #20]; dmb ish; 1:; ldrexd r4, r5, [r0]; cmp r5, ip; it eq; \
                           cmpeq r4, fp; bne 2f; strexd r3, r6, r7, [r0]; cmp r3, #0; bne 1b; 2:; dmb ish; ite eq; moveq r3, #1; movne r3, #0; \
                           strb r3, [r2]; strd r4, [r1]; pop {r4, r5, r6, r7, fp}; bx lr";
    const ADDED: &str = "push {r4, r5, r6, r7}; ldrd r2, [sp, #16]; dmb ish; 1:; ldrexd r4, r5, [r0]; adds r6, r4, r2; adc r7, r5, r3; \
                         strexd ip, r6, r7, [r0]; cmp ip, #0; bne 1b; dmb ish; strd r4, [r1]; pop {r4, r5, r6, r7}; bx lr";
    const SUBTRACTED: &str = "push {r4, r5, r6, r7}; ldrd r2, [sp, #16]; dmb ish; 1:; ldrexd r4, r5, [r0]; subs r6, r4, r2; sbc r7, r5, r3; \
                         strexd ip, r6, r7, [r0]; cmp ip, #0; bne 1b; dmb ish; strd r4, [r1]; pop {r4, r5, r6, r7}; bx lr";
    const STORED: &str = "push {r4, r5}; ldrd r2, [sp, #8]; dmb ish; 1:; ldrexd r4, r5, [r0]; strexd r1, r2, r3, [r0]; cmp r1, #0; bne 1b; \
                          pop {r4, r5}; bx lr";
    beside(&[
        (
            "armv7",
            SWAP,
            "b64",
            SWAPPED,
            "dmb ; ldrex_strex ; ctrl ; dmb, dmb ; ldrex_strex ; ctrl ; dmb",
            &[
                ("cmp r5, ip; it eq; cmpeq r4, fp", "cmp r4, fp", "it writes over"),
                ("cmp r5, ip; it eq; cmpeq r4, fp", "cmp r5, ip", "it writes over"),
                ("it eq; cmpeq", "cmp", "it writes over"),
                ("ldrd fp, [sp, #28]", "ldrd fp, [sp, #24]", "other: "),
                ("strd r4, [r1]", "str r4, [r1]", "what it returns cannot be followed"),
                ("strexd r3, r6, r7", "strexd r3, r7, r6", "it writes 0x"),
                ("strexd r3, r6, r7", "strex r3, r6", "it writes 0x"),
                ("pop {r4, r5, r6, r7, fp}", "pop {r4, r5, r6, fp, r7}", "other: "),
            ],
        ),
        (
            "armv7",
            rmw("add"),
            "b64",
            ADDED,
            "dmb ; ldrex_strex ; ctrl ; dmb",
            &[
                ("adc r7, r5, r3", "add r7, r5, r3; add r7, r7, #1", "add of"),
                ("adc r7, r5, r3", "adc r7, r5, r2", "add of"),
            ],
        ),
        (
            "armv7",
            rmw("sub"),
            "b64",
            SUBTRACTED,
            "dmb ; ldrex_strex ; ctrl ; dmb",
            &[
                ("sbc r7, r5, r3", "sub r7, r5, r3", "sub of"),
                ("sbc r7, r5, r3", "adc r7, r5, r3", "sub of"),
            ],
        ),
        (
            "armv7",
            What::Load,
            "b64",
            "ldrexd r2, r3, [r0]; dmb ish; strd r2, [r1]; bx lr",
            "ldr ; dmb",
            &[
                ("ldrexd r2, r3, [r0]", "ldrd r2, [r0]", "other: "),
                ("ldrexd r2, r3, [r0]", "ldrexd r3, r2, [r0]; mov r2, r3", "returns"),
                ("strd r2, [r1]", "strd r2, r2, [r1]", "returns"),
            ],
        ),
        (
            "armv7",
            What::Store,
            "b64",
            STORED,
            "dmb ; ldrex_strex",
            &[
                ("bne 1b", "bne 1b; dmb ish", "dmb ; ldrex_strex ; dmb"),
                ("bne 1b", "bne 1b; isb", "its loop reads"),
                ("[sp, #8]", "[sp, #16]", "it writes 0x"),
                (
                    "1:; ldrexd r4, r5, [r0]; strexd r1, r2, r3, [r0]; cmp r1, #0; bne 1b",
                    "strd r2, [r0]",
                    "more than once",
                ),
            ],
        ),
    ]);
}
