//! What threads of a warp exchange: values, who comes, and that memory is ordered by
//! `bar.warp.sync` and by nothing else of it.

use std::collections::BTreeSet;

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .u32 x;\n.global .align 4 .u32 y;\n\
                    .global .align 8 .b8 w[16];\n";

fn asked(code: &str, launch: &str, finals: &[&str]) -> KernelAnswer {
    let text = format!(
        "{HEAD}.visible .entry k()\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n{code}\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let finals: Vec<String> = finals.iter().map(|&f| f.to_owned()).collect();
    ask(&KernelQuestion {
        launches: &launches,
        finals: &finals,
        ..KernelQuestion::new(&text, &module, module.kernels().next().expect("a kernel"))
    })
    .unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// What goes wrong with certainty; nothing where that is undecided.
fn kinds(code: &str, launch: &str, finals: &[&str]) -> Option<BTreeSet<FindingKind>> {
    let answer = asked(code, launch, finals);
    let settled = answer.is_settled(false) || answer.is_certain();
    settled.then(|| {
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    })
}

fn only(kind: FindingKind) -> Option<BTreeSet<FindingKind>> {
    Some([kind].into())
}

const NOTHING: Option<BTreeSet<FindingKind>> = Some(BTreeSet::new());

/// Code whose thread 0 stores `%r9` at the end.
fn stored_by_first(code: &str) -> String {
    format!(
        "mov.u32 %r1, %tid.x;\n{code}\nsetp.ne.u32 %p8, %r1, 0;\n@%p8 ret;\nst.global.u32 [x], %r9;"
    )
}

#[test]
fn constants_are_exchanged() {
    for (code, launch, expected) in [
        ("shfl.sync.down.b32 %r9, %r1, 1, 31, -1;", "1x4", 1),
        ("shfl.sync.bfly.b32 %r9|%p1, %r1, 2, 31, -1;", "1x4", 2),
        ("shfl.sync.idx.b32 %r9, %r1, 3, 31, -1;", "1x4", 3),
        ("shfl.sync.up.b32 %r9, %r1, 1, 0, -1;", "1x4", 0),
        ("setp.gt.u32 %p1, %r1, 1;\nvote.sync.ballot.b32 %r9, %p1, -1;", "1x4", 12),
        (
            "setp.gt.u32 %p1, %r1, 1;\nvote.sync.any.pred %p2, %p1, -1;\nselp.u32 %r9, 7, 9, %p2;",
            "1x4",
            7,
        ),
        (
            "setp.gt.u32 %p1, %r1, 1;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r9, 7, 9, %p2;",
            "1x4",
            9,
        ),
        ("redux.sync.add.u32 %r9, %r1, -1;", "1x4", 6),
        ("redux.sync.max.u32 %r9, %r1, -1;", "1x32", 31),
        ("shr.u32 %r2, %r1, 1;\nmatch.any.sync.b32 %r9, %r2, -1;", "1x4", 3),
        ("match.all.sync.b32 %r9|%p1, 5, -1;", "1x4", 15),
        // All of 64 bits are compared, and addresses, too.
        (
            "cvt.u64.u32 %rd1, %r1;\nshl.b64 %rd1, %rd1, 33;\nmatch.any.sync.b64 %r9, %rd1, -1;",
            "1x4",
            1,
        ),
        (
            "cvt.u64.u32 %rd1, %r1;\nshr.u64 %rd1, %rd1, 1;\nmatch.any.sync.b64 %r9, %rd1, -1;",
            "1x4",
            3,
        ),
        ("mov.u64 %rd1, w;\nmatch.any.sync.b64 %r9, %rd1, -1;", "1x4", 15),
        (
            "mov.u64 %rd1, w;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\nmatch.all.sync.b64 %r9|%p1, %rd1, -1;",
            "1x4",
            0,
        ),
        ("elect.sync %r9|%p1, -1;", "1x4", 0),
    ] {
        let code = stored_by_first(code);
        assert_eq!(kinds(&code, launch, &[&format!("x == {expected}")]), NOTHING, "{code}");
        assert_eq!(
            kinds(&code, launch, &[&format!("x == {}", expected + 1)]),
            only(FindingKind::Final),
            "{code}"
        );
    }
}

/// A sum over a warp by halves: five shuffles in a loop whose distance is constant.
#[test]
fn a_sum_over_a_warp_is_one_of_all_lanes() {
    let code = "mov.u32 %r1, %tid.x;\nmov.u32 %r9, %r1;\nmov.u32 %r3, 16;\nL:\nshfl.sync.down.b32 %r4, %r9, %r3, 31, -1;\nadd.u32 %r9, %r9, %r4;\n\
                shr.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\nsetp.ne.u32 %p8, %r1, 0;\n@%p8 ret;\nst.global.u32 [x], %r9;";
    assert_eq!(kinds(code, "1x32", &["x == 496"]), NOTHING);
}

/// A value that comes from memory goes from lane to lane as well, and what depends on it is
/// followed.
#[test]
fn values_of_memory_are_exchanged() {
    let code = "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\nmov.u32 %r9, 0;\n@%p1 bra J;\natom.global.relaxed.gpu.add.u32 %r9, [x], 1;\nJ:\n\
                shfl.sync.idx.b32 %r2, %r9, 0, 31, -1;\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 ret;\n@!%p1 ret;\nst.volatile.global.u32 [y], 5;";
    // The second block's first thread reads 1 if it comes second, and then both lanes of that block
    // know.
    assert_eq!(kinds(code, "2x2", &["y == 5"]), NOTHING);
    assert_eq!(kinds(code, "1x2", &["y == 0"]), NOTHING);
}

#[test]
fn barriers_of_a_warp_order_and_exchanges_do_not() {
    let between = |what: &str| {
        format!(
            "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [x], 1;\n{what}\n@!%p1 ret;\nld.global.u32 %r2, [x];"
        )
    };
    assert_eq!(kinds(&between("bar.warp.sync -1;"), "1x2", &[]), NOTHING);
    assert_eq!(kinds(&between("bar.warp.sync 3;"), "1x2", &[]), NOTHING);
    assert_eq!(kinds(&between(""), "1x2", &[]), only(FindingKind::Race));
    assert_eq!(
        kinds(&between("vote.sync.any.pred %p2, %p1, -1;"), "1x2", &[]),
        only(FindingKind::Race)
    );
}

/// Fences around an exchange make no order of it: the ISA says of no exchange that it is an access.
/// What is exchanged depends on memory here, and decides a branch.
#[test]
fn fences_around_an_exchange_order_nothing() {
    let of = |before: &str, after: &str| {
        let code = format!(
            "mov.u32 %r1, %tid.x;\nmov.u32 %r8, %ctaid.x;\nmov.u64 %rd1, w;\nmul.wide.u32 %rd2, %r8, 4;\nadd.s64 %rd1, %rd1, %rd2;\n\
             setp.ne.u32 %p1, %r1, 0;\nmov.u32 %r2, 0;\n@%p1 bra MEET;\natom.relaxed.gpu.global.add.u32 %r2, [y], 1;\nst.global.u32 [%rd1], 1;\n\
             MEET:\n{before}\nshfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\n{after}\nsetp.ne.u32 %p2, %r3, 0;\n@!%p1 ret;\n@%p2 ret;\n\
             ld.global.u32 %r4, [%rd1];"
        );
        kinds(&code, "2x2", &[])
    };
    let fence = "fence.acq_rel.gpu;";
    assert_eq!(of("", ""), only(FindingKind::Race));
    assert_eq!(of(fence, ""), only(FindingKind::Race));
    assert_eq!(of(fence, fence), None);
    assert_eq!(of(fence, "bar.warp.sync -1;"), NOTHING);
}

/// Some threads of a warp meet, and the others go on.
#[test]
fn some_threads_of_a_warp_meet() {
    let code = "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 ret;\nsetp.ne.u32 %p2, %r1, 0;\n@!%p2 st.global.u32 [x], 1;\n\
                bar.warp.sync 3;\n@!%p2 ret;\nld.global.u32 %r2, [x];";
    assert_eq!(kinds(code, "1x4", &[]), NOTHING);
    assert_eq!(kinds(&code.replace("bar.warp.sync 3", "bar.warp.sync 1"), "1x4", &[]), None);
}

/// A lane that has ended holds nobody up at a barrier of its warp, and what was done in front of it
/// is looked at all the same; one that goes on without the barrier is wrong.
#[test]
fn lanes_that_do_not_come_to_a_barrier_of_their_warp() {
    let of = |code: &str| {
        kinds(&format!("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n{code}"), "1x2", &[])
    };
    let stored = "bar.warp.sync -1;\nst.global.u32 [x], %r1;";
    for (code, expected) in [
        ("@%p1 ret;\nbar.warp.sync -1;\nst.global.u32 [x], 1;".to_owned(), NOTHING),
        (format!("{stored}\n@%p1 ret;\nbar.warp.sync -1;"), only(FindingKind::Race)),
        (
            format!("{stored}\n@%p1 ret;\nbar.warp.sync -1;\nbar.warp.sync -1;\ntrap;"),
            Some([FindingKind::Race, FindingKind::Trap].into()),
        ),
        (
            "@%p1 bra DONE;\nbar.warp.sync -1;\nDONE:\n@!%p1 st.global.u32 [y], 1;\n@%p1 st.global.u32 [x], 1;".to_owned(),
            only(FindingKind::Barriers),
        ),
        ("@%p1 bra DONE;\nbar.warp.sync 2;\nDONE:\n@%p1 st.global.u32 [x], 1;".to_owned(), NOTHING),
    ] {
        assert_eq!(of(&code), expected, "{code}");
    }
    // So at a barrier of the block, which is for the threads of a warp that have not exited:
    // `if (i >= n) return;` in front of `__syncthreads()`. What one thread writes another one
    // reads, behind the barrier or without it.
    let early = |barrier: &str| {
        format!(
            "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 2;\n@%p1 ret;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u32 [x], 1;\n{barrier}\n\
             @!%p2 ld.global.u32 %r2, [x];"
        )
    };
    for launch in ["1x2", "1x3", "1x33", "1x64"] {
        assert_eq!(kinds(&early("bar.sync 0;"), launch, &[]), NOTHING, "{launch}");
        assert_eq!(kinds(&early(""), launch, &[]), only(FindingKind::Race), "{launch}");
    }
    // Some lanes meet in front of a barrier of the block, to which all come.
    let some = "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra ALL;\nbar.warp.sync 3;\nALL:\nbar.sync 0;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\n\
                st.global.u32 [x], 1;";
    assert_eq!(kinds(some, "1x3", &[]), NOTHING);
    // Barriers of the block have numbers of their own, which are no barriers of a warp.
    for barrier in ["bar.sync 0;", "bar.sync 1;"] {
        let numbered = format!(
            "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 2;\nsetp.eq.u32 %p2, %r1, 0;\n@%p1 bra ALL;\natom.acq_rel.gpu.global.add.u32 %r2, [y], 1;\n\
             bar.warp.sync 3;\natom.acq_rel.gpu.global.add.u32 %r3, [y], 1;\nALL:\n{barrier}\n@%p2 st.global.u32 [x], 1;\n@%p1 ld.global.u32 %r4, [x];\n\
             {barrier}\natom.acq_rel.gpu.global.add.u32 %r3, [y], 1;"
        );
        assert_eq!(kinds(&numbered, "1x3", &[]), only(FindingKind::Race), "{barrier}");
    }
    // A barrier of the warp behind one of the block for one lane, and in front of it for the other:
    // nobody goes on.
    let crossed = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra OTHER;\nbarrier.sync 0;\nbar.warp.sync 3;\nret;\nOTHER:\n\
                   bar.warp.sync 3;\nbarrier.sync 0;";
    assert_eq!(kinds(crossed, "1x2", &[]), only(FindingKind::Endless));
}

/// An element of 4 bytes that a condition names has a place of its own, whatever is accessed beside
/// it, and where it is accessed in parts nothing is said of it.
#[test]
fn elements_that_conditions_name() {
    for (code, condition, expected) in [
        ("st.global.u32 [w+4], 1;", "w[0] == 0", NOTHING),
        ("st.global.u32 [w+4], 1;", "w[0] != 0", only(FindingKind::Final)),
        (
            "atom.global.add.u32 %r1, [w+4], 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra S;\nret;\nS:\nst.global.u32 [w+4], 5;",
            "w[0] == w[1]",
            only(FindingKind::Final),
        ),
        ("st.global.u8 [w], 2;", "w[0] == 2", NOTHING),
        ("st.global.u8 [w], 2;\nst.global.u8 [w+1], 1;", "w[0] != 258", None),
        ("st.global.u16 [w+2], 1;", "w[0] == 0", None),
        ("st.global.u64 [w], 1;", "w[0] == 1", NOTHING),
    ] {
        assert_eq!(kinds(code, "1x1", &[condition]), expected, "{code} {condition}");
    }
}

/// A thread may be alone where it asks who is there; that others are there with it is not looked
/// at. One that never comes is no answer.
#[test]
fn what_is_not_known_is_undecided() {
    let code = stored_by_first(
        "activemask.b32 %r2;\nsetp.eq.u32 %p1, %r2, 15;\n@!%p1 trap;\nmov.u32 %r9, 1;",
    );
    assert_eq!(kinds(&code, "1x4", &[]), only(FindingKind::Trap));
    assert_eq!(
        kinds(&code.replace("setp.eq.u32 %p1, %r2, 15", "setp.ne.u32 %p1, %r2, 0"), "1x4", &[]),
        None
    );
    assert_eq!(kinds(&code.replace("15", "1"), "2x1", &[]), only(FindingKind::Race));
    // Who is first of those that are there counts for all of them: with a plain counter that races.
    let first = "activemask.b32 %r2;\nmatch.any.sync.b32 %r3, %r1, %r2;\npopc.b32 %r4, %r3;\n";
    let counted = |how: &str| format!("mov.u32 %r1, 5;\n{first}{how}");
    assert_eq!(
        kinds(
            &counted("ld.global.u32 %r5, [x];\nadd.u32 %r5, %r5, %r4;\nst.global.u32 [x], %r5;\n"),
            "1x2",
            &[]
        ),
        only(FindingKind::Race)
    );
    assert_eq!(kinds(&counted("atom.global.add.u32 %r5, [x], %r4;\n"), "1x2", &[]), None);
    // What 64 bits come from memory would go through a place that holds 32.
    let wide =
        stored_by_first("atom.global.add.u64 %rd1, [w], 1;\nmatch.any.sync.b64 %r9, %rd1, -1;");
    assert_eq!(kinds(&wide, "1x2", &[]), None);
    let late = "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nshfl.sync.idx.b32 %r9, %r1, 0, 31, -1;";
    assert_eq!(kinds(late, "1x4", &[]), None);
}

/// Whether lanes bring the same is known where what they bring comes from memory, too: of two that
/// count, one is first.
#[test]
fn who_brings_the_same_is_followed_through_memory() {
    let counted = "atom.global.relaxed.gpu.add.u32 %r2, [y], 1;\nsetp.eq.u32 %p1, %r2, 0;\n";
    for (what, expected) in [
        ("match.any.sync.b32 %r9, %r2, -1;", 1),
        ("and.b32 %r2, %r2, 2;\nmatch.any.sync.b32 %r9, %r2, -1;", 3),
        ("match.all.sync.b32 %r9|%p2, %r2, -1;", 0),
        ("and.b32 %r2, %r2, 2;\nmatch.all.sync.b32 %r9|%p2, %r2, -1;\n@!%p2 mov.u32 %r9, 7;", 3),
        ("vote.sync.uni.pred %p2, %p1, -1;\nselp.u32 %r9, 7, 9, %p2;", 9),
        ("setp.lt.u32 %p1, %r2, 2;\nvote.sync.uni.pred %p2, %p1, -1;\nselp.u32 %r9, 7, 9, %p2;", 7),
        ("redux.sync.max.u32 %r9, %r2, -1;", 1),
    ] {
        let code = stored_by_first(&format!("{counted}{what}"));
        assert_eq!(kinds(&code, "1x2", &[&format!("x == {expected}")]), NOTHING, "{code}");
        assert_eq!(
            kinds(&code, "1x2", &[&format!("x == {}", expected + 1)]),
            only(FindingKind::Final),
            "{code}"
        );
    }
}

/// A lane that is there alone exchanges with nobody, as often as it goes round.
#[test]
fn a_lane_alone_waits_by_votes() {
    let wait = |vote: &str, fence: &str| {
        format!(
            "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAITS;\nst.global.u32 [x], 1;\nmembar.gl;\nst.relaxed.gpu.global.u32 [y], 1;\nret;\n\
             WAITS:\nld.relaxed.gpu.global.u32 %r2, [y];\nsetp.ne.u32 %p2, %r2, 0;\nvote.sync.{vote}.pred %p3, %p2, -1;\n@!%p3 bra WAITS;\n{fence}\nld.global.u32 %r3, [x];"
        )
    };
    for vote in ["any", "all"] {
        assert_eq!(kinds(&wait(vote, "membar.gl;"), "2x1", &[]), NOTHING, "{vote}");
        assert_eq!(kinds(&wait(vote, ""), "2x1", &[]), only(FindingKind::Race), "{vote}");
    }
    // Nobody raises the flag.
    let never = wait("any", "").replace("st.relaxed.gpu.global.u32 [y], 1;", "");
    assert_eq!(
        kinds(&never, "2x1", &[]).map(
            |kinds| kinds.contains(&FindingKind::Wait) || kinds.contains(&FindingKind::Endless)
        ),
        Some(true)
    );
}
