//! The harness around tests, run without a GPU: whole launches of emitted kernels in an emulator
//! that is sequentially consistent. Each thread of each instance must play once, and all accesses
//! of an instance must be to its own locations: then every outcome is one that an interleaving of
//! the test has, and the counts sum to the instances. Locations and results are full of rubbish
//! before each launch, as those of the last one are.

use std::collections::{BTreeMap, BTreeSet};

use super::emulator::{Grid, Memory, launch};
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_runner::emit::{Environment, GpuTarget, OUTCOMES, TestKernel, kernel};

const APART: &str = "PTX mp\n{ x=0; y=7; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, y ;\n\
    st.weak y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

/// Runs launches of a test: the histogram, without instances that were given up or not counted, of
/// which there may be none.
fn run(text: &str, environment: &str, launches: u32) -> BTreeMap<Vec<i64>, u64> {
    let test = read::test(&SourceFile::new("test", text)).unwrap().test;
    let kernel = kernel(&test, GpuTarget(90), &Environment::parse(environment).unwrap())
        .unwrap_or_else(|e| panic!("{environment}: {e}"));
    let (histogram, lost) = launches_of(&kernel, launches);
    assert_eq!(lost, [0, 0, 0], "given up, does not fit, no room: {environment}");
    histogram
}

/// Runs launches of a kernel: the histogram, and the instances that were given up, whose values fit
/// no key, and that found no room.
pub(super) fn launches_of(
    kernel: &TestKernel,
    launches: u32,
) -> (BTreeMap<Vec<i64>, u64>, [u64; 3]) {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut device = Memory::default();
    let locations = device.allocate(kernel.memory, 0x5A);
    let results = device.allocate(kernel.results, 0x77);
    let scratchpad = device.allocate(kernel.scratchpad.max(8), 0);
    let arrived = device.allocate(4, 0x99);
    let keys = device.allocate(u64::from(OUTCOMES) * 8, 0xFF);
    let counts = device.allocate((u64::from(OUTCOMES) + 3) * 8, 0);
    let each = kernel.counted.div_ceil(256);
    for _ in 0..launches {
        let next = kernel.launch(&mut rng);
        let mut go = |kernel: &str, parameters: &[u64], ctas, block| {
            launch(&Grid { kernel, parameters, ctas, block }, &mut device, &mut rng);
        };
        go(&kernel.module.reset, &[locations, results, arrived], each, 256);
        let parameters = [
            locations,
            results,
            scratchpad,
            arrived,
            locations,
            u64::from(next.seed),
            u64::from(next.first),
        ];
        go(&kernel.module.test, &parameters, next.grid, next.block);
        go(&kernel.module.collect, &[locations, results, keys, counts], each, 256);
    }
    let mut word = |start: u64, n: u32| device.load(0, start + u64::from(n) * 8, 8);
    let lost = [0, 1, 2].map(|n| word(counts, OUTCOMES + n));
    let mut histogram = BTreeMap::new();
    for n in 0..OUTCOMES {
        let (key, count) = (word(keys, n), word(counts, n));
        assert_eq!(key == TestKernel::EMPTY, count == 0, "a key is there for what was counted");
        if count > 0 {
            assert!(histogram.insert(kernel.outcome(key), count).is_none(), "a key is there once");
        }
    }
    let counted = histogram.values().sum::<u64>() + lost.iter().sum::<u64>();
    assert_eq!(counted, u64::from(kernel.counted) * u64::from(launches));
    (histogram, lost)
}

fn outcomes(text: &str, environment: &str, launches: u32) -> BTreeSet<Vec<i64>> {
    run(text, environment, launches).into_keys().collect()
}

fn set<const N: usize>(all: &[[i64; N]]) -> BTreeSet<Vec<i64>> {
    all.iter().map(|o| o.to_vec()).collect()
}

/// What interleavings of [`APART`] show, `y` first.
fn of_mp() -> BTreeSet<Vec<i64>> {
    set(&[[7, 0], [7, 1], [1, 1]])
}

/// Which of the three come up is chance; one alone would be no interleaving.
fn shows_mp(text: &str, environment: &str) {
    let seen = outcomes(text, environment, 3);
    assert!(seen.is_subset(&of_mp()) && seen.len() > 1, "{environment}: {seen:?}");
}

#[test]
fn environments_of_threads_apart() {
    for environment in [
        "groups=8,warps=2",
        "groups=7,warps=1,stride=1",
        "groups=13,warps=3,stride=5,shuffle=off",
        "groups=6,warps=1,idle-warps=0",
        "groups=6,warps=1,idle-warps=3,bank-warps=1,bank-rounds=2",
        "groups=5,warps=1,distance=0",
        "groups=5,warps=2,distance=9,warm=on",
        "groups=3,warps=1,spin=0,pre-stress=3",
        "groups=4,warps=1,stress-ctas=3,stress-rounds=9,stress-spread=5,stress-regions=8,stress-patch=3,stress-first=40",
        "groups=4,warps=1,stress-ctas=3,stress-rounds=9,stress-spread=1,stress-regions=1",
        "groups=4,warps=1,stress-ctas=3,stress-rounds=20,stress=random,stress-words=100,stress-regions=1,stress-patch=1,stress-spread=1",
        "groups=4,warps=1,stress-ctas=3,stress-rounds=20,stress=cache,stress-words=100,stress-regions=1,stress-patch=1,stress-spread=1",
        "groups=4,warps=1,stress-ctas=2,stress=cache,stress-words=333",
        "groups=4,warps=1,bank-warps=2,bank-rounds=3",
        "groups=4,warps=2,same-warp=on",
    ] {
        shows_mp(APART, environment);
    }
}

#[test]
fn environments_of_threads_together() {
    let together = APART.replace("P1@cta 1", "P1@cta 0");
    for environment in [
        "groups=5,warps=2",
        "groups=5,warps=3,same-warp=on",
        "groups=3,warps=1,spin=0,same-warp=on,shuffle=off",
    ] {
        shows_mp(&together, environment);
    }
    let shared = together.replace("{ x=0;", "{ shared x=0;");
    assert_ne!(shared, together);
    for environment in [
        "groups=5,warps=2",
        "groups=5,warps=2,bank-warps=1,bank-rounds=2",
        "groups=2,warps=3,same-warp=on",
    ] {
        shows_mp(&shared, environment);
    }
}

/// One instance a launch, with and without threads beside it.
#[test]
fn the_way_of_2015() {
    let together = APART.replace("P1@cta 1", "P1@cta 0");
    for text in [APART, &together] {
        for environment in [
            "",
            ",bank=on",
            ",stress-idle=on,stress-rounds=2",
            ",bank=on,stress-idle=on,stress-rounds=2,shuffle=off",
        ] {
            let environment = format!("parallel=off,groups=3,warps=1,stride=8{environment}");
            let seen = outcomes(text, &environment, 40);
            assert!(seen.is_subset(&of_mp()) && seen.len() > 1, "{environment}: {seen:?}");
        }
    }
    assert!(
        outcomes(&together, "parallel=off,groups=3,warps=1,same-warp=on", 40).is_subset(&of_mp())
    );
}

/// Ctas of different sizes, clusters that are not full, final values, and atoms.
#[test]
fn scope_trees() {
    let text = "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 | P3@cta 0,gpu 0 ;\n\
        atom.add.relaxed.gpu r0, [x], 1 | atom.add.relaxed.gpu r0, [x], 1 | atom.add.relaxed.gpu r0, [x], 1 | st.weak y, 5 ;\n\
        exists (P0:r0 == 0 /\\ P1:r0 == 0 /\\ P2:r0 == 0 /\\ x == 0 /\\ y == 0)\n";
    let permutations = set(&[
        [0, 1, 2, 3, 5],
        [0, 2, 1, 3, 5],
        [1, 0, 2, 3, 5],
        [1, 2, 0, 3, 5],
        [2, 0, 1, 3, 5],
        [2, 1, 0, 3, 5],
    ]);
    for environment in
        ["groups=9,warps=2", "groups=9,warps=1,same-warp=on", "groups=6,warps=2,distance=2,spin=0"]
    {
        let seen = outcomes(text, environment, 4);
        assert!(seen.is_subset(&permutations) && seen.len() > 3, "{environment}: {seen:?}");
    }
    let clusters = text
        .replace("P1@cta 0,gpu", "P1@cta 0,cluster 1,gpu")
        .replace("P2@cta 1,gpu", "P2@cta 1,cluster 0,gpu");
    assert_ne!(clusters, text);
    let clusters = clusters
        .replace("P0@cta 0,gpu", "P0@cta 0,cluster 0,gpu")
        .replace("P3@cta 0,gpu", "P3@cta 2,cluster 0,gpu");
    for environment in ["groups=5,warps=2", "groups=4,warps=1,stress-ctas=4,stress-rounds=2"] {
        let seen = outcomes(&clusters, environment, 4);
        assert!(seen.is_subset(&permutations) && seen.len() > 3, "{environment}: {seen:?}");
    }
}

/// Barriers of the test, which all instances of a cta share.
#[test]
fn barriers() {
    let text = "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | ld.weak r1, y ;\n bar.sync 0 | bar.sync 0 ;\n\
        st.weak y, 1 | ld.weak r0, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
    assert_eq!(outcomes(text, "groups=5,warps=2", 3), set(&[[1, 0]]));
}

/// Vectors are aligned, whatever the stride is.
#[test]
fn arrays() {
    let text = "PTX t\n{ x[4]={0,0,0,0}; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak.v4.u32 [x], {1,2,3,4} | ld.weak.v4.u32 {r0,r1,r2,r3}, [x] ;\n\
        exists (P1:r0 == 1 /\\ P1:r3 == 0)\n";
    for environment in [
        "groups=6,warps=1",
        "groups=6,warps=1,stride=1",
        "groups=6,warps=1,stride=3",
        "groups=6,warps=1,stride=5",
    ] {
        let seen = outcomes(text, environment, 3);
        assert!(
            seen.len() > 1 && seen.is_subset(&set(&[[0, 0], [1, 4]])),
            "{environment}: {seen:?}"
        );
    }
}

/// A kernel computes what the models do: instructions and atoms have the width and the sign of
/// their type, and what is observed comes back as a value of its type.
#[test]
fn arithmetic_has_its_type() {
    for (instructions, observed) in [
        ("st.weak.u8 x, 300 ;\n ld.weak.u8 r0, x", "P0:r0"),
        ("st.weak.u8 x, 200 ;\n ld.weak.s8 r0, x", "P0:r0"),
        ("st.weak.s8 x, 200 ;\n ld.weak r0, x", "P0:r0"),
        ("atom.relaxed.gpu.add.u32 r0, x, 4294967295 ;\n atom.relaxed.gpu.add.u32 r1, x, 3", "x"),
        ("atom.relaxed.gpu.min.s32 r0, x, -1", "x"),
        ("atom.relaxed.gpu.min.u32 r0, x, -1", "x"),
        ("atom.relaxed.gpu.max.u32 r0, x, -1", "x"),
        ("atom.relaxed.gpu.sub.s32 r0, x, 5", "x"),
        ("red.relaxed.gpu.sub.u32 x, 5", "x"),
        ("atom.relaxed.gpu.inc.u32 r0, x, 0", "x"),
        ("ld.weak.s32 r1, x ;\n sub.s32 r1, r1, 7 ;\n div.s32 r0, r1, 2", "P0:r0"),
        ("ld.weak.u32 r1, x ;\n sub.u32 r1, r1, 7 ;\n div.u32 r0, r1, 2", "P0:r0"),
        ("ld.weak.s32 r1, x ;\n sub.s32 r1, r1, 7 ;\n shr.s32 r0, r1, 1", "P0:r0"),
        ("ld.weak.u32 r1, x ;\n sub.u32 r1, r1, 7 ;\n shr.u32 r0, r1, 1", "P0:r0"),
        ("ld.weak.u32 r1, x ;\n sub.u32 r1, r1, 7 ;\n setp.lt.u32 r0, r1, 1", "P0:r0"),
        ("ld.weak.s32 r1, x ;\n sub.s32 r1, r1, 7 ;\n setp.lt.s32 r0, r1, 1", "P0:r0"),
        ("ld.weak.u32 r1, x ;\n add.u32 r1, r1, 511 ;\n cvt.u32.u8 r0, r1", "P0:r0"),
        (
            "ld.weak.u32 r1, x ;\n sub.u32 r1, r1, 1 ;\n cvt.u64.u32 r2, r1 ;\n shr.u64 r2, r2, 31 ;\n cvt.u32.u64 r0, r2",
            "P0:r0",
        ),
        (
            "ld.weak.u32 r1, x ;\n sub.u32 r1, r1, 1 ;\n mul.wide.u32 r2, r1, 4 ;\n shr.u64 r2, r2, 32 ;\n cvt.u32.u64 r0, r2",
            "P0:r0",
        ),
        ("ld.weak.s32 r1, x ;\n sub.s32 r1, r1, 3 ;\n min.s32 r0, r1, 1", "P0:r0"),
        ("ld.weak.u32 r1, x ;\n sub.u32 r1, r1, 3 ;\n min.u32 r0, r1, 1", "P0:r0"),
        ("st.weak.s32 x, -1 ;\n ld.weak.s32 r1, x ;\n xor.b32 r0, r1, r1", "P0:r0"),
        ("st.weak.s8 x, 200 ;\n ld.weak.s8 r1, x ;\n and.b32 r0, r1, 0", "P0:r0"),
        ("atom.relaxed.gpu.sub.s64 r1, x, 5 ;\n ld.weak.s64 r1, x ;\n sub.s64 r0, r1, r1", "P0:r0"),
    ] {
        let text = format!(
            "PTX t\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n {instructions} ;\nexists ({observed} == 0)\n"
        );
        let test = read::test(&SourceFile::new("test", text.clone())).unwrap().test;
        let model = margay_models::library::load("ptx-8", &[]).unwrap().model;
        let mut runner = margay_litmus::explicit::ExplicitRunner::new(&model);
        let variables =
            test.condition.proposition.variables().into_iter().cloned().collect::<Vec<_>>();
        let allowed = runner.outcomes(&test, &variables, &Default::default()).unwrap().values;
        assert_eq!(allowed.len(), 1, "{text}");
        assert_eq!(outcomes(&text, "groups=2,warps=1", 1), allowed.into_iter().collect(), "{text}");
        for kind in
            [margay_runner::sim::MachineModel::Weak, margay_runner::sim::MachineModel::Strong]
        {
            let machine = margay_runner::sim::SimulatedMachine::new(&test, kind).unwrap();
            let explored = machine.explore(&Default::default()).unwrap().outcomes;
            assert_eq!(explored, outcomes(&text, "groups=2,warps=1", 1), "{} {text}", kind.name());
        }
    }
}

/// Locations of one and two bytes lie side by side: what is read before the test is as wide as they
/// are.
#[test]
fn narrow_arrays() {
    for bits in [8, 16] {
        let text = format!(
            "PTX t\n{{ u{bits} x[4]={{0,0,0,0}}; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak.u{bits} x[1], 1 | ld.weak.u{bits} r0, x[3] ;\n \
             st.weak.u{bits} x[3], 1 | ld.weak.u{bits} r1, x[1] ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n"
        );
        for environment in
            ["groups=6,warps=1", "groups=6,warps=1,warm=on", "groups=3,warps=2,warm=on,stride=1"]
        {
            let seen = outcomes(&text, environment, 3);
            assert!(
                seen.len() > 1 && seen.is_subset(&set(&[[0, 0], [0, 1], [1, 1]])),
                "{bits} bits, {environment}: {seen:?}"
            );
        }
    }
}

/// Outcomes of the corpus's tests of values are outcomes of the model, initial values among them.
/// (What needs more than the 63 bits of an outcome is not here.)
#[test]
fn values_of_the_corpus() {
    for name in ["atom-carries", "mp-of-a-wrapped-value", "narrow-store"] {
        let path = format!("{}/../tests/corpus/values/{name}.litmus", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let test = read::test(&SourceFile::new("test", text.clone())).unwrap().test;
        let model = margay_models::library::load("ptx-8", &[]).unwrap().model;
        let variables = margay_runner::outcome::Observed::new(&test, |_| 0).variables;
        let allowed = margay_litmus::explicit::ExplicitRunner::new(&model)
            .outcomes(&test, &variables, &Default::default())
            .unwrap()
            .values;
        let seen = outcomes(&text, "groups=4,warps=2", 2);
        assert!(
            !seen.is_empty() && seen.is_subset(&allowed.iter().cloned().collect()),
            "{name}: {seen:?}, {allowed:?}"
        );
    }
}

/// What has no kernel is refused, and says why.
#[test]
fn forms_without_a_kernel() {
    for (instructions, why) in [
        ("atom.relaxed.gpu.mul r0, x, 2", "PTX has no atom.mul"),
        ("suatom.relaxed.gpu.add r0, x, 2", "an atom through a surface"),
        ("bar.cta.sync 1, 1, 1", "a barrier with an instance"),
        ("mov r0, 1 ;\n bar.cta.sync r0", "number is in a register"),
        ("ld.weak.v8.b32 {r0, r1, r2, r3, r4, r5, r6, r7}, a", "a vector of 256 bits"),
        ("ld.weak.b128 r0, x", "an access of 128 bits"),
        ("ld.weak.f16x2 r0, h", "an access of a packed type"),
        ("ld.weak.u8 r1, x ;\n add.u8 r0, r1, 1", "kernels here compute with 32 and 64 bits"),
    ] {
        let text = format!(
            "PTX t\n{{ x=0; h[2]={{0,0}}; a[8]={{0,0,0,0,0,0,0,0}}; }}\n P0@cta 0,gpu 0 ;\n {instructions} ;\nexists (x == 0)\n"
        );
        let test = read::test(&SourceFile::new("test", text)).unwrap().test;
        let refused =
            kernel(&test, GpuTarget(90), &Environment::default()).err().map(|e| e.to_string());
        assert!(refused.as_ref().is_some_and(|e| e.contains(why)), "{instructions}: {refused:?}");
    }
}

/// Memory is mapped twice at most, and surfaces lie over the first mapping: names for more would be
/// another test.
#[test]
fn addresses_that_kernels_have_not() {
    for (names, said) in [
        ("y @ generic aliases x; z @ generic aliases y;", "`z` would be a third address"),
        ("y @ generic aliases x; z @ generic aliases x;", "`z` would be a third address"),
        ("y @ generic aliases x; s @ surface aliases y;", "`s` is a name for a second address"),
    ] {
        let text = format!(
            "PTX names\n{{ x=0; {names} }}\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n"
        );
        let test = read::test(&SourceFile::new("test", text.as_str())).unwrap().test;
        let error = kernel(&test, GpuTarget(90), &Environment::default()).unwrap_err();
        assert!(error.message.contains(said), "{names}: {}", error.message);
    }
    let one = "PTX names\n{ x=0; y @ generic aliases x; s @ surface aliases x; t @ surface aliases s; }\n P0@cta 0,gpu 0 ;\n sust t, 1 ;\nexists (x == 1)\n";
    let test = read::test(&SourceFile::new("test", one)).unwrap().test;
    assert!(kernel(&test, GpuTarget(90), &Environment::default()).is_ok());
}
