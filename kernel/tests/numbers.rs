//! Which accesses threads come to may depend on numbers: small ones are tried where with the count
//! of threads they come to none.

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, LaunchVerdict, ask};

/// A kernel with an array and two numbers: `%r1` is the thread, `%r2` and `%r3` are the numbers,
/// `%rd1` is the array and `%rd3` the thread's element.
fn asked(code: &str, launches: &[&str], arguments: &[&str]) -> KernelAnswer {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n\
         .reg .b64 %rd<20>;\nld.param.u64 %rd1, [a];\nld.param.u32 %r2, [n];\nld.param.u32 %r3, [m];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n\
         add.u64 %rd3, %rd1, %rd2;\n{code}\nOUT:\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = launches.iter().map(|l| l.parse().expect("a launch")).collect();
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

/// Threads below `n - m` write: with both numbers alike there are none.
fn below_the_difference(write: &str) -> String {
    format!("sub.u32 %r4, %r2, %r3;\nsetp.ge.s32 %p1, %r1, %r4;\n@%p1 bra OUT;\n{write}")
}

#[test]
fn a_race_that_the_count_of_threads_goes_past_is_found() {
    let wrong = below_the_difference("st.global.u32 [%rd1], %r1;");
    for launches in [&["1x4"] as &[&str], &[]] {
        let answer = asked(&wrong, launches, &[]);
        assert_eq!(kinds(&answer), [FindingKind::Race]);
        assert!(
            answer.arguments[2].starts_with("arg2 = 0 (chosen in place of "),
            "{:?}",
            answer.arguments
        );
    }
    let right = asked(&below_the_difference("st.global.u32 [%rd3], %r1;"), &["1x4"], &[]);
    assert!(right.wrong().is_none() && right.is_settled(false), "{right:?}");
    assert!(
        right.arguments[1].starts_with("arg1 = 4 (chosen: the number"),
        "{:?}",
        right.arguments
    );
    // Numbers that are given are what is asked about.
    let given = asked(&wrong, &["1x4"], &["1=4", "2=4"]);
    assert!(given.wrong().is_none() && given.is_settled(false), "{given:?}");
    assert_eq!(kinds(&asked(&wrong, &["1x4"], &["1=4"])), [FindingKind::Race]);
}

/// Only with two small numbers a thread comes to the write.
#[test]
fn two_numbers_are_tried_together() {
    let code = |write: &str| {
        format!(
            "setp.ne.s32 %p1, %r2, 1;\n@%p1 bra OUT;\nsetp.ne.s32 %p2, %r3, 2;\n@%p2 bra OUT;\n{write}"
        )
    };
    assert_eq!(
        kinds(&asked(&code("st.global.u32 [%rd1], %r1;"), &["1x4"], &[])),
        [FindingKind::Race]
    );
    assert!(asked(&code("st.global.u32 [%rd3], %r1;"), &["1x4"], &[]).is_settled(false));
}

/// With 0 it leaves the array in front, with 1 it does not: a kernel may suppose something of its
/// numbers.
#[test]
fn what_a_kernel_supposes_of_a_number_is_no_finding() {
    let write = "add.u32 %r5, %r1, %r3;\nmul.wide.s32 %rd4, %r5, 4;\nadd.u64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5+-4], %r1;";
    let answer = asked(&below_the_difference(write), &["1x4"], &[]);
    assert!(answer.wrong().is_none() && answer.is_settled(false), "{answer:?}");
    assert!(answer.arguments[2].starts_with("arg2 = 1 ("), "{:?}", answer.arguments);
    let not_taken = "with arg2 = 0 something goes wrong (outside-of-arrays); `--arg` asks about it";
    assert_eq!(answer.arguments.last().map(String::as_str), Some(not_taken));
}

/// Where no small number leads to an access, and none was come to, nothing is known of the kernel.
#[test]
fn that_no_thread_accesses_memory_is_no_answer() {
    let code = "setp.ne.s32 %p1, %r2, 4711;\n@%p1 bra OUT;\nst.global.u32 [%rd1], %r1;";
    for launches in [&["1x4"] as &[&str], &[]] {
        let answer = asked(code, launches, &[]);
        assert!(answer.wrong().is_none() && !answer.is_settled(launches.is_empty()), "{answer:?}");
        let why = "no thread accesses memory that others see with the numbers that were chosen for arg1, arg2, nor with 0, 1 or 2; give them with `--arg 1=NUMBER`";
        assert!(
            answer.launches.iter().all(|l| l.asked == LaunchVerdict::NotAsked(why.to_owned())),
            "{answer:?}"
        );
    }
    assert_eq!(kinds(&asked(code, &["1x4"], &["1=4711"])), [FindingKind::Race]);
    // Where the content of an array leads to an access, or the kernel has none, no number is
    // missing.
    let loaded = format!("ld.global.u32 %r6, [%rd3];\n{code}");
    assert!(asked(&loaded, &["1x4"], &[]).is_settled(false));
    assert!(asked("add.u32 %r4, %r2, %r3;", &["1x4"], &[]).is_settled(false));
}

/// Accesses to which no thread comes are named, whoever gave the number that keeps threads away.
#[test]
fn accesses_to_which_no_thread_comes_are_named() {
    let code = "st.global.u32 [%rd3], %r1;\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra OUT;\nst.global.u32 [%rd1], %r1;";
    let named = |answer: &KernelAnswer| {
        answer.unreached.iter().map(|spot| spot.text.clone()).collect::<Vec<_>>()
    };
    for (arguments, reached) in [(&[] as &[&str], false), (&["1=4"], false), (&["1=1000"], true)] {
        let answer = asked(code, &["1x4"], arguments);
        let (expected, found) = match reached {
            true => (vec![], vec![FindingKind::Race]),
            false => (vec!["st.global.u32 [%rd1], %r1"], vec![]),
        };
        assert_eq!(
            (named(&answer), kinds(&answer), answer.accesses),
            (expected.into_iter().map(String::from).collect(), found, 2)
        );
    }
    // With numbers that are given nothing is accessed at all.
    let none =
        asked(&below_the_difference("st.global.u32 [%rd1], %r1;"), &["1x4"], &["1=4", "2=4"]);
    assert_eq!((none.unreached.len(), none.accesses), (1, 1));
}

/// Threads go round a loop in steps of their block, and come to a barrier in each round: with as
/// many elements as threads all do the same.
#[test]
fn numbers_that_are_no_multiple_of_the_block_are_asked_about() {
    let round = |body: &str, more: &str| {
        format!(
            "mov.u32 %r5, %ntid.x;\nmov.u32 %r4, {more};\nL:\nsetp.ge.u32 %p1, %r4, %r2;\n@%p1 bra OUT;\n{body}\nadd.u32 %r4, %r4, %r5;\nbra L;"
        )
    };
    let answer = asked(&round("bar.sync 0;", "%r1"), &[], &[]);
    assert_eq!(
        (kinds(&answer), answer.chosen_numbers.as_slice()),
        (vec![FindingKind::Barriers], ["arg1 = 5".to_owned()].as_slice())
    );
    let right = asked(&round("bar.sync 0;", "0"), &[], &[]);
    let numbers = right.numbers.as_ref().expect("numbers were tried");
    assert!(right.wrong().is_none() && numbers.settled == numbers.tried, "{numbers:?}");
    assert!(
        numbers.numbers.contains("arg1 = 5") && numbers.numbers.contains("arg1 = 3"),
        "{numbers:?}"
    );
    // What is given stays.
    let given = asked(&round("bar.sync 0;", "%r1"), &["1x4"], &["1=4"]);
    assert!(given.wrong().is_none() && given.numbers.is_none(), "{given:?}");
    assert_eq!(
        kinds(&asked(&round("bar.sync 0;", "%r1"), &["1x4"], &["1=6"])),
        [FindingKind::Barriers]
    );
}

/// A second round writes what others still read from the first one, where no barrier stands at its
/// end.
#[test]
fn a_race_of_a_second_round_is_found() {
    let tiles = |end: &str| {
        format!(
            "{SHARED}mov.u32 %r5, %ntid.x;\nmov.u32 %r4, 0;\nL:\nsetp.ge.u32 %p1, %r4, %r2;\n@%p1 bra OUT;\nst.shared.u32 [%rd5], %r4;\nbar.sync 0;\nld.shared.u32 %r6, [s];\n\
             st.global.u32 [%rd3], %r6;\n{end}\nadd.u32 %r4, %r4, %r5;\nbra L;"
        )
    };
    assert_eq!(kinds(&asked(&tiles(""), &["1x4"], &[])), [FindingKind::Race]);
    assert_eq!(kinds(&asked(&tiles("bar.sync 0;"), &["1x4"], &[])), []);
}

/// `s` has eight elements; `%rd5` is the thread's.
const SHARED: &str = ".shared .align 4 .b8 s[32];\nmov.u64 %rd4, s;\nadd.u64 %rd5, %rd4, %rd2;\n";

#[test]
fn elements_that_a_guard_leaves_out_are_read_before_they_are_written() {
    let sum = |guarded: &str| {
        format!(
            "{SHARED}setp.lt.u32 %p1, %r1, %r2;\n{guarded}\nbar.sync 0;\nld.shared.u32 %r6, [s+12];\nst.global.u32 [%rd3], %r6;"
        )
    };
    let answer = asked(&sum("@%p1 st.shared.u32 [%rd5], %r1;"), &["1x4"], &[]);
    assert_eq!(
        (kinds(&answer), answer.chosen_numbers.as_slice()),
        (vec![FindingKind::Undefined], ["arg1 = 3".to_owned()].as_slice())
    );
    assert_eq!(
        kinds(&asked(
            &sum("selp.u32 %r7, %r1, 0, %p1;\nst.shared.u32 [%rd5], %r7;"),
            &["1x4"],
            &[]
        )),
        []
    );
}

/// What a kernel may suppose of its numbers is no finding, and is told of: rows of as many elements
/// as threads, and as many threads as are waited for.
#[test]
fn what_a_number_is_supposed_to_be_is_told_of() {
    let row = "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r5, %r4, %r2, %r1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra OUT;\nmul.wide.u32 %rd2, %r5, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;";
    let all = "atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 1;\nL:\nld.relaxed.gpu.global.u32 %r5, [%rd1];\nsetp.lt.u32 %p1, %r5, %r2;\n@%p1 bra L;";
    for (code, launch, told) in [
        (row, "2x2", "with arg1 = 1 something goes wrong in launch 2x2 (data-race)"),
        (all, "2x1", "with arg1 = 3 something goes wrong in launch 2x1"),
    ] {
        let answer = asked(code, &[launch], &[]);
        assert!(answer.wrong().is_none() && answer.is_settled(false), "{answer:?}");
        assert!(
            answer.arguments.iter().any(|said| said.starts_with(told)),
            "{:?}",
            answer.arguments
        );
    }
}
