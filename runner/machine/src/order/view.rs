//! What threads and blocks know of memory, and what they have not made known.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::waiting_store::WaitingStore;

/// How many locations are told apart; of more, the youngest stands for all.
const MOST_LOCATIONS: usize = 64;

/// Adds what is known of locations; if there are too many, `floor` stands for them.
pub(super) fn merge(known: &mut FxHashMap<usize, u64>, more: &FxHashMap<usize, u64>, floor: &mut u64) {
    for (&location, &time) in more {
        if time > *floor {
            let entry = known.entry(location).or_default();
            *entry = time.max(*entry);
        }
    }
    if known.len() > MOST_LOCATIONS {
        *floor = known.values().fold(*floor, |floor, time| floor.max(*time));
        known.clear();
    }
}
/// What a thread has not made known, and how old the values are that it may take.
#[derive(Debug, Default)]
pub(super) struct ThreadView {
    pub(super) waiting: VecDeque<WaitingStore>,
    /// Fences that release, of any scope.
    pub(super) epoch: u32,
    /// Those of them that other blocks see.
    pub(super) device_epoch: u32,
    /// How many of these the stores have passed that are in the block's buffer, and from which number on they are there.
    pub(super) passed: u32,
    pub(super) behind: u32,
    /// Nothing older is taken.
    pub(super) floor: u64,
    /// Nothing older of these locations is taken: the thread has seen what was there then.
    pub(super) own: FxHashMap<usize, u64>,
    /// When the youngest store took place that the thread has read by an access that is strong for other blocks: an acquire makes it the floor.
    pub(super) observed: u64,
    /// Has it stored something since its last load? Where no store waits for a load, all of it goes before the next one.
    pub(super) stored: bool,
}

impl ThreadView {
    /// What is in the buffer of the block was there before the thread's fences, or is ordered with them: all of it goes before what comes now.
    pub(super) fn pass_fences(&mut self, device_epoch: u32, block: &mut BlockView) {
        self.passed = device_epoch;
        block.epoch += 1;
        self.behind = block.epoch;
    }
}

/// The same of a block.
#[derive(Debug, Default)]
pub(super) struct BlockView {
    pub(super) waiting: VecDeque<WaitingStore>,
    pub(super) epoch: u32,
    /// What its threads have made known to each other: nothing older is taken by a thread that acquires.
    pub(super) published: u64,
    /// The same of single locations.
    pub(super) published_of: FxHashMap<usize, u64>,
    /// For each location when a store of the block took place.
    pub(super) own: FxHashMap<usize, u64>,
}
