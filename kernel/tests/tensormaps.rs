//! Kernels that change tensor maps, those in which several copies by tensor maps share what an
//! mbarrier is told of, and other asynchronous operations of today: the right ones are quiet, and
//! in each of the others a race is found.

use std::collections::BTreeSet;

use margay_kernel::launch::Launch;
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, ask};

fn asked(code: &str, launch: &str) -> KernelAnswer {
    let text = format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 maps, .param .u64 out, .param .u64 flag, .param .u64 data) {{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .b16 %rs<3>;\n.shared .align 128 .b8 smap[128];\n.shared .align 128 .b8 tiles[96];\n\
         .shared .align 8 .b64 bar;\n.shared .align 8 .b64 full[2];\n.shared .align 8 .b64 empty[2];\n\
         ld.param.u64 %rd1, [maps];\nld.param.u64 %rd2, [out];\nld.param.u64 %rd3, [flag];\nld.param.u64 %rd4, [data];\n\
         cvta.to.global.u64 %rd5, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\ncvta.to.global.u64 %rd3, %rd3;\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n{code}\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    let function = module.function("k").expect("it is there");
    ask(&KernelQuestion { launches: &launches, ..KernelQuestion::new(&text, &module, function) })
        .unwrap_or_else(|why| panic!("{why}"))
}

/// What is found; nothing of anything else may be left open.
fn found(code: &str, launch: &str) -> BTreeSet<FindingKind> {
    let answer = asked(code, launch);
    let all: BTreeSet<FindingKind> =
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect();
    assert!(!all.is_empty() || answer.is_settled(false), "{code}\n{:#?}", answer.not_looked());
    all
}

fn right() -> BTreeSet<FindingKind> {
    BTreeSet::new()
}

fn race() -> BTreeSet<FindingKind> {
    [FindingKind::Race].into()
}

const RELEASE: &str = "fence.proxy.tensormap::generic.release.gpu;";
const ACQUIRE: &str = "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;";
const REPLACE: &str = "tensormap.replace.tile.global_address.global.b1024.b64 [%rd5], %rd4;";

/// A copy into the tile, and the wait for it.
fn load(label: &str, parity: u32) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n\
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tiles], [%rd1, {{%r10, %r10}}], [bar];\n\
         {label}:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], {parity};\n@!%p2 bra {label};\n"
    )
}

/// Of one thread.
fn alone(code: &str) -> String {
    format!(
        "mov.u32 %r10, 0;\nmbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n{code}"
    )
}

#[test]
fn a_map_is_released_and_acquired_before_a_copy_reads_it() {
    let copy = load("W", 0);
    assert_eq!(found(&alone(&format!("{REPLACE}\n{RELEASE}\n{ACQUIRE}\n{copy}")), "1x1"), right());
    // The acquire fence was missing in grouped matrix products.
    assert_eq!(found(&alone(&format!("{REPLACE}\n{RELEASE}\n{copy}")), "1x1"), race());
    assert_eq!(found(&alone(&format!("{REPLACE}\n{ACQUIRE}\n{copy}")), "1x1"), race());
    assert_eq!(found(&alone(&format!("{REPLACE}\n{ACQUIRE}\n{RELEASE}\n{copy}")), "1x1"), race());
    assert_eq!(found(&alone(&format!("{REPLACE}\nfence.proxy.async;\n{copy}")), "1x1"), race());
    // That of another map.
    let other = ACQUIRE.replace("[%rd1]", "[%rd1+128]");
    assert_eq!(found(&alone(&format!("{REPLACE}\n{RELEASE}\n{other}\n{copy}")), "1x1"), race());
    // A map that is written by stores, field by field.
    let stores = "st.global.v2.u64 [%rd5], {%rd4, %rd4};\nst.global.u32 [%rd5+64], %r10;";
    assert_eq!(found(&alone(&format!("{stores}\n{RELEASE}\n{ACQUIRE}\n{copy}")), "1x1"), right());
    assert_eq!(found(&alone(&format!("{stores}\n{RELEASE}\n{copy}")), "1x1"), race());
    // Nobody changes it.
    assert_eq!(found(&alone(&copy), "1x1"), right());
}

#[test]
fn a_map_is_changed_when_no_copy_reads_it_any_more() {
    let fences = format!("{RELEASE}\n{ACQUIRE}");
    let group = |wait: &str| {
        format!(
            "{REPLACE}\n{fences}\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tiles], [%rd1, {{%r10, %r10}}], [bar];\n{wait}\n"
        )
    };
    let wait = |label: &str| {
        format!(
            "{label}:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra {label};\n"
        )
    };
    assert_eq!(found(&alone(&format!("{}{REPLACE}\n", group(&wait("W")))), "1x1"), right());
    // The map of a group was changed while copies of the one before still read it.
    assert_eq!(found(&alone(&format!("{}{REPLACE}\n", group(""))), "1x1"), race());
    let out = |wait: &str| {
        format!(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {{%r10, %r10}}], [tiles];\ncp.async.bulk.commit_group;\n{wait}\n{REPLACE}\n"
        )
    };
    assert_eq!(
        asked(&alone(&out("cp.async.bulk.wait_group.read 0;")), "1x1")
            .wrong()
            .map(|l| l.findings.len()),
        None
    );
    assert_eq!(found(&alone(&out("")), "1x1"), race());
}

#[test]
fn a_map_goes_from_block_to_block() {
    let blocks = |release: &str, acquire: &str| {
        let copy = load("W", 0);
        alone(&format!(
            "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra READ;\n{REPLACE}\n{release}\nst.release.gpu.global.u32 [%rd3], 1;\nret;\n\
             READ:\nld.acquire.gpu.global.u32 %r3, [%rd3];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra READ;\n{acquire}\n{copy}"
        ))
    };
    assert_eq!(found(&blocks(RELEASE, ACQUIRE), "2x1"), right());
    assert_eq!(found(&blocks(RELEASE, ""), "2x1"), race());
    assert_eq!(found(&blocks("", ACQUIRE), "2x1"), race());
    assert_eq!(found(&blocks(&RELEASE.replace("gpu", "cta"), ACQUIRE), "2x1"), race());
}

#[test]
fn a_map_is_made_in_shared_memory() {
    // Each lane copies a part of the map, one changes it, and the warp copies it out.
    let code = |acquire: &str, meet: &str| {
        let copy = load("W", 0);
        format!(
            "mov.u32 %r10, 0;\nmul.lo.u32 %r4, %r1, 4;\nmov.u32 %r5, smap;\nadd.u32 %r5, %r5, %r4;\nst.shared.u32 [%r5], %r1;\n{meet}\n\
             setp.ne.u32 %p1, %r1, 0;\n@%p1 bra PUBLISH;\nmbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n\
             tensormap.replace.tile.global_address.shared::cta.b1024.b64 [smap], %rd4;\nPUBLISH:\nbar.warp.sync 0xffffffff;\n\
             tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd5], [smap], 128;\n\
             @%p1 bra DONE;\n{acquire}\n{copy}DONE:\n"
        )
    };
    let meet = "bar.warp.sync 0xffffffff;";
    assert_eq!(found(&code(ACQUIRE, meet), "1x4"), right());
    assert_eq!(found(&code("", meet), "1x4"), race());
    assert_eq!(found(&code(ACQUIRE, ""), "1x4"), race());
}

/// One thread copies the tiles of two operands by tensor maps, of 32 and of 16 bytes, into two
/// stages; another one reads them. Each stage has two mbarriers.
const PIPELINE: &str = "mov.u32 %r10, 0;
mov.u32 %r11, 0;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra MEET;
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.init.shared::cta.b64 [full+8], 1;
mbarrier.init.shared::cta.b64 [empty], 1;
mbarrier.init.shared::cta.b64 [empty+8], 1;
fence.mbarrier_init.release.cluster;
MEET:
bar.sync 0;
NEXT:
setp.ge.u32 %p2, %r11, 3;
@%p2 bra DONE;
and.b32 %r12, %r11, 1;
shr.u32 %r13, %r11, 1;
and.b32 %r13, %r13, 1;
xor.b32 %r14, %r13, 1;
shl.b32 %r15, %r12, 3;
mov.u32 %r16, empty;
add.u32 %r16, %r16, %r15;
mov.u32 %r17, full;
add.u32 %r17, %r17, %r15;
mov.u32 %r18, tiles;
shl.b32 %r8, %r12, 5;
add.u32 %r18, %r18, %r8;
mov.u32 %r19, tiles;
shl.b32 %r9, %r12, 4;
add.u32 %r19, %r19, %r9;
add.u32 %r11, %r11, 1;
@%p1 bra CONSUMER;
PRODUCER:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r16], %r14;
@!%p3 bra PRODUCER;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r17], 48;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r18], [%rd1, {%r10, %r10}], [%r17];
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r19+64], [%rd4, {%r10, %r10}], [%r17];
bra NEXT;
CONSUMER:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r17], %r13;
@!%p3 bra CONSUMER;
ld.shared.u32 %r4, [%r18+28];
ld.shared.u32 %r5, [%r19+76];
mbarrier.arrive.shared::cta.b64 _, [%r16];
bra NEXT;
DONE:";

#[test]
fn a_pipeline_of_two_operands_is_judged() {
    let changed = |from: &str, to: &str| {
        assert_eq!(PIPELINE.matches(from).count(), 1, "{from}");
        PIPELINE.replace(from, to)
    };
    assert_eq!(found(PIPELINE, "1x2"), right());
    let read = "ld.shared.u32 %r4, [%r18+28];\nld.shared.u32 %r5, [%r19+76];\n";
    let released = "mbarrier.arrive.shared::cta.b64 _, [%r16];\n";
    assert_eq!(
        found(&changed(&format!("{read}{released}"), &format!("{released}{read}")), "1x2"),
        race()
    );
    assert_eq!(found(&changed("@!%p3 bra CONSUMER;\n", ""), "1x2"), race());
    assert_eq!(found(&changed("@!%p3 bra PRODUCER;\n", ""), "1x2"), race());
    // The parity that does not change with the rounds.
    assert_eq!(found(&changed("[%r17], %r13;", "[%r17], 0;"), "1x2"), race());
    // Each tile to its last byte, and not beyond.
    assert_eq!(
        found(
            &changed(
                "ld.shared.u32 %r5, [%r19+76];\n",
                "ld.shared.u32 %r5, [%r19+76];\nst.shared.u32 [%r18+32], 1;\n"
            ),
            "1x2"
        ),
        race()
    );
}

#[test]
fn bulk_stores_are_weak_stores() {
    let stored = |then: &str| format!("st.bulk.weak.shared::cta [tiles], 64, 0;\n{then}");
    assert_eq!(
        found(
            &stored("ld.shared.u32 %r3, [tiles+60];\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 trap;"),
            "1x1"
        ),
        right()
    );
    let other = |meet: &str| {
        let write = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\nst.bulk.weak.shared::cta [tiles], 64, 0;\nMEET:\n";
        format!(
            "{write}{meet}\nshl.b32 %r4, %r1, 2;\nmov.u32 %r5, tiles;\nadd.u32 %r5, %r5, %r4;\nld.shared.u32 %r3, [%r5];"
        )
    };
    assert_eq!(found(&other("bar.sync 0;"), "1x2"), right());
    assert_eq!(found(&other(""), "1x2"), race());
    // A bulk copy reads them through another proxy.
    let out = |fence: &str| {
        stored(&format!(
            "{fence}\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], [tiles], 64;\ncp.async.bulk.commit_group;"
        ))
    };
    assert_eq!(found(&out("fence.proxy.async;"), "1x1"), right());
    assert_eq!(
        found(
            &out("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"),
            "1x1"
        ),
        right()
    );
    assert_eq!(found(&out("fence.proxy.async.global;"), "1x1"), race());
    assert_eq!(found(&out(""), "1x1"), race());
}

#[test]
fn copies_under_a_mask_are_of_their_bytes() {
    // The first and the third word of 16 bytes.
    let copy = |then: &str| {
        format!(
            "mov.b16 %rs1, 0x0f0f;\nfence.proxy.async;\ncp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd2], [tiles], 16, %rs1;\n\
             cp.async.bulk.commit_group;\n{then}"
        )
    };
    let masked = |at: u32| copy(&format!("st.shared.u32 [tiles+{at}], 1;"));
    assert_eq!(found(&masked(0), "1x1"), race());
    assert_eq!(found(&masked(4), "1x1"), right());
    assert_eq!(found(&masked(8), "1x1"), race());
    assert_eq!(found(&copy("ld.global.u32 %r3, [%rd2+12];"), "1x1"), right());
    // A predicate that ignores the source: zeros come.
    let ignoring = |ignores: u32, then: u32| {
        format!(
            "st.shared.u32 [tiles], 5;\nsetp.eq.u32 %p1, %r1, {};\ncp.async.ca.shared.global [tiles], [%rd5], 4, %p1;\ncp.async.wait_all;\n\
             ld.shared.u32 %r3, [tiles];\nsetp.ne.u32 %p2, %r3, {then};\n@%p2 trap;\nst.global.u32 [%rd5], 7;",
            1 - ignores
        )
    };
    assert_eq!(found(&format!("st.global.u32 [%rd5], 7;\n{}", ignoring(1, 0)), "1x1"), right());
    assert_eq!(found(&format!("st.global.u32 [%rd5], 7;\n{}", ignoring(0, 7)), "1x1"), right());
    assert_eq!(
        found(&format!("st.global.u32 [%rd5], 7;\n{}", ignoring(1, 7)), "1x1"),
        [FindingKind::Trap].into()
    );
}

/// Two copies of each block of a cluster go to both blocks, and lie apart, so that how large they
/// are is not known. Each block brings its own, and no more comes than was told of: the phase is
/// not taken to be over too early.
#[test]
fn copies_to_several_blocks_come_once_from_each() {
    let copy = |to: &str| {
        format!(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [{to}], [%rd1, {{%r10, %r10}}], [bar], %rs1;\n"
        )
    };
    let code = format!(
        "mov.u32 %r10, 0;\nmov.u32 %r3, %cluster_ctarank;\nmov.b16 %rs1, 3;\nmov.u32 %r5, tiles;\nmad.lo.u32 %r8, %r3, 16, %r5;\n\
         add.u32 %r8, %r8, 64;\nmad.lo.u32 %r5, %r3, 32, %r5;\nmbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n\
         barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n{}{}\
         ONCE:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra ONCE;\nld.shared.u32 %r6, [tiles];\n\
         barrier.cluster.arrive;\nbarrier.cluster.wait;\nmad.wide.u32 %rd2, %r2, 4, %rd2;\nst.global.u32 [%rd2], %r6;",
        copy("%r5"),
        copy("%r8")
    );
    let answer = asked(&code, "2x1@cluster=2");
    assert!(answer.wrong().is_none(), "{answer:#?}");
    assert!(
        answer.not_looked().iter().any(|n| n.why.contains("only the first 16 bytes")),
        "{:#?}",
        answer.not_looked()
    );
}

/// The first block of a cluster alone brings the whole to both: it is not divided by the blocks
/// that it goes to, and the phase ends.
#[test]
fn copies_to_several_blocks_may_come_from_one() {
    let code = |wait: &str| {
        format!(
            "mov.u32 %r10, 0;\nmov.u32 %r3, %cluster_ctarank;\nmov.b16 %rs1, 3;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 %r5, tiles;\n\
             mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n\
             mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n\
             @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd1, {{%r10, %r10}}], [bar], %rs1;\n\
             {wait}ld.shared.u32 %r6, [tiles+32];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nmad.wide.u32 %rd2, %r2, 4, %rd2;\n\
             st.global.u32 [%rd2], %r6;"
        )
    };
    let wait = "ONCE:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra ONCE;\n";
    assert_eq!(found(&code(wait), "2x1@cluster=2"), right());
    assert_eq!(found(&code(""), "2x1@cluster=2"), race());
}

/// Copies to several blocks, round by round: what a block is told of in one round, those of all
/// blocks bring in it, and nothing is left for the next one.
#[test]
fn copies_to_several_blocks_bring_all_of_a_round() {
    let round = |parity: u32| {
        format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n\
             cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd1, {{%r10, %r10}}], [bar], %rs1;\n\
             R{parity}:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], {parity};\n@!%p2 bra R{parity};\n\
             ld.shared.u32 %r6, [tiles];\nld.shared.u32 %r7, [tiles+32];\n"
        )
    };
    let meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    let code = |between: &str| {
        format!(
            "mov.u32 %r10, 0;\nmov.u32 %r3, %cluster_ctarank;\nmov.b16 %rs1, 3;\nmov.u32 %r5, tiles;\nmad.lo.u32 %r5, %r3, 32, %r5;\n\
             mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n\
             {}{between}{}{meet}mad.wide.u32 %rd2, %r2, 4, %rd2;\nst.global.u32 [%rd2], %r6;",
            round(0),
            round(1)
        )
    };
    assert_eq!(found(&code(meet), "2x1@cluster=2"), right());
    // One block fills the stage of the other one, which reads it.
    assert_eq!(found(&code(""), "2x1@cluster=2"), race());
}

/// `.ignore_oob`: bytes at the start and at the end of a copy are not read, also where they would
/// be outside of the array; what is then at their places may be anything, and it counts for the
/// mbarrier.
#[test]
fn bytes_that_a_copy_ignores_are_not_read_and_hold_anything() {
    let copy = |ends: [u32; 2], then: &str, behind: &str| {
        alone(&format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n\
             cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [tiles], [%rd2], 16, {}, {}, [bar];\n{then}\n\
             DONE:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra DONE;\n{behind}",
            ends[0], ends[1]
        ))
    };
    let changed =
        |ends, at: u32| found(&copy(ends, &format!("st.global.u32 [%rd2+{at}], 1;"), ""), "1x1");
    assert_eq!(changed([4, 4], 0), right());
    assert_eq!(changed([4, 4], 4), race());
    assert_eq!(changed([4, 4], 8), race());
    assert_eq!(changed([4, 4], 12), right());
    assert_eq!(changed([0, 0], 0), race());
    // All of it is written, whether or not it was read.
    let written = |at: u32| {
        found(
            &copy(
                [4, 4],
                &format!("ld.shared.u32 %r3, [tiles+{at}];\nst.global.u32 [%rd3], %r3;"),
                "",
            ),
            "1x1",
        )
    };
    assert_eq!(written(0), race());
    assert_eq!(written(8), race());
    // What comes is what was there; what was ignored decides nothing with certainty.
    let zero = |at: u32| {
        copy(
            [4, 4],
            "",
            &format!("ld.shared.u32 %r3, [tiles+{at}];\nsetp.ne.u32 %p3, %r3, 0;\n@%p3 trap;"),
        )
    };
    assert_eq!(found(&zero(8), "1x1"), right());
    let open = asked(&zero(0), "1x1");
    assert!(open.wrong().is_none() && !open.is_settled(false), "{:#?}", open.not_looked());
}

/// Of matrices whose descriptors are not known it is not looked at what is read. The thread goes
/// on, and what else it does is.
#[test]
fn tensor_cores_leave_the_rest_of_a_kernel() {
    let code = |meet: &str, wait: &str| {
        format!(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\nmbarrier.init.shared::cta.b64 [bar], 1;\nMEET:\n\
             tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smap], 64;\n{meet}\nld.shared.u32 %r4, [smap];\n@%p1 bra WAIT;\n\
             tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd6, %rd7, %r5, %p1;\n\
             tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\nWAIT:\n{wait}\n\
             tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r6}}, [%r4];\ntcgen05.wait::ld.sync.aligned;\n\
             tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 64;"
        )
    };
    let wait = "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra W;";
    let right = asked(&code("bar.sync 0;", wait), "1x2");
    assert!(right.wrong().is_none() && !right.is_settled(false), "{:#?}", right.not_looked());
    assert!(
        right.not_looked().iter().any(|n| n.why.contains("the descriptor of a matrix")),
        "{:#?}",
        right.not_looked()
    );
    // The address of tensor memory is read before the warp has it.
    assert_eq!(found(&code("", wait), "1x2"), race());
    // Nobody arrives where there is no commit.
    let none = code("bar.sync 0;", wait).replace(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n",
        "",
    );
    assert!(
        asked(&none, "1x2")
            .wrong()
            .is_some_and(|l| l.findings.iter().all(|f| f.kind == FindingKind::Endless))
    );
}

/// Bytes that never meet, and parities that never come, are findings.
#[test]
fn waits_at_mbarriers_that_never_end_are_found() {
    let code = |expected: &str, parity: u32| {
        let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tiles], [%rd5], 16, [bar];";
        alone(&format!(
            "{expected}\n{copy}\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], {parity};\n@!%p2 bra W;"
        ))
    };
    let expect =
        |bytes: u32| format!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {bytes};");
    let endless: BTreeSet<FindingKind> = [FindingKind::Endless].into();
    assert_eq!(found(&code(&expect(16), 0), "1x1"), right());
    assert_eq!(found(&code(&expect(32), 0), "1x1"), endless);
    assert_eq!(found(&code("", 0), "1x1"), endless);
    let twice = "V:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 1;\n@!%p2 bra V;";
    assert_eq!(found(&format!("{}\n{twice}", code(&expect(16), 0)), "1x1"), endless);
}
