//! The clauses that a proof has in use.

use crate::ids::IdMap;
use crate::literal::SatLiteral;

/// Where a clause lies.
#[derive(Debug, Clone, Copy)]
struct Range {
    start: usize,
    length: u32,
    /// It may come back after it was deleted.
    weakened: bool,
    /// It was deleted and may come back: no hint may name it.
    asleep: bool,
}

/// Clauses by their ids.
#[derive(Debug, Default)]
pub(crate) struct ProofClauses {
    of: IdMap<Range>,
    literals: Vec<SatLiteral>,
    /// How many of the literals belong to no clause any more.
    garbage: usize,
}

impl ProofClauses {
    /// The literals of a clause in use.
    pub(crate) fn get(&self, id: u64) -> Option<&[SatLiteral]> {
        let range = self.of.get(&id).filter(|r| !r.asleep)?;
        Some(self.at(range))
    }

    fn at(&self, range: &Range) -> &[SatLiteral] {
        &self.literals[range.start..range.start + range.length as usize]
    }

    /// Puts a clause in; is the id free?
    pub(crate) fn insert(&mut self, id: u64, literals: &[SatLiteral]) -> bool {
        let Ok(length) = u32::try_from(literals.len()) else { return false };
        let range = Range { start: self.literals.len(), length, weakened: false, asleep: false };
        if self.of.contains_key(&id) {
            return false;
        }
        self.of.insert(id, range);
        self.literals.extend_from_slice(literals);
        true
    }

    /// The clause may come back after it is deleted; is it in use?
    pub(crate) fn weaken(&mut self, id: u64) -> bool {
        match self.of.get_mut(&id).filter(|r| !r.asleep) {
            Some(range) => {
                range.weakened = true;
                true
            }
            None => false,
        }
    }

    /// Takes a clause out of use; was it in use?
    pub(crate) fn delete(&mut self, id: u64) -> bool {
        match self.of.get_mut(&id) {
            Some(range) if range.asleep => return false,
            Some(range) if range.weakened => range.asleep = true,
            Some(range) => {
                self.garbage += range.length as usize;
                self.of.remove(&id);
                self.collect();
            }
            None => return false,
        }
        true
    }

    /// A clause comes back; did it go, with the same literals?
    pub(crate) fn restore(&mut self, id: u64, literals: &[SatLiteral]) -> bool {
        let Some(range) = self.of.get(&id).filter(|r| r.weakened) else { return false };
        let (mut mine, mut theirs) = (self.at(range).to_vec(), literals.to_vec());
        mine.sort_unstable();
        theirs.sort_unstable();
        if mine != theirs {
            return false;
        }
        if let Some(range) = self.of.get_mut(&id) {
            (range.weakened, range.asleep) = (false, false);
        }
        true
    }

    /// Moves the clauses together once half of the space is of none.
    fn collect(&mut self) {
        if self.garbage < 1 << 16 || self.garbage < self.literals.len() / 2 {
            return;
        }
        let mut ranges: Vec<&mut Range> = self.of.values_mut().collect();
        ranges.sort_unstable_by_key(|r| r.start);
        let mut end = 0;
        for range in ranges {
            let length = range.length as usize;
            self.literals.copy_within(range.start..range.start + length, end);
            range.start = end;
            end += length;
        }
        self.literals.truncate(end);
        self.garbage = 0;
    }
}
