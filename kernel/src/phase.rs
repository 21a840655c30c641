//! Accesses that barriers keep apart: those of two threads of a block with a barrier of the whole
//! block between them.
//!
//! Where all threads of a block come to the same barriers, whatever happens, an access in front of
//! one comes in causality order before an access of another thread behind it (PTX ISA 8.9.4,
//! 8.9.5). So two threads that access a place between different barriers do not race, whatever they
//! read and whichever way they go; an engine need not be asked.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::{accesses, writes};
use crate::initial::counts;
use crate::meeting::instance;
use crate::residue::{CodePiece, Line, MemoryCell};

/// For each thread and place behind how many barriers of the block it reads there, and writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phases(BTreeMap<(usize, usize), [BTreeSet<usize>; 2]>);

impl Phases {
    /// The accesses of threads whose blocks meet at barriers of all their threads alone; `place` is
    /// that of a cell.
    pub fn of(
        code: &[Vec<Line>],
        is_uniform: &dyn Fn(usize) -> bool,
        place: &dyn Fn(MemoryCell) -> usize,
    ) -> Self {
        let mut found = BTreeMap::new();
        for (thread, code) in code.iter().enumerate().filter(|(thread, _)| is_uniform(*thread)) {
            let meets_all = |(piece, _): &Line| match piece {
                CodePiece::Barrier(text) => {
                    instance(text).is_some()
                        || text.starts_with("bar.cta.sync ") && !text.contains(", ")
                }
                CodePiece::ClusterBarrier(_) => false,
                _ => true,
            };
            let Some(counts) = counts(code).filter(|_| code.iter().all(meets_all)) else {
                continue;
            };
            let mut of_thread: BTreeMap<usize, Option<[BTreeSet<usize>; 2]>> = BTreeMap::new();
            for ((piece, _), count) in code.iter().zip(counts) {
                for (cell, _) in accesses(piece) {
                    let of =
                        of_thread.entry(place(cell)).or_insert_with(|| Some(Default::default()));
                    // An asynchronous operation is in no order with what its thread does.
                    match (count, piece, of.as_mut()) {
                        (
                            Some(count),
                            CodePiece::Read { .. } | CodePiece::Write { .. },
                            Some(of),
                        ) => {
                            of[usize::from(writes(piece, cell))].insert(count);
                        }
                        _ => *of = None,
                    }
                }
            }
            found.extend(
                of_thread.into_iter().filter_map(|(place, of)| Some(((thread, place), of?))),
            );
        }
        Self(found)
    }

    /// Is there a barrier between any two accesses of these threads of one block to a place of
    /// which one writes?
    pub fn are_apart(&self, place: usize, [a, b]: [usize; 2]) -> bool {
        let (Some(a), Some(b)) = (self.0.get(&(a, place)), self.0.get(&(b, place))) else {
            return false;
        };
        a[1].is_disjoint(&b[1]) && a[1].is_disjoint(&b[0]) && a[0].is_disjoint(&b[1])
    }
}
