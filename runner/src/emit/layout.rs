//! Which part of which instance each thread of the GPU plays: the scope tree of the test, laid out
//! over ctas and clusters.

use margay_litmus::test::{AsyncAction, Operation, Test, TestInstruction, ThreadId};
use margay_models::execution::Placement;

use super::EmissionError;
use super::environment::{Count, Environment};
use super::target::GpuTarget;

/// A thread of the test: its cta among those of an instance, and its place in the cta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadRole {
    /// The cta, `unit * cluster + rank`.
    pub cta: u32,
    /// Which of the cta's threads of the test it is.
    pub position: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmissionLayout {
    /// For each thread of the test.
    pub roles: Vec<ThreadRole>,
    /// Ctas in a cluster of the launch; 1 where the test needs none.
    pub cluster: u32,
    /// How many ctas of the test are in each cluster of the test.
    pub units: Vec<u32>,
    /// For each cta (`unit * cluster + rank`) how many threads of the test are in it; 0 for ctas
    /// that only fill a cluster up.
    pub threads: Vec<u32>,
    /// Instances in a group of ctas: the lanes of each thread's warps.
    pub slots: u32,
    /// Instances in a launch.
    pub instances: u32,
    /// Threads in a cta, at most.
    pub block: u32,
    /// Of them, warps that are left out of some launches: they run no test.
    pub idle: u32,
    /// Ctas that run the test.
    pub testing: u32,
    /// All ctas.
    pub grid: u32,
}

/// Idle warps of a cta, at most, where one instance runs alone.
const ALONE: u32 = 8;

/// Does the test have asynchronous stores or reductions of one value, which only launches with
/// clusters have?
fn needs_clusters(test: &Test) -> bool {
    let is_one = |i: &TestInstruction| match &i.operation {
        Operation::Async(of) => {
            matches!(of.action, AsyncAction::Store { .. } | AsyncAction::Reduce { .. })
        }
        _ => false,
    };
    (0..test.threads.len()).any(|t| test.instructions(ThreadId(t as u16)).iter().any(is_one))
}

impl EmissionLayout {
    /// The largest number of instances of a launch: what 32-bit products of the permutations allow.
    pub const MAX_INSTANCES: u64 = 1 << 22;

    /// Lays a test out. Clusters that the target has not, and more threads than a cta or instances
    /// than a launch can have, are errors.
    pub fn new(
        test: &Test,
        target: GpuTarget,
        environment: &Environment,
    ) -> Result<Self, EmissionError> {
        // Each thread is in a warp of its own here, whatever the test says.
        let place = |t: usize| Placement { warp: 0, ..test.placement(ThreadId(t as u16)) };
        let placements: Vec<_> = (0..test.threads.len()).map(place).collect();
        // Units are clusters; without clusters, ctas.
        let mut units: Vec<Vec<_>> = Vec::new();
        let mut keys = Vec::new();
        for p in &placements {
            let key = (p.gpu, p.cluster);
            let unit = keys.iter().position(|k| *k == key).unwrap_or_else(|| {
                keys.push(key);
                units.push(Vec::new());
                keys.len() - 1
            });
            if !units[unit].contains(p) {
                units[unit].push(*p);
            }
        }
        // Found on an H100: in a launch without clusters, `st.async` to the own cta ends with "an
        // illegal instruction was encountered" (results/hardware.md); in one with clusters of two
        // it runs. PTX says nothing of it.
        let least = if needs_clusters(test) { 2 } else { 1 };
        let cluster = units.iter().map(Vec::len).max().unwrap_or(1).max(least) as u32;
        if cluster > 1 && !target.has_clusters() {
            return Err(EmissionError::target(format!(
                "the test needs a launch of clusters; {target} has none, sm_90 has"
            )));
        }
        if cluster > 8 {
            return Err(EmissionError::test(format!(
                "the test has {cluster} ctas in a cluster; 8 are the most that every GPU can launch"
            )));
        }
        let mut threads = vec![0; units.len() * cluster as usize];
        let mut roles = Vec::new();
        for p in &placements {
            let unit = keys.iter().position(|k| *k == (p.gpu, p.cluster)).unwrap_or(0);
            let rank = units[unit].iter().position(|q| q == p).unwrap_or(0);
            let cta = unit as u32 * cluster + rank as u32;
            roles.push(ThreadRole { cta, position: threads[cta as usize] });
            threads[cta as usize] += 1;
        }
        let widest = threads.iter().copied().max().unwrap_or(1).max(1);
        let busy = widest * environment.warps + environment.bank_warps;
        let idle = match environment.idle_warps {
            _ if !environment.shuffle => 0,
            Count::Fixed(n) => n,
            // Where one instance runs alone, ctas can be as large as they like; many instances are
            // fewer for each warp without one.
            Count::Auto { or } => {
                if environment.parallel { or } else { ALONE }.min(32u32.saturating_sub(busy))
            }
        };
        let block = 32 * (busy + idle);
        if block > 1024 {
            return Err(EmissionError::environment(format!(
                "{widest} threads of the test in a cta with warps={}, bank-warps={} and idle-warps={idle} make ctas of {block} threads; 1024 are \
                 the most",
                environment.warps, environment.bank_warps
            )));
        }
        let slots = 32 * environment.warps;
        let instances = u64::from(environment.groups.number()) * u64::from(slots);
        if instances > Self::MAX_INSTANCES {
            return Err(EmissionError::environment(format!(
                "groups={} and warps={} make {instances} instances a launch; {} are the most",
                environment.groups.number(),
                environment.warps,
                Self::MAX_INSTANCES
            )));
        }
        let testing = environment.groups.number() * units.len() as u32 * cluster;
        let stress = environment.stress_ctas.number().div_ceil(cluster) * cluster;
        Ok(Self {
            roles,
            cluster,
            units: units.iter().map(|u| u.len() as u32).collect(),
            threads,
            slots,
            instances: instances as u32,
            block,
            idle,
            testing,
            grid: testing + stress,
        })
    }

    /// The threads of the test in a cta that have a barrier, by their positions.
    pub fn in_cta(&self, cta: u32) -> impl Iterator<Item = usize> + '_ {
        self.roles.iter().enumerate().filter(move |(_, r)| r.cta == cta).map(|(t, _)| t)
    }
}

/// A multiplier that permutes the numbers below `n`: the `which`-th of some primes, moved on while
/// it divides `n`.
pub(super) fn coprime(n: u32, which: usize) -> u32 {
    // All below 1024, so that products with MAX_INSTANCES fit into 32 bits.
    const PRIMES: [u32; 16] =
        [419, 1009, 769, 607, 997, 521, 883, 331, 701, 457, 941, 383, 857, 613, 733, 677];
    let found = (0..PRIMES.len())
        .map(|i| PRIMES[(which + i) % PRIMES.len()])
        .find(|p| !n.is_multiple_of(*p));
    found.unwrap_or(1)
}
