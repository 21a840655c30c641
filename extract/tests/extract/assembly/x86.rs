//! Assembly of x86 in both syntaxes, as gcc and clang print it.

use margay_extract::point::What;

use super::{FlagNumbers, SWAP, beside, built_in, fence_stands, flags, rmw};

/// Both syntaxes of x86.
#[test]
fn code_of_compilers_becomes_rows() {
    let is = |what, kind, body: &str, expected: &[&str]| {
        assert_eq!(built_in("x86", what, kind, body), expected, "{body}")
    };
    is(What::Load, "b32", "movl (%rdi), %eax; movl %eax, (%rsi); ret", &["load"]);
    is(What::Load, "b8", "movzbl (%rdi), %eax; movb %al, (%rsi); retq", &["load"]);
    is(What::Load, "b32", "mov eax, dword ptr [rdi]; mov dword ptr [rsi], eax; ret", &["load"]);
    is(What::Store, "b32", "xchgl %ecx, (%rdi); ret", &["lock_xchg"]);
    is(What::Store, "b16", "movw %cx, (%rdi); mfence; ret", &["store ; mfence"]);
    is(What::Fence, "", "lock orq $0, (%rsp); ret", &["mfence"]);
    is(rmw("add"), "b32", "lock\t\txaddl %ecx, (%rdi); movl %ecx, (%rsi); ret", &["lock_xchg"]);
    is(
        SWAP,
        "b8",
        "movl %r8d, %eax; lock cmpxchgb %cl, (%rdi); sete (%rdx); movb %al, (%rsi); ret",
        &["lock_xchg", "lock_xchg"],
    );
    let nand = "movzbl (%rdi), %eax; .L11:; movl %eax, %edx; movl %eax, %r8d; andl %ecx, %edx; notl %edx; lock cmpxchgb %dl, (%rdi); jne .L11; movb %r8b, (%rsi); ret";
    is(rmw("nand"), "b8", nand, &["lock_xchg"]);
}

/// A suffix and its register say the same width.
#[test]
fn suffixes_are_those_of_their_registers() {
    beside(&[
        (
            "x86",
            SWAP,
            "b32",
            "movl %r8d, %eax; lock cmpxchgl %ecx, (%rdi); sete (%rdx); movl %eax, (%rsi); ret",
            "lock_xchg, lock_xchg",
            &[
                ("movl %r8d, %eax", "movl %r8, %rax", "`movl %r8, %rax` is not read"),
                ("movl %r8d, %eax", "movq %r8d, %eax", "`movq %r8d, %eax` is not read"),
                ("cmpxchgl", "cmpxchgb", "`lock cmpxchgb %ecx, (%rdi)` is not read"),
                ("cmpxchgl", "cmpxchg", "lock_xchg, lock_xchg"),
                ("movl %eax, (%rsi)", "movw %eax, (%rsi)", "`movw %eax, (%rsi)`"),
            ],
        ),
        (
            "x86",
            What::Store,
            "b32",
            "movl %ecx, (%rdi); ret",
            "store",
            &[
                ("movl %ecx", "movl %rcx", "`movl %rcx, (%rdi)` is not read"),
                ("movl", "mov", "store"),
            ],
        ),
        (
            "x86",
            rmw("add"),
            "b32",
            "leal (%rcx, %r9), %eax; lock xaddl %ecx, (%rdi); movl %ecx, (%rsi); ret",
            "lock_xchg",
            &[
                ("xaddl", "xaddw", "`lock xaddw %ecx, (%rdi)` is not read"),
                ("xaddl", "xaddq", "`lock xaddq %ecx, (%rdi)` is not read"),
            ],
        ),
    ]);
}

/// Frames, signed return addresses, and parts of registers as compilers print them are followed,
/// and so is what is wrong with them.
#[test]
fn frames_and_parts_of_registers() {
    const BACK: &str = "does not lead back to where the function was called";
    beside(&[
        (
            "x86",
            What::Load,
            "b32",
            "endbr64; pushq %rbp; movq %rsp, %rbp; subq $16, %rsp; movl (%rdi), %eax; movl %eax, -4(%rbp); movl %eax, (%rsi); leave; rep ret",
            "load",
            &[
                ("leave", "popq %rbp", BACK),
                ("leave; ", "", BACK),
                ("movq %rsp, %rbp; ", "", "cannot be followed"),
            ],
        ),
        (
            "x86",
            SWAP,
            "b32",
            "movl %r8d, %eax; lock cmpxchgl %ecx, (%rdi); sete (%rdx); andb $1, (%rdx); movl %eax, (%rsi); ret",
            "lock_xchg, lock_xchg",
            &[
                ("andb $1", "andb $2", "says that it failed"),
                ("andb $1", "xorb $1", "says that it"),
                ("andb $1, (%rdx)", "andb $1, (%rdi)", "other: "),
                ("andb $1, (%rdx)", "movb $1, %r9b; andb %r9b, (%rdx)", "lock_xchg, lock_xchg"),
            ],
        ),
        (
            "x86",
            rmw("and"),
            "b8",
            "movb (%rdi), %al; .L2:; movl %eax, %r8d; movl %eax, %edx; andl %ecx, %r8d; lock cmpxchgb %r8b, (%rdi); jne .L2; movb %dl, (%rsi); ret",
            "lock_xchg",
            &[
                ("andl", "orl", "other: "),
                ("cmpxchgb %r8b", "cmpxchgl %r8d", "other: "),
                ("movb %dl", "movb %dh", "other: "),
                ("movb %dl", "shrl $1, %edx; movb %dl", "other: "),
            ],
        ),
        (
            "x86",
            rmw("max"),
            "b8",
            "movb (%rdi), %al; .L1:; movl %ecx, %edx; cmpb %cl, %al; cmovge %eax, %edx; lock cmpxchgb %dl, (%rdi); jne .L1; movb %al, (%rsi); ret",
            "lock_xchg",
            // What stands above both bytes may be anything.
            &[("cmpb %cl, %al", "cmpl %ecx, %eax", "other: ")],
        ),
    ]);
}

/// What changes code without being an instruction is in the way of its row.
#[test]
fn directives_that_are_not_passed_over() {
    const X86: &str = "\tmfence; .p2align 4, 0x90; .loc 1 2 3; ret";
    beside(&[(
        "x86",
        What::Fence,
        "",
        X86,
        "mfence",
        &[
            ("\t", ".data; ", "`.data` makes bytes, or lies elsewhere, and is not read"),
            ("\t", ".bss; .text 1; ", "`.bss`"),
            ("\t", ".previous; ", "`.previous`"),
            ("\t", ".pushsection .data; ", "`.pushsection .data`"),
            ("\t", ".value 0xc3; ", "`.value 0xc3`"),
            ("\t", ".uleb128 0x43; ", "`.uleb128 0x43`"),
            ("0x90", "0xc3", "`.p2align 4, 0xc3`"),
            ("\t", ".IF 0; ", "`.IF 0` may change what other lines are, and is not read"),
            // A jump leads over it, into what is not assembled.
            ("\t", "jmp 2f; .if 0; 2:; mfence; ret; .endif; 2:; ", "`.if 0`"),
            ("\t", "jmp 2f; .string \"; 2:; mfence; ret; \"; 2:; ", "`.string \"`"),
            ("\t", "jmp 2f; /*; 2:; mfence; ret; */; 2:; ", "`/*`"),
            ("\t", "jmp 2f; 2 :; ret; 2:; ", "`2 :`"),
            ("\t", ".macro mfence; .endm; ", "`.macro mfence`"),
            ("\t", ".set x, 1; ", "`.set x, 1`"),
            ("\t", ".LFB0 = .; ", "mfence"),
            ("\t", "$LVL1 = . ; ", "mfence"),
            ("\t", "jmp .LFB0; .LFB0 = .; ", "`jmp .LFB0`"),
            ("\t", ".LFB0 = .+1; ", "`.LFB0 = .+1`"),
            ("\t", "f = .; ", "`f = .`"),
            ("\t", ".dc.b 0xc3; ", "`.dc.b 0xc3`"),
            // An address that is so many bytes behind is that of the next instruction where all
            // have four.
            ("\t", "jmp .+4; ret; ", "`jmp .+4`"),
        ],
    )]);
}

/// Registers and values have as many bits as the instruction says: what is cut, extended by a sign,
/// or left in a register, is so in a trial.
#[test]
fn values_have_their_widths() {
    const LOCKED: &str =
        "movl %r8d, %eax; lock cmpxchgl %ecx, (%rdi); movl %eax, (%rsi); sete (%rdx); ret";
    const BYTE: &str =
        "movb %r8b, %al; lock cmpxchgb %cl, (%rdi); movb %al, (%rsi); sete (%rdx); ret";
    beside(&[
        ("x86", What::Load, "b8", "movb (%rdi), %al; movb %al, (%rsi); ret", "load", &[]),
        (
            "x86",
            What::Load,
            "b16",
            "movw (%rdi), %ax; movw %ax, (%rsi); ret",
            "load",
            &[("movw (%rdi)", "movb (%rdi)", "other: ")],
        ),
        // What looks like a store, and is a load.
        (
            "x86",
            What::Store,
            "b8",
            "movb %cl, (%rdi); ret",
            "store",
            &[("%cl, (%rdi)", "(%rdi), %cl", "it does not write the object")],
        ),
        (
            "x86",
            What::Load,
            "b32",
            "movl (%rdi), %eax; movl %eax, (%rsi); ret",
            "load",
            &[
                ("; movl %eax", "; movb %r9b, %al; movl %eax", "cannot be followed"),
                ("; movl %eax", "; movb %al, %al; movl %eax", "load"),
                ("; movl %eax", "; movzbl %al, %eax; movl %eax", "returns"),
                ("; movl %eax", "; movsbl %al, %eax; movl %eax", "returns"),
            ],
        ),
        (
            "x86",
            SWAP,
            "b32",
            LOCKED,
            "lock_xchg, lock_xchg",
            &[
                ("sete (%rdx)", "sete %cl; movb %cl, (%rdx)", "lock_xchg, lock_xchg"),
                ("sete (%rdx)", "sete %r9b; movb %r9b, (%rdx)", "lock_xchg, lock_xchg"),
                ("sete (%rdx)", "sete %cl; testb %cl, %cl; setne (%rdx)", "lock_xchg, lock_xchg"),
                (
                    "sete (%rdx)",
                    "sete %cl; movzbl %cl, %ecx; testl %ecx, %ecx; setne (%rdx)",
                    "lock_xchg, lock_xchg",
                ),
                (
                    "sete (%rdx)",
                    "sete %cl; testl %ecx, %ecx; setne (%rdx)",
                    "it does not write and says that it succeeded",
                ),
                // What is in the upper half does not count, nor does it where the instruction has
                // 32 bits.
                (
                    "movl %r8d, %eax",
                    "movabsq $78187493520, %rax; movl %r8d, %eax",
                    "lock_xchg, lock_xchg",
                ),
                (
                    "movl %r8d, %eax",
                    "movabsq $78187493520, %rax; movw %r8w, %ax",
                    "it does not write although",
                ),
            ],
        ),
        (
            "x86",
            SWAP,
            "b8",
            BYTE,
            "lock_xchg, lock_xchg",
            &[
                ("movb %r8b, %al", "movl $305419896, %eax; movb %r8b, %al", "lock_xchg, lock_xchg"),
                ("sete (%rdx)", "cmpb %r8b, %al; sete (%rdx)", "lock_xchg, lock_xchg"),
                (
                    "movb %r8b, %al; lock",
                    "movl $305419896, %eax; movb %r8b, %al; lock",
                    "lock_xchg, lock_xchg",
                ),
                (
                    "movb %r8b, %al; lock cmpxchgb %cl, (%rdi); movb %al, (%rsi); sete",
                    "movl $305419896, %eax; movb %r8b, %al; movl %eax, %r9d; orl $256, %eax; lock cmpxchgb %cl, (%rdi); movb %al, (%rsi); cmpl %r9d, %eax; sete",
                    "it writes and says that it failed",
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
        "x86",
        SWAP,
        "b32",
        "movl %r8d, %eax; lock cmpxchgl %ecx, (%rdi); sete (%rdx); movl %eax, (%rsi); ret",
        "lock_xchg, lock_xchg",
        &[("sete", "movb %r9b,", UNKNOWN), ("sete (%rdx); ", "", UNKNOWN)],
    )]);
}

/// A function ends where it returns, and returns to where it was called; Armv7's pc is no register
/// that a value is read from or written to.
#[test]
fn functions_return() {
    const ASTRAY: &str = "does not lead back to where the function was called";
    beside(&[(
        "x86",
        What::Fence,
        "",
        "pushq %rbx; mfence; popq %rbx; ret",
        "mfence",
        &[
            ("popq %rbx; ", "", ASTRAY),
            ("pushq %rbx; ", "", ASTRAY),
            ("popq", "movq %rdi, 8(%rsp); popq", ASTRAY),
        ],
    )]);
}

/// What stands above a parameter that is narrower than its register is not known on x86 and
/// AArch64.
#[test]
fn bits_above_a_parameter_are_not_zeros() {
    beside(&[(
        "x86",
        rmw("max"),
        "b8",
        "movzbl (%rdi), %eax; 1:; movl %ecx, %edx; cmpb %cl, %al; cmovgel %eax, %edx; lock cmpxchgb %dl, (%rdi); jne 1b; movb %al, (%rsi); ret",
        "lock_xchg",
        &[
            ("cmpb %cl, %al", "cmpl %ecx, %eax", "max of"),
            ("cmpb %cl, %al", "cmpw %cx, %ax", "max of"),
        ],
    )]);
}

/// An address has all the bits of its register: half of one is another address, where it is none.
#[test]
fn addresses_have_their_width() {
    const ELSEWHERE: &str = "accesses an address that cannot be followed";
    beside(&[(
        "x86",
        What::Load,
        "b32",
        "pushq %rdi; popq %r9; movl (%r9), %eax; movl %eax, (%rsi); ret",
        "load",
        &[
            ("(%r9)", "(%r9d)", ELSEWHERE),
            ("popq %r9;", "popq %r9; movl %r9d, %r9d;", ELSEWHERE),
            ("popq %r9;", "popq %r9; movslq %r9d, %r9;", ELSEWHERE),
            ("pushq %rdi", "pushq %rsi", "it does not read the object"),
        ],
    )]);
}

/// What each instruction makes of the flags, and each condition of them, as the manual has it:
/// carry and overflow of sums and differences in their width, neither for what is computed bit by
/// bit, the carry that `inc` leaves.
#[test]
fn flags_are_those_of_the_machine() {
    for FlagNumbers { a, b, difference, borrow, over, sum, carry, over_sum } in FlagNumbers::all() {
        let (least, most) = (a as i32 == i32::MIN, a as i32 == i32::MAX);
        let (inc, dec) = (a.wrapping_add(1), a.wrapping_sub(1));
        for (instruction, (zero, carry, less, sign)) in [
            ("cmpl %ecx, %eax", flags(difference, borrow, over)),
            ("subl %ecx, %eax", flags(difference, borrow, over)),
            ("addl %ecx, %eax", flags(sum, carry, over_sum)),
            ("andl %ecx, %eax", flags(a & b, false, false)),
            ("testl %ecx, %eax", flags(a & b, false, false)),
            ("xorl %ecx, %eax", flags(a ^ b, false, false)),
            // The carry is that of the comparison before it.
            ("cmpl %ecx, %eax; incl %eax", flags(inc, borrow, most)),
            ("cmpl %ecx, %eax; decl %eax", flags(dec, borrow, least)),
            ("addl %eax, %ecx; decl %eax", flags(dec, carry, least)),
            ("negl %eax", flags(a.wrapping_neg(), a != 0, least)),
        ] {
            let conditions = [
                ("e", zero),
                ("ne", !zero),
                ("b", carry),
                ("ae", !carry),
                ("be", carry || zero),
                ("a", !carry && !zero),
                ("l", less),
                ("ge", !less),
                ("le", less || zero),
                ("g", !less && !zero),
                ("s", sign),
                ("ns", !sign),
            ];
            for (condition, holds) in conditions {
                let begin = format!("movl ${a}, %eax; movl ${b}, %ecx; {instruction}");
                let chosen = format!(
                    "movl $0, %edx; movl $1, %ecx; cmov{condition}l %ecx, %edx; testl %edx, %edx; jne"
                );
                for way in [
                    format!("j{condition}"),
                    format!("set{condition} %cl; testb %cl, %cl; jne"),
                    chosen,
                ] {
                    fence_stands(
                        "x86",
                        "mfence",
                        &format!("{begin}; {way} 1f; ret; 1:; mfence; ret"),
                        holds,
                    );
                }
            }
        }
    }
}
