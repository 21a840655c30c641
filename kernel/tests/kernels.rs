//! Kernels and what is said of them: those of tests/kernels, as nvcc prints them, right and wrong,
//! and small ones for each question. Every finding is confirmed by the engines on its litmus test,
//! read anew.

use std::collections::BTreeSet;

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, LaunchVerdict, RepairAnswer, ask};
use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

const LOCK: &str = include_str!("../../tests/kernels/lock.ptx");
const LAST_BLOCK: &str = include_str!("../../tests/kernels/last_block.ptx");
const FLAG: &str = include_str!("../../tests/kernels/flag.ptx");
const BARRIER: &str = include_str!("../../tests/kernels/barrier.ptx");
const QUEUE_LOCK: &str = include_str!("../../tests/kernels/queue_lock.ptx");

struct Case<'a> {
    text: &'a str,
    kernel: &'a str,
    launches: &'a [&'a str],
    arguments: &'a [&'a str],
    finals: &'a [&'a str],
    repairs: bool,
}

impl<'a> Case<'a> {
    fn new(text: &'a str, kernel: &'a str, launches: &'a [&'a str]) -> Self {
        Self { text, kernel, launches, arguments: &[], finals: &[], repairs: false }
    }

    fn try_ask(&self) -> Result<KernelAnswer, String> {
        let module = margay_ptx::read(self.text).unwrap_or_else(|e| panic!("{}: {e}", self.kernel));
        let launches: Vec<Launch> =
            self.launches.iter().map(|l| l.parse().expect("a launch")).collect();
        let arguments: Vec<GivenArgument> =
            self.arguments.iter().map(|a| a.parse().expect("an argument")).collect();
        let finals: Vec<String> = self.finals.iter().map(|&f| f.to_owned()).collect();
        ask(&KernelQuestion {
            launches: &launches,
            arguments: &arguments,
            finals: &finals,
            repairs: self.repairs,
            ..KernelQuestion::new(
                self.text,
                &module,
                module.function(self.kernel).expect(self.kernel),
            )
        })
        .map_err(|why| why.to_string())
    }

    fn ask(&self) -> KernelAnswer {
        let answer = self.try_ask().unwrap_or_else(|why| panic!("{}: {why}", self.kernel));
        confirm(&answer);
        answer
    }

    fn kinds(&self) -> BTreeSet<FindingKind> {
        let answer = self.ask();
        let settled = answer.wrong().is_some() || answer.is_settled(self.launches.is_empty());
        assert!(settled, "{}: {:#?}", self.kernel, answer.not_looked());
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    }
}

/// Runs the litmus test of each finding by both engines.
fn confirm(answer: &KernelAnswer) {
    for finding in answer.launches.iter().flat_map(|l| &l.findings) {
        let file = SourceFile::new("found.litmus", finding.litmus.clone());
        let read = read::test(&file).unwrap_or_else(|e| panic!("{e:?}\n{}", finding.litmus));
        let model = finding.model().expect("it is read");
        let verdict = Runner::new(model)
            .run(&read.test, &Options::default(), Choice::Both)
            .expect("an answer");
        match finding.kind {
            FindingKind::Race => assert_eq!(verdict.racy, Some(true), "{}", finding.litmus),
            FindingKind::Barriers | FindingKind::Endless => {}
            _ => assert!(verdict.reachable, "{}", finding.litmus),
        }
        assert!(!finding.stands.is_empty() || finding.kind == FindingKind::Final, "{finding:#?}");
        let is_whole = |s: &margay_kernel::Stands| s.spot.line > 0 && !s.spot.text.is_empty();
        assert!(finding.stands.iter().all(is_whole), "{finding:#?}");
    }
}

fn one(kind: FindingKind) -> BTreeSet<FindingKind> {
    [kind].into()
}

#[test]
fn the_worked_kernels_are_judged() {
    let right = [
        (LOCK, "lock_with_fences", ["1x2", "2x1", "3x1"]),
        (LOCK, "ticket_lock", ["1x2", "2x1", "3x1"]),
        (LAST_BLOCK, "last_block", ["2x1", "2x2", "3x1"]),
        (FLAG, "fenced_flag", ["2x1", "3x1", "4x1"]),
        (BARRIER, "barrier_with_fences", ["2x1", "3x1", "4x1"]),
        (QUEUE_LOCK, "queue_lock", ["2x1", "1x1", "1x1"]),
    ];
    for (text, kernel, launches) in right {
        assert_eq!(Case::new(text, kernel, &launches).kinds(), [].into(), "{kernel}");
    }
    let wrong = [
        (LOCK, "lock_without_fences", "2x1", FindingKind::Race),
        (LOCK, "ticket_lock_without_release", "2x1", FindingKind::Race),
        (LAST_BLOCK, "last_block_without_fence", "2x2", FindingKind::Race),
        (FLAG, "plain_flag", "2x1", FindingKind::Race),
        (FLAG, "flag_that_stays", "2x1", FindingKind::Wait),
        (FLAG, "checked_flag", "2x1", FindingKind::Trap),
        (BARRIER, "barrier_without_release", "2x1", FindingKind::Race),
        (BARRIER, "barrier_without_fences", "2x1", FindingKind::Race),
        (QUEUE_LOCK, "queue_lock_without_release", "2x1", FindingKind::Race),
    ];
    for (text, kernel, launch, kind) in wrong {
        assert_eq!(Case::new(text, kernel, &[launch]).kinds(), one(kind), "{kernel}");
    }
}

/// Without a launch the small ones are tried; what is enough within a block is not taken for a
/// repair between blocks.
#[test]
fn repairs_hold_between_blocks() {
    // One instruction then has to release for the one block and to acquire for the other.
    let unfenced = LAST_BLOCK.replace("membar.gl;", "");
    for (text, kernel, expected) in [
        (LOCK, "ticket_lock_without_release", &["st.release.sys.u32"][..]),
        (LAST_BLOCK, "last_block_without_fence", &["atom.acquire.gpu.add.u32"]),
        (&unfenced, "last_block_without_fence", &["atom.acq_rel.gpu.add.u32"]),
        (FLAG, "checked_flag", &["ld.acquire.sys.u32", "st.release.sys.u32"]),
    ] {
        let launches: &[&str] = if text == FLAG { &["2x1"] } else { &[] };
        let answer = Case { repairs: true, ..Case::new(text, kernel, launches) }.ask();
        let wrong = answer.wrong().expect(kernel);
        let repair = &wrong.findings[0].repair;
        let RepairAnswer::Changes(changes) = repair else { panic!("{kernel}: {repair:?}") };
        let mut texts: Vec<&str> = changes.iter().map(|c| c.text.as_str()).collect();
        texts.sort_unstable();
        assert_eq!(texts, expected, "{kernel}");
        assert!(changes.iter().all(|c| c.spot.source.is_some()), "{changes:?}");
    }
}

/// What mends a kernel as far as its loops were gone round is not called too little: of more rounds
/// it is not known.
#[test]
fn repairs_say_where_loops_are_cut_off() {
    let code = "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\nld.global.u32 %r2, [tail];\n\
                atom.relaxed.gpu.global.add.u32 %r3, [tail], 1;\nst.global.u32 [out], %r2;\nret;\n\
                B:\natom.relaxed.gpu.global.add.u32 %r3, [tail], 0;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra B;\nret;";
    let text = kernel("", ".global .align 4 .u32 tail;\n.global .align 4 .u32 out;", code);
    let answer = Case { repairs: true, ..Case::new(&text, "k", &["2x1"]) }.ask();
    let finding = &answer.wrong().expect("a race").findings[0];
    assert_eq!(finding.kind, FindingKind::Race);
    assert!(
        matches!(&finding.repair, RepairAnswer::Open(why) if why.contains("of more it is not known")),
        "{:?}",
        finding.repair
    );
}

/// A race of the first rounds of long loops has a repair that is asked about in as many rounds, and
/// says so; one of short loops is asked about in all of them.
#[test]
fn repairs_of_first_rounds_say_so() {
    let code = |rounds: u32| {
        format!(
            "mov.u32 %r1, %ctaid.x;\nmov.u32 %r5, 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\nA:\nadd.u32 %r5, %r5, 1;\nst.global.u32 [data], %r5;\n\
             st.relaxed.gpu.global.u32 [flag], %r5;\nTOLD:\nld.acquire.gpu.global.u32 %r2, [back];\nsetp.ne.u32 %p1, %r2, %r5;\n@%p1 bra TOLD;\n\
             setp.lt.u32 %p1, %r5, {rounds};\n@%p1 bra A;\nret;\nB:\nadd.u32 %r5, %r5, 1;\nWAIT:\nld.acquire.gpu.global.u32 %r2, [flag];\n\
             setp.ne.u32 %p1, %r2, %r5;\n@%p1 bra WAIT;\nld.global.u32 %r3, [data];\nst.release.gpu.global.u32 [back], %r5;\n\
             setp.lt.u32 %p1, %r5, {rounds};\n@%p1 bra B;\nret;"
        )
    };
    for (rounds, told) in [(1, false), (60, true)] {
        let text = kernel(
            "",
            ".global .align 4 .u32 data;\n.global .align 4 .u32 flag;\n.global .align 4 .u32 back;",
            &code(rounds),
        );
        let answer = Case { repairs: true, ..Case::new(&text, "k", &["2x1"]) }.ask();
        let finding = &answer.wrong().expect("a race").findings[0];
        let RepairAnswer::Changes(changes) = &finding.repair else {
            panic!("{rounds}: {:?}", finding.repair)
        };
        let texts: Vec<&str> = changes.iter().map(|change| change.text.as_str()).collect();
        assert_eq!(texts, ["st.release.gpu.u32"], "{rounds}");
        assert_eq!(
            finding.why.iter().any(|why| why.contains("asked about in the first round alone")),
            told,
            "{:?}",
            finding.why
        );
    }
}

/// A lock that is taken by an exchange: rounds that find it taken write what is there.
#[test]
fn exchanges_wait_as_compare_and_swaps_do() {
    let lock = |acquire: &str, release: &str| {
        let code = format!(
            "A:\natom{acquire}.gpu.global.exch.b32 %r1, [x], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;\nld.global.u32 %r2, [count];\n\
             add.u32 %r2, %r2, 1;\nst.global.u32 [count], %r2;\nst{release}.gpu.global.u32 [x], 0;\nret;"
        );
        kernel("", ".global .align 4 .u32 x;\n.global .align 4 .u32 count;", &code)
    };
    let (right, no_acquire, no_release) =
        (lock(".acquire", ".release"), lock(".relaxed", ".release"), lock(".acquire", ".relaxed"));
    let counts = Case { finals: &["count == 2"], ..Case::new(&right, "k", &["2x1", "1x2"]) };
    assert_eq!(counts.kinds(), [].into());
    for wrong in [no_acquire, no_release] {
        assert_eq!(Case::new(&wrong, "k", &["2x1"]).kinds(), one(FindingKind::Race));
    }
    // Who holds the lock reads it while others write what is there.
    let looked_at = |read: &str| {
        let code = format!(
            "mov.u32 %r3, 1;\nbra A;\nA:\natom.acquire.gpu.global.exch.b32 %r1, [x], %r3;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;\n\
             ld{read}.global.u32 %r2, [x];\nst.release.gpu.global.u32 [x], 0;\nret;"
        );
        kernel("", ".global .align 4 .u32 x;", &code)
    };
    for (read, launch, expected) in [
        ("", "2x1", one(FindingKind::Race)),
        (".relaxed.cta", "2x1", one(FindingKind::Race)),
        (".relaxed.cta", "1x2", [].into()),
        (".relaxed.gpu", "2x1", [].into()),
        (".volatile", "2x1", [].into()),
    ] {
        assert_eq!(
            Case::new(&looked_at(read), "k", &[launch]).kinds(),
            expected,
            "{read} {launch}"
        );
    }
}

/// A flag is polled by read-modify-writes that change nothing, and who is to raise it does so only
/// if it comes late enough: the wait may never end.
#[test]
fn polls_by_read_modify_writes_may_never_end() {
    for (poll, expected) in [
        ("cas.b32 %r1, [x], 0, 0", one(FindingKind::Wait)),
        ("add.u32 %r1, [x], 0", one(FindingKind::Wait)),
        ("or.b32 %r1, [x], 0", one(FindingKind::Wait)),
        ("exch.b32 %r1, [x], 0", one(FindingKind::Wait)),
        ("cas.b32 %r1, [x], 1, 2", one(FindingKind::Wait)),
        ("cas.b32 %r1, [x], 0, 1", [].into()),
    ] {
        let code = format!(
            "mov.u32 %r8, %ctaid.x;\nsetp.eq.u32 %p1, %r8, 1;\n@%p1 bra OTHER;\nst.relaxed.gpu.global.u32 [count], 1;\nWAIT:\n\
             atom.acquire.gpu.global.{poll};\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra WAIT;\nret;\nOTHER:\nld.relaxed.gpu.global.u32 %r2, [count];\n\
             setp.ne.u32 %p3, %r2, 1;\n@%p3 ret;\nst.release.gpu.global.u32 [x], 1;\nret;"
        );
        let text = kernel("", ".global .align 4 .u32 x;\n.global .align 4 .u32 count;", &code);
        assert_eq!(Case::new(&text, "k", &["2x1"]).kinds(), expected, "{poll}");
    }
}

/// Each fence of the right kernels is needed, and taken away it is missed.
#[test]
fn every_fence_that_is_taken_away_is_missed() {
    for (text, kernel) in [
        (LOCK, "lock_with_fences"),
        (LOCK, "ticket_lock"),
        (FLAG, "fenced_flag"),
        (BARRIER, "barrier_with_fences"),
        (LAST_BLOCK, "last_block"),
    ] {
        let start = text.find(&format!(".entry {kernel}(")).expect(kernel);
        let end = start + text[start..].find("\n}").expect("an end");
        let fences: Vec<usize> =
            text[start..end].match_indices("membar.gl;").map(|(at, _)| start + at).collect();
        assert_eq!(fences.len(), 2, "{kernel}");
        for at in fences {
            let mutant = format!("{}{}", &text[..at], &text[at + "membar.gl;".len()..]);
            let found = Case::new(&mutant, kernel, &["2x1"]).kinds();
            assert_eq!(found, one(FindingKind::Race), "{kernel} without the fence at byte {at}");
        }
    }
}

/// A kernel `k` of this body.
fn kernel(parameters: &str, variables: &str, code: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{variables}\n.visible .entry k({parameters})\n{{\n.reg .pred %p<9>;\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n{code}\n}}\n"
    )
}

#[test]
fn conditions_at_the_end() {
    let add =
        kernel("", ".global .align 4 .u32 count;", "atom.global.add.u32 %r1, [count], 1;\nret;");
    let asked = |text: &str, launch: &'static str, condition: &'static str| {
        let (launches, finals) = ([launch], [condition]);
        Case { finals: &finals, ..Case::new(text, "k", &launches) }.kinds()
    };
    assert_eq!(asked(&add, "3x1", "count == 3"), [].into());
    assert_eq!(asked(&add, "3x1", "count == 2"), one(FindingKind::Final));
    let lost = "ld.relaxed.gpu.global.u32 %r1, [count];\nadd.u32 %r1, %r1, 1;\nst.relaxed.gpu.global.u32 [count], %r1;\nret;";
    let lost = kernel("", ".global .align 4 .u32 count;", lost);
    assert_eq!(asked(&lost, "2x1", "count == 2"), one(FindingKind::Final));
    let code = "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\n\
                add.s64 %rd1, %rd1, %rd2;\nadd.u32 %r1, %r1, 5;\nst.global.u32 [%rd1], %r1;\nret;";
    let array = kernel(".param .u64 a", "", code);
    assert_eq!(asked(&array, "2x1", "arg0[1] == 6 /\\ arg0[0] == 5"), [].into());
    assert_eq!(asked(&array, "2x1", "arg0[1] == 5"), one(FindingKind::Final));
    let unknown = Case { finals: &["nothing == 1"], ..Case::new(&array, "k", &["2x1"]) }
        .try_ask()
        .expect_err("no such array");
    assert!(
        unknown.contains("there is no array `nothing`") && unknown.contains("arg0"),
        "{unknown}"
    );
}

#[test]
fn addresses_outside_of_arrays() {
    let at = |index: &str| {
        let code = format!(
            "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, 4, {index};\nmov.u64 %rd1, a;\ncvt.u64.u32 %rd2, %r2;\nadd.s64 %rd1, %rd1, %rd2;\n\
             st.global.u32 [%rd1], 1;\nret;"
        );
        kernel("", ".global .align 4 .b8 a[8];", &code)
    };
    assert_eq!(Case::new(&at("0"), "k", &["1x2"]).kinds(), [].into());
    assert_eq!(Case::new(&at("4"), "k", &["1x2"]).kinds(), one(FindingKind::Outside));
    // The last bytes of an access count, too.
    assert_eq!(Case::new(&at("6"), "k", &["1x1"]).kinds(), one(FindingKind::Outside));
    // An index that comes from memory.
    let code = "atom.global.add.u32 %r1, [next], 1;\nmov.u64 %rd1, a;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\n\
                st.global.u32 [%rd1], 1;\nret;";
    let text = kernel("", ".global .align 4 .b8 a[8];\n.global .align 4 .u32 next;", code);
    assert_eq!(Case::new(&text, "k", &["2x1"]).kinds(), [].into());
    assert_eq!(Case::new(&text, "k", &["3x1"]).kinds(), one(FindingKind::Outside));
    // An array that is given a size.
    let code = "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd1, %rd1;\nld.global.u32 %r1, [%rd1+8];\nret;";
    let text = kernel(".param .u64 a", "", code);
    assert_eq!(
        Case { arguments: &["0=array:3"], ..Case::new(&text, "k", &["1x1"]) }.kinds(),
        [].into()
    );
    assert_eq!(
        Case { arguments: &["0=array:2"], ..Case::new(&text, "k", &["1x1"]) }.kinds(),
        one(FindingKind::Outside)
    );
}

#[test]
fn waits_that_may_not_end() {
    let flags = ".global .align 4 .u32 x;\n.global .align 4 .u32 y;";
    let wait = |label: &str, on: &str| {
        format!(
            "{label}:\nld.acquire.gpu.global.u32 %r2, [{on}];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra {label};\n"
        )
    };
    let (first, second) = (wait("A", "x"), wait("OTHER", "y"));
    let start = "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra OTHER;\n";
    // Each block waits for the other before it writes.
    let both = format!(
        "{start}{first}st.release.gpu.global.u32 [y], 1;\nret;\n{second}st.release.gpu.global.u32 [x], 1;\nret;"
    );
    let found = Case::new(&kernel("", flags, &both), "k", &["2x1"]).kinds();
    assert!(found.contains(&FindingKind::Wait), "{found:?}");
    // A lock that is not given back: one block gets it, and the other waits for ever.
    let kept = "A:\natom.acquire.gpu.global.cas.b32 %r1, [x], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;\nret;";
    let found = Case::new(&kernel("", flags, kept), "k", &["2x1"]).kinds();
    assert!(found.contains(&FindingKind::Wait), "{found:?}");
    // Two blocks wait for one that raises the flag.
    let raised = format!("{start}st.release.gpu.global.u32 [y], 1;\nret;\n{second}ret;");
    assert_eq!(Case::new(&kernel("", flags, &raised), "k", &["3x1"]).kinds(), [].into());
}

#[test]
fn barriers_of_a_block() {
    let code = |barrier: &str| {
        let code = format!(
            ".shared .align 4 .b8 tile[8];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\n\
             st.shared.u32 [%r4], %r1;\n{barrier}\nxor.b32 %r5, %r2, 4;\nadd.u32 %r6, %r3, %r5;\nld.shared.u32 %r7, [%r6];\nret;"
        );
        kernel("", "", &code)
    };
    assert_eq!(Case::new(&code("bar.sync 0;"), "k", &["1x2", "2x2"]).kinds(), [].into());
    assert_eq!(Case::new(&code("bar.warp.sync -1;"), "k", &["1x2"]).kinds(), [].into());
    assert_eq!(Case::new(&code(""), "k", &["1x2"]).kinds(), one(FindingKind::Race));
    let different = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra ONE;\nbar.sync 1;\nret;\nONE:\nbar.sync 2;\nret;";
    assert!(
        Case::new(&kernel("", "", different), "k", &["1x2"])
            .kinds()
            .contains(&FindingKind::Barriers)
    );
    let open = "atom.global.add.u32 %r2, [flag], 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra ONE;\nbar.sync 1;\nONE:\nret;";
    let answer = Case::new(&kernel("", ".global .u32 flag;", open), "k", &["1x2"]).ask();
    assert!(
        answer
            .not_looked()
            .iter()
            .any(|n| n.why.contains("barriers a thread comes to depends on memory")),
        "{answer:#?}"
    );
    assert!(!answer.is_settled(false));
}

/// Where both ways of a branch that nobody interprets only compute, and come together, nothing is
/// left open; but where one goes back, accesses memory or ends, and where an address is made of
/// what they leave.
#[test]
fn both_ways_that_only_compute_are_gone() {
    let branch =
        "mov.u32 %r1, %clock;\nmov.u32 %r2, 0;\nsetp.gt.u32 %p1, %r1, 100;\n@%p1 bra MORE;";
    for (between, behind, is_settled) in [
        ("", "", true),
        ("add.u32 %r2, %r1, 1;", "", true),
        (
            "add.u32 %r2, %r1, 1;\nsetp.gt.u32 %p2, %r2, 7;\n@%p2 bra OUT;\nmul.lo.u32 %r2, %r2, 3;\nOUT:\nadd.u32 %r2, %r2, 1;",
            "",
            true,
        ),
        ("add.u32 %r2, %r1, 1;", "st.relaxed.gpu.global.u32 [x], %r2;", true),
        ("st.relaxed.gpu.global.u32 [x], 1;", "", false),
        ("ret;", "st.relaxed.gpu.global.u32 [x], 1;", false),
        ("BACK:\nadd.u32 %r1, %r1, 1;\nsetp.gt.u32 %p2, %r1, 7;\n@%p2 bra BACK;", "", false),
        (
            "add.u32 %r2, %r1, 4;",
            "cvt.u64.u32 %rd1, %r2;\nmov.u64 %rd2, x;\nadd.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], 1;",
            false,
        ),
    ] {
        let code = format!("{branch}\n{between}\nMORE:\n{behind}\nret;");
        let answer = Case::new(&kernel("", ".global .align 4 .u32 x;", &code), "k", &["2x1"]).ask();
        assert_eq!(
            (answer.is_settled(false), answer.wrong().is_some()),
            (is_settled, false),
            "{code}: {answer:#?}"
        );
    }
}

/// What a register held before such a branch stays in it on a way that does not write it: what is
/// wrong with that value is told; and not where both ways write it, or where they read a number of
/// their own.
#[test]
fn a_way_that_only_computes_leaves_what_it_does_not_write() {
    let undefined = "ld.shared.u32 %r3, [s];";
    let stale = "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WRITER;\nWAIT:\nld.relaxed.gpu.global.u32 %r5, [flag];\n\
                 setp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\nld.relaxed.gpu.global.u32 %r3, [x];";
    let branch = "mov.u32 %r1, %clock;\nsetp.gt.u32 %p1, %r1, 100;\n@%p1 bra MORE;";
    let writer =
        "WRITER:\nst.relaxed.gpu.global.u32 [x], 7;\nst.relaxed.gpu.global.u32 [flag], 1;\nret;";
    for (read, between, kind) in [
        (undefined, "mov.u32 %r3, 0;", Some(FindingKind::Undefined)),
        (undefined, "@!%p1 mov.u32 %r3, 0;\nbra MORE;", Some(FindingKind::Undefined)),
        (undefined, "mov.u32 %r3, 0;\nbra LAST;\nMORE:\nmov.u32 %r3, 1;\nLAST:", None),
        (
            undefined,
            "mov.u32 %r3, 0;\nadd.u32 %r4, %r3, 1;\nmov.u32 %r3, %r4;\nbra LAST;\nMORE:\nmov.u32 %r3, 1;\nLAST:",
            None,
        ),
        (
            undefined,
            "setp.eq.u32 %p2, %r3, 1;\nbra LAST;\nMORE:\nadd.u32 %r4, %r1, 3;\nLAST:\nmov.u32 %r3, 4;",
            None,
        ),
        (stale, "mov.u32 %r3, 0;", Some(FindingKind::Stale)),
        (stale, "mov.u32 %r3, 0;\nbra LAST;\nMORE:\nmov.u32 %r3, 1;\nLAST:", None),
    ] {
        let more = if between.contains("MORE:") { "" } else { "MORE:" };
        let code = format!(
            "{read}\n{branch}\n{between}\n{more}\nst.relaxed.gpu.global.u32 [out], %r3;\nret;\n{writer}"
        );
        let variables = ".shared .align 4 .u32 s;\n.global .align 4 .u32 x;\n.global .align 4 .u32 flag;\n.global .align 4 .u32 out;";
        let kinds = Case::new(&kernel("", variables, &code), "k", &["2x1"]).kinds();
        assert_eq!(kinds, kind.into_iter().collect(), "{code}");
    }
}

/// What is not known is named with its line, and never taken for an answer.
#[test]
fn nothing_is_dropped_in_silence() {
    let float = "atom.global.add.u32 %r1, [x], 1;\nmov.b32 %f1, %r1;\nadd.f32 %f1, %f1, %f1;\nsetp.gt.f32 %p1, %f1, 0f00000000;\n\
                 @%p1 st.relaxed.gpu.global.u32 [x], 1;";
    let cases = [
        ("frobnicate.u32 %r1, %r2;", "is not known"),
        ("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rd1;", "asynchronous"),
        ("vote.all.pred %p1, %p2;", "warp"),
        ("call far, ();", "another module"),
        ("call %rd1, ();", "whose address is not known"),
        (
            "mov.u32 %r1, %clock;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nst.relaxed.gpu.global.u32 [x], 1;",
            "not interpreted",
        ),
        (float, "not interpreted"),
        (
            "mov.u32 %r1, 0;\nA:\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 9000000;\n@%p1 bra A;",
            "steps",
        ),
    ];
    for (code, why) in cases {
        let text = kernel("", ".global .align 4 .u32 x;", &format!("{code}\nEND:\nret;"));
        let answer = Case::new(&text, "k", &["2x1"]).ask();
        assert!(!answer.is_settled(false), "{code}");
        let said = answer.not_looked();
        let named =
            |n: &margay_kernel::NotLooked| n.line.is_some_and(|l| l >= 11) || why == "steps";
        assert!(said.iter().any(|n| n.why.contains(why) && named(n)), "{code}: {said:#?}");
    }
    let many = Case::new(FLAG, "fenced_flag", &["2x1"]).ask();
    assert_eq!(many.not_looked(), []);
}

/// Calls, predicates, memory of the thread alone and numbers of several widths are computed as a
/// machine does.
#[test]
fn constants_are_computed() {
    let function = ".func (.param .b32 out) twice(.param .b32 in)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [in];\nadd.s32 %r2, %r1, %r1;\n\
                    st.param.b32 [out], %r2;\nret;\n}\n";
    let code = ".local .align 8 .b8 depot[16];\n.reg .b64 %SP;\nmov.u64 %SP, depot;\ncvta.local.u64 %SP, %SP;\nmov.u32 %r1, %tid.x;\n\
                add.u32 %r1, %r1, 3;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }\n\
                st.u32 [%SP+4], %r2;\nst.u8 [%SP+5], 1;\nld.u32 %r3, [%SP+4];\nmov.b64 %rd1, {%r3, %r1};\nshr.u64 %rd2, %rd1, 32;\n\
                mov.b64 {%r4, %r5}, %rd1;\nsetp.gt.u32 %p1, %r5, 3;\n@%p1 add.u32 %r4, %r4, 1000;\nst.global.u32 [out], %r4;\nmov.u64 %rd3, out;\n\
                isspacep.global %p2, %rd3;\n@!%p2 trap;\nisspacep.local %p3, %SP;\n@!%p3 trap;\nret;";
    let text = kernel("", &format!(".global .align 4 .u32 out;\n{function}"), code);
    // One thread: 2 * 3 with 1 in its second byte.
    let of = |launch: &'static str, condition: &'static str| {
        let (launches, finals) = ([launch], [condition]);
        Case { finals: &finals, ..Case::new(&text, "k", &launches) }.kinds()
    };
    assert_eq!(of("1x1", "out == 262"), [].into());
    assert_eq!(of("1x1", "out == 6"), one(FindingKind::Final));
    assert_eq!(Case::new(&text, "k", &["1x2"]).kinds(), one(FindingKind::Race));
}

/// A reader-writer lock, as it is written by hand: a reader goes back where a writer has the lock,
/// and where another one came in between. Two jumps lead back through one that they share, and both
/// were a loop that does more than wait.
#[test]
fn a_reader_of_a_lock_waits_or_tries_again() {
    let of = |fence: &str, after_writing: &str| {
        let code = format!(
            "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra AGAIN;\n\
             W:\natom.global.cas.b32 %r2, [lock], 0, -1;\nsetp.ne.s32 %p2, %r2, 0;\n@%p2 bra W;\n{fence}\
             ld.global.u32 %r3, [data];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [data], %r3;\n{fence}{after_writing}ret;\n\
             AGAIN:\nld.volatile.global.u32 %r4, [lock];\nsetp.lt.s32 %p3, %r4, 0;\n@%p3 bra BACK;\nadd.s32 %r5, %r4, 1;\n\
             atom.global.cas.b32 %r6, [lock], %r4, %r5;\nsetp.ne.s32 %p4, %r6, %r4;\n@%p4 bra BACK;\n{fence}\
             ld.global.u32 %r7, [data];\nst.global.u32 [out], %r7;\n{fence}atom.global.add.u32 %r8, [lock], -1;\nret;\nBACK:\nbra AGAIN;"
        );
        let variables =
            ".global .align 4 .u32 lock;\n.global .align 4 .u32 data;\n.global .align 4 .u32 out;";
        Case::new(&kernel("", variables, &code), "k", &["2x1"]).kinds()
    };
    let unlocks = "atom.global.exch.b32 %r9, [lock], 0;\n";
    assert_eq!(of("membar.gl;\n", unlocks), [].into());
    assert_eq!(of("", unlocks), one(FindingKind::Race));
    // Nobody unlocks: the reader waits for ever.
    assert_eq!(of("membar.gl;\n", ""), one(FindingKind::Wait));
}

#[test]
fn launches_and_arguments_are_read() {
    assert_eq!("2x32".parse::<Launch>(), Ok(Launch::new(2, 32)));
    for wrong in ["", "2", "0x2", "2x", "x", "-1x2", "2x33x1", "4097x1"] {
        assert!(wrong.parse::<Launch>().is_err(), "{wrong}");
    }
    for wrong in ["", "0", "a=1", "0=array:", "0=array:{1,x}", "0=argx"] {
        assert!(wrong.parse::<GivenArgument>().is_err(), "{wrong}");
    }
    let text = kernel(".param .u64 a, .param .u32 n", "", "ret;");
    let missing = Case { arguments: &["2=1"], ..Case::new(&text, "k", &["1x1"]) }
        .try_ask()
        .expect_err("no such parameter");
    assert!(missing.contains("there is no parameter 2: `k` has 2, 0 to 1"), "{missing}");
    let chosen = Case::new(LOCK, "lock_with_fences", &[]).ask();
    let last = chosen.launches.last().expect("launches");
    // A lock that never asks which thread it is, is asked about in blocks of one thread.
    assert_eq!(
        (last.launch, &last.asked),
        (Launch::new(3, 1), &LaunchVerdict::Nothing),
        "{:?}",
        last.not_looked
    );
    assert!(chosen.is_settled(true));
}

/// A stack: whoever takes from it reads the next node weakly, also in rounds that fail. No number
/// of rounds has a race, and no thread stays in its loop.
#[test]
fn a_stack_is_right_however_often_its_loops_are_gone_round() {
    const LOCKLESS: &str = include_str!("../../tests/kernels/lockless.ptx");
    assert_eq!(Case::new(LOCKLESS, "treiber_stack", &["2x1"]).kinds(), [].into());
}

/// The race of a stack is found at once. Whether an address leaves its array is asked in counted
/// steps beside it: one round of loops that try again shows that, where all of them took the
/// engines too long.
#[test]
fn a_finding_is_not_kept_back_by_other_questions() {
    const LOCKLESS: &str = include_str!("../../tests/kernels/lockless.ptx");
    // The explicit engine alone does not take its test.
    let answer =
        Case::new(LOCKLESS, "treiber_stack_relaxed", &["3x1"]).try_ask().expect("an answer");
    let kinds: Vec<FindingKind> =
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect();
    assert_eq!(kinds, [FindingKind::Race]);
    let said = answer.not_looked();
    assert!(!said.iter().any(|n| n.why.contains("addresses outside of arrays")), "{said:#?}");
}
