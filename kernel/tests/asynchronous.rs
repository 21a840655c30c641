//! Kernels with mbarriers, asynchronous copies, clusters and warps' barriers, as nvcc prints them:
//! the right ones are quiet, and of each of the others is said what it does wrong. Every finding is
//! confirmed by the engines on its litmus test, read anew.

use std::collections::BTreeSet;

use margay_kernel::launch::{GivenArgument, Launch};
use margay_kernel::{FindingKind, KernelAnswer, KernelQuestion, KernelReading, ask};
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

const BULK: &str = include_str!("../../tests/kernels/bulk.ptx");
const STAGES: &str = include_str!("../../tests/kernels/stages.ptx");
const CLUSTERS: &str = include_str!("../../tests/kernels/clusters.ptx");
const COPIES: &str = include_str!("../../tests/kernels/copies.ptx");
const WARPS: &str = include_str!("../../tests/kernels/warps.ptx");

const NOTHING: Option<FindingKind> = None;
const RACE: Option<FindingKind> = Some(FindingKind::Race);
const ENDLESS: Option<FindingKind> = Some(FindingKind::Endless);

fn asked(text: &str, kernel: &str, launch: &str) -> KernelAnswer {
    let module = margay_ptx::read(text).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let launches: Vec<Launch> = vec![launch.parse().expect("a launch")];
    ask(&KernelQuestion {
        launches: &launches,
        ..KernelQuestion::new(text, &module, module.function(kernel).expect(kernel))
    })
    .unwrap_or_else(|why| panic!("{kernel}: {why}"))
}

/// What is found in a launch, where that is certain.
fn found(text: &str, kernel: &str, launch: &str) -> BTreeSet<FindingKind> {
    let answer = asked(text, kernel, launch);
    assert!(
        answer.wrong().is_some() || answer.is_settled(false),
        "{kernel}, {launch}: {:#?}",
        answer.not_looked()
    );
    for finding in answer.launches.iter().flat_map(|l| &l.findings) {
        let file = SourceFile::new("found.litmus", finding.litmus.clone());
        let read = read::test(&file).unwrap_or_else(|e| panic!("{e:?}\n{}", finding.litmus));
        let model = finding.model().expect("it is read");
        // Some pipelines have more paths than the SAT engine takes, and others more executions than
        // are listed in a second.
        let mut runner = Runner::new(model);
        let few = Options { steps: Some(20_000), ..Options::default() };
        let listed = runner.run(&read.test, &few, Choice::Only(Engine::Explicit));
        let whole = Options::default();
        let verdict = [Engine::Sat, Engine::Explicit]
            .into_iter()
            .fold(listed, |found, engine| {
                found.or_else(|_| runner.run(&read.test, &whole, Choice::Only(engine)))
            })
            .expect("an answer");
        match finding.kind {
            FindingKind::Race => assert!(verdict.race.is_some(), "{}", finding.litmus),
            FindingKind::Endless => assert!(!verdict.reachable, "{}", finding.litmus),
            _ => assert!(verdict.reachable, "{}", finding.litmus),
        }
        assert!(!finding.stands.is_empty(), "{finding:#?}");
    }
    answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
}

fn judged(text: &str, launch: &str, all: &[(&str, Option<FindingKind>)]) {
    for &(kernel, expected) in all {
        assert_eq!(
            found(text, kernel, launch),
            expected.into_iter().collect(),
            "{kernel} in {launch}"
        );
    }
}

#[test]
fn bulk_copies_are_judged() {
    let all = [
        ("bulk", NOTHING),
        ("bulk_without_fence", RACE),
        ("bulk_fence_behind", RACE),
        ("bulk_wrong_parity", RACE),
        ("bulk_init_not_awaited", RACE),
        // Fewer bytes are expected than come: the phase does not end.
        ("bulk_too_few_bytes", ENDLESS),
        ("bulk_not_awaited", RACE),
        ("bulk_overwritten", RACE),
        ("bulk_filled", NOTHING),
        ("bulk_filled_without_fence", RACE),
    ];
    judged(BULK, "1x2", &all);
    judged(BULK, "1x4", &all);
    judged(BULK, "2x1", &[("bulk", NOTHING), ("bulk_without_fence", RACE)]);
}

/// A race names the two accesses, also where they are those of one thread.
#[test]
fn a_thread_races_with_its_own_copy() {
    let answer = asked(BULK, "bulk_without_fence", "1x1");
    let finding = &answer.wrong().expect("a race").findings[0];
    let texts: Vec<&str> = finding.stands.iter().map(|s| s.spot.text.as_str()).collect();
    assert!(
        texts[0].starts_with("st.shared")
            && texts[1].starts_with("cp.async.bulk.global.shared::cta"),
        "{texts:?}"
    );
    assert_eq!((finding.stands[0].thread, finding.stands[1].thread), (0, 0));
}

#[test]
fn pipelines_are_judged() {
    let all = [
        ("stages_released_too_early", RACE),
        ("stages_not_waited_for", RACE),
        ("stages_wrong_first_parity", ENDLESS),
        ("stages_wrong_parity", RACE),
        ("stages_one_release_too_few", ENDLESS),
    ];
    judged(STAGES, "1x2", &all);
    judged(STAGES, "1x2", &[("stages_right", NOTHING)]);
}

#[test]
fn clusters_are_judged() {
    let all = [
        ("neighbours", NOTHING),
        ("neighbours_without_barrier", RACE),
        ("neighbours_fenced", NOTHING),
        ("neighbours_relaxed", RACE),
        ("sent_to_neighbour", NOTHING),
        ("sent_without_init_fence", RACE),
        ("sent_and_not_awaited", RACE),
    ];
    judged(CLUSTERS, "2x1@cluster=2", &all);
    // The kernel says how many blocks a cluster has.
    judged(CLUSTERS, "2x1", &all[..2]);
    judged(CLUSTERS, "4x1", &[("neighbours", NOTHING), ("sent_to_neighbour", NOTHING)]);
}

#[test]
fn copies_of_the_library_are_judged() {
    let all = [
        ("copied_by_barrier", NOTHING),
        ("copied_and_not_awaited", RACE),
        ("copied_init_not_awaited", RACE),
        ("copied_by_pipeline", NOTHING),
        ("copied_and_awaited_alone", RACE),
        ("copied_pipeline_not_awaited", RACE),
        ("copied_by_group", NOTHING),
        ("copied_by_group_not_awaited", RACE),
    ];
    judged(COPIES, "1x2", &all);
    judged(COPIES, "1x33", &[("copied_by_barrier", NOTHING), ("copied_and_not_awaited", RACE)]);
    judged(COPIES, "2x1", &[("first_of_two", NOTHING), ("first_of_two_too_early", RACE)]);
}

#[test]
fn warps_are_judged() {
    let all = [
        ("sum_of_a_warp", NOTHING),
        ("sum_without_syncwarp", RACE),
        ("told_by_shuffle", NOTHING),
        ("told_by_shuffle_alone", RACE),
    ];
    judged(WARPS, "1x8", &all);
}

/// A module of one kernel with this code.
fn small_text(code: &str) -> String {
    format!(
        ".version 8.6\n.target sm_100\n.address_size 64\n.global .align 16 .b8 in[64];\n.global .align 16 .b8 out[64];\n\
         .global .align 64 .b8 map[128];\n.shared .align 16 .b8 tile[64];\n.shared .align 8 .b64 bar;\n.visible .entry k()\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n\
         .reg .b64 %rd<20>;\n{code}\nret;\n}}\n"
    )
}

/// Small texts, each with what PTX's description of an instruction says of it.
fn small(code: &str, launch: &str) -> Option<BTreeSet<FindingKind>> {
    let answer = asked(&small_text(code), "k", launch);
    let settled = answer.is_settled(false) || answer.is_certain();
    settled.then(|| {
        answer.wrong().into_iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect()
    })
}

const LOADED: &str = "mbarrier.init.shared::cta.b64 [bar], 1;\n\
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n\
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [in], 16, [bar];\n\
    W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n@!%p1 bra W;\nld.shared.u32 %r1, [tile+8];\n";

#[test]
fn details_are_followed() {
    let race = || Some([FindingKind::Race].into());
    let nothing = || Some(BTreeSet::new());
    assert_eq!(small(LOADED, "1x1"), nothing());
    // Of 16 bytes those are overwritten that another copy reads.
    let stored = "fence.proxy.async;\ncp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16;\ncp.async.bulk.commit_group;\n";
    let overwritten = |at: u32| format!("{LOADED}{stored}st.shared.u32 [tile+{at}], 5;");
    assert_eq!(small(&overwritten(12), "1x1"), race());
    assert_eq!(small(&overwritten(16), "1x1"), nothing());
    // A wait for reads is enough for what is read, and not for what is written.
    let awaited =
        |how: &str, then: &str| format!("{LOADED}{stored}cp.async.bulk.wait_group{how} 0;\n{then}");
    assert_eq!(small(&awaited(".read", "st.shared.u32 [tile], 5;"), "1x1"), nothing());
    assert_eq!(small(&awaited(".read", "ld.global.u32 %r2, [out];"), "1x1"), race());
    assert_eq!(small(&awaited("", "ld.global.u32 %r2, [out];"), "1x1"), nothing());
    // Reductions do not race with each other, and with a plain store they do.
    let reduced = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [out], [tile], 16;\n";
    assert_eq!(small(&format!("{reduced}{reduced}"), "1x1"), nothing());
    assert_eq!(small(&format!("{reduced}st.global.u32 [out], 1;"), "1x1"), race());
    // A copy outside of its array.
    let outside = LOADED.replace("[in], 16", "[in+56], 16");
    assert_eq!(small(&outside, "1x1"), Some([FindingKind::Outside].into()));
    // An arrival that says how many, and a phase that waits for two.
    let two = "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.shared.b64 %rd1, [bar], 2;\nW: mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;\n@!%p1 bra W;";
    assert_eq!(small(two, "1x1"), nothing());
    assert_eq!(
        small(&two.replace("%rd1, [bar], 2", "%rd1, [bar], 1"), "1x1"),
        Some([FindingKind::Endless].into())
    );
}

/// Bytes that nobody reads are counted by whoever waits for them, those of each `st.async`,
/// `red.async` and copy in a row.
#[test]
fn bytes_that_nobody_reads_complete_a_phase() {
    let bytes = |expected: u32| {
        let sent = |what: &str, at: u32| format!("{what} [tile+{at}], 1, [bar];\n");
        let (store, add) = (
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32",
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
        );
        let copy = |at: u32| {
            format!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{at}], [in], 16, [bar];\n"
            )
        };
        let (start, wait) = (
            format!(
                "mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {expected};\n"
            ),
            "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n@!%p1 bra W;\n",
        );
        [start, sent(store, 0), sent(store, 4), copy(16), sent(add, 8), copy(32), wait.to_owned()]
            .concat()
    };
    assert_eq!(small(&bytes(44), "1x1@cluster=1"), Some(BTreeSet::new()));
    assert_eq!(small(&bytes(48), "1x1@cluster=1"), Some([FindingKind::Endless].into()));
}

/// A phase is complete before all have come where more arrive than it waits for, and where an
/// mbarrier is told of fewer bytes than copies bring. What the others still write is a race.
#[test]
fn phases_may_be_complete_too_early() {
    let race = || Some([FindingKind::Race].into());
    let nothing = || Some(BTreeSet::new());
    let of_threads = |count: u32| {
        format!(
            "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra B;\nmbarrier.init.shared::cta.b64 [bar], {count};\nB: bar.sync 0;\n\
             setp.ne.u32 %p3, %r1, 3;\n@%p3 bra A;\nst.shared.u32 [tile], 1;\nA: mbarrier.arrive.shared::cta.b64 _, [bar];\n\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n@!%p1 bra W;\n@%p2 bra E;\nld.shared.u32 %r2, [tile];\nst.global.u32 [out], %r2;\nE:\n"
        )
    };
    assert_eq!(small(&of_threads(4), "1x4"), nothing());
    assert_eq!(small(&of_threads(3), "1x4"), race());
    assert_eq!(small(&of_threads(5), "1x4"), Some([FindingKind::Endless].into()));
    let of_bytes = |told: u32, then: &str| {
        let copy = |at: u32| {
            format!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{at}], [in], 16, [bar];\n"
            )
        };
        format!(
            "mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {told};\n{}{}\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n@!%p1 bra W;\n{then}",
            copy(0),
            copy(16)
        )
    };
    assert_eq!(small(&of_bytes(32, "ld.shared.u32 %r1, [tile+16];"), "1x1"), nothing());
    assert_eq!(small(&of_bytes(16, "ld.shared.u32 %r1, [tile+16];"), "1x1"), race());
    assert_eq!(small(&of_bytes(16, ""), "1x1"), nothing());
    assert_eq!(small(&of_bytes(64, ""), "1x1"), Some([FindingKind::Endless].into()));
}

/// A thread that stops where something is undefined keeps others waiting for what does not come
/// then. What is told of first is where it stops.
#[test]
fn what_others_wait_for_in_vain_is_told_of_by_its_cause() {
    let of = |code: &str| {
        let text = small_text(&format!(
            "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra B;\nmbarrier.init.shared::cta.b64 [bar], 1;\nB: bar.sync 0;\n@%p2 bra W;\n{code}\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n@!%p1 bra W;\n"
        ));
        let answer = asked(&text, "k", "1x2");
        let findings = &answer.wrong().expect("something is found").findings;
        let kinds: Vec<FindingKind> = findings.iter().map(|f| f.kind).collect();
        (kinds, findings[0].stands[0].spot.text.clone())
    };
    let copy = |to: &str, bytes: u32| {
        format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {bytes};\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [in], {bytes}, [bar];\n"
        )
    };
    let arrive = "mbarrier.arrive.shared::cta.b64 _, [bar];\n";
    for (code, kind, place) in [
        (copy("tile+4", 16), FindingKind::Misaligned, "cp.async.bulk"),
        (copy("tile", 24), FindingKind::Misaligned, "cp.async.bulk"),
        (copy("tile+56", 16), FindingKind::Outside, "cp.async.bulk"),
        (copy("tile+48", 32), FindingKind::Outside, "cp.async.bulk"),
        (
            format!("mbarrier.init.shared::cta.b64 [bar], 1;\n{arrive}"),
            FindingKind::Mbarrier,
            "mbarrier.init",
        ),
        (
            format!("mbarrier.inval.shared::cta.b64 [bar];\n{arrive}"),
            FindingKind::Mbarrier,
            "mbarrier.arrive",
        ),
    ] {
        let (kinds, text) = of(&code);
        assert_eq!(kinds, [kind, FindingKind::Endless], "{code}");
        assert!(text.starts_with(place), "{text}");
    }
}

/// Fences of shared memory alone, in kernels without asynchronous copies: where each place is
/// decides what they order.
#[test]
fn fences_of_one_state_space_are_followed() {
    let race = || Some([FindingKind::Race].into());
    let nothing = || Some(BTreeSet::new());
    const RESTRICTED: &str = "fence.release.sync_restrict::shared::cta.cluster;\n";
    let start = "mov.u32 %r1, %cluster_ctarank;\nxor.b32 %r3, %r1, 1;\n";
    let meet = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
    let shared = |fence: &str| {
        let code = format!(
            "{start}mov.u32 %r4, tile;\nmapa.shared::cluster.u32 %r5, %r4, %r3;\nst.shared.u32 [tile], 5;\n{fence}{meet}\
             ld.shared::cluster.u32 %r6, [%r5];\n"
        );
        small(&code, "2x1@cluster=2")
    };
    assert_eq!(shared(RESTRICTED), nothing());
    assert_eq!(shared(""), race());
    let global = |fence: &str| {
        let code = format!(
            "{start}mov.u64 %rd1, in;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd3, %rd1;\n\
             st.global.u32 [%rd2], 5;\n{fence}{meet}ld.global.u32 %r6, [%rd3];\n"
        );
        small(&code, "2x1@cluster=2")
    };
    assert_eq!(global(RESTRICTED), race());
    assert_eq!(global("fence.acq_rel.cluster;\n"), nothing());
    for fence in ["fence.proxy.async.shared::cta", "fence.proxy.async.global"] {
        let alone = format!(
            "st.volatile.shared.u32 [tile], 5;\n{fence};\nld.volatile.shared.u32 %r1, [tile];\n"
        );
        assert_eq!(small(&alone, "1x2"), nothing(), "{fence}");
    }
}

/// Shared memory of a block that has ended is not there any more. Where no barrier of the cluster
/// keeps it there, the answer says that this is not looked at.
#[test]
fn blocks_that_may_have_ended_are_told_of() {
    const MEET: &str = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    let is_told = |address: &str, behind: &str| {
        let code = format!(
            "mov.u32 %r1, %cluster_ctarank;\nxor.b32 %r3, %r1, 1;\nmov.u32 %r4, tile;\nmapa.shared::cluster.u32 %r5, %r4, %r3;\n\
             st.shared.u32 [tile], 5;\n{MEET}ld.shared::cluster.u32 %r6, [{address}];\n{behind}"
        );
        let answer = asked(&small_text(&code), "k", "2x1@cluster=2");
        assert!(answer.wrong().is_none() && answer.is_settled(false), "{answer:#?}");
        answer.not_looked().iter().any(|n| n.line.is_some() && n.why.contains("may have ended"))
    };
    assert!(is_told("%r5", ""));
    assert!(!is_told("%r5", MEET));
    // A barrier that a block comes to and the other one does not keeps nobody.
    assert!(is_told("%r5", &format!("setp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\n{MEET}E:\n")));
    // Its own memory is there.
    assert!(!is_told("%r4", ""));
}

/// `cp.async` that reads less than it writes fills the rest with zeros.
#[test]
fn what_is_not_read_becomes_zero() {
    let code = |read: u32| {
        format!(
            "st.global.u32 [in], 7;\nst.shared.u32 [tile], 9;\ncp.async.ca.shared.global [tile], [in], 4, {read};\ncp.async.wait_all;\n\
             ld.shared.u32 %r1, [tile];\nsetp.eq.u32 %p1, %r1, {};\n@!%p1 trap;",
            if read == 0 { 0 } else { 7 }
        )
    };
    assert_eq!(small(&code(4), "1x1"), Some(BTreeSet::new()));
    assert_eq!(small(&code(0), "1x1"), Some(BTreeSet::new()));
    assert_eq!(
        small(&code(0).replace("%r1, 0;", "%r1, 7;"), "1x1"),
        Some([FindingKind::Trap].into())
    );
}

/// A part of a tensor is supposed to be of as many bytes as its mbarrier was told of. Where several
/// share them, and do not lie side by side, only its first bytes are looked at: a race is found,
/// and where none is the answer is open. Out of shared memory all is read up to what comes next.
#[test]
fn tensors_are_looked_at_in_part() {
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [in], 16, [bar];";
    let load = |to: u32| {
        format!(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile+{to}], [map, {{%r5, %r6}}], [bar];\n"
        )
    };
    let race = || Some([FindingKind::Race].into());
    let loaded = LOADED.replace(copy, &load(0));
    assert_ne!(loaded, LOADED);
    assert_eq!(small(&loaded, "1x1"), Some(BTreeSet::new()));
    let told = |bytes: u32, code: &str| code.replace("[bar], 16;", &format!("[bar], {bytes};"));
    // The last of 32 bytes that come is read too early.
    let early = |bytes: u32| {
        told(bytes, &loaded).replace("@!%p1 bra W;", "").replace("[tile+8]", "[tile+28]")
    };
    assert_eq!(small(&early(32), "1x1"), race());
    assert_eq!(small(&early(16), "1x1"), Some(BTreeSet::new()));
    // Two of 32 bytes together.
    let both = told(32, LOADED).replace(copy, &(load(0) + &load(32)));
    assert_eq!(small(&both, "1x1"), None);
    let early = both.replace("@!%p1 bra W;", "").replace("[tile+8]", "[tile+44]");
    assert_eq!(small(&early, "1x1"), race());
    // A phase that was told of nothing.
    assert_eq!(
        small(
            &loaded.replace("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n", ""),
            "1x1"
        ),
        None
    );
    // Out of shared memory.
    let stored = |fence: &str| {
        format!(
            "{LOADED}st.shared.u32 [tile+8], 5;\n{fence}\ncp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {{0, 16}}], [tile];"
        )
    };
    assert_eq!(small(&stored("fence.proxy.async.shared::cta;"), "1x1"), Some(BTreeSet::new()));
    assert_eq!(small(&stored(""), "1x1"), race());
    // Where it goes to is not known.
    assert_eq!(
        small(&stored("fence.proxy.async.shared::cta;").replace("{0, 16}", "{%r5, 16}"), "1x1"),
        None
    );
}

/// A wait of scope .cta for what another block sent: a race by the letter, and none where mbarriers
/// order shared memory whatever the scopes; without the wait it is one in both.
#[test]
fn waits_of_scope_cta_are_judged_by_a_reading() {
    let text = CLUSTERS.replace(
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64",
        "mbarrier.try_wait.parity.shared::cta.b64",
    );
    assert_ne!(text, CLUSTERS);
    let module = margay_ptx::read(&text).unwrap();
    let launches = ["2x1@cluster=2".parse().unwrap()];
    let ask_by = |kernel: &str, reading| {
        let question = KernelQuestion::new(&text, &module, module.function(kernel).unwrap());
        ask(&KernelQuestion { launches: &launches, reading, repairs: true, ..question }).unwrap()
    };
    let hint = |answer: &KernelAnswer| {
        let findings = &answer.wrong().expect("a race").findings;
        findings
            .iter()
            .flat_map(|f| &f.why)
            .any(|why| why.contains("--model ptx-8-mbarriers-order-shared"))
    };
    let letter = ask_by("sent_to_neighbour", KernelReading::Letter);
    assert!(hint(&letter), "{:?}", letter.launches);
    let other = ask_by("sent_to_neighbour", KernelReading::MbarriersOrderShared);
    assert!(other.wrong().is_none() && other.is_settled(false), "{:?}", other.launches);
    assert!(!hint(&ask_by("sent_and_not_awaited", KernelReading::Letter)));
    let wrong = ask_by("sent_and_not_awaited", KernelReading::MbarriersOrderShared);
    assert_eq!(
        wrong.wrong().map(|l| l.findings[0].model_name()),
        Some("ptx-8-mbarriers-order-shared-races.cat".to_owned())
    );
}

/// The block of rank 0 multicasts a tile to both blocks of its cluster, and each stores its own by
/// a bulk copy behind a wait of scope cta.
const FORWARDED: &str = "
.version 8.6
.target sm_90
.address_size 64
.visible .entry forwarded(.param .u64 from, .param .u64 to) .explicitcluster .reqnctapercluster 2 {
    .reg .pred %p<3>;
    .reg .b16 %rs<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<5>;
    .shared .align 128 .b8 tile[16];
    .shared .align 8 .b64 full;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %cluster_ctarank;
    mbarrier.init.shared::cta.b64 [full], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.relaxed;
    barrier.cluster.wait.acquire;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 16;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    mov.b16 %rs1, 3;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd1], 16, [full], %rs1;
AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0;
    @!%p2 bra AGAIN;
    mul.wide.u32 %rd3, %r1, 16;
    add.s64 %rd4, %rd2, %rd3;
    cp.async.bulk.global.shared::cta.bulk_group [%rd4], [tile], 16;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;
    ret;
}
";

/// What another block multicast and a bulk copy reads needs a proxy fence unless an access of
/// shared memory is of the block whose memory it is, and a wait by every reading.
#[test]
fn a_multicast_that_is_copied_on_is_judged_by_a_reading() {
    let launches = ["2x1@cluster=2".parse().unwrap()];
    let ask_by = |text: &str, reading| {
        let module = margay_ptx::read(text).unwrap();
        let question = KernelQuestion::new(text, &module, module.function("forwarded").unwrap());
        ask(&KernelQuestion { launches: &launches, reading, repairs: false, ..question }).unwrap()
    };
    let hint = |answer: &KernelAnswer| {
        let why = answer
            .wrong()
            .expect("a race")
            .findings
            .iter()
            .flat_map(|f| f.why.clone())
            .collect::<Vec<_>>()
            .join("\n");
        KernelReading::ALL
            .into_iter()
            .find(|reading| why.contains(&format!("`--model {}`", reading.name())))
    };
    let fenced = FORWARDED.replace("    mul.wide", "    fence.proxy.async;\n    mul.wide");
    let unawaited = FORWARDED.replace("@!%p2 bra AGAIN;", "");
    assert!(fenced != FORWARDED && unawaited != FORWARDED);
    for (what, text, verdicts) in [
        (
            "as in kernels in use",
            FORWARDED,
            [
                Some(Some(KernelReading::ClustersOrderShared)),
                Some(Some(KernelReading::ClustersOrderShared)),
                None,
            ],
        ),
        ("with a fence", &fenced, [Some(Some(KernelReading::MbarriersOrderShared)), None, None]),
        ("without the wait", &unawaited, [Some(None), Some(None), Some(None)]),
    ] {
        for (reading, wanted) in KernelReading::ALL.into_iter().zip(verdicts) {
            let answer = ask_by(text, reading);
            match wanted {
                Some(better) => {
                    assert_eq!(hint(&answer), better, "{what}, {reading:?}: {:?}", answer.launches)
                }
                None => {
                    assert!(
                        answer.wrong().is_none() && answer.is_settled(false),
                        "{what}, {reading:?}: {:?}",
                        answer.launches
                    )
                }
            }
        }
    }
}

#[test]
fn places_in_clusters_are_known() {
    let code = "mov.u32 %r1, %cluster_ctarank;\nmov.u32 %r2, %cluster_nctarank;\nxor.b32 %r3, %r1, 1;\nmov.u32 %r4, tile;\n\
                mapa.shared::cluster.u32 %r5, %r4, %r3;\ngetctarank.shared::cluster.u32 %r6, %r5;\nsetp.ne.u32 %p1, %r6, %r3;\n@%p1 trap;\n\
                setp.ne.u32 %p1, %r2, 2;\n@%p1 trap;\nmapa.shared::cluster.u32 %r7, %r4, %r1;\nsetp.ne.u32 %p1, %r7, %r4;\n@%p1 trap;\n\
                cvta.shared.u64 %rd1, tile;\nmapa.u64 %rd2, %rd1, %r3;\nisspacep.shared::cluster %p1, %rd2;\n@!%p1 trap;\n\
                isspacep.shared::cta %p1, %rd2;\n@%p1 trap;\nisspacep.shared::cta %p1, %rd1;\n@!%p1 trap;";
    assert_eq!(small(code, "2x1@cluster=2"), Some(BTreeSet::new()));
    assert_eq!(
        small(&code.replace("%r1, 1;\nmov", "%r1, 2;\nmov"), "2x1@cluster=2"),
        Some([FindingKind::Outside].into())
    );
}

/// Warps with roles: 160 threads, of which most do what another one does.
#[test]
fn roles_of_warps_are_judged() {
    let text = include_str!("../../tests/kernels/specialised.ptx");
    judged(text, "1x160", &[("specialised", NOTHING)]);
    // Its test takes the engines longer than the question.
    let wrong = asked(text, "specialised_unsynced", "1x160");
    assert!(
        wrong.is_certain() && wrong.wrong().expect("a race").findings[0].kind == FindingKind::Race
    );
    // Without a launch the block is that of `__launch_bounds__`.
    let module = margay_ptx::read(text).expect("it is read");
    let kernel = module.function("specialised_params").expect("it is there");
    let arguments = ["0+16=3".parse().expect("an argument")];
    let question =
        KernelQuestion { arguments: &arguments, ..KernelQuestion::new(text, &module, kernel) };
    let answer = ask(&question).expect("an answer");
    let launches: Vec<String> = answer.launches.iter().map(|l| l.launch.to_string()).collect();
    assert_eq!(launches, ["1x160", "2x160"]);
    assert!(answer.is_settled(true), "{:?}", answer.not_looked());
}

/// A kernel that does not ask how many threads there are, and waits for more arrivals than come, is
/// written for more threads: of a launch that was chosen nothing is said, and of one that was named
/// that it does not end.
#[test]
fn a_launch_that_is_too_small_is_no_finding() {
    let code = "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra J;\nmbarrier.init.shared.b64 [bar], 64;\nJ:\nbar.sync 0;\n\
                mbarrier.arrive.shared.b64 %rd1, [bar];\nW: mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;\n@!%p2 bra W;";
    assert_eq!(small(code, "1x2"), Some([FindingKind::Endless].into()));
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 8 .b64 bar;\n.visible .entry k()\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n{code}\nret;\n}}\n"
    );
    let module = margay_ptx::read(&text).expect("it is read");
    let question = KernelQuestion::new(&text, &module, 0);
    let answer = ask(&question).expect("an answer");
    assert!(answer.wrong().is_none() && !answer.is_settled(true), "{answer:#?}");
}

/// Tensor maps, dynamic shared memory, an elected lane, and a barrier of two warps.
#[test]
fn products_with_tensor_maps_are_judged() {
    let text = include_str!("../../tests/kernels/tensors.ptx");
    for kernel in ["product_without_fence", "product_without_barrier", "product_released_too_early"]
    {
        assert_eq!(found(text, kernel, "1x96"), [FindingKind::Race].into(), "{kernel}");
    }
    // What copies bring, and read, is supposed, and nothing is left open.
    let right = asked(text, "product", "1x96");
    assert!(right.wrong().is_none() && right.is_settled(false), "{:#?}", right.not_looked());
    assert!(
        right.not_looked().iter().all(|n| [
            "supposed",
            "waits that never end",
            "asynchronous copies write"
        ]
        .iter()
        .any(|why| n.why.contains(why))),
        "{:#?}",
        right.not_looked()
    );
}

/// What is changed of a product, what is given, and what is found; nothing: it is undecided.
type TensorSizeCase = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
    Option<&'static [FindingKind]>,
);

/// Where it is given how many bytes a copy brings, it brings these to its mbarrier and into shared
/// memory, and nothing is supposed; where it is not, what the mbarrier was told of must fit between
/// what copies and mbarriers use.
#[test]
fn copies_by_tensor_maps_bring_what_is_given() {
    const TOLD: (&str, &str) = ("%r41, 512;", "%r41, 768;");
    const OVERLAP: (&str, &str) = ("%r46, %r30, 256;", "%r46, %r30, 128;");
    const BOTH: &[&str] = &["0=tensor:256", "1=tensor:256"];
    let text = include_str!("../../tests/kernels/tensors.ptx");
    let cases: &[TensorSizeCase] = &[
        (&[], BOTH, Some(&[])),
        (&[], &["1=tensor:256"], Some(&[])),
        (&[], &["0=tensor:256", "1=tensor:128"], Some(&[FindingKind::Endless])),
        (&[TOLD], BOTH, Some(&[FindingKind::Endless])),
        (&[TOLD], &["0=tensor:256", "1=tensor:512"], Some(&[])),
        (&[TOLD], &["0=tensor:256"], None),
        (&[TOLD], &[], None),
        (&[OVERLAP], BOTH, Some(&[FindingKind::Race])),
    ];
    for (changes, given, expected) in cases {
        let changed = changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        let module = margay_ptx::read(&changed).expect("it is read");
        let launches: Vec<Launch> = vec!["1x96".parse().expect("a launch")];
        let arguments: Vec<GivenArgument> =
            given.iter().map(|a| a.parse().expect("an argument")).collect();
        let question = KernelQuestion::new(
            &changed,
            &module,
            module.function("product").expect("it is there"),
        );
        let answer =
            ask(&KernelQuestion { launches: &launches, arguments: &arguments, ..question })
                .expect("an answer");
        let kinds: BTreeSet<FindingKind> =
            answer.launches.iter().flat_map(|l| l.findings.iter().map(|f| f.kind)).collect();
        let expected_kinds = expected.unwrap_or(&[]).iter().copied().collect();
        let is_open = kinds.is_empty() && !answer.is_settled(false);
        assert_eq!(
            (kinds, is_open),
            (expected_kinds, expected.is_none()),
            "{changes:?} {given:?}: {:#?}",
            answer.not_looked()
        );
        if given.len() == 2 {
            assert!(
                !answer.not_looked().iter().any(|n| n.why.contains("side by side")),
                "{:#?}",
                answer.not_looked()
            );
        }
    }
}

/// A map that lies in local memory, as a parameter does that is copied, is none of which a size is
/// given.
#[test]
fn a_tensor_map_in_local_memory_leaves_the_answer_open() {
    let text = include_str!("../../tests/kernels/tensors.ptx");
    let changed = text.replace(
        "cvta.param.u64 \t%rd10, %rd4;",
        "mov.b64 %rd10, copied;\ncvta.local.u64 %rd10, %rd10;",
    );
    let changed =
        changed.replace(".reg .b64 \t%rd<", ".local .align 64 .b8 copied[128];\n.reg .b64 \t%rd<");
    assert!(changed.contains("mov.b64 %rd10, copied;"));
    let answer = asked(&changed, "product", "1x96");
    assert!(answer.wrong().is_none() && !answer.is_settled(false), "{:#?}", answer.not_looked());
    assert!(
        answer.not_looked().iter().any(|n| n.why.contains("a tensor map in local memory")),
        "{:#?}",
        answer.not_looked()
    );
}

/// What is found in kernels as projects ship them, right and wrong. What copies bring is supposed,
/// and nothing is left open of the right ones.
fn shipped(text: &str, launch: &str, right: &str, wrong: &[(&str, FindingKind)]) {
    let answer = asked(text, right, launch);
    assert!(
        answer.wrong().is_none() && answer.is_settled(false),
        "{right}: {:#?}",
        answer.not_looked()
    );
    for (kernel, kind) in wrong {
        assert!(found(text, kernel, launch).contains(kind), "{kernel}");
    }
}

/// Tiles of two operands of different sizes, in rounds that the compiler has unrolled; a result in
/// two buffers that are used again.
#[test]
fn products_of_warpgroups_are_judged() {
    let text = include_str!("../../tests/kernels/wgmma.ptx");
    let wrong = ["wgmma_no_store_fence", "wgmma_wait_read_reuse", "wgmma_no_wait"]
        .map(|kernel| (kernel, FindingKind::Race));
    shipped(text, "1x160", "wgmma_right", &wrong);
}

/// Three rounds of two stages into 128 by 64 elements of tensor memory.
#[test]
fn products_into_tensor_memory_are_judged() {
    let text = include_str!("../../tests/kernels/tcgen05.ptx");
    let wrong = ["tcgen05_no_commit_wait", "tcgen05_no_fill_wait", "tcgen05_early_fill"]
        .map(|kernel| (kernel, FindingKind::Race));
    shipped(text, "1x192", "tcgen05_right", &wrong);
}

/// Two lanes of a warp store the same, one in front of a barrier and one behind it: the second one
/// alone races with a thread of another warp.
#[test]
fn lanes_that_do_the_same_elsewhere_do_not_stand_for_each_other() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 o)\n{\n\
        .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b32 x;\n.shared .align 16 .b8 y[16];\n\
        ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [o];\ncvta.to.global.u64 %rd1, %rd1;\ncvta.to.global.u64 %rd2, %rd2;\n\
        mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\nsetp.eq.u32 %p3, %r1, 2;\nsetp.eq.u32 %p4, %r1, 32;\nmov.u32 %r2, y;\n\
        @%p1 cp.async.cg.shared.global [%r2], [%rd1], 16;\n@%p1 cp.async.wait_all;\n\
        @%p2 st.shared.u32 [x], 1;\nbar.sync 0;\n@%p3 st.shared.u32 [x], 1;\n\
        @%p4 ld.shared.u32 %r3, [x];\n@%p4 st.global.u32 [%rd2], %r3;\n@%p1 ld.shared.u32 %r4, [y];\n@%p1 st.global.u32 [%rd2+4], %r4;\nret;\n}\n";
    assert_eq!(found(text, "k", "1x64"), [FindingKind::Race].into());
    // In front of the barrier both are in order with it.
    let before =
        text.replace("bar.sync 0;\n@%p3 st.shared.u32 [x], 1;\n", "bar.sync 0;\n").replace(
            "@%p2 st.shared.u32 [x], 1;",
            "@%p2 st.shared.u32 [x], 1;\n@%p3 st.shared.u32 [x], 1;",
        );
    assert_eq!(found(&before, "k", "1x64"), [FindingKind::Race].into());
    let once = text.replace("@%p3 st.shared.u32 [x], 1;\n", "");
    assert_eq!(found(&once, "k", "1x64"), BTreeSet::new());
}

/// An mbarrier ends where it is invalidated: its memory is used for something else then, or for
/// another one, and no operation may be performed on it. While it is one nothing else may be, and
/// it may not be initialised again (PTX ISA, mbarrier).
#[test]
fn memory_is_an_mbarrier_for_a_while() {
    const WRONG: Option<FindingKind> = Some(FindingKind::Mbarrier);
    let kinds = |start: &str, between: &str, behind: &str| {
        let code = format!(
            "{start}@%p1 mbarrier.init.shared::cta.b64 [s], 2;\nbar.sync 0;\nmbarrier.arrive.shared::cta.b64 %rd2, [s];\n\
             W:\nmbarrier.try_wait.shared::cta.b64 %p2, [s], %rd2;\n@!%p2 bra W;\n{between}@%p1 mbarrier.inval.shared::cta.b64 [s];\n{behind}"
        );
        of_two_threads(&code)
    };
    let wait = "mbarrier.arrive.shared::cta.b64 %rd2, [s];\nV:\nmbarrier.try_wait.shared::cta.b64 %p2, [s], %rd2;\n@!%p2 bra V;\n";
    let meet = "bar.sync 0;\n";
    let all = [
        ("", meet, String::new(), NOTHING),
        // The other thread may still ask.
        ("", "", String::new(), RACE),
        ("@%p1 st.shared.u32 [s], 1;\n", meet, String::new(), NOTHING),
        ("@%p3 st.shared.u32 [s], 1;\n", meet, String::new(), RACE),
        ("", meet, "@%p1 st.shared.u32 [s], 7;\nbar.sync 0;\nld.shared.u32 %r3, [s];\n".to_owned(), NOTHING),
        ("", meet, "@%p1 st.shared.u32 [s+4], 7;\nld.shared.u32 %r3, [s+4];\n".to_owned(), RACE),
        ("", meet, "@%p3 st.shared.u32 [s], 7;\n".to_owned(), RACE),
        ("", meet, "bar.sync 0;\nst.shared.u32 [s], %r1;\n".to_owned(), RACE),
        ("", meet, "@%p1 mbarrier.init.shared::cta.b64 [s], 2;\nbar.sync 0;\n".to_owned() + wait, NOTHING),
        ("", meet, "@%p1 mbarrier.init.shared::cta.b64 [s], 2;\n".to_owned() + wait, RACE),
        ("", meet, "bar.sync 0;\nmbarrier.arrive.shared::cta.b64 %rd2, [s];\n".to_owned(), WRONG),
        ("", meet, "bar.sync 0;\nmbarrier.test_wait.shared::cta.b64 %p2, [s], %rd2;\n".to_owned(), WRONG),
        ("", meet, "bar.sync 0;\nV:\nmbarrier.try_wait.shared::cta.b64 %p2, [s], %rd2;\n@!%p2 bra V;\n".to_owned(), ENDLESS),
        ("", meet, "bar.sync 0;\n@%p3 mbarrier.inval.shared::cta.b64 [s];\n".to_owned(), WRONG),
        (
            "",
            meet,
            "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+16], [%rd1], 16, [s];\n".to_owned(),
            WRONG,
        ),
        ("@%p1 mbarrier.init.shared::cta.b64 [s], 2;\n", meet, String::new(), WRONG),
        ("", "bar.sync 0;\n@%p1 st.shared.u32 [s], 1;\n", String::new(), WRONG),
        ("", "bar.sync 0;\n@%p1 atom.shared.add.u32 %r3, [s+4], 1;\n", String::new(), WRONG),
        ("", "bar.sync 0;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;\n", String::new(), WRONG),
    ];
    for (start, between, behind, expected) in all {
        let found = kinds(start, between, &behind);
        // What races may come too early as well, and others may pass a barrier when a thread stops.
        let is_expected = expected.map_or(found.is_empty(), |kind| found.contains(&kind));
        assert!(is_expected, "{found:?}, and not {expected:?}: {start}|{between}|{behind}");
    }
    // An operation that each thread does, which one of them may do alone.
    let both = "mbarrier.init.shared::cta.b64 [s], 2;\nbar.sync 0;\nmbarrier.arrive.shared::cta.b64 %rd2, [s];\n";
    assert!(of_two_threads(both).contains(&FindingKind::Race));
}

fn of_two_threads(code: &str) -> BTreeSet<FindingKind> {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .shared .align 16 .b8 s[64];\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.ne.u32 %p3, %r1, 0;\n{code}ret;\n}}\n"
    );
    found(&text, "k", "1x2")
}
