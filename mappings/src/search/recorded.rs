//! An execution that was found, as certificates and kept answers have it.

use std::collections::BTreeMap;

use margay_solver::{Atom, Instance, Logic, TupleSet};
use serde::{Deserialize, Serialize};

use crate::encode::atoms::Atoms;
use crate::encode::vocabulary::MappingVocabulary;

/// An execution: for each relation its name, its arity, and the atoms of its tuples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordedInstance(Vec<(String, usize, Vec<Vec<u32>>)>);

impl RecordedInstance {
    /// The record of an execution.
    pub fn new(logic: &Logic, instance: &Instance) -> Self {
        let tuples = |set: &TupleSet| set.iter().map(|t| t.iter().map(|a| a.0).collect()).collect();
        let relation = |(r, set): (_, &TupleSet)| {
            (logic.relation_name(r).to_owned(), set.arity(), tuples(set))
        };
        Self(instance.relations().map(relation).collect())
    }

    /// The execution; `None` if what it speaks of is not in the case of these atoms.
    pub fn instance(
        &self,
        logic: &Logic,
        vocabulary: &MappingVocabulary,
        atoms: &Atoms,
    ) -> Option<Instance> {
        let bounds = vocabulary.bounds(atoms);
        let universe = atoms.universe();
        let known: Vec<_> = bounds.relations().collect();
        if known.len() != self.0.len() {
            return None;
        }
        let mut relations = BTreeMap::new();
        for (name, arity, tuples) in &self.0 {
            let &relation = known
                .iter()
                .find(|&&r| logic.relation_name(r) == name && logic.relation_arity(r) == *arity)?;
            let tuples = set(tuples, *arity, universe.len())?;
            if !bounds
                .get(relation)
                .is_some_and(|(lower, upper)| lower.is_subset(&tuples) && tuples.is_subset(upper))
            {
                return None;
            }
            relations.insert(relation, tuples);
        }
        (relations.len() == known.len()).then(|| Instance::new(universe, relations))
    }
}

/// The set, if each tuple has this arity and names atoms below the limit.
fn set(tuples: &[Vec<u32>], arity: usize, atoms: usize) -> Option<TupleSet> {
    let fits = |t: &Vec<u32>| t.len() == arity && t.iter().all(|&a| (a as usize) < atoms);
    tuples.iter().all(fits).then(|| {
        TupleSet::from_tuples(
            arity,
            tuples.iter().map(|t| t.iter().map(|&a| Atom(a)).collect::<Vec<_>>()),
        )
    })
}
