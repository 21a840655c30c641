//! Tests in assembly: the verdicts that manuals say; what is refused; and an architecture that only
//! the test has.

use crate::shipped::model;
use margay_litmus::explicit::{Options, run};
use margay_litmus::read;
use margay_models::Model;
use margay_models::diagnostic::{Diagnostic, SourceFile};

pub(crate) fn reachable(text: &str, model: &Model) -> bool {
    let read =
        read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    assert!(read.warnings.is_empty(), "{}\n{text}", read.warnings[0]);
    run(&read.test, model, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}")).reachable
}

/// An element of an array is called by its number or by its distance from the start in bytes, in
/// the initial state and in the condition.
#[test]
fn elements_of_arrays_have_two_names() {
    let test = |second: &str, ty: &str, offset: &str, condition: &str| {
        format!(
            "AArch64 t\n{{ {ty} a[2]={{1,2}}; 0:X1=a; 0:X2={second}; }}\nP0 ;\nLDR {r},[X2] ;\nLDR {r2},[X1,#{offset}] ;\nexists ({condition})",
            r = if ty == "uint32_t" { "W3" } else { "X3" },
            r2 = if ty == "uint32_t" { "W4" } else { "X4" },
        )
    };
    let aarch64 = model("aarch64");
    for (ty, bytes) in [("uint32_t", "4"), ("uint64_t", "8"), ("int64_t", "8")] {
        for second in ["&a[1]".to_owned(), "a[1]".to_owned(), format!("a+{bytes}")] {
            for condition in [
                format!("0:X2=a+{bytes}"),
                "0:X3=2 /\\ 0:X4=2 /\\ a[1]=2".to_owned(),
                format!("[a+{bytes}]=2 /\\ [a+0]=1"),
            ] {
                assert!(
                    reachable(&test(&second, ty, bytes, &condition), &aarch64),
                    "{second} {condition}"
                );
            }
            for condition in ["0:X2=a".to_owned(), "0:X3=1".to_owned(), format!("[a+{bytes}]=1")] {
                assert!(
                    !reachable(&test(&second, ty, bytes, &condition), &aarch64),
                    "{second} {condition}"
                );
            }
        }
    }
    for (ty, second, why) in [
        (
            "uint64_t",
            "a+4",
            "no element of `a` begins 4 bytes behind its start: it has 2 of 8 bytes",
        ),
        (
            "uint32_t",
            "a+8",
            "no element of `a` begins 8 bytes behind its start: it has 2 of 4 bytes",
        ),
        ("uint32_t", "b+4", "`b` is no array"),
    ] {
        let error = refused(&test(second, ty, "4", "0:X3=2")).message;
        assert!(error.contains(why), "{error}");
    }
}

fn refused(text: &str) -> Diagnostic {
    match read::test(&SourceFile::new("t", text)) {
        Ok(_) => panic!("accepted: {text}"),
        Err(mut errors) => errors.remove(0),
    }
}

/// A test of two threads, its rows as they are, with x in the first address register and y in the
/// second.
fn asked(kind: &str, state: &str, rows: &str, condition: &str) -> String {
    format!(
        "{kind} t\n\"herd7 writes more here\"\nCycle=Rfe PodRR Fre PodWW\n{{\n{state}\n}}\n P0 | P1 ;\n{rows}\n{condition}\n"
    )
}

const AARCH64_STATE: &str =
    "uint64_t x; uint64_t y; 0:X1=x; 0:X3=y; uint64_t 1:X0; 1:X1=y; 1:X3=x;";

#[test]
fn verdicts_of_manuals() {
    let of_aarch64 = |rows: &str, condition: &str| {
        reachable(&asked("AArch64", AARCH64_STATE, rows, condition), &model("aarch64"))
    };
    // Pulte and others, POPL 2018; DDI 0487, B2.3 and K13.
    let mp = "exists (1:X0=1 /\\ 1:X2=0)";
    assert!(of_aarch64(
        "MOV X0,#1 | LDR X0,[X1] ;\nSTR X0,[X1] | LDR X2,[X3] ;\nSTR X0,[X3] | ;",
        mp
    ));
    assert!(!of_aarch64(
        "MOV X0,#1 | LDAR X0,[X1] ;\nSTR X0,[X1] | LDR X2,[X3] ;\nSTLR X0,[X3] | ;",
        mp
    ));
    // An atomic instruction that is acquire and release orders all in front of it before all behind
    // it.
    let swpal = "MOV W5,#1 | MOV W5,#1 ;\nSTR W5,[X1] | STR W5,[X1] ;\nSWPAL W5,W6,[X7] | SWPAL W5,W6,[X7] ;\nLDR W0,[X3] | LDR W0,[X3] ;";
    let state = "0:X1=x; 0:X3=y; 0:X7=z; 1:X1=y; 1:X3=x; 1:X7=w;";
    let sb = |rows: &str| {
        reachable(&asked("AArch64", state, rows, "exists (0:X0=0 /\\ 1:X0=0)"), &model("aarch64"))
    };
    assert!(
        !sb(swpal) && sb(&swpal.replace("SWPAL", "SWPL")) && sb(&swpal.replace("SWPAL", "SWPA"))
    );
    // Without a result it acquires nothing: the load is not held back.
    assert!(sb(&swpal.replace("SWPAL W5,W6", "SWPAL W5,WZR")));
    // RISC-V: a failing amocas does not release (Zacas).
    let amocas = "li a0,1 | li a0,1 ;\nsw a0,0(a1) | sw a0,0(a1) ;\nli a5,5 | fence rw,rw ;\namocas.w.aqrl a5,a0,(a2) | lw a3,0(a2) ;";
    let state = "0:a1=x; 0:a2=y; 1:a1=y; 1:a2=x;";
    let rv =
        |condition: &str| reachable(&asked("RISCV", state, amocas, condition), &model("riscv"));
    assert!(rv("exists (0:a5=0 /\\ 1:a3=0)"));
    // Power: eieio orders stores and nothing else.
    let state = "0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x;";
    let power = |left: &str, right: &str| {
        let rows = format!(
            "li r1,1 | lwz r1,0(r2) ;\nstw r1,0(r2) | xor r5,r1,r1 ;\n{left} | {right} ;\nstw r1,0(r4) | lwzx r3,r5,r4 ;"
        );
        reachable(&asked("PPC", state, &rows, "exists (1:r1=1 /\\ 1:r3=0)"), &model("power"))
    };
    assert!(!power("eieio", "nop") && !power("lwsync", "nop") && power("isync", "lwsync"));
}

#[test]
fn a_store_conditional_may_fail_and_pairs_in_any_code() {
    let state = "0:X1=x; 1:X1=x;";
    let ask = |rows: &str, condition: &str| {
        reachable(&asked("AArch64", state, rows, condition), &model("aarch64"))
    };
    let pair = "LDXR W0,[X1] | MOV W0,#7 ;\nADD W2,W0,#1 | STR W0,[X1] ;\nSTXR W5,W2,[X1] | ;";
    assert!(
        ask(pair, "exists (0:X5=1 /\\ x=7 /\\ 0:X0=0)") && ask(pair, "exists (0:X5=0 /\\ x=8)")
    );
    // Nobody writes between the halves.
    assert!(
        !ask(pair, "exists (0:X5=0 /\\ 0:X0=0 /\\ x=1)")
            && ask(pair, "exists (0:X5=0 /\\ 0:X0=0 /\\ x=7)")
    );
    let loops = "L: LDXR W0,[X1] | L: LDXR W0,[X1] ;\nADD W0,W0,#1 | ADD W0,W0,#1 ;\nSTXR W2,W0,[X1] | STXR W2,W0,[X1] ;\nCBNZ W2,L | CBNZ W2,L ;";
    assert!(!ask(loops, "exists (~x=2)"), "both increments count");
    // Something between the halves makes no difference, nor does which of two loads is the reserved
    // one.
    let apart = "LDXR W0,[X1] | MOV W0,#7 ;\nDMB SY | STR W0,[X1] ;\nLDR W3,[X1] | ;\nADD W0,W0,#1 | ;\nSTXR W5,W0,[X1] | ;";
    assert!(
        ask(apart, "exists (0:X5=0 /\\ x=7)")
            && !ask(apart, "exists (0:X5=0 /\\ 0:X0=1 /\\ 0:X3=7)")
    );
    // One without a load-reserved, a second one for one, and one of another location fail.
    assert!(!ask("MOV W0,#1 | ;\nSTXR W5,W0,[X1] | ;", "exists (0:X5=0)"));
    assert!(!ask("LDXR W0,[X1] | ;\nSTXR W5,W0,[X1] | ;\nSTXR W6,W0,[X1] | ;", "exists (0:X6=0)"));
    let other = "LDXR W0,[X1] | ;\nSTXR W5,W0,[X2] | ;";
    assert!(!reachable(
        &asked("AArch64", "0:X1=x; 0:X2=y; 1:X1=x;", other, "exists (0:X5=0)"),
        &model("aarch64")
    ));
}

/// Pick dependencies: DDI 0487, B2.3, and herd7's `pob`. What is written is ordered behind what a
/// choice went by, what is read is not; what is chosen makes the dependency that it always made.
#[test]
fn a_choice_orders_what_is_written() {
    let aarch64 = model("aarch64");
    let state = "0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x;";
    let ask = |left: &str, right: &str, condition: &str| {
        let (left, right): (Vec<&str>, Vec<&str>) =
            (left.split("; ").collect(), right.split("; ").collect());
        let cell = |cells: &[&str], n: usize| cells.get(n).copied().unwrap_or_default().to_owned();
        let rows: Vec<String> = (0..left.len().max(right.len()))
            .map(|n| format!("{} | {} ;", cell(&left, n), cell(&right, n)))
            .collect();
        reachable(&asked("AArch64", state, &rows.join("\n"), condition), &aarch64)
    };
    let writer = "MOV W0,#1; STR W0,[X1]; DMB SY; STR W0,[X3]";
    let mp = |reader: &str| ask(writer, reader, "exists (1:X0=1 /\\ 1:X2=0)");
    let read = "LDR W0,[X1]; CMP W0,#1";
    let no_branch = format!("{read}; CSEL W4,WZR,WZR,EQ; LDR W2,[X3,W4,SXTW]");
    assert!(mp(&no_branch) && !mp(&no_branch.replace("CSEL W4,WZR,WZR,EQ", "EOR W4,W0,W0")));
    let branch = format!("{read}; CSET W4,EQ; CBZ W4,L; ISB; L: LDR W2,[X3]");
    assert!(!mp(&branch) && mp(&branch.replace("ISB", "NOP")));
    let behind = format!("{read}; CSEL W4,WZR,WZR,EQ; LDR W5,[X1,W4,SXTW]; ISB; LDR W2,[X3]");
    assert!(!mp(&behind) && mp(&behind.replace("ISB", "NOP")));
    // The operand that is chosen, and the one that is not.
    let operand =
        "MOV W9,#0; CMP W9,#0; LDR W0,[X1]; CSEL W4,W0,W9,EQ; EOR W4,W4,W4; LDR W2,[X3,W4,SXTW]";
    assert!(!mp(operand) && mp(&operand.replace("W0,W9,EQ", "W0,W9,NE")));
    // What is written: its value, its address, whether it is, and what is behind its address.
    let s = |reader: &str| {
        let writer =
            writer.replace("MOV W0,#1", "MOV W0,#2").replace("DMB SY", "DMB SY; MOV W0,#1");
        ask(&writer, reader, "exists (1:X0=1 /\\ x=2)")
    };
    let value = format!("{read}; CSET W4,EQ; STR W4,[X3]");
    let address = format!("{read}; MOV W5,#1; CSEL W4,WZR,WZR,EQ; STR W5,[X3,W4,SXTW]");
    let executed = format!("{read}; CINC W4,WZR,EQ; MOV W5,#1; CBZ W4,L; L: STR W5,[X3]");
    let later = format!("{read}; CSEL W4,WZR,WZR,EQ; MOV W5,#1; LDR W6,[X1,W4,SXTW]; STR W5,[X3]");
    for orders in [&value, &address, &executed, &later] {
        assert!(!s(orders), "{orders}");
    }
    assert!(s(&value.replace("CSET W4,EQ", "MOV W4,#1")));
    // Behind a value that was picked nothing is ordered.
    let beside = format!("{read}; CSET W4,EQ; STR W4,[X1]; MOV W5,#1; STR W5,[X3]");
    assert!(s(&beside));
    // Each kind of choice has its value.
    let chosen = |choice: &str| {
        let made = format!("MOV W0,#5; MOV W2,#3; CMP W0,W2; {choice}; STR W4,[X1]");
        [-6, -5, -4, -3, -1, 0, 1, 3, 4, 5, 6]
            .into_iter()
            .filter(|&n| {
                // Numbers with a sign are none of tests of 32 bits: what is stored is 8 + n.
                let made = made.replace("STR W4", "ADD W4,W4,#8; STR W4");
                ask(&made, "NOP", &format!("exists (x={})", 8 + n))
            })
            .collect::<Vec<i64>>()
    };
    for (choice, value) in [
        ("CSEL W4,W0,W2,GT", 5),
        ("CSEL W4,W0,W2,LE", 3),
        ("CSINC W4,W0,W2,EQ", 4),
        ("CSINV W4,W0,W2,EQ", -4),
        ("CSNEG W4,W0,W2,EQ", -3),
        ("CSNEG W4,W0,W2,NE", 5),
        ("CINC W4,W0,NE", 6),
        ("CINV W4,W0,NE", -6),
        ("CNEG W4,W0,NE", -5),
        ("CNEG W4,W0,EQ", 5),
        ("CSET W4,HI", 1),
        ("CSET W4,LO", 0),
        ("CSETM W4,HI", -1),
    ] {
        assert_eq!(chosen(choice), [value], "{choice}");
    }
    // Through memory a choice is in no relation of the model.
    let through = format!("{read}; CSET W4,EQ; STR W4,[X3]; LDR W6,[X3]; STR W6,[X1]");
    let rows: Vec<String> = through.split("; ").map(|cell| format!("| {cell} ;")).collect();
    let text = asked("AArch64", state, &rows.join("\n"), "exists (1:X0=1)");
    let test = read::test(&SourceFile::new("t", text.as_str())).expect("it is read").test;
    let error = run(&test, &aarch64, &Options::default()).expect_err("not modelled").to_string();
    assert!(error.contains("a pick dependency through memory"), "{error}");
}

/// `ldp`, `stp`: two accesses, in any order; those of a location that is not there are refused.
#[test]
fn pairs_of_registers_are_two_accesses() {
    let aarch64 = model("aarch64");
    let ask = |ty: &str, rows: &str, condition: &str| {
        let state = format!("{ty} x[4]={{0,0,0,0}}; 0:X1=x; 1:X1=x;");
        reachable(&asked("AArch64", &state, rows, condition), &aarch64)
    };
    for (ty, of, bytes) in [("uint64_t", "X", 8), ("uint32_t", "W", 4)] {
        let rows = format!(
            "MOV {of}0,#1 | LDP {of}0,{of}2,[X1] ;\nMOV {of}2,#2 | ;\nSTP {of}0,{of}2,[X1] | ;"
        );
        for (values, is_seen) in
            [((0, 0), true), ((1, 0), true), ((0, 2), true), ((1, 2), true), ((2, 1), false)]
        {
            let condition = format!("exists (1:X0={} /\\ 1:X2={})", values.0, values.1);
            assert_eq!(ask(ty, &rows, &condition), is_seen, "{ty} {values:?}");
        }
        let moved = format!(
            "MOV {of}0,#1 | ;\nMOV {of}2,#2 | ;\nSTP {of}0,{of}2,[X1],#{bytes} | ;\nSTP {of}0,{of}2,[X1,#{bytes}]! | ;\nLDP {of}4,{of}5,[X1,#-{bytes}]! | ;\nLDP {of}6,{of}7,[X1],#{bytes} | ;\nLDP {of}8,{of}9,[X1] | ;"
        );
        // 1 2, and from the third place on 1 2.
        let condition = "exists (x[0]=1 /\\ x[1]=2 /\\ x[2]=1 /\\ x[3]=2 /\\ 0:X4=2 /\\ 0:X5=1 /\\ 0:X6=2 /\\ 0:X7=1 /\\ 0:X8=1 /\\ 0:X9=2)";
        assert!(ask(ty, &moved, condition), "{ty}");
    }
    let text =
        asked("AArch64", "uint64_t x; 0:X1=x; 1:X1=x;", "LDP X0,X2,[X1] | ;", "exists (x=0)");
    let test = read::test(&SourceFile::new("t", text.as_str())).expect("it is read").test;
    let error = run(&test, &aarch64, &Options::default()).expect_err("one location").to_string();
    assert!(error.contains("no location 8 bytes behind `x`"), "{error}");
}

/// Without `lock` an exchange is a load and a store, and writes back what it read where it fails.
#[test]
fn an_exchange_without_lock_is_two_accesses() {
    let x86 = model("x86");
    let ask = |lock: &str, condition: &str| {
        let rows = format!(
            "movl $1,%ecx | movl $2,%ecx ;\n{lock}cmpxchgl %ecx,(%rdx) | {lock}cmpxchgl %ecx,(%rdx) ;"
        );
        let state = "0:rax=0; 1:rax=0; 0:rdx=x; 1:rdx=x;";
        reachable(&asked("X86_64", state, &rows, condition), &x86)
    };
    let both = "exists (0:rax=0 /\\ 1:rax=0)";
    assert!(ask("", both) && !ask("lock ", both));
    let one = "exists (0:rax=0 /\\ 1:rax=1 /\\ x=1)";
    assert!(ask("", one) && ask("lock ", one));
    // The one that fails writes what it read over what came between.
    let rows = "movl $1,%ecx | movl $2,%ecx ;\ncmpxchgl %ecx,(%rdx) | movl %ecx,(%rdx) ;\n| mfence ;\n| movl (%rdx),%ebx ;";
    let fails = |x: i32| {
        let state = "int x=3; 0:rax=0; 0:rdx=x; 1:rdx=x;";
        reachable(&asked("X86_64", state, rows, &format!("exists (1:rbx=2 /\\ x={x})")), &x86)
    };
    assert!(fails(3) && fails(2) && !fails(1));
}

/// `teq` leaves the flags that it does not set: no loop goes on for them, and nobody is warned of
/// registers that no test names.
#[test]
fn flags_that_are_kept_do_not_keep_loops() {
    let rows = "L: LDREX R0,[R1] | L: LDREX R0,[R1] ;\nADD R0,R0,#1 | ADD R0,R0,#1 ;\nSTREX R2,R0,[R1] | STREX R2,R0,[R1] ;\nTEQ R2,#0 | TEQ R2,#0 ;\nBNE L | BNE L ;";
    for (rows, ends) in [(rows.to_owned(), true), (rows.replace("BNE", "BLT"), false)] {
        let text = asked("ARM", "0:R1=x; 1:R1=x;", &rows, "exists (x=1)");
        let read = read::test(&SourceFile::new("t", text.as_str())).expect("it is read");
        assert!(read.warnings.is_empty(), "{}", read.warnings[0]);
        let answer = run(&read.test, &model("armv7"), &Options::default()).unwrap();
        assert!(!ends || !answer.reachable && answer.gap.is_none(), "{rows}");
    }
}

/// Bytes and half-words are loaded with zeros in front or with their sign.
#[test]
fn narrow_loads_extend() {
    let load = |kind: &str, state: &str, load: &str, register: &str| {
        let text = |value: u8| {
            let rows = format!("{load} | ;");
            asked(kind, state, &rows, &format!("exists (0:{register}={value})"))
        };
        let model = model(if kind == "ARM" {
            "armv7"
        } else if kind == "AArch64" {
            "aarch64"
        } else {
            "x86"
        });
        assert!(reachable(&text(5), &model) && !reachable(&text(4), &model), "{load}");
    };
    for (ty, letter) in [("int8_t", "B"), ("int16_t", "H")] {
        let state = |pointer: &str| format!("{ty} x=5; {pointer}=x;");
        load("AArch64", &state("0:X1"), &format!("LDRS{letter} W0,[X1]"), "X0");
        load("AArch64", &state("0:X1"), &format!("LDRS{letter} X0,[X1]"), "X0");
        load("ARM", &state("0:R1"), &format!("LDRS{letter} R0,[R1]"), "R0");
    }
    for (instruction, ty) in [
        ("movzbl", "uint8_t"),
        ("movsbl", "int8_t"),
        ("movswl", "int16_t"),
        ("movsbq", "int8_t"),
        ("movzwq", "uint16_t"),
    ] {
        let to = if instruction.ends_with('q') { "%rax" } else { "%eax" };
        load(
            "X86_64",
            &format!("{ty} x=5; 0:rdx=x;"),
            &format!("{instruction} (%rdx),{to}"),
            "rax",
        );
    }
    load("X86_64", "int8_t x=5; 0:rdx=x;", "movsx eax, byte ptr [rdx]", "rax");
    load("AArch64", "int32_t x=5; 0:X1=x;", "LDRSW X0,[X1]", "X0");
}

#[test]
fn quantifiers_filters_and_addresses() {
    let rows = "MOV W0,#1 | LDR W0,[X1] ;\nSTR W0,[X1] | ;";
    let ask = |condition: &str| {
        let text = asked("AArch64", "int x=0; 0:X1=x; 1:X1=x; 1:X9=x", rows, condition);
        let test = read::test(&SourceFile::new("t", text.as_str()))
            .unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
            .test;
        run(&test, &model("aarch64"), &Options::default()).unwrap().reachable
    };
    // `~exists` and `forall` ask for the executions that break them.
    assert!(ask("~exists (1:W0=1)") && !ask("forall (x=1)"));
    assert!(!ask("filter (x=0) exists (1:W0=1)") && ask("locations [x; 1:X0;] exists (1:X0=1)"));
    // A name on the right of a register is an address.
    assert!(ask("exists (1:X9=x)") && !ask("exists (1:X0=x)"));
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let state = "0:X1=x; 1:X1=x;";
    let one = |state: &str, cell: &str| {
        let error = refused(&asked("AArch64", state, &format!("{cell} | ;"), "exists (x=1)"));
        assert!(!error.labels.is_empty(), "{error}");
        format!("{} {}", error.message, error.help.unwrap_or_default())
    };
    for (cell, words) in [
        ("LD1W {z0.s},p0/z,[X1]", "SVE"),
        ("STG X0,[X1]", "MTE"),
        ("IC IVAU,X1", "instruction fetch"),
        ("TLBI VAE1IS,X1", "page tables"),
        ("LDR W0,[X1],X2", "`ldr <r>, <m>`"),
        ("LDR W0,[X1,#4,LSL]", "; an address <m> is `[<r>]`, `[<r>,#0]`, `[<r>, <n>]`, "),
        ("LDXT W0,[X1]", "did you mean `ldxr`"),
        ("FROB W0", "architectures.md"),
        ("LDNP W0,W2,[X1]", "pair"),
    ] {
        let message = one(state, cell);
        assert!(message.contains(words), "{cell}: {message}");
    }
    for (state, words) in [
        ("0:X1=x; [PTE(x)]=(oa:PA(y));", "page table"),
        ("0:X1=x:green;", "MTE"),
        ("0:X1=P1:L0;", "instruction fetch"),
    ] {
        let message = one(state, "LDR X0,[X1]");
        assert!(message.contains(words), "{state}: {message}");
    }
    let fence = |cell: &str| {
        refused(&asked("RISCV", "0:x5=x; 1:x5=x;", &format!("{cell} | ;"), "exists (x=1)"))
    };
    assert!(
        fence("fence rw,zz").message.contains("`zz` is not known behind `fence rw,`")
            && fence("fence.i").message.contains("instruction fetch")
    );
    assert!(fence("fadd.s fa0,fa0,fa0").message.contains("floating-point"));
    let sizes = refused(&asked("AArch64", state, "LDR X0,[X1] | LDR W0,[X1] ;", "exists (x=1)"));
    assert!(sizes.message.contains("mixed sizes") && sizes.labels.len() == 2, "{sizes}");
    let kind = refused("AArch65 t\n{ }\n P0 ;\n NOP ;\nexists (true)");
    let known = format!("{:?}", kind.labels);
    assert!(
        known.contains("AArch64") && known.contains("PPC") && known.contains("riscv"),
        "{known}"
    );
}

/// LoongArch, in part, for this test alone: the text is all that there is of it.
const LOONGARCH: &str = r#"architecture "LoongArch, in part"
tag DBAR on F
tag LL on R W apart
dependencies addr data ctrl
read ld
write st
rmw ll_sc LL
fence dbar DBAR
read ll LL reserve
write sc LL conditional
assembly LOONGARCH LoongArch
registers 64 r1..r31
registers 64 r0 zero
registers 64 a0..a7 t0..t8 in r4..r11 r12..r20
address "<r>, <n>" = "[<r>+<n>]"
each w = w/32 d/64
instruction "ld.<w> <r>, <m>" = "ld <r>, <m>" size <w>
instruction "st.<w> <r>, <m>" = "st <m>, <r>" size <w>
instruction "ll.<w> <r>, <m>" = "ll <r>, <m>" size <w>
instruction "sc.<w> <r>, <m>" = "sc %a, <m>, <r>; xor <r>, %a, 1" size <w>
instruction "dbar <n>" = "dbar"
instruction "addi.<w> <r>, <r1>, <n>" = "add <r>, <r1>, <n>"
instruction "beqz <r>, <l>" = "beq <r>, 0, <l>"
refuse "vectors are not modelled" vld* xvld*
"#;

const LOONGARCH_MODEL: &str = "loongarch \"fences and coherence\"
acyclic (po & loc) | rf | co | fr as Coherence
acyclic (po; [DBAR]; po) | (rf & ext) | co | fr as Fences
empty rmw & ((fr & ext); (co & ext)) as Atomic
";

#[test]
fn a_new_architecture_is_a_text_alone() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("loongarch");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("loongarch.arch", LOONGARCH), ("loongarch.cat", LOONGARCH_MODEL)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let model = model(&folder.join("loongarch.cat").display().to_string());
    let ask = |rows: &str, condition: &str| {
        let text = asked("LOONGARCH", "0:a1=x; 0:a2=y; 1:a1=y; 1:a2=x;", rows, condition);
        std::fs::write(folder.join("t.litmus"), &text).unwrap();
        let read =
            read::load(&folder.join("t.litmus")).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
        run(&read.test, &model, &Options::default()).unwrap().reachable
    };
    let sb = "addi.w a0,r0,1 | addi.w a0,$r0,1 ;\nst.w a0,a1,0 | st.w a0,a1,0 ;\ndbar 0 | dbar 0 ;\nld.w t0,a2,0 | ld.w t0,a2,0 ;";
    let condition = "exists (0:t0=0 /\\ 1:t0=0)";
    let sb = sb.replace('$', "");
    assert!(!ask(&sb, condition) && ask(&sb.replace("dbar 0", ""), condition));
    let increment = "L: ll.w a0,a1,0 | L: ll.w a0,a2,0 ;\naddi.w a0,a0,1 | addi.w a0,a0,1 ;\nsc.w a0,a1,0 | sc.w a0,a2,0 ;\nbeqz a0,L | beqz a0,L ;";
    assert!(!ask(increment, "exists (~x=2)") && ask(increment, "exists (x=2)"));
}

/// A text may have the name of a kind of tests, where that is the first word of no model: tests
/// beside it are in its words, others are not.
#[test]
fn a_text_may_be_called_as_a_kind_of_tests() {
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, text) in [
        ("ptx", "ptx own\n{ x=0; }\n P0 ;\n put x, 1 ;\nexists (x == 1)\n"),
        ("CUDA", "CUDA own\n{ x=0; }\n P0 ;\n put x, 1 ;\nexists (x == 1)\n"),
    ] {
        let folder = target.join(format!("called-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(
            folder.join(format!("{name}.arch")),
            "architecture \"own\"\nread get\nwrite put\n",
        )
        .unwrap();
        std::fs::write(
            folder.join(format!("{name}.cat")),
            format!("{name} \"own\"\nacyclic po | rf | co | fr as Order\n"),
        )
        .unwrap();
        let model = model(&folder.join(format!("{name}.cat")).display().to_string());
        std::fs::write(folder.join("t.litmus"), text).unwrap();
        let read =
            read::load(&folder.join("t.litmus")).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
        assert!(run(&read.test, &model, &Options::default()).unwrap().reachable);
        assert!(read::test(&SourceFile::new("elsewhere/t.litmus", text)).is_err());
    }
}

/// A model in the manner of herd7 or Dartagnan, as it is read for tests of an architecture.
fn of_peer(tool: &str, text: &str, architecture: &str) -> Model {
    let source = SourceFile::new(format!("{tool}:m.cat"), text);
    let loaded = Model::parse(source, &margay_models::typing::OnlyBuiltIn)
        .unwrap_or_else(|e| panic!("{}", e[0]));
    let signature =
        margay_models::signature::Architecture::built_in(architecture).expect("it is built in");
    loaded
        .model
        .of_tests(signature)
        .unwrap_or_else(|| panic!("not read for {architecture}: {text}"))
        .clone()
}

/// Each fence and annotation counts under models that have peers' names for them: message passing
/// with it is forbidden, and without it allowed.
#[test]
fn nothing_vanishes_under_models_of_peers() {
    let base = "include \"cos.cat\"\nacyclic po-loc | rf | fr | co\nempty rmw & (fre; coe)\nacyclic rfe | fre | coe | addr | ";
    let mp = |kind: &str, state: &str, rows: &str, condition: &str, model: &Model| {
        reachable(&asked(kind, state, rows, condition), model)
    };
    for tool in ["herd7", "dartagnan"] {
        // Power: the writer's fence, and the reader's.
        let fences = format!("include \"ppcfences.cat\"\n{base}");
        let state = "0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x;";
        let power = |model: &Model, left: &str, right: &str| {
            let rows = format!(
                "li r1,1 | lwz r1,0(r2) ;\nstw r1,0(r2) | cmpw r1,r1 ;\n{left} | beq L ;\nstw r1,0(r4) | L: ;\n | {right} ;\n | lwz r3,0(r4) ;"
            );
            mp("PPC", state, &rows, "exists (1:r1=1 /\\ 1:r3=0)", model)
        };
        let model = of_peer(
            tool,
            &format!("PPC m\n{fences}sync | (lwsync \\ (W * R)) | (eieio & (W * W)) | ctrlisync"),
            "power",
        );
        for left in ["sync", "lwsync", "eieio"] {
            for right in ["sync", "lwsync", "isync"] {
                assert!(!power(&model, left, right), "{tool}: {left}, {right}");
            }
            assert!(power(&model, left, "nop") && power(&model, left, "eieio"), "{tool}: {left}");
        }
        assert!(power(&model, "isync", "sync") && power(&model, "nop", "sync"));
        // RISC-V: `.aq`, `.rl` and each fence.
        let annotated = "[Acq | AcqRel]; po | po; [Rel | AcqRel] | po; [Fence.rw.rw]; po | [R]; po; [Fence.r.r]; po; [R] | [W]; po; [Fence.w.w]; po; [W] \
            | po; [Fence.rw.w]; po; [W] | [R]; po; [Fence.r.rw]; po | [W]; po; [Fence.tso]; po; [W] | [R]; po; [Fence.tso]; po";
        let model = of_peer(tool, &format!("RISCV m\n{base}{annotated}"), "riscv");
        let state = "0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x;";
        let riscv = |left: &str, store: &str, load: &str, right: &str| {
            let rows = format!(
                "li x5,1 | {load} ;\nsw x5,0(x6) | {right} ;\n{left} | lw x7,0(x8) ;\n{store} | ;"
            );
            mp("RISCV", state, &rows, "exists (1:x5=1 /\\ 1:x7=0)", &model)
        };
        let (sw, lw) = ("sw x5,0(x8)", "lw x5,0(x6)");
        for left in ["fence rw,rw", "fence w,w", "fence rw,w", "fence.tso"] {
            for right in ["fence rw,rw", "fence r,r", "fence r,rw", "fence.tso"] {
                assert!(!riscv(left, sw, lw, right), "{tool}: {left}, {right}");
            }
            assert!(
                riscv(left, sw, lw, "fence w,w") && riscv(left, sw, lw, "nop"),
                "{tool}: {left}"
            );
            assert!(
                !riscv(left, sw, "amoadd.w.aq x5,x0,(x6)", "nop")
                    && riscv(left, sw, "amoadd.w x5,x0,(x6)", "nop")
            );
        }
        assert!(riscv("fence r,r", sw, lw, "fence rw,rw"));
        for store in ["amoswap.w.rl x9,x5,(x8)", "amoswap.w.aqrl x9,x5,(x8)"] {
            assert!(!riscv("nop", store, lw, "fence r,r"), "{tool}: {store}");
        }
        assert!(riscv("nop", "amoswap.w x9,x5,(x8)", lw, "fence r,r"));
        // AArch64: every fence, and load-acquire and store-release.
        let fences = if tool == "herd7" {
            "include \"aarch64fences.cat\"\n"
        } else {
            "let dmb.full = DMB.SY | DMB.ISH\nlet dmb.ld = DMB.LD | DMB.ISHLD\nlet dmb.st = DMB.ST | DMB.ISHST\n"
        };
        let annotated = "[A | Q]; po | po; [L] | po; [dmb.full]; po | [R]; po; [dmb.ld]; po | [W]; po; [dmb.st]; po; [W]";
        let model = of_peer(tool, &format!("AArch64 m\n{fences}{base}{annotated}"), "aarch64");
        let aarch64 = |left: &str, store: &str, load: &str, right: &str| {
            let rows = format!(
                "MOV W0,#1 | {load} W0,[X1] ;\nSTR W0,[X1] | {right} ;\n{left} | LDR W2,[X3] ;\n{store} W0,[X3] | ;"
            );
            let state = AARCH64_STATE.replace("uint64_t x; uint64_t y", "uint32_t x; uint32_t y");
            mp("AArch64", &state, &rows, "exists (1:X0=1 /\\ 1:X2=0)", &model)
        };
        for left in ["DMB SY", "DMB ISH", "DMB ST", "DSB SY", "DSB ISHST"] {
            for right in ["DMB SY", "DMB ISHLD", "DSB LD"] {
                assert!(!aarch64(left, "STR", "LDR", right), "{tool}: {left}, {right}");
            }
            assert!(
                aarch64(left, "STR", "LDR", "DMB ST") && aarch64(left, "STR", "LDR", "ISB"),
                "{tool}: {left}"
            );
            assert!(!aarch64(left, "STR", "LDAR", "NOP") && !aarch64(left, "STR", "LDAPR", "NOP"));
        }
        assert!(!aarch64("NOP", "STLR", "LDAR", "NOP") && aarch64("DMB LD", "STR", "LDAR", "NOP"));
        // Armv7: both kinds of fences, and the branch with isb.
        let fences = "include \"fences.cat\"\n";
        let own = if tool == "herd7" { "include \"armfences.cat\"\n" } else { fences };
        let strong = "dmb | dsb | (dmb.st & (W * W)) | (dsb.st & (W * W)) | ctrlisb";
        let model = of_peer(tool, &format!("ARM m\n{own}{base}{strong}"), "armv7");
        let arm = |left: &str, right: &str| {
            let rows = format!(
                "MOV R0,#1 | LDR R0,[R1] ;\nSTR R0,[R1] | CMP R0,#1 ;\n{left} | BNE L ;\nSTR R0,[R3] | L: ;\n | {right} ;\n | LDR R2,[R3] ;"
            );
            mp(
                "ARM",
                "0:R1=x; 0:R3=y; 1:R1=y; 1:R3=x;",
                &rows,
                "exists (1:R0=1 /\\ 1:R2=0)",
                &model,
            )
        };
        for left in ["DMB", "DMB ISHST", "DSB", "DSB ST"] {
            assert!(
                !arm(left, "DMB") && !arm(left, "ISB") && arm(left, "DMB ST") && arm(left, "NOP"),
                "{tool}: {left}"
            );
        }
        assert!(arm("ISB", "DMB"));
        // x86: the fence and locked instructions.
        let fences = "include \"x86fences.cat\"\n";
        let model = of_peer(
            tool,
            &format!(
                "X86 m\n{fences}{base}mfence | ((po & (M * M)) \\ (W * R)) | po; [A & R] | [A & W]; po"
            ),
            "x86",
        );
        let x86 = |left: &str| {
            let rows = format!("{left} | {left} ;\nmovl (%rbx),%ecx | movl (%rbx),%ecx ;");
            mp(
                "X86_64",
                "0:rax=x; 0:rbx=y; 1:rax=y; 1:rbx=x;",
                &rows,
                "exists (0:rcx=0 /\\ 1:rcx=0)",
                &model,
            )
        };
        assert!(x86("movl $1,(%rax)") && !x86("lock addl $1,(%rax)"));
    }
}
