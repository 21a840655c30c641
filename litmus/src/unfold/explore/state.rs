//! Where the exploration of a thread stands.

use super::super::accesses::Accesses;
use super::super::bounds::UnfoldingBounds;
use super::super::path::{Dependent, Path, Positions};
use super::super::program::Program;
use super::super::shared::Shared;
use super::super::spin::{Arrival, Heads};
use super::super::symbol::Symbols;
use super::issued::Issued;

/// Where an exploration stands.
#[derive(Debug, Clone)]
pub(super) struct ExplorationState {
    /// The next step.
    pub(super) at: usize,
    pub(super) steps: usize,
    pub(super) registers: Vec<Dependent>,
    /// The position and the location of the last load-reserved, until a store-conditional comes.
    pub(super) reserved: Option<(u16, u16)>,
    /// Reads that everything depends on, up to a step or to the end.
    pub(super) control: Vec<(Positions, Option<usize>)>,
    /// The locations to which a choice was written, and the reads that may return it.
    pub(super) picked: Vec<u16>,
    pub(super) passed_on: Positions,
    /// How often each loop was gone round, by its head: however many jumps lead back to it.
    pub(super) jumps: Vec<(usize, usize)>,
    /// Of these the loops around the step.
    pub(super) rounds: Vec<(usize, usize)>,
    /// The last arrival at the head of each loop.
    pub(super) arrivals: Vec<Arrival>,
    /// The asynchronous operation whose events are made.
    pub(super) operation: Option<u16>,
    /// The events of asynchronous operations whose completion the next event waits for.
    pub(super) completes: Positions,
    /// The events of asynchronous operations behind which the next ones stand in a pipeline.
    pub(super) behind: Positions,
    /// What asynchronous operations were issued.
    pub(super) issued: Issued,
    pub(super) path: Path,
}

pub(super) struct Explorer<'a> {
    pub(super) program: &'a Program,
    pub(super) thread: usize,
    pub(super) shared: &'a Shared,
    pub(super) accesses: &'a Accesses,
    pub(super) bounds: UnfoldingBounds,
    pub(super) symbols: Symbols,
    pub(super) open: Vec<ExplorationState>,
    pub(super) stopped: Vec<Path>,
    pub(super) bounded: bool,
    pub(super) waits: bool,
    pub(super) retries_write: bool,
    pub(super) heads: Heads,
    /// Does the program divide by what may be 0?
    pub(super) divides: bool,
}
