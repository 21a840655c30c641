//! An interpreter of the PTX that the harness is made of, so that whole launches run without a GPU:
//! sequentially consistent, its threads interleaved at random between any two instructions. Every
//! access is checked: in bounds of what was allocated, and aligned (PTX ISA 6.4.1). An instruction
//! that it does not know is a panic.

mod asynchronous;
mod memory;
mod program;
mod thread;

use std::collections::BTreeMap;

pub use memory::Memory;
use program::Program;
use thread::{Stop, Thread};

/// What a launch has.
pub struct Grid<'a> {
    pub kernel: &'a str,
    pub parameters: &'a [u64],
    pub ctas: u32,
    pub block: u32,
}

/// The barrier of a cluster: all threads that have not ended come to it.
#[derive(Clone, Default)]
struct ClusterMeeting {
    alive: u32,
    arrived: u32,
    phase: u32,
    waiting: Vec<usize>,
}

impl ClusterMeeting {
    /// Those who may go on, if all have arrived.
    fn meet(&mut self) -> Vec<usize> {
        if self.arrived == 0 || self.arrived < self.alive {
            return Vec::new();
        }
        self.arrived = 0;
        self.phase += 1;
        std::mem::take(&mut self.waiting)
    }
}

/// Runs a launch to its end.
pub fn launch(grid: &Grid<'_>, memory: &mut Memory, rng: &mut fastrand::Rng) {
    let program = Program::read(grid.kernel);
    assert_eq!(program.parameters.len(), grid.parameters.len());
    memory.begin(grid.ctas, program.shared);
    let mut threads: Vec<Thread> = (0..grid.ctas)
        .flat_map(|cta| {
            (0..grid.block).map(move |tid| Thread::new(cta, grid.ctas, tid, grid.block))
        })
        .collect();
    // Arrivals at a barrier of a cta, and who waits there.
    let mut barriers: BTreeMap<(u32, u32), (u32, Vec<usize>)> = BTreeMap::new();
    // Those who wait for the lanes of a mask, by warp.
    let mut exchanges: BTreeMap<(u32, u32), BTreeMap<usize, u64>> = BTreeMap::new();
    let mut meetings: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    let per_cluster = program.cluster * grid.block;
    let mut clusters = vec![
        ClusterMeeting { alive: per_cluster, ..ClusterMeeting::default() };
        (grid.ctas / program.cluster) as usize
    ];
    let mut ready: Vec<usize> = (0..threads.len()).collect();
    while !ready.is_empty() {
        let place = rng.usize(..ready.len());
        let now = ready[place];
        match threads[now].run(&program, grid.parameters, memory, rng.u32(1..40)) {
            Stop::Still => {}
            Stop::Ended => {
                ready.swap_remove(place);
                let cluster = &mut clusters[now / per_cluster as usize];
                cluster.alive -= 1;
                ready.append(&mut cluster.meet());
            }
            Stop::ClusterArrival => {
                let cluster = &mut clusters[now / per_cluster as usize];
                threads[now].cluster_phase = cluster.phase;
                cluster.arrived += 1;
                ready.append(&mut cluster.meet());
            }
            Stop::ClusterWait => {
                let cluster = &mut clusters[now / per_cluster as usize];
                if cluster.phase == threads[now].cluster_phase {
                    ready.swap_remove(place);
                    cluster.waiting.push(now);
                }
            }
            Stop::Barrier { id, expected, waits } => {
                let (arrived, waiting) = barriers.entry((threads[now].cta, id)).or_default();
                *arrived += 1;
                assert!(*arrived <= expected, "barrier {id}: more than {expected} threads come");
                if waits {
                    ready.swap_remove(place);
                    waiting.push(now);
                }
                if *arrived == expected {
                    *arrived = 0;
                    ready.append(waiting);
                }
            }
            Stop::Exchange { brought, mask } => {
                assert!(mask >> (now % 32) & 1 == 1, "a lane that the mask does not name");
                ready.swap_remove(place);
                let all = exchanges.entry(((now / 32) as u32, mask)).or_default();
                all.insert(now, brought);
                if all.len() == mask.count_ones() as usize {
                    let all = std::mem::take(all);
                    let brought: Vec<(u32, u64)> =
                        all.iter().map(|(thread, value)| ((thread % 32) as u32, *value)).collect();
                    for thread in all.into_keys() {
                        threads[thread].exchanged(&brought);
                        ready.push(thread);
                    }
                }
            }
            Stop::Meeting(mask) => {
                assert!(mask >> (now % 32) & 1 == 1, "a lane that the mask does not name");
                ready.swap_remove(place);
                let all = meetings.entry(((now / 32) as u32, mask)).or_default();
                all.push(now);
                if all.len() == mask.count_ones() as usize {
                    ready.append(all);
                }
            }
        }
    }
    assert!(
        clusters.iter().all(|c| c.waiting.is_empty()),
        "a cluster barrier that not all threads come to"
    );
    assert!(
        exchanges.values().all(BTreeMap::is_empty) && meetings.values().all(Vec::is_empty),
        "a warp waits for lanes that have ended"
    );
    assert!(
        barriers.values().all(|(arrived, _)| *arrived == 0),
        "a barrier that not all threads come to"
    );
}
