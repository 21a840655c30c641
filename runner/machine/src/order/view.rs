//! What threads and blocks know of memory, and what they have not made known.

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::waiting_store::WaitingStore;

/// How many locations are told apart; of more, the youngest stands for all.
const MOST_LOCATIONS: usize = 64;

/// The bytes of a location.
pub(super) const LOCATION: usize = 8;

/// The bytes of an access, numbered in its location.
pub(super) type BytesOfAccess = Range<usize>;

/// When the values of locations were there that may not be forgotten: of each byte of a location
/// nothing older is taken.
#[derive(Debug, Default)]
pub(super) struct SeenBytes(FxHashMap<usize, [u64; LOCATION]>);

impl SeenBytes {
    /// Nothing older of these bytes is taken any more.
    pub(super) fn insert(&mut self, location: usize, bytes: BytesOfAccess, time: u64) {
        self.0.entry(location).or_default()[bytes].fill(time);
    }

    /// Since when there is what an access may take.
    pub(super) fn newest(&self, location: usize, bytes: BytesOfAccess) -> u64 {
        self.0.get(&location).map_or(0, |times| times[bytes].iter().copied().fold(0, u64::max))
    }

    /// Adds what others know; if there are too many locations, `floor` stands for them.
    pub(super) fn merge(&mut self, more: &Self, floor: &mut u64) {
        for (&location, times) in &more.0 {
            if times.iter().any(|time| time > floor) {
                let known = self.0.entry(location).or_default();
                known.iter_mut().zip(times).for_each(|(known, time)| *known = (*known).max(*time));
            }
        }
        if self.0.len() > MOST_LOCATIONS {
            *floor = self.0.values().flatten().copied().fold(*floor, u64::max);
            self.0.clear();
        }
    }

    /// Forgets what was there before anything that is taken now.
    pub(super) fn forget_before(&mut self, floor: u64) {
        self.0.retain(|_, times| times.iter().any(|time| *time > floor));
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
    /// How many of these the stores have passed that are in the block's buffer, and from which
    /// number on they are there.
    pub(super) passed: u32,
    pub(super) behind: u32,
    /// Nothing older is taken.
    pub(super) floor: u64,
    /// Nothing older of these locations is taken: the thread has seen what was there then.
    pub(super) own: SeenBytes,
    /// When the youngest store took place that the thread has read by an access that is strong for
    /// other blocks: an acquire makes it the floor.
    pub(super) observed: u64,
    /// Has it stored something since its last load? Where no store waits for a load, all of it goes
    /// before the next one.
    pub(super) stored: bool,
    /// Lanes of its warp that it has met, and whose stores in front of that it has not waited for:
    /// in a machine that reorders one kind of pairs.
    pub(super) met: u32,
}

impl ThreadView {
    /// What is in the buffer of the block was there before the thread's fences, or is ordered with
    /// them: all of it goes before what comes now.
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
    /// What its threads have made known to each other: nothing older is taken by a thread that
    /// acquires.
    pub(super) published: u64,
    /// The same of single locations.
    pub(super) published_of: SeenBytes,
    /// For each location when a store of the block took place.
    pub(super) own: SeenBytes,
}
