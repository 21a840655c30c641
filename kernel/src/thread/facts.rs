//! What is known of all threads of a launch: what they share, and what memory holds.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::draw_counts::DrawCounts;
use crate::brought::ExchangesOfWarps;
use crate::layout::Object;
use crate::residue::{MemoryCell, Origin};

/// What is known of all threads of a launch. It grows from round to round until nothing is added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LaunchFacts {
    /// Bytes that two threads use, and one of them writes.
    pub shared: FxHashSet<(Object, u64)>,
    /// Bytes that threads would come to share as well, once sharing has been bounded: who comes
    /// there is not followed any further.
    pub beyond: Option<FxHashSet<(Object, u64)>>,
    /// Bytes that hold what nobody interprets.
    pub opaque: FxHashSet<(Object, u64)>,
    /// Addresses that are put into shared memory.
    pub pointers: std::collections::BTreeSet<u64>,
    /// All values that a cell of shared memory can hold, where they are few and constant.
    pub values: ValuesOfCells,
    /// How often those of a cell have become more.
    pub grown: BTreeMap<MemoryCell, u32>,
    /// The counters that threads draw from.
    pub draws: DrawCounts,
    /// What lanes bring to exchanges of their warps.
    pub exchanges: ExchangesOfWarps,
    /// The cells that are accessed in what asynchronous operations write and read.
    pub cells: BTreeSet<MemoryCell>,
    /// For copies of parts of tensors where those go to that share what their mbarrier was told of,
    /// one after the other: at the first one.
    pub loads: LoadsOfTensors,
    /// What is known of tensors and of tensor memory.
    pub tensors: TensorFacts,
    /// Cells that are used as another one is that stands for them, by the same threads between the
    /// same barriers.
    pub alike: FxHashSet<MemoryCell>,
    /// The mbarriers of shared memory.
    pub mbarriers: MbarrierMemory,
    /// Bytes of global memory that are read as if nobody wrote them (`ld.global.nc`), and written.
    pub overwritten: FxHashSet<(Object, u64)>,
    /// Is there nothing more to be learnt? Then who has not come to an exchange never does.
    pub are_settled: bool,
}

impl LaunchFacts {
    /// Is one of so many bytes behind those that are followed?
    pub fn is_beyond(&self, object: Object, offset: u64, bytes: u64) -> bool {
        self.beyond.as_ref().is_some_and(|beyond| {
            (offset..offset + bytes).any(|byte| beyond.contains(&(object, byte)))
        })
    }

    /// Have all copies been seen that share what an mbarrier is told of with the first of them, and
    /// what it is told of?
    pub fn are_settled_about(&self, group: &Origin) -> bool {
        self.loads.contains_key(group)
    }
}

/// Memory that mbarriers are in. It grows from round to round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MbarrierMemory {
    pub cells: BTreeSet<MemoryCell>,
    /// Those that end, or whose memory is accessed as data, or that begin more than once: whether
    /// there is one is asked of them.
    pub ending: BTreeSet<MemoryCell>,
    /// Who makes an mbarrier there: which thread, and for the how manieth time.
    pub beginnings: BTreeSet<(MemoryCell, (u32, u32))>,
}

impl MbarrierMemory {
    /// Takes in what a thread found.
    pub fn extend(&mut self, found: &Self) {
        self.cells.extend(found.cells.iter().copied());
        self.ending.extend(found.ending.iter().copied());
        self.beginnings.extend(found.beginnings.iter().copied());
    }

    /// Is it asked of this one whether it is there?
    pub fn may_not_be_there(&self, cell: MemoryCell) -> bool {
        self.ending.contains(&cell) || self.begins_again(cell)
    }

    /// Does it begin more than once?
    pub fn begins_again(&self, cell: MemoryCell) -> bool {
        self.beginnings.range((cell, (0, 0))..).take_while(|(of, _)| *of == cell).nth(1).is_some()
    }
}

/// A part of a tensor: its map, and the coordinates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TensorPart {
    pub map: u64,
    pub at: Vec<u64>,
}

/// What is known of tensors and of tensor memory. It grows from round to round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TensorFacts {
    /// The parts of tensors to which something is stored, and those that are loaded of these
    /// tensors.
    pub parts: BTreeSet<TensorPart>,
    /// The maps by which something is stored.
    pub stored: BTreeSet<u64>,
    /// Where copies begin in shared memory, and mbarriers.
    pub starts: BTreeSet<(Object, u64)>,
    /// By the first copy into shared memory how many bytes an mbarrier is told of behind it.
    pub told: BTreeMap<Origin, u64>,
    /// Which block sends to which by a copy, by the first of those that share what an mbarrier was
    /// told of and its number among them.
    pub sends: BTreeMap<(Origin, usize), BTreeSet<(u32, u32)>>,
    /// By which maps such a copy is; `None`: that is not known.
    pub maps: BTreeMap<(Origin, usize), BTreeSet<Option<u64>>>,
    /// How many columns of tensor memory a warp allocates, by its block and its number.
    pub allocating: BTreeMap<(u32, u32), u64>,
}

impl TensorFacts {
    /// Takes in what a thread found.
    pub fn extend(&mut self, found: &Self) {
        self.parts.extend(found.parts.iter().cloned());
        self.stored.extend(found.stored.iter().copied());
        self.starts.extend(found.starts.iter().copied());
        for (first, told) in &found.told {
            self.told
                .entry(*first)
                .and_modify(|known| *known = (*known).max(*told))
                .or_insert(*told);
        }
        for (of, sends) in &found.sends {
            self.sends.entry(*of).or_default().extend(sends);
        }
        for (of, maps) in &found.maps {
            self.maps.entry(*of).or_default().extend(maps);
        }
        for (warp, columns) in &found.allocating {
            let known = self.allocating.entry(*warp).or_default();
            *known = (*known).max(*columns);
        }
    }
}

/// By the first of those that share what an mbarrier was told of, the places that each of them goes
/// to.
pub(crate) type LoadsOfTensors = BTreeMap<Origin, Vec<BTreeSet<(Object, u64)>>>;

/// The values of cells, each with the thread and the instruction that writes it, if it is one alone
/// and the value is not there at the start; nothing where they are not constant, or too many.
pub(crate) type ValuesOfCells = BTreeMap<MemoryCell, Option<BTreeMap<u64, Writer>>>;

/// Who writes a value; nothing where there are several.
pub(crate) type Writer = Option<(u32, Origin)>;

/// Takes in another writer of a value.
pub(crate) fn add_writer(values: &mut BTreeMap<u64, Writer>, value: u64, writer: Writer) {
    let known = values.entry(value).or_insert(writer);
    if *known != writer {
        *known = None;
    }
}

/// The most values of a cell that are kept apart.
pub(crate) const MAX_VALUES: usize = 16;

/// The accesses of a thread to memory that other threads could use.
pub(crate) type Uses = BTreeMap<MemoryCell, Use>;

/// How a thread uses memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Use {
    /// Does it write?
    pub writes: bool,
    /// At how many places of its code it writes, and at how many of these it draws from a counter.
    pub writes_counted: u32,
    pub draws: u32,
    /// Must it be memory, whoever uses it?
    pub forced: bool,
    /// Does it read?
    pub reads: bool,
    /// Is some access of it strong?
    pub strong: bool,
    /// Behind how many steps that order something it is used.
    pub epochs: BTreeSet<usize>,
    /// Is some access of it one of a float, and some of a whole number?
    pub of_floats: [bool; 2],
}

/// How asynchronous operations of one thread use a range of bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CopyUse {
    /// Does one write?
    pub writes: bool,
    /// How many do.
    pub count: u32,
}

impl CopyUse {
    /// One more.
    pub fn add(&mut self, writes: bool) {
        self.writes |= writes;
        self.count += 1;
    }
}
