//! The clauses of a solver, one behind the other: a search goes through many of them, and each has
//! few literals.

use super::{ClauseIndex, GroundLiteral};

/// All clauses, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct ClauseArena {
    literals: Vec<GroundLiteral>,
    /// Where each clause ends.
    ends: Vec<u32>,
}

impl ClauseArena {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a clause.
    pub(super) fn push(&mut self, clause: &[GroundLiteral]) -> ClauseIndex {
        let index = ClauseIndex(self.ends.len());
        self.literals.extend_from_slice(clause);
        self.ends
            .push(u32::try_from(self.literals.len()).expect("a search is given up long before"));
        index
    }

    #[inline]
    fn range(&self, index: ClauseIndex) -> std::ops::Range<usize> {
        let at = index.at();
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        start..self.ends[at] as usize
    }

    #[inline]
    pub(super) fn of(&self, index: ClauseIndex) -> &[GroundLiteral] {
        &self.literals[self.range(index)]
    }

    /// The same, to be put in another order.
    #[inline]
    pub(super) fn of_mut(&mut self, index: ClauseIndex) -> &mut [GroundLiteral] {
        let range = self.range(index);
        &mut self.literals[range]
    }
}
