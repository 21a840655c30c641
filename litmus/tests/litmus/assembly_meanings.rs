//! What instructions in assembly mean beyond their table form: what the results of
//! store-conditionals carry, what flags are set from, and how wide memory is.

use margay_litmus::explicit::{Options, run};
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

/// Is the condition reachable? An error is that of the reader, or of the run.
fn answer(text: &str, model: &str) -> Result<bool, String> {
    let model = crate::shipped::model(model);
    let read = read::test(&SourceFile::new("t", text)).map_err(|e| e[0].to_string())?;
    run(&read.test, &model, &Options::default())
        .map(|found| found.reachable)
        .map_err(|e| e.to_string())
}

fn reachable(text: &str, model: &str) -> bool {
    answer(text, model).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn refused(text: &str, model: &str) -> String {
    answer(text, model).expect_err(text)
}

/// A store-conditional of x, then `between`, then a store of y, against stores of y and x in order.
fn behind_store_conditional(between: &str) -> String {
    format!(
        "RISCV t\n{{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }}\n P0 | P1 ;\n li x5,2 | li x5,2 ;\n sw x5,0(x6) | lr.w x9,(x6) ;\n \
         fence rw,rw | sc.w x10,x5,(x6) ;\n li x7,1 | li x7,1 ;\n sw x7,0(x8) | {between} ;\n | L: ;\nexists (x=2 /\\ y=2 /\\ 1:x10=0)"
    )
}

#[test]
fn dependencies_begin_at_a_riscv_store_conditional() {
    let asked = |between: &str| reachable(&behind_store_conditional(between), "riscv");
    assert!(asked("sw x7,0(x8)"), "nothing depends on it");
    assert!(!asked("bne x10,x0,L ;\n | sw x7,0(x8)"), "control");
    assert!(!asked("xor x11,x10,x10 ;\n | add x8,x8,x11 ;\n | sw x7,0(x8)"), "address");
    assert!(!asked("xor x11,x10,x10 ;\n | add x7,x7,x11 ;\n | sw x7,0(x8)"), "data");
    // The manual's example of why: load buffering through the result.
    let buffering = "RISCV t\n{ x=1; y=1; z=7; 0:s0=x; 0:s1=z; 0:s2=y; 1:s0=x; 1:s2=y; }\n P0 | P1 ;\n ld a0,0(s0) | ld a3,0(s2) ;\n \
                     lr.d a1,0(s1) | sd a3,0(s0) ;\n sc.d a2,a0,0(s1) | ;\n sd a2,0(s2) | ;\nexists (0:a0=0 /\\ 1:a3=0 /\\ 0:a2=0)";
    assert!(!reachable(buffering, "riscv"));
}

#[test]
fn nothing_depends_on_an_aarch64_store_exclusive() {
    let text = "AArch64 t\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n P0 | P1 ;\n LDXR W0,[X1] | LDR W0,[X1] ;\n MOV W4,#1 | EOR W5,W0,W0 ;\n \
                STXR W2,W4,[X1] | ADD W5,W5,#2 ;\n EOR W5,W2,W2 | STR W5,[X3] ;\n ADD W5,W5,#1 | ;\n STR W5,[X3] | ;\n\
                exists (0:W2=0 /\\ 0:W0=2 /\\ 1:W0=1)";
    assert!(reachable(text, "aarch64"));
}

/// Message passing into a loop of load-reserve and store-conditional.
fn acquired(fence: &str) -> String {
    format!(
        "PPC t\n{{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }}\n P0 | P1 ;\n li r1,1 | L: lwarx r1,0,r2 ;\n stw r1,0(r2) | stwcx. r1,0,r2 ;\n \
         lwsync | bne L ;\n stw r1,0(r4) | {fence} ;\n | lwz r5,0(r4) ;\nexists (1:r1=1 /\\ 1:r5=0)"
    )
}

#[test]
fn a_loop_and_isync_acquire() {
    // Power ISA, Book II, appendix B: the import barrier.
    assert!(!reachable(&acquired("isync"), "power"));
    assert!(reachable(&acquired("nop"), "power"));
    let arm = "ARM t\n{ 0:R2=x; 0:R4=y; 1:R2=y; 1:R4=x; }\n P0 | P1 ;\n MOV R1,#1 | L: LDREX R1,[R2] ;\n STR R1,[R2] | STREX R3,R1,[R2] ;\n \
               DMB | CMP R3,#0 ;\n STR R1,[R4] | BNE L ;\n | FENCE ;\n | LDR R5,[R4] ;\nexists (1:R1=1 /\\ 1:R5=0)";
    assert!(
        !reachable(&arm.replace("FENCE", "ISB"), "armv7")
            && reachable(&arm.replace("FENCE", "NOP"), "armv7")
    );
}

#[test]
fn power_constants_and_flags() {
    let one = |cells: &str, condition: &str| {
        let rows = cells.replace(';', " ;\n");
        format!("PPC t\n{{ 0:r0=5; 0:r2=x; }}\n P0 ;\n{rows} ;\nexists ({condition})")
    };
    // andi. sets condition register field 0.
    assert!(reachable(
        &one("li r3,1;cmpwi r3,1;andi. r4,r3,1;beq L;li r5,7;L:", "0:r5=7"),
        "power"
    ));
    assert!(!reachable(
        &one("li r3,1;cmpwi r3,1;andi. r4,r3,1;beq L;li r5,7;L:", "0:r5=0"),
        "power"
    ));
    // A register 0 is the number 0 there.
    assert!(
        reachable(&one("addi r3,r0,2", "0:r3=2"), "power")
            && reachable(&one("subi r3,r0,2", "0:r3=-2"), "power")
    );
    assert!(refused(&one("lwz r3,0(r0)", "0:r3=0"), "power").contains("lwz"));
}

#[test]
fn intel_comparisons_have_the_destination_first() {
    let text = |compare: &str, jump: &str| {
        format!(
            "X86_64 t\n{{ x=0; y=0; }}\n P0 ;\n mov eax,1 ;\n {compare} ;\n {jump} L ;\n mov [y],7 ;\n L: ;\nexists (y=7)"
        )
    };
    // 1 is not less than 0, which is what x holds.
    assert!(
        reachable(&text("cmp eax,[x]", "jl"), "x86")
            && !reachable(&text("cmp eax,[x]", "jg"), "x86")
    );
    assert!(
        reachable(&text("cmp eax,dword ptr [x]", "jl"), "x86")
            && !reachable(&text("cmp [x],eax", "jl"), "x86")
    );
    assert!(!reachable(&text("cmp dword ptr [x],1", "jl"), "x86"));
    // AT&T: the second minus the first.
    let att = |compare: &str| {
        format!(
            "X86_64 t\n{{ x=0; y=0; }}\n P0 ;\n movl $1,%eax ;\n {compare} ;\n jl L ;\n movl $7,(y) ;\n L: ;\nexists (y=7)"
        )
    };
    assert!(!reachable(&att("cmpl %eax,(x)"), "x86") && reachable(&att("cmpl (x),%eax"), "x86"));
}

#[test]
fn memory_has_one_width() {
    let one = |state: &str, cells: &str, condition: &str| {
        let rows = cells.replace(';', " ;\n");
        format!("AArch64 t\n{{ {state} }}\n P0 ;\n{rows} ;\nexists ({condition})")
    };
    for (state, cells) in [
        // A copied pointer, a loaded one, and a type that is wider than the access.
        ("0:X1=x;", "MOV W0,#1;STR W0,[X1];MOV X5,X1;STRB W0,[X5]"),
        ("y=x; 0:X1=x; 0:X3=y;", "LDR X5,[X3];MOV W0,#1;STR W0,[X1];STRB W0,[X5]"),
        ("uint64_t x; 0:X1=x;", "MOV W0,#1;STR W0,[X1]"),
        ("uint32_t x; 0:X1=x;", "MOV X5,X1;LDR X0,[X5]"),
    ] {
        let error = refused(&one(state, cells, "x=1"), "aarch64");
        assert!(error.contains("mixed sizes") && error.contains("`x`"), "{error}");
    }
    // A pointer that is as wide as its register, to what is narrower.
    assert!(reachable(
        &one("x=0; y=x; 0:X3=y;", "LDR X5,[X3];MOV W0,#1;STR W0,[X5]", "x=1"),
        "aarch64"
    ));
    // Elements are as far apart as their type is wide, and an offset leads to none between.
    let array = "uint64_t x[2]; 0:X1=x;";
    assert!(reachable(&one(array, "MOV X0,#1;STR X0,[X1,#8]", "x[1]=1"), "aarch64"));
    let error = refused(&one(array, "MOV X0,#1;STR X0,[X1,#4]", "x[1]=1"), "aarch64");
    assert!(error.contains("overlaps it partially"), "{error}");
}

/// Values are not narrowed, nor extended: one that widths hold differently is refused, and offsets
/// of addresses are no values.
#[test]
fn values_that_widths_hold_differently_are_refused() {
    let test = |init: &str, cells: &str, condition: &str| {
        format!(
            "AArch64 widths\n{{ uint32_t x=1; 0:X1=x; {init} }}\n P0 ;\n{cells}exists ({condition})\n"
        )
    };
    let refused = |text: String| {
        let errors = read::test(&SourceFile::new("widths.litmus", text.clone()))
            .err()
            .unwrap_or_else(|| panic!("it is read: {text}"));
        errors.iter().any(|e| e.message.contains("of different widths"))
    };
    assert!(
        refused(test("0:X2=0x100000001;", " STR W2,[X1] ;\n MOV X3,#1 ;\n", "x=1")),
        "a register that is stored in part"
    );
    assert!(
        refused(test("", " MOV W0,#-1 ;\n MOV X3,X0 ;\n LDR W4,[X1] ;\n", "0:X3=1")),
        "zeros or a sign"
    );
    let fine = test("", " LDR W0,[X1] ;\n MOV X3,#2 ;\n LDR W2,[X1,#-0] ;\n", "0:X0=1");
    assert!(read::test(&SourceFile::new("widths.litmus", fine)).is_ok());
    let signed =
        "ARM sign\n{ x=0; %x0=x; }\n P0 ;\n MOV R0,#-1 ;\n STR R0,[%x0] ;\nexists (x=-1)\n";
    assert!(refused(signed.to_owned()), "a sign");
}

/// What has two spellings is one instruction, and so is not another one.
#[test]
fn two_spellings_of_one_instruction() {
    let read = |kind: &str, state: &str, instruction: &str| {
        let text = format!("{kind} t\n{{ {state} }}\n P0 ;\n {instruction} ;\nexists (x=1)\n");
        read::test(&SourceFile::new("t", &*text))
            .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
            .test
            .to_string()
    };
    for (kind, state, spelled, same, other) in [
        ("AArch64", "0:X1=x;", "DMB #11", "DMB ISH", "DMB #9"),
        ("AArch64", "0:X1=x;", "DMB #15", "DMB SY", "DMB #14"),
        ("AArch64", "0:X1=x;", "DSB #9", "DSB ISHLD", "DSB ISHST"),
        ("AArch64", "0:X1=x;", "DMB #2", "DMB OSHST", "DMB OSH"),
        ("AArch64", "0:X1=x;", "ISB #15", "ISB", "DMB SY"),
        ("ARM", "0:R1=x;", "DMB #10", "DMB ISHST", "DMB ISH"),
        ("ARM", "0:R1=x;", "DSB #15", "DSB", "DMB"),
        (
            "RISCV",
            "0:x6=x;",
            "amoswap.w.aq.rl x5,x7,(x6)",
            "amoswap.w.aqrl x5,x7,(x6)",
            "amoswap.w.aq x5,x7,(x6)",
        ),
        (
            "RISCV",
            "0:x6=x;",
            "amoadd.w.aq.rl x5,x7,(x6)",
            "amoadd.w.aqrl x5,x7,(x6)",
            "amoadd.w.rl x5,x7,(x6)",
        ),
        ("RISCV", "0:x6=x;", "lr.w.aq.rl x5,(x6)", "lr.w.aqrl x5,(x6)", "lr.w.aq x5,(x6)"),
        ("RISCV", "0:x6=x;", "sc.w.aq.rl x5,x7,(x6)", "sc.w.aqrl x5,x7,(x6)", "sc.w.rl x5,x7,(x6)"),
    ] {
        assert_eq!(read(kind, state, spelled), read(kind, state, same), "{spelled}");
        assert_ne!(read(kind, state, spelled), read(kind, state, other), "{spelled}");
    }
}
