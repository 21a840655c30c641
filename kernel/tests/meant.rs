//! Launches that were chosen and that a kernel is not written for, contents that fall, ways that
//! stop in front of a barrier, and rounds that go back from within a branch.

use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, LaunchVerdict, ask};

fn asked(code: &str, launch: Option<&str>) -> KernelAnswer {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .b8 of_sixteen[64];\n.visible .entry k(.param .u64 .ptr .align 4 p, .param .u64 .ptr .align 4 q)\n{{\n\
         .reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.shared .align 4 .b8 s[128];\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n\
         mov.u32 %r1, %tid.x;\n{code}\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<_> = launch.iter().map(|l| l.parse().expect("a launch")).collect();
    ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(&text, &module, 0) })
        .expect("an answer")
}

/// What goes wrong, and in which launch; `Err` where it is not known.
fn wrong(answer: &KernelAnswer) -> Result<Option<(String, FindingKind)>, String> {
    match answer.wrong() {
        Some(l) => Ok(Some((l.launch.to_string(), l.findings[0].kind))),
        None if answer.is_settled(answer.launches.len() > 1) => Ok(None),
        None => Err(format!("{:?}", answer.not_looked())),
    }
}

fn left_out(answer: &KernelAnswer) -> Vec<String> {
    let is = |l: &&margay_kernel::LaunchAnswer| matches!(l.asked, LaunchVerdict::NotMeant(_));
    answer.launches.iter().filter(is).map(|l| l.launch.to_string()).collect()
}

#[test]
fn blocks_of_more_threads_than_shared_memory_has_elements_are_left_out() {
    let code = "mul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, s;\nadd.s64 %rd5, %rd4, %rd3;\nst.shared.u32 [%rd5], 1;\nadd.s64 %rd6, %rd1, %rd3;\nst.global.u32 [%rd6], 1;";
    let answer = asked(code, None);
    assert_eq!((wrong(&answer), left_out(&answer)), (Ok(None), vec!["1x33".to_owned()]));
    // So are those in which the others wait for ever for the thread that left it, so that no
    // execution ends.
    let waiting = "setp.ne.u32 %p1, %r1, 0;\nmul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, s;\nadd.s64 %rd5, %rd4, %rd3;\nst.shared.u32 [%rd5], 1;\nred.relaxed.gpu.global.add.u32 [%rd1], 1;\nmov.u32 %r3, %ntid.x;\n\
                   @%p1 bra END;\nA:\nld.relaxed.gpu.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, %r2, %r3;\n@%p2 bra A;\nEND:";
    let answer = asked(waiting, None);
    assert_eq!(
        (answer.wrong().map(|l| l.launch.to_string()), left_out(&answer)),
        (None, vec!["1x33".to_owned()])
    );
    // Asked about by name it goes wrong, and one element too far it does in the smallest launch.
    assert_eq!(
        wrong(&asked(code, Some("1x33"))),
        Ok(Some(("1x33".to_owned(), FindingKind::Outside)))
    );
    let too_far = code.replace("[%rd5]", "[%rd5+124]");
    assert_eq!(wrong(&asked(&too_far, None)), Ok(Some(("1x2".to_owned(), FindingKind::Outside))));
}

/// What an element of shared memory holds decides which way threads go, and only blocks of eight
/// and more write it: in smaller ones it is not known which way, and the kernel is not written for
/// them.
#[test]
fn blocks_that_leave_shared_memory_unwritten_are_left_out() {
    let code = "mul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, s;\nadd.s64 %rd5, %rd4, %rd3;\nst.shared.u32 [%rd5], %r1;\nbar.sync 0;\n\
                ld.shared.u32 %r2, [s+28];\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 bra END;\nadd.s64 %rd6, %rd1, %rd3;\nst.global.u32 [%rd6], 1;\nEND:";
    let answer = asked(code, None);
    let left = ["1x2", "1x4", "1x33"].map(str::to_owned).to_vec();
    assert_eq!((wrong(&answer), left_out(&answer)), (Ok(None), left));
    let answered: Vec<String> = answer
        .launches
        .iter()
        .filter(|l| l.asked == LaunchVerdict::Nothing)
        .map(|l| l.launch.to_string())
        .collect();
    assert_eq!(answered, ["1x8"]);
    // What goes wrong in one that it is written for is told.
    let racy = code.replace(
        "add.s64 %rd6, %rd1, %rd3;",
        "mov.u64 %rd6, %rd1;\nsetp.lt.u32 %p2, %r1, 4;\n@%p2 bra END;",
    );
    let kind = wrong(&asked(&racy, None)).map(|found| found.map(|(_, kind)| kind));
    assert_eq!(kind, Ok(Some(FindingKind::Race)));
    // Asked about by name, the smaller one reads what nobody wrote.
    assert_eq!(
        wrong(&asked(code, Some("1x4"))),
        Ok(Some(("1x4".to_owned(), FindingKind::Undefined)))
    );
}

#[test]
fn blocks_are_as_large_as_their_numbers_are_multiplied_with() {
    let of = |by: &str| {
        format!(
            "mov.u32 %r2, %ctaid.x;\n{by}\nadd.s32 %r4, %r3, %r1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], 1;"
        )
    };
    let launches = |answer: &KernelAnswer| {
        answer.launches.iter().map(|l| l.launch.to_string()).collect::<Vec<_>>()
    };
    let copied = "mov.u32 %r5, %r2;\nmov.u32 %r6, 16;\nmul.lo.s32 %r3, %r6, %r5;";
    for by in ["shl.b32 %r3, %r2, 4;", "mul.lo.s32 %r3, %r2, 16;", copied] {
        let answer = asked(&of(by), None);
        assert_eq!(wrong(&answer), Ok(None), "{by}");
        assert_eq!(launches(&answer), ["1x2", "2x1", "2x2", "3x1", "1x4", "1x16", "2x16"], "{by}");
    }
    // Of blocks that are as large as they are, the elements of two are the same ones.
    let answer =
        asked(&of("mov.u32 %r5, %ntid.x;\nadd.u32 %r6, %r5, 1;\nshl.b32 %r3, %r2, 4;"), None);
    assert_eq!(wrong(&answer), Ok(Some(("2x33".to_owned(), FindingKind::Race))));
    assert_eq!(
        wrong(&asked(&of("shl.b32 %r3, %r2, 0;"), None)),
        Ok(Some(("2x2".to_owned(), FindingKind::Race)))
    );
}

/// `__launch_bounds__(8)`: a block of more threads is not launched.
#[test]
fn blocks_have_as_many_threads_as_the_kernel_says_at_most() {
    let of = |most: u32| {
        let text = format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 .ptr .align 4 p)\n.maxntid {most}, 1, 1\n{{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}}\n"
        );
        let module = margay_ptx::read(&text).expect("PTX");
        let answer = ask(&KernelQuestion::new(&text, &module, 0)).expect("an answer");
        answer.launches.iter().map(|l| l.launch.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of(8), ["1x2", "1x4", "1x8"]);
    assert_eq!(of(2), ["1x2"]);
    assert_eq!(of(256), ["1x2", "1x4", "1x33"]);
}

#[test]
fn blocks_of_three_dimensions_are_asked_about() {
    let code = "mov.u32 %r2, %tid.z;\nmov.u32 %r3, %tid.y;\nmad.lo.s32 %r1, %r3, 8, %r1;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], %r2;";
    let answer = asked(code, None);
    assert_eq!(wrong(&answer), Ok(Some(("1x(1x1x2)".to_owned(), FindingKind::Race))));
}

/// A step of a sort reads what the other thread swaps, and nothing is swapped where nothing falls.
#[test]
fn contents_that_fall_are_tried() {
    let code = "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r3, [%rd4];\nld.global.u32 %r4, [%rd4+4];\nsetp.le.u32 %p1, %r3, %r4;\n@%p1 bra END;\n\
                st.global.u32 [%rd4], %r4;\nst.global.u32 [%rd4+4], %r3;\nEND:";
    let answer = asked(code, None);
    assert_eq!(wrong(&answer).map(|w| w.map(|(_, kind)| kind)), Ok(Some(FindingKind::Race)));
    assert!(answer.chosen_contents[0].ends_with("-}"), "{:?}", answer.chosen_contents);
}

/// A thread that asserts something of what it counted comes to the barrier on each way on which it
/// goes on.
#[test]
fn ways_that_stop_say_nothing_of_barriers() {
    let of = |most: u32| {
        format!(
            "atom.global.add.u32 %r2, [%rd1], 1;\nsetp.lt.u32 %p1, %r2, {most};\n@%p1 bra GOES_ON;\ntrap;\nGOES_ON:\nbar.sync 0;\nmul.wide.u32 %rd3, %r2, 4;\n\
             add.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], 1;\nbar.sync 0;"
        )
    };
    assert_eq!(wrong(&asked(&of(2), Some("1x2"))), Ok(None));
    assert_eq!(wrong(&asked(&of(1), Some("1x2"))), Ok(Some(("1x2".to_owned(), FindingKind::Trap))));
}

/// `while (!done) if (!atomicCAS(&lock, 0, 1)) { ..; done = true; }`: a round that does not take
/// the lock only waits.
#[test]
fn a_round_that_goes_back_from_within_a_branch_is_a_wait() {
    let of = |fence: &str| {
        format!(
            "mov.u32 %r9, 0;\nLOOP:\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra END;\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra AGAIN;\n{fence}\n\
             ld.global.u32 %r3, [%rd2];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd2], %r3;\n{fence}\natom.global.exch.b32 %r4, [%rd1], 0;\nmov.u32 %r9, 1;\nAGAIN:\nbra LOOP;\nEND:"
        )
    };
    assert_eq!(wrong(&asked(&of("membar.gl;"), Some("2x1"))), Ok(None));
    assert_eq!(
        wrong(&asked(&of(""), Some("2x1"))),
        Ok(Some(("2x1".to_owned(), FindingKind::Race)))
    );
}

/// Tiles of 16 by 16 of a matrix whose width is a parameter: as wide as two tiles, where blocks are
/// smaller.
#[test]
fn numbers_are_as_large_as_tiles() {
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 .ptr .align 4 p, .param .u32 width)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<5>;\n\
                ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [width];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %tid.x;\nmov.u32 %r5, %tid.y;\n\
                mad.lo.s32 %r6, %r2, 16, %r4;\nmad.lo.s32 %r7, %r3, 16, %r5;\nmad.lo.s32 %r8, %r7, %r1, %r6;\nmul.wide.u32 %rd2, %r8, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
                st.global.u32 [%rd3], 1;\nret;\n}\n";
    let module = margay_ptx::read(text).expect("PTX");
    let answer = ask(&KernelQuestion::new(text, &module, 0)).expect("an answer");
    assert_eq!(wrong(&answer), Ok(None));
    assert!(
        answer.arguments.iter().any(|a| a == "arg1 = 16 (chosen: what blocks of 16 threads have in a row of the grid)"),
        "{:?}",
        answer.arguments
    );
}

/// `while (atomicAdd(&flag, 0) == 0) {}` waits as a read does, beside a flag that is cleared by a
/// plain store as well.
#[test]
fn read_modify_writes_that_change_nothing_wait() {
    let of = |fence: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra META;\nst.shared.u32 [s], 0;\nMETA:\nbar.sync 0;\n@%p1 bra WAITS;\nst.global.u32 [%rd1], 1;\n{fence}\natom.shared.exch.b32 %r2, [s], 1;\nret;\n\
             WAITS:\natom.shared.add.u32 %r3, [s], 0;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAITS;\n{fence}\nld.global.u32 %r4, [%rd1];\nst.global.u32 [%rd2], %r4;"
        )
    };
    assert_eq!(wrong(&asked(&of("membar.cta;"), Some("1x2"))), Ok(None));
    assert_eq!(
        wrong(&asked(&of(""), Some("1x2"))),
        Ok(Some(("1x2".to_owned(), FindingKind::Race)))
    );
}
