//! A thread while it is followed, and where it stands.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::draw_counts::DrawCounts;
use super::facts::{
    CopyUse, LaunchFacts, LoadsOfTensors, MbarrierMemory, TensorFacts, Uses, ValuesOfCells,
};
use super::prepared::PreparedModule;
use super::trail::UndefinedRead;
use super::value::{Key, KnownValue};
use crate::brought::ExchangesOfWarps;
use crate::launch::Launch;
use crate::layout::{Layout, Object};
use crate::mark::Mark;
use crate::omission::Omission;
use crate::residue::{Line, MemoryCell, Origin};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(super) function: usize,
    pub(super) at: usize,
    /// The calls around: function and instruction.
    pub(super) calls: Vec<(usize, usize)>,
    pub known: BTreeMap<Key, KnownValue>,
}

/// What a thread does behind an instruction.
pub(crate) enum StepEnd {
    Next,
    /// The thread goes elsewhere, or ends.
    Left,
    /// The same instruction once more, with more known.
    Again,
}

pub(crate) struct FollowedThread<'a, 'm> {
    pub prepared: &'a PreparedModule<'m>,
    pub layout: &'a Layout,
    pub facts: &'a LaunchFacts,
    pub launch: Launch,
    pub block: u32,
    pub thread: u32,
    /// Is no more to be executed?
    pub(super) is_over: &'a dyn Fn() -> bool,
    pub(crate) code: Vec<Line>,
    pub(super) labels: FxHashMap<State, u32>,
    /// The jumps back to rounds that are taken for one, and how many exchanges of its warp are in
    /// such a round.
    pub(super) rounds: BTreeMap<Origin, u64>,
    /// How often it has met others of its warp where it comes to its end.
    pub(super) met_at_end: Option<MeetingCounts>,
    /// The labels of states without how often the thread has met others of its warp, with that
    /// beside each.
    pub(super) heads: FxHashMap<State, Vec<(MeetingCounts, u32)>>,
    pub(super) todo: Vec<(u32, State)>,
    pub(super) names: FxHashMap<Key, usize>,
    pub(super) fresh: usize,
    pub(super) asides: usize,
    /// How many pieces of code there are, labels left out.
    pub(super) size: usize,
    pub(super) uses: Uses,
    pub(super) copies: BTreeMap<MemoryCell, CopyUse>,
    pub(super) parts: BTreeSet<MemoryCell>,
    pub(super) omissions: Vec<Omission>,
    pub(super) suppositions: Vec<Omission>,
    pub(super) loads: LoadsOfTensors,
    pub(super) tensors: TensorFacts,
    pub(super) mbarriers: MbarrierMemory,
    /// Code that stands behind all other: where it stops, that a check leads to.
    pub(super) behind: Vec<Line>,
    /// How many steps that order something the first pieces of its code are, and how many pieces
    /// these are.
    pub(super) epoch: (usize, usize),
    pub(super) marks: Vec<Mark>,
    pub(super) skipped: BTreeSet<Origin>,
    pub(super) opaque: FxHashSet<(Object, u64)>,
    pub(super) pointers: BTreeSet<u64>,
    pub(crate) exchanges: ExchangesOfWarps,
    /// What it writes to each cell.
    pub(super) values: ValuesOfCells,
    pub(super) draws: DrawCounts,
    pub(super) visited: FxHashSet<Origin>,
    /// Reads of memory that nobody wrote, by the register that stands for what they return.
    pub(super) undefined: BTreeMap<String, UndefinedRead>,
    /// Registers that stand for global memory and for addresses: what is in them matters.
    pub(super) sinks: BTreeMap<String, bool>,
    pub(super) cached: FxHashSet<(Object, u64)>,
}

/// How often a thread has met others of its warp, by the masks.
pub(super) type MeetingCounts = BTreeMap<u32, u64>;
