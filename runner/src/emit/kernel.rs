//! A module for one test, target and environment, and what is needed to launch it.

use margay_litmus::test::{Integer, Test};
use margay_models::execution::Proxy;

use super::{EmissionError, EmissionLayout, GpuTarget};
use crate::outcome::{Observed, ObservedOutcome};

/// The outcomes that the table on the device has room for.
pub const OUTCOMES: u32 = 4096;

/// The text of a module, in its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleText {
    /// What it is, as comments.
    pub title: String,
    /// The version of PTX that it needs.
    pub version: &'static str,
    /// `.const` memory, where the test has names for it.
    pub constants: &'static str,
    /// The kernel `margay_reset`.
    pub reset: String,
    /// The kernel `margay_test`.
    pub test: String,
    /// The kernel `margay_collect`.
    pub collect: String,
}

/// The directives that a module starts with.
pub fn directives(version: &str, target: GpuTarget) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n\n")
}

/// A module for one test, target and environment, with what is needed to launch it.
#[derive(Debug, Clone)]
pub struct TestKernel {
    /// PTX.
    pub module: ModuleText,
    /// The GPU that it is made for.
    pub target: GpuTarget,
    /// The layout: grid, cta and cluster sizes.
    pub layout: EmissionLayout,
    /// Instances of a launch that count: all, or one.
    pub counted: u32,
    /// Bytes of memory for the locations of all instances.
    pub memory: u64,
    /// Are the locations mapped at a second address, for those with another name?
    pub aliased: bool,
    /// What the test's other names go through, but for second generic addresses, each once.
    pub proxies: Vec<Proxy>,
    /// Bytes for the results.
    pub results: u64,
    /// Bytes for the stressed scratchpad.
    pub scratchpad: u64,
    pub observed: Observed,
    /// The place of stress (`stress-first`).
    pub(super) first: u32,
    /// The fewest stressing ctas of a launch, and the most.
    pub(super) stressing: (u32, u32),
    /// The bits of each observed value in a key.
    pub(super) bits: u32,
}

/// What changes from launch to launch: each draws anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchDraw {
    /// Of the permutations.
    pub seed: u32,
    /// The place of stress.
    pub first: u32,
    /// How many ctas there are, stressing ones included.
    pub grid: u32,
    /// How many threads each of them has.
    pub block: u32,
}

impl TestKernel {
    /// The key of an empty place of the table on the device.
    pub const EMPTY: u64 = u64::MAX;

    /// The text of the whole module.
    pub fn text(&self) -> String {
        let m = &self.module;
        format!(
            "{}{}{}{}{}{}",
            m.title,
            directives(m.version, self.target),
            m.constants,
            m.reset,
            m.test,
            m.collect
        )
    }

    /// Kernels with names through textures, surfaces and constants are assembled and compared with
    /// their tests, and not run: the error is why.
    pub fn can_run(&self, test: &Test) -> Result<(), EmissionError> {
        let Some(&proxy) = self.proxies.first() else { return Ok(()) };
        let why = match proxy {
            Proxy::Surface => {
                "a surface object is made over a CUDA array, whose memory has no generic address"
            }
            Proxy::Constant => {
                "constant memory is read-only for kernels, so that another name of it could not be written"
            }
            Proxy::Texture | Proxy::Generic | Proxy::Alias | Proxy::Async | Proxy::Tensormap => {
                "no texture object is made over the memory of the test yet"
            }
        };
        let declared =
            test.locations.iter().find(|l| l.alias.as_ref().is_some_and(|a| a.proxy == proxy));
        let name = declared.map_or("", |l| l.name.as_str());
        let message = format!(
            "`{name}` cannot be accessed on a GPU: {why}; `gpu emit` and `gpu check` take the test"
        );
        Err(EmissionError { place: declared.map(|l| l.place.0), ..EmissionError::test(message) })
    }

    /// The next launch.
    pub fn launch(&self, rng: &mut fastrand::Rng) -> LaunchDraw {
        let (least, most) = self.stressing;
        let stress = if least < most { rng.u32(least..=most) } else { most };
        let (seed, absent) = (rng.u32(..), rng.u32(0..=self.layout.idle));
        let grid = self.layout.testing + stress / self.layout.cluster * self.layout.cluster;
        LaunchDraw { seed, first: self.first, grid, block: self.layout.block - 32 * absent }
    }

    pub fn outcome(&self, key: u64) -> ObservedOutcome {
        let mask = (1u64 << self.bits) - 1;
        let integers = self.observed.integers.iter().zip(0..);
        let value = |(integer, i): (&Option<Integer>, u32)| {
            let value = ((key >> (i * self.bits)) & mask) as i64;
            // A key has the lowest bits of those that fit into it.
            integer.filter(|of| u32::from(of.bits) <= self.bits).map_or(value, |of| of.wrap(value))
        };
        integers.map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use margay_litmus::read;
    use margay_models::diagnostic::SourceFile;

    use crate::emit::{Environment, GpuTarget, kernel};

    /// Every launch draws anew: its seed, how many ctas stress, how many threads a cta has.
    #[test]
    fn launches_differ() {
        let text = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n";
        let test = read::test(&SourceFile::new("test", text)).unwrap().test;
        let draws = |environment: &str| {
            let kernel =
                kernel(&test, GpuTarget(90), &Environment::parse(environment).unwrap()).unwrap();
            let mut rng = fastrand::Rng::with_seed(1);
            let launches: Vec<_> = (0..1000).map(|_| kernel.launch(&mut rng)).collect();
            let distinct = |of: fn(&super::LaunchDraw) -> u32| {
                launches.iter().map(of).collect::<BTreeSet<u32>>()
            };
            (distinct(|l| l.seed).len(), distinct(|l| l.grid), distinct(|l| l.block))
        };
        let (seeds, grids, blocks) = draws("groups=8,warps=2,stress-ctas=auto,idle-warps=3");
        assert!(seeds > 990, "{seeds}");
        assert_eq!(
            (grids.len(), *grids.iter().next_back().unwrap()),
            (1 + 64 - 28, 72),
            "half of the device at least, and all of it"
        );
        assert_eq!(blocks, BTreeSet::from([64, 96, 128, 160]));
        let (_, grids, blocks) = draws("groups=8,warps=2,shuffle=off");
        assert_eq!((grids, blocks), (BTreeSet::from([8]), BTreeSet::from([64])));
    }
}
