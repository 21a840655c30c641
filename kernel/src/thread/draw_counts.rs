//! How often threads draw from counters.

use std::collections::BTreeMap;

use crate::residue::MemoryCell;

/// What is known of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DrawCount {
    /// What each draw adds.
    pub step: u64,
    /// How often it is drawn at most.
    pub draws: u64,
    /// Is each number that is drawn a way of its own, from which on only higher ones come? Else
    /// ways are told apart by how often they drew.
    pub by_number: bool,
    /// Of these the numbers, each a bit, behind which a thread draws once more.
    pub again: u32,
}

/// The counters, each with what is known of it; nothing of memory that is used in another way, too,
/// or drawn too often to be followed. It grows from round to round.
pub(crate) type DrawCounts = BTreeMap<MemoryCell, Option<DrawCount>>;
