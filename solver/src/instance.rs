//! Instances: what each relation is in a solution.

use std::collections::BTreeMap;

use crate::logic::Relation;
use crate::tuples::TupleSet;
use crate::universe::{Atom, Universe};

/// A meaning for every bound relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    universe: Universe,
    relations: BTreeMap<Relation, TupleSet>,
}

impl Instance {
    /// An instance from the tuples of each relation.
    pub fn new(universe: Universe, relations: BTreeMap<Relation, TupleSet>) -> Self {
        Self { universe, relations }
    }

    /// The tuples of a relation; `None` if it has no bounds, so that the instance says nothing of
    /// it.
    pub fn tuples(&self, relation: Relation) -> Option<&TupleSet> {
        self.relations.get(&relation)
    }

    /// Does the relation have the tuple?
    pub fn contains(&self, relation: Relation, tuple: &[Atom]) -> bool {
        self.tuples(relation).is_some_and(|t| t.contains(tuple))
    }

    /// The atoms.
    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    /// What each relation with bounds became, in the order in which relations were declared.
    pub fn relations(&self) -> impl Iterator<Item = (Relation, &TupleSet)> {
        self.relations.iter().map(|(&r, t)| (r, t))
    }
}
