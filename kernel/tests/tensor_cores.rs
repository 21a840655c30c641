//! Kernels with tensor cores and tensor maps as they are written for Hopper and Blackwell: the
//! right one is answered *none*, and in each of the others the mistake is found.

use std::collections::BTreeSet;

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

fn asked(code: &str, launch: &str, arguments: &[&str]) -> KernelAnswer {
    let text = format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n\
         .visible .entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 c[128]) {{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<20>;\n.shared .align 1024 .b8 tile[2048];\n.shared .align 128 .b8 out[256];\n\
         .shared .align 8 .b64 full;\n.shared .align 8 .b64 done;\n.shared .align 4 .b32 place;\n\
         mov.b64 %rd1, a;\ncvta.param.u64 %rd1, %rd1;\nmov.b64 %rd2, c;\ncvta.param.u64 %rd2, %rd2;\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 4;\nmov.u32 %r10, 0;\n{code}\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let arguments: Vec<GivenArgument> =
        arguments.iter().map(|a| a.parse().expect("an argument")).collect();
    let function = module.function("k").expect("it is there");
    let question = KernelQuestion {
        launches: &launches,
        arguments: &arguments,
        ..KernelQuestion::new(&text, &module, function)
    };
    ask(&question).unwrap_or_else(|why| panic!("{why}"))
}

/// What is found; nothing of anything else may be left open.
fn found(code: &str, launch: &str) -> BTreeSet<FindingKind> {
    let answer = asked(code, launch, &[]);
    let all: BTreeSet<FindingKind> =
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect();
    assert!(!all.is_empty() || answer.is_settled(false), "{code}\n{:#?}", answer.not_looked());
    all
}

fn none() -> BTreeSet<FindingKind> {
    BTreeSet::new()
}

fn race() -> BTreeSet<FindingKind> {
    [FindingKind::Race].into()
}

/// A block of two warps. The first thread loads a tile, multiplies it with itself, and commits; the
/// second warp allocates tensor memory, and reads the accumulator out of it into shared memory,
/// from where one of its threads stores it.
const PRODUCT: &str = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\nmbarrier.init.shared::cta.b64 [full], 1;\nmbarrier.init.shared::cta.b64 [done], 1;\n\
fence.mbarrier_init.release.cluster;\nMEET:\nsetp.lt.u32 %p2, %r1, 32;\n@%p2 bra START;\n\
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nSTART:\n\
tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\nld.shared.u32 %r4, [place];\n@%p1 bra EPILOGUE;\n\
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 2048;\n\
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {%r10, %r3}], [full];\n\
FULL:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [full], 0;\n@!%p3 bra FULL;\n\
mov.u32 %r11, tile;\nand.b32 %r11, %r11, 262143;\nshr.u32 %r11, %r11, 4;\ncvt.u64.u32 %rd3, %r11;\nor.b64 %rd3, %rd3, 4611686293305294848;\n\
tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd3, %rd3, 17040528, %p1;\n\
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\nEPILOGUE:\n\
DONE:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [done], 0;\n@!%p4 bra DONE;\ntcgen05.fence::after_thread_sync;\n@%p2 bra LAST;\n\
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r6}, [%r4];\ntcgen05.wait::ld.sync.aligned;\nshl.b32 %r7, %r1, 2;\nmov.u32 %r8, out;\nadd.u32 %r8, %r8, %r7;\n\
st.shared.u32 [%r8+-128], %r6;\nfence.proxy.async.shared::cta;\ntcgen05.fence::before_thread_sync;\nLAST:\nbar.sync 0;\n\
setp.ne.u32 %p5, %r1, 32;\n@%p5 bra FREE;\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r10, %r3}], [out];\n\
cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nFREE:\n@%p2 bra END;\n\
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\nEND:";

fn without(line: &str) -> String {
    let code = PRODUCT.replace(line, "");
    assert_ne!(code, PRODUCT, "{line}");
    code
}

/// Of which lines something is not looked at, since of accumulators and allocations this is said.
fn accumulators_not_looked_at(code: &str) -> usize {
    let answer = asked(code, "1x64", &[]);
    assert!(answer.wrong().is_none(), "{code}");
    let said = |why: &str| why.contains("overlaps in part") || why.contains("has not allocated");
    let all = answer.not_looked();
    let count = all.iter().filter(|what| said(&format!("{what:?}"))).count();
    assert_eq!(answer.is_settled(false), count == 0, "{code}");
    count
}

/// The second product writes 16 columns, from the one that is named.
fn with_second_product(column: u64) -> String {
    let product = "tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd3, %rd3, 17040528, %p1;\n";
    let second = product.replace("[%r4]", &format!("[%r4+{column}]"));
    PRODUCT.replace(product, &format!("{product}{second}"))
}

#[test]
fn columns_that_are_not_allocated_and_accumulators_that_overlap_are_not_looked_at() {
    // The same accumulator, and two of their own.
    assert_eq!(accumulators_not_looked_at(&with_second_product(0)), 0);
    assert_eq!(accumulators_not_looked_at(&with_second_product(16)), 0);
    // Each of the two overlaps the other in part.
    assert_eq!(accumulators_not_looked_at(&with_second_product(8)), 1);
    // Of 32 columns the last eight, and eight that nobody has allocated.
    assert_eq!(accumulators_not_looked_at(&with_second_product(24)), 1);
    // More columns are given back than were allocated.
    let freed = PRODUCT.replace(
        "dealloc.cta_group::1.sync.aligned.b32 %r4, 32",
        "dealloc.cta_group::1.sync.aligned.b32 %r4, 64",
    );
    assert_eq!(accumulators_not_looked_at(&freed), 1);
}

#[test]
fn a_product_is_right_and_its_mistakes_are_found() {
    assert_eq!(found(PRODUCT, "1x64"), none());
    // 9.7.16.6.4.4: the accumulator is read before the commit has arrived.
    assert_eq!(found(&without("@!%p4 bra DONE;\n"), "1x64"), race());
    // The product is issued before the tile is there.
    assert_eq!(found(&without("@!%p3 bra FULL;\n"), "1x64"), race());
    // What the generic proxy wrote is read through the async one.
    assert_eq!(found(&without("fence.proxy.async.shared::cta;\n"), "1x64"), race());
    // The address is read before the warp has it.
    let early = PRODUCT.replace(
        "bar.sync 0;\ntcgen05.fence::after_thread_sync;\nld.shared.u32 %r4, [place];",
        "ld.shared.u32 %r4, [place];\nbar.sync 0;",
    );
    assert_eq!(found(&early, "1x64"), race());
    // The tile is overwritten while the product may still read it, and when it does not any more.
    let again = |wait: &str| {
        let load = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 2048;\n\
                    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {%r3, %r3}], [full];\n";
        PRODUCT.replace("EPILOGUE:\n", &format!("{wait}{load}EPILOGUE:\n"))
    };
    assert_eq!(found(&again(""), "1x64"), race());
    assert_eq!(
        found(
            &again(
                "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p6, [done], 0;\n@!%p6 bra AGAIN;\n"
            ),
            "1x64"
        ),
        none()
    );
}

/// 9.7.16.6.4: "tcgen05.fence::after_thread_sync is needed" behind a wait that is relaxed; behind
/// one that acquires, standard synchronisation is enough.
#[test]
fn fences_of_tensor_memory_are_asked_for_where_waits_are_relaxed() {
    let relaxed = |code: &str| {
        code.replace(
            "try_wait.parity.shared::cta.b64 %p4",
            "try_wait.parity.relaxed.cta.shared::cta.b64 %p4",
        )
    };
    assert_eq!(found(&relaxed(PRODUCT), "1x64"), none());
    let without =
        PRODUCT.replace("@!%p4 bra DONE;\ntcgen05.fence::after_thread_sync;", "@!%p4 bra DONE;");
    assert_ne!(without, PRODUCT);
    assert_eq!(found(&relaxed(&without), "1x64"), race());
    assert_eq!(found(&without, "1x64"), none());
}

/// 9.7.16.6.4.4: "must explicitly wait for the instructions' completion": tensor memory is given
/// back by another warp.
#[test]
fn tensor_memory_is_given_back_when_nobody_reads_it() {
    let other = PRODUCT.replace("FREE:\n@%p2 bra END;", "FREE:\n@!%p2 bra END;");
    assert_eq!(found(&other, "1x64"), none());
    assert_eq!(found(&other.replace("tcgen05.wait::ld.sync.aligned;\n", ""), "1x64"), race());
    // .dealloc is synchronous: in order with what the same thread does in tensor memory.
    assert_eq!(found(&without("tcgen05.wait::ld.sync.aligned;\n"), "1x64"), none());
}

/// Blocks that store the same part of a tensor race; reductions do not.
#[test]
fn parts_of_tensors_are_told_apart_by_their_coordinates() {
    assert_eq!(found(PRODUCT, "2x64"), none());
    let same = PRODUCT.replace("[%rd2, {%r10, %r3}]", "[%rd2, {%r10, 64}]");
    assert_eq!(found(&same, "2x64"), race());
    let reduced = same.replace(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
    );
    assert_eq!(found(&reduced, "2x64"), none());
}

/// How large the parts of a tensor are may be passed: then what lies behind them in shared memory
/// is not read.
#[test]
fn the_parts_of_a_tensor_map_have_the_size_that_is_passed() {
    // The second half of `out` is written while its first half is copied out.
    let code = PRODUCT.replace("FREE:\n", "FREE:\n@%p2 bra END;\nst.shared.u32 [out+128], %r1;\n");
    let kinds = |arguments: &[&str]| -> BTreeSet<FindingKind> {
        let answer = asked(
            &code.replace(
                "st.shared.u32 [out+128], %r1;",
                "setp.ne.u32 %p6, %r1, 33;\n@%p6 bra GO;\nst.shared.u32 [out+128], %r1;\nGO:",
            ),
            "1x64",
            arguments,
        );
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    };
    assert_eq!(kinds(&[]), race());
    assert_eq!(kinds(&["1=tensor:128"]), none());
}

/// The other block of a pair has a part of the matrices in its memory: that it is not looked at is
/// said, and no answer is *none*.
#[test]
fn the_memory_of_the_other_block_of_a_pair_is_not_looked_at() {
    let answer = asked(&PRODUCT.replace(".mma.cta_group::1", ".mma.cta_group::2"), "1x64", &[]);
    assert!(!answer.is_settled(false) && answer.wrong().is_none());
    assert!(
        answer.not_looked().iter().any(|not| not.why.contains("the other block of the pair")),
        "{:#?}",
        answer.not_looked()
    );
}

/// "Accessing the accumulator register ... without first performing a wgmma.wait_group instruction
/// that waits on a wgmma-group including that wgmma.mma_async instruction is undefined behavior":
/// no answer is *none* then. Copies of registers are no use of them.
#[test]
fn accumulators_of_warpgroups_are_waited_for() {
    let of = |behind: &str| {
        let text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 o)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .reg .f32 %f<9>;\n.shared .align 1024 .b8 a[2048];\n.shared .align 1024 .b8 b[256];\nld.param.u64 %rd1, [o];\n\
             mov.u32 %r1, a;\nshr.u32 %r2, %r1, 4;\ncvt.u64.u32 %rd2, %r2;\nor.b64 %rd2, %rd2, 0x4000004000010000;\nmov.u32 %r3, b;\n\
             shr.u32 %r4, %r3, 4;\ncvt.u64.u32 %rd3, %r4;\nor.b64 %rd3, %rd3, 0x4000004000010000;\nmov.f32 %f1, 0f00000000;\n\
             mov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\nwgmma.fence.sync.aligned;\n\
             wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f1, %f2, %f3, %f4}}, %rd2, %rd3, 1, 1, 1, 0, 0;\n{behind}\nret;\n}}\n"
        );
        let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let launches: Vec<Launch> = vec!["1x1".parse().expect("a launch")];
        let function = module.function("k").expect("it is there");
        let answer = ask(&KernelQuestion {
            launches: &launches,
            ..KernelQuestion::new(&text, &module, function)
        })
        .expect("an answer");
        answer.not_looked().iter().any(|not| not.why.contains("before a `wgmma.wait_group`"))
    };
    let (commit, stored) = ("wgmma.commit_group.sync.aligned;\n", "st.global.f32 [%rd1], %f1;");
    let waited = |left: u32| format!("wgmma.wait_group.sync.aligned {left};\n");
    let again = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, %rd2, %rd3, 0, 1, 1, 0, 0;\n";
    let copied = "mov.f32 %f5, %f1;\n";
    for (behind, is_early) in [
        (format!("{commit}{}{stored}", waited(0)), false),
        (format!("{commit}{stored}{}", waited(0)), true),
        (format!("{commit}{}{stored}", waited(1)), true),
        // It is in no group.
        (format!("{}{stored}", waited(0)), true),
        (format!("{commit}{again}{commit}{}{stored}", waited(1)), false),
        (format!("{again}{commit}{}{stored}", waited(1)), true),
        (format!("{commit}{copied}{}st.global.f32 [%rd1], %f5;", waited(0)), false),
        (format!("{commit}{copied}st.global.f32 [%rd1], %f5;"), true),
        (format!("{commit}{copied}mov.f32 %f5, 0f00000000;\nst.global.f32 [%rd1], %f5;"), false),
    ] {
        assert_eq!(of(&behind), is_early, "{behind}");
    }
}
