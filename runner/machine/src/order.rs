//! When accesses to memory take place: at once ([`InOrder`]), or as late and as early as buffers
//! and old values allow ([`buffered`]).

pub(crate) mod buffered;
mod view;
mod waiting_store;

use crate::memory::{self, GlobalMemory};
use margay_ptx::effect::{MemoryOrder, MemoryScope};

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
    /// The cell so many bytes behind this one.
    pub(crate) fn behind(self, bytes: usize) -> Self {
        match self {
            Self::Global(at) => Self::Global(at + bytes),
            Self::Shared(at) => Self::Shared(at + bytes),
        }
    }

    /// Have so many bytes from here, and so many from another, one in common?
    pub(crate) fn overlaps(self, bytes: usize, other: Self, of_other: usize) -> bool {
        match (self, other) {
            (Self::Global(a), Self::Global(b)) | (Self::Shared(a), Self::Shared(b)) => {
                a < b + of_other && b < a + bytes
            }
            _ => false,
        }
    }
}

/// The memory of a device and of the blocks that are there.
pub(crate) struct Memories<'d> {
    pub global: &'d mut GlobalMemory,
    /// `[place of a block][byte]`
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
    fn load(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        ordering: Ordering,
    ) -> u64;
    /// Stores values of so many bytes each, one behind the other: the elements of one access.
    fn store(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        values: &[u64],
        ordering: Ordering,
    );
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
    fn fence(&mut self, all: &mut Memories<'_>, who: Who, ordering: Ordering);
    /// A thread comes to a barrier of its block: all that it has done is known there.
    fn arrive(&mut self, all: &mut Memories<'_>, who: Who);
    /// A thread leaves a barrier of its block: it knows what the others had done.
    fn leave(&mut self, who: Who);
    /// Lanes of a warp exchange values, which orders no accesses; the pairs that a machine keeps in
    /// order are those of all of them.
    fn exchange(&mut self, lanes: &[Who]);
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
    fn load(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        _: Ordering,
    ) -> u64 {
        all.get(who.block, cell, bytes)
    }

    #[inline]
    fn store(
        &mut self,
        all: &mut Memories<'_>,
        who: Who,
        cell: MachineCell,
        bytes: usize,
        values: &[u64],
        _: Ordering,
    ) {
        for (n, &value) in values.iter().enumerate() {
            all.set(who.block, cell.behind(n * bytes), bytes, value);
        }
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

    fn exchange(&mut self, _: &[Who]) {}

    fn settle_some(&mut self, _: &mut Memories<'_>, _: Who) {}

    fn settle(&mut self, _: &mut Memories<'_>, _: usize) {}
}
