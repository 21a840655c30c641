//! An interpreter of the PTX that the harness is made of, so that whole launches run without a GPU: sequentially consistent, its threads interleaved
//! at random between any two instructions. Every access is checked: in bounds of what was allocated, and aligned (PTX ISA 6.4.1). An instruction
//! that it does not know is a panic.

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

/// Runs a launch to its end.
pub fn launch(grid: &Grid<'_>, memory: &mut Memory, rng: &mut fastrand::Rng) {
    let program = Program::read(grid.kernel);
    assert_eq!(program.parameters.len(), grid.parameters.len());
    memory.begin(grid.ctas, program.shared);
    let mut threads: Vec<Thread> =
        (0..grid.ctas).flat_map(|cta| (0..grid.block).map(move |tid| Thread::new(cta, grid.ctas, tid, grid.block))).collect();
    // Arrivals at a barrier of a cta, and who waits there.
    let mut barriers: BTreeMap<(u32, u32), (u32, Vec<usize>)> = BTreeMap::new();
    let mut votes: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::new();
    let mut ready: Vec<usize> = (0..threads.len()).collect();
    while !ready.is_empty() {
        let place = rng.usize(..ready.len());
        let now = ready[place];
        match threads[now].run(&program, grid.parameters, memory, rng.u32(1..40)) {
            Stop::Still => {}
            Stop::Ended => {
                ready.swap_remove(place);
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
            Stop::Vote(mine) => {
                ready.swap_remove(place);
                let warp = (now / 32) as u32;
                let all = votes.entry(warp).or_default();
                all.push((now, mine));
                if all.len() == 32 {
                    let ballot = all.iter().fold(0, |b, (thread, mine)| b | u32::from(*mine) << (thread % 32));
                    for (thread, _) in votes.remove(&warp).unwrap_or_default() {
                        threads[thread].voted(ballot);
                        ready.push(thread);
                    }
                }
            }
        }
    }
    assert!(votes.is_empty(), "a warp waits for lanes that have ended");
    assert!(barriers.values().all(|(arrived, _)| *arrived == 0), "a barrier that not all threads come to");
}
