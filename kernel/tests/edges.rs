//! Small kernels at the edges of what is looked at: addresses that leave their array, parameters
//! that may be addresses or numbers, barriers that not all threads come to, and atomic operations
//! as single operations.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, LaunchVerdict, ask};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Asks about the kernel `k` of a text.
fn asked(
    text: &str,
    launch: &str,
    arguments: &[&str],
    stop: Option<&'static Arc<AtomicBool>>,
) -> Result<KernelAnswer, String> {
    let text = format!("{HEAD}{text}");
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let arguments: Vec<GivenArgument> =
        arguments.iter().map(|a| a.parse().expect("an argument")).collect();
    ask(&KernelQuestion {
        launches: &launches,
        arguments: &arguments,
        stop,
        ..KernelQuestion::new(&text, &module, module.function("k").expect("a kernel `k`"))
    })
    .map_err(|why| why.to_string())
}

/// What goes wrong with certainty; nothing where that is undecided.
fn kinds_with(text: &str, launch: &str, arguments: &[&str]) -> Option<BTreeSet<FindingKind>> {
    let answer = asked(text, launch, arguments, None).expect("an answer");
    let settled = answer.is_settled(false) || answer.is_certain();
    settled.then(|| {
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    })
}

fn kinds(text: &str, launch: &str) -> Option<BTreeSet<FindingKind>> {
    kinds_with(text, launch, &[])
}

fn kernel(variables: &str, parameters: &str, code: &str) -> String {
    format!(
        "{variables}\n.visible .entry k({parameters})\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n{code}\nret;\n}}\n"
    )
}

fn only(kind: FindingKind) -> Option<BTreeSet<FindingKind>> {
    Some([kind].into())
}

const NOTHING: Option<BTreeSet<FindingKind>> = Some(BTreeSet::new());

/// Memory of the thread alone has bounds as well: in its own space, and by generic addresses.
#[test]
fn local_arrays_have_bounds() {
    let own = |code: &str| {
        kinds(
            &kernel(
                "",
                "",
                &format!(".local .align 4 .b8 a[16];\n.local .align 4 .b8 b[16];\n{code}"),
            ),
            "1x1",
        )
    };
    assert_eq!(own("st.local.u32 [a+12], 1;\nld.local.u32 %r1, [b];"), NOTHING);
    let outside = [
        "st.local.u32 [a+16], 1;",
        "st.local.u32 [a+13], 1;",
        "ld.local.u32 %r1, [b+-4];",
        "ld.local.u32 %r1, [a+4096];",
    ];
    for code in outside {
        assert_eq!(own(code), only(FindingKind::Outside), "{code}");
    }
    let generic = |at: u32| {
        own(&format!("mov.u64 %rd1, a;\ncvta.local.u64 %rd2, %rd1;\nst.u32 [%rd2+{at}], 1;"))
    };
    assert_eq!(generic(12), NOTHING);
    assert_eq!(generic(16), only(FindingKind::Outside));
    let parameter = |at: u32| {
        kinds(&kernel("", ".param .u32 n", &format!("ld.param.u32 %r1, [n+{at}];")), "1x1")
    };
    assert_eq!(parameter(0), NOTHING);
    assert_eq!(parameter(4), only(FindingKind::Outside));
}

/// Variables of other kernels are not there, and those of one do not touch.
#[test]
fn shared_arrays_have_bounds() {
    let code = |at: i32| {
        format!(
            ".shared .align 4 .b8 s[8];\n.shared .align 4 .b8 t[64];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, s;\nmad.lo.s32 %r2, %r1, 4, %r3;\n\
             st.shared.u32 [%r2+{at}], %r1;"
        )
    };
    let other =
        ".visible .entry g()\n{\n.shared .align 4 .b8 u[64];\nst.shared.u32 [u], 1;\nret;\n}\n";
    for other in ["", other] {
        let of = |at| kinds(&kernel(other, "", &code(at)), "1x2");
        assert_eq!(of(0), NOTHING);
        assert_eq!(of(8), only(FindingKind::Outside));
        assert_eq!(of(-4), only(FindingKind::Outside));
    }
    // A variable of a function that the kernel calls is there.
    let function = ".func f()\n{\n.shared .align 4 .b8 v[4];\nst.shared.u32 [v], 1;\nret;\n}\n";
    assert_eq!(kinds(&kernel(function, "", "call f, ();"), "1x1"), NOTHING);
}

/// An index below 0 is in no other array, also where that has no size.
#[test]
fn nothing_lies_in_front_of_an_array() {
    let of = |at: i32| {
        let code = format!(
            "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nst.global.u32 [%rd1], 1;\nld.global.u32 %r1, [%rd2+{at}];"
        );
        kinds(&kernel("", ".param .u64 a, .param .u64 b", &code), "1x1")
    };
    assert_eq!(of(4), NOTHING);
    assert_eq!(of(-4), only(FindingKind::Outside));
    let variable = kernel(
        ".global .align 4 .b8 u[16];",
        ".param .u64 a",
        "ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], 1;\nst.global.u32 [u+-8], 1;",
    );
    assert_eq!(kinds(&variable, "1x1"), only(FindingKind::Outside));
}

/// Of a structure the fields that the kernel reads are chosen, as parameters are, or given one by
/// one; what is read in two widths is not known.
#[test]
fn fields_of_structures_are_passed() {
    let text = kernel(
        "",
        ".param .align 8 .b8 s[16]",
        "ld.param.u64 %rd1, [s];\nld.global.u32 %r1, [%rd1];",
    );
    assert_eq!(kinds(&text, "1x2"), NOTHING);
    assert_eq!(kinds_with(&text, "1x1", &["0=array:2"]), NOTHING);
    assert_eq!(kinds_with(&text, "1x1", &["0+0=array:2"]), NOTHING);
    assert_eq!(kinds_with(&text, "1x1", &["0=7"]), only(FindingKind::Outside));
    assert_eq!(kinds_with(&text, "1x1", &["0+0=7"]), only(FindingKind::Outside));
    let stored = "ld.param.u64 %rd1, [s+8];\nld.param.u32 %r1, [s];\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 bra END;\nst.global.u32 [%rd1], %r1;\nEND:";
    let stored = kernel("", ".param .align 8 .b8 s[16]", stored);
    assert_eq!(kinds_with(&stored, "2x1", &["0+0=2"]), NOTHING);
    assert_eq!(kinds_with(&stored, "2x1", &["0+0=3"]), only(FindingKind::Race));
    // A field that is not read is not passed.
    let refused = asked(&stored, "2x1", &["0+4=3"], None).expect_err("there is none");
    assert!(refused.contains("it reads fields at 0, 8"), "{refused}");
    assert!(
        asked(&kernel("", ".param .u64 a", ""), "1x1", &["0+4=3"], None)
            .expect_err("none")
            .contains("no structure")
    );
    // Half of a field is read as well.
    let halves = "ld.param.u64 %rd1, [s];\nld.param.u32 %r1, [s+4];\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 bra END;\nst.global.u32 [x], %r1;\nEND:";
    assert_eq!(kinds(&kernel(".global .u32 x;", ".param .align 8 .b8 s[8]", halves), "2x1"), None);
}

/// Of two parameters whose sum is an address one is a number. Which, says what each is used as
/// alone, or the user.
#[test]
fn an_offset_in_bytes_is_no_address() {
    let sum = |convert: &str| {
        let code = format!(
            "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [n];\n{convert}\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u8 %r1, [%rd3];"
        );
        kernel("", ".param .u64 a, .param .u64 n", &code)
    };
    assert_eq!(kinds(&sum("cvta.to.global.u64 %rd1, %rd1;"), "1x2"), NOTHING);
    assert_eq!(kinds(&sum(""), "1x2"), None);
    assert_eq!(kinds_with(&sum(""), "1x2", &["0=array:4"]), NOTHING);
    assert_eq!(kinds_with(&sum(""), "1x2", &["1=2"]), NOTHING);
    assert_eq!(kinds_with(&sum(""), "1x2", &["0=array", "1=array"]), only(FindingKind::Outside));
    // A pointer that is handed to a function, and a number that is.
    let function = ".func f(.param .b64 p, .param .b64 n)\n{\n.reg .b64 %q<4>;\nld.param.u64 %q1, [p];\nld.param.u64 %q2, [n];\n\
                    st.global.u64 [%q1], %q2;\nret;\n}\n";
    let code = "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [n];\n{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; st.param.b64 [y], %rd2; \
                call f, (x, y); }";
    assert_eq!(kinds(&kernel(function, ".param .u64 a, .param .u64 n", code), "1x1"), NOTHING);
}

/// What is an address, and is made of a parameter in a way that hides it, is no number that was
/// chosen for it: nothing is found, and nothing is right.
#[test]
fn an_address_that_is_made_of_a_chosen_number_is_not_known() {
    let code = |code: &str| {
        kernel(
            "",
            ".param .u64 a, .param .u64 b",
            &format!("ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n{code}"),
        )
    };
    let halves = "mov.b64 {%r1, %r2}, %rd1;\nst.global.u32 [%rd2], %r1;\nst.global.u32 [%rd2+4], %r2;\nld.global.u32 %r3, [%rd2];\n\
                  ld.global.u32 %r4, [%rd2+4];\nmov.b64 %rd3, {%r3, %r4};\nst.global.u32 [%rd3], 1;";
    let hidden = "xor.b64 %rd3, %rd1, 85;\nxor.b64 %rd3, %rd3, 85;\nst.global.u32 [%rd3], 1;";
    for text in [halves, hidden].map(code) {
        let answer = asked(&text, "1x1", &[], None).expect("an answer");
        assert!(answer.wrong().is_none() && !answer.is_settled(false), "{text}: {answer:#?}");
        assert!(
            answer.not_looked().iter().any(|n| n.why.contains("a number was chosen")),
            "{text}: {:#?}",
            answer.not_looked()
        );
        // With what it is, it is known.
        assert_eq!(kinds_with(&text, "1x1", &["0=array"]), NOTHING, "{text}");
        assert_eq!(kinds_with(&text, "1x1", &["0=2"]), only(FindingKind::Outside), "{text}");
    }
    // An address that has nothing to do with the number is found.
    assert_eq!(
        kinds(&code("mov.u64 %rd3, 0;\nst.global.u64 [%rd3], %rd1;"), "1x1"),
        only(FindingKind::Outside)
    );
}

/// Addresses have 32 bits where `.address_size` says so, or says nothing (PTX ISA 11.1.3): a
/// parameter of 32 bits is one then.
#[test]
fn addresses_of_32_bits_are_named() {
    for (head, is_read) in [
        (".version 8.0\n.target sm_90\n.address_size 32\n", false),
        (".version 3.2\n.target sm_30\n", false),
        (".version 8.0\n.target sm_90\n.address_size 64\n", true),
    ] {
        let of = |code: &str| {
            format!(
                "{head}{}",
                kernel("", ".param .u32 a", &format!("ld.param.u32 %r1, [a];\n{code}"))
            )
        };
        let verdict = |text: String| {
            let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let launches: Vec<Launch> = vec!["1x1".parse().expect("a launch")];
            ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(&text, &module, 0) })
                .expect("an answer")
                .launches[0]
                .asked
                .clone()
        };
        let named = |verdict: &LaunchVerdict| matches!(verdict, LaunchVerdict::NotAsked(why) if why.contains("addresses of 32 bits"));
        let address = verdict(of("add.u32 %r1, %r1, 4;\nst.global.u32 [%r1], 1;"));
        assert_eq!(named(&address), !is_read, "{head}: {address:?}");
        // A number is one.
        let number = verdict(of(".shared .u32 s;\nst.shared.u32 [s], %r1;"));
        assert!(!named(&number), "{head}: {number:?}");
    }
}

/// An atomic operation is one operation: its read does not race with a write that is ordered behind
/// it.
#[test]
fn the_last_one_resets_a_counter() {
    let reset = |after: &str| {
        let code = format!(
            "atom.relaxed.gpu.global.add.u32 %r1, [c], 1;\nsetp.ne.s32 %p1, %r1, 1;\n@%p1 bra END;\n{after}\nEND:"
        );
        kernel(".global .align 4 .u32 c;", "", &code)
    };
    assert_eq!(kinds(&reset("st.global.u32 [c], 0;"), "2x1"), NOTHING);
    // In three threads the third one may come behind the write.
    assert_eq!(kinds(&reset("st.global.u32 [c], 0;"), "3x1"), only(FindingKind::Race));
    let first = kernel(
        ".global .align 4 .u32 c;",
        "",
        "mov.u32 %r2, %ctaid.x;\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra ONE;\n\
        atom.relaxed.gpu.global.add.u32 %r1, [c], 1;\nret;\nONE:\nst.global.u32 [c], 0;",
    );
    assert_eq!(kinds(&first, "2x1"), only(FindingKind::Race));
}

/// The distance in an access is of the address: a stack is read below its top.
#[test]
fn computed_addresses_with_a_distance() {
    let code = "ld.param.u64 %rd1, [st];\natom.global.add.u32 %r1, [top], -1;\nsetp.lt.s32 %p1, %r1, 1;\n@%p1 ret;\n\
                mul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+-4], 7;";
    let text = kernel(".global .align 4 .u32 top = {2};", ".param .u64 .ptr .global st", code);
    assert_eq!(kinds_with(&text, "3x1", &["0=array:2"]), NOTHING);
    assert_eq!(kinds_with(&text, "2x1", &["0=array:1"]), only(FindingKind::Outside));
}

/// Which of two arrays is written may depend on memory.
#[test]
fn a_choice_of_two_arrays() {
    let of = |other: &str| {
        let code = format!(
            "atom.global.add.u32 %r1, [next], 1;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u64 %rd1, a;\nmov.u64 %rd2, {other};\n\
             selp.b64 %rd3, %rd1, %rd2, %p1;\nst.global.u32 [%rd3], 1;"
        );
        kernel(
            ".global .align 4 .u32 a;\n.global .align 4 .u32 b;\n.global .align 4 .u32 next;",
            "",
            &code,
        )
    };
    assert_eq!(kinds(&of("b"), "2x1"), NOTHING);
    assert_eq!(kinds(&of("b+4"), "2x1"), only(FindingKind::Outside));
    assert_eq!(kinds(&of("a"), "2x1"), only(FindingKind::Race));
}

#[test]
fn sizes_that_no_memory_has_are_refused() {
    let read = |declared: &str| margay_ptx::read(&format!("{HEAD}{}", kernel(declared, "", "")));
    for declared in
        [".shared .b8 a[18446744073709551615];", ".global .b64 a[4294967296][4294967296];"]
    {
        let error = read(declared).expect_err(declared);
        assert_eq!(error.line, 4, "{error}");
        assert!(error.message.contains("`a` has") && error.message.contains("may have"), "{error}");
    }
    let large = kernel(".shared .b8 a[2147483648];\n.shared .b8 b[2147483648];", "", "");
    let refused = asked(&large, "1x1", &[], None).expect_err("too large");
    assert!(refused.contains("shared memory") && refused.contains("`b`"), "{refused}");
    let refused = "0=array:99999999999999999".parse::<GivenArgument>().expect_err("too large");
    assert!(refused.contains("bytes at most"), "{refused}");
    assert!(margay_ptx::read(&format!("\u{feff}{HEAD}{}", kernel("", "", ""))).is_ok());
}

/// A question that was stopped ends while threads are executed, and is no answer.
#[test]
fn execution_of_threads_ends_when_it_is_stopped() {
    let stop: &'static Arc<AtomicBool> = Box::leak(Box::new(Arc::new(AtomicBool::new(true))));
    let answer =
        asked(&kernel("", "", "mov.u32 %r1, 0;"), "1x2", &[], Some(stop)).expect("an answer");
    assert!(!answer.is_settled(false) && answer.wrong().is_none());
    assert!(answer.not_looked().iter().any(|n| n.why.contains("stopped")), "{answer:?}");
}
/// A barrier that waits for more threads than the block has is never passed. Warps count as 32
/// threads.
#[test]
fn barriers_with_counts() {
    let of = |code: &str, launch: &str| kinds(&kernel("", "", code), launch);
    assert_eq!(of("bar.sync 1, 96;", "1x2"), only(FindingKind::Wait));
    assert_eq!(of("bar.sync 1, 64;", "2x1"), only(FindingKind::Wait));
    assert_eq!(of("bar.sync 1, 32;", "1x2"), NOTHING);
    assert_eq!(of("bar.sync 1, 32;", "1x1"), NOTHING);
    // Two warps arrive; so large a launch is not answered for another reason.
    let two_warps =
        asked(&kernel("", "", "bar.sync 1, 64;"), "1x33", &[], None).expect("an answer");
    assert!(
        two_warps.wrong().is_none()
            && two_warps.not_looked().iter().all(|n| !n.why.contains("as many threads")),
        "{two_warps:?}"
    );
    assert_eq!(of("bar.arrive 1, 64;\nbar.sync 2, 32;", "1x2"), NOTHING);
}

/// Two warps take turns with one place for each lane: a warp waits at a barrier at which the other
/// one only arrives. Beside it stand barriers of the warp.
#[test]
fn barriers_with_counts_beside_those_of_warps() {
    let code = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nshl.b32 %r3, %r2, 2;\nmov.u32 %r4, s;\nadd.u32 %r5, %r4, %r3;\nxor.b32 %r6, %r3, 4;\n\
                add.u32 %r6, %r4, %r6;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra SECOND;\nst.shared.u32 [%r5], %r2;\nbar.warp.sync 0xffffffff;\n\
                ld.shared.u32 %r7, [%r6];\nbar.arrive 1, 64;\nret;\nSECOND:\nbar.sync 1, 64;\nst.shared.u32 [%r5], %r2;\nbar.warp.sync 0xffffffff;\n\
                ld.shared.u32 %r7, [%r6];";
    let of = |code: &str| kinds(&kernel(".shared .align 4 .b8 s[128];", "", code), "1x64");
    assert_eq!(of(code), NOTHING);
    assert_eq!(of(&code.replace("bar.sync 1, 64;", "")), only(FindingKind::Race));
    assert_eq!(of(&code.replacen("bar.warp.sync 0xffffffff;", "", 1)), only(FindingKind::Race));
}

/// All threads of a warp execute the same `bar.sync`, or are told apart from those that have ended.
#[test]
fn barriers_of_some_threads_of_a_warp() {
    let of = |code: &str| {
        kernel("", "", &format!("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n{code}"))
    };
    assert_eq!(kinds(&of("@%p1 bar.sync 0;"), "1x2"), only(FindingKind::Barriers));
    assert_eq!(
        kinds(&of("@%p1 bra ONE;\nbar.sync 0;\nret;\nONE:\nbar.sync 0;"), "1x2"),
        only(FindingKind::Barriers)
    );
    // Not aligned: threads need not come to the same instruction.
    assert_eq!(
        kinds(&of("@%p1 bra ONE;\nbarrier.sync 0;\nret;\nONE:\nbarrier.sync 0;"), "1x2"),
        NOTHING
    );
    // A thread that ends early: the barrier waits for none that has exited. That the ISA has all of
    // a warp execute an aligned one is named.
    let early = of("@%p1 ret;\nbar.sync 0;");
    assert_eq!(kinds(&early, "1x2"), NOTHING);
    assert_eq!(kinds(&of("@%p1 ret;\nbarrier.sync 0;"), "1x2"), NOTHING);
    let answer = asked(&early, "1x2", &[], None).expect("an answer");
    assert!(
        answer
            .not_looked()
            .iter()
            .any(|n| n.why.contains("ends without") && n.why.contains("aligned")),
        "{answer:?}"
    );
    assert_eq!(kinds(&of("bar.sync 0;\n@%p1 ret;"), "1x2"), NOTHING);
}

/// A loop with a barrier that the threads of a warp go round different numbers of times, and behind
/// which they end.
#[test]
fn barriers_of_loops_that_threads_leave_in_different_rounds() {
    let of = |rounds: &str, barrier: &str| {
        let code = format!(
            "mov.u32 %r1, %tid.x;\n{rounds}mov.u32 %r3, 0;\nL:\n{barrier} 0;\nadd.u32 %r3, %r3, 1;\nsetp.le.u32 %p1, %r3, %r2;\n@%p1 bra L;"
        );
        kinds(&kernel("", "", &code), "1x2")
    };
    assert_eq!(of("mov.u32 %r2, %r1;\n", "bar.sync"), only(FindingKind::Barriers));
    assert_eq!(of("mov.u32 %r2, 1;\n", "bar.sync"), NOTHING);
    assert_eq!(of("shr.u32 %r2, %r1, 1;\n", "bar.sync"), NOTHING);
    // Not aligned: it waits for those that have not ended.
    assert_eq!(of("mov.u32 %r2, %r1;\n", "barrier.sync"), NOTHING);
    // Threads of different warps.
    let warps = "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nmov.u32 %r3, 0;\nL:\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.le.u32 %p1, %r3, %r2;\n@%p1 bra L;";
    assert_eq!(kinds(&kernel("", "", warps), "1x64"), NOTHING);
}

/// Two blocks of one cluster stand for no two of different ones.
#[test]
fn blocks_of_two_clusters_are_asked_about() {
    let of = |scope: &str, launch: &str| {
        kinds(
            &kernel(
                ".global .u32 x;",
                "",
                &format!("atom.relaxed.{scope}.global.add.u32 %r1, [x], 1;"),
            ),
            launch,
        )
    };
    for (scope, launch, expected) in [
        ("cluster", "2x1@cluster=2", NOTHING),
        ("cluster", "4x1@cluster=2", only(FindingKind::Race)),
        ("cluster", "6x1@cluster=3", only(FindingKind::Race)),
        ("gpu", "4x1@cluster=2", NOTHING),
    ] {
        assert_eq!(of(scope, launch), expected, "{scope} {launch}");
    }
}

/// A lane that waits at a barrier of the block, and another one at that of the cluster, hold each
/// other up: nobody goes on.
#[test]
fn barriers_of_block_and_cluster_in_two_orders() {
    let (of_block, of_cluster) =
        ("barrier.sync 0;", "barrier.cluster.arrive;\nbarrier.cluster.wait;");
    let code = |first: &str, second: &str, behind: &str| {
        kernel(
            ".global .u32 x;",
            "",
            &format!(
                "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra OTHER;\n{of_cluster}\n{of_block}\n{behind}\nret;\nOTHER:\n{first}\n{second}\n{behind}"
            ),
        )
    };
    for behind in ["", "st.global.u32 [x], %r1;"] {
        assert_eq!(
            kinds(&code(of_block, of_cluster, behind), "2x2@cluster=2"),
            only(FindingKind::Endless),
            "{behind}"
        );
    }
    assert_eq!(kinds(&code(of_cluster, of_block, ""), "2x2@cluster=2"), NOTHING);
}

/// What a place holds that an index is made of may come from a wider store that begins before
/// others which it overlaps.
#[test]
fn an_index_that_a_wider_store_brings() {
    let code = |beside: &str| {
        kernel(
            ".global .align 8 .b8 x[8];\n.global .align 8 .b8 y[64];",
            "",
            &format!(
                "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 st.global.u8 [x+5], 0;\nbar.sync 0;\n@!%p1 st.global.u8 [x+{beside}], 0;\n\
                 @!%p1 st.global.u64 [x], 0x10000000000;\nbar.sync 0;\n@%p1 bra READER;\nst.global.u32 [y+4], 1;\nret;\nREADER:\n\
                 ld.global.u8 %r2, [x+5];\nmov.u64 %rd1, y;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;\nld.global.u32 %r3, [%rd1];\n\
                 st.global.u32 [y+32], %r3;"
            ),
        )
    };
    for beside in ["0", "2", "5"] {
        let found = kinds(&code(beside), "1x2");
        assert!(found.is_none_or(|kinds| kinds.contains(&FindingKind::Race)), "{beside}");
    }
}

/// `.reqntid` is respected: other launches fail before the kernel begins.
#[test]
fn the_required_size_of_blocks_is_respected() {
    let of = |required: &str| format!(".visible .entry k()\n.reqntid {required}\n{{\nret;\n}}\n");
    assert_eq!(kinds(&of("2"), "1x2"), NOTHING);
    for (required, launch) in [("2", "1x3"), ("2, 2", "1x2"), ("2, 1, 2", "2x2")] {
        let answer = asked(&of(required), launch, &[], None).expect("an answer");
        let not = |l: &margay_kernel::LaunchAnswer| matches!(&l.asked, margay_kernel::LaunchVerdict::NotAsked(why) if why.contains("reqntid"));
        assert!(answer.launches.iter().all(not), "{required} {launch}: {answer:?}");
    }
}

/// What is wrong with a condition or a launch is said in the user's words.
#[test]
fn wrong_conditions_and_launches() {
    let text = format!(
        "{HEAD}{}",
        kernel(".global .u32 x;\n.global .u32 __unnamed_1;", "", "st.global.u32 [x], 1;")
    );
    let module = margay_ptx::read(&text).expect("it is read");
    let refused = |condition: &str| {
        let (launches, finals) = ([Launch::new(1, 1)], [condition.to_owned()]);
        let question = KernelQuestion {
            launches: &launches,
            finals: &finals,
            ..KernelQuestion::new(&text, &module, 0)
        };
        ask(&question).expect_err(condition).to_string()
    };
    for (condition, why) in [
        ("(", "is never closed"),
        ("x == 1)", "closes nothing"),
        (" ", "is empty"),
        ("y == 1", "there are: x"),
    ] {
        let said = refused(condition);
        assert!(
            said.contains(why) && !said.contains("forall") && !said.contains("__unnamed"),
            "{condition}: {said}"
        );
    }
    let many = "4294967295x2".parse::<Launch>().expect_err("too many");
    assert!(many.contains("8589934590 threads"), "{many}");
}

/// A call of what is at an address: that of a function that the kernel takes, chooses, or reads in
/// a table.
#[test]
fn functions_are_called_by_their_addresses() {
    let functions = ".func (.param .b32 r) one(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a];\nadd.s32 %r2, %r1, 1;\n\
                     st.param.b32 [r], %r2;\nret;\n}\n.func (.param .b32 r) two(.param .b32 a)\n{\n.reg .b32 %r<4>;\nmov.u32 %r2, 0;\n\
                     st.param.b32 [r], %r2;\nret;\n}\n.global .align 8 .u64 table[2] = {one, two};\n";
    let call = |address: &str| {
        let code = format!(
            "ld.param.u64 %rd1, [a0];\nmov.u32 %r1, %tid.x;\n{address}\n{{\n.param .b32 p;\nst.param.b32 [p], %r1;\n.param .b32 q;\n\
             proto : .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (q), %rd2, (p), proto;\nld.param.b32 %r2, [q];\n}}\n\
             mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], 1;"
        );
        kernel(functions, ".param .u64 a0", &code)
    };
    // `one` gives each thread a place of its own, `two` the same to all.
    let chosen = |n: u32| {
        format!(
            "mov.u64 %rd5, one;\nmov.u64 %rd6, two;\nsetp.eq.u32 %p1, {n}, 0;\nselp.b64 %rd2, %rd5, %rd6, %p1;"
        )
    };
    for (address, expected) in [
        ("mov.u64 %rd2, one;".to_owned(), NOTHING),
        ("mov.u64 %rd2, two;".to_owned(), only(FindingKind::Race)),
        (chosen(0), NOTHING),
        (chosen(1), only(FindingKind::Race)),
        ("ld.global.u64 %rd2, [table];".to_owned(), NOTHING),
        ("ld.global.u64 %rd2, [table+8];".to_owned(), only(FindingKind::Race)),
        // No function is there.
        ("mov.u64 %rd2, 77;".to_owned(), None),
        ("ld.global.u64 %rd2, [%rd1];".to_owned(), None),
    ] {
        assert_eq!(kinds(&call(&address), "1x2"), expected, "{address}");
    }
}

/// `.local` is of one thread and `.shared` of one block: an address of either does not say of
/// which, and is of no use to others.
#[test]
fn addresses_of_own_memory_are_of_no_use_to_others() {
    let variables = ".shared .align 8 .b64 s;\n.shared .align 4 .b32 w;\n.local .align 8 .b8 own[16];\n.global .align 8 .b64 g;";
    let code = |code: &str| kernel("", ".param .u64 a0", &format!("{variables}\n{code}"));
    for (text, launch, expected) in [
        // Its own address, kept where nobody else reads it.
        (
            "cvta.local.u64 %rd1, own;\nst.local.u64 [own+8], %rd1;\nld.local.u64 %rd2, [own+8];\nst.u32 [%rd2], 1;",
            "1x2",
            NOTHING,
        ),
        ("mov.u64 %rd1, own;\ncvta.local.u64 %rd1, %rd1;\nst.shared.u64 [s], %rd1;", "1x1", None),
        (
            "mov.u64 %rd1, own;\ncvta.local.u64 %rd1, %rd1;\natom.shared.exch.b64 %rd2, [s], %rd1;",
            "1x1",
            None,
        ),
        (
            "mov.u64 %rd1, own;\ncvta.local.u64 %rd1, %rd1;\nmov.b64 {%r1, %r2}, %rd1;\nshfl.sync.idx.b32 %r3, %r2, 0, 31, -1;",
            "1x2",
            None,
        ),
        // A number that is the same as the upper half of such an address, beside variables of the
        // thread.
        (
            "st.local.u32 [own], 1;\nmov.u32 %r2, 0x2000000;\nshfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\nsetp.ne.u32 %p1, %r3, 33554432;\n@%p1 trap;",
            "1x2",
            NOTHING,
        ),
        // A block's own variable, for threads of the block.
        (
            "mov.u64 %rd1, w;\ncvta.shared.u64 %rd1, %rd1;\nst.shared.u64 [s], %rd1;\nld.shared.u64 %rd2, [s];\nst.u32 [%rd2], 1;",
            "1x1",
            NOTHING,
        ),
        (
            "mov.u64 %rd1, w;\ncvta.shared.u64 %rd1, %rd1;\nst.relaxed.gpu.global.u64 [g], %rd1;",
            "2x1",
            None,
        ),
        // Arrays are everybody's.
        ("ld.param.u64 %rd1, [a0];\nst.relaxed.gpu.global.u64 [g], %rd1;", "2x1", NOTHING),
    ] {
        assert_eq!(kinds(&code(text), launch), expected, "{text}");
    }
}

/// "Semantically, this behaves like a weak write of an unstable indeterminate value" (PTX ISA
/// 9.7.9): what is behind it is not decided.
#[test]
fn discarded_memory_is_not_looked_at() {
    let code =
        "ld.param.u64 %rd1, [a0];\ndiscard.global.L2 [%rd1], 128;\nld.global.u32 %r1, [%rd1];";
    assert_eq!(kinds(&kernel("", ".param .u64 a0", code), "2x1"), None);
}

/// A breakpoint "suspends execution" (PTX ISA 9.7.20): nobody is there who would go on with it.
#[test]
fn a_breakpoint_is_a_trap() {
    let text = |code: &str| {
        kernel("", "", &format!("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 1;\n{code}"))
    };
    assert_eq!(kinds(&text("@%p1 brkpt;"), "1x1"), NOTHING);
    for code in ["trap", "brkpt"] {
        let answer = asked(&text(&format!("@%p1 {code};")), "1x2", &[], None).expect("an answer");
        let [finding] = answer.launches[0].findings.as_slice() else { panic!("{answer:#?}") };
        assert_eq!(
            (finding.kind, finding.why.clone()),
            (FindingKind::Trap, vec![format!("It is `{code}`.")])
        );
    }
}

/// How much shared memory a launch has, nobody says: what depends on it is not decided.
#[test]
fn the_size_of_shared_memory_is_not_known() {
    for register in ["dynamic_smem_size", "total_smem_size", "aggr_smem_size"] {
        let code = format!(
            "mov.u32 %r1, %{register};\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 bra END;\nst.global.u32 [x], 1;\nEND:"
        );
        let answer =
            asked(&kernel(".global .u32 x;", "", &code), "2x1", &[], None).expect("an answer");
        assert!(!answer.is_settled(false) && !answer.is_certain(), "{register}: {answer:#?}");
        assert!(
            answer.not_looked().iter().any(|n| n.why.contains("a special register")),
            "{register}: {answer:#?}"
        );
    }
}

/// "Addresses must be naturally aligned to a multiple of the access size" (PTX ISA 6.4.1), that of
/// a vector as a whole.
#[test]
fn addresses_are_multiples_of_what_is_accessed() {
    let variables = ".global .align 8 .b8 g[64];";
    let own = ".shared .align 128 .b8 s[256];\n.local .align 16 .b8 l[64];\n";
    let head = "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nmov.u64 %rd5, 7;\n";
    let of = |code: &str| {
        kinds(&kernel(variables, ".param .u64 a", &format!("{own}{head}{code}")), "1x2")
    };
    let right = [
        "ld.global.u32 %r2, [%rd1+4];",
        "ld.global.u8 %r2, [%rd1+3];",
        "ld.global.u16 %r2, [%rd1+6];",
        "ld.global.v2.u32 {%r2, %r3}, [%rd1+8];",
        "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+16];",
        "ld.global.u64 %rd4, [g+8];",
        "ld.shared.u32 %r2, [s+4];",
        "st.local.u64 [l+8], %rd5;",
        "atom.global.add.u64 %rd4, [%rd1+8], 1;",
        "cp.async.ca.shared.global [s+8], [%rd1+8], 8;",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [s+32], 32;",
        "st.bulk.weak.shared::cta [s+8], 24, 0;",
        // The next multiple of an address, wherever it lies.
        "mov.u64 %rd6, s;\nadd.u64 %rd6, %rd6, 5;\nand.b64 %rd6, %rd6, -4;\nld.shared.u32 %r2, [%rd6];",
    ];
    for code in right {
        assert!(of(code).is_some_and(|kinds| !kinds.contains(&FindingKind::Misaligned)), "{code}");
    }
    let wrong = [
        "ld.global.u32 %r2, [%rd1+2];",
        "ld.global.u16 %r2, [%rd1+3];",
        "ld.global.v2.u32 {%r2, %r3}, [%rd1+4];",
        "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];",
        "ld.global.u64 %rd4, [g+4];",
        "ld.global.u64 %rd4, [%rd3];",
        "ld.shared.u32 %r2, [s+1];",
        "st.local.u64 [l+4], %rd5;",
        "mov.u64 %rd6, l;\ncvta.local.u64 %rd6, %rd6;\nst.u64 [%rd6+4], %rd5;",
        "atom.global.add.u64 %rd4, [%rd1+4], 1;",
        "red.global.add.u32 [%rd1+2], 1;",
        "cp.async.ca.shared.global [s+4], [%rd1], 8;",
        "cp.async.ca.shared.global [s], [%rd1+4], 8;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s+8];",
        "mbarrier.init.shared::cta.b64 [s+4], 1;",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s+8], 16;",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 24;",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+16], [%rd1], 8, [s];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [s], 8;",
        "st.bulk.weak.shared::cta [s+4], 8, 0;",
        "st.bulk.weak.shared::cta [s], 12, 0;",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r1}], [s+8];",
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1+32, {%r1}], [s];",
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [%rd1, {%r1}], [s+8];",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s+8], [%rd1, {%r1}], [s];",
    ];
    for code in wrong {
        assert_eq!(of(code), only(FindingKind::Misaligned), "{code}");
    }
    // Where memory decides whether it is reached.
    let reached = |value: u32| {
        let code = format!(
            "st.relaxed.gpu.global.u32 [g], 1;\nld.relaxed.gpu.global.u32 %r2, [g];\nsetp.eq.u32 %p1, %r2, {value};\n@%p1 ld.global.u16 %r3, [g+33];"
        );
        of(&code)
    };
    assert_eq!((reached(1), reached(2)), (only(FindingKind::Misaligned), NOTHING));
}

/// A variable may be declared for less than what is accessed: where it lies is supposed, and said.
#[test]
fn variables_that_are_declared_for_less_are_supposed_to_be_aligned() {
    let of = |alignment: u32, size: &str| {
        let text = kernel(
            "",
            "",
            &format!(
                ".shared .align {alignment} .b8 s[{size}];\nmov.u32 %r1, %tid.x;\nst.shared.u32 [s+4], 1;"
            ),
        );
        let answer = asked(&text, "1x1", &[], None).expect("an answer");
        assert!(answer.is_settled(false), "{answer:#?}");
        answer.not_looked().iter().any(|n| n.why.contains("declared to lie at a multiple of"))
    };
    assert!(of(1, "64") && of(2, "64"));
    assert!(!of(4, "64") && !of(16, "64"));
}

/// An address that is made of how many threads there are, or of a number that was chosen, may be
/// aligned for others: such launches are left out. Where they are named only the number is open.
#[test]
fn launches_that_make_addresses_misaligned_are_left_out() {
    let kernel_of = |size: &str| {
        kernel(
            "",
            ".param .u64 a, .param .u32 n",
            &format!(
                "ld.param.u64 %rd1, [a];\nmov.u32 %r3, %tid.x;\n{size}\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nmul.wide.u32 %rd4, %r3, 16;\n\
                 add.u64 %rd3, %rd3, %rd4;\nld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%rd3];"
            ),
        )
    };
    let (threads, number) =
        (kernel_of("mov.u32 %r1, %ntid.x;"), kernel_of("ld.param.u32 %r1, [n];"));
    let copied = |size: &str| {
        let code = format!(
            ".shared .align 16 .b8 s[1024];\nld.param.u64 %rd1, [a];\n{size}\nmul.lo.u32 %r2, %r1, 4;\nmov.u32 %r3, %tid.x;\nsetp.eq.u32 %p1, %r3, 0;\n\
             @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], %r2;"
        );
        kernel("", ".param .u64 a, .param .u32 n", &code)
    };
    let (copied_threads, copied_number) =
        (copied("mov.u32 %r1, %ntid.x;"), copied("ld.param.u32 %r1, [n];"));
    for text in [&threads, &number, &copied_threads] {
        let text = format!("{HEAD}{text}");
        let module = margay_ptx::read(&text).expect("it is read");
        let answer =
            ask(&KernelQuestion::new(&text, &module, module.function("k").expect("a kernel")))
                .expect("an answer");
        assert!(answer.is_settled(true), "{answer:#?}");
        let meant: Vec<String> = answer
            .launches
            .iter()
            .filter(|l| l.asked == LaunchVerdict::Nothing)
            .map(|l| l.launch.to_string())
            .collect();
        assert_eq!(meant, ["1x4"], "{answer:#?}");
    }
    assert_eq!(kinds(&threads, "1x4"), NOTHING);
    assert_eq!(kinds(&threads, "1x2"), only(FindingKind::Misaligned));
    assert_eq!(kinds(&copied_threads, "1x2"), only(FindingKind::Misaligned));
    assert_eq!(kinds(&copied_number, "1x2"), None);
    assert_eq!(kinds(&number, "1x2"), None);
    assert_eq!(kinds_with(&number, "1x2", &["1=2"]), only(FindingKind::Misaligned));
    assert_eq!(kinds_with(&number, "1x2", &["1=4"]), NOTHING);
}

/// Which element a thread stores to is computed in many ways: four threads come to elements of
/// their own, or two of them to one.
#[test]
fn elements_are_computed_in_many_ways() {
    let of = |code: &str| {
        let code = format!(
            "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n{code}\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;"
        );
        kinds(&kernel("", ".param .u64 a", &code), "1x4")
    };
    let apart = [
        "prmt.b32 %r2, %r1, 0, 0x4440;",
        "bfe.u32 %r2, %r1, 0, 2;",
        "bfi.b32 %r2, %r1, 8, 0, 2;",
        "lop3.b32 %r2, %r1, 3, 0, 0xC0;",
        "shf.l.wrap.b32 %r2, 0, %r1, 2;",
        "shl.b32 %r3, %r1, 1;\nmad.hi.u32 %r2, %r3, 0x80000000, 0;",
        "brev.b32 %r2, %r1;\nshr.u32 %r2, %r2, 30;",
        "mul24.lo.u32 %r2, %r1, 4;",
        "mad24.lo.s32 %r2, %r1, -1, 3;",
        "sad.u32 %r2, %r1, 3, 0;",
        "dp4a.u32.u32 %r2, %r1, 4, 1;",
        "dp2a.lo.s32.s32 %r2, %r1, -1, 3;",
        "bmsk.clamp.b32 %r2, 0, %r1;",
        "add.u32 %r3, %r1, 1;\nfns.b32 %r2, 0xf0, 0, %r3;",
        "add.cc.u32 %r3, %r1, -1;\naddc.u32 %r2, %r1, 0;",
        "sub.cc.s32 %r3, %r1, 2;\nsubc.s32 %r2, %r1, -4;",
    ];
    for code in apart {
        assert_eq!(of(code), NOTHING, "{code}");
    }
    let together = [
        "prmt.b32 %r2, %r1, 0, 0x4441;",
        "bfe.u32 %r2, %r1, 1, 2;",
        "lop3.b32 %r2, %r1, 2, 0, 0xC0;",
        "shf.r.clamp.b32 %r2, %r1, 0, 1;",
        "brev.b32 %r2, %r1;\nshr.u32 %r2, %r2, 31;",
        "popc.b32 %r2, %r1;",
        "mul24.hi.u32 %r2, %r1, 4;",
        "sad.s32 %r2, %r1, 1, 0;",
        "sub.s32 %r3, %r1, 2;\nslct.u32.s32 %r2, 0, %r1, %r3;",
        "dp4a.u32.u32 %r2, 0x01000000, %r1, 0;",
        "szext.clamp.u32 %r2, %r1, 1;",
        "add.cc.u32 %r3, %r1, -2;\naddc.u32 %r2, 0, 0;",
        "mad.lo.cc.u32 %r3, %r1, 1, -3;\nmadc.hi.u32 %r2, %r1, 0x80000000, 0;",
        "sub.cc.u32 %r3, %r1, 1;\nsubc.cc.u32 %r4, 0, 0;\nsubc.u32 %r2, 3, 0;",
    ];
    for code in together {
        assert_eq!(of(code), only(FindingKind::Race), "{code}");
    }
}

/// A number that was given, with which no thread accesses memory that others see: nothing was
/// looked at, and the answer says so.
#[test]
fn with_given_numbers_nobody_accesses_memory() {
    let code = "ld.param.u64 %rd1, [a];\nld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 ret;\nst.global.u32 [%rd1], %r1;";
    let text = kernel("", ".param .u64 a, .param .u32 n", code);
    let of = |number: &str| {
        asked(&text, "1x2", &["0=array:4", &format!("1={number}")], None).expect("an answer")
    };
    assert!(of("0").accesses_nothing() && of("0").wrong().is_none());
    assert!(!of("1").accesses_nothing() && of("1").wrong().is_none());
    assert!(!of("2").accesses_nothing() && of("2").wrong().is_some());
}
