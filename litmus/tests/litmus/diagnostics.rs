//! What is said about wrong tests, and where.

use margay_litmus::read;
use margay_models::diagnostic::{Diagnostic, SourceFile};

/// Everything said about a text: place, message, label, help.
fn said(text: &str) -> String {
    let file = SourceFile::new("t", text);
    let show = |d: &Diagnostic| {
        let label = d
            .labels
            .first()
            .map(|l| format!(" [{}: {}]", &text[l.span.start..l.span.end], l.text))
            .unwrap_or_default();
        let help = d.help.as_ref().map(|h| format!(" ({h})")).unwrap_or_default();
        format!("{d}{label}{help}\n")
    };
    match read::test(&file) {
        Ok(read) => read.warnings.iter().map(show).collect(),
        Err(errors) => errors.iter().map(show).collect(),
    }
}

/// What is said about one instruction in thread 0.
fn instruction(text: &str) -> String {
    said(&format!(
        "PTX t\n{{ x=0; y=0; P0:r0=0; }}\n P0@cta 0,gpu 0 ;\n {text} ;\nexists (x == 1)\n"
    ))
}

/// What is said about statements in thread 0.
fn statements(text: &str) -> String {
    said(&format!(
        "C t\n{{ }}\nP0@wg 0,dev 0 (atomic_int* x, int* y) {{\n{text}\n}}\nexists (x == 1)\n"
    ))
}

/// The same for many, one paragraph each.
fn all(say: fn(&str) -> String, texts: &[&str]) -> String {
    texts
        .iter()
        .map(|t| {
            format!("{t}\n{}", say(t).lines().map(|l| format!("    {l}\n")).collect::<String>())
        })
        .collect()
}

#[test]
fn instructions() {
    insta::assert_snapshot!(all(instruction, &[
        "ldd.weak r0, x",
        "ld.acqiure.gpu r0, x",
        "ld.acquire r0, x",
        "ld.relaxed.cta.gpu r0, x",
        "ld.release.gpu r0, x",
        "ld.weak.gpu r0, x",
        "ld.volatile.sys r0, x",
        "ld.relaxed.gpu.ca r0, x",
        "ld.sc.gpu r0, x",
        "ld.weak.v2 r0, x",
        "st.acquire.gpu x, 1",
        "st.weak x 1",
        "st.weak x, 99999999999999999999",
        "ld.weak x, y",
        "atom.relaxed.gpu r0, x, 1",
        "atom.cas r0, x, 1",
        "atom.weak.add r0, x, 1",
        "red.acquire.gpu.add x, 1",
        "red.exch x, 1",
        "fence.sc",
        "st.u32 x, 1 ;\n ld.u64 r0, x",
        "fence.relaxed.gpu",
        "fence.proxy",
        "membar.gpu",
        "membar",
        "bar.cta 0",
        "barrier.cluster.sync",
        "setp r1, r0, 1",
        "beq r0, 1, L",
        "L: goto L",
        "goto",
        "ld.weak r0, [x",
        "ld.weak r0, z",
        "st.weak x, r7",
        "ld.weak r0, x extra",
        "bar.cta.red.popc.u32 r1, 0, p",
        "bar.cta.sync 16",
        "bar.cta.arrive 0, 33",
        "ld.relaxd.gpu r0, x",
        "fence.proxy.aliases",
        "red.relaxed.gpu.ad x, 1",
        "ld.weak r0, x[1]",
        "st.weak x, 1 ;\n mebmar.gl",
        "@p0",
        "@ st.weak x, 1",
        "ld.weak.u33 r0, x",
        "bra.uni",
    ]), @r"
    ldd.weak r0, x
        t:4:2: error: unknown instruction `ldd` [ldd.weak: not known] (did you mean `ld`?)
    ld.acqiure.gpu r0, x
        t:4:5: error: unknown qualifier `acqiure` [acqiure: not known] (did you mean `acquire`?)
    ld.acquire r0, x
        t:4:2: error: `ld.acquire` needs a scope [ld.acquire: no scope] (PTX has no default here: write `ld.acquire.cta`, `.cluster`, `.gpu` or `.sys`)
    ld.relaxed.cta.gpu r0, x
        t:4:17: error: `.gpu` is a second scope, beside `.cta` [gpu: one scope is enough]
    ld.release.gpu r0, x
        t:4:5: error: a load cannot be `.release` [release: an order of stores]
    ld.weak.gpu r0, x
        t:4:10: error: a weak access has no scope [gpu: a scope]
    ld.volatile.sys r0, x
        t:4:14: error: a volatile access has no scope: it is of system scope [sys: a scope]
    ld.relaxed.gpu.ca r0, x
        t:4:2: error: only weak accesses have a cache operator [ld.relaxed.gpu.ca: order and cache operator exclude each other]
    ld.sc.gpu r0, x
        t:4:5: error: `ld` has no `.sc` [sc: only fences are sequentially consistent] (put a `fence.sc` before it)
    ld.weak.v2 r0, x
        t:4:13: error: expected `{`, found `r0` [r0: expected `{`] (`.v2` takes 2 elements in braces, e.g. `{r0, r1}`)
    st.acquire.gpu x, 1
        t:4:5: error: a store cannot be `.acquire` [acquire: an order of loads]
    st.weak x 1
        t:4:12: error: expected `,`, found `1` [1: expected `,`]
    st.weak x, 99999999999999999999
        t:4:13: error: the number is too large [99999999999999999999: more than 64 bits]
    ld.weak x, y
        t:4:10: error: `x` is a location, not a register [x: expected a register]
    atom.relaxed.gpu r0, x, 1
        t:4:2: error: `atom` needs a function [atom.relaxed.gpu: no function] (one of exch, cas, add, and, or, xor, inc, dec, min, max; of Dartagnan's also sub, mul, div)
    atom.cas r0, x, 1
        t:4:19: error: expected `,`, found the end [: expected `,`]
    atom.weak.add r0, x, 1
        t:4:7: error: `atom` cannot be `.weak` [weak: not an order of atomic operations]
    red.acquire.gpu.add x, 1
        t:4:2: error: a `red` cannot acquire: it returns nothing [red.acquire.gpu.add: write `.relaxed` or `.release`, or use `atom`]
    red.exch x, 1
        t:4:2: error: `red` has no `.exch` [red.exch: needs a result: use `atom`]
    fence.sc
        t:4:2: error: `fence` needs a scope [fence.sc: no scope] (PTX has no default here: write e.g. `fence.sc.gpu`)
    st.u32 x, 1 ;
     ld.u64 r0, x
        t:5:2: warning: accesses of 32 and of 64 bits to `x`: each is taken as accesses to cells [ld.u64 r0, x: another width than before] (cells are as wide as the narrowest access, `x[0]` has the lowest bits; the memory model has no axioms for accesses of different size that race (PTX ISA 8.7.2))
    fence.relaxed.gpu
        t:4:8: error: unknown qualifier `relaxed` [relaxed: not known]
    fence.proxy
        t:4:2: error: a proxy fence needs a proxy [fence.proxy: write `.alias`, `.surface`, `.texture`, `.constant` or `.async`]
    membar.gpu
        t:4:9: error: unknown qualifier `gpu` [gpu: not known]
    membar
        t:4:2: error: `membar` needs a level [membar: write `.cta`, `.gl` or `.sys`]
    bar.cta 0
        t:4:2: error: `bar` needs a mode [bar.cta: write `.sync`, `.arrive` or `.red`]
    barrier.cluster.sync
        t:4:18: error: unknown qualifier `sync` [sync: not known]
    setp r1, r0, 1
        t:4:2: error: `setp` needs a comparison [setp: write `setp.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge`]
    beq r0, 1, L
        t:4:2: error: unknown label `L` [beq r0, 1, L: not known]
    L: goto L
        t:4:2: error: a loop without an exit [L: the end of the thread cannot be reached from here]
    goto
        t:4:6: error: expected a label, found the end [: expected a label]
    ld.weak r0, [x
        t:4:16: error: expected `]`, found the end [: expected `]`]
    ld.weak r0, z
        t:4:14: warning: location `z` is not declared [z: taken as a location that holds 0 at the start] (write `z=0;` in the initial state)
    st.weak x, r7
        t:4:2: warning: register `r7` of P0 is read before it is written [st.weak x, r7: it holds 0 here]
    ld.weak r0, x extra
        t:4:16: error: expected `|` or `;`, found `extra` [extra: expected `|` or `;`]
    bar.cta.red.popc.u32 r1, 0, p
        t:4:23: error: the result of a reduction is not modelled, `r1` would take it [r1: a register here] (write `bar.cta.red` and the number of the barrier: it synchronises as `bar.cta.sync` does (PTX ISA 8.9.4))
    bar.cta.sync 16
        t:4:2: error: a cta has no barrier 16 [bar.cta.sync 16: the barriers are 0 to 15 (PTX ISA 9.7.13.1)]
    bar.cta.arrive 0, 33
        t:4:2: error: these operands are neither PTX's nor Dartagnan's [bar.cta.arrive 0, 33: PTX: barrier, count of threads, a multiple of 32; Dartagnan: instance, barrier, count] (write `bar.cta.sync 0` or `bar.cta.sync 0, 64`; Dartagnan's `bar.cta.sync 1, 0, 2` is read, too)
    ld.relaxd.gpu r0, x
        t:4:5: error: unknown qualifier `relaxd` [relaxd: not known] (did you mean `relaxed`?)
    fence.proxy.aliases
        t:4:14: error: unknown qualifier `aliases` [aliases: not known] (did you mean `alias`?)
    red.relaxed.gpu.ad x, 1
        t:4:18: error: unknown qualifier `ad` [ad: not known] (did you mean `add`?)
    ld.weak r0, x[1]
        t:4:14: error: unknown location `x[1]` [x[1]: not known]
    st.weak x, 1 ;
     mebmar.gl
        t:5:2: error: unknown instruction `mebmar` [mebmar.gl: not known] (did you mean `membar`?)
    @p0
        t:4:5: error: expected an instruction, found the end [: expected an instruction]
    @ st.weak x, 1
        t:4:6: error: expected an instruction, found `.` [.: expected an instruction]
    ld.weak.u33 r0, x
        t:4:10: error: unknown qualifier `u33` [u33: not known] (did you mean `u32`?)
    bra.uni
        t:4:9: error: expected a label, found the end [: expected a label]
    ");
}

#[test]
fn statements_of_c() {
    insta::assert_snapshot!(all(statements, &[
        "atomic_stor_explicit(x, 1, memory_order_relaxed);",
        "atomic_store_explicit(x, 1, memory_order_relaxd);",
        "atomic_store_explicit(x, 1, memory_order_acquire);",
        "atomic_store_explicit(x, 1);",
        "atomic_store(x, 1, memory_order_relaxed);",
        "int r0 = atomic_load_explicit(x, memory_order_acq_rel);",
        "int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_devic);",
        "int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_work_item);",
        "int r0 = atomic_load(z);",
        "int r0 = atomic_load(x",
        "x = 1;",
        "*x = r0;",
        "1 = 2;",
        "for (;;) {}",
        "while (1) { }",
        "if (1 { }",
        "barrier(0);",
        "int 5;",
        "*y = 1",
        "y->stor(1);",
    ]), @r"
    atomic_stor_explicit(x, 1, memory_order_relaxed);
        t:4:1: error: unknown function `atomic_stor_explicit` [atomic_stor_explicit: not known] (did you mean `atomic_store_explicit`?)
    atomic_store_explicit(x, 1, memory_order_relaxd);
        t:4:29: error: unknown memory order `relaxd` [memory_order_relaxd: not known] (did you mean `relaxed`?)
    atomic_store_explicit(x, 1, memory_order_acquire);
        t:4:1: error: a store cannot acquire [atomic_store_explicit(x, 1, memory_order_acquire): with this memory order]
    atomic_store_explicit(x, 1);
        t:4:1: error: `atomic_store_explicit` needs a memory order [atomic_store_explicit(x, 1): no memory order]
    atomic_store(x, 1, memory_order_relaxed);
        t:4:1: error: `atomic_store` takes no memory order [atomic_store: without `_explicit`] (write `atomic_store_explicit`)
    int r0 = atomic_load_explicit(x, memory_order_acq_rel);
        t:4:10: error: a load cannot release [atomic_load_explicit(x, memory_order_acq_rel): with this memory order]
    int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_devic);
        t:4:56: error: unknown scope `devic` [memory_scope_devic: not known] (did you mean `device`?)
    int r0 = atomic_load_explicit(x, memory_order_acquire, memory_scope_work_item);
    int r0 = atomic_load(z);
        t:4:1: error: unknown location `z` [int r0 = atomic_load(z): not known]
    int r0 = atomic_load(x
        t:5:1: error: expected `,` or `)`, found `}` [}: expected `,` or `)`]
    x = 1;
        t:4:1: error: `x` is a location, not a variable [x = 1;: assigned to here] (write `*x = ..`)
    *x = r0;
        t:4:1: warning: `*x` is read as a plain access, and `x` points to an atomic object [*x = r0;: plain, as herd7 has it] (in C and C++ it is a seq_cst access: write `atomic_load(x)` or `atomic_store(x, ..)` for that, or `int* x` for a plain object)
        t:4:1: warning: register `r0` of P0 is read before it is written [*x = r0;: it holds 0 here]
    1 = 2;
        t:4:1: error: this cannot be assigned to [1: neither a variable nor `*x`]
    for (;;) {}
        t:4:1: error: a loop without an exit [for (;;) {}: its condition always holds]
    while (1) { }
        t:4:1: error: a loop without an exit [while (1) { }: its condition always holds]
    if (1 { }
        t:4:7: error: expected `)`, found `{` [{: expected `)`]
    barrier(0);
        t:4:1: error: `barrier` is not modelled [barrier: a barrier] (C++ has no barriers of work-groups, and the C models here have no relation for them; PTX tests have `bar.cta.sync`)
    int 5;
        t:4:5: error: expected the name of a variable, found `5` [5: expected the name of a variable]
    *y = 1
        t:5:1: error: expected `;`, found `}` [}: expected `;`]
    y->stor(1);
        t:4:4: error: unknown method `stor` [stor: not known] (did you mean `store`?)
    ");
}

#[test]
fn whole_tests() {
    let texts = [
        "",
        "PTXX mp\n{ }\n",
        "PTX\n{ }\n",
        "PTX mp\n",
        "PTX mp\n{ x=0;\n",
        "PTX mp \"description\n{ }\n",
        "PTX mp (* comment\n{ }\n",
        "PTX mp\nOrig=MP\nsome words\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; x=1; }\n",
        "PTX mp\n{ x @ genric aliases y; }\n",
        "PTX mp\n{ y @ generic aliases z; x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ y @ generic aliases z; z @ surface aliases y; x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; s @ surface aliases x; }\n P0@cta 0,gpu 0 ;\n st.weak s, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpus 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 99999,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak x, 2 ;\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1\nexists (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexist (x == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (z == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r10, x ;\nexists (P0:r11 == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r10, x ;\nexists (P1:r10 == 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r10, x ;\nexists (P0:r10 1)",
        "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r10, x ;\nexists (P0:r10 == 1) x",
        "PTX mp\n{ x=0; P3:r0=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r10, x ;\nexists (P0:r10 == 1)",
        "GPU_PTX sb\n{ 0:.reg .s33 r0; }\n",
        "GPU_PTX sb\n{ x=0; }\n T0 ;\n st [x],1 ;\nScopeTree(grid(ctaa(warp T0)))\nexists (x=1)",
        "GPU_PTX sb\n{ x=0; }\n T0 ;\n st [x],1 ;\nScopeTree(grid(cta(warp T1)))\nexists (x=1)",
        "GPU_PTX sb\n{ x=0; }\n T0 | T1 ;\n st [x],1 | ;\nScopeTree(grid(cta(warp T0)))\nexists (x=1)",
        "GENERIC sb\n{ x=0; }\n P0 ;\n st.release x, 1 ;\nexists (x == 1)",
        "C mp\n{ }\nP0 (int x) { }\nexists (x == 1)",
        "C mp\n{ }\nP1 (int* x) { }\nexists (x == 1)",
        "C mp\n{ }\nP0 (int* x) { *x = 1;\nexists (x == 1)",
    ];
    insta::assert_snapshot!(all(said, &texts));
}

/// An instruction of assembly is read as others of the table form, and what is said of a name is
/// said where the test has it.
#[test]
fn locations_of_assembly() {
    let x86 =
        |rows: &str| said(&format!("X86_64 t\n{{ y=0; }}\n P0 | P1 ;\n{rows}\nexists (x=1)\n"));
    let expected = |place: &str, name: &str| {
        format!(
            "t:{place}: warning: location `{name}` is not declared [{name}: taken as a location that holds 0 at the start] (write `{name}=0;` in the initial state)\n"
        )
    };
    assert_eq!(x86(" movl $1, (x) | movl (y), %eax ;"), expected("4:12", "x"));
    assert_eq!(x86(" movl $1, (y) | movl (x), %eax ;"), expected("4:23", "x"));
    assert_eq!(
        x86(" movl $1, (x) | ;\n movl $1, (z) | movl (x), %eax ;"),
        expected("4:12", "x") + &expected("5:12", "z")
    );
}

#[test]
fn files_that_are_no_texts() {
    let folder = std::env::temp_dir();
    assert!(read::load(&folder).unwrap_err()[0].message.starts_with("cannot read"));
    assert!(
        read::load(&folder.join("no-such-file.litmus")).unwrap_err()[0]
            .message
            .starts_with("cannot read")
    );
    let binary = folder.join(format!("margay-litmus-{}.bin", std::process::id()));
    std::fs::write(&binary, [0x50, 0xff, 0xfe]).unwrap();
    let errors = read::load(&binary).unwrap_err();
    std::fs::remove_file(&binary).unwrap();
    assert!(errors[0].message.contains("is not a text in UTF-8"), "{}", errors[0]);
    assert!(said("PTX \0").contains("binary data"));
}

/// A line in front of the initial state is passed over whole, however long it is, and the next one
/// is read. (The lines before each of its words were counted: 400 kB took minutes, which no limit
/// ended.)
#[test]
fn a_long_line_in_front_of_the_initial_state_is_one_line() {
    let words = "if (1) ".repeat(70_000);
    let text = format!(
        "PTX t\n{words}\n\"what it is\"\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n st.weak.u32 x,1 ;\nexists (x=1)\n"
    );
    let read =
        margay_litmus::read::test(&SourceFile::new("t", text)).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!((read.warnings.len(), read.test.threads.len()), (1, 1), "{:?}", read.warnings);
    assert_eq!(read.test.description.as_deref(), Some("what it is"));
}
