//! Assembly of Power, as gcc and clang print it.

use margay_extract::point::What;

use super::{SWAP, beside, built_in, trial};

/// Power: a branch to the next instruction is there for what it makes depend.
#[test]
fn code_of_compilers_becomes_rows() {
    let is = |what, kind, body: &str, expected: &[&str]| {
        assert_eq!(built_in("power", what, kind, body), expected, "{body}")
    };
    is(
        What::Load,
        "b32",
        "sync; lwz 9,0(3); cmpw cr7,9,9; bne- cr7,$+4; isync; stw 9,0(4); blr",
        &["sync ; ld ; ctrl ; isync"],
    );
    is(What::Load, "b32", "sync; lwz 9,0(3); isync; stw 9,0(4); blr", &["sync ; ld ; isync"]);
    let cas = "lwsync; .L1:; lwarx %r9,0,%r3; cmpw %cr0,%r9,%r7; bne %cr0,.L2; stwcx. %r6,0,%r3; bne %cr0,.L1; .L2:; isync; mfcr %r10,128; \
               rlwinm %r10,%r10,3,1; stb %r10,0(%r5); stw %r9,0(%r4); blr";
    is(
        SWAP,
        "b32",
        cas,
        &["lwsync ; lwarx_stwcx ; ctrl ; isync", "lwsync ; lwarx_stwcx ; ctrl ; isync"],
    );
}

/// Registers and values have as many bits as the instruction says: what is cut, extended by a sign,
/// or left in a register, is so in a trial.
#[test]
fn values_have_their_widths() {
    beside(&[(
        "power",
        What::Load,
        "b64",
        "ld 8, 0(3); lwsync; std 8, 0(4); blr",
        "ld ; lwsync",
        &[
            ("; std", "; extsw 8, 8; std", "returns"),
            ("; std", "; clrldi 8, 8, 32; std", "returns"),
            ("; std", "; li 9, 1; mullw 8, 8, 9; std", "returns"),
            ("; std", "; li 9, 1; mulld 8, 8, 9; std", "ld ; lwsync"),
        ],
    )]);
}

/// A compare-exchange says whether it succeeded: in the bits of Power's condition register, in what
/// is computed from the values, and on every machine. What is not known is no row.
#[test]
fn success_is_known() {
    const UNKNOWN: &str = "whether it says that it succeeded cannot be followed";
    const NUMBER: &str = "sync; 1:; lwarx %r9,0,%r3; cmpw %cr0,%r9,%r7; bne %cr0,2f; stwcx. %r6,0,%r3; bne %cr0,1b; 2:; isync; mfcr %r10,128; \
                          rlwinm %r10,%r10,3,1; stb %r10,0(%r5); stw %r9,0(%r4); blr";
    const ZEROS: &str = "sync; 1:; lwarx 8, 0, 3; cmpw 8, 7; bne 0, 2f; stwcx. 6, 0, 3; bne 0, 1b; 2:; xor 3, 8, 7; lwsync; cntlzw 3, 3; srwi 3, 3, 5; \
                         stb 3, 0(5); stw 8, 0(4); blr";
    const CHOICE: &str = "sync; 1:; lwarx 8, 0, 3; cmplw 8, 7; bne- 0, 2f; stwcx. 6, 0, 3; bne- 0, 1b; lwsync; creqv 20, 20, 20; b 3f; 2:; lwsync; \
                          crxor 20, 20, 20; 3:; li 3, 0; li 6, 1; isel 3, 6, 3, 20; stb 3, 0(5); stw 8, 0(4); blr";
    beside(&[
        (
            "power",
            SWAP,
            "b32",
            NUMBER,
            "sync ; lwarx_stwcx ; ctrl ; isync, sync ; lwarx_stwcx ; ctrl ; isync",
            &[
                ("3,1", "2,1", "says that it"),
                ("3,1", "4,1", "says that it"),
                ("3,1", "3,3", "says that it"),
                ("rlwinm %r10,%r10,3,1", "srwi %r10,%r10,29", "says that it"),
                ("mfcr %r10,128", "mfcr %r10,64", "`mfcr %r10,64`"),
                ("bne %cr0,1b", "crclr 2; bne %cr0,1b", "`crclr 2`"),
                (
                    "bne %cr0,1b",
                    "blt %cr0,1b",
                    "it does not write although it read what was expected",
                ),
                ("cmpw %cr0", "cmpw %cr7", "it does not write although"),
            ],
        ),
        (
            "power",
            SWAP,
            "b32",
            ZEROS,
            "sync ; lwarx_stwcx ; ctrl ; lwsync, sync ; lwarx_stwcx ; ctrl ; lwsync",
            &[
                ("3, 3, 5", "3, 3, 4", "says that it"),
                ("3, 3, 5", "3, 3, 6", "says that it"),
                ("cntlzw", "cntlzd", "says that it"),
                ("xor 3, 8, 7", "xor 3, 8, 6", "says that it"),
            ],
        ),
        (
            "power",
            SWAP,
            "b32",
            CHOICE,
            "sync ; lwarx_stwcx ; ctrl ; lwsync, sync ; lwarx_stwcx ; ctrl ; lwsync",
            &[
                ("isel 3, 6, 3, 20", "isel 3, 3, 6, 20", "says that it"),
                ("isel 3, 6, 3, 20", "isel 3, 6, 3, 21", "`isel 3, 6, 3, 21`"),
                ("creqv 20, 20, 20", "crxor 20, 20, 20", "says that it"),
                ("creqv 20, 20, 20", "creqv 20, 20, 21", "`creqv 20, 20, 21`"),
                ("stwcx. 6, 0, 3", "stwcx. 6, 0, 3; creqv 2, 2, 2", "`creqv 2, 2, 2`"),
                ("stb 3, 0(5); ", "", UNKNOWN),
            ],
        ),
    ]);
}

/// Each field of Power's condition register, and what instructions count, turn and cut: a fence
/// stands where a number is the one that the manual says.
#[test]
fn numbers_of_power_are_those_of_the_machine() {
    let is = |body: String, holds: bool| {
        let path = trial("power", &format!("{body}1f; blr; 1:; sync; blr"));
        assert_eq!(path, if holds { "sync" } else { "nothing" }, "{body}");
    };
    let numbers: [i64; 9] =
        [0, 1, 5, -1, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, i64::MIN, i64::MAX];
    for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
        for (instruction, order) in [
            ("cmpw", (a as i32).cmp(&(b as i32))),
            ("cmpd", a.cmp(&b)),
            ("cmplw", (a as u32).cmp(&(b as u32))),
            ("cmpld", (a as u64).cmp(&(b as u64))),
        ] {
            let bits = [order.is_lt(), order.is_gt(), order.is_eq()];
            let of = [
                ("lt", bits[0]),
                ("ge", !bits[0]),
                ("gt", bits[1]),
                ("le", !bits[1]),
                ("eq", bits[2]),
                ("ne", !bits[2]),
            ];
            let begin = |field: &str| format!("li 8, {a}; li 9, {b}; {instruction} {field}8, 9; ");
            for (condition, holds) in of {
                is(format!("{}b{condition} ", begin("")), holds);
                is(format!("{}b{condition} 0, ", begin("0, ")), holds);
                is(format!("{}b{condition} 7, ", begin("7, ")), holds);
            }
            for (bit, holds) in bits.into_iter().enumerate() {
                let choice =
                    format!("li 10, 1; li 11, 0; isel 10, 10, 11, {bit}; cmpwi 10, 0; bne ");
                is(begin("") + &choice, holds);
                let number =
                    format!("mfcr 10, 128; rlwinm 10, 10, {}, 1; cmpwi 10, 1; beq ", bit + 1);
                is(begin("") + &number, holds);
            }
        }
    }
    for n in [
        0u64,
        1,
        5,
        0x80,
        0xffff,
        0x1_0000,
        0x00ff_ffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_2345_6789,
        1 << 63,
        u64::MAX,
    ] {
        let low = n as u32;
        let mut all = vec![
            ("cntlzw 8, 8".to_owned(), u64::from(low.leading_zeros())),
            ("cntlzd 8, 8".to_owned(), u64::from(n.leading_zeros())),
        ];
        for by in [0u32, 1, 3, 16, 31] {
            let turned = u64::from(low.rotate_left(by));
            all.push((format!("rlwinm 8, 8, {by}, 0xff"), turned & 0xff));
            all.push((format!("rlwinm 8, 8, {by}, 24, 31"), turned & 0xff));
            all.push((format!("rlwinm 8, 8, {by}, 0, 30"), turned & 0xffff_fffe));
            all.push((format!("rlwinm 8, 8, {by}, 31, 31"), turned & 1));
            all.push((format!("rldicl 8, 8, {by}, 32"), n.rotate_left(by) & 0xffff_ffff));
            all.push((format!("clrlwi 8, 8, {by}"), u64::from(low & u32::MAX >> by)));
            all.push((format!("clrldi 8, 8, {by}"), n & u64::MAX >> by));
            all.push((format!("srwi 8, 8, {by}"), u64::from(low >> by)));
            all.push((format!("srdi 8, 8, {by}"), n >> by));
            all.push((format!("sldi 8, 8, {by}"), n << by));
        }
        for (instruction, result) in all {
            let begin = format!(
                "li 8, {}; {instruction}; li 9, {}; cmpd 8, 9; beq ",
                n as i64, result as i64
            );
            is(begin, true);
        }
    }
}

/// What stands above a parameter that is narrower than its register is not known on x86 and
/// AArch64.
#[test]
fn bits_above_a_parameter_are_not_zeros() {
    beside(&[(
        "power",
        SWAP,
        "b32",
        "sync; 1:; lwarx 8, 0, 3; cmpw 8, 7; bne 0, 2f; stwcx. 6, 0, 3; bne 0, 1b; 2:; xor 3, 8, 7; lwsync; cntlzw 3, 3; srwi 3, 3, 5; stb 3, 0(5); stw 8, 0(4); blr",
        "sync ; lwarx_stwcx ; ctrl ; lwsync, sync ; lwarx_stwcx ; ctrl ; lwsync",
        &[
            ("cmpw", "cmpd", "it does not write although"),
            (
                "cmpw",
                "cmplw",
                "sync ; lwarx_stwcx ; ctrl ; lwsync, sync ; lwarx_stwcx ; ctrl ; lwsync",
            ),
        ],
    )]);
}

/// An address has all the bits of its register: half of one is another address, where it is none.
#[test]
fn addresses_have_their_width() {
    const ELSEWHERE: &str = "accesses an address that cannot be followed";
    beside(&[(
        "power",
        What::Load,
        "b32",
        "lwz 8, 0(3); stw 8, 0(4); blr",
        "ld",
        // Register 0 in an address is the number.
        &[
            ("lwz", "extsw 3, 3; lwz", ELSEWHERE),
            ("lwz 8, 0(3)", "mr 0, 3; lwz 8, 0(0)", "expected an address"),
        ],
    )]);
}

/// A load-reserved whose store-conditional never comes writes nothing back, and one that is given
/// up lets none succeed.
#[test]
fn halves_of_pairs_that_stand_alone() {
    beside(&[(
        "power",
        What::Load,
        "b32",
        "lwsync; lwarx 8, 0, 3; cmpw 8, 8; bne- 0, .+4; isync; stw 8, 0(4); blr",
        "lwsync ; ld ; ctrl ; isync",
        &[],
    )]);
}

/// A function returns to where the link register said that it was called.
#[test]
fn the_link_register_leads_back() {
    const BACK: &str = "does not lead back to where the function was called";
    beside(&[(
        "power",
        What::Load,
        "b32",
        "mflr %r0; std %r0,16(%r1); lwz %r9,0(%r3); stw %r9,0(%r4); mtlr %r9; ld %r0,16(%r1); mtlr %r0; blr",
        "ld",
        &[
            ("; mtlr %r0", "", BACK),
            ("mtlr %r0", "mtlr %r4", BACK),
            ("std %r0,16", "std %r4,16", BACK),
            ("mtlr %r0; blr", "mtlr %r0; addi %r1,%r1,16; blr", BACK),
            ("mtlr %r9; ", "", "ld"),
        ],
    )]);
}
