//! Ordinary kernels as nvcc prints them, without a launch being named: the right ones are quiet,
//! the wrong ones are found, and what is not known is undecided.

use std::collections::BTreeSet;

use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

const TEXT: &str = include_str!("../../tests/kernels/ordinary.ptx");

fn asked(kernel: &str) -> KernelAnswer {
    let module = margay_ptx::read(TEXT).unwrap_or_else(|e| panic!("{e}"));
    ask(&KernelQuestion::new(TEXT, &module, module.function(kernel).expect(kernel)))
        .unwrap_or_else(|why| panic!("{kernel}: {why}"))
}

#[test]
fn right_kernels_are_quiet() {
    for kernel in [
        "reduce_right",
        "stencil_right",
        "transpose_right",
        "histogram_right",
        "scan_right",
        "warp_sums",
        "compact",
        "particles",
        "max_by_cas",
        "by_value",
        "prints",
        "switches",
        "locals",
        "recursive",
        "pointers",
        "saxpy",
        "convolve",
        "matmul_right",
        "counted",
        "early",
        "vectors",
        "bits",
        "buffers",
        "volume",
        "wrapped",
        "timed",
        "mma",
        "ldm",
    ] {
        let answer = asked(kernel);
        assert!(answer.wrong().is_none() && answer.is_settled(true), "{kernel}: {answer:#?}");
    }
}

#[test]
fn wrong_kernels_are_found() {
    for kernel in [
        "reduce_wrong",
        "stencil_wrong",
        "transpose_wrong",
        "histogram_wrong",
        "scan_wrong",
        "matmul_wrong",
        "ldm_wrong",
        "counted_wrong",
    ] {
        let answer = asked(kernel);
        let kinds: BTreeSet<FindingKind> =
            answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect();
        assert_eq!(kinds, [FindingKind::Race].into(), "{kernel}: {:#?}", answer.not_looked());
        assert!(answer.is_certain(), "{kernel}");
    }
}

/// What is not modelled is named with its line, and nothing is made up for it.
#[test]
fn what_is_not_modelled_is_undecided() {
    for (kernel, why) in [("textured", "textures"), ("allocates", "another module")] {
        let answer = asked(kernel);
        assert!(answer.wrong().is_none() && !answer.is_settled(true), "{kernel}: {answer:#?}");
        let named = answer.not_looked().iter().any(|n| n.line.is_some() && n.why.contains(why));
        assert!(named, "{kernel}: {:#?}", answer.not_looked());
    }
}
