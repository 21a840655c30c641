//! Memory that is read before it is written, read-only loads of what the kernel writes, and data
//! races of two widths: each found, and kernels that look alike and are right left alone.

use std::collections::BTreeSet;

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask, hardened, weakened};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

/// A kernel `k` that has these variables and this code, with an array `out`.
fn kernel(variables: &str, code: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n\
         .reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<40>;\n{variables}\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n\
         shl.b32 %r3, %r1, 2;\nmov.u32 %r4, s;\nadd.s32 %r5, %r4, %r3;\n{code}\nret;\n}}\n"
    )
}

/// Asks about such a kernel; every finding is confirmed by both engines.
fn asked(variables: &str, code: &str, launch: Option<&str>) -> KernelAnswer {
    let text = kernel(variables, code);
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = launch.iter().map(|l| l.parse().expect("a launch")).collect();
    let arguments: Vec<GivenArgument> = Vec::new();
    let question = KernelQuestion {
        launches: &launches,
        arguments: &arguments,
        ..KernelQuestion::new(&text, &module, module.function("k").expect("a kernel `k`"))
    };
    let answer = ask(&question).expect("an answer");
    for finding in answer.launches.iter().flat_map(|l| &l.findings) {
        let file = SourceFile::new("found.litmus", finding.litmus.clone());
        let read = read::test(&file).unwrap_or_else(|e| panic!("{e:?}\n{}", finding.litmus));
        let model = finding.model().expect("it is read");
        let verdict = Runner::new(model)
            .run(&read.test, &Options::default(), Choice::Both)
            .expect("an answer");
        match finding.kind {
            FindingKind::Race => assert_eq!(verdict.racy, Some(true), "{}", finding.litmus),
            _ => assert!(verdict.reachable, "{}", finding.litmus),
        }
        assert!(finding.stands.iter().all(|s| s.spot.line > 0), "{finding:#?}");
    }
    answer
}

/// What goes wrong with certainty; nothing where that is undecided.
fn kinds(variables: &str, code: &str, launch: Option<&str>) -> Option<BTreeSet<FindingKind>> {
    let answer = asked(variables, code, launch);
    let settled = answer.is_settled(launch.is_none()) || answer.is_certain();
    if !settled {
        println!("{:#?}", answer.not_looked());
    }
    settled.then(|| {
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    })
}

fn only(kind: FindingKind) -> Option<BTreeSet<FindingKind>> {
    Some([kind].into())
}

const NOTHING: Option<BTreeSet<FindingKind>> = Some(BTreeSet::new());

const TILE: &str = ".shared .align 4 .b8 s[256];";

/// Every thread writes its element and reads its neighbour's behind a barrier; the last one reads
/// what nobody wrote.
#[test]
fn an_element_that_nobody_writes_is_found_where_it_is_read() {
    let tile = |last: &str| {
        format!(
            "ld.global.u32 %r6, [%rd5];\nst.shared.u32 [%r5], %r6;\n{last}\nbar.sync 0;\nld.shared.u32 %r7, [%r5+4];\nst.global.u32 [%rd4], %r7;"
        )
    };
    // One thread writes the element behind the last.
    let halo = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\nshl.b32 %r8, %r2, 2;\nadd.s32 %r9, %r4, %r8;\nst.shared.u32 [%r9], 0;\nL1:";
    for launch in [Some("1x4"), None] {
        assert_eq!(kinds(TILE, &tile(halo), launch), NOTHING, "{launch:?}");
        assert_eq!(kinds(TILE, &tile(""), launch), only(FindingKind::Undefined), "{launch:?}");
    }
    // Read, and of no account.
    let unused = tile("").replace("st.global.u32 [%rd4], %r7;", "st.shared.u32 [%r5+128], %r7;");
    assert_eq!(kinds(TILE, &unused, Some("1x4")), NOTHING);
    // A branch on it.
    let branch = tile("").replace(
        "st.global.u32 [%rd4], %r7;",
        "setp.eq.u32 %p2, %r7, 0;\n@%p2 ret;\nst.global.u32 [%rd4], 1;",
    );
    assert_eq!(kinds(TILE, &branch, Some("1x4")), only(FindingKind::Undefined));
    // As an index.
    let index = tile("").replace(
        "st.global.u32 [%rd4], %r7;",
        "mul.wide.u32 %rd6, %r7, 4;\nadd.s64 %rd7, %rd1, %rd6;\nst.global.u32 [%rd7], 1;",
    );
    assert!(kinds(TILE, &index, Some("1x4")).is_some_and(|k| k.contains(&FindingKind::Undefined)));
    // Through other shared memory, which a thread sums up.
    let through = tile("").replace(
        "st.global.u32 [%rd4], %r7;",
        "st.shared.u32 [%r5+128], %r7;\nbar.sync 0;\nld.shared.u32 %r10, [%r4+140];\nst.global.u32 [%rd1], %r10;",
    );
    assert!(
        kinds(TILE, &through, Some("1x4")).is_some_and(|k| k.contains(&FindingKind::Undefined))
    );
    // Floating-point numbers as well, and where only a floating-point number comes of it.
    let float = tile("").replace(
        "st.global.u32 [%rd4], %r7;",
        "mov.b32 %f1, %r7;\nadd.f32 %f2, %f1, 0f3F800000;\nst.global.f32 [%rd4], %f2;",
    );
    assert_eq!(kinds(TILE, &float, Some("1x4")), only(FindingKind::Undefined));
}

/// A counter in shared memory that nobody sets to zero.
#[test]
fn a_counter_that_is_not_set_is_found() {
    let counter = |set: &str| {
        format!(
            "{set}\natom.shared.add.u32 %r6, [s], 1;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L2;\nld.shared.u32 %r7, [s];\n\
             st.global.u32 [%rd1], %r7;\nL2:"
        )
    };
    let set = "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra L1;\nst.shared.u32 [s], 0;\nL1:\nbar.sync 0;";
    assert_eq!(kinds(TILE, &counter(set), Some("1x4")), NOTHING);
    assert_eq!(kinds(TILE, &counter(""), Some("1x4")), only(FindingKind::Undefined));
    let reduced = counter("").replace("atom.shared.add.u32 %r6,", "red.shared.add.u32");
    assert_eq!(kinds(TILE, &reduced, Some("1x4")), only(FindingKind::Undefined));
    // A lock that nobody opens at the start.
    let lock = "L3:\natom.shared.acquire.cta.cas.b32 %r6, [s], 0, 1;\nsetp.ne.u32 %p3, %r6, 0;\n@%p3 bra L3;\nst.release.cta.shared.u32 [s], 0;";
    assert!(kinds(TILE, &format!("{set}\n{lock}"), Some("1x2")).is_some_and(|k| k.is_empty()));
    assert_eq!(kinds(TILE, lock, Some("1x2")), only(FindingKind::Undefined));
}

/// Bins that nobody sets to zero, added up in global memory: many places, and nothing else depends
/// on them.
#[test]
fn bins_that_are_not_set_are_found() {
    let bins = |set: &str| {
        format!(
            "mov.u32 %r20, 0;\nL5:\nmul.wide.u32 %rd20, %r20, 4;\nadd.s64 %rd21, %rd1, %rd20;\nshl.b32 %r21, %r20, 2;\nadd.s32 %r22, %r4, %r21;\n{set}\n\
             ld.shared.u32 %r23, [%r22];\natom.global.add.u32 %r24, [%rd21], %r23;\nadd.s32 %r20, %r20, 1;\nsetp.lt.u32 %p9, %r20, 40;\n@%p9 bra L5;"
        )
    };
    assert_eq!(kinds(TILE, &bins(""), Some("1x1")), only(FindingKind::Undefined));
    assert_eq!(kinds(TILE, &bins("st.shared.u32 [%r22], 0;"), Some("1x1")), NOTHING);
}

/// Written on one way only, behind a barrier: an execution goes the other way.
#[test]
fn memory_that_is_written_on_one_way_only_is_found() {
    let code = |else_write: &str| {
        format!(
            "atom.global.add.u32 %r6, [%rd2], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra L2;\n\
             st.shared.u32 [s], 5;\nbra L1;\nL2:\n{else_write}\nL1:\nbar.sync 0;\nld.shared.u32 %r7, [s];\nst.global.u32 [%rd4], %r7;"
        )
    };
    assert_eq!(kinds(TILE, &code("st.shared.u32 [s], 6;"), Some("1x2")), NOTHING);
    assert_eq!(kinds(TILE, &code(""), Some("1x2")), only(FindingKind::Undefined));
}

/// Threads of one warp that meet at its barrier, and a flag in the block's memory instead of a
/// barrier.
#[test]
fn memory_that_is_written_behind_other_orders_is_quiet() {
    let warp = "st.shared.u32 [%r5], %r1;\nbar.warp.sync 0xffffffff;\nxor.b32 %r6, %r3, 4;\nadd.s32 %r7, %r4, %r6;\nld.shared.u32 %r8, [%r7];\n\
                st.global.u32 [%rd4], %r8;";
    assert_eq!(kinds(TILE, warp, Some("1x2")), NOTHING);
    // Thread 0 writes and raises a flag that was lowered in front of a barrier.
    let flag = |release: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\nst.shared.u32 [s+8], 0;\nL1:\nbar.sync 0;\n@%p1 bra L2;\nst.shared.u32 [s], 7;\n\
             st.{release}.cta.shared.u32 [s+8], 1;\nbra L4;\nL2:\nld.acquire.cta.shared.u32 %r6, [s+8];\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra L2;\n\
             ld.shared.u32 %r7, [s];\nst.global.u32 [%rd4], %r7;\nL4:"
        )
    };
    assert_eq!(kinds(TILE, &flag("release"), Some("1x2")), NOTHING);
    assert_eq!(kinds(TILE, &flag("relaxed"), Some("1x2")), only(FindingKind::Race));
    // Strong accesses race with nobody, and read what nobody wrote all the same.
    let strong =
        flag("relaxed").replace("st.shared.u32 [s], 7", "st.relaxed.cta.shared.u32 [s], 7");
    let strong = strong.replace("ld.shared.u32 %r7, [s]", "ld.relaxed.cta.shared.u32 %r7, [s]");
    assert_eq!(kinds(TILE, &strong, Some("1x2")), only(FindingKind::Undefined));
}

/// Memory of the thread alone.
#[test]
fn local_memory_is_undefined_at_the_start() {
    let own = |code: &str| kinds(&format!("{TILE}\n.local .align 8 .b8 a[16];"), code, Some("1x1"));
    assert_eq!(
        own("st.local.u32 [a], 1;\nld.local.u32 %r6, [a];\nst.global.u32 [%rd4], %r6;"),
        NOTHING
    );
    assert_eq!(
        own("ld.local.u32 %r6, [a];\nst.global.u32 [%rd4], %r6;"),
        only(FindingKind::Undefined)
    );
    assert_eq!(own("ld.local.u32 %r6, [a];"), NOTHING);
    // A copy with bytes between its members.
    assert_eq!(
        own("st.local.u32 [a], 1;\nld.local.u64 %rd6, [a];\nst.global.u64 [%rd1], %rd6;"),
        NOTHING
    );
    assert_eq!(
        own("ld.local.u32 %r6, [a];\nsetp.eq.u32 %p1, %r6, 3;\n@%p1 trap;"),
        only(FindingKind::Undefined)
    );
    // A branch that only chooses what is stored.
    let chosen = "ld.global.u32 %r6, [%rd5];\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra L1;\nst.local.u32 [a], 1;\nL1:\nld.local.u32 %r7, [a];\nst.global.u32 [%rd4], %r7;";
    assert_eq!(own(chosen), only(FindingKind::Undefined));
}

/// A kernel that is written for blocks of 64 threads is not blamed for what smaller ones, which
/// nobody asked about, leave unwritten.
#[test]
fn a_kernel_for_larger_blocks_is_not_blamed() {
    let sum = |bound: u32| {
        format!(
            "ld.global.u32 %r6, [%rd5];\nst.shared.u32 [%r5], %r6;\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L3;\nmov.u32 %r7, 0;\nmov.u32 %r8, 0;\n\
             L1:\nshl.b32 %r9, %r7, 2;\nadd.s32 %r10, %r4, %r9;\nld.shared.u32 %r11, [%r10];\nadd.s32 %r8, %r8, %r11;\nadd.s32 %r7, %r7, 1;\n\
             setp.lt.u32 %p2, %r7, {bound};\n@%p2 bra L1;\nst.global.u32 [%rd1], %r8;\nL3:"
        )
    };
    let answer = asked(TILE, &sum(64), None);
    assert!(answer.wrong().is_none(), "{answer:#?}");
    assert!(
        answer.not_looked().iter().any(|n| n.why.contains("that of launch 1x64")),
        "{:#?}",
        answer.not_looked()
    );
    assert!(
        answer.launches.iter().any(|l| l.launch.to_string() == "1x64"),
        "{:#?}",
        answer.launches
    );
    assert_eq!(kinds(TILE, &sum(64), Some("1x64")), NOTHING);
    assert_eq!(kinds(TILE, &sum(64), Some("1x32")), only(FindingKind::Undefined));
    // Where what is read there decides a branch, nothing is known of the other way in the smaller
    // launches.
    let branch =
        sum(64).replace("st.global.u32 [%rd1], %r8;", "setp.eq.u32 %p3, %r8, 7;\n@%p3 trap;");
    assert_eq!(kinds(TILE, &branch, None), None);
    // In each block the sum goes one too far.
    let too_far = sum(64).replace("setp.lt.u32 %p2, %r7, 64;", "setp.le.u32 %p2, %r7, %r2;");
    assert_eq!(kinds(TILE, &too_far, None), only(FindingKind::Undefined));
}

/// `ld.global.nc` of what the kernel writes, by whatever thread and in whatever order.
#[test]
fn read_only_loads_of_what_is_written_are_found() {
    let neighbour = "st.global.u32 [%rd4], %r1;\nbar.sync 0;\nld.global.nc.u32 %r6, [%rd1];\nst.global.u32 [%rd5], %r6;";
    let answer = asked(TILE, neighbour, Some("1x2"));
    let finding = answer.wrong().and_then(|l| l.findings.first()).expect("a finding");
    assert_eq!(finding.kind, FindingKind::Cached);
    let texts: Vec<&str> = finding.stands.iter().map(|s| s.spot.text.as_str()).collect();
    assert!(
        matches!(texts.as_slice(), [load, store] if load.contains(".nc") && store.contains("st.global")),
        "{texts:?}"
    );
    assert_eq!(kinds(TILE, neighbour, Some("1x2")), only(FindingKind::Cached));
    // The thread itself, and a part of a wider one.
    let own =
        "st.global.u32 [%rd4], %r1;\nld.global.nc.u32 %r6, [%rd4];\nst.global.u32 [%rd5], %r6;";
    assert_eq!(kinds(TILE, own, Some("1x2")), only(FindingKind::Cached));
    let wide =
        "ld.global.nc.u64 %rd6, [%rd1];\nst.global.u64 [%rd2], %rd6;\nst.global.u32 [%rd1+4], 1;";
    assert!(kinds(TILE, wide, Some("1x1")).is_some_and(|k| k.contains(&FindingKind::Cached)));
    let atomic =
        "ld.global.nc.u32 %r6, [%rd1];\nred.global.add.u32 [%rd1], 1;\nst.global.u32 [%rd5], %r6;";
    assert!(kinds(TILE, atomic, Some("1x2")).is_some_and(|k| k.contains(&FindingKind::Cached)));
    // Of other memory, and on ways that no execution goes together.
    assert_eq!(
        kinds(TILE, "ld.global.nc.u32 %r6, [%rd5];\nst.global.u32 [%rd4], %r6;", Some("2x2"))
            .map(|k| k.len()),
        Some(1)
    );
    assert_eq!(
        kinds(TILE, "ld.global.nc.u32 %r6, [%rd5];\nst.global.u32 [%rd4], %r6;", Some("1x2")),
        NOTHING
    );
    let apart = "atom.global.exch.b32 %r6, [%rd2+64], 1;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra L1;\nst.global.u32 [%rd1], 1;\nbra L2;\nL1:\n\
                 ld.global.nc.u32 %r7, [%rd1];\nst.global.u32 [%rd2], %r7;\nL2:";
    assert_eq!(kinds(TILE, apart, Some("1x1")), NOTHING);
    assert_eq!(kinds(TILE, apart, Some("2x1")), only(FindingKind::Cached));
}

/// Two widths: a race where nothing orders them, and quiet where something does.
#[test]
fn accesses_of_two_widths_race_where_nothing_orders_them() {
    let halves = |order: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\nst.global.u64 [%rd1], 1;\nL1:\n{order}\n@!%p1 bra L2;\nld.global.u32 %r6, [%rd1+4];\n\
             st.global.u32 [%rd2], %r6;\nL2:"
        )
    };
    assert_eq!(kinds(TILE, &halves("bar.sync 0;"), Some("1x2")), NOTHING);
    assert_eq!(kinds(TILE, &halves(""), Some("1x2")), only(FindingKind::Race));
    let answer = asked(TILE, &halves(""), Some("1x2"));
    let finding = answer.wrong().and_then(|l| l.findings.first()).expect("a finding");
    let texts: Vec<&str> = finding.stands.iter().map(|s| s.spot.text.as_str()).collect();
    assert!(
        texts.iter().any(|t| t.starts_with("st.global.u64"))
            && texts.iter().any(|t| t.starts_with("ld.global.u32")),
        "{texts:?}"
    );
    assert!(finding.why[0].contains("8.7.2"), "{:?}", finding.why);
    // Strong accesses of two widths are never strong for each other.
    let strong = halves("")
        .replace("st.global.u64", "st.relaxed.gpu.global.u64")
        .replace("ld.global.u32", "ld.relaxed.gpu.global.u32");
    assert_eq!(kinds(TILE, &strong, Some("1x2")), only(FindingKind::Race));
    // Parts that do not overlap.
    let apart = halves("").replace(
        "st.global.u64 [%rd1], 1;",
        "st.global.u16 [%rd1], 1;\nst.global.u16 [%rd1+2], 1;\nst.global.u16 [%rd1], 2;",
    );
    assert_eq!(kinds(TILE, &apart, Some("1x2")), NOTHING);
    // Bytes of one word by two threads, behind a store of the whole.
    let bytes = |order: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\nst.shared.u32 [s], 0;\nL1:\n{order}\nadd.s32 %r6, %r4, %r1;\nst.shared.u8 [%r6], %r1;\nbar.sync 0;\n\
             ld.shared.u32 %r7, [s];\nst.global.u32 [%rd4], %r7;"
        )
    };
    assert_eq!(kinds(TILE, &bytes("bar.sync 0;"), Some("1x2")), NOTHING);
    assert_eq!(kinds(TILE, &bytes(""), Some("1x2")), only(FindingKind::Race));
    // An atomic of 64 bits that synchronises, and plain data: the width of the flag decides nothing
    // here.
    let release = |order: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L1;\nst.global.u64 [%rd1], 1;\natom.{order}.gpu.global.add.u32 %r6, [%rd1+64], 1;\nbra L2;\nL1:\n\
             ld.acquire.gpu.global.u32 %r7, [%rd1+64];\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra L1;\nld.global.u32 %r8, [%rd1];\nst.global.u32 [%rd2], %r8;\nL2:"
        )
    };
    assert_eq!(kinds(TILE, &release("release"), Some("1x2")), NOTHING);
    assert_eq!(kinds(TILE, &release("relaxed"), Some("1x2")), only(FindingKind::Race));
}

/// The test of a race writes what the kernel writes, also where that is computed.
#[test]
fn the_test_of_a_race_writes_what_the_kernel_writes() {
    let code = "atom.relaxed.gpu.global.add.u32 %r6, [%rd2+64], 1;\nadd.s32 %r7, %r6, 41;\nst.global.u32 [%rd1], %r7;";
    let answer = asked(TILE, code, Some("1x2"));
    let finding = answer.wrong().and_then(|l| l.findings.first()).expect("a finding");
    assert_eq!(finding.kind, FindingKind::Race);
    assert!(
        finding.litmus.contains("41") && !finding.litmus.contains(", 0 "),
        "{}",
        finding.litmus
    );
}

/// Floats are added, or the larger one is kept, by a compare-and-swap that is tried again until it
/// succeeds. What is compared nobody interprets, or it is followed by its bits: neither decides
/// whether anything races, nor can a thread stand still. Each change of the right kernel leaves the
/// answer open, or goes wrong.
#[test]
fn a_compare_and_swap_of_floats_that_is_tried_again_is_decided() {
    let right = "ld.volatile.global.u32 %r6, [%rd1];\nld.global.f32 %f1, [%rd5];\nL1:\nmov.b32 %f2, %r6;\nadd.f32 %f3, %f2, %f1;\nmov.b32 %r7, %f3;\n\
                 atom.global.relaxed.gpu.cas.b32 %r8, [%rd1], %r6, %r7;\nsetp.ne.s32 %p1, %r6, %r8;\nmov.u32 %r6, %r8;\n@%p1 bra L1;";
    // Read anew in each round.
    let read_anew = right
        .replace("ld.volatile.global.u32 %r6, [%rd1];\n", "")
        .replace("L1:\n", "L1:\nld.volatile.global.u32 %r6, [%rd1];\n")
        .replace("mov.u32 %r6, %r8;\n", "");
    let by_bits = right.replace("add.f32", "max.f32");
    // Each thread has a place of its own for what was there.
    let keeps = format!("{right}\nst.global.u32 [%rd4+128], %r8;");
    for launch in ["1x2", "2x1", "2x2", "1x33"] {
        for code in [right, &read_anew, &by_bits, &keeps] {
            let expected =
                if launch == "2x1" && code == keeps { only(FindingKind::Race) } else { NOTHING };
            let expected =
                if launch == "2x2" && code == keeps { only(FindingKind::Race) } else { expected };
            assert_eq!(kinds(TILE, code, Some(launch)), expected, "{launch}: {code}");
        }
    }
    for (of, by, expected) in [
        // A plain read beside the atomic operations, in front of the loop and behind it.
        ("ld.volatile.global.u32 %r6", "ld.global.u32 %r6", only(FindingKind::Race)),
        ("@%p1 bra L1;", "@%p1 bra L1;\nld.global.u32 %r9, [%rd1];", only(FindingKind::Race)),
        (
            "atom.global.relaxed.gpu.cas.b32 %r8, [%rd1], %r6, %r7;",
            "mov.u32 %r8, %r6;\nst.global.u32 [%rd1], %r7;",
            None,
        ),
        // Round again if it succeeded; for something else than what was compared; with what is not
        // what was there.
        ("setp.ne.s32", "setp.eq.s32", None),
        ("setp.ne.s32 %p1, %r6, %r8", "setp.ne.s32 %p1, %r7, %r8", None),
        ("mov.u32 %r6, %r8;", "mov.u32 %r6, %r7;", None),
        (
            "setp.ne.s32 %p1, %r6, %r8;\nmov.u32 %r6, %r8;",
            "mov.u32 %r6, %r8;\nsetp.ne.s32 %p1, %r6, %r8;\nadd.u32 %r10, %r8, 1;\nsetp.ne.s32 %p1, %r6, %r10;",
            None,
        ),
        // What was there decides what is written elsewhere.
        (
            "@%p1 bra L1;",
            "@%p1 bra L1;\nsetp.eq.u32 %p2, %r8, 0;\n@%p2 ret;\nst.global.u32 [%rd4+128], 1;",
            None,
        ),
    ] {
        let wrong = right.replace(of, by);
        assert_ne!(wrong, right, "{of}");
        assert_eq!(kinds(TILE, &wrong, Some("1x2")), expected, "{wrong}");
    }
}

/// A node that is pushed points to the one below it: each round writes that, and what it compares
/// with is what the last one returned. It does not stand still.
#[test]
fn a_push_that_is_tried_again_ends() {
    let push = |carried: bool, expected: &str| {
        let (first, again) = match carried {
            true => ("ld.relaxed.gpu.global.u32 %r6, [%rd2];", ""),
            false => ("", "ld.relaxed.gpu.global.u32 %r6, [%rd2];"),
        };
        format!(
            "mov.u32 %r8, %ctaid.x;\nadd.u32 %r9, %r8, 1;\nmul.wide.u32 %rd6, %r9, 4;\nadd.s64 %rd7, %rd1, %rd6;\n{first}\nL1:\n{again}\nst.global.u32 [%rd7], %r6;\nmembar.gl;\n\
             atom.relaxed.gpu.global.cas.b32 %r7, [%rd2], {expected}, %r9;\nsetp.ne.u32 %p1, %r7, {expected};\nmov.u32 %r6, %r7;\n@%p1 bra L1;"
        )
    };
    for carried in [false, true] {
        assert_eq!(kinds(TILE, &push(carried, "%r6"), Some("2x1")), NOTHING, "{carried}");
    }
    // What it compares with next is not what was there.
    let other = push(true, "%r6").replace("mov.u32 %r6, %r7;", "add.u32 %r6, %r7, 1;");
    assert_eq!(kinds(TILE, &other, Some("2x1")), None);
}

/// Whoever inserts into a table goes round its slots. The loop has a way out for each slot that
/// does more than wait, and no thread stays in it where each key has a slot.
#[test]
fn who_inserts_into_a_table_finds_a_slot() {
    let insert = |slots: u32, keys: u32| {
        format!(
            "mov.u32 %r8, %ctaid.x;\nrem.u32 %r9, %r8, {keys};\nadd.u32 %r9, %r9, 1;\nrem.u32 %r7, %r9, {slots};\nL1:\nmul.wide.u32 %rd6, %r7, 4;\nadd.s64 %rd7, %rd1, %rd6;\n\
             atom.global.cas.b32 %r6, [%rd7], 0, %r9;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra FOUND;\nsetp.eq.u32 %p2, %r6, %r9;\n@!%p2 bra NEXT;\nFOUND:\n\
             st.global.u32 [%rd7+64], %r8;\nret;\nNEXT:\nadd.u32 %r7, %r7, 1;\nrem.u32 %r7, %r7, {slots};\nbra L1;"
        )
    };
    assert_eq!(kinds(TILE, &insert(2, 2), Some("2x1")), NOTHING);
    // Both insert one key, and then its value.
    assert_eq!(kinds(TILE, &insert(2, 1), Some("2x1")), only(FindingKind::Race));
}

/// A loop whose rounds are known is executed round by round. What races in its first rounds is
/// found there, whatever their number; and where each round meets at a barrier, or the loop is of
/// one thread, nothing is.
#[test]
fn races_of_many_rounds_are_found_in_the_first() {
    let counts = "ld.global.u32 %r6, [%rd1];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd1], %r6;\n";
    let again = |n: usize, round: &str| {
        format!(
            "mov.u32 %r9, 0;\nLOOP:\n{round}add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p9, %r9, {n};\n@%p9 bra LOOP;\n"
        )
    };
    let alone = |round: &str| format!("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n{round}DONE:\n");
    // Each thread writes its own word, and reads the other's behind a barrier.
    let told = "st.shared.u32 [%r5], %r9;\nbarrier.sync 0;\nxor.b32 %r7, %r3, 4;\nadd.u32 %r7, %r4, %r7;\nld.shared.u32 %r8, [%r7];\nst.global.u32 [%rd4], %r8;\n";
    let apart = format!("{told}barrier.sync 0;\n");
    for (what, code, launch, right) in [
        ("a counter of two blocks", again(100, counts), "2x1", only(FindingKind::Race)),
        ("a counter of three blocks", again(1_000, counts), "3x1", only(FindingKind::Race)),
        (
            "the same behind a barrier",
            format!("barrier.sync 0;\n{}", again(60, counts)),
            "1x2",
            only(FindingKind::Race),
        ),
        ("a counter of one thread", alone(&again(40, counts)), "1x2", NOTHING),
        ("a word that the next round overwrites", again(40, told), "1x2", only(FindingKind::Race)),
        ("a word that a barrier keeps", again(40, &apart), "1x2", NOTHING),
    ] {
        assert_eq!(kinds(TILE, &code, Some(launch)), right, "{what}");
    }
}

/// A thread draws what it does next from a counter that nothing but such draws changes: no number
/// comes twice, and the loop ends where the work does.
#[test]
fn a_loop_that_draws_its_work_ends_with_it() {
    let draws = |draw: &str, work: usize, with: &str| {
        format!(
            "mov.u32 %r20, %ctaid.x;\nsetp.ne.u32 %p8, %r20, 0;\nL1:\n{draw}\nsetp.ge.u32 %p1, %r6, {work};\n@%p1 bra DONE;\nmul.wide.u32 %rd6, %r6, 4;\nadd.s64 %rd7, %rd2, %rd6;\n\
             {with}\nbra L1;\nDONE:"
        )
    };
    let (one, own) = ("atom.global.add.u32 %r6, [%rd1], 1;", "st.global.u32 [%rd7], %r20;");
    let (once, twice) =
        (format!("@%p8 red.global.add.u32 [%rd1], 1;\n{one}"), one.replace("], 1;", "], 2;"));
    let narrow = one.replace("atom.global", "atom.relaxed.cta.global");
    let back = format!("{own}\n@%p8 atom.global.exch.b32 %r7, [%rd1], 0;");
    let half = format!("{own}\n@%p8 st.relaxed.gpu.global.u16 [%rd1], %h1;");
    for (what, code, right) in [
        ("each element is one thread's", draws(one, 3, own), Some(NOTHING)),
        ("two at a time", draws(&twice, 5, own), Some(NOTHING)),
        // Each draws six times at most.
        ("five elements of two threads", draws(one, 5, own), Some(NOTHING)),
        (
            "the fifth is one element's, too",
            draws(
                one,
                5,
                &format!("{own}\nsetp.ne.u32 %p3, %r6, 4;\n@!%p3 st.global.u32 [%rd2], 1;"),
            ),
            Some(only(FindingKind::Race)),
        ),
        ("another one counts, too", draws(&once, 3, own), Some(NOTHING)),
        (
            "all write one element",
            draws(one, 3, "st.global.u32 [%rd2], %r20;"),
            Some(only(FindingKind::Race)),
        ),
        (
            "the neighbour's is written, too",
            draws(one, 3, &format!("{own}\nst.global.u32 [%rd7+4], 1;")),
            Some(only(FindingKind::Race)),
        ),
        // What is drawn in another scope, or put back, may come twice.
        ("a scope too small", draws(&narrow, 3, own), Some(only(FindingKind::Race))),
        ("the counter is put back", draws(one, 3, &back), None),
        ("half of it is written", draws(one, 3, &half), None),
        // More than is followed.
        ("forty", draws(one, 40, own), Some(None)),
    ] {
        let found = kinds(TILE, &code, Some("2x1"));
        match right {
            Some(right) => assert_eq!(found, right, "{what}"),
            None => assert_ne!(found, NOTHING, "{what}"),
        }
    }
}

/// Each of two threads may draw nine times, and both of them ten times: the numbers that were drawn
/// are counted where draws would be too many.
#[test]
fn eight_elements_are_drawn_by_two_threads() {
    let code = "L1:\natom.global.add.u32 %r6, [%rd1], 1;\nsetp.ge.u32 %p1, %r6, 8;\n@%p1 bra DONE;\nmul.wide.u32 %rd6, %r6, 4;\nadd.s64 %rd7, %rd2, %rd6;\n\
                st.global.u32 [%rd7], %r6;\nbra L1;\nDONE:";
    assert_eq!(kinds(TILE, code, Some("2x1")), NOTHING);
}

/// What one thread draws, the block is told through shared memory: the loop of a persistent kernel
/// ends with its work, and a tile is one block's.
#[test]
fn a_drawn_number_goes_through_shared_memory() {
    // `before` is of the thread that draws, `told` between the store and the load, `with` of all,
    // at their place in the tile %r7.
    let tile = |before: &str, told: &str, with: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TOLD;\natom.global.add.u32 %r6, [%rd1], 1;\n{before}\nst.shared.u32 [s], %r6;\nTOLD:\n{told}\n\
             ld.shared.u32 %r7, [s];\nbarrier.sync 0;\nsetp.ge.u32 %p2, %r7, 3;\n@%p2 bra DONE;\nmad.lo.u32 %r8, %r7, %r2, %r1;\n\
             mul.wide.u32 %rd6, %r8, 4;\nadd.s64 %rd7, %rd2, %rd6;\n{with}"
        )
    };
    let looped = |before: &str, with: &str| {
        format!("L1:\n{}\nbra L1;\nDONE:", tile(before, "barrier.sync 0;", with))
    };
    let once = |told: &str, with: &str| format!("{}\nDONE:", tile("", told, with));
    let own = "ld.global.u32 %r9, [%rd7];\nadd.u32 %r9, %r9, 1;\nst.global.u32 [%rd7], %r9;";
    let at = |number: u32, of: &str| {
        format!("{own}\nsetp.ne.u32 %p3, %r7, {number};\n@%p3 bra NO;\n{of}\nNO:")
    };
    // Told as another number: 0, 2.
    let doubled = "shl.b32 %r6, %r6, 1;";
    let race = || only(FindingKind::Race);
    for (what, code, launches, right) in [
        ("each tile is one block's", looped("", own), ["2x1", "3x1"].as_slice(), NOTHING),
        ("told as another number", looped(doubled, own), &["2x1"], NOTHING),
        ("all write one tile", looped("", "st.global.u32 [%rd2], %r1;"), &["2x1"], race()),
        (
            "the last tile changes the second",
            looped("", &at(2, "st.global.u32 [%rd2+4], %r1;")),
            &["2x1"],
            race(),
        ),
        (
            "the last tile changes none that is drawn",
            looped("", &at(2, "st.global.u32 [%rd2+12], %r1;")),
            &["2x1"],
            NOTHING,
        ),
        (
            "the last tile reads the one in front",
            looped("", &at(2, "ld.global.u32 %r9, [%rd7+-4];")),
            &["2x1"],
            race(),
        ),
        ("the last tile traps", looped("", &at(2, "trap;")), &["2x1"], only(FindingKind::Trap)),
        ("one that nobody draws traps", looped("", &at(3, "trap;")), &["2x1"], NOTHING),
        ("a tile of each block", once("barrier.sync 0;", own), &["2x1", "1x2", "2x2"], NOTHING),
        ("told without a barrier", once("", own), &["1x2", "2x2"], race()),
        (
            "a tile too wide",
            once("barrier.sync 0;", &format!("{own}\nst.global.u32 [%rd7+4], 1;")),
            &["2x1", "1x2", "2x2"],
            race(),
        ),
    ] {
        for launch in launches {
            assert_eq!(kinds(TILE, &code, Some(launch)), right, "{what}, {launch}");
        }
    }
}

/// Where a thread may stop for two reasons, each of them is asked about.
#[test]
fn reasons_to_stop_are_told_apart() {
    // The second block has read 1: an index into 64 elements, and one into an array without a size,
    // of which eight are followed.
    let code = |shared: u32, global: u32| {
        format!(
            "atom.global.or.b32 %r6, [%rd1], 1;\nadd.u32 %r7, %r6, {shared};\nshl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r4, %r7;\nst.shared.u32 [%r7], 1;\n\
             add.u32 %r8, %r6, {global};\nmul.wide.u32 %rd6, %r8, 4;\nadd.s64 %rd7, %rd2, %rd6;\nld.global.u32 %r9, [%rd7];"
        )
    };
    for (shared, global, right) in
        [(62, 6, NOTHING), (63, 6, only(FindingKind::Outside)), (62, 7, None)]
    {
        assert_eq!(kinds(TILE, &code(shared, global), Some("2x1")), right, "{shared}, {global}");
    }
}

/// What a sum of memory carries is known as far as memory is.
#[test]
fn a_carry_is_followed() {
    // The second block has read 1.
    let code = |sums: &str| {
        format!("atom.global.or.b32 %r6, [%rd1], 1;\n{sums}\nsetp.eq.u32 %p1, %r8, 1;\n@%p1 trap;")
    };
    for (sums, right) in [
        ("add.cc.u32 %r7, %r6, -1;\naddc.u32 %r8, 0, 0;", only(FindingKind::Trap)),
        ("add.cc.u32 %r7, %r6, -2;\naddc.u32 %r8, 0, 0;", NOTHING),
        (
            "sub.cc.u32 %r7, 0, %r6;\nsubc.cc.u32 %r7, 0, 0;\nsubc.u32 %r8, 2, 0;",
            only(FindingKind::Trap),
        ),
        ("sub.cc.u32 %r7, 1, %r6;\nsubc.cc.u32 %r7, 0, 0;\nsubc.u32 %r8, 2, 0;", NOTHING),
        // Nothing has carried.
        ("addc.u32 %r8, %r6, 0;", None),
    ] {
        assert_eq!(kinds(TILE, &code(sums), Some("2x1")), right, "{sums}");
    }
}

/// An index that a mask leaves few numbers of names so many places, whatever the array is: a ring
/// that a block fills, and another one empties.
#[test]
fn a_masked_index_names_few_places() {
    // The ring, its head and its tail are elements 0 to 3, 4 and 5 of one array.
    let code = |index: &str, [store, load]: [&str; 2]| {
        let place = |of: &str| {
            format!("{index}\nmul.wide.u32 %rd7, %r7, 4;\nadd.s64 %rd6, %rd1, %rd7;\n{of}")
        };
        let fill = format!(
            "FULL:\nld.acquire.gpu.global.u32 %r5, [%rd1+16];\nld.relaxed.gpu.global.u32 %r6, [%rd1+20];\nsub.u32 %r8, %r6, %r5;\n\
             setp.eq.u32 %p2, %r8, 4;\n@%p2 bra FULL;\n{}\nadd.u32 %r6, %r6, 1;\nst.{store}.gpu.global.u32 [%rd1+20], %r6;",
            place("st.global.u32 [%rd6], 7;")
        );
        let take = format!(
            "EMPTY:\nld.{load}.gpu.global.u32 %r5, [%rd1+20];\nld.relaxed.gpu.global.u32 %r6, [%rd1+16];\nsetp.eq.u32 %p2, %r6, %r5;\n\
             @%p2 bra EMPTY;\n{}\nadd.u32 %r6, %r6, 1;\nst.release.gpu.global.u32 [%rd1+16], %r6;",
            place("ld.global.u32 %r9, [%rd6];")
        );
        let twice = |code: &str| {
            format!("{code}\n{}", code.replace("FULL", "FULL2").replace("EMPTY", "EMPTY2"))
        };
        format!(
            "mov.u32 %r10, %ctaid.x;\nsetp.ne.u32 %p1, %r10, 0;\n@%p1 bra TAKE;\n{}\nret;\nTAKE:\n{}",
            twice(&fill),
            twice(&take)
        )
    };
    let orders = ["release", "acquire"];
    for index in [
        "and.b32 %r7, %r6, 3;",
        "rem.u32 %r7, %r6, 4;",
        "shl.b32 %r7, %r6, 30;\nshr.u32 %r7, %r7, 30;",
    ] {
        assert_eq!(kinds(TILE, &code(index, orders), Some("2x1")), NOTHING, "{index}");
    }
    let masked = "and.b32 %r7, %r6, 3;";
    for orders in [["relaxed", "acquire"], ["release", "relaxed"]] {
        assert_eq!(
            kinds(TILE, &code(masked, orders), Some("2x1")),
            only(FindingKind::Race),
            "{orders:?}"
        );
    }
    // Of places 4 to 7 the first two are where the block looks for others.
    let wide = code("and.b32 %r7, %r6, 7;\nor.b32 %r7, %r7, 4;", orders);
    assert_ne!(kinds(TILE, &wide, Some("2x1")), NOTHING);
}

/// A hash table that is probed slot by slot is followed for as many slots as few threads come to:
/// one of 256 slots answers as one of eight does, which is followed to its end.
#[test]
fn a_large_table_answers_as_a_small_one() {
    let insert = |mask: u32, key: &str, with: &str| {
        format!(
            "mov.u32 %r10, %ctaid.x;\n{key}\nmov.u32 %r12, 0;\nL1:\nmul.wide.u32 %rd6, %r12, 4;\nadd.s64 %rd7, %rd1, %rd6;\nadd.s64 %rd8, %rd2, %rd6;\n\
             atom.global.cas.b32 %r13, [%rd7], 0, %r11;\nsetp.eq.u32 %p1, %r13, 0;\n@%p1 bra HERE;\nsetp.eq.u32 %p2, %r13, %r11;\n@%p2 bra HERE;\n\
             add.u32 %r12, %r12, 1;\nand.b32 %r12, %r12, {mask};\nbra L1;\nHERE:\n{with}"
        )
    };
    let (own, same) = ("add.u32 %r11, %r10, 1;", "mov.u32 %r11, 1;");
    let count = "ld.global.u32 %r14, [%rd8];\nadd.u32 %r14, %r14, 1;\nst.global.u32 [%rd8], %r14;";
    let traps_at = |slot: u32| format!("setp.eq.u32 %p3, %r12, {slot};\n@%p3 trap;");
    let race = || only(FindingKind::Race);
    for (what, key, with, right) in [
        ("a slot of its own", own, count.to_owned(), NOTHING),
        ("a slot of both", same, count.to_owned(), race()),
        ("a slot of both, counted", same, "red.global.add.u32 [%rd8], 1;".to_owned(), NOTHING),
        ("the next slot, too", own, format!("{count}\nst.global.u32 [%rd8+4], 1;"), race()),
        (
            "the third slot is nobody's",
            own,
            format!("{count}\nld.global.u32 %r14, [%rd2+8];"),
            NOTHING,
        ),
        ("the first slot is read", own, format!("{count}\nld.global.u32 %r14, [%rd2];"), race()),
        ("it comes to the second", own, traps_at(1), only(FindingKind::Trap)),
        ("it does not come to the third", own, traps_at(2), NOTHING),
    ] {
        for mask in [7, 255] {
            assert_eq!(
                kinds(TILE, &insert(mask, key, &with), Some("2x1")),
                right,
                "{what}, {mask}"
            );
        }
    }
    // Where fences are changed, whether threads come to more slots is not asked.
    for (mask, right) in [(7, false), (255, true)] {
        let text = kernel(TILE, &insert(mask, own, count));
        let module = margay_ptx::read(&text).expect("PTX");
        let launches = ["2x1".parse().expect("a launch")];
        let question = KernelQuestion {
            launches: &launches,
            ..KernelQuestion::new(&text, &module, module.function("k").expect("`k`"))
        };
        for not_looked in
            [hardened(&question).expect("an answer").1, weakened(&question).expect("an answer").1]
        {
            assert_eq!(
                not_looked.iter().any(|not| not.guessed && not.why.contains("from place to place")),
                right,
                "{mask} {not_looked:?}"
            );
        }
    }
}

/// Where threads come to more places than are followed, nothing is said of them, whoever waits for
/// them.
#[test]
fn places_that_are_not_followed_are_never_right() {
    // The first block fills forty slots, the second one looks for one that is free.
    let code = |wait: &str, last: &str| {
        format!(
            "mov.u32 %r10, %ctaid.x;\nmov.u32 %r12, 0;\nmov.u64 %rd7, %rd1;\nsetp.ne.u32 %p1, %r10, 0;\n@%p1 bra FIND;\n\
             FILL:\nst.relaxed.gpu.global.u32 [%rd7], 1;\nadd.s64 %rd7, %rd7, 4;\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p2, %r12, 40;\n@%p2 bra FILL;\n\
             st.release.gpu.global.u32 [%rd2], 1;\nret;\nFIND:\n{wait}\n\
             NEXT:\nld.relaxed.gpu.global.u32 %r13, [%rd7];\nadd.s64 %rd7, %rd7, 4;\nsetp.ne.u32 %p3, %r13, 0;\n@%p3 bra NEXT;\n{last}"
        )
    };
    let waits =
        "W:\nld.acquire.gpu.global.u32 %r14, [%rd2];\nsetp.eq.u32 %p4, %r14, 0;\n@%p4 bra W;";
    for wait in ["", waits] {
        for last in ["", "trap;"] {
            let found = kinds(TILE, &code(wait, last), Some("2x1"));
            assert!(
                found
                    .as_ref()
                    .is_none_or(|found| !last.is_empty() && *found == [FindingKind::Trap].into()),
                "{wait} {last} {found:?}"
            );
        }
    }
}
