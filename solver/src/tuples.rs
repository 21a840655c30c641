//! Sets of tuples of atoms, all of one arity: what bounds and instances are made of.

use std::fmt;

use crate::universe::Atom;

/// A set of tuples of one arity, sorted.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TupleSet {
    /// The number of atoms of each tuple; at least 1.
    arity: usize,
    /// The tuples one after the other, in ascending order, without repetition.
    atoms: Vec<Atom>,
}

impl TupleSet {
    /// The empty set of tuples.
    ///
    /// # Panics
    /// If the arity is 0.
    #[track_caller]
    pub fn new(arity: usize) -> Self {
        assert!(arity > 0, "tuples have at least one atom");
        Self { arity, atoms: Vec::new() }
    }

    /// A set from tuples in any order.
    ///
    /// # Panics
    /// If a tuple has not the given arity.
    #[track_caller]
    pub fn from_tuples<T: AsRef<[Atom]>>(
        arity: usize,
        tuples: impl IntoIterator<Item = T>,
    ) -> Self {
        let mut set = Self::new(arity);
        for tuple in tuples {
            let tuple = tuple.as_ref();
            assert_eq!(
                tuple.len(),
                arity,
                "a tuple of {} atoms in a set of arity {arity}",
                tuple.len()
            );
            set.atoms.extend_from_slice(tuple);
        }
        let mut rows: Vec<&[Atom]> = set.atoms.chunks_exact(arity).collect();
        if !rows.is_sorted_by(|a, b| a < b) {
            rows.sort_unstable();
            rows.dedup();
            set.atoms = rows.concat();
        }
        set
    }

    /// The number of atoms in each tuple.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.atoms.len() / self.arity
    }

    /// Is there no tuple?
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// The tuples, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Atom]> {
        self.atoms.chunks_exact(self.arity)
    }

    /// Where the tuple is, or where it would be.
    fn search(&self, tuple: &[Atom]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let at = &self.atoms[middle * self.arity..(middle + 1) * self.arity];
            match at.cmp(tuple) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// False for a tuple of another arity, too.
    pub fn contains(&self, tuple: &[Atom]) -> bool {
        tuple.len() == self.arity && self.search(tuple).is_ok()
    }

    /// Puts a tuple in; was it new?
    ///
    /// # Panics
    /// If the tuple has another arity.
    #[track_caller]
    pub fn insert(&mut self, tuple: &[Atom]) -> bool {
        assert_eq!(
            tuple.len(),
            self.arity,
            "a tuple of {} atoms in a set of arity {}",
            tuple.len(),
            self.arity
        );
        match self.search(tuple) {
            Ok(_) => false,
            Err(at) => {
                let at = at * self.arity;
                self.atoms.splice(at..at, tuple.iter().copied());
                true
            }
        }
    }

    /// Is every tuple of this set in the other?
    pub fn is_subset(&self, other: &TupleSet) -> bool {
        self.arity == other.arity && self.iter().all(|t| other.contains(t))
    }

    /// `a -> b`: each tuple of this set with each of the other behind it.
    #[must_use]
    pub fn product(&self, other: &TupleSet) -> TupleSet {
        Self::from_tuples(
            self.arity + other.arity,
            self.iter().flat_map(|a| other.iter().map(move |b| [a, b].concat())),
        )
    }

    /// The tuples with every atom replaced.
    #[must_use]
    pub fn map(&self, replace: impl Fn(Atom) -> Atom) -> TupleSet {
        Self::from_tuples(
            self.arity,
            self.iter().map(|t| t.iter().map(|&a| replace(a)).collect::<Vec<_>>()),
        )
    }
}

impl fmt::Debug for TupleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|t| t.iter().map(|a| a.0).collect::<Vec<_>>()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::TupleSet;
    use crate::universe::Atom;

    #[test]
    fn sets_are_sorted_and_without_repetition() {
        let mut set =
            TupleSet::from_tuples(2, [[Atom(2), Atom(0)], [Atom(0), Atom(1)], [Atom(2), Atom(0)]]);
        assert_eq!(set.len(), 2);
        assert!(set.insert(&[Atom(1), Atom(1)]));
        assert!(!set.insert(&[Atom(1), Atom(1)]));
        let tuples: Vec<Vec<u32>> = set.iter().map(|t| t.iter().map(|a| a.0).collect()).collect();
        assert_eq!(tuples, [[0, 1], [1, 1], [2, 0]]);
        assert!(
            set.contains(&[Atom(2), Atom(0)])
                && !set.contains(&[Atom(2)])
                && !set.contains(&[Atom(0), Atom(2)])
        );
        let (ones, pairs) = (
            TupleSet::from_tuples(1, [[Atom(3)], [Atom(1)]]),
            TupleSet::from_tuples(2, [[Atom(0), Atom(2)]]),
        );
        let product = TupleSet::from_tuples(3, [[1, 0, 2], [3, 0, 2]].map(|tuple| tuple.map(Atom)));
        assert_eq!(
            (ones.product(&pairs), ones.product(&TupleSet::new(2))),
            (product, TupleSet::new(3))
        );
        assert_eq!(set.map(|a| Atom(2 - a.0)).iter().next(), Some([Atom(0), Atom(2)].as_slice()));
    }
}
