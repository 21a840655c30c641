//! Launches that nobody named are chosen by what a kernel reads, and barriers that some threads of
//! a block go past.

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

fn asked(code: &str, launches: &[&str]) -> KernelAnswer {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .u32 count;\n.global .align 4 .u32 lock;\n.global .align 4 .u32 turn;\n\
         .global .align 4 .b8 own[512];\n.global .align 4 .b8 few[64];\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = launches.iter().map(|l| l.parse().expect("a launch")).collect();
    let question = KernelQuestion { launches: &launches, ..KernelQuestion::new(&text, &module, 0) };
    ask(&question).expect("an answer")
}

fn launches(answer: &KernelAnswer) -> Vec<String> {
    answer.launches.iter().map(|l| l.launch.to_string()).collect()
}

fn wrong(answer: &KernelAnswer) -> Option<(String, FindingKind)> {
    answer.wrong().map(|l| (l.launch.to_string(), l.findings[0].kind))
}

/// A write to the element of a number.
fn write(number: &str) -> String {
    format!(
        "mov.u32 %r7, {number};\nmul.wide.u32 %rd1, %r7, 4;\nmov.u64 %rd2, own;\nadd.s64 %rd3, %rd2, %rd1;\nst.global.u32 [%rd3], 1;"
    )
}

const ADD: &str = "ld.global.u32 %r1, [count];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [count], %r1;";

#[test]
fn launches_are_chosen_by_what_is_read() {
    let of_threads = asked(&write("%tid.x"), &[]);
    assert_eq!(
        (launches(&of_threads), wrong(&of_threads)),
        (["1x2", "1x4", "1x33"].map(str::to_owned).to_vec(), None)
    );
    assert_eq!(
        of_threads.selection.why().as_deref(),
        Some("one block: it does not ask which block it is in")
    );
    let of_blocks = asked(&write("%ctaid.x"), &[]);
    assert_eq!(
        (launches(&of_blocks), wrong(&of_blocks)),
        (["2x1", "3x1"].map(str::to_owned).to_vec(), None)
    );
    assert_eq!(
        of_blocks.selection.why().as_deref(),
        Some("blocks of one thread: it does not ask which thread it is")
    );
    // What is named is asked about, and nothing is said of a choice.
    let named = asked(&write("%tid.x"), &["2x1"]);
    assert_eq!(
        (wrong(&named), named.selection.why()),
        (Some(("2x1".to_owned(), FindingKind::Race)), None)
    );
    // A kernel that asks for nothing is still asked about with several threads.
    assert_eq!(wrong(&asked(ADD, &[])), Some(("2x1".to_owned(), FindingKind::Race)));
}

/// A kernel that places its threads in three dimensions is asked about in all of them: here y of a
/// thread is in no address.
#[test]
fn volumes_have_rows_and_layers() {
    let place = |x: &str| {
        let all: String = [
            "tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y",
            "ctaid.z",
        ]
        .into_iter()
        .map(|name| format!("mov.u32 %r1, %{name};\nadd.u32 %r4, %r4, %r1;\n"))
        .collect();
        asked(
            &format!("{all}mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 8, {x};\n{}", write("%r3")),
            &[],
        )
    };
    let wrong = |x: &str| wrong(&place(x)).map(|(_, kind)| kind);
    assert_eq!(wrong("%tid.x"), Some(FindingKind::Race));
}

/// Code that is not optimised copies y and z, too, where it asks for x, and reads none of the
/// copies.
#[test]
fn copies_that_nothing_reads_are_no_question() {
    let copies = "mov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %r1;\nmov.u32 %r3, %tid.z;\n";
    let answer = asked(&format!("{copies}{}", write("%ctaid.x")), &[]);
    assert_eq!(
        (launches(&answer), wrong(&answer)),
        (["2x1", "3x1"].map(str::to_owned).to_vec(), None)
    );
    let read = asked(&format!("{copies}add.u32 %r4, %r2, 1;\n{}", write("%ctaid.x")), &[]);
    assert_ne!(launches(&read), launches(&answer));
}

/// A kernel for blocks of two dimensions that never asks which block it is in, is asked about in
/// one; one that does in several.
#[test]
fn blocks_of_two_dimensions_are_of_one_grid() {
    let of = |row: &str| {
        format!(
            "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %tid.x;\n{row}\nmad.lo.s32 %r4, %r1, 8, %r2;\nadd.s32 %r4, %r4, %r3;\n{}",
            write("%r4")
        )
    };
    let one = asked(&of("mov.u32 %r3, 0;"), &[]);
    assert_eq!(
        (launches(&one), wrong(&one)),
        (["1x(2x2)", "1x(4x4)"].map(str::to_owned).to_vec(), None)
    );
    let why = one.selection.why().expect("a reason");
    assert!(
        why.contains("it asks for y")
            && why.contains("one block: it does not ask which block it is in"),
        "{why}"
    );
    let several = asked(&of("mov.u32 %r3, %ctaid.x;\nmul.lo.s32 %r3, %r3, 32;"), &[]);
    assert!(launches(&several).contains(&"2x(2x2)".to_owned()), "{:?}", launches(&several));
}

/// Blocks that do what another one does as well are no others: two roles are two blocks.
#[test]
fn roles_are_counted() {
    let roles = |number: &str| {
        format!(
            "mov.u32 %r2, {number};\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra END;\nst.global.u32 [count], 7;\nEND:\nret;"
        )
    };
    let blocks = asked(&roles("%ctaid.x"), &[]);
    assert_eq!((launches(&blocks), wrong(&blocks)), (vec!["2x1".to_owned()], None));
    assert!(
        blocks
            .selection
            .why()
            .is_some_and(|why| why.ends_with("at most 2 blocks: others do the same"))
    );
    let threads = asked(&roles("%tid.x"), &[]);
    assert_eq!((launches(&threads), wrong(&threads)), (vec!["1x2".to_owned()], None));
    assert_eq!(
        wrong(&asked(&roles("%ctaid.x"), &["3x1"])),
        Some(("3x1".to_owned(), FindingKind::Race))
    );
    // A number that is computed with is more than a role.
    let both = format!("{}\n{}", write("%ctaid.x"), roles("%ctaid.x"));
    assert_eq!(wrong(&asked(&both, &[])), Some(("3x1".to_owned(), FindingKind::Race)));
}

/// The first thread of each block takes a lock that blocks share: several blocks are asked about,
/// though none asks which it is; also where the lock's operations are for the threads of a block
/// alone, which is the mistake. A lock in shared memory is none of several blocks, by whatever
/// address.
#[test]
fn locks_are_of_several_blocks() {
    let code = |lock: &str, address: &str, scope: &str| {
        format!(
            "mov.u32 %r2, %tid.x;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra END;\n{lock}\nA:\natom.relaxed.{scope}.cas.b32 %r3, [{address}], 0, 1;\n\
             setp.ne.s32 %p2, %r3, 0;\n@%p2 bra A;\n{ADD}\nst.relaxed.gpu.u32 [{address}], 0;\nEND:\nret;"
        )
    };
    let generic = "mov.u64 %rd1, lock;\ncvta.global.u64 %rd2, %rd1;";
    let shared = ".shared .align 4 .u32 mine;\nst.shared.u32 [mine], 0;\nmov.u64 %rd1, mine;\ncvta.shared.u64 %rd2, %rd1;";
    let race = Some(("2x1".to_owned(), FindingKind::Race));
    for (lock, address, scope, expected) in [
        ("", "lock", "gpu.global", race.clone()),
        ("", "lock", "cta.global", race.clone()),
        (generic, "%rd2", "gpu", race.clone()),
        (generic, "%rd2", "cta", race),
        (shared, "%rd2", "cta", None),
    ] {
        assert_eq!(wrong(&asked(&code(lock, address, scope), &[])), expected, "{lock} {scope}");
    }
}

/// Small blocks read shared memory that nobody writes there: the block in which it is written is
/// asked about, too, and what only it shows is found.
#[test]
fn blocks_that_a_kernel_is_written_for_are_asked_about() {
    let reversed = |barrier: &str| {
        format!(
            ".shared .align 4 .b8 s[512];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 4;\nmov.u64 %rd2, s;\nadd.s64 %rd3, %rd2, %rd1;\n\
             st.shared.u32 [%rd3], %r2;\n{barrier}\nsub.s64 %rd4, %rd2, %rd1;\nld.shared.u32 %r3, [%rd4+508];\nmov.u64 %rd5, own;\n\
             add.s64 %rd6, %rd5, %rd1;\nst.global.u32 [%rd6], %r3;"
        )
    };
    for (barrier, expected) in
        [("bar.sync 0;", None), ("", Some(("1x128".to_owned(), FindingKind::Race)))]
    {
        let answer = asked(&reversed(barrier), &[]);
        let is_known =
            if expected.is_some() { answer.is_certain() } else { answer.is_settled(true) };
        assert_eq!((wrong(&answer), is_known), (expected, true), "{barrier}: {answer:#?}");
        assert!(
            launches(&answer).contains(&"1x128".to_owned()),
            "{barrier}: {:?}",
            launches(&answer)
        );
    }
}

/// A ticket is drawn, and its turn waited for: a lock as well. A number that is drawn alone is
/// none, nor is a flag that is waited for.
#[test]
fn locks_by_tickets_are_of_several_blocks() {
    let first = "mov.u32 %r2, %tid.x;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra END;";
    let draw = "atom.relaxed.gpu.global.add.u32 %r4, [lock], 1;";
    let wait =
        "A:\nld.relaxed.gpu.global.u32 %r3, [turn];\nsetp.ne.s32 %p2, %r3, %r4;\n@%p2 bra A;";
    let code = format!(
        "{first}\n{draw}\n{wait}\n{ADD}\nadd.u32 %r5, %r4, 1;\nst.release.gpu.global.u32 [turn], %r5;\nEND:\nret;"
    );
    for code in [code.replace(".gpu", ".cta"), code] {
        assert_eq!(
            wrong(&asked(&code, &[])),
            Some(("2x1".to_owned(), FindingKind::Race)),
            "{code}"
        );
    }
    for other in [
        draw,
        "mov.u32 %r4, 0;\nA:\nld.relaxed.gpu.global.u32 %r3, [turn];\nsetp.ne.s32 %p2, %r3, %r4;\n@%p2 bra A;",
    ] {
        let code = format!("{first}\n{other}\n{ADD}\nEND:\nret;");
        assert_eq!(wrong(&asked(&code, &[])), None, "{other}");
    }
}

/// Blocks that draw their work from a counter are told apart by it, through shared memory as well.
/// A kernel that writes elsewhere, too, may be written for one block, and one that draws in shared
/// memory is.
#[test]
fn drawn_work_is_of_several_blocks() {
    let first = "mov.u32 %r2, %tid.x;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra END;";
    let by_register = "atom.relaxed.gpu.global.add.u32 %r4, [lock], 1;\nmov.u32 %r5, %r4;";
    let by_shared = ".shared .align 4 .u32 told;\natom.relaxed.gpu.global.inc.u32 %r4, [lock], 7;\nst.shared.u32 [told], %r4;\n\
                     ld.shared.u32 %r5, [told];";
    let in_shared = ".shared .align 4 .u32 told;\nst.shared.u32 [told], 0;\natom.relaxed.cta.shared.add.u32 %r5, [told], 1;";
    let race = Some(("2x1".to_owned(), FindingKind::Race));
    for (draw, writes, wrong_in, has_several) in [
        (
            by_register,
            vec![write("%r5"), "add.u32 %r5, %r5, 1;".to_owned(), write("%r5")],
            race.clone(),
            true,
        ),
        (
            by_shared,
            vec![write("%r5"), "add.u32 %r5, %r5, 1;".to_owned(), write("%r5")],
            race,
            true,
        ),
        (by_shared, vec![write("%r5")], None, true),
        (by_register, vec![write("%r5"), "st.global.u32 [own], 1;".to_owned()], None, false),
        (in_shared, vec![write("%r5")], None, false),
    ] {
        // An index from memory is followed in a small array.
        let writes = writes.join("\n").replace("own", "few");
        let answer = asked(&format!("{first}\n{draw}\n{writes}\nEND:\nret;"), &[]);
        assert_eq!(wrong(&answer), wrong_in, "{draw} {writes:?}");
        assert_eq!(launches(&answer).contains(&"2x1".to_owned()), has_several, "{draw} {writes:?}");
    }
}

/// Who counts in global memory for the threads of its block alone has too small a scope, or one
/// block. Who stores there by plain stores, too, is written for one.
#[test]
fn counters_of_too_small_a_scope_are_of_several_blocks() {
    let count = |scope: &str, more: &str| {
        let first = "mov.u32 %r2, %tid.x;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra END;";
        asked(
            &format!(
                "{first}\natom.relaxed.{scope}.global.add.u32 %r4, [count], 1;\n{more}\nEND:\nret;"
            ),
            &[],
        )
    };
    assert_eq!(wrong(&count("cta", "")), Some(("2x1".to_owned(), FindingKind::Race)));
    assert_eq!(wrong(&count("gpu", "")), None);
    let of_one = count("cta", "st.global.u32 [few], 1;");
    assert_eq!((wrong(&of_one), launches(&of_one).contains(&"2x1".to_owned())), (None, false));
}

/// Who looks for the first thread of a block of any shape, as the barrier of a grid does, asks for
/// y and z, and places nothing by them. Nor does one that compares a sum of which a part is a
/// number.
#[test]
fn who_looks_for_the_first_thread_has_no_rows() {
    let sum = |of: &str, last: &str| {
        format!(
            "mov.u32 %r1, %{of}.x;\nmov.u32 %r2, %{of}.y;\nadd.u32 %r3, %r1, %r2;\nmov.u32 %r4, %{of}.z;\n{last}\n"
        )
    };
    let first = "add.u32 %r5, %r3, %r4;\nsetp.eq.u32 %p1, %r5, 0;";
    let third = "add.u32 %r5, %r4, 2;\nadd.u32 %r5, %r5, %r3;\nsetp.eq.u32 %p1, %r5, 3;";
    // As nvcc compares it in `grid.sync()`.
    let negated = "neg.s32 %r5, %r4;\nsetp.ne.s32 %p1, %r3, %r5;";
    let alone = "neg.s32 %r5, %r4;\nsetp.eq.s32 %p1, %r5, 0;";
    let kinds = [
        (first, false),
        (negated, false),
        (alone, true),
        ("setp.ne.s32 %p1, %r3, %r4;", true),
        (third, true),
        ("mad.lo.u32 %r5, %r3, 2, %r4;", true),
    ];
    for (last, has_rows) in kinds {
        let place = "mov.u32 %r0, %ctaid.x;\nmov.u32 %r6, %ntid.x;\nmov.u32 %r8, %tid.x;\nmad.lo.u32 %r6, %r0, %r6, %r8;";
        let answer = asked(
            &format!("{}{}{place}\n{}", sum("tid", last), sum("ctaid", last), write("%r6")),
            &[],
        );
        let is_volume = answer.selection.why().is_some_and(|why| why.contains("three dimensions"));
        assert_eq!(is_volume, has_rows, "{last}: {:?}", launches(&answer));
        assert_eq!(wrong(&answer).is_some(), is_volume, "{last}: {:?}", launches(&answer));
    }
}

/// A thread that does something else in place of a barrier, whoever sees it, has not ended: in one
/// warp, and in another one.
#[test]
fn barriers_that_threads_go_past() {
    let divergent = |limit: u32, instead: &str| {
        format!(
            "mov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, {limit};\n@%p1 bra ELSE;\nbar.sync 0;\nret;\nELSE:\n{instead}\nret;"
        )
    };
    let private = write("%tid.x");
    let of_block = |launch: &str| Some((launch.to_owned(), FindingKind::Barriers));
    assert_eq!(wrong(&asked(&divergent(1, &private), &["1x2"])), of_block("1x2"));
    assert_eq!(wrong(&asked(&divergent(32, &private), &["1x33"])), of_block("1x33"));
    assert_eq!(
        wrong(&asked(&divergent(1, "st.relaxed.gpu.global.u32 [count], 1;"), &[])),
        of_block("1x2")
    );
    // Who only ends, or meets the others at the next barrier, does not go past.
    for right in [divergent(1, ""), divergent(32, ""), format!("{private}\nbar.sync 0;\n{private}")]
    {
        assert_eq!(wrong(&asked(&right, &["1x2", "1x33"])), None, "{right}");
    }
    // What it did in front of the place where it ends is not past the barrier.
    let early = format!(
        "mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra ON;\n{private}\nON:\n@!%p2 bra END;\nbar.sync 0;\nEND:\nret;"
    );
    assert_eq!(wrong(&asked(&early, &["1x2"])), None);
}

/// A kernel is asked about alone, and the answer says where it is ordered with other launches.
#[test]
fn what_orders_launches_is_named() {
    let answer = asked(&format!("griddepcontrol.wait;\n{}", write("%tid.x")), &["1x2"]);
    assert!(answer.is_settled(false), "{:?}", answer.not_looked());
    let named: Vec<String> = answer.not_looked().into_iter().filter_map(|n| n.text).collect();
    assert_eq!(named, ["griddepcontrol.wait"]);
}

/// A number with which the place of a thread is compared, or by which it is divided, has threads on
/// both sides, and a second group.
#[test]
fn blocks_reach_behind_the_numbers_that_places_are_compared_with() {
    let of = |code: &str| {
        let answer = asked(&format!("mov.u32 %r2, %tid.x;\n{code}\n{}", write("%tid.x")), &[]);
        launches(&answer)
    };
    let usual: Vec<String> = ["1x2", "1x4", "1x33"].map(str::to_owned).to_vec();
    let wide = |last: &str| [usual.clone(), vec![last.to_owned()]].concat();
    for (code, last) in [
        ("setp.lt.u32 %p1, %r2, 64;", "1x96"),
        ("setp.gt.u32 %p1, %r2, 63;", "1x96"),
        ("setp.le.u32 %p1, %r2, 63;", "1x96"),
        ("setp.le.u32 %p1, %r2, 95;", "1x128"),
        ("setp.eq.u32 %p1, %r2, 40;", "1x64"),
        ("shr.u32 %r3, %r2, 6;", "1x128"),
        ("div.u32 %r3, %r2, 48;", "1x96"),
        ("rem.u32 %r3, %r2, 64;", "1x128"),
        ("and.b32 %r3, %r2, 63;", "1x128"),
        // The number of the warp, and that of the fourth one.
        ("shr.u32 %r3, %r2, 5;\nsetp.eq.u32 %p1, %r3, 3;", "1x128"),
        (
            "shr.s32 %r3, %r2, 31;\nshr.u32 %r4, %r3, 26;\nadd.s32 %r5, %r2, %r4;\nshr.s32 %r6, %r5, 6;",
            "1x128",
        ),
    ] {
        assert_eq!(of(code), wide(last), "{code}");
    }
    // Those that 33 threads have, and those that are too many.
    for code in [
        "setp.lt.u32 %p1, %r2, 32;",
        "setp.eq.u32 %p1, %r2, 0;",
        "shr.u32 %r3, %r2, 5;",
        "setp.lt.u32 %p1, %r2, 1000;",
    ] {
        assert_eq!(of(code), usual, "{code}");
    }
}

/// What threads of the second group do is found, though 33 threads have none.
#[test]
fn a_race_of_the_second_group_is_found() {
    let code = |group: u32| {
        format!(
            "mov.u32 %r2, %tid.x;\nshr.u32 %r3, %r2, 6;\nsetp.ne.u32 %p1, %r3, {group};\n@%p1 bra END;\nst.global.u32 [count], %r2;\nEND:"
        )
    };
    assert_eq!(wrong(&asked(&code(0), &[])), Some(("1x2".to_owned(), FindingKind::Race)));
    assert_eq!(wrong(&asked(&code(1), &[])), Some(("1x128".to_owned(), FindingKind::Race)));
}

/// `threadIdx.x < blockDim.x / 32`: the sum of a block of one warp alone is told by no other one.
#[test]
fn a_race_of_the_second_warp_of_the_block_is_found() {
    let code = |divided: &str| {
        format!(
            "mov.u32 %r2, %tid.x;\nmov.u32 %r4, %ntid.x;\n{divided}\nsetp.ge.u32 %p1, %r2, %r3;\n@%p1 bra END;\nst.global.u32 [count], %r2;\nEND:"
        )
    };
    let signed = "shr.s32 %r5, %r4, 31;\nshr.u32 %r6, %r5, 27;\nadd.s32 %r7, %r4, %r6;\nshr.s32 %r3, %r7, 5;";
    for divided in ["shr.u32 %r3, %r4, 5;", "div.u32 %r3, %r4, 32;", signed] {
        assert_eq!(
            wrong(&asked(&code(divided), &[])),
            Some(("1x64".to_owned(), FindingKind::Race)),
            "{divided}"
        );
    }
    assert_eq!(
        wrong(&asked(&code("shr.u32 %r3, %r4, 1;"), &[])),
        Some(("1x4".to_owned(), FindingKind::Race))
    );
}

/// `s[threadIdx.x & 63]`, of which nvcc makes a mask of bytes.
#[test]
fn two_groups_that_a_mask_of_bytes_puts_together_are_found() {
    let code = |times: &str, mask: u32| {
        format!(
            "mov.u32 %r1, %tid.x;\n{times}\nand.b32 %r3, %r2, {mask};\ncvt.u64.u32 %rd1, %r3;\nmov.u64 %rd2, own;\nadd.s64 %rd3, %rd2, %rd1;\nst.global.u32 [%rd3], %r1;"
        )
    };
    for times in ["shl.b32 %r2, %r1, 2;", "mul.lo.s32 %r2, %r1, 4;"] {
        assert_eq!(
            wrong(&asked(&code(times, 252), &[])),
            Some(("1x128".to_owned(), FindingKind::Race)),
            "{times}"
        );
        assert_eq!(
            wrong(&asked(&code(times, 508), &[])),
            Some(("1x256".to_owned(), FindingKind::Race)),
            "{times}"
        );
    }
}

/// The barrier of a grid counts where the driver says it: in two registers that are halves of an
/// address.
#[test]
fn the_driver_says_where_the_barrier_of_a_grid_counts() {
    let code = |registers: [&str; 2]| {
        let [upper, lower] = registers;
        format!(
            "mov.u32 %r1, %{lower};\nmov.u32 %r2, %{upper};\ncvt.u64.u32 %rd1, %r1;\ncvt.u64.u32 %rd2, %r2;\nbfi.b64 %rd3, %rd2, %rd1, 32, 32;\n\
             setp.ne.s64 %p1, %rd3, 0;\n@%p1 bra L1;\ntrap;\nL1:\nld.global.u32 %r3, [%rd3+4];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd3+4], %r3;"
        )
    };
    let right = asked(&code(["envreg1", "envreg2"]), &[]);
    assert_eq!(wrong(&right), Some(("2x1".to_owned(), FindingKind::Race)));
    assert!(right.launches.iter().all(|l| l.not_looked.is_empty()));
    // Of the other registers nobody says anything.
    assert!(
        asked(&code(["envreg3", "envreg4"]), &[])
            .launches
            .iter()
            .any(|l| l.not_looked.iter().any(|n| n.guessed))
    );
}

/// `if (threadIdx.x <= 16) a[threadIdx.x] = 1` on 16 elements: the kernel says itself how many
/// threads come there, so that it is no matter of the size of blocks.
#[test]
fn a_guard_that_lets_one_too_many_pass_is_found() {
    let of = |code: &str| {
        let text = format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.global .align 4 .b8 own[64];\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             mov.u32 %r2, %tid.x;\n{code}\n{}\nEND:\nret;\n}}\n",
            write("%tid.x")
        );
        let module = margay_ptx::read(&text).expect("PTX");
        let answer = ask(&KernelQuestion::new(&text, &module, 0)).expect("an answer");
        wrong(&answer)
    };
    let found = Some(("1x33".to_owned(), FindingKind::Outside));
    assert_eq!(of("setp.gt.u32 %p1, %r2, 16;\n@%p1 bra END;"), found);
    assert_eq!(of("setp.ge.u32 %p1, %r2, 17;\n@%p1 bra END;"), found);
    for right in [
        "setp.gt.u32 %p1, %r2, 15;\n@%p1 bra END;",
        // It says nothing of how many come there: it is written for smaller blocks.
        "",
        "setp.eq.u32 %p1, %r2, 7;",
        "and.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 1;\n@%p1 bra END;",
    ] {
        assert_eq!(of(right), None, "{right}");
    }
}

/// Who asks for z and leaves out y places its own threads; so do blocks.
#[test]
fn a_place_without_y_has_layers() {
    let place = |x: &str, z: &str| {
        let code = format!(
            "mov.u32 %r1, {x};\nmov.u32 %r2, {z};\nsetp.gt.u32 %p1, %r2, 99;\n@%p1 bra END;\n{}\nEND:",
            write("%r1")
        );
        asked(&code, &[])
    };
    let library = asked(
        &format!(
            "mov.u32 %r1, %tid.z;\nmov.u32 %r2, %ntid.y;\nmov.u32 %r3, %tid.y;\n{}",
            write("%tid.x")
        ),
        &[],
    );
    assert_eq!((launches(&library)[0].as_str(), wrong(&library)), ("1x2", None));
    for (x, z, launch) in [
        ("%tid.x", "%tid.z", "1x(1x1x2)"),
        ("%ctaid.x", "%ctaid.z", "(1x1x2)x1"),
        ("%tid.x", "%ctaid.z", "(1x1x2)x1"),
        ("%tid.x", "%ctaid.y", "(1x2)x2"),
    ] {
        assert_eq!(wrong(&place(x, z)), Some((launch.to_owned(), FindingKind::Race)), "{x} {z}");
    }
}

/// A warp hands a row on to another one at a barrier that counts 64: blocks of that size alone are
/// asked about, in which each thread that comes there is an event.
#[test]
fn a_block_of_one_size_is_answered() {
    let answer = |first: &str| {
        let text = format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o)\n.maxntid 64, 1, 1\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .shared .align 4 .b8 row[128];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nshl.b32 %r3, %r2, 2;\nmov.u32 %r4, row;\nadd.s32 %r5, %r4, %r3;\n\
             setp.gt.u32 %p1, %r1, 31;\n@%p1 bra B;\n{first}\nret;\nB:\nbar.sync 1, 64;\nld.shared.u32 %r6, [%r5];\nld.param.u64 %rd1, [o];\n\
             mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r6;\nret;\n}}\n"
        );
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        ask(&KernelQuestion::new(&text, &module, 0)).expect("an answer")
    };
    let [right, early] = [
        "st.shared.u32 [%r5], %r1;\nbar.arrive 1, 64;",
        "bar.arrive 1, 64;\nst.shared.u32 [%r5], %r1;",
    ]
    .map(answer);
    assert_eq!((launches(&right), wrong(&right)), (vec!["1x64".to_owned()], None));
    assert!(right.is_settled(false), "{:?}", right.launches);
    assert_eq!(wrong(&early), Some(("1x64".to_owned(), FindingKind::Race)));
}
