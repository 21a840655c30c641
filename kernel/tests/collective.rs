//! Threads that wait together, as Triton compiles loops around atomics: one asks, and tells the
//! others through shared memory or by an exchange of its warp. And threads that only read, stores
//! of several lanes at once, and executions in which threads take turns.

use std::collections::BTreeSet;

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .u32 x;\n.global .align 4 .u32 z;\n.global .align 4 .b8 d[1024];\n\
                    .shared .align 4 .u32 s;\n.visible .entry k()\n{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\nmov.u32 %r1, %tid.x;\n\
                    mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.ne.u32 %p2, %r2, 0;\nmov.u64 %rd1, d;\nmul.wide.u32 %rd2, %r1, 4;\n\
                    add.u64 %rd3, %rd1, %rd2;\n";

fn asked(code: &str, launch: &str) -> KernelAnswer {
    let text = format!("{HEAD}{code}\nret;\n}}\n");
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let kernel = module.kernels().next().expect("a kernel");
    ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(&text, &module, kernel) })
        .unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// What goes wrong with certainty; nothing where that is undecided.
fn kinds(code: &str, launch: &str) -> Option<BTreeSet<FindingKind>> {
    let answer = asked(code, launch);
    let settled = answer.is_settled(false) || answer.is_certain();
    settled.then(|| {
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    })
}

/// Block 0 writes an element for each thread and sets a flag; the others wait for it and read them.
fn flag(round: &str, behind: &str) -> String {
    format!(
        "@%p2 bra W;\nst.global.u32 [%rd3], 1;\nbar.sync 0;\n@%p1 atom.release.gpu.global.exch.b32 %r3, [x], 1;\nret;\nW:\nL:\nmov.u32 %r4, 0;\n{round}\n\
         setp.ne.u32 %p3, %r5, 1;\n@%p3 bra L;\n{behind}\nld.global.u32 %r6, [%rd3];"
    )
}

const ASKS: &str = "@%p1 atom.acquire.gpu.global.cas.b32 %r4, [x], 1, 1;";

/// A part of a text with something else in its place.
fn with(text: &str, part: &str, other: &str) -> String {
    assert!(text.contains(part), "{part} is in no line of {text}");
    text.replacen(part, other, 1)
}

fn check(right: &str, launches: &[&str], wrong: &[(&str, &str, &str)]) {
    for launch in launches {
        assert_eq!(kinds(right, launch), Some(BTreeSet::new()), "{launch}: {right}");
    }
    for (part, other, launch) in wrong {
        let text = with(right, part, other);
        assert_eq!(kinds(&text, launch), Some([FindingKind::Race].into()), "{launch}: {text}");
    }
}

/// What is weaker in the writer, and in who asks.
const WEAKER: [(&str, &str); 4] = [
    (".release.gpu", ".relaxed.gpu"),
    (".acquire.gpu", ".relaxed.gpu"),
    (".release.gpu", ".release.cta"),
    ("bar.sync 0;\n@%p1 atom.release", "@%p1 atom.release"),
];

fn weaker(launch: &'static str) -> Vec<(&'static str, &'static str, &'static str)> {
    WEAKER.iter().map(|(part, other)| (*part, *other, launch)).collect()
}

#[test]
fn a_block_is_told_through_shared_memory() {
    let round = format!(
        "bar.sync 0;\n{ASKS}\n@%p1 st.shared.u32 [s], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [s];"
    );
    let right = flag(&round, "");
    let mut wrong = weaker("2x2");
    wrong.extend(weaker("2x33"));
    wrong.push(("bar.sync 0;\nld.shared", "ld.shared", "2x2"));
    check(&right, &["2x2", "2x33", "3x2"], &wrong);
    // Without the barrier at its start a round's value may overwrite that of the round before while
    // it is read.
    assert_ne!(
        kinds(&with(&right, "bar.sync 0;\n@%p1 atom.acquire", "@%p1 atom.acquire"), "2x2"),
        Some(BTreeSet::new())
    );
    // Who is told more than one value, or leaves for another one, does not go round together with
    // the others.
    assert_ne!(kinds(&with(&right, "%p3, %r5, 1", "%p3, %r5, %r1"), "2x2"), Some(BTreeSet::new()));
    assert_ne!(kinds(&with(&right, "@%p1 st.shared", "st.shared"), "2x2"), Some(BTreeSet::new()));
}

/// A semaphore as libraries of matrix products have it:
/// `while (__syncthreads_and(state != turn)) ask();`, where the first thread alone asks.
#[test]
fn a_block_is_told_by_the_barrier_itself() {
    let turn = |first: &str| {
        format!(
            "mov.u32 %r4, -1;\n{first}bra.uni HEAD;\nMORE:\nld.acquire.gpu.global.u32 %r4, [x];\nHEAD:\nsetp.ne.u32 %p3, %r4, %r2;\n\
             barrier.cta.red.and.aligned.pred %p4, 0, %p3;\n@!%p4 bra GO;\n@!%p1 bra HEAD;\nbra.uni MORE;\nGO:\nbar.sync 0;\n\
             ld.global.u32 %r6, [%rd3];\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%rd3], %r6;\nbar.sync 0;\nadd.u32 %r7, %r2, 1;\n\
             @%p1 st.release.gpu.global.u32 [x], %r7;"
        )
    };
    let asked_before = turn("@%p1 ld.acquire.gpu.global.u32 %r4, [x];\n");
    let never_turn = asked_before.replace(", %r2;\nbarrier", ", 7;\nbarrier");
    assert_eq!(kinds(&never_turn, "2x1"), Some([FindingKind::Wait].into()));
    for right in [asked_before, turn("")] {
        let wrong = [
            ("st.release", "st.relaxed", "2x2"),
            ("st.global.u32 [%rd3], %r6;\nbar.sync 0;", "st.global.u32 [%rd3], %r6;", "2x2"),
        ];
        check(&right, &["2x1", "2x2", "3x2", "2x33"], &wrong);
        assert_eq!(
            kinds(&right.replace("ld.acquire", "ld.relaxed"), "2x2"),
            Some([FindingKind::Race].into())
        );
    }
}

#[test]
fn a_warp_is_told_by_an_exchange() {
    let round = format!("bar.sync 0;\n{ASKS}\nshfl.sync.idx.b32 %r5, %r4, 0, 31, -1;\nbar.sync 0;");
    check(&flag(&round, ""), &["2x2", "2x32"], &weaker("2x32"));
    let round = format!("{ASKS}\nshfl.sync.idx.b32 %r5, %r4, 0, 31, -1;");
    let alone = flag(&round, "bar.warp.sync -1;");
    let mut wrong = weaker("2x32");
    // An exchange orders nothing.
    wrong.push(("bar.warp.sync -1;", "", "2x2"));
    check(&alone, &["2x2", "2x32"], &wrong);
    // Each lane is told by the next one: that is no value for all.
    assert_ne!(
        kinds(
            &with(
                &alone,
                "shfl.sync.idx.b32 %r5, %r4, 0, 31",
                "shfl.sync.down.b32 %r5, %r4, 1, 31"
            ),
            "2x2"
        ),
        Some(BTreeSet::new())
    );
}

/// Loops that look as if threads waited together, and do not: each goes wrong, or may, and none of
/// them is right.
#[test]
fn what_is_no_wait_of_all_together() {
    let first = "@%p2 bra W;\n@%p1 st.relaxed.gpu.global.u32 [x], 1;\n@%p1 st.global.u32 [z], 1;\n@%p1 st.release.gpu.global.u32 [x], 2;\nret;\nW:\n";
    let wide = first.replace("[x], 1", "[x], 257").replace("[x], 2", "[x], 1");
    let asks = "@%p1 ld.acquire.gpu.global.u32 %r4, [x];\n";
    let end = "@%p1 st.global.u32 [z], 2;";
    let told = "@%p1 st.shared.u32 [s], %r4;\n";
    let round = |before: &str, behind: &str, test: &str| {
        format!(
            "L:\nmov.u32 %r4, 0;\nbar.sync 0;\n{before}bar.sync 0;\n{behind}\n{test}\n@%p3 bra L;\n"
        )
    };
    let (read, leaves) = ("ld.shared.u32 %r5, [s];", "setp.ne.u32 %p3, %r5, 1;");
    let lanes = "shfl.sync.idx.b32 %r5, %r4, 0, 31, 3;\nsetp.ne.u32 %p3, %r5, 1;\n@%p3 bra L;\n";
    let skips = format!(
        "@%p2 bra W;\n@%p1 st.relaxed.gpu.global.u32 [d], 1;\n@%p1 st.relaxed.gpu.global.u32 [x], 1;\nret;\nW:\nmov.u32 %r8, 0;\n\
         @!%p1 ld.relaxed.gpu.global.u32 %r8, [d];\nsetp.eq.u32 %p4, %r8, 1;\n@%p4 bra S;\nL:\nmov.u32 %r4, 0;\n\
         @%p1 ld.relaxed.gpu.global.u32 %r4, [x];\n{lanes}ret;\nS:\nmov.u32 %r4, 0;\nshfl.sync.idx.b32 %r5, %r4, 0, 31, 3;\nsetp.eq.u32 %p5, %r5, 0;\n@%p5 trap;"
    );
    let all: &[(&str, String)] = &[
        ("a register changes behind the telling", first.to_owned() + &round(&format!("{asks}{told}sub.u32 %r4, %r4, 1;\n"), read, leaves) + end),
        (
            "the value is told in fewer bits",
            wide + &round(&format!("{asks}@%p1 st.shared.u8 [s], %r4;\n"), "ld.shared.u8 %r5, [s];", leaves) + end,
        ),
        (
            "threads read it in two ways",
            format!(
                "@%p2 bra W;\n@%p1 st.release.gpu.global.u32 [x], 255;\nret;\nW:\nmov.u32 %r5, 0;\n{}{end}",
                round(
                    &format!("{asks}@%p1 st.shared.u8 [s], %r4;\n"),
                    "@%p1 ld.shared.u8 %r5, [s];\n@!%p1 ld.shared.s8 %r5, [s];",
                    "setp.ne.u32 %p3, %r5, 255;"
                )
            ),
        ),
        (
            "who asks reads what it told before",
            format!("{first}@%p1 st.shared.u32 [s], 0;\nbar.sync 0;\n")
                + &round(
                    &format!("@!%p1 bra N;\nld.shared.u32 %r6, [s];\nld.acquire.gpu.global.u32 %r4, [x];\nadd.u32 %r4, %r4, %r6;\n{told}N:\n"),
                    read,
                    "setp.lt.u32 %p3, %r5, 2;",
                )
                + end,
        ),
        ("a thread may go past the loop", skips),
        (
            "lanes leave at different times",
            "@%p2 bra W;\nst.relaxed.gpu.global.u32 [%rd3], 1;\nret;\nW:\nL:\nelect.sync %r5|%p5, 3;\nld.relaxed.gpu.global.u32 %r4, [%rd3];\n\
             setp.ne.u32 %p3, %r4, 1;\n@%p3 bra L;"
                .to_owned(),
        ),
    ];
    for (what, code) in all {
        assert_ne!(kinds(code, "2x2"), Some(BTreeSet::new()), "{what}: {code}");
    }
}

/// What is not in one execution does not race: a thread that only reads holds up another one at a
/// barrier, and rounds are in order by barriers.
#[test]
fn who_waits_holds_up_others() {
    let waits = "@%p2 bra W;\n@!%p1 ret;\nld.relaxed.gpu.global.u32 %r4, [d];\nsetp.eq.u32 %p3, %r4, 1;\n@%p3 st.relaxed.gpu.global.u32 [x], 1;\n\
                 @!%p3 st.global.u32 [z], 1;\nret;\nW:\n@%p1 st.relaxed.gpu.global.u32 [d], 1;\n@%p1 bra B;\nL:\nld.relaxed.gpu.global.u32 %r5, [x];\n\
                 setp.ne.u32 %p4, %r5, 1;\n@%p4 bra L;\nB:\nbar.sync 0;\n@%p1 st.global.u32 [z], 2;";
    assert_ne!(kinds(waits, "2x2"), Some([FindingKind::Race].into()), "{waits}");
    let tickets = "@%p2 bra W;\n@!%p1 ret;\nP:\nld.acquire.gpu.global.u32 %r4, [x];\nsetp.ne.u32 %p3, %r4, 2;\n@%p3 bra P;\nld.global.u32 %r6, [z];\nret;\n\
                   W:\n@!%p1 st.global.u32 [z], 1;\nL:\nmov.u32 %r4, 0;\n@%p1 atom.release.gpu.global.add.u32 %r4, [x], 1;\n\
                   shfl.sync.idx.b32 %r5, %r4, 0, 31, 3;\nbar.sync 0;\nsetp.lt.u32 %p3, %r5, 1;\n@%p3 bra L;";
    assert_ne!(kinds(tickets, "2x2"), Some([FindingKind::Race].into()), "{tickets}");
    // One of the lanes' values stays, which another block waits for.
    let stays = "@%p2 bra W;\nadd.u32 %r3, %r1, 1;\nst.global.u32 [x], %r3;\nret;\nW:\n@!%p1 ret;\nL:\nld.relaxed.gpu.global.u32 %r4, [x];\n\
                 setp.ne.u32 %p3, %r4, 2;\n@%p3 bra L;";
    assert_eq!(kinds(stays, "2x2"), Some([FindingKind::Race, FindingKind::Wait].into()), "{stays}");
}

/// A thread that takes a ticket in each round does more than wait, and its rounds stay.
#[test]
fn who_asks_goes_round_as_it_does() {
    let round = "bar.sync 0;\n@%p1 atom.relaxed.gpu.global.add.u32 %r4, [x], 1;\n@%p1 st.shared.u32 [s], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [s];";
    let code = format!(
        "L:\nmov.u32 %r4, 0;\n{round}\nsetp.ne.u32 %p3, %r5, 1;\n@%p3 bra L;\n@%p1 st.global.u32 [z], 1;"
    );
    // One block takes the second ticket, and the other one goes round for ever.
    assert_ne!(kinds(&code, "2x2"), Some(BTreeSet::new()));
}

/// The last of the blocks adds up what all have left: each lane learns from the first one of its
/// warp which block that is.
#[test]
fn the_last_block_is_known_to_all_lanes() {
    let right = "mul.wide.u32 %rd4, %r2, 4;\nadd.u64 %rd5, %rd1, %rd4;\n@%p1 st.global.u32 [%rd5], 1;\nbar.sync 0;\nmov.u32 %r4, 0;\n\
                 @%p1 atom.acq_rel.gpu.global.add.u32 %r4, [x], 1;\nshfl.sync.idx.b32 %r5, %r4, 0, 31, -1;\nbar.sync 0;\nsetp.ne.u32 %p3, %r5, 1;\n\
                 @%p3 ret;\nld.global.u32 %r6, [%rd1];\nld.global.u32 %r7, [%rd1+4];";
    let wrong = [
        (".acq_rel.gpu", ".relaxed.gpu", "2x32"),
        (".acq_rel.gpu", ".acquire.gpu", "2x32"),
        (".acq_rel.gpu", ".release.gpu", "2x32"),
        ("-1;\nbar.sync 0;", "-1;", "2x32"),
    ];
    check(right, &["2x32", "2x2"], &wrong);
}

/// A race of one store in several lanes is told where there is no other, and says what it is.
#[test]
fn stores_of_several_lanes_come_last() {
    let spots = |code: &str| {
        let answer = asked(code, "1x2");
        let finding = answer.wrong().and_then(|l| l.findings.first()).expect("a race").clone();
        assert_eq!(finding.kind, FindingKind::Race);
        let is_said = finding.why.iter().any(|why| why.contains("one store of several lanes"));
        (finding.stands.iter().map(|s| s.spot.text.clone()).collect::<Vec<_>>(), is_said)
    };
    let (stands, is_said) = spots("st.global.u32 [x], 1;");
    assert!(is_said && stands[0] == stands[1], "{stands:?}");
    // Who reads it is another race, also if it is behind it in the test.
    let (stands, is_said) = spots("st.global.u32 [x], 1;\n@!%p1 ld.global.u32 %r3, [x];");
    assert!(!is_said && stands.iter().any(|text| text.contains("ld.global")), "{stands:?}");
    let (stands, is_said) =
        spots("st.global.u32 [x], 1;\nst.global.u32 [%rd1], %r1;\n@%p1 st.global.u32 [%rd1], 7;");
    assert!(!is_said && stands[0] != stands[1], "{stands:?}");
    // Of two warps the stores are two.
    let answer = asked(
        "setp.ne.u32 %p4, %r1, 32;\nand.pred %p4, %p4, %p4;\nsetp.eq.u32 %p5, %r1, 0;\n@%p5 st.global.u32 [x], 1;\n@!%p4 st.global.u32 [x], 1;",
        "1x33",
    );
    let why = &answer.wrong().and_then(|l| l.findings.first()).expect("a race").why;
    assert!(!why.iter().any(|why| why.contains("several lanes")), "{why:?}");
}

/// A thread that only reads is left out of what is asked of others, but where it hands on at a
/// barrier what it was told.
#[test]
fn readers_hand_on_what_they_are_told() {
    let right = "@%p2 bra W;\n@!%p1 ret;\nst.global.u32 [z], 1;\nst.release.gpu.global.u32 [x], 1;\nret;\nW:\nsetp.ne.u32 %p4, %r1, 1;\n@%p4 bra B;\nL:\n\
                 ld.acquire.gpu.global.u32 %r4, [x];\nsetp.ne.u32 %p3, %r4, 1;\n@%p3 bra L;\nB:\nbar.sync 0;\n@%p1 ld.global.u32 %r5, [z];";
    check(
        right,
        &["2x2", "2x3"],
        &[("ld.acquire.gpu", "ld.relaxed.gpu", "2x2"), ("bar.sync 0;\n", "", "2x2")],
    );
}

/// A told thread leaves for a value that is stored behind a barrier, and ends. The teller passes
/// that barrier because it has ended: then it has not told it the value. Loops in which each round
/// stores more are no loops of threads that only wait together.
#[test]
fn nobody_leaves_for_what_is_stored_once_it_has_left() {
    let flagged = |round: &str| flag(round, "");
    let round = format!(
        "bar.sync 0;\n{ASKS}\n@%p1 st.global.u32 [z], %r4;\n@%p1 st.shared.u32 [s], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [s];"
    );
    let behind = format!(
        "bar.sync 0;\n{ASKS}\n@%p1 st.shared.u32 [s], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [s];\n@%p1 st.global.u32 [z], %r5;"
    );
    for right in [&round, &behind] {
        let answer = asked(&flagged(right), "2x2");
        assert!(
            answer.wrong().is_none_or(|l| l.findings.is_empty()),
            "{right}: {:#?}",
            answer.wrong()
        );
    }
    for (part, other) in [
        ("bar.sync 0;\n@%p1 atom.acquire", "@%p1 atom.acquire"),
        ("bar.sync 0;\nld.shared", "ld.shared"),
        (".acquire.gpu", ".relaxed.gpu"),
    ] {
        let wrong = flagged(&with(&round, part, other));
        assert_eq!(kinds(&wrong, "2x2"), Some([FindingKind::Race].into()), "{wrong}");
    }
}

/// `s = load(); while (s != 1) s = load();`, with the registers of a compiler that names each
/// result: it only waits, whoever else is in the block.
#[test]
fn a_loop_that_goes_by_what_was_read_in_front_of_it_only_waits() {
    let first = "ld.acquire.gpu.global.u32 %r6, [x];\nmov.u32 %r7, %r6;";
    let again = "ld.acquire.gpu.global.u32 %r8, [x];\nmov.u32 %r7, %r8;";
    let waits = |first: &str, again: &str| {
        format!(
            "@%p2 bra W;\nst.global.u32 [%rd3], 1;\nbar.sync 0;\n@%p1 st.release.gpu.global.u32 [x], 1;\nret;\nW:\n@!%p1 bra B;\n{first}\nL:\n\
             setp.eq.u32 %p3, %r7, 1;\n@%p3 bra B;\n{again}\nbra L;\nB:\nbar.sync 0;\nld.global.u32 %r9, [%rd3];"
        )
    };
    check(
        &waits(first, again),
        &["2x1", "2x2", "2x33"],
        &[(".release.gpu", ".relaxed.gpu", "2x1"), (".release.gpu", ".relaxed.gpu", "2x2")],
    );
    let added = |text: &str| {
        text.replace(
            "ld.acquire.gpu.global.u32 %r6, [x]",
            "atom.acquire.gpu.global.add.u32 %r6, [x], 0",
        )
    };
    let again_added = again.replace(
        "ld.acquire.gpu.global.u32 %r8, [x]",
        "atom.acquire.gpu.global.add.u32 %r8, [x], 0",
    );
    check(
        &waits(&added(first), &again_added),
        &["2x1", "2x2"],
        &[(".release.gpu", ".relaxed.gpu", "2x2")],
    );
    // What was read is handed on as well: a place of its own keeps it.
    let kept = waits(first, again)
        .replace("B:\n", "B:\nmov.u32 %r10, %r8;\nst.global.u32 [z], %r10;\n")
        .replace("@!%p1 bra B;", "@!%p1 bra C;");
    let kept = kept.replace("bar.sync 0;\nld.global.u32 %r9", "C:\nbar.sync 0;\nld.global.u32 %r9");
    assert_ne!(kinds(&kept, "2x1"), Some([FindingKind::Race].into()));
}
