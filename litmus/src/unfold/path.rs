//! One way through a thread: its events, and what it supposes of the values read.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use margay_models::execution::EventData;

use super::stop::Stop;
use super::symbol::Symbol;
use crate::test::{Integer, Place};

/// The largest number of events on one path of a thread.
pub(super) const MAX_POSITIONS: usize = 256;

/// Events of a path by their positions on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Positions([u64; MAX_POSITIONS / 64]);

impl Positions {
    /// None.
    pub const EMPTY: Positions = Positions([0; MAX_POSITIONS / 64]);

    /// One. What is too far behind for a path is the last one: such a path is refused.
    pub fn one(position: usize) -> Self {
        [position].into_iter().collect()
    }

    /// Is there none?
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    pub fn contains(self, position: usize) -> bool {
        position < MAX_POSITIONS && self.0[position / 64] >> (position % 64) & 1 == 1
    }

    /// The positions, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, mut rest)| {
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let position = at * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    position
                })
            })
        })
    }
}

impl FromIterator<usize> for Positions {
    fn from_iter<I: IntoIterator<Item = usize>>(positions: I) -> Self {
        let mut all = Self::EMPTY;
        for position in positions {
            let position = position.min(MAX_POSITIONS - 1);
            all.0[position / 64] |= 1 << (position % 64);
        }
        all
    }
}

impl FromIterator<Positions> for Positions {
    fn from_iter<I: IntoIterator<Item = Positions>>(sets: I) -> Self {
        sets.into_iter().fold(Self::EMPTY, |all, more| all | more)
    }
}

/// The number whose bits are the positions.
impl fmt::LowerHex for Positions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = self.0.iter().rposition(|&word| word != 0).unwrap_or(0);
        write!(f, "{:x}", self.0[used])?;
        self.0[..used].iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl BitOr for Positions {
    type Output = Self;

    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl BitOrAssign for Positions {
    fn bitor_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(to, word)| *to |= word);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathEvent {
    /// What is known of it.
    pub data: EventData,
    /// The value that a write writes.
    pub value: Option<Symbol>,
    /// Reads that its address, its value and its execution depend on, by position.
    pub address_reads: Positions,
    pub data_reads: Positions,
    pub control_reads: Positions,
    /// Of an event of an asynchronous operation: what the thread did before it, by position.
    pub issued_after: Positions,
    /// The events of asynchronous operations whose completion it waits for, by position.
    pub completes: Positions,
    /// The position of the read of the read-modify-write that it is the write of.
    pub modifies: Option<u16>,
    /// How wide the access is, where the program says it.
    pub bits: Option<u8>,
    /// Where it came from: in the text, and the step of the thread's code.
    pub place: Place,
    pub step: usize,
    /// How often each loop around it was gone round before, by the loop's head; those that were not
    /// are left out.
    pub rounds: Vec<(usize, usize)>,
}

impl PathEvent {
    /// The step of what a thread does by coming to its end.
    pub(super) const END: usize = usize::MAX;

    /// Is it the end of the thread, and no instruction?
    pub(super) fn is_end(&self) -> bool {
        self.step == Self::END
    }
}

/// One way through a thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path {
    pub events: Vec<PathEvent>,
    /// Values that must be different from 0 (true) or 0 (false).
    pub suppositions: Vec<(Symbol, bool)>,
    /// The reads that branches on it go by.
    pub branched_by: Positions,
    /// Whether compare-exchanges write: these suppositions are no branch's, and what follows does
    /// not depend on them.
    pub swaps: Vec<Symbol>,
    /// For each named register its value at the end.
    pub registers: Vec<(String, Symbol)>,
    /// Where the thread stops, if it does not come to its end.
    pub stop: Option<Stop>,
}

/// A value and the reads that it depends on, by the positions of their events on the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dependent {
    pub symbol: Symbol,
    pub reads: Positions,
    /// The reads by which choices came to it: a pick dependency (DDI 0487, B2.3). What is written
    /// is ordered behind them, what is read is not.
    pub picks: Positions,
    /// A type that the value is known to be of: converting it to that changes nothing.
    pub known: Option<Integer>,
}

impl Dependent {
    /// A value that depends on reads, and of which no more is known.
    pub(super) fn new(symbol: Symbol, reads: Positions) -> Self {
        Self { symbol, reads, picks: Positions::EMPTY, known: None }
    }
}
