//! When accesses to memory take place: at once ([`InOrder`]), or as late and as early as buffers and old values allow ([`Buffered`]).
//!
//! The weak one has a buffer for each thread and one for each block, which stores leave in any order that fences and their own location
//! allow, and an old value for each location, which a load may take as if it had been done before. A fence orders for those whose accesses are
//! morally strong with the store: other blocks see a store of block scope, and other threads a weak one, out of that order. An atomic operation of
//! block scope takes place in its block, on what is known there. What it shows, chapter 8 of the PTX ISA allows (tests/allowed.rs asks the model); it
//! lets a load wait for the first instruction that needs it (see `late_load`), and all threads outside of a block see stores in one order.

use std::collections::VecDeque;

use fastrand::Rng;
use margay_ptx::effect::{MemoryOrder, MemoryScope};
use rustc_hash::FxHashMap;

use crate::launch::ReorderedPair;
use crate::memory::{self, GlobalMemory};

/// The thread that does something, and its block: numbers among those that are there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Who {
    pub thread: usize,
    pub block: usize,
}

/// Memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MachineCell {
    /// In global memory, by its distance from the start.
    Global(usize),
    /// In the shared memory of the block that does it.
    Shared(usize),
}

impl MachineCell {
    /// Have so many bytes from here, and so many from another, one in common?
    pub(crate) fn overlaps(self, bytes: usize, other: Self, of_other: usize) -> bool {
        match (self, other) {
            (Self::Global(a), Self::Global(b)) | (Self::Shared(a), Self::Shared(b)) => a < b + of_other && b < a + bytes,
            _ => false,
        }
    }
}

/// The memory of a device and of the blocks that are there.
pub(crate) struct Memories<'d> {
    pub global: &'d mut GlobalMemory,
    /// `[block]`
    pub shared: Vec<Vec<u8>>,
}

impl Memories<'_> {
    fn get(&self, block: usize, cell: MachineCell, bytes: usize) -> u64 {
        match cell {
            MachineCell::Global(at) => self.global.get(at, bytes),
            MachineCell::Shared(at) => memory::read(&self.shared[block], at, bytes),
        }
    }

    fn set(&mut self, block: usize, cell: MachineCell, bytes: usize, value: u64) {
        match cell {
            MachineCell::Global(at) => self.global.set(at, bytes, value),
            MachineCell::Shared(at) => memory::write(&mut self.shared[block], at, bytes, value),
        }
    }
}

/// How an access is ordered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ordering {
    pub order: MemoryOrder,
    pub scope: MemoryScope,
}

/// When accesses take place.
pub(crate) trait MemoryOrdering {
    /// A thread goes on for at most so many steps before another one is chosen.
    const TURN: u64;
    /// May loads wait for what needs them?
    const PUTS_OFF: bool;
    /// Does this one wait?
    fn puts_off(&mut self) -> bool;
    /// May a load that waits be done after a later one?
    fn passes_loads(&self) -> bool;
    /// A block begins in a place, with so many threads from this number on.
    fn begin(&mut self, block: usize, first: usize, threads: usize);
    /// The value of a cell.
    fn load(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize, ordering: Ordering) -> u64;
    /// Stores a value.
    fn store(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize, value: u64, ordering: Ordering);
    /// Reads a value and writes another at once, if there is one; says what was read.
    fn modify(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        ordering: Ordering,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64;
    /// A fence.
    fn fence(&mut self, all: &mut Memories<'_>, who: Who, ordering: Ordering);
    /// A thread comes to a barrier of its block: all that it has done is known there.
    fn arrive(&mut self, all: &mut Memories<'_>, who: Who);
    /// A thread leaves a barrier of its block: it knows what the others had done.
    fn leave(&mut self, who: Who);
    /// Something that waits in a buffer may go: of this thread and its block, or of any.
    fn settle_some(&mut self, all: &mut Memories<'_>, who: Who);
    /// All that waits in a place goes: its block has ended.
    fn settle(&mut self, all: &mut Memories<'_>, block: usize);
}

/// Sequential consistency: each access takes place at once.
#[derive(Debug, Default)]
pub(crate) struct InOrder;

impl MemoryOrdering for InOrder {
    const TURN: u64 = 64;
    const PUTS_OFF: bool = false;

    fn puts_off(&mut self) -> bool {
        false
    }

    fn passes_loads(&self) -> bool {
        false
    }

    fn begin(&mut self, _: usize, _: usize, _: usize) {}

    #[inline]
    fn load(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize, _: Ordering) -> u64 {
        all.get(who.block, cell, bytes)
    }

    #[inline]
    fn store(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize, value: u64, _: Ordering) {
        all.set(who.block, cell, bytes, value);
    }

    #[inline]
    fn modify(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        _: Ordering,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        let old = all.get(who.block, cell, bytes);
        if let Some(new) = new(old) {
            all.set(who.block, cell, bytes, new);
        }
        old
    }

    fn fence(&mut self, _: &mut Memories<'_>, _: Who, _: Ordering) {}

    fn arrive(&mut self, _: &mut Memories<'_>, _: Who) {}

    fn leave(&mut self, _: Who) {}

    fn settle_some(&mut self, _: &mut Memories<'_>, _: Who) {}

    fn settle(&mut self, _: &mut Memories<'_>, _: usize) {}
}

/// How many stores wait in a buffer.
const MOST_WAITING: usize = 8;

/// How many old values of a location are kept.
const MOST_OLD: usize = 8;

/// One load in so many takes an old value, if there is one.
const OLD_ONE_IN: u32 = 2;

/// One load in so many waits for what needs it, if it may.
const LATE_ONE_IN: u32 = 4;

/// The location of an access: eight bytes that lie together.
fn granule(cell: MachineCell) -> usize {
    match cell {
        MachineCell::Global(at) | MachineCell::Shared(at) => at / 8,
    }
}

/// Who may access what a store stores by an access that is morally strong with it (PTX ISA 8.7): who sees it in the order of fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StoreReach {
    /// Nobody but its thread: it is weak.
    Thread,
    Block,
    Device,
}

impl StoreReach {
    fn of(ordering: Ordering) -> Self {
        match (ordering.order, ordering.scope) {
            (MemoryOrder::Weak, _) => Self::Thread,
            (_, MemoryScope::Cta) => Self::Block,
            _ => Self::Device,
        }
    }
}

/// A store that waits.
#[derive(Debug, Clone, Copy)]
struct WaitingStore {
    cell: MachineCell,
    bytes: usize,
    value: u64,
    reach: StoreReach,
    /// Stores with a smaller number go before it.
    epoch: u32,
    /// As far as other blocks see: in a thread's buffer how many device fences its thread had done before it.
    device_epoch: u32,
    /// The turn in which it came into the buffer.
    since: u64,
}

impl WaitingStore {
    fn overlaps(&self, cell: MachineCell, bytes: usize) -> bool {
        self.cell.overlaps(self.bytes, cell, bytes)
    }

    /// Puts those of its bytes that are in a cell over a value of it.
    fn over(&self, cell: MachineCell, bytes: usize, value: u64) -> u64 {
        let ((MachineCell::Global(a), MachineCell::Global(b)) | (MachineCell::Shared(a), MachineCell::Shared(b))) =
            (self.cell, cell)
        else {
            return value;
        };
        (0..bytes).filter(|n| (a..a + self.bytes).contains(&(b + n))).fold(value, |all, n| {
            let byte = self.value >> (8 * (b + n - a)) & 0xff;
            all & !(0xff << (8 * n)) | byte << (8 * n)
        })
    }
}

/// How many locations are told apart; of more, the youngest stands for all.
const MOST_LOCATIONS: usize = 64;

/// Adds what is known of locations; if there are too many, `floor` stands for them.
fn merge(known: &mut FxHashMap<usize, u64>, more: &FxHashMap<usize, u64>, floor: &mut u64) {
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
struct ThreadView {
    waiting: VecDeque<WaitingStore>,
    /// Fences that release, of any scope.
    epoch: u32,
    /// Those of them that other blocks see.
    device_epoch: u32,
    /// How many of these the stores have passed that are in the block's buffer, and from which number on they are there.
    passed: u32,
    behind: u32,
    /// Nothing older is taken.
    floor: u64,
    /// Nothing older of these locations is taken: the thread has seen what was there then.
    own: FxHashMap<usize, u64>,
    /// When the youngest store took place that the thread has read by an access that is strong for other blocks: an acquire makes it the floor.
    observed: u64,
    /// Has it stored something since its last load? Where no store waits for a load, all of it goes before the next one.
    stored: bool,
}

impl ThreadView {
    /// What is in the buffer of the block was there before the thread's fences, or is ordered with them: all of it goes before what comes now.
    fn pass_fences(&mut self, device_epoch: u32, block: &mut BlockView) {
        self.passed = device_epoch;
        block.epoch += 1;
        self.behind = block.epoch;
    }
}

/// The same of a block.
#[derive(Debug, Default)]
struct BlockView {
    waiting: VecDeque<WaitingStore>,
    epoch: u32,
    /// What its threads have made known to each other: nothing older is taken by a thread that acquires.
    published: u64,
    /// The same of single locations.
    published_of: FxHashMap<usize, u64>,
    /// For each location when a store of the block took place.
    own: FxHashMap<usize, u64>,
}

/// A buffer.
#[derive(Debug, Clone, Copy)]
enum StoreBuffer {
    OfThread(Who),
    OfBlock(usize),
}

/// For so many turns of each thread a store waits at most, and for so small a part of the steps that a run has: who waits for it comes to an end.
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
    /// For each location of global memory when it changed, and what was there before.
    old: FxHashMap<usize, VecDeque<(u64, u64)>>,
    threads: Vec<ThreadView>,
    blocks: Vec<BlockView>,
}

impl Buffered {
    /// Weak memory for a run of at most so many steps; if such a pair is named, it reorders `only` those.
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

    /// How an access or a fence is ordered: by its scope, or with all, where only pairs are reordered.
    fn ordering(&self, ordering: Ordering) -> Ordering {
        match (self.only, ordering.order) {
            (None, _) => ordering,
            (Some(_), MemoryOrder::Weak) => Ordering { order: MemoryOrder::Relaxed, scope: MemoryScope::Sys },
            (Some(_), order) => Ordering { order, scope: MemoryScope::Sys },
        }
    }

    /// All that a thread has stored is there for all threads.
    fn settle_all(&mut self, all: &mut Memories<'_>, who: Who) {
        self.settle_thread(all, who, &|_| true);
        self.settle_block(all, who.block, &|_| true);
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
            let location = at / 8;
            let before = all.global.get(location * 8, 8);
            let old = self.old.entry(location).or_default();
            old.push_back((self.time, before));
            if old.len() > MOST_OLD {
                old.pop_front();
            }
            self.blocks[block].own.insert(location, self.time);
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
        if waiting.device_epoch > thread.passed && thread.waiting.iter().all(|w| w.device_epoch >= waiting.device_epoch) {
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

    /// The stores of a buffer that may go: none of a smaller number waits, unless those who see it then are beyond its reach, and none of the same location
    /// before it.
    fn may_go(waiting: &VecDeque<WaitingStore>, to: StoreReach) -> Vec<usize> {
        let Some(first) = waiting.iter().map(|w| w.epoch).min() else { return Vec::new() };
        (0..waiting.len())
            .filter(|&n| {
                let w = &waiting[n];
                (w.epoch == first || w.reach < to) && !waiting.iter().take(n).any(|before| before.overlaps(w.cell, w.bytes))
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
    fn next_before(waiting: &VecDeque<WaitingStore>, to: StoreReach, must: &dyn Fn(&WaitingStore) -> bool) -> Option<usize> {
        if !waiting.iter().any(must) {
            return None;
        }
        let may = Self::may_go(waiting, to);
        may.iter().copied().find(|&n| must(&waiting[n])).or(may.first().copied())
    }

    /// Stores of a thread become known in its block: those that must, and what has to go before them.
    fn settle_thread(&mut self, all: &mut Memories<'_>, who: Who, must: &dyn Fn(&WaitingStore) -> bool) {
        while let Some(next) = Self::next_before(&self.threads[who.thread].waiting, StoreReach::Block, must) {
            self.pass_to_block(all, who, next);
        }
    }

    /// Stores that are known in a block take place: those that must, and what has to go before them.
    fn settle_block(&mut self, all: &mut Memories<'_>, block: usize, must: &dyn Fn(&WaitingStore) -> bool) {
        while let Some(next) = Self::next_before(&self.blocks[block].waiting, StoreReach::Device, must) {
            self.pass_to_memory(all, block, Some(next));
        }
    }

    /// The value of a cell for a thread, but for what waits in its own buffer: an old one, if it may be taken.
    fn known_in_block(&mut self, all: &Memories<'_>, who: Who, cell: MachineCell, bytes: usize, reach: StoreReach) -> u64 {
        let mut value = all.get(who.block, cell, bytes);
        let MachineCell::Global(at) = cell else { return value };
        let location = granule(cell);
        let mut taken = self.time;
        if let Some(old) = self.old.get(&location) {
            let mut stored = old.back().map_or(0, |(time, _)| *time);
            let thread = &self.threads[who.thread];
            let floor = thread.floor.max(thread.own.get(&location).copied().unwrap_or(0));
            let floor = floor.max(self.blocks[who.block].own.get(&location).copied().unwrap_or(0));
            // Changes after what may not be forgotten: before any of them the load may have been done.
            let first = old.iter().position(|(time, _)| *time > floor);
            if let Some(first) = first
                && self.shows(ReorderedPair::LoadLoad)
                && self.rng.u32(..OLD_ONE_IN) == 0
            {
                let chosen = self.rng.usize(first..old.len());
                let (time, before) = old[chosen];
                taken = time - 1;
                stored = if chosen > 0 { old[chosen - 1].0 } else { taken };
                let shift = 8 * (at % 8);
                value = before >> shift;
                if bytes < 8 {
                    value &= (1 << (8 * bytes)) - 1;
                }
            }
            let thread = &mut self.threads[who.thread];
            thread.own.insert(location, taken);
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

    /// A modification takes place in memory: what must be before it goes, and what its location still waits for.
    fn modify_at_once(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        let ThreadView { epoch, device_epoch, .. } = self.threads[who.thread];
        self.settle_thread(all, who, &|w| w.epoch < epoch || w.overlaps(cell, bytes));
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
            let store = WaitingStore { cell, bytes, value, reach: StoreReach::Device, epoch: 0, device_epoch: 0, since: 0 };
            self.commit(all, who.block, store);
        }
        if let MachineCell::Global(_) = cell {
            let thread = &mut self.threads[who.thread];
            thread.own.insert(granule(cell), self.time);
            // What it read took place before.
            thread.observed = self.time;
        }
        old
    }

    /// A modification of block scope takes place in its block: none of another block is morally strong with it, and so it need not be atomic for these.
    fn modify_in_block(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        new: &mut dyn FnMut(u64) -> Option<u64>,
    ) -> u64 {
        let epoch = self.threads[who.thread].epoch;
        self.settle_thread(all, who, &|w| w.epoch < epoch || w.overlaps(cell, bytes));
        let old = self.known_in_block(all, who, cell, bytes, StoreReach::Block);
        if let Some(value) = new(old) {
            let block = &mut self.blocks[who.block];
            let (epoch, since) = (block.epoch, self.turn);
            block.waiting.push_back(WaitingStore { cell, bytes, value, reach: StoreReach::Block, epoch, device_epoch: 0, since });
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
        merge(&mut block.published_of, &thread.own, &mut block.published);
    }

    /// Nothing that follows is older than what others have made known and the thread has read of.
    fn acquire(&mut self, who: Who, ordering: Ordering) {
        let thread = &mut self.threads[who.thread];
        let block = &self.blocks[who.block];
        thread.floor = thread.floor.max(block.published);
        merge(&mut thread.own, &block.published_of, &mut thread.floor);
        if Self::is_device(ordering.scope) {
            // What the writer knew, and had stored before, took place before what was read. A fence.sc comes behind all others that are done.
            let known = if ordering.order == MemoryOrder::Sc { self.time } else { thread.observed };
            if known > thread.floor {
                thread.floor = known;
                thread.own.retain(|_, time| *time > known);
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
        self.most_age = (MOST_AGE * self.threads.len() as u64).min((self.steps / LEAST_PART).max(MOST_AGE));
        // What was before the launch is known to all of it; old values of a block's predecessor in its place are none of its own.
        for thread in &mut self.threads[first..first + threads] {
            *thread = ThreadView { floor: 0, ..ThreadView::default() };
        }
    }

    fn load(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize, ordering: Ordering) -> u64 {
        let ordering = self.ordering(ordering);
        if self.threads[who.thread].stored && !self.shows(ReorderedPair::StoreLoad) {
            self.settle_all(all, who);
            self.threads[who.thread].stored = false;
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

    fn store(&mut self, all: &mut Memories<'_>, who: Who, cell: MachineCell, bytes: usize, value: u64, ordering: Ordering) {
        let ordering = self.ordering(ordering);
        if Self::releases(ordering.order) || !self.shows(ReorderedPair::StoreStore) {
            self.release(who, ordering.scope);
        }
        let thread = &mut self.threads[who.thread];
        thread.stored = true;
        let (epoch, device_epoch, since) = (thread.epoch, thread.device_epoch, self.turn);
        let reach = StoreReach::of(ordering);
        thread.waiting.push_back(WaitingStore { cell, bytes, value, reach, epoch, device_epoch, since });
        self.due.push_back((since, StoreBuffer::OfThread(who)));
        if !self.shows(ReorderedPair::StoreStore) && !self.shows(ReorderedPair::StoreLoad) {
            self.settle_thread(all, who, &|_| true);
            self.threads[who.thread].floor = self.time;
        } else if self.threads[who.thread].waiting.len() > MOST_WAITING {
            let thread = &self.threads[who.thread];
            let may = Self::may_go(&thread.waiting, StoreReach::Block);
            let position = may[self.rng.usize(..may.len())];
            self.pass_to_block(all, who, position);
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
        if Self::releases(ordering.order) || !self.shows(ReorderedPair::StoreStore) {
            self.release(who, ordering.scope);
        }
        let old = match (cell, StoreReach::of(ordering)) {
            (MachineCell::Global(_), StoreReach::Block) => self.modify_in_block(all, who, cell, bytes, new),
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
        self.acquire(who, Ordering { order: MemoryOrder::Acquire, scope: MemoryScope::Cta });
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
        let may = Self::may_go(&self.threads[who.thread].waiting, StoreReach::Block);
        if !may.is_empty() {
            let position = may[self.rng.usize(..may.len())];
            self.pass_to_block(all, who, position);
        }
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
