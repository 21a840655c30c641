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
}

/// The counters, each with what is known of it; nothing of memory that is used in another way, too, or drawn too often to be followed. It grows from round
/// to round.
pub(crate) type DrawCounts = BTreeMap<MemoryCell, Option<DrawCount>>;
