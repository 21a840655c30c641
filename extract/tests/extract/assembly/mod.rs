//! Assembly to rows: what compilers print for CPUs, in small, and what goes wrong. A file for each
//! machine; here is what they share.

mod aarch64;
mod armv7;
mod findings;
mod loongarch;
mod power;
mod riscv;
mod x86;

use margay_extract::assembly::{AssemblyReader, TrialLayout, module, rows};
use margay_extract::lowering::LoweringAnswer;
use margay_extract::point::{Point, What};
use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_models::execution::Order;
use margay_models::signature::Architecture;

fn point(what: What, kind: &str) -> Point {
    let data = TYPES.iter().position(|t| *t == kind).filter(|_| what != What::Fence);
    Point { what, order: Order::Sc, scope: None, data }
}

fn rmw(operation: &str) -> What {
    What::Rmw(OPERATIONS.iter().position(|o| *o == operation).expect("an operation"))
}

/// What the front ends of CPUs have functions store.
pub const LAYOUT: TrialLayout = TrialLayout { own_word: false, value: true, success: true };

const SWAP: What = What::Swap(Order::Sc);

/// The rows of a function as text; of a compare-exchange that of success and that of failure.
/// `unused` is the function without the result.
fn of(
    architecture: Architecture,
    what: What,
    kind: &str,
    body: &str,
    unused: Option<&str>,
) -> Vec<String> {
    let text = |body: &str| {
        let read = module(
            &format!("\t.type f, @function\nf:\n{}\n\t.size f, .-f\n", body.replace("; ", "\n\t")),
            architecture,
        )
        .expect("a function");
        read.functions[0].text.clone()
    };
    let mut reader = AssemblyReader::of(architecture).expect("the text says its assembly");
    let unused = unused.map(text);
    rows(&mut reader, &point(what, kind), LAYOUT, &text(body), unused.as_deref())
        .rows
        .into_iter()
        .map(|row| match row.answer {
            LoweringAnswer::Lowered(all) => {
                all.iter().map(|s| s.text(None)).collect::<Vec<_>>().join(" or ")
            }
            LoweringAnswer::Other(why) => format!("other: {why}"),
            LoweringAnswer::Absent(why) | LoweringAnswer::Unknown(why) => why,
        })
        .collect()
}

/// The course that the trial of a fence takes.
fn trial(name: &str, body: &str) -> String {
    let architecture = Architecture::built_in(name).expect("it is shipped");
    let text = format!("f:\n\t{}\n\t.size f, .-f\n", body.replace("; ", "\n\t"));
    let read = module(&text, architecture).expect("a function");
    let mut reader = AssemblyReader::of(architecture).expect("the text says its assembly");
    rows(&mut reader, &point(What::Fence, ""), LAYOUT, &read.functions[0].text, None)
        .paths
        .join(" or ")
}

fn built_in(name: &str, what: What, kind: &str, body: &str) -> Vec<String> {
    of(Architecture::built_in(name).expect("it is shipped"), what, kind, body, None)
}

/// A function that is right, its rows, and what becomes of them where a part of it is replaced:
/// each change is wrong, or is another function.
type Beside = (
    &'static str,
    What,
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, &'static str)],
);

fn beside(all: &[Beside]) {
    for &(architecture, what, kind, body, rows, changes) in all {
        let found = |body: &str| built_in(architecture, what, kind, body).join(", ");
        assert_eq!(found(body), rows, "{architecture} {body}");
        for &(from, to, expected) in changes {
            let changed = body.replacen(from, to, 1);
            assert_ne!(changed, body, "{architecture}: `{from}` is not there");
            let row = found(&changed);
            // What is not to be a row has its reason here.
            let is = row == expected || row.contains("other: ") && row.contains(expected);
            assert!(is, "{architecture} {changed}\n  {row}\n  where `{expected}` was expected");
        }
    }
}

/// A register that is the caller's is given back as it was, on every path, whole, and in its own
/// place.
#[test]
fn registers_of_the_caller() {
    beside(&[
        (
            "x86",
            What::Load,
            "b32",
            "pushq %rbx; pushq %r12; movl (%rdi), %ebx; movl %ebx, (%rsi); popq %r12; popq %rbx; ret",
            "load",
            &[
                ("pushq %rbx; pushq %r12", "pushq %r12; pushq %rbx", "does not give `rbx` back"),
                ("popq %rbx", "addq $8, %rsp", "does not give `rbx` back"),
                ("popq %r12", "popq %r12; movl %r12d, %r12d", "does not give `r12` back"),
                ("popq %r12", "addq $8, %rsp", "load"),
                ("popq %rbx", "popq %rbx; movl $1, %r11d", "load"),
                ("popq %rbx", "popq %rbx; movb $1, %r15b", "does not give `r15` back"),
                ("popq %rbx", "popq %rbx; movl (%rdi), %ebp", "does not give `rbp` back"),
            ],
        ),
        (
            "aarch64",
            rmw("add"),
            "b32",
            "stp x29, x30, [sp, -32]!; str x19, [sp, 16]; 1:; ldaxr w2, [x0]; add w19, w2, w3; stlxr w5, w19, [x0]; cbnz w5, 1b; str w2, [x1]; ldr x19, [sp, 16]; ldp x29, x30, [sp], 32; ret",
            "ldaxr_stlxr",
            &[
                ("ldr x19, [sp, 16]; ", "", "does not give `x19` back"),
                ("str x19, [sp, 16]; ", "", "does not give `x19` back"),
                ("ldr x19, [sp, 16]", "ldr w19, [sp, 16]", "does not give `x19` back"),
                ("ldr x19, [sp, 16]", "ldr x19, [sp]", "does not give `x19` back"),
                (
                    "stlxr w5, w19, [x0]; cbnz w5, 1b",
                    "stlxr w20, w19, [x0]; cbnz w20, 1b",
                    "does not give `x20` back",
                ),
                (
                    "ldp x29, x30, [sp], 32",
                    "ldr x30, [sp, 8]; add sp, sp, 32; mov x29, x19",
                    "does not give `x29` back",
                ),
            ],
        ),
        (
            "armv7",
            rmw("add"),
            "b32",
            "push {r4, lr}; dmb ish; 1:; ldrex r4, [r0]; add ip, r4, r3; strex lr, ip, [r0]; cmp lr, #0; bne 1b; dmb ish; str r4, [r1]; pop {r4, pc}",
            "dmb ; ldrex_strex ; ctrl ; dmb",
            &[
                ("pop {r4, pc}", "pop {r5, pc}", "does not give `r4` back"),
                ("pop {r4, pc}", "pop {r3, pc}", "does not give `r4` back"),
                (
                    "strex lr, ip, [r0]; cmp lr",
                    "strex r9, ip, [r0]; cmp r9",
                    "does not give `r9` back",
                ),
            ],
        ),
        (
            "riscv",
            What::Load,
            "b32",
            "addi sp, sp, -16; sd s0, 8(sp); mv s0, a1; lw a5, 0(a0); sw a5, 0(s0); ld s0, 8(sp); addi sp, sp, 16; jr ra",
            "lw",
            &[
                ("ld s0, 8(sp); ", "", "does not give `x8` back"),
                ("ld s0, 8(sp)", "lw s0, 8(sp)", "does not give `x8` back"),
                ("sd s0, 8(sp)", "sw s0, 8(sp)", "does not give `x8` back"),
                ("a5, 0(a0); sw a5", "s11, 0(a0); sw s11", "does not give `x27` back"),
            ],
        ),
        (
            "power",
            What::Load,
            "b32",
            "std 31, -8(1); stdu 1, -80(1); mr 31, 1; std 3, 32(31); std 4, 40(31); ld 9, 32(31); lwz 8, 0(9); ld 9, 40(31); stw 8, 0(9); addi 1, 31, 80; ld 31, -8(1); blr",
            "ld",
            &[
                ("; ld 31, -8(1)", "", "does not give `r31` back"),
                ("; ld 31, -8(1)", "; ld 31, -80(1)", "does not give `r31` back"),
                ("addi 1, 31, 80", "ld 1, 0(31)", "ld"),
                ("addi 1, 31, 80", "ld 1, 8(31)", "other: "),
                (
                    "stdu 1, -80(1)",
                    "stdu 1, -96(1)",
                    "does not lead back to where the function was called",
                ),
                ("stdu 1, -80(1)", "stdu 9, -80(1)", "addresses that are written back"),
                ("lwz 8, 0(9)", "lwz 14, 0(9); mr 8, 14", "does not give `r14` back"),
            ],
        ),
    ]);
}

/// The guard of the stack is compared with a number of the program that no thread writes: reading
/// it is no access of a row, and a function that changes it, or compares it with something else, is
/// none that is followed. What counts calls is passed over.
#[test]
fn guards_of_the_stack_are_no_accesses() {
    beside(&[
        (
            "x86",
            rmw("add"),
            "b32",
            "subq $24, %rsp; movq %fs:40, %rax; movq %rax, 8(%rsp); xorl %eax, %eax; lock xaddl %ecx, (%rdi); movl %ecx, (%rsi); movq 8(%rsp), %rax; subq %fs:40, %rax; jne .L5; addq $24, %rsp; ret; .L5:; call __stack_chk_fail@PLT",
            "lock_xchg",
            &[
                ("movq 8(%rsp), %rax", "movq 16(%rsp), %rax", "other"),
                ("jne", "je", "`call __stack_chk_fail@PLT`"),
                ("subq %fs:40, %rax", "xorq %fs:40, %rax", "lock_xchg"),
                ("subq %fs:40, %rax", "cmpq %fs:40, %rax", "lock_xchg"),
                (
                    "movq %rax, 8(%rsp)",
                    "movq %fs:48, %rax; movq %rax, 8(%rsp)",
                    "`movq %fs:48, %rax`",
                ),
                ("subq $24, %rsp", "call mcount@PLT; subq $24, %rsp", "lock_xchg"),
            ],
        ),
        (
            "aarch64",
            What::Load,
            "b32",
            "sub sp, sp, #32; adrp x8, :got:__stack_chk_guard; ldr x8, [x8, :got_lo12:__stack_chk_guard]; ldr x9, [x8]; str x9, [sp, #8]; ldar w10, [x0]; str w10, [x1]; ldr x9, [sp, #8]; ldr x8, [x8]; cmp x8, x9; b.ne .L5; add sp, sp, #32; ret; .L5:; bl __stack_chk_fail",
            "ldar",
            &[
                ("str w10, [x1]", "str x10, [x8]; str w10, [x1]", "cannot be followed"),
                ("ldr x9, [x8]", "ldr w9, [x8]", "cannot be followed"),
                (":got:__stack_chk_guard", ":got:x", "adrp"),
            ],
        ),
        (
            "riscv",
            What::Load,
            "b32",
            "addi sp, sp, -16; la a5, __stack_chk_guard; ld a4, 0(a5); sd a4, 0(sp); lw a3, 0(a0); sw a3, 0(a1); ld a4, 0(sp); ld a5, 0(a5); bne a4, a5, .L5; addi sp, sp, 16; ret; .L5:; call __stack_chk_fail@plt",
            "lw",
            &[
                ("sw a3, 0(a1)", "sd a3, 0(a5); sw a3, 0(a1)", "cannot be followed"),
                ("la a5, __stack_chk_guard", "la a5, x", "other"),
                (
                    "la a5, __stack_chk_guard",
                    "auipc a5, %got_pcrel_hi(__stack_chk_guard); ld a5, %pcrel_lo(.Lpcrel_hi0)(a5)",
                    "lw",
                ),
                ("la a5", "call _mcount; la a5", "does not lead back"),
            ],
        ),
        (
            "x86",
            What::Fence,
            "",
            "subq $24, %rsp; movq %fs:40, %rax; movq %rax, 8(%rsp); mfence; movq 8(%rsp), %rax; subq %fs:40, %rax; jne .L5; addq $24, %rsp; ret; .L5:; call __stack_chk_fail",
            "mfence",
            &[("mfence", "movl (%rdi), %ecx; mfence", "a fence accesses memory")],
        ),
        (
            "power",
            What::Load,
            "b32",
            "stdu 1, -48(1); ld 9, -28688(13); std 9, 40(1); lwz 8, 0(3); stw 8, 0(4); ld 9, 40(1); ld 10, -28688(13); cmpld 9, 10; bne 0, .L5; addi 1, 1, 48; blr; .L5:; bl __stack_chk_fail",
            "ld",
            &[
                ("-28688(13); std", "-28680(13); std", "cannot be followed"),
                ("ld 9, 40(1)", "ld 9, 32(1)", "other"),
            ],
        ),
    ]);
}

/// Fences that no right compiler emits stand in the table of a wrong one.
#[test]
fn whatever_a_text_has_is_a_row() {
    for (architecture, what, body, expected) in [
        ("riscv", What::Store, "fence w, w; sw a3, 0(a0); ret", "fence.w_w ; sw"),
        ("riscv", What::Load, "lw a5, 0(a0); fence r, r; sw a5, 0(a1); ret", "lw ; fence.r_r"),
        ("x86", What::Fence, "lfence; ret", "lfence"),
        ("aarch64", What::Fence, "dsb st; ret", "dsb.ishst"),
    ] {
        let kind = if what == What::Fence { "" } else { "b32" };
        assert_eq!(built_in(architecture, what, kind, body), [expected], "{body}");
    }
    let unlocked = "movl %r8d, %eax; cmpxchgl %ecx, (%rdi); movl %eax, (%rsi); sete %cl; movb %cl, (%rdx); ret";
    let rows = built_in("x86", SWAP, "b32", unlocked);
    assert!(rows.iter().all(|row| row.starts_with("other: ")), "{rows:?}");
}

/// Two numbers of 32 bits, and what their sum and their difference make of carry and overflow.
struct FlagNumbers {
    a: u32,
    b: u32,
    difference: u32,
    /// What is taken away is larger: a carry of x86, and none of Arm.
    borrow: bool,
    /// The difference has another sign than it should.
    over: bool,
    sum: u32,
    carry: bool,
    over_sum: bool,
}

impl FlagNumbers {
    fn all() -> impl Iterator<Item = Self> {
        let numbers: [(i64, i64); 9] = [
            (5, 3),
            (3, 5),
            (4, 4),
            (0, 1),
            (1, 0),
            (0x7fff_ffff, 1),
            (-0x8000_0000, 1),
            (-1, 1),
            (-0x8000_0000, -0x8000_0000),
        ];
        numbers.into_iter().map(|(a, b)| {
            let (a, b) = (a as u32, b as u32);
            let (difference, borrow) = a.overflowing_sub(b);
            let (sum, carry) = a.overflowing_add(b);
            let (over, over_sum) =
                ((a as i32).overflowing_sub(b as i32).1, (a as i32).overflowing_add(b as i32).1);
            Self { a, b, difference, borrow, over, sum, carry, over_sum }
        })
    }
}

/// Zero, carry, less, negative.
type Flags = (bool, bool, bool, bool);

/// The flags behind a result, with its carry and overflow.
fn flags(result: u32, carry: bool, over: bool) -> Flags {
    let negative = (result as i32) < 0;
    (result == 0, carry, negative != over, negative)
}

/// The conditions of Arm, and whether they hold.
fn conditions_of_arm((zero, carry, less, sign): Flags) -> [(&'static str, bool); 12] {
    [
        ("eq", zero),
        ("ne", !zero),
        ("lo", !carry),
        ("hs", carry),
        ("ls", !carry || zero),
        ("hi", carry && !zero),
        ("lt", less),
        ("ge", !less),
        ("le", less || zero),
        ("gt", !less && !zero),
        ("mi", sign),
        ("pl", !sign),
    ]
}

/// A full fence is run into if a condition holds, and jumped over if not: both are one way in all
/// trials.
fn fence_stands(architecture: &str, fence: &str, body: &str, holds: bool) {
    let found = built_in(architecture, What::Fence, "", body).join(", ");
    assert!(found.contains("goes the same way in all trials"), "{body}: {found}");
    let path = trial(architecture, body);
    assert_eq!(path.contains(fence), holds, "{architecture} {body}: {path}");
}
