//! What launches draw, in the emulator: the permutations that kernels compute are those of the
//! library, every pair of ctas meets, every subset of regions is stressed, and cache stress goes
//! over the whole scratchpad.

use std::collections::{BTreeMap, BTreeSet};

use super::emulator::{Grid, Memory, launch};
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;
use margay_runner::emit::permutation::{REGISTERS, Salt, permute, permuted};
use margay_runner::emit::{Environment, GpuTarget, TestKernel, kernel};

#[test]
fn kernels_compute_what_the_library_does() {
    let mut rng = fastrand::Rng::with_seed(3);
    for (salt, n) in [
        (Salt::Ctas, 2112),
        (Salt::Warps, 5),
        (Salt::Lanes(3), 128),
        (Salt::Regions, 64),
        (Salt::Regions, 1),
    ] {
        let mut text = format!(
            ".entry k(.param .u64 to, .param .u32 seed)\n{{\n    .reg .b32 %x, %seed, %n;\n    .reg .b64 %y, %to;\n{REGISTERS}    \
             ld.param.u64 %to, [to];\n    ld.param.u32 %seed, [seed];\n    mov.u32 %x, %tid.x;\n    mul.wide.u32 %y, %x, 4;\n    \
             add.u64 %to, %to, %y;\n    mov.u32 %n, {n};\n    rem.u32 %x, %x, %n;\n"
        );
        permute("%x", "%n", salt, "HERE", &mut text);
        text.push_str("    st.global.u32 [%to], %x;\n    ret;\n}\n");
        for seed in [0, 1, u32::MAX, rng.u32(..)] {
            let mut memory = Memory::default();
            let to = memory.allocate(4 * 160, 0);
            launch(
                &Grid { kernel: &text, parameters: &[to, u64::from(seed)], ctas: 1, block: 160 },
                &mut memory,
                &mut rng,
            );
            for x in 0..160 {
                let found = memory.load(0, to + 4 * x, 4);
                assert_eq!(
                    found,
                    u64::from(permuted(x as u32 % n, n, seed, salt)),
                    "{salt:?} of {n}: {x}, seed {seed}"
                );
            }
        }
    }
}

/// A kernel, and the memory that it runs in.
struct Bench {
    kernel: TestKernel,
    memory: Memory,
    parameters: [u64; 5],
    rng: fastrand::Rng,
}

impl Bench {
    fn new(text: &str, environment: &str) -> Self {
        let test = read::test(&SourceFile::new("test", text)).unwrap().test;
        let environment =
            Environment::parse(environment).unwrap_or_else(|e| panic!("{environment}: {e}"));
        let kernel = kernel(&test, GpuTarget(90), &environment).unwrap();
        let mut memory = Memory::default();
        let locations = memory.allocate(kernel.memory, 0);
        let results = memory.allocate(kernel.results, 0);
        let scratchpad = memory.allocate(kernel.scratchpad, 0);
        let arrived = memory.allocate(4, 0);
        Self {
            kernel,
            memory,
            parameters: [locations, results, scratchpad, arrived, locations],
            rng: fastrand::Rng::with_seed(11),
        }
    }

    fn launch(&mut self) {
        let next = self.kernel.launch(&mut self.rng);
        let [locations, results, scratchpad, arrived, alias] = self.parameters;
        let parameters = [
            locations,
            results,
            scratchpad,
            arrived,
            alias,
            u64::from(next.seed),
            u64::from(next.first),
        ];
        let grid = Grid {
            kernel: &self.kernel.module.test,
            parameters: &parameters,
            ctas: next.grid,
            block: next.block,
        };
        launch(&grid, &mut self.memory, &mut self.rng);
    }
}

/// Each of so many kinds is seen about as often as each other one: the chi-squared statistic is
/// below its mean and five standard deviations.
fn even<K: Ord + std::fmt::Debug>(counts: &BTreeMap<K, u32>, kinds: u32) {
    let draws: u32 = counts.values().sum();
    let expected = f64::from(draws) / f64::from(kinds);
    let there: f64 = counts.values().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
    let statistic = there + f64::from(kinds - counts.len() as u32) * expected;
    let freedom = f64::from(kinds - 1);
    assert!(
        statistic < freedom + 5.0 * (2.0 * freedom).sqrt(),
        "{statistic} with {freedom} degrees of freedom: {counts:?}"
    );
}

/// Which two ctas play an instance together, and which of them plays which part, is drawn for each
/// launch.
#[test]
fn every_pair_of_ctas_meets() {
    // The address of each thread of the test is left in its location by the emulator: the cta that
    // stored there last.
    let text = "PTX sb\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\nexists (x == 1 /\\ y == 1)\n";
    let groups = 3;
    let mut bench =
        Bench::new(text, &format!("groups={groups},warps=1,spin=0,stride=1,idle-warps=0"));
    let mut pairs = BTreeMap::new();
    let ctas = 2 * groups;
    for _ in 0..600 {
        bench.launch();
        let locations = bench.parameters[0];
        let writer = |place: u64| bench.memory.writer(locations + 8 * place);
        // Instance 0 is the first of each location.
        let pair = (writer(0), writer(32 * groups));
        *pairs.entry(pair).or_default() += 1;
    }
    assert!(pairs.keys().all(|(a, b)| a != b));
    even(&pairs, (ctas * (ctas - 1)) as u32);
}

const ALONE: &str = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n";

/// Which regions are stressed: every subset of the size is as likely as any other.
#[test]
fn every_subset_of_regions_is_stressed() {
    let (regions, spread, patch) = (5, 2, 4);
    let environment = format!(
        "groups=1,warps=1,spin=0,idle-warps=0,stress-ctas={spread},stress-rounds=1,stress-sequence=st,stress-regions={regions},\
         stress-spread={spread},stress-patch={patch}"
    );
    let mut bench = Bench::new(ALONE, &environment);
    let mut subsets = BTreeMap::new();
    for _ in 0..500 {
        let scratchpad = bench.parameters[2];
        for region in 0..regions {
            bench.memory.store(0, scratchpad + 4 * patch * region, 4, 0);
        }
        bench.launch();
        let stressed: BTreeSet<u64> = (0..regions)
            .filter(|region| bench.memory.load(0, scratchpad + 4 * patch * region, 4) != 0)
            .collect();
        assert_eq!(stressed.len(), spread);
        *subsets.entry(stressed).or_default() += 1;
    }
    even(&subsets, 10);
}

/// One cta alone goes over all words, of which there need not be a power of two, and ctas begin at
/// different ones.
#[test]
fn cache_stress_goes_over_the_whole_scratchpad() {
    for words in [1, 33, 500, 1000] {
        let environment = format!(
            "groups=1,warps=1,spin=0,idle-warps=2,stress-ctas=1,stress=cache,stress-words={words},stress-regions=1,stress-spread=1,stress-patch=1"
        );
        let mut bench = Bench::new(ALONE, &environment);
        bench.launch();
        let scratchpad = bench.parameters[2];
        let untouched =
            (0..words).filter(|word| bench.memory.load(0, scratchpad + 4 * word, 4) == 0).count();
        assert_eq!(untouched, 0, "of {words}");
    }
}
