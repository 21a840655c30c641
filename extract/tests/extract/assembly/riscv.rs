//! Assembly of RISC-V, as gcc and clang print it.

use margay_extract::point::What;

use super::{SWAP, beside, built_in, rmw};

/// RISC-V: labels that are numbers, and bytes that are changed in their word.
#[test]
fn code_of_compilers_becomes_rows() {
    let is = |what, kind, body: &str, expected: &[&str]| {
        assert_eq!(built_in("riscv", what, kind, body), expected, "{body}")
    };
    is(
        What::Load,
        "b32",
        "fence iorw,iorw; lw a5,0(a0); fence ir,iorw; sw a5,0(a1); ret",
        &["fence.rw_rw ; lw ; fence.r_rw"],
    );
    let cas = "1:; lr.w.aqrl a5,0(a0); bne a5,a4,1f; sc.w.rl a6,a3,0(a0); bnez a6,1b; 1:; sub a4,a5,a4; seqz a4,a4; sb a4,0(a2); sw a5,0(a1); ret";
    is(SWAP, "b32", cas, &["lr.aqrl_sc.rl", "lr.aqrl_sc.rl"]);
    let byte = "andi a7, a0, -4; slli a0, a0, 3; li a6, 255; zext.b a4, a4; zext.b a3, a3; sllw t0, a6, a0; sllw a6, a4, a0; sllw a3, a3, a0; \
                .L1:; lr.w.aq a4, (a7); and a5, a4, t0; bne a5, a6, .L3; xor a5, a4, a3; and a5, a5, t0; xor a5, a5, a4; sc.w.rl a5, a5, (a7); \
                bnez a5, .L1; .L3:; srlw a0, a4, a0; and a3, a4, t0; xor a3, a6, a3; seqz a3, a3; sb a3, 0(a2); sb a0, 0(a1); ret";
    is(SWAP, "b8", byte, &["lr.aq_sc.rl", "lr.aq_sc.rl"]);
    // Rounded down to 8 bytes the address is that of another word for every other object.
    let far = byte.replace("andi a7, a0, -4", "andi a7, a0, -8");
    assert!(
        built_in("riscv", SWAP, "b8", &far).iter().all(|row| row.starts_with("other: ")),
        "{far}"
    );
    let harms = byte.replace("xor a5, a4, a3; and a5, a5, t0; xor a5, a5, a4", "mv a5, a3");
    is(SWAP, "b8", &harms, &["other: it changes what lies beside the object"; 2]);
}

/// What changes code without being an instruction is in the way of its row.
#[test]
fn directives_that_are_not_passed_over() {
    beside(&[(
        "riscv",
        What::Fence,
        "",
        "fence rw, rw; ret",
        "fence.rw_rw",
        &[("fence", "beqz a0, .+4; fence", "`beqz a0, .+4`")],
    )]);
}

/// Registers and values have as many bits as the instruction says: what is cut, extended by a sign,
/// or left in a register, is so in a trial.
#[test]
fn values_have_their_widths() {
    beside(&[(
        "riscv",
        What::Load,
        "b64",
        "ld a5, 0(a0); fence r, rw; sd a5, 0(a1); ret",
        "lw ; fence.r_rw",
        &[
            ("; sd", "; sext.w a5, a5; sd", "returns"),
            ("; sd", "; slli a5, a5, 32; srli a5, a5, 32; sd", "returns"),
        ],
    )]);
}

/// A maximum of numbers with a sign is another operation than one of numbers without.
#[test]
fn maxima_with_and_without_a_sign() {
    for (operation, instruction, other) in [
        ("max", "amomax", "amomaxu"),
        ("umax", "amomaxu", "amomax"),
        ("min", "amomin", "amominu"),
        ("umin", "amominu", "amomin"),
        ("max", "amomax", "amomin"),
    ] {
        for (kind, w, st) in [("b32", "w", "sw"), ("b64", "d", "sd")] {
            let of = |name: &str| {
                built_in(
                    "riscv",
                    rmw(operation),
                    kind,
                    &format!("{name}.{w} a5,a3,(a0); {st} a5,0(a1); ret"),
                )
            };
            assert_eq!(of(instruction), ["amoswap"], "{operation} {kind}");
            assert!(
                of(other)[0].starts_with("other: "),
                "{operation} {kind} by {other}: {:?}",
                of(other)
            );
        }
    }
}

/// A compare-exchange says whether it succeeded: in the bits of Power's condition register, in what
/// is computed from the values, and on every machine. What is not known is no row.
#[test]
fn success_is_known() {
    const UNKNOWN: &str = "whether it says that it succeeded cannot be followed";
    beside(&[(
        "riscv",
        SWAP,
        "b32",
        "1:; lr.w.aqrl a5,0(a0); bne a5,a4,1f; sc.w.rl a6,a3,0(a0); bnez a6,1b; 1:; sub a4,a5,a4; seqz a4,a4; sb a4,0(a2); sw a5,0(a1); ret",
        "lr.aqrl_sc.rl, lr.aqrl_sc.rl",
        &[("sb a4", "sb t5", UNKNOWN), ("sb a4,0(a2); ", "", UNKNOWN)],
    )]);
}

/// A function ends where it returns, and returns to where it was called; Armv7's pc is no register
/// that a value is read from or written to.
#[test]
fn functions_return() {
    const ASTRAY: &str = "does not lead back to where the function was called";
    beside(&[(
        "riscv",
        What::Fence,
        "",
        "fence; ret",
        "fence.rw_rw",
        &[("fence", "mv ra, a0; fence", ASTRAY), ("fence", "addi sp, sp, -16; fence", ASTRAY)],
    )]);
}

/// What stands above a parameter that is narrower than its register is not known on x86 and
/// AArch64.
#[test]
fn bits_above_a_parameter_are_not_zeros() {
    beside(&[
        (
            "riscv",
            rmw("max"),
            "b32",
            "1:; lr.w a5, (a0); mv a4, a5; bge a4, a3, 2f; mv a4, a3; 2:; sc.w a4, a4, (a0); bnez a4, 1b; sw a5, 0(a1); ret",
            "lr_sc",
            &[("bge", "ble", "max of")],
        ),
        // It is the sign on RISC-V and Power.
        (
            "riscv",
            SWAP,
            "b32",
            "1:; lr.w.aqrl a5,0(a0); bne a5,a4,1f; sc.w.rl a6,a3,0(a0); bnez a6,1b; 1:; sub a4,a5,a4; seqz a4,a4; sb a4,0(a2); sw a5,0(a1); ret",
            "lr.aqrl_sc.rl, lr.aqrl_sc.rl",
            &[
                ("bne", "zext.w a5, a5; bne", "it does not write although"),
                ("bne", "slli a4, a4, 33; slli a5, a5, 33; bne", "other: "),
            ],
        ),
    ]);
}

/// An address has all the bits of its register: half of one is another address, where it is none.
#[test]
fn addresses_have_their_width() {
    const ELSEWHERE: &str = "accesses an address that cannot be followed";
    beside(&[(
        "riscv",
        What::Load,
        "b32",
        "lw a5, 0(a0); sw a5, 0(a1); ret",
        "lw",
        &[("lw", "sext.w a0, a0; lw", ELSEWHERE)],
    )]);
}

/// A load-reserved whose store-conditional never comes writes nothing back, and one that is given
/// up lets none succeed.
#[test]
fn halves_of_pairs_that_stand_alone() {
    beside(&[(
        "riscv",
        What::Load,
        "b32",
        "lr.w a5, (a0); fence r, rw; sw a5, 0(a1); ret",
        "lw ; fence.r_rw",
        &[(
            "lr.w",
            "lr.w.aq",
            "mappings have no load that is `lr.w.aq a5, (a0)` without its store-conditional",
        )],
    )]);
}
