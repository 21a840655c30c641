//! Final states of global memory that only weak memory has.

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, LaunchVerdict, ask};

/// A kernel of two blocks of one thread over the arrays `x`, `y` and `out`: what each does.
fn kernel(first: &[&str], second: &[&str]) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 x;\n.visible .global .align 4 .u32 y;\n\
         .visible .global .align 4 .b8 out[8];\n.visible .entry k()\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n\
         mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra $SECOND;\n{}\nret;\n$SECOND:\n{}\nret;\n}}\n",
        first.join("\n"),
        second.join("\n")
    )
}

fn asked(text: &str) -> KernelAnswer {
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{e}"));
    let launches: [Launch; 1] = ["2x1".parse().expect("a launch")];
    let question =
        KernelQuestion { launches: &launches, weak: true, ..KernelQuestion::new(text, &module, 0) };
    ask(&question).unwrap_or_else(|why| panic!("{why}"))
}

/// The values of the outcome that is found, as the answer says them; nothing where there is none.
fn outcome(text: &str) -> Option<String> {
    let answer = asked(text);
    let launch = &answer.launches[0];
    match (&launch.asked, launch.findings.as_slice()) {
        (LaunchVerdict::Nothing, []) => None,
        (LaunchVerdict::Found, [finding]) if finding.kind == FindingKind::Weak => {
            Some(finding.why[0].clone())
        }
        other => panic!("{other:?}"),
    }
}

/// Store buffering: neither thread sees the store of the other. With `fence.sc` between store and
/// load one of them does, and a fence that only acquires and releases is not enough.
#[test]
fn store_buffering() {
    let with = |fence: &str| {
        let thread = |own: &str, other: &str, place: u32| {
            [
                format!("st.relaxed.gpu.global.u32 [{own}], 1;"),
                fence.to_owned(),
                format!("ld.relaxed.gpu.global.u32 %r2, [{other}];"),
                format!("st.global.u32 [out+{place}], %r2;"),
            ]
        };
        let (first, second) = (thread("x", "y", 0), thread("y", "x", 4));
        let lines = |all: &[String; 4]| all.clone();
        let (first, second) = (lines(&first), lines(&second));
        kernel(&first.each_ref().map(String::as_str), &second.each_ref().map(String::as_str))
    };
    let found = outcome(&with("")).expect("it is weak");
    assert!(found.contains("`out_0` is 0") || found.matches("is 0").count() == 2, "{found}");
    assert!(outcome(&with("fence.acq_rel.gpu;")).is_some());
    assert_eq!(outcome(&with("fence.sc.gpu;")), None);
}

/// Message passing: a flag that is seen without its data, unless it is released and acquired. What
/// a thread has in a register alone is no outcome.
#[test]
fn message_passing() {
    let with = |store: &str, load: &str, kept: &[&str]| {
        let second = [
            &[format!("{load} %r2, [y];"), "ld.relaxed.gpu.global.u32 %r3, [x];".to_owned()][..],
            &[],
        ]
        .concat();
        let second: Vec<&str> =
            second.iter().map(String::as_str).chain(kept.iter().copied()).collect();
        kernel(&["st.relaxed.gpu.global.u32 [x], 1;", &format!("{store} [y], 1;")], &second)
    };
    let kept = ["st.global.u32 [out], %r2;", "st.global.u32 [out+4], %r3;"];
    let relaxed = outcome(&with("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", &kept))
        .expect("it is weak");
    assert!(relaxed.contains("is 1") && relaxed.contains("is 0"), "{relaxed}");
    assert_eq!(
        outcome(&with("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", &kept)),
        None
    );
    assert_eq!(outcome(&with("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", &[])), None);
}

/// Where something goes wrong already, it is not asked, and that is said.
#[test]
fn a_race_comes_first() {
    let text = kernel(
        &["st.global.u32 [x], 1;"],
        &["ld.global.u32 %r2, [x];", "st.global.u32 [out], %r2;"],
    );
    let answer = asked(&text);
    let launch = &answer.launches[0];
    assert_eq!(launch.findings.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::Race]);
    assert!(
        launch.not_looked.iter().any(|n| n.why.contains("final states that only weak memory has")),
        "{:?}",
        launch.not_looked
    );
}

/// Threads of one block that meet at a barrier: what one stored before it is there for the other
/// behind it, in interleavings as in the model.
#[test]
fn barriers_are_followed() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .b8 x[8];\n.visible .global .align 4 .b8 out[8];\n\
        .visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<6>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\nmov.u64 %d2, x;\nadd.u64 %d3, %d2, %d1;\n\
        st.global.u32 [%d3], 1;\nbar.sync 0;\nxor.b32 %r2, %r1, 1;\nmul.wide.u32 %d1, %r2, 4;\nadd.u64 %d3, %d2, %d1;\nld.global.u32 %r3, [%d3];\n\
        mov.u64 %d4, out;\nadd.u64 %d5, %d4, %d1;\nst.global.u32 [%d5], %r3;\nret;\n}\n";
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{e}"));
    let launches: [Launch; 1] = ["1x2".parse().expect("a launch")];
    let answer = ask(&KernelQuestion {
        launches: &launches,
        weak: true,
        ..KernelQuestion::new(text, &module, 0)
    })
    .expect("an answer");
    assert_eq!(answer.launches[0].asked, LaunchVerdict::Nothing, "{:?}", answer.launches[0]);
}
