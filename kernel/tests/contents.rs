//! What a kernel does may depend on what its arrays hold: contents other than zeros are tried where
//! nobody says what they hold.

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

fn asked(parameters: usize, code: &str, launch: &str, arguments: &[&str]) -> KernelAnswer {
    let all: Vec<String> = (0..parameters).map(|n| format!(".param .u64 a{n}")).collect();
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k({})\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n{code}\n\
         OUT:\nret;\n}}\n",
        all.join(", ")
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let arguments: Vec<GivenArgument> =
        arguments.iter().map(|a| a.parse().expect("an argument")).collect();
    let kernel = module.function("k").expect("a kernel `k`");
    ask(&KernelQuestion {
        launches: &launches,
        arguments: &arguments,
        ..KernelQuestion::new(&text, &module, kernel)
    })
    .expect("an answer")
}

fn kinds(answer: &KernelAnswer) -> Vec<FindingKind> {
    answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
}

/// `%r1` is the thread, `%rd1` and `%rd2` are the arrays, `%rd4` is four times the thread.
const START: &str = "ld.param.u64 %rd1, [a0];\nld.param.u64 %rd2, [a1];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\n";

/// Threads whose element is 7 write one place; with zeros none does.
#[test]
fn a_race_behind_a_branch_on_data_is_found() {
    let code = |write: &str| {
        format!(
            "{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nsetp.ne.s32 %p1, %r2, 7;\n@%p1 bra OUT;\n{write}\n"
        )
    };
    let wrong = code("st.global.u32 [%rd2], %r1;");
    let answer = asked(2, &wrong, "1x4", &[]);
    assert_eq!(kinds(&answer), [FindingKind::Race]);
    assert!(answer.arguments[0].ends_with("that holds {7*}"), "{:?}", answer.arguments);
    assert_eq!(answer.chosen_contents, ["arg0 = {7*}"]);
    // The arguments that are said show it again, and what is given is not changed.
    assert_eq!(kinds(&asked(2, &wrong, "1x4", &["0=array:{7*}"])), [FindingKind::Race]);
    assert_eq!(kinds(&asked(2, &wrong, "1x4", &["0=array:{7,7,0,0}"])), [FindingKind::Race]);
    for given in ["0=array", "0=array:{7,0,0,0}", "0=array:{0+}"] {
        let answer = asked(2, &wrong, "1x4", &[given]);
        assert_eq!((kinds(&answer), answer.contents), (Vec::new(), None), "{given}");
    }
    let right = asked(2, &code("red.relaxed.gpu.global.add.u32 [%rd2], %r1;"), "1x4", &[]);
    let contents = right.contents.as_ref().expect("contents were tried");
    assert_eq!(
        (kinds(&right), contents.arrays.as_slice()),
        (Vec::new(), ["arg0".to_owned()].as_slice())
    );
    assert!(contents.tried > 3 && contents.settled == contents.tried, "{contents:?}");
}

/// What one array holds decides whether another one is read: a second one, indexed by the first,
/// says who writes.
#[test]
fn arrays_that_are_read_later_are_tried_as_well() {
    let code = format!(
        "{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nsetp.ne.s32 %p1, %r2, 5;\n@%p1 bra OUT;\nadd.u64 %rd5, %rd2, %rd4;\n\
         ld.global.u32 %r3, [%rd5];\nsetp.ne.s32 %p2, %r3, -3;\n@%p2 bra OUT;\nld.param.u64 %rd6, [a2];\nst.global.u32 [%rd6], %r1;\n"
    );
    let answer = asked(3, &code, "1x4", &[]);
    assert_eq!(kinds(&answer), [FindingKind::Race]);
    assert!(answer.arguments[1].ends_with("that holds {-3*}"), "{:?}", answer.arguments);
}

/// Rows of a matrix begin where the ones before end: each thread writes those of its own row, for
/// which elements must not fall.
#[test]
fn offsets_stay_offsets() {
    let code = format!(
        "{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nld.global.u32 %r3, [%rd3+4];\nL:\nsetp.ge.s32 %p1, %r2, %r3;\n@%p1 bra OUT;\n\
         mul.wide.s32 %rd5, %r2, 4;\nadd.u64 %rd6, %rd2, %rd5;\nst.global.u32 [%rd6], %r1;\nadd.s32 %r2, %r2, 1;\nbra L;\n"
    );
    let answer = asked(2, &code, "1x4", &[]);
    assert_eq!(kinds(&answer), Vec::new());
    assert!(answer.contents.expect("contents were tried").tried > 3);
}

/// What threads tell each other by starts as zero: a flag that is raised already would be no flag.
#[test]
fn flags_stay_zero() {
    let code = "ld.param.u64 %rd1, [a0];\nld.param.u64 %rd2, [a1];\nmov.u32 %r1, %ctaid.x;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra READ;\n\
                st.global.u32 [%rd2], 1;\nst.release.gpu.global.u32 [%rd1], 1;\nbra OUT;\nREAD:\nld.acquire.gpu.global.u32 %r2, [%rd1];\n\
                setp.eq.s32 %p2, %r2, 0;\n@%p2 bra OUT;\nld.global.u32 %r3, [%rd2];\n";
    let answer = asked(2, code, "2x1", &[]);
    assert_eq!(kinds(&answer), Vec::new());
    assert_eq!(answer.contents.expect("contents were tried").arrays, ["arg1"]);
}

/// A barrier that some threads do not come to.
#[test]
fn barriers_behind_a_branch_on_data() {
    let code = format!(
        "{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nsetp.ne.s32 %p1, %r2, 3;\n@%p1 bra OUT;\nbar.sync 0;\nst.global.u32 [%rd2], 0;\n"
    );
    let found = kinds(&asked(2, &code, "1x4", &[]));
    assert!(
        found.contains(&FindingKind::Barriers) || found.contains(&FindingKind::Race),
        "{found:?}"
    );
}

/// Elements are as wide as the accesses: bytes are not read as parts of numbers of four bytes.
#[test]
fn elements_are_as_wide_as_accesses() {
    for (bits, bytes, suffix) in [(8, 1, ".b8"), (16, 2, ".b16"), (64, 8, ".b64")] {
        let register = if bits == 64 { "%rd7" } else { "%r2" };
        let code = format!(
            "{START}mul.wide.u32 %rd4, %r1, {bytes};\nadd.u64 %rd3, %rd1, %rd4;\nld.global.u{bits} {register}, [%rd3];\n\
             setp.ne.s{} %p1, {register}, 9;\n@%p1 bra OUT;\nst.global.u32 [%rd2], %r1;\n",
            if bits == 64 { 64 } else { 32 }
        );
        let answer = asked(2, &code, "1x2", &[]);
        assert_eq!(kinds(&answer), [FindingKind::Race], "{bits}");
        assert!(
            answer.arguments[0].ends_with(&format!("that holds {{9*}}{suffix}")),
            "{:?}",
            answer.arguments
        );
        assert_eq!(
            kinds(&asked(2, &code, "1x2", &[&format!("0=array:{{9*}}{suffix}")])),
            [FindingKind::Race],
            "{bits}"
        );
    }
}

/// Floats are tried as floats: what the kernel compares with, and the whole numbers on both sides.
#[test]
fn floats_are_tried_as_floats() {
    for (relation, other, content) in [
        ("gt", "0f3F000000", "{0+}.f32"),
        ("eq", "0f40A00000", "{5*}.f32"),
        ("lt", "0fC0000000", "{-3*}.f32"),
    ] {
        let code = format!(
            "{START}.reg .f32 %f<9>;\nadd.u64 %rd3, %rd1, %rd4;\nld.global.f32 %f1, [%rd3];\nsetp.{relation}.f32 %p1, %f1, {other};\n\
             @!%p1 bra OUT;\nst.global.u32 [%rd2], %r1;\n"
        );
        let answer = asked(2, &code, "1x4", &[]);
        assert_eq!(kinds(&answer), [FindingKind::Race], "{relation}");
        assert!(answer.arguments[0].ends_with(content), "{:?}", answer.arguments);
        assert_eq!(
            kinds(&asked(2, &code, "1x4", &[&format!("0=array:{content}")])),
            [FindingKind::Race],
            "{relation}"
        );
    }
}

/// Floats that are constant are computed, as far as the ISA leaves no choice of the result.
#[test]
fn constant_floats_are_computed() {
    let code = |middle: &str| {
        format!(
            "{START}.reg .f32 %f<9>;\ncvt.rn.f32.u32 %f1, %r1;\n{middle}\nsetp.geu.f32 %p1, %f2, 0f40000000;\n@%p1 bra OUT;\n\
             st.global.u32 [%rd2], %r1;\n"
        )
    };
    // Threads 0 and 1 are below two, or below one; a thread alone does not race.
    assert_eq!(kinds(&asked(2, &code("mov.f32 %f2, %f1;"), "1x4", &[])), [FindingKind::Race]);
    assert_eq!(kinds(&asked(2, &code("mul.f32 %f2, %f1, 0f40000000;"), "1x4", &[])), Vec::new());
    assert!(asked(2, &code("add.rn.f32 %f2, %f1, 0f3F800000;"), "1x4", &[]).is_settled(false));
    // A third is no float, so that a product may be rounded, or not; an approximation may be
    // anything near.
    for open in [
        "mul.f32 %f2, %f1, 0f3EAAAAAB;",
        "div.approx.f32 %f2, %f1, 0f40400000;",
        "mul.f32 %f2, %f1, 0f7F800000;",
    ] {
        let answer = asked(2, &code(open), "1x4", &[]);
        assert!(!answer.is_settled(false) && !answer.is_certain(), "{open}");
    }
}

#[test]
fn contents_that_cannot_be_read_are_refused() {
    for wrong in [
        "0=array:{}",
        "0=array:{1*,2}",
        "0=array:{x}",
        "0=array:{1,2",
        "0=array:8.b12",
        "0=array:{1**}",
        "0=array:{1}.b",
    ] {
        let error = wrong.parse::<GivenArgument>().expect_err(wrong);
        assert!(error.contains("`0=array:{1,4*}`") && error.contains(wrong), "{error}");
    }
    // Of too many bytes, which whoever gives it is told with the text of it.
    for large in ["0=array:549755813888", "0=array:18446744073709551615.b64"] {
        let error = large.parse::<GivenArgument>().expect_err(large);
        assert!(error.contains("549755813888 bytes at most") && error.contains(large), "{error}");
    }
    assert!("0=array:549755813888.b8".parse::<GivenArgument>().is_ok());
}

/// Elements of data that are above zero, moved to the place that a scan of the block gives, `%r9`:
/// with zeros nobody moves one.
fn compaction(place: &str) -> String {
    format!(
        ".shared .align 4 .b8 f[256];\n{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nsetp.gt.s32 %p1, %r2, 0;\nselp.u32 %r3, 1, 0, %p1;\n\
         mov.u64 %rd7, f;\nadd.u64 %rd5, %rd7, %rd4;\nst.shared.u32 [%rd5], %r3;\nbar.sync 0;\nmov.u32 %r4, 1;\nmov.u32 %r5, %ntid.x;\n\
         L:\nsetp.ge.u32 %p2, %r4, %r5;\n@%p2 bra DONE;\nmov.u32 %r6, 0;\nsetp.lt.u32 %p3, %r1, %r4;\n@%p3 bra ADD;\nsub.u32 %r7, %r1, %r4;\n\
         mul.wide.u32 %rd6, %r7, 4;\nadd.u64 %rd6, %rd7, %rd6;\nld.shared.u32 %r6, [%rd6];\nADD:\nbar.sync 0;\nld.shared.u32 %r8, [%rd5];\n\
         add.u32 %r8, %r8, %r6;\nst.shared.u32 [%rd5], %r8;\nbar.sync 0;\nshl.b32 %r4, %r4, 1;\nbra L;\nDONE:\n@!%p1 bra OUT;\nld.shared.u32 %r9, [%rd5];\n\
         {place}\nmul.wide.s32 %rd8, %r9, 4;\nadd.u64 %rd8, %rd2, %rd8;\nst.global.u32 [%rd8], %r2;\n"
    )
}

/// Contents that take too many steps at first are asked about again with more.
#[test]
fn contents_that_are_not_answered_are_asked_about_again() {
    let right = asked(2, &compaction("sub.u32 %r9, %r9, 1;"), "1x4", &[]);
    let contents = right.contents.as_ref().expect("contents were tried");
    assert!(
        kinds(&right).is_empty() && right.is_settled(false) && contents.settled > 0,
        "{contents:?}"
    );
    // Counted from both ends, two threads write one place.
    let from_the_end = "mul.wide.u32 %rd6, %r5, 4;\nadd.u64 %rd9, %rd7, %rd6;\nld.shared.u32 %r10, [%rd9+-4];\n\
                        sub.u32 %r10, %r10, %r9;\nmul.wide.s32 %rd8, %r10, 4;\nadd.u64 %rd8, %rd2, %rd8;\nst.global.u32 [%rd8], 7;";
    assert_eq!(kinds(&asked(2, &compaction(from_the_end), "1x4", &[])), [FindingKind::Race]);
}

/// Zeros go past all that the kernel does, and what it does else takes too many steps.
#[test]
fn zeros_alone_are_no_answer_where_they_go_past_the_kernel() {
    let code = |last: u32| {
        format!(
            "{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra OUT;\nmov.u32 %r3, 0;\n\
             L:\natom.relaxed.gpu.global.xor.b32 %r4, [%rd2], 1;\nsetp.eq.s32 %p2, %r4, 1000;\n@%p2 st.global.u32 [%rd2+4], %r1;\n\
             add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, {last};\n@%p3 bra L;\n"
        )
    };
    let long = asked(2, &code(60), "1x2", &[]);
    assert!(long.wrong().is_none() && !long.is_settled(false), "{:?}", long.contents);
    assert!(
        long.not_looked().iter().any(|n| n.why.contains("with other numbers in arrays than zeros")),
        "{long:?}"
    );
    let short = asked(2, &code(2), "1x2", &[]);
    assert!(short.wrong().is_none() && short.is_settled(false), "{:?}", short.not_looked());
    // Zeros that are given are what is asked about.
    assert!(asked(2, &code(60), "1x2", &["0=array"]).is_settled(false));
}

/// A kernel that says how large its blocks are has no small launch, and is asked about with other
/// contents in that one.
#[test]
fn blocks_of_a_fixed_size_are_asked_about_with_other_contents() {
    let text = |threads: u32, write: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a0, .param .u64 a1)\n.reqntid {threads}\n{{\n.reg .pred %p<9>;\n\
             .reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n{START}add.u64 %rd3, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nsetp.ne.s32 %p1, %r2, 7;\n@%p1 bra OUT;\n\
             {write}\nOUT:\nret;\n}}\n"
        )
    };
    let chosen = |text: &str| {
        let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        ask(&KernelQuestion::new(text, &module, module.function("k").expect("a kernel `k`")))
            .expect("an answer")
    };
    for threads in [8, 128, 512] {
        assert_eq!(
            kinds(&chosen(&text(threads, "st.global.u32 [%rd2], %r1;"))),
            [FindingKind::Race],
            "{threads}"
        );
        let right = chosen(&text(threads, "red.relaxed.gpu.global.add.u32 [%rd2], %r1;"));
        assert!(
            right.wrong().is_none() && right.is_settled(true),
            "{threads}: {:?}",
            right.not_looked()
        );
        assert!(
            right.contents.is_some_and(|of| of.tried > 3 && of.settled == of.tried),
            "{threads}"
        );
    }
}

/// Two sorted arrays are merged by rank: each element goes behind those of its own array in front
/// of it, and those of the other one that are smaller. What falls in one array and rises in the
/// other one is not sorted, and two elements meet; the kernel supposes that this is not so.
#[test]
fn a_merge_supposes_that_both_arrays_are_sorted() {
    let put = |own: &str, other: &str, stops: &str, n: usize| {
        format!(
            "add.u64 %rd3, {own}, %rd4;\nld.global.u32 %r2, [%rd3];\nmov.u32 %r3, 0;\nmov.u64 %rd5, {other};\nL{n}:\nsetp.ge.u32 %p1, %r3, 4;\n@%p1 bra D{n};\n\
             ld.global.u32 %r4, [%rd5];\nsetp.{stops}.s32 %p2, %r4, %r2;\n@%p2 bra D{n};\nadd.u32 %r3, %r3, 1;\nadd.u64 %rd5, %rd5, 4;\nbra L{n};\nD{n}:\n\
             add.u32 %r5, %r1, %r3;\nmul.wide.u32 %rd6, %r5, 4;\nadd.u64 %rd8, %rd7, %rd6;\nst.global.u32 [%rd8], %r2;\n"
        )
    };
    let merge = |stops: [&str; 2]| {
        format!(
            "{START}ld.param.u64 %rd7, [a2];\n{}{}",
            put("%rd1", "%rd2", stops[0], 0),
            put("%rd2", "%rd1", stops[1], 1)
        )
    };
    let right = asked(3, &merge(["ge", "gt"]), "1x4", &[]);
    assert_eq!(kinds(&right), []);
    let told = |answer: &KernelAnswer| {
        answer
            .arguments
            .iter()
            .filter(|of| of.contains("something goes wrong"))
            .cloned()
            .collect::<Vec<_>>()
    };
    let all = told(&right);
    let says = |of: &String| {
        of.contains("-}") && of.contains("+}") && of.contains("in launch 1x4 (data-race)")
    };
    assert!(!all.is_empty() && all.iter().all(says), "{:?}", right.arguments);
    // Where elements are equal both go to one place, whatever is supposed.
    assert_eq!(kinds(&asked(3, &merge(["ge", "ge"]), "1x4", &[])), [FindingKind::Race]);
    // What is given is asked about.
    assert_eq!(
        kinds(&asked(3, &merge(["ge", "gt"]), "1x4", &["0=array:{0+}", "1=array:{4-}"])),
        [FindingKind::Race]
    );
}
