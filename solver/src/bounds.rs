//! Bounds: for each relation the tuples that it must have (lower) and those that it may have
//! (upper), after Kodkod.

use std::collections::BTreeMap;

use crate::logic::{Logic, Relation};
use crate::tuples::TupleSet;
use crate::universe::Universe;

/// The bounds of the relations of a problem. A formula may only name relations that have bounds: a
/// name without a meaning is an error, and not an empty relation. One that is to be empty has empty
/// bounds.
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
    #[track_caller]
    pub fn exactly(&mut self, relation: Relation, tuples: TupleSet) {
        self.between(relation, tuples.clone(), tuples);
    }

    /// The relation has all tuples of `lower`, and none outside of `upper`.
    ///
    /// # Panics
    /// If `lower` is not within `upper`, or a tuple names an atom that is not in the universe.
    #[track_caller]
    pub fn between(&mut self, relation: Relation, lower: TupleSet, upper: TupleSet) {
        let atoms = self.universe.len() as u32;
        assert!(
            lower.iter().chain(upper.iter()).flatten().all(|a| a.0 < atoms),
            "a bound names an atom outside of the universe"
        );
        if let Some(tuple) = lower.iter().find(|tuple| !upper.contains(tuple)) {
            let names: Vec<&str> = tuple.iter().map(|&atom| self.universe.name(atom)).collect();
            panic!(
                "the lower bound must be within the upper bound, which lacks ({})",
                names.join(", ")
            );
        }
        self.bounds.insert(relation, (lower, upper));
    }

    /// The lower and upper bound, if the relation has any.
    pub fn get(&self, relation: Relation) -> Option<(&TupleSet, &TupleSet)> {
        self.bounds.get(&relation).map(|(l, u)| (l, u))
    }

    /// The lower and upper bound of a relation that a formula names.
    ///
    /// # Panics
    /// If it has none, or they are of another arity.
    #[track_caller]
    pub(crate) fn of(&self, logic: &Logic, relation: Relation) -> (&TupleSet, &TupleSet) {
        let (name, arity) = (logic.relation_name(relation), logic.relation_arity(relation));
        let Some((lower, upper)) = self.get(relation) else {
            panic!(
                "the relation `{name}` has no bounds: give it some by `Bounds::between`, and empty ones if it is to be empty"
            );
        };
        let bound = upper.arity();
        assert_eq!(
            bound, arity,
            "the relation `{name}` is of arity {arity}, and its bounds are of arity {bound}"
        );
        (lower, upper)
    }

    /// The bound relations, in the order of their declaration.
    pub fn relations(&self) -> impl Iterator<Item = Relation> + '_ {
        self.bounds.keys().copied()
    }
}
