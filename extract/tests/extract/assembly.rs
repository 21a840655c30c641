//! Assembly to rows: what compilers print for CPUs, in small, and what goes wrong.

use margay_extract::assembly::{AssemblyReader, TrialLayout, lacks, module, rows};
use margay_extract::lowering::LoweringAnswer;
use margay_extract::point::{Point, What};
use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_models::diagnostic::SourceFile;
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

/// The rows of a function as text; of a compare-exchange that of success and that of failure. `unused` is the function without the result.
fn of(architecture: Architecture, what: What, kind: &str, body: &str, unused: Option<&str>) -> Vec<String> {
    let text = |body: &str| {
        let read = module(&format!("\t.type f, @function\nf:\n{}\n\t.size f, .-f\n", body.replace("; ", "\n\t")), architecture)
            .expect("a function");
        read.functions[0].text.clone()
    };
    let mut reader = AssemblyReader::of(architecture).expect("the text says its assembly");
    let unused = unused.map(text);
    rows(&mut reader, &point(what, kind), LAYOUT, &text(body), unused.as_deref())
        .rows
        .into_iter()
        .map(|row| match row.answer {
            LoweringAnswer::Lowered(all) => all.iter().map(|s| s.text(None)).collect::<Vec<_>>().join(" or "),
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
    rows(&mut reader, &point(What::Fence, ""), LAYOUT, &read.functions[0].text, None).paths.join(" or ")
}

fn built_in(name: &str, what: What, kind: &str, body: &str) -> Vec<String> {
    of(Architecture::built_in(name).expect("it is shipped"), what, kind, body, None)
}

/// gcc and clang for AArch64: single instructions, and loops of exclusive pairs as one read-modify-write.
#[test]
fn aarch64() {
    let is = |what, kind, body: &str, expected: &[&str]| assert_eq!(built_in("aarch64", what, kind, body), expected, "{body}");
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
    let nand =
        "sxtb w3, w3; .L13:; ldxrb w2, [x0]; and w4, w2, w3; mvn w4, w4; stlxrb w5, w4, [x0]; cbnz w5, .L13; strb w2, [x1]; ret";
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

/// Where nobody uses the result another instruction is a lowering of its own.
#[test]
fn results_that_nobody_uses() {
    let aarch64 = Architecture::built_in("aarch64").expect("it is shipped");
    let used = "ldadd w3, w4, [x0]; str w4, [x1]; ret";
    assert_eq!(of(aarch64, rmw("add"), "b32", used, Some("ldadd w3, wzr, [x0]; ret")), ["swp or swp_zr"]);
    assert_eq!(of(aarch64, rmw("add"), "b32", used, Some("ldadd w3, w9, [x0]; ret")), ["swp"]);
    assert_eq!(
        of(aarch64, rmw("add"), "b32", used, Some("ret")),
        ["other: where nobody uses the result: it does not always write the object"]
    );
}

/// Both syntaxes of x86.
#[test]
fn x86() {
    let is = |what, kind, body: &str, expected: &[&str]| assert_eq!(built_in("x86", what, kind, body), expected, "{body}");
    is(What::Load, "b32", "movl (%rdi), %eax; movl %eax, (%rsi); ret", &["load"]);
    is(What::Load, "b8", "movzbl (%rdi), %eax; movb %al, (%rsi); retq", &["load"]);
    is(What::Load, "b32", "mov eax, dword ptr [rdi]; mov dword ptr [rsi], eax; ret", &["load"]);
    is(What::Store, "b32", "xchgl %ecx, (%rdi); ret", &["lock_xchg"]);
    is(What::Store, "b16", "movw %cx, (%rdi); mfence; ret", &["store ; mfence"]);
    is(What::Fence, "", "lock orq $0, (%rsp); ret", &["mfence"]);
    is(rmw("add"), "b32", "lock\t\txaddl %ecx, (%rdi); movl %ecx, (%rsi); ret", &["lock_xchg"]);
    is(SWAP, "b8", "movl %r8d, %eax; lock cmpxchgb %cl, (%rdi); sete (%rdx); movb %al, (%rsi); ret", &["lock_xchg", "lock_xchg"]);
    let nand = "movzbl (%rdi), %eax; .L11:; movl %eax, %edx; movl %eax, %r8d; andl %ecx, %edx; notl %edx; lock cmpxchgb %dl, (%rdi); jne .L11; movb %r8b, (%rsi); ret";
    is(rmw("nand"), "b8", nand, &["lock_xchg"]);
}

/// RISC-V: labels that are numbers, and bytes that are changed in their word.
#[test]
fn riscv() {
    let is = |what, kind, body: &str, expected: &[&str]| assert_eq!(built_in("riscv", what, kind, body), expected, "{body}");
    is(What::Load, "b32", "fence iorw,iorw; lw a5,0(a0); fence ir,iorw; sw a5,0(a1); ret", &["fence.rw_rw ; lw ; fence.r_rw"]);
    let cas = "1:; lr.w.aqrl a5,0(a0); bne a5,a4,1f; sc.w.rl a6,a3,0(a0); bnez a6,1b; 1:; sub a4,a5,a4; seqz a4,a4; sb a4,0(a2); sw a5,0(a1); ret";
    is(SWAP, "b32", cas, &["lr.aqrl_sc.rl", "lr.aqrl_sc.rl"]);
    let byte = "andi a7, a0, -4; slli a0, a0, 3; li a6, 255; zext.b a4, a4; zext.b a3, a3; sllw t0, a6, a0; sllw a6, a4, a0; sllw a3, a3, a0; \
                .L1:; lr.w.aq a4, (a7); and a5, a4, t0; bne a5, a6, .L3; xor a5, a4, a3; and a5, a5, t0; xor a5, a5, a4; sc.w.rl a5, a5, (a7); \
                bnez a5, .L1; .L3:; srlw a0, a4, a0; and a3, a4, t0; xor a3, a6, a3; seqz a3, a3; sb a3, 0(a2); sb a0, 0(a1); ret";
    is(SWAP, "b8", byte, &["lr.aq_sc.rl", "lr.aq_sc.rl"]);
    let harms = byte.replace("xor a5, a4, a3; and a5, a5, t0; xor a5, a5, a4", "mv a5, a3");
    is(SWAP, "b8", &harms, &["other: it changes what lies beside the object"; 2]);
}

/// Power: a branch to the next instruction is there for what it makes depend.
#[test]
fn power() {
    let is = |what, kind, body: &str, expected: &[&str]| assert_eq!(built_in("power", what, kind, body), expected, "{body}");
    is(What::Load, "b32", "sync; lwz 9,0(3); cmpw cr7,9,9; bne- cr7,$+4; isync; stw 9,0(4); blr", &["sync ; ld ; ctrl ; isync"]);
    is(What::Load, "b32", "sync; lwz 9,0(3); isync; stw 9,0(4); blr", &["sync ; ld ; isync"]);
    let cas = "lwsync; .L1:; lwarx %r9,0,%r3; cmpw %cr0,%r9,%r7; bne %cr0,.L2; stwcx. %r6,0,%r3; bne %cr0,.L1; .L2:; isync; mfcr %r10,128; \
               rlwinm %r10,%r10,3,1; stb %r10,0(%r5); stw %r9,0(%r4); blr";
    is(SWAP, "b32", cas, &["lwsync ; lwarx_stwcx ; ctrl ; isync", "lwsync ; lwarx_stwcx ; ctrl ; isync"]);
}

/// Armv7: parameters on the stack, and a fence that no row can say.
#[test]
fn armv7() {
    let is = |what, kind, body: &str, expected: &[&str]| assert_eq!(built_in("armv7", what, kind, body), expected, "{body}");
    let cas = "push {r4, lr}; ldr lr, [sp, #8]; dmb ish; .L1:; ldrex ip, [r0]; cmp ip, lr; bne .L2; strex r4, r3, [r0]; cmp r4, #0; bne .L1; .L2:; dmb ish; \
               moveq r3, #1; movne r3, #0; strb r3, [r2]; str ip, [r1]; pop {r4, pc}";
    is(SWAP, "b32", cas, &["dmb ; ldrex_strex ; ctrl ; dmb", "dmb ; ldrex_strex ; ctrl ; dmb"]);
    let between = cas.replace("dmb ish; .L1:", ".L1:").replace("bne .L2; strex", "bne .L2; dmb ish; strex");
    is(SWAP, "b32", &between, &["other: a fence stands between the halves of a pair", "ldrex_strex ; ctrl ; dmb"]);
}

/// What a compiler does wrong, or what is not followed, is said, and no row.
#[test]
fn nothing_is_guessed() {
    let cas = "L1:; ldaxr w5, [x0]; cmp w5, w4; b.ne L2; stlxr w6, w3, [x0]; cbnz w6, L1; L2:; cset w0, eq; strb w0, [x2]; str w5, [x1]; ret".replace('L', ".L");
    let is = |what, body: &str, expected: &str| {
        let found = built_in("aarch64", what, "b32", body);
        assert!(found.iter().all(|row| row.contains(expected)), "{body}: {found:?}");
    };
    is(SWAP, &cas.replace("cmp w5, w4", "cmp w5, w3"), "it does not write although it read what was expected");
    is(SWAP, &cas.replace("cmp w5, w4; b.ne .L2; ", "cmp w5, w4; "), "it writes over");
    is(SWAP, &cas.replace("stlxr w6, w3", "stlxr w6, w4"), "it writes 0x17390005 where 0x1b3d0009 was given");
    // The shortest course is shown, and one that fails is shorter than one that writes.
    is(SWAP, &cas.replace("cset w0, eq", "cset w0, ne"), "it does not write and says that it succeeded");
    is(SWAP, &cas.replace("cset w0, eq", "mov w0, #0"), "it writes and says that it failed");
    is(SWAP, &cas.replace("str w5, [x1]", "str w3, [x1]"), "returns");
    is(SWAP, "mov w0, w4; bl __aarch64_cas4_acq; ret", "`bl __aarch64_cas4_acq`");
    is(SWAP, "stp x29, x30, [sp, -48]!; bl __aarch64_cas4_acq; ret", "`bl __aarch64_cas4_acq`");
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

/// A function that is right, its rows, and what becomes of them where a part of it is replaced: each change is wrong, or is another function.
type Beside =
    (&'static str, What, &'static str, &'static str, &'static str, &'static [(&'static str, &'static str, &'static str)]);

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

/// Frames, signed return addresses, and parts of registers as compilers print them are followed, and so is what is wrong with them.
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
                ("ldp x29, x30", "ldp x30, x29", "a pair of registers"),
                ("[sp, #-16]!", "[x0, #-16]!", "a pair of registers"),
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
        (
            "x86",
            What::Load,
            "b32",
            "endbr64; pushq %rbp; movq %rsp, %rbp; subq $16, %rsp; movl (%rdi), %eax; movl %eax, -4(%rbp); movl %eax, (%rsi); leave; rep ret",
            "load",
            &[("leave", "popq %rbp", BACK), ("leave; ", "", BACK), ("movq %rsp, %rbp; ", "", "cannot be followed")],
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
    beside(&[
        (
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
                // An address that is so many bytes behind is that of the next instruction where all have four.
                ("\t", "jmp .+4; ret; ", "`jmp .+4`"),
            ],
        ),
        ("riscv", What::Fence, "", "fence rw, rw; ret", "fence.rw_rw", &[("fence", "beqz a0, .+4; fence", "`beqz a0, .+4`")]),
        ("armv7", What::Fence, "", "dmb ish @ # 10; bx lr", "dmb", &[("ish @", "", "dmb.st")]),
    ]);
}

/// Registers and values have as many bits as the instruction says: what is cut, extended by a sign, or left in a register, is so in a trial.
#[test]
fn values_have_their_widths() {
    const SIGN: &str = "1:; ldaxr x8, [x0]; mov x9, x8; mov x10, x4; cmp x9, x10; b.ne 2f; stlxr w9, x3, [x0]; cbnz w9, 1b; mov w9, #1; b 3f; 2:; mov w9, wzr; 3:; strb w9, [x2]; str x8, [x1]; ret";
    const LOCKED: &str = "movl %r8d, %eax; lock cmpxchgl %ecx, (%rdi); movl %eax, (%rsi); sete (%rdx); ret";
    const BYTE: &str = "movb %r8b, %al; lock cmpxchgb %cl, (%rdi); movb %al, (%rsi); sete (%rdx); ret";
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
            "riscv",
            What::Load,
            "b64",
            "ld a5, 0(a0); fence r, rw; sd a5, 0(a1); ret",
            "lw ; fence.r_rw",
            &[("; sd", "; sext.w a5, a5; sd", "returns"), ("; sd", "; slli a5, a5, 32; srli a5, a5, 32; sd", "returns")],
        ),
        (
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
                ("mov x9, x8; mov x10, x4; cmp x9, x10", "lsr x9, x8, #32; lsr x10, x4, #32; cmp x9, x10", "it writes over"),
            ],
        ),
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
                ("sete (%rdx)", "sete %cl; movzbl %cl, %ecx; testl %ecx, %ecx; setne (%rdx)", "lock_xchg, lock_xchg"),
                ("sete (%rdx)", "sete %cl; testl %ecx, %ecx; setne (%rdx)", "it does not write and says that it succeeded"),
                // What is in the upper half does not count, nor does it where the instruction has 32 bits.
                ("movl %r8d, %eax", "movabsq $78187493520, %rax; movl %r8d, %eax", "lock_xchg, lock_xchg"),
                ("movl %r8d, %eax", "movabsq $78187493520, %rax; movw %r8w, %ax", "it does not write although"),
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
                ("movb %r8b, %al; lock", "movl $305419896, %eax; movb %r8b, %al; lock", "lock_xchg, lock_xchg"),
                (
                    "movb %r8b, %al; lock cmpxchgb %cl, (%rdi); movb %al, (%rsi); sete",
                    "movl $305419896, %eax; movb %r8b, %al; movl %eax, %r9d; orl $256, %eax; lock cmpxchgb %cl, (%rdi); movb %al, (%rsi); cmpl %r9d, %eax; sete",
                    "it writes and says that it failed",
                ),
            ],
        ),
    ]);
}

/// What each instruction makes of the flags, and each condition of them, as the manuals have it: carry and overflow of sums and differences in their
/// width, neither for what is computed bit by bit, the carry that `inc` and Armv7's `ands` leave.
#[test]
fn flags_are_those_of_the_machine() {
    // The condition of a compare-exchange that says what it did: what was given as expected is 5 or 3, or the lowest or the highest bit differs.
    let is = |architecture: &str, body: String, holds: bool| {
        let found = built_in(architecture, What::Fence, "", &body).join(", ");
        let never = "goes the same way in all trials";
        let full = if architecture == "x86" { "mfence" } else { "dmb" };
        // A fence that is left out if the condition does not hold is run into, or jumped over: both are one way in all trials.
        assert!(found.contains(never), "{body}: {found}");
        let path = trial(architecture, &body);
        assert_eq!(path.contains(full), holds, "{architecture} {body}: {path}");
    };
    let numbers: [(i64, i64); 9] =
        [(5, 3), (3, 5), (4, 4), (0, 1), (1, 0), (0x7fff_ffff, 1), (-0x8000_0000, 1), (-1, 1), (-0x8000_0000, -0x8000_0000)];
    for (a, b) in numbers {
        let [low_a, low_b] = [a as u32, b as u32];
        let [signed_a, signed_b] = [a as i32, b as i32];
        // What is taken away: a borrow is a carry of x86, and none of Arm.
        let (difference, borrow) = low_a.overflowing_sub(low_b);
        let over = signed_a.overflowing_sub(signed_b).1;
        let (sum, carry) = low_a.overflowing_add(low_b);
        let over_sum = signed_a.overflowing_add(signed_b).1;
        let negative = |n: u32| (n as i32) < 0;
        let after = |n: u32, carry: bool, over: bool| (n == 0, carry, negative(n) != over, negative(n));
        // Zero, carry, less, negative.
        let x86 = |(zero, carry, less, sign): (bool, bool, bool, bool)| {
            [
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
            ]
        };
        let arm = |(zero, carry, less, sign): (bool, bool, bool, bool)| {
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
        };
        let inc = low_a.wrapping_add(1);
        let dec = low_a.wrapping_sub(1);
        for (instruction, flags) in [
            ("cmpl %ebx, %eax", after(difference, borrow, over)),
            ("subl %ebx, %eax", after(difference, borrow, over)),
            ("addl %ebx, %eax", after(sum, carry, over_sum)),
            ("andl %ebx, %eax", after(low_a & low_b, false, false)),
            ("testl %ebx, %eax", after(low_a & low_b, false, false)),
            ("xorl %ebx, %eax", after(low_a ^ low_b, false, false)),
            // The carry is that of the comparison before it.
            ("cmpl %ebx, %eax; incl %eax", after(inc, borrow, signed_a == i32::MAX)),
            ("cmpl %ebx, %eax; decl %eax", after(dec, borrow, signed_a == i32::MIN)),
            ("addl %eax, %ebx; decl %eax", after(dec, carry, signed_a == i32::MIN)),
            ("negl %eax", after(low_a.wrapping_neg(), low_a != 0, signed_a == i32::MIN)),
        ] {
            for (condition, holds) in x86(flags) {
                let [low_a, low_b] = [low_a, low_b].map(|n| format!("${n}"));
                let begin = format!("movl {low_a}, %eax; movl {low_b}, %ebx; {instruction}");
                is("x86", format!("{begin}; j{condition} 1f; ret; 1:; mfence; ret"), holds);
                is("x86", format!("{begin}; set{condition} %cl; testb %cl, %cl; jne 1f; ret; 1:; mfence; ret"), holds);
                is(
                    "x86",
                    format!(
                        "{begin}; movl $0, %edx; movl $1, %ecx; cmov{condition}l %ecx, %edx; testl %edx, %edx; jne 1f; ret; 1:; mfence; ret"
                    ),
                    holds,
                );
            }
        }
        for (instruction, flags) in [
            ("cmp w8, w9", after(difference, !borrow, over)),
            ("subs w8, w8, w9", after(difference, !borrow, over)),
            ("adds w8, w8, w9", after(sum, carry, over_sum)),
            ("cmn w8, w9", after(sum, carry, over_sum)),
            ("ands w8, w8, w9", after(low_a & low_b, false, false)),
            ("tst w8, w9", after(low_a & low_b, false, false)),
        ] {
            for (condition, holds) in arm(flags) {
                let begin = format!("mov w8, #{low_a}; mov w9, #{low_b}; {instruction}");
                is("aarch64", format!("{begin}; b.{condition} 1f; ret; 1:; dmb ish; ret"), holds);
                is("aarch64", format!("{begin}; cset w10, {condition}; cbnz w10, 1f; ret; 1:; dmb ish; ret"), holds);
            }
        }
        for (instruction, flags) in [
            ("cmp r2, r3", after(difference, !borrow, over)),
            ("subs r2, r2, r3", after(difference, !borrow, over)),
            ("adds r2, r2, r3", after(sum, carry, over_sum)),
            // Carry and overflow are those of the comparison before it.
            ("cmp r2, r3; ands r2, r2, r3", after(low_a & low_b, !borrow, over)),
            ("cmp r2, r3; tst r2, r3", after(low_a & low_b, !borrow, over)),
            ("adds r12, r2, r3; eors r2, r2, r3", after(low_a ^ low_b, carry, over_sum)),
        ] {
            for (condition, holds) in arm(flags) {
                let begin = format!("mov r2, #{low_a}; mov r3, #{low_b}; {instruction}");
                is("armv7", format!("{begin}; b{condition} 1f; bx lr; 1:; dmb ish; bx lr"), holds);
                is(
                    "armv7",
                    format!("{begin}; mov r0, #0; mov{condition} r0, #1; cmp r0, #0; bne 1f; bx lr; 1:; dmb ish; bx lr"),
                    holds,
                );
            }
        }
    }
}

/// A compare-exchange says whether it succeeded: in the bits of Power's condition register, in what is computed from the values, and on every machine. What
/// is not known is no row.
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
                ("bne %cr0,1b", "blt %cr0,1b", "it does not write although it read what was expected"),
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
        (
            "aarch64",
            SWAP,
            "b32",
            "mov w8, w4; casal w8, w3, [x0]; cmp w8, w4; str w8, [x1]; cset w9, eq; strb w9, [x2]; ret",
            "swpal, swpal",
            &[("cset w9, eq; ", "", UNKNOWN), ("; strb w9, [x2]", "", UNKNOWN)],
        ),
        (
            "x86",
            SWAP,
            "b32",
            "movl %r8d, %eax; lock cmpxchgl %ecx, (%rdi); sete (%rdx); movl %eax, (%rsi); ret",
            "lock_xchg, lock_xchg",
            &[("sete", "movb %r9b,", UNKNOWN), ("sete (%rdx); ", "", UNKNOWN)],
        ),
        (
            "riscv",
            SWAP,
            "b32",
            "1:; lr.w.aqrl a5,0(a0); bne a5,a4,1f; sc.w.rl a6,a3,0(a0); bnez a6,1b; 1:; sub a4,a5,a4; seqz a4,a4; sb a4,0(a2); sw a5,0(a1); ret",
            "lr.aqrl_sc.rl, lr.aqrl_sc.rl",
            &[("sb a4", "sb t5", UNKNOWN), ("sb a4,0(a2); ", "", UNKNOWN)],
        ),
        (
            "armv7",
            SWAP,
            "b32",
            "push {r4, lr}; ldr lr, [sp, #8]; 1:; ldrex ip, [r0]; cmp ip, lr; bne 2f; strex r4, r3, [r0]; cmp r4, #0; bne 1b; 2:; dmb ish; \
             moveq r3, #1; movne r3, #0; strb r3, [r2]; str ip, [r1]; pop {r4, pc}",
            "ldrex_strex ; ctrl ; dmb, ldrex_strex ; ctrl ; dmb",
            &[("strb r3", "strb r5", UNKNOWN), ("strb r3, [r2]; ", "", UNKNOWN), ("#8]", "#4]", "it does not write although")],
        ),
    ]);
}

/// Each field of Power's condition register, and what instructions count, turn and cut: a fence stands where a number is the one that the manual says.
#[test]
fn numbers_of_power_are_those_of_the_machine() {
    let is = |body: String, holds: bool| {
        let path = trial("power", &format!("{body}1f; blr; 1:; sync; blr"));
        assert_eq!(path, if holds { "sync" } else { "nothing" }, "{body}");
    };
    let numbers: [i64; 9] = [0, 1, 5, -1, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, i64::MIN, i64::MAX];
    for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
        for (instruction, order) in [
            ("cmpw", (a as i32).cmp(&(b as i32))),
            ("cmpd", a.cmp(&b)),
            ("cmplw", (a as u32).cmp(&(b as u32))),
            ("cmpld", (a as u64).cmp(&(b as u64))),
        ] {
            let bits = [order.is_lt(), order.is_gt(), order.is_eq()];
            let of = [("lt", bits[0]), ("ge", !bits[0]), ("gt", bits[1]), ("le", !bits[1]), ("eq", bits[2]), ("ne", !bits[2])];
            let begin = |field: &str| format!("li 8, {a}; li 9, {b}; {instruction} {field}8, 9; ");
            for (condition, holds) in of {
                is(format!("{}b{condition} ", begin("")), holds);
                is(format!("{}b{condition} 0, ", begin("0, ")), holds);
                is(format!("{}b{condition} 7, ", begin("7, ")), holds);
            }
            for (bit, holds) in bits.into_iter().enumerate() {
                let choice = format!("li 10, 1; li 11, 0; isel 10, 10, 11, {bit}; cmpwi 10, 0; bne ");
                is(begin("") + &choice, holds);
                let number = format!("mfcr 10, 128; rlwinm 10, 10, {}, 1; cmpwi 10, 1; beq ", bit + 1);
                is(begin("") + &number, holds);
            }
        }
    }
    for n in
        [0u64, 1, 5, 0x80, 0xffff, 0x1_0000, 0x00ff_ffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_2345_6789, 1 << 63, u64::MAX]
    {
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
            let begin = format!("li 8, {}; {instruction}; li 9, {}; cmpd 8, 9; beq ", n as i64, result as i64);
            is(begin, true);
        }
    }
}

/// A function ends where it returns, and returns to where it was called; Armv7's pc is no register that a value is read from or written to.
#[test]
fn functions_return() {
    const ASTRAY: &str = "does not lead back to where the function was called";
    const ARM: &str = "ldr r3, [r0]; dmb ish; str r3, [r1]; bx lr";
    const BEHIND: &str = "dmb ish; str r3, [r1]; bx lr";
    beside(&[
        (
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
        ),
        (
            "aarch64",
            What::Fence,
            "",
            "dmb ish; ret",
            "dmb.ish",
            &[("dmb", "mov x30, x0; dmb", ASTRAY), ("dmb", "sub sp, sp, #16; dmb", ASTRAY)],
        ),
        (
            "riscv",
            What::Fence,
            "",
            "fence; ret",
            "fence.rw_rw",
            &[("fence", "mv ra, a0; fence", ASTRAY), ("fence", "addi sp, sp, -16; fence", ASTRAY)],
        ),
        (
            "x86",
            What::Fence,
            "",
            "pushq %rbx; mfence; popq %rbx; ret",
            "mfence",
            &[("popq %rbx; ", "", ASTRAY), ("pushq %rbx; ", "", ASTRAY), ("popq", "movq %rdi, 8(%rsp); popq", ASTRAY)],
        ),
    ]);
}

/// What stands above a parameter that is narrower than its register is not known on x86 and AArch64.
#[test]
fn bits_above_a_parameter_are_not_zeros() {
    beside(&[
        (
            "aarch64",
            SWAP,
            "b8",
            "1:; ldaxrb w5, [x0]; cmp w5, w4, uxtb; bne 2f; stlxrb w6, w3, [x0]; cbnz w6, 1b; 2:; cset w0, eq; strb w0, [x2]; strb w5, [x1]; ret",
            "ldaxr_stlxr, ldaxr_stlxr",
            &[(", uxtb", "", "it does not write although"), (", uxtb", ", uxth", "it does not write although")],
        ),
        (
            "x86",
            rmw("max"),
            "b8",
            "movzbl (%rdi), %eax; 1:; movl %ecx, %edx; cmpb %cl, %al; cmovgel %eax, %edx; lock cmpxchgb %dl, (%rdi); jne 1b; movb %al, (%rsi); ret",
            "lock_xchg",
            &[("cmpb %cl, %al", "cmpl %ecx, %eax", "max of"), ("cmpb %cl, %al", "cmpw %cx, %ax", "max of")],
        ),
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
        (
            "power",
            SWAP,
            "b32",
            "sync; 1:; lwarx 8, 0, 3; cmpw 8, 7; bne 0, 2f; stwcx. 6, 0, 3; bne 0, 1b; 2:; xor 3, 8, 7; lwsync; cntlzw 3, 3; srwi 3, 3, 5; stb 3, 0(5); stw 8, 0(4); blr",
            "sync ; lwarx_stwcx ; ctrl ; lwsync, sync ; lwarx_stwcx ; ctrl ; lwsync",
            &[
                ("cmpw", "cmpd", "it does not write although"),
                ("cmpw", "cmplw", "sync ; lwarx_stwcx ; ctrl ; lwsync, sync ; lwarx_stwcx ; ctrl ; lwsync"),
            ],
        ),
    ]);
}

/// An address has all the bits of its register: half of one is another address, where it is none.
#[test]
fn addresses_have_their_width() {
    const ELSEWHERE: &str = "accesses an address that cannot be followed";
    beside(&[
        (
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
        ),
        ("aarch64", What::Load, "b32", "ldar w8, [x0]; str w8, [x1]; ret", "ldar", &[("ldar", "mov w0, w0; ldar", ELSEWHERE)]),
        ("riscv", What::Load, "b32", "lw a5, 0(a0); sw a5, 0(a1); ret", "lw", &[("lw", "sext.w a0, a0; lw", ELSEWHERE)]),
        (
            "power",
            What::Load,
            "b32",
            "lwz 8, 0(3); stw 8, 0(4); blr",
            "ld",
            // Register 0 in an address is the number.
            &[("lwz", "extsw 3, 3; lwz", ELSEWHERE), ("lwz 8, 0(3)", "mr 0, 3; lwz 8, 0(0)", "expected an address")],
        ),
    ]);
}

/// Armv7's carry behind a number that is not a byte: it was rotated, or the assembler takes another instruction.
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
        let found =
            trial("armv7", &format!("mov r2, #1; mov r3, #1; cmp r2, r3; {instruction}; bhs 1f; bx lr; 1:; dmb ish; bx lr"));
        assert_eq!(found, path, "{instruction}");
    }
}

/// A load-reserved whose store-conditional never comes writes nothing back, and one that is given up lets none succeed.
#[test]
fn halves_of_pairs_that_stand_alone() {
    let swap = "1:; ldaxr w8, [x0]; stlxr w9, w3, [x0]; cbnz w9, 1b; str w8, [x1]; ret";
    let compare = "1:; ldaxr w8, [x0]; cmp w8, w4; b.ne 2f; stlxr w9, w3, [x0]; cbnz w9, 1b; mov w9, #1; b 3f; 2:; mov w9, wzr; 3:; strb w9, [x2]; str w8, [x1]; ret";
    beside(&[
        ("aarch64", What::Load, "b32", "ldaxr w8, [x0]; str w8, [x1]; ret", "ldar", &[("ldaxr", "ldxr", "ldr")]),
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
            "riscv",
            What::Load,
            "b32",
            "lr.w a5, (a0); fence r, rw; sw a5, 0(a1); ret",
            "lw ; fence.r_rw",
            &[("lr.w", "lr.w.aq", "mappings have no load that is `lr.w.aq a5, (a0)` without its store-conditional")],
        ),
        (
            "power",
            What::Load,
            "b32",
            "lwsync; lwarx 8, 0, 3; cmpw 8, 8; bne- 0, .+4; isync; stw 8, 0(4); blr",
            "lwsync ; ld ; ctrl ; isync",
            &[],
        ),
        ("armv7", What::Load, "b32", "ldrex r3, [r0]; clrex; dmb ish; str r3, [r1]; bx lr", "ldr ; dmb", &[]),
        (
            "aarch64",
            rmw("exch"),
            "b32",
            swap,
            "ldaxr_stlxr",
            &[("; stlxr", "; clrex; stlxr", "does not end"), ("; cbnz", "; clrex; cbnz", "ldaxr_stlxr")],
        ),
        (
            "aarch64",
            SWAP,
            "b32",
            compare,
            "ldaxr_stlxr, ldaxr_stlxr",
            &[("; stlxr", "; clrex; stlxr", "does not end"), ("2:; mov", "2:; clrex; mov", "ldaxr_stlxr, ldaxr_stlxr")],
        ),
        // What another thread writes between the two halves lets the second one fail: what is read there is what the first one read.
        (
            "aarch64",
            rmw("exch"),
            "b32",
            "1:; ldaxr w10, [x0]; ldr w8, [x0]; stlxr w9, w3, [x0]; cbnz w9, 1b; str w8, [x1]; ret",
            "ldaxr_stlxr",
            &[("stlxr w9, w3, [x0]; cbnz w9, 1b", "stlr w3, [x0]", "other: ")],
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

/// An architecture that is not shipped is a text alone: LoongArch, as gcc 15 writes it.
#[test]
fn another_architecture_is_a_text() {
    let file = SourceFile::new("loongarch.arch", include_str!("loongarch/loongarch.arch"));
    let loongarch = Architecture::read(&file).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(lacks(loongarch), None);
    let is = |what, body: &str, expected: &[&str]| assert_eq!(of(loongarch, what, "b32", body, None), expected, "{body}");
    is(What::Load, "dbar 0x11; ld.w $r12,$r4,0; dbar 0x14; stptr.w $r12,$r5,0; jr $r1", &["dbar.acq ; ld ; dbar.acq"]);
    is(What::Store, "dbar 0x12; st.w $r7,$r4,0; dbar 0x18; jr $r1", &["dbar.rel ; st ; dbar"]);
    is(rmw("add"), "amadd_db.w $r12,$r7,$r4,0; stptr.w $r12,$r5,0; jr $r1", &["am_db"]);
    let cas = "1:; ll.w $r12,$r4,0; addi.w $r13,$r8,0; bne $r12,$r13,2f; or $r13,$zero,$r7; sc.w $r13,$r4,0; beqz $r13,1b; b 3f; 2:; dbar 0b10100; 3:; \
               sub.w $r8,$r12,$r8; sltui $r8,$r8,1; st.b $r8,$r6,0; stptr.w $r12,$r5,0; jr $r1";
    is(SWAP, cas, &["ll_sc", "ll_sc ; ctrl ; dbar.acq"]);
}
