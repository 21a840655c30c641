//! What the end of a thread lets others do. "As threads exit, barriers waiting on all threads are
//! checked to see if the exiting threads are the only threads that have not yet made it"; "if the
//! exiting threads are holding up the barrier, the barrier is released" (PTX ISA, `exit`). So what
//! others do behind it comes after what the thread read to decide that it ends.
//!
//! The end is an arrival of its own, behind everything else and in no instruction, that depends on
//! these reads. It carries ACQ, as no instruction that arrives does: the ISA says of no barrier
//! that it orders memory for a thread that does not come, nor that a fence in front of an exit
//! makes it do so.

use std::collections::BTreeSet;

use margay_models::execution::{EventData, Kind, Order, Scope};

use super::Unfolding;
use super::path::{PathEvent, Positions};
use crate::test::Place;

impl Unfolding {
    /// Gives the paths of threads that end without a barrier of their cta, cluster or warp an
    /// arrival there, at their end.
    ///
    /// None is given to a thread that reads nothing to decide that it ends and passes no barrier
    /// before: nothing comes before its end.
    pub(super) fn ends_let_pass(&mut self) {
        let waits = self.waits_at_barriers();
        if waits.iter().all(BTreeSet::is_empty) {
            return;
        }
        let mut all: Vec<(usize, usize, Vec<PathEvent>)> = Vec::new();
        for (t, paths) in self.paths.iter().enumerate() {
            for (p, path) in paths.iter().enumerate() {
                let made =
                    path.suppositions.iter().filter(|(symbol, _)| !path.swaps.contains(symbol));
                let supposed: Positions =
                    made.map(|(symbol, _)| self.symbols[t].reads_of(*symbol)).collect();
                let decides = path.branched_by | supposed;
                if decides.is_empty()
                    && !path.events.iter().any(|e| e.data.kind == Kind::BarrierWait)
                {
                    continue;
                }
                let end = |(barrier, scope): (u16, Scope)| PathEvent {
                    data: EventData {
                        barrier: Some(barrier),
                        scope: (scope != Scope::Cta).then_some(scope),
                        ..EventData::new(Kind::BarrierArrive, None, Order::Acq)
                    },
                    value: None,
                    address_reads: Positions::EMPTY,
                    data_reads: Positions::EMPTY,
                    control_reads: decides,
                    issued_after: Positions::EMPTY,
                    completes: Positions::EMPTY,
                    modifies: None,
                    bits: None,
                    place: Place::default(),
                    step: PathEvent::END,
                    rounds: Vec::new(),
                };
                let barriers: BTreeSet<_> = self.passed_by_the_end(t, path, &waits);
                let ends: Vec<_> = barriers.into_iter().map(end).collect();
                if !ends.is_empty() {
                    all.push((t, p, ends));
                }
            }
        }
        for (t, p, ends) in all {
            self.paths[t][p].events.extend(ends);
        }
    }
}
