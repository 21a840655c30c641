//! Clauses, one behind the other.

use margay_proof::SatLiteral;

/// Clauses in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClauseList {
    literals: Vec<SatLiteral>,
    /// Where each clause ends among the literals.
    ends: Vec<usize>,
}

impl ClauseList {
    /// The number of clauses.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Another clause.
    pub(crate) fn push(&mut self, clause: impl IntoIterator<Item = SatLiteral>) {
        self.literals.extend(clause);
        self.ends.push(self.literals.len());
    }

    /// The clauses from this number on, the first one having 0.
    pub(crate) fn since(&self, first: usize) -> impl Iterator<Item = &[SatLiteral]> + Clone {
        let begin = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends[first..]
            .iter()
            .scan(begin, |begin, &end| Some(&self.literals[std::mem::replace(begin, end)..end]))
    }
}
