//! Tests in OpenCL C, and what clang makes of them, where `.ci/compilers` has fetched one.

use std::path::{Path, PathBuf};

use crate::program::{err, folder, json, lines, margay, out, write};

const MP: &str = "PTX MP
{ x=0; y=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.acquire.gpu r0, y ;
 fence.sc.gpu        | xor r2, r0, r0       ;
 st.weak y, 1        | ld.weak r1, [x+r2]   ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)
";

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// A clang that has been fetched.
fn clang(version: u32) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("target/compilers/llvm-{version}/clang"));
    let there = path.is_file();
    if !there {
        println!("skipped: no clang {version}; `.ci/compilers llvm-{version}` fetches it");
    }
    there.then_some(path)
}

#[test]
fn a_test_in_opencl_c() {
    let dir = folder("opencl/emit");
    write(&dir, "mp.litmus", MP);
    let test = dir.join("mp.litmus");
    let said = margay(&["gpu", "emit", text(&test), "--language", "opencl"]);
    assert_eq!(said.status.code(), Some(0), "{}", err(&said));
    insta::assert_snapshot!(out(&said), @r"
    // The litmus test MP in OpenCL C 2.0, written by margay.
    // At the start x = 0, y = 0; each thread stores its registers to `results` after its last access.

    kernel void margay_P0(global atomic_int *loc_x, global atomic_int *loc_y, volatile global int *results)
    {
        atomic_store_explicit(loc_x, 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
        *(global int *)loc_y = 1;
    }

    kernel void margay_P1(global atomic_int *loc_x, global atomic_int *loc_y, volatile global int *results)
    {
        int reg_r0 = 0;
        int reg_r2 = 0;
        int reg_r1 = 0;
        reg_r0 = atomic_load_explicit(loc_y, memory_order_acquire, memory_scope_device);
        reg_r2 = (int)((uint)reg_r0 & 0x80000000u);
        reg_r1 = *(global int *)(loc_x + reg_r2);
        results[0] = reg_r0;
        results[1] = reg_r1;
    }

    // Once: 2 work-groups of 64 work-items.
    kernel void margay_test(global atomic_int *loc_x, global atomic_int *loc_y, volatile global int *results)
    {
        if (get_group_id(0) == 0 && get_local_id(0) == 0) margay_P0(loc_x, loc_y, results + 0);
        else if (get_group_id(0) == 1 && get_local_id(0) == 0) margay_P1(loc_x, loc_y, results + 0);
    }
    ");
    let document =
        json(&margay(&["gpu", "emit", text(&test), "--language", "opencl", "--format", "json"]));
    assert_eq!(
        (&document["language"], document["source"].as_str().map(str::trim_end)),
        (&"opencl".into(), Some(out(&said).trim_end()))
    );
}

/// What the registers begin with, comparisons without signs, names that C does not have, volatile
/// accesses, and what the question is about.
#[test]
fn a_test_means_the_same_in_opencl_c() {
    let dir = folder("opencl/meaning");
    let test = "PTX meaning
{ x=0; y=0; P0:r1=7; }
 P0@cta 0,gpu 0             | P1@cta 1,gpu 0             ;
 st.relaxed.gpu x, r1       | ld.volatile %r1, x         ;
 ld.relaxed.gpu.u32 r1, y   | add r2, %r1, 1             ;
 setp.gt.u32 p0, r1, 5      | setp.eq p0, %r1, 1         ;
 @p0 st.relaxed.gpu.u32 x,9 | @p0 bra $L_1               ;
                            | st.relaxed.gpu y, 1        ;
                            | $L_1:                      ;
exists (P1:r2 == 8)
";
    write(&dir, "meaning.litmus", test);
    let said = margay(&["gpu", "emit", text(&dir.join("meaning.litmus")), "--language", "opencl"]);
    assert_eq!(said.status.code(), Some(0), "{}", err(&said));
    let said = out(&said);
    for part in [
        "int reg_r1 = 7;",
        "(uint)reg_r1 > (uint)5",
        "reg__25_r1 = atomic_load_explicit(loc_x, memory_order_relaxed, memory_scope_all_svm_devices)",
        "goto label__24_L_1;",
        "label__24_L_1:;",
        "results[1] = reg_r2;",
    ] {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
}

#[test]
fn what_opencl_c_cannot_say_is_refused_with_its_place() {
    let dir = folder("opencl/refused");
    for (from, to, said) in [
        ("ld.acquire.gpu", "ld.acquire.cluster", "OpenCL C has no cluster scope"),
        ("st.weak y, 1 ", "st.weak.u64 y, 1 ", "have 32 bits"),
        (
            "fence.sc.gpu ",
            "bar.cta.sync 0, 64 ",
            "the barrier of OpenCL C has no number of threads",
        ),
        ("fence.sc.gpu ", "bar.cta.arrive 0, 64 ", "nobody only arrives there"),
        (
            "P1@cta 1,gpu 0       ;\n st.relaxed.gpu x, 1",
            "P1@cta 0,gpu 0       ;\n bar.cta.sync 0",
            "must come to the same barriers",
        ),
        ("fence.sc.gpu        |", "atom.relaxed.gpu.inc r3, x, 9 |", "begins again at a bound"),
        (
            "{ x=0; y=0; }",
            "{ shared x=0; y=0; }",
            "in shared memory, but the threads are in different ctas",
        ),
        ("{ x=0; y=0; }", "{ x=&y; y=0; }", "`x` at the start: kernels here start from numbers"),
        (
            "{ x=0; y=0; }",
            "{ x=0x10000000000; y=0; }",
            "`x` at the start: 1099511627776 does not fit into 32 bits",
        ),
        ("{ x=0; y=0; }", "{ x=0; y=0; P1:r3=&y; }", "kernels here start from numbers"),
        ("xor r2, r0, r0", "cvt.u8.u32 r2, r0", "the arithmetic is not one of 32 bits"),
        ("xor r2, r0, r0", "add.u16 r2, r0, 7", "the arithmetic is not one of 32 bits"),
        ("st.weak y, 1 ", "st.weak y, -1", "values that may be negative"),
    ] {
        write(&dir, "t.litmus", MP.replace(from, to));
        let output = margay(&["gpu", "emit", text(&dir.join("t.litmus")), "--language", "opencl"]);
        assert_eq!(output.status.code(), Some(2), "{to}: {}", out(&output));
        assert!(err(&output).contains(said), "{to}: {}", err(&output));
    }
    write(&dir, "mp.litmus", MP);
    let check = |more: &[&str]| {
        margay(
            &[&["gpu", "check", text(&dir.join("mp.litmus")), "--language", "opencl"], more]
                .concat(),
        )
    };
    let none = check(&["--clang", "no-such-clang"]);
    assert!(
        none.status.code() == Some(2) && err(&none).contains("name one with --clang"),
        "{}",
        err(&none)
    );
    for (command, option) in [
        ("emit", &["--apart"][..]),
        ("emit", &["--environment", "spin=0"]),
        ("check", &["--environment", "spin=0"]),
    ] {
        let output = margay(
            &[&["gpu", command, text(&dir.join("mp.litmus")), "--language", "opencl"], option]
                .concat(),
        );
        assert!(
            output.status.code() == Some(2) && err(&output).contains("is for kernels in PTX"),
            "{}",
            err(&output)
        );
    }
    let ptx = margay(&["gpu", "check", text(&dir.join("mp.litmus")), "--clang", "clang"]);
    assert!(ptx.status.code() == Some(2) && err(&ptx).contains("--language"), "{}", err(&ptx));
    let target = check(&["--opencl-target", "gfx1100"]);
    assert!(
        target.status.code() == Some(2)
            && err(&target).contains("expected `spirv64`, `spirv64-built-in` or a GPU"),
        "{}",
        err(&target)
    );
}

/// A thread that ends early still stores its results, a barrier is one of the work-group, and
/// threads of several devices have a kernel each.
#[test]
fn what_ends_and_meets_in_opencl_c() {
    let dir = folder("opencl/meets");
    let emitted = |name: &str, test: &str| {
        write(&dir, name, format!("PTX {name}\n{test}"));
        let said = margay(&["gpu", "emit", text(&dir.join(name)), "--language", "opencl"]);
        assert_eq!(said.status.code(), Some(0), "{name}: {}", err(&said));
        out(&said).to_owned()
    };
    let exit = emitted(
        "exit.litmus",
        "{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;\n setp.eq p, r0, 0 | st.relaxed.gpu x, 1 ;\n \
         @p exit | ;\n st.relaxed.gpu y, 1 | ;\nexists (P0:r0 == 1 /\\ P1:r0 == 1)\n",
    );
    let end = "    if (reg_p) { goto margay_end; }\n    atomic_store_explicit(loc_y, 1, memory_order_relaxed, memory_scope_device);\n    margay_end:;\n    results[0]";
    assert!(exit.contains(end) && exit.contains("margay_test("), "{exit}");
    let barrier = emitted(
        "barrier.litmus",
        "{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | bar.cta.sync 0 ;\n bar.cta.sync 0 | ld.weak r1, x ;\nexists (P1:r1 == 0)\n",
    );
    assert!(barrier.contains("    barrier(CLK_GLOBAL_MEM_FENCE);\n    reg_r1 = "), "{barrier}");
    assert!(
        barrier.contains("// No kernel plays the test at once: all work-items")
            && !barrier.contains("margay_test("),
        "{barrier}"
    );
    let devices = emitted(
        "devices.litmus",
        "{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;\n st.relaxed.sys x, 1 | ld.relaxed.sys r1, x ;\nexists (P1:r1 == 0)\n",
    );
    assert!(
        devices.contains("its threads are on several devices") && !devices.contains("margay_test("),
        "{devices}"
    );
    let Some(clang) = clang(22) else { return };
    for test in ["exit.litmus", "barrier.litmus", "devices.litmus"] {
        let asked = ["--language", "opencl", "--clang", text(&clang), "--opencl-target", "gfx90a"];
        let same = margay(&[&["gpu", "check", text(&dir.join(test))], &asked[..]].concat());
        assert_eq!(same.status.code(), Some(0), "{test}: {}{}", out(&same), err(&same));
    }
    let asked = ["--language", "opencl", "--clang", text(&clang), "--opencl-target", "spirv64"];
    let same = margay(&[&["gpu", "check", text(&dir.join("barrier.litmus"))], &asked[..]].concat());
    assert_eq!(same.status.code(), Some(0), "{}{}", out(&same), err(&same));
}

/// The accesses are found again in what clang makes for GPUs of AMD's, and that a compiler has
/// merged two is said.
#[test]
fn accesses_are_found_again_in_amds_code() {
    let Some(clang) = clang(22) else { return };
    let dir = folder("opencl/amd");
    write(&dir, "mp.litmus", MP);
    let check = |test: &str| {
        margay(&[
            "gpu",
            "check",
            test,
            "--language",
            "opencl",
            "--clang",
            text(&clang),
            "--opencl-target",
            "gfx906,gfx90a,gfx942",
        ])
    };
    let same = check(text(&dir.join("mp.litmus")));
    assert_eq!(same.status.code(), Some(0), "{}{}", out(&same), err(&same));
    assert!(out(&same).starts_with("no difference; in 3 kernels of "), "{}", out(&same));
    // "Multiple loads from the same location get optimised into a single load" (section 4.4).
    let merged = check("tests/corpus/asplos2015/coRR.litmus");
    assert_eq!(merged.status.code(), Some(1), "{}", out(&merged));
    assert_eq!(
        out(&merged)
            .matches("where `reg_r2 = *(global int *)loc_x;` stands the code has a store")
            .count(),
        3,
        "{}",
        out(&merged)
    );
}

/// Of clang's own operations clang 22 makes plain accesses on the way to SPIR-V, and clang 23
/// atomic ones. Of OpenCL's functions both make atomic ones, with other orders and scopes than were
/// asked for (PTX's MP has two: an acquiring load and a relaxed store). A fence is as it was.
#[test]
fn lost_atomics_are_found_in_spir_v() {
    let dir = folder("opencl/spirv");
    write(&dir, "mp.litmus", MP);
    let test = dir.join("mp.litmus");
    let found = |clang: &Path, target: &str| {
        let asked = [
            "--language",
            "opencl",
            "--clang",
            text(clang),
            "--opencl-target",
            target,
            "--format",
            "json",
        ];
        lines(&margay(&[&["gpu", "check", text(&test)], &asked[..]].concat())).swap_remove(0)
    };
    for (version, verdict) in [(22, "different"), (23, "equal")] {
        let Some(clang) = clang(version) else { continue };
        let own = found(&clang, "spirv64-built-in");
        assert_eq!(own["verdict"], verdict, "{own}");
        let lost = own["differences"].to_string().matches("becomes no atomic operation").count();
        assert_eq!(lost, if verdict == "different" { 2 } else { 0 }, "{own}");
        let functions = found(&clang, "spirv64");
        let said = functions["differences"].to_string();
        assert_eq!(
            (&functions["verdict"], said.matches("OpAtomic").count()),
            (&"different".into(), 2),
            "{functions}"
        );
        // An acquiring load of the device becomes one of the work-group.
        assert!(
            said.contains("becomes memory_order_acquire and memory_scope_work_group"),
            "{functions}"
        );
    }
}
