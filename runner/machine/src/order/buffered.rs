//! Weak memory: it has a buffer for each thread and one for each block, which stores leave in any
//! order that fences and their own location allow, and an old value for each location, which a load
//! may take as if it had been done before. A fence orders for those whose accesses are morally
//! strong with the store: other blocks see a store of block scope, and other threads a weak one,
//! out of that order. An atomic operation of block scope takes place in its block, on what is known
//! there. What it shows, chapter 8 of the PTX ISA allows (tests/allowed asks the model); it lets
//! a load wait for the first instruction that needs it (see `late_load`), and all threads outside
//! of a block see stores in one order.

use std::collections::VecDeque;

use fastrand::Rng;
use margay_ptx::effect::{MemoryOrder, MemoryScope};
use rustc_hash::FxHashMap;

use super::view::{BlockView, BytesOfAccess, LOCATION, ThreadView};
use super::waiting_store::{StoreReach, WaitingStore};
use super::{MachineCell, Memories, MemoryOrdering, Ordering, Who};
use crate::schedule::{ReorderedPair, WARP};

/// How many stores wait in a buffer.
const MOST_WAITING: usize = 8;

/// How many old values of a location are kept.
const MOST_OLD: usize = 8;

/// One load in so many takes an old value, if there is one.
const OLD_ONE_IN: u32 = 2;

/// One load in so many waits for what needs it, if it may.
const LATE_ONE_IN: u32 = 4;

/// The location of an access in global memory, eight bytes that lie together, and which of them it
/// accesses.
fn location(at: usize, bytes: usize) -> (usize, BytesOfAccess) {
    let first = at % LOCATION;
    (at / LOCATION, first..first + bytes)
}

/// A change of a location.
#[derive(Debug, Clone)]
struct MemoryChange {
    time: u64,
    /// What all of the location was before.
    before: u64,
    /// What was stored.
    bytes: BytesOfAccess,
}

impl MemoryChange {
    /// Has it changed one of these bytes?
    fn touches(&self, bytes: &BytesOfAccess) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

#[derive(Debug, Clone, Copy)]
enum StoreBuffer {
    OfThread(Who),
    OfBlock(usize),
}

/// For so many turns of each thread a store waits at most, and for so small a part of the steps
/// that a run has: who waits for it comes to an end.
const MOST_AGE: u64 = 256;
const LEAST_PART: u64 = 256;

/// Weak memory.
pub(crate) struct Buffered {
    rng: Rng,
    /// Nothing else is reordered than this, and stores are there for all threads at once.
    only: Option<ReorderedPair>,
    /// One turn in so many lets something go. It differs from run to run, as stress differs.
    one_in: u32,
    turn: u64,
    /// After so many turns a store has to go.
    most_age: u64,
    /// When stores came into buffers, the first one first.
    due: VecDeque<(u64, StoreBuffer)>,
    steps: u64,
    /// Counts the stores that took place.
    time: u64,
    /// For each location of global memory how it changed, the last changes of it.
    old: FxHashMap<usize, VecDeque<MemoryChange>>,
    threads: Vec<ThreadView>,
    blocks: Vec<BlockView>,
}

impl Buffered {
    /// Weak memory for a run of at most so many steps; if such a pair is named, it reorders `only`
    /// those.
    pub fn new(seed: u64, steps: u64, only: Option<ReorderedPair>) -> Self {
        let mut rng = Rng::with_seed(seed);
        let one_in = [1, 2, 8, 32][rng.usize(..4)];
        Self {
            rng,
            only,
            one_in,
            turn: 0,
            most_age: 0,
            due: VecDeque::new(),
            steps,
            time: 0,
            old: FxHashMap::default(),
            threads: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Are such pairs reordered?
    fn shows(&self, pair: ReorderedPair) -> bool {
        self.only.is_none_or(|only| only == pair)
    }

    /// How an access or a fence is ordered: by its scope, or with all, where only pairs are
    /// reordered.
    fn ordering(&self, ordering: Ordering) -> Ordering {
        match (self.only, ordering.order) {
            (None, _) => ordering,
            (Some(_), MemoryOrder::Weak) => {
                Ordering { order: MemoryOrder::Relaxed, scope: MemoryScope::Sys }
            }
            (Some(_), order) => Ordering { order, scope: MemoryScope::Sys },
        }
    }

    /// All that a thread has stored is there for all threads.
    fn settle_all(&mut self, all: &mut Memories<'_>, who: Who) {
        self.settle_thread(all, who, &|_| true);
        self.settle_block(all, who.block, &|_| true);
    }

    /// The lanes of its warp that a thread has met: what they had stored is there for all threads.
    fn settle_met(&mut self, all: &mut Memories<'_>, who: Who) {
        let met = std::mem::take(&mut self.threads[who.thread].met);
        let first = self.first_of_warp(who);
        for lane in (0..WARP).filter(|lane| met >> lane & 1 == 1) {
            self.settle_all(all, Who { thread: first + lane as usize, ..who });
        }
    }

    /// The first thread of a thread's warp.
    fn first_of_warp(&self, who: Who) -> usize {
        let threads = self.threads.len() / self.blocks.len().max(1);
        who.thread - (who.thread - who.block * threads) % WARP as usize
    }

    /// What has waited too long goes.
    fn settle_due(&mut self, all: &mut Memories<'_>) {
        while let Some(&(since, buffer)) = self.due.front()
            && since + self.most_age < self.turn
        {
            self.due.pop_front();
            match buffer {
                StoreBuffer::OfThread(who) => self.settle_thread(all, who, &|w| w.since <= since),
                StoreBuffer::OfBlock(block) => self.settle_block(all, block, &|w| w.since <= since),
            }
        }
    }

    /// A store takes place in memory.
    fn commit(&mut self, all: &mut Memories<'_>, block: usize, waiting: WaitingStore) {
        self.time += 1;
        if let MachineCell::Global(at) = waiting.cell {
            let (location, bytes) = location(at, waiting.bytes);
            let before = all.global.get(location * LOCATION, LOCATION);
            let old = self.old.entry(location).or_default();
            old.push_back(MemoryChange { time: self.time, before, bytes: bytes.clone() });
            if old.len() > MOST_OLD {
                old.pop_front();
            }
            self.blocks[block].own.insert(location, bytes, self.time);
        }
        all.set(block, waiting.cell, waiting.bytes, waiting.value);
    }

    /// A store of a thread becomes known in its block.
    fn pass_to_block(&mut self, all: &mut Memories<'_>, who: Who, position: usize) {
        let thread = &mut self.threads[who.thread];
        let Some(mut waiting) = thread.waiting.remove(position) else { return };
        if let MachineCell::Shared(_) = waiting.cell {
            self.commit(all, who.block, waiting);
            return;
        }
        let block = &mut self.blocks[who.block];
        // A weak store may come here before others of its thread that are in front of the fence.
        if waiting.device_epoch > thread.passed
            && thread.waiting.iter().all(|w| w.device_epoch >= waiting.device_epoch)
        {
            thread.pass_fences(waiting.device_epoch, block);
        }
        (waiting.epoch, waiting.since) = (block.epoch, self.turn);
        block.waiting.push_back(waiting);
        if self.only.is_some() {
            self.settle_block(all, who.block, &|_| true);
            return;
        }
        self.due.push_back((self.turn, StoreBuffer::OfBlock(who.block)));
        if block.waiting.len() > MOST_WAITING {
            self.pass_to_memory(all, who.block, None);
        }
    }

    /// A store of a thread becomes known in its block, one of so many that may go. Where stores are
    /// in order, those of one access go together: what tears it apart is no pair of accesses.
    fn pass_any(&mut self, all: &mut Memories<'_>, who: Who) {
        let may = Self::may_go(&self.threads[who.thread].waiting, StoreReach::Block);
        if may.is_empty() {
            return;
        }
        let position = may[self.rng.usize(..may.len())];
        let epoch = self.threads[who.thread].waiting[position].epoch;
        self.pass_to_block(all, who, position);
        if !self.shows(ReorderedPair::StoreStore) {
            self.settle_thread(all, who, &|w| w.epoch == epoch);
        }
    }

    /// The stores of a buffer that may go: none of a smaller number waits, unless those who see it
    /// then are beyond its reach, and none of the same location before it.
    fn may_go(waiting: &VecDeque<WaitingStore>, to: StoreReach) -> Vec<usize> {
        let Some(first) = waiting.iter().map(|w| w.epoch).min() else { return Vec::new() };
        (0..waiting.len())
            .filter(|&n| {
                let w = &waiting[n];
                (w.epoch == first || w.reach < to)
                    && !waiting.iter().take(n).any(|before| before.overlaps(w.cell, w.bytes))
            })
            .collect()
    }

    /// A store of a block's buffer takes place: one that may go, by chance.
    fn pass_to_memory(&mut self, all: &mut Memories<'_>, block: usize, chosen: Option<usize>) {
        let position = match chosen {
            Some(position) => position,
            None => {
                let may = Self::may_go(&self.blocks[block].waiting, StoreReach::Device);
                if may.is_empty() {
                    return;
                }
                may[self.rng.usize(..may.len())]
            }
        };
        if let Some(waiting) = self.blocks[block].waiting.remove(position) {
            self.commit(all, block, waiting);
        }
    }

    /// Stores of a buffer that may go, until none is left that must; which one is next.
    fn next_before(
        waiting: &VecDeque<WaitingStore>,
        to: StoreReach,
        must: &dyn Fn(&WaitingStore) -> bool,
    ) -> Option<usize> {
        if !waiting.iter().any(must) {
            return None;
        }
        let may = Self::may_go(waiting, to);
        may.iter().copied().find(|&n| must(&waiting[n])).or(may.first().copied())
    }

    /// Stores of a thread become known in its block: those that must, and what has to go before
    /// them.
    fn settle_thread(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        must: &dyn Fn(&WaitingStore) -> bool,
    ) {
        while let Some(next) =
            Self::next_before(&self.threads[who.thread].waiting, StoreReach::Block, must)
        {
            self.pass_to_block(all, who, next);
        }
    }

    /// Stores of a thread become known in its block that a modification of a cell comes behind:
    /// those in front of a fence, and those of the cell.
    fn settle_before(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize) {
        let epoch = self.threads[who.thread].epoch;
        self.settle_thread(all, who, &|w| w.epoch < epoch || w.overlaps(cell, bytes));
    }

    /// Stores that are known in a block take place: those that must, and what has to go before
    /// them.
    fn settle_block(
        &mut self,
        all: &mut Memories<'_>,
        block: usize,
        must: &dyn Fn(&WaitingStore) -> bool,
    ) {
        while let Some(next) =
            Self::next_before(&self.blocks[block].waiting, StoreReach::Device, must)
        {
            self.pass_to_memory(all, block, Some(next));
        }
    }

    /// The value of a cell for a thread, but for what waits in its own buffer: an old one, if it
    /// may be taken.
    fn known_in_block(
        &mut self,
        all: &Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        reach: StoreReach,
    ) -> u64 {
        let mut value = all.get(who.block, cell, bytes);
        let MachineCell::Global(at) = cell else { return value };
        let (location, of_location) = location(at, bytes);
        if let Some(old) = self.old.get(&location) {
            // When what was there before this change had been stored: at the last change of these
            // bytes, if it is known.
            let stored_before = |chosen: usize| {
                let last = old.iter().take(chosen).rfind(|change| change.touches(&of_location));
                let unknown = || {
                    if old.len() < MOST_OLD {
                        0
                    } else {
                        old.get(chosen).map_or(self.time, |change| change.time - 1)
                    }
                };
                last.map_or_else(unknown, |change| change.time)
            };
            let (mut taken, mut chosen) = (self.time, old.len());
            let thread = &self.threads[who.thread];
            let floor = thread.floor.max(thread.own.newest(location, of_location.clone()));
            let floor = floor.max(self.blocks[who.block].own.newest(location, of_location.clone()));
            // Changes after what may not be forgotten: before any of them the load may have been
            // done.
            let may = |change: &MemoryChange| change.time > floor && change.touches(&of_location);
            let count = old.iter().filter(|change| may(change)).count();
            if count > 0
                && self.shows(ReorderedPair::LoadLoad)
                && self.rng.u32(..OLD_ONE_IN) == 0
                && let Some((n, change)) = old
                    .iter()
                    .enumerate()
                    .filter(|(_, change)| may(change))
                    .nth(self.rng.usize(..count))
            {
                (taken, chosen) = (change.time - 1, n);
                value = change.before >> (8 * of_location.start);
                if bytes < LOCATION {
                    value &= (1 << (8 * bytes)) - 1;
                }
            }
            let stored = stored_before(chosen);
            let thread = &mut self.threads[who.thread];
            thread.own.insert(location, of_location, taken);
            if reach == StoreReach::Device {
                thread.observed = thread.observed.max(stored);
            }
        }
        for waiting in &self.blocks[who.block].waiting {
            if waiting.overlaps(cell, bytes) {
                value = waiting.over(cell, bytes, value);
            }
        }
        value
    }

    /// A modification takes place in memory: what must be before it goes, and what its location
    /// still waits for.
    fn modify_at_once(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        self.settle_before(all, who, cell, bytes);
        let device_epoch = self.threads[who.thread].device_epoch;
        if let MachineCell::Global(_) = cell {
            let thread = &mut self.threads[who.thread];
            if device_epoch > thread.passed {
                thread.pass_fences(device_epoch, &mut self.blocks[who.block]);
            }
            let behind = thread.behind;
            self.settle_block(all, who.block, &|w| w.epoch < behind || w.overlaps(cell, bytes));
        }
        let old = all.get(who.block, cell, bytes);
        if let Some(value) = new(old) {
            let store = WaitingStore {
                cell,
                bytes,
                value,
                reach: StoreReach::Device,
                epoch: 0,
                device_epoch: 0,
                since: 0,
            };
            self.commit(all, who.block, store);
        }
        if let MachineCell::Global(at) = cell {
            let (location, of_location) = location(at, bytes);
            let thread = &mut self.threads[who.thread];
            thread.own.insert(location, of_location, self.time);
            // What it read took place before.
            thread.observed = self.time;
        }
        old
    }

    /// A modification of block scope takes place in its block: none of another block is morally
    /// strong with it, and so it need not be atomic for these.
    fn modify_in_block(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        self.settle_before(all, who, cell, bytes);
        let old = self.known_in_block(all, who, cell, bytes, StoreReach::Block);
        if let Some(value) = new(old) {
            let block = &mut self.blocks[who.block];
            let (epoch, since) = (block.epoch, self.turn);
            block.waiting.push_back(WaitingStore {
                cell,
                bytes,
                value,
                reach: StoreReach::Block,
                epoch,
                device_epoch: 0,
                since,
            });
            self.due.push_back((since, StoreBuffer::OfBlock(who.block)));
            if block.waiting.len() > MOST_WAITING {
                self.pass_to_memory(all, who.block, None);
            }
        }
        old
    }

    fn is_device(scope: MemoryScope) -> bool {
        scope != MemoryScope::Cta
    }

    /// What follows is ordered behind what was before.
    fn release(&mut self, who: Who, scope: MemoryScope) {
        let thread = &mut self.threads[who.thread];
        thread.epoch += 1;
        if Self::is_device(scope) {
            thread.device_epoch += 1;
        }
        let block = &mut self.blocks[who.block];
        block.published = block.published.max(thread.floor);
        block.published_of.merge(&thread.own, &mut block.published);
    }

    /// Nothing that follows is older than what others have made known and the thread has read of.
    fn acquire(&mut self, who: Who, ordering: Ordering) {
        let thread = &mut self.threads[who.thread];
        let block = &self.blocks[who.block];
        thread.floor = thread.floor.max(block.published);
        thread.own.merge(&block.published_of, &mut thread.floor);
        if Self::is_device(ordering.scope) {
            // What the writer knew, and had stored before, took place before what was read. A
            // fence.sc comes behind all others that are done.
            let known = if ordering.order == MemoryOrder::Sc { self.time } else { thread.observed };
            if known > thread.floor {
                thread.floor = known;
                thread.own.forget_before(known);
            }
        }
    }

    fn releases(order: MemoryOrder) -> bool {
        matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::Sc)
    }

    fn acquires(order: MemoryOrder) -> bool {
        matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::Sc)
    }
}

impl MemoryOrdering for Buffered {
    const TURN: u64 = 6;
    const PUTS_OFF: bool = true;

    fn puts_off(&mut self) -> bool {
        self.shows(ReorderedPair::LoadStore) && self.rng.u32(..LATE_ONE_IN) == 0
    }

    fn passes_loads(&self) -> bool {
        self.shows(ReorderedPair::LoadLoad)
    }

    fn begin(&mut self, block: usize, first: usize, threads: usize) {
        if self.blocks.len() <= block {
            self.blocks.resize_with(block + 1, BlockView::default);
        }
        self.blocks[block] = BlockView { published: self.time, ..BlockView::default() };
        if self.threads.len() < first + threads {
            self.threads.resize_with(first + threads, ThreadView::default);
        }
        self.most_age =
            (MOST_AGE * self.threads.len() as u64).min((self.steps / LEAST_PART).max(MOST_AGE));
        // What was before the launch is known to all of it; old values of a block's predecessor in
        // its place are none of its own.
        for thread in &mut self.threads[first..first + threads] {
            // Where nothing but pairs is reordered, a load passes loads of its thread, and not the
            // beginning.
            let floor = if self.only.is_some() { self.time } else { 0 };
            *thread = ThreadView { floor, ..ThreadView::default() };
        }
    }

    fn load(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        ordering: Ordering,
    ) -> u64 {
        let ordering = self.ordering(ordering);
        if self.threads[who.thread].stored && !self.shows(ReorderedPair::StoreLoad) {
            self.settle_all(all, who);
            self.threads[who.thread].stored = false;
        }
        if self.threads[who.thread].met != 0 && !self.shows(ReorderedPair::StoreLoad) {
            self.settle_met(all, who);
        }
        let mut value = self.known_in_block(all, who, cell, bytes, StoreReach::of(ordering));
        for waiting in &self.threads[who.thread].waiting {
            if waiting.overlaps(cell, bytes) {
                value = waiting.over(cell, bytes, value);
            }
        }
        if Self::acquires(ordering.order) {
            self.acquire(who, ordering);
        }
        value
    }

    fn store(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        values: &[u64],
        ordering: Ordering,
    ) {
        let ordering = self.ordering(ordering);
        let in_order = !self.shows(ReorderedPair::StoreStore);
        if in_order {
            self.settle_met(all, who);
            self.release(who, ordering.scope);
        }
        for (n, &value) in values.iter().enumerate() {
            if !in_order && Self::releases(ordering.order) {
                self.release(who, ordering.scope);
            }
            let thread = &mut self.threads[who.thread];
            thread.stored = true;
            let (epoch, device_epoch, since) = (thread.epoch, thread.device_epoch, self.turn);
            let (cell, reach) = (cell.behind(n * bytes), StoreReach::of(ordering));
            thread.waiting.push_back(WaitingStore {
                cell,
                bytes,
                value,
                reach,
                epoch,
                device_epoch,
                since,
            });
            self.due.push_back((since, StoreBuffer::OfThread(who)));
            if self.threads[who.thread].waiting.len() > MOST_WAITING {
                self.pass_any(all, who);
            }
        }
        if !self.shows(ReorderedPair::StoreStore) && !self.shows(ReorderedPair::StoreLoad) {
            self.settle_thread(all, who, &|_| true);
            self.threads[who.thread].floor = self.time;
        }
    }

    fn modify(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        ordering: Ordering,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        let ordering = self.ordering(ordering);
        if !self.shows(ReorderedPair::StoreStore) {
            self.settle_met(all, who);
        }
        if Self::releases(ordering.order) || !self.shows(ReorderedPair::StoreStore) {
            self.release(who, ordering.scope);
        }
        let old = match (cell, StoreReach::of(ordering)) {
            (MachineCell::Global(_), StoreReach::Block) => {
                self.modify_in_block(all, who, cell, bytes, new)
            }
            _ => self.modify_at_once(all, who, cell, bytes, new),
        };
        if Self::acquires(ordering.order) {
            self.acquire(who, ordering);
        }
        old
    }

    fn fence(&mut self, all: &mut Memories<'_>, who: Who, ordering: Ordering) {
        let ordering = self.ordering(ordering);
        if ordering.order == MemoryOrder::Sc {
            // Its stores are known to all that its scope names before it is done.
            self.settle_thread(all, who, &|_| true);
            if Self::is_device(ordering.scope) {
                self.settle_block(all, who.block, &|_| true);
            }
        }
        if Self::releases(ordering.order) {
            self.release(who, ordering.scope);
        }
        if Self::acquires(ordering.order) {
            self.acquire(who, ordering);
        }
        if ordering.order == MemoryOrder::Sc {
            let known = self.threads[who.thread].floor;
            let block = &mut self.blocks[who.block];
            block.published = block.published.max(known);
        }
    }

    fn arrive(&mut self, all: &mut Memories<'_>, who: Who) {
        self.settle_thread(all, who, &|_| true);
        self.release(who, MemoryScope::Cta);
    }

    fn leave(&mut self, who: Who) {
        if self.only.is_some() {
            // Its loads do not pass a barrier, whoever stored what they read.
            self.threads[who.thread].floor = self.time;
        }
        self.acquire(who, Ordering { order: MemoryOrder::Acquire, scope: MemoryScope::Cta });
    }

    fn exchange(&mut self, lanes: &[Who]) {
        let views = || lanes.iter().map(|who| &self.threads[who.thread]);
        match self.only {
            // Loads of a machine that reorders them with stores are those that wait: whoever runs
            // the threads knows them.
            None | Some(ReorderedPair::LoadStore) => {}
            // What they had stored is there: their loads are not older.
            Some(ReorderedPair::LoadLoad) => {
                let floor = views().map(|view| view.floor).fold(0, u64::max);
                lanes.iter().for_each(|who| self.threads[who.thread].floor = floor);
            }
            Some(ReorderedPair::StoreStore | ReorderedPair::StoreLoad) => {
                let of_warp = |who: &Who| 1 << (who.thread - self.first_of_warp(*who));
                let met = views()
                    .map(|view| view.met)
                    .chain(lanes.iter().map(of_warp))
                    .fold(0, |all, met| all | met);
                lanes.iter().for_each(|who| self.threads[who.thread].met = met);
            }
        }
    }

    fn settle_some(&mut self, all: &mut Memories<'_>, who: Who) {
        self.turn += 1;
        self.settle_due(all);
        if self.rng.u32(..self.one_in) != 0 {
            return;
        }
        // A thread that has ended settles, too.
        let threads = self.threads.len() / self.blocks.len().max(1);
        let who = match self.rng.bool() {
            true => who,
            false => {
                let thread = self.rng.usize(..self.threads.len());
                Who { thread, block: thread / threads }
            }
        };
        self.pass_any(all, who);
        if self.rng.u32(..self.one_in) == 0 {
            self.pass_to_memory(all, who.block, None);
        }
    }

    fn settle(&mut self, all: &mut Memories<'_>, block: usize) {
        let threads = self.threads.len() / self.blocks.len().max(1);
        for thread in block * threads..(block + 1) * threads {
            self.settle_thread(all, Who { thread, block }, &|_| true);
        }
        self.settle_block(all, block, &|_| true);
    }
}
