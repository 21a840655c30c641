//! Bounds: for each relation the tuples that it must have (lower) and those that it may have (upper), after Kodkod.

use std::collections::BTreeMap;

use crate::logic::Relation;
use crate::tuples::TupleSet;
use crate::universe::Universe;

/// The bounds of the relations of a problem. A relation without bounds is empty.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// The atoms.
    universe: Universe,
    /// Lower and upper bound of each relation.
    bounds: BTreeMap<Relation, (TupleSet, TupleSet)>,
}

impl Bounds {
    /// No relation is bound yet.
    pub fn new(universe: Universe) -> Self {
        Self { universe, bounds: BTreeMap::new() }
    }

    /// The atoms.
    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    /// The relation has just these tuples.
    pub fn exactly(&mut self, relation: Relation, tuples: TupleSet) {
        self.between(relation, tuples.clone(), tuples);
    }

    /// The relation has all tuples of `lower`, and none outside of `upper`.
    ///
    /// # Panics
    /// If `lower` is not within `upper`, or a tuple names an atom that is not in the universe.
    pub fn between(&mut self, relation: Relation, lower: TupleSet, upper: TupleSet) {
        assert!(lower.is_subset(&upper), "the lower bound must be within the upper bound");
        let atoms = self.universe.len() as u32;
        assert!(upper.iter().flatten().all(|a| a.0 < atoms), "a bound names an atom outside of the universe");
        self.bounds.insert(relation, (lower, upper));
    }

    /// The lower and upper bound, if the relation has any.
    pub fn get(&self, relation: Relation) -> Option<(&TupleSet, &TupleSet)> {
        self.bounds.get(&relation).map(|(l, u)| (l, u))
    }

    /// The bound relations, in the order of their declaration.
    pub fn relations(&self) -> impl Iterator<Item = Relation> + '_ {
        self.bounds.keys().copied()
    }
}
