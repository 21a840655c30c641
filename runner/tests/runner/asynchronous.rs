//! Kernels of the corpus's tests of mbarriers and asynchronous operations: which there are, and
//! whole launches of them in the emulator.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::harness::launches_of;
use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::read;
use margay_litmus::test::Test;
use margay_models::library;
use margay_runner::emit::{EmissionFault, Environment, GpuTarget, kernel};
use margay_runner::outcome::Observed;

/// The tests of a folder of the corpus, by name.
fn tests_of(folder: &str) -> BTreeMap<String, Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let litmus = files.filter(|f| f.extension().is_some_and(|e| e == "litmus"));
    litmus
        .map(|f| (f.file_stem().unwrap().display().to_string(), read::load(&f).unwrap().test))
        .collect()
}

fn tests() -> BTreeMap<String, Test> {
    tests_of("asynchronous")
}

/// Why tests have no kernel for sm_90, and which; a name that ends in `*` stands for all that begin
/// with it.
const NO_KERNEL: [(&str, &[&str]); 18] = [
    ("`t` holds an address at the start", &["tensormap-*"]),
    ("tensor maps: the driver makes them for the host", &["tensormap-*"]),
    (
        "fence.proxy.async::generic: what it becomes in machine code was not looked at",
        &["one-way-*"],
    ),
    (
        "wgmma: the models know what it reads and not what it computes",
        &[
            "wgmma-*",
            "multicast-wgmma",
            "multicast-wgmma-wait-cta",
            "multicast-wgmma-proxy-fence",
            "multicast-refill-wgmma",
        ],
    ),
    ("tcgen05: the models know what it reads and writes and not what it computes", &["tcgen05-*"]),
    (
        "`st.bulk.weak.shared::cta x",
        &[
            "st-bulk",
            "st-bulk-no-barrier",
            "st-bulk-then-bulk-copy",
            "st-bulk-then-bulk-copy-fence",
        ],
    ),
    (
        "`bar` would have to be in the shared memory of two ctas",
        &[
            "arrivals-of-narrow-scopes",
            "init-acquire-fence",
            "init-fence-before",
            "init-fence-exit",
            "init-fence-seen",
            "init-no-fence",
        ],
    ),
    (
        "`x` is in shared memory, but P0 and P1, which access it, are in different clusters",
        &["fence-shared-two-clusters", "reduce-bulk"],
    ),
    (
        "`bar` may not be initialised here, by what is seen of the test: that is undefined behaviour",
        &[
            "bulk-on-no-mbarrier",
            "fence-before-an-init",
            "fence-shared-before-an-init",
            "init-bulk-no-barrier",
            "init-fence-before-an-init",
            "init-fence-relaxed-load",
            "init-fence-shuffle",
            "init-fence-store",
            "init-fence-store-of-another-cluster",
            "initialised-by-two-threads",
            "inval",
            "never-initialised",
        ],
    ),
    (
        "the fence is for shared memory of the own cta, and `x` has to be in that of another one",
        &["fence-shared-bulk-copy", "fence-shared-bulk-copy-no-proxy-fence"],
    ),
    (
        "the fence is for shared memory of the own cta, and `f` has to be in that of another one",
        &["fence-shared-chain", "fence-shared-release-is-no-acquire"],
    ),
    (
        "may get more arrivals than its phase waits for: one instruction arrives several times",
        &["arrive-more-than-pending"],
    ),
    (
        "may complete its phase by an arrival with .noComplete",
        &["arrive-no-complete", "arrive-no-complete-completes"],
    ),
    ("one that is `.shared::cluster` is arrived at without a result", &["init-fence-arrival"]),
    (
        "a copy in bulk of 4 bytes; PTX has multiples of 16",
        &["reduce-bulk-to-another-cta", "reduce-bulk-to-another-cta-expect-less"],
    ),
    ("may be told of more bytes than it counts", &["expect-tx-beyond"]),
    ("may get more arrivals than its phase waits for: it waits for bytes", &["stages-*"]),
    (
        "kernels here have the threads of a cta each in a warp of its own, or all in one",
        &["warp-specialised", "warp-specialised-elect"],
    ),
];

#[test]
fn which_tests_have_kernels() {
    let mut without: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut with = 0;
    for (name, test) in tests() {
        let Err(error) = kernel(&test, GpuTarget(90), &Environment::default()) else {
            with += 1;
            continue;
        };
        assert_eq!(
            error.fault == EmissionFault::Target,
            name.starts_with("st-bulk"),
            "{name}: {error}"
        );
        let reason = NO_KERNEL.iter().find(|(why, _)| error.message.contains(why));
        let (why, _) = reason.unwrap_or_else(|| panic!("{name}: {error}"));
        without.entry(why).or_default().insert(name);
    }
    for (why, names) in NO_KERNEL {
        let said = without.remove(why).unwrap_or_default();
        let is_said = |name: &String| {
            names
                .iter()
                .any(|n| n.strip_suffix('*').map_or(*n == name, |start| name.starts_with(start)))
        };
        assert!(said.iter().all(is_said) && said.len() >= names.len(), "{why}: {said:?}");
    }
    assert_eq!(with, 168, "so many tests have kernels");
}

/// An H100 ends an asynchronous store in a launch without clusters with an illegal instruction; a
/// copy in bulk it does not.
#[test]
fn asynchronous_stores_are_launched_in_clusters() {
    let clusters = |name: &str| {
        kernel(&tests()[name], GpuTarget(90), &Environment::default()).unwrap().layout.cluster
    };
    assert_eq!(["no-thin-air-async", "st-async", "bulk-complete-tx"].map(clusters), [2, 2, 1]);
}

/// Waits that no arrival ends: their threads are given up.
const ENDLESS: [&str; 5] = [
    "arrivals-too-few",
    "bulk-expect-not-met",
    "expect-tx-too-many",
    "parity-never-came",
    "parity-never-comes",
];

/// Whatever whole launches show, with operations that are done at some time after they were issued,
/// the model allows; and no thread ends, and no mbarrier is used, before it should.
#[test]
fn launches_show_what_the_model_allows() {
    let model = library::load("ptx-8", &[]).unwrap().model;
    let mut runner = ExplicitRunner::new(&model);
    let mut seen = 0;
    // The emulator has no surfaces.
    let tests = tests().into_iter().filter(|(name, _)| !name.starts_with("surface-"));
    for (name, test) in tests.chain(tests_of("isa-8-warps")) {
        let environment = Environment::parse("groups=3,warps=1").unwrap();
        let Ok(kernel) = kernel(&test, GpuTarget(90), &environment) else { continue };
        eprintln!("{name}");
        let (histogram, [given_up, no_key, no_room]) = launches_of(&kernel, 1);
        assert_eq!((no_key, no_room), (0, 0), "{name}");
        assert_eq!(given_up > 0, ENDLESS.contains(&name.as_str()), "{name}: {given_up} given up");
        let variables = Observed::new(&test, |_| 0).variables;
        let allowed = runner
            .outcomes(&test, &variables, &Options::default())
            .unwrap_or_else(|e| panic!("{name}: {e:?}"));
        seen += histogram.len();
        if !allowed.bounded {
            let beyond: Vec<_> =
                histogram.keys().filter(|o| !allowed.values.contains(*o)).collect();
            assert!(
                beyond.is_empty(),
                "{name}: {beyond:?} of {histogram:?}, allowed {:?}",
                allowed.values
            );
        }
    }
    assert!(seen > 200, "{seen} outcomes");
}

/// Every test of meetings of lanes has a kernel; in it, the threads of a warp are lanes beside each
/// other, or each of them is in a warp of its own.
#[test]
fn lanes_meet_in_one_warp() {
    for (name, test) in tests_of("isa-8-warps") {
        let kernel = kernel(&test, GpuTarget(90), &Environment::parse("groups=2").unwrap())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let meets = !name.contains("lock-step") && !name.contains("two-warps");
        assert_eq!(kernel.text().contains("same-warp=on"), meets, "{name}");
    }
    for environment in [
        "groups=3,warps=2,shuffle=off",
        "groups=3,warps=1,parallel=off",
        "groups=2,warps=3,stress-ctas=2,stress-rounds=2",
    ] {
        let test = &tests_of("isa-8-warps")["bar-warp-sync"];
        let kernel =
            kernel(test, GpuTarget(90), &Environment::parse(environment).unwrap()).unwrap();
        let (histogram, lost) = launches_of(&kernel, 2);
        assert_eq!(
            (lost, histogram.len(), histogram.contains_key(&vec![1])),
            ([0, 0, 0], 1, true),
            "{environment}: {histogram:?}"
        );
    }
    let lanes = |first: &str, second: &str, places: [&str; 2]| {
        format!(
            "PTX t\n{{ x=0; }}\n P0@{},cta 0,gpu 0 | P1@{},cta 0,gpu 0 ;\n {first} | {second} ;\n ld.weak r0, x | st.weak x, 1 ;\n\
             exists (P0:r0 == 1)\n",
            places[0], places[1]
        )
    };
    let together = ["warp 0", "warp 0"];
    let other = "P0 and P1 come to other meetings of their lanes";
    for (text, target, said) in [
        (lanes("bar.warp.sync 3", "bar.warp.sync 3", together), 70, "(a kernel)"),
        (lanes("bar.warp.sync 3", "ld.weak r1, x", together), 90, other),
        (lanes("bar.warp.sync 3", "bar.warp.sync 0xffffffff", together), 90, other),
        (lanes("bar.warp.sync 3", "vote.sync.any.pred _, 1, 3", together), 90, other),
        (lanes("bar.warp.sync 1", "ld.weak r1, x", together), 90, "(a kernel)"),
        (lanes("bar.warp.sync 1", "bar.warp.sync 1", ["warp 0", "warp 1"]), 90, "(a kernel)"),
        (
            lanes("vote.sync.any.pred _, r1, 3", "vote.sync.any.pred _, 1, 3", together),
            90,
            "(a kernel)",
        ),
        (
            lanes("@r1 bar.warp.sync 3", "bar.warp.sync 3", together),
            90,
            "under a guard or beside jumps",
        ),
        (
            lanes("elect.sync p0, 3", "elect.sync p0, 3", together),
            80,
            "`elect.sync` for sm_90 and later, not for sm_80",
        ),
        (
            lanes("redux.sync.add.u32 _, 1, 3", "redux.sync.add.u32 _, 1, 3", together),
            80,
            "for sm_90 and later, not for sm_80",
        ),
    ] {
        let why = refused(&text, "", GpuTarget(target));
        assert!(why.contains(said), "{text}: {why}");
    }
}

/// Clusters that are numbered from the last cta on, because others stress, and parts that are not
/// shuffled.
#[test]
fn environments_of_clusters() {
    let all = tests();
    for (name, forbidden) in [
        ("multicast", vec![1, 0]),
        ("arrive-cluster", vec![1, 0]),
        ("init-fence-bulk-of-another-cta", vec![1, 0]),
    ] {
        for environment in [
            "groups=4,warps=1,shuffle=off",
            "groups=4,warps=2,stress-ctas=4,stress-rounds=2,stress-regions=2",
            "groups=4,warps=1,warm=on,stride=1",
            "groups=3,warps=1,same-warp=on,spin=0",
            "groups=3,warps=1,parallel=off",
        ] {
            let test = &all[name];
            let kernel =
                kernel(test, GpuTarget(90), &Environment::parse(environment).unwrap()).unwrap();
            let (histogram, lost) = launches_of(&kernel, 2);
            assert_eq!(lost, [0, 0, 0], "{name}, {environment}");
            assert!(
                !histogram.is_empty() && !histogram.contains_key(&forbidden),
                "{name}, {environment}: {histogram:?}"
            );
        }
    }
}

fn refused(text: &str, environment: &str, target: GpuTarget) -> String {
    let test = read::test(&margay_models::diagnostic::SourceFile::new("test", text)).unwrap().test;
    kernel(&test, target, &Environment::parse(environment).unwrap())
        .map(|_| "(a kernel)".to_owned())
        .unwrap_or_else(|e| e.message)
}

/// What no kernel does, or not there.
#[test]
fn what_is_refused() {
    let copy = |bytes: u32, declared: &str, names: &str| {
        format!(
            "PTX t\n{{ {declared} mbarrier bar=1; }}\n P0@cta 0,gpu 0 ;\n cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \
             {names}, {bytes}, bar ;\nexists (true)\n"
        )
    };
    let two = "global x=1; shared y=0;";
    let arrays = "global x[8]={1,1,1,1,1,1,1,1}; shared y[8]={0,0,0,0,0,0,0,0};";
    let mbarrier = "PTX t\n{ mbarrier bar=1; }\n P0@cta 0,gpu 0 ;\n mbarrier.arrive.release.cta _, bar ;\nexists (true)\n";
    let barriers = "PTX t\n{ shared x=0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\n \
        barrier.cluster.arrive | ;\n barrier.cluster.wait | ;\nexists (P1:r0 == 1)\n";
    let multicast = "PTX t\n{ global x=1; shared y=0; shared z=0; mbarrier a=1; mbarrier b=1; }\n P0@cta 0,cluster 0,gpu 0 ;\n \
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster {y, z}, x, 16, {a, b} ;\nexists (true)\n";
    let initialised = |first: &str, second: &str| {
        format!(
            "PTX t\n{{ mbarrier bar; }}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n mbarrier.init bar, 1 | {second} ;\n {first} | \
             mbarrier.arrive.release.cta _, bar ;\nexists (true)\n"
        )
    };
    let element = |bytes: u32, from: &str| {
        format!(
            "PTX t\n{{ {arrays} z=0; }}\n P0@cta 0,gpu 0 ;\n cp.async.ca.shared.global y[0], {from}, {bytes} ;\n cp.async.wait_all ;\n\
             exists (z == 0)\n"
        )
    };
    let early = "`bar` may not be initialised here";
    for (text, environment, target, said) in [
        (initialised("bar.cta.sync 0", "bar.cta.sync 0"), "", 90, "(a kernel)"),
        (initialised("bar.cta.arrive 0, 64", "bar.cta.sync 0, 64"), "", 90, "(a kernel)"),
        (initialised("bar.cta.sync 0, 64", "bar.cta.arrive 0, 64"), "", 90, early),
        (initialised("bar.cta.sync 0", "bar.cta.sync 1"), "", 90, early),
        (
            mbarrier.replace("_, bar", "_, bar, 2"),
            "",
            90,
            "one instruction arrives several times, and fewer may be left",
        ),
        (mbarrier.replace("_, bar", "_, bar, 2").replace("bar=1", "bar=2"), "", 90, "(a kernel)"),
        (
            mbarrier
                .replace("arrive.release.cta _, bar", "arrive.noComplete.release.cta r1, bar, 1"),
            "",
            90,
            "an arrival with .noComplete",
        ),
        (element(8, "x[2]"), "", 80, "(a kernel)"),
        (element(8, "x[1]"), "", 80, "8 bytes, 4 bytes behind the start of `x`"),
        (
            mbarrier.replace("cta _", "cta.shared::cluster r1"),
            "",
            90,
            "for an mbarrier of the own cta alone",
        ),
        (copy(16, two, "y, x"), "", 90, "(a kernel)"),
        (copy(32, arrays, "y[0], x[0]"), "", 90, "(a kernel)"),
        (copy(16, arrays, "y[4], x[4]"), "", 90, "(a kernel)"),
        (
            copy(16, arrays, "y[2], x[4]"),
            "",
            90,
            "8 bytes behind the start of `y`; PTX has multiples of 16",
        ),
        (copy(8, two, "y, x"), "", 90, "a copy in bulk of 8 bytes; PTX has multiples of 16"),
        (copy(16, two, "y, x"), "distance=1", 90, "needs distance=far"),
        (
            copy(16, two, "y, x"),
            "parallel=off,bank=on",
            90,
            "bank=on is for tests without mbarriers",
        ),
        (copy(16, two, "y, x"), "", 80, "needs sm_90 or later, not sm_80"),
        (mbarrier.to_owned(), "", 80, "needs sm_90 or later, not sm_80"),
        (
            barriers.to_owned(),
            "",
            90,
            "P0 and P1 come to the barrier of their cluster a different number of times",
        ),
        (
            multicast.to_owned(),
            "",
            90,
            "would be one place: a multicast writes the same place in each cta",
        ),
        (
            mbarrier.replace("_, bar", "_, [r9]").replace("bar=1;", "bar=1; P0:r9=bar;"),
            "",
            90,
            "with an address in a register",
        ),
    ] {
        let why = refused(&text, environment, GpuTarget(target));
        assert!(why.contains(said), "{text}: {why}");
    }
}

/// A test may place more threads in a warp than a warp of hardware has lanes, as long as those that
/// meet are named.
#[test]
fn a_warp_of_more_lanes_than_hardware_has_is_refused() {
    let row = |cell: &dyn Fn(usize) -> String| (0..40).map(cell).collect::<Vec<_>>().join(" | ");
    let heads = row(&|t| format!("P{t}@warp 0,cta 0,gpu 0"));
    let code =
        row(&|t| if t < 2 { "bar.warp.sync 3".to_owned() } else { "st.weak x, 1".to_owned() });
    let why = refused(
        &format!("PTX t\n{{ x=0; }}\n {heads} ;\n {code} ;\nexists (x == 0)\n"),
        "",
        GpuTarget(90),
    );
    assert!(why.contains("so these lanes cannot meet"), "{why}");
}
