//! Cases smaller than a thread shape: by questions, and by a binary tree of facts about the
//! executions ("event 0 is a read", "threads 0 and 1 share a cta"). A fact is a clause over the
//! relations' tuples: on one side of its node one of them is there, on the other none is. So the
//! leaves of a complete tree cover the shape, whatever the facts are, and [`covers`] checks that a
//! list of leaves is one.

use margay_models::execution::Scope;
use margay_models::signature::Operation;
use margay_solver::Relation;
use serde::{Deserialize, Serialize};

use crate::encode::atoms::AtomPlace;
use crate::encode::shape::ThreadShape;
use crate::encode::vocabulary::MappingVocabulary;

/// Something that an execution has or has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum CubeFact {
    /// The event is a read (and no part of a read-modify-write).
    Reads { event: usize },
    /// The event is a write (and no part of a read-modify-write).
    Writes { event: usize },
    /// The event accesses the location that another one accesses first.
    Location {
        event: usize,
        /// The first event of its location.
        first: usize,
    },
    /// The threads are in one cta.
    Cta {
        /// The one with the lower number.
        first: usize,
        /// The other one.
        second: usize,
    },
}

/// Facts, each with whether it holds: a way from the root of a tree to a leaf. Empty for a whole
/// shape.
pub type Cube = Vec<(CubeFact, bool)>;

impl CubeFact {
    /// The tuples of which one is there if the fact holds.
    pub fn tuples(self, v: &MappingVocabulary) -> Vec<(Relation, Vec<AtomPlace>)> {
        let of = |operation: Operation, event: usize| {
            let constructs = v.construct.iter().filter(move |(c, _)| c.operation == operation);
            constructs.map(|&(_, r)| (r, vec![AtomPlace::Event(event)])).collect()
        };
        match self {
            CubeFact::Reads { event } => of(Operation::Read, event),
            CubeFact::Writes { event } => of(Operation::Write, event),
            CubeFact::Location { event, first } => {
                vec![(v.at, vec![AtomPlace::Event(event), AtomPlace::Event(first)])]
            }
            CubeFact::Cta { first, second } => {
                let cta = v.together.iter().find(|(scope, _)| *scope == Scope::Cta);
                cta.map(|&(_, r)| (r, vec![AtomPlace::Thread(first), AtomPlace::Thread(second)]))
                    .into_iter()
                    .collect()
            }
        }
    }

    /// Is what it speaks of in the shape?
    pub fn is_about(self, shape: &ThreadShape) -> bool {
        match self {
            CubeFact::Reads { event } | CubeFact::Writes { event } => event < shape.events(),
            CubeFact::Location { event, first } => first < event && event < shape.events(),
            CubeFact::Cta { first, second } => first < second && second < shape.threads(),
        }
    }
}

/// Facts that tell the executions of a shape apart: first which events write, in the order of the
/// numbering, by which leaves came out more even than by any other order that was tried
/// (docs/cluster.md has the measurement).
pub fn facts(shape: &ThreadShape, v: &MappingVocabulary) -> Vec<CubeFact> {
    let n = shape.events();
    let writes = (0..n).map(|event| CubeFact::Writes { event });
    let reads = (0..n).map(|event| CubeFact::Reads { event });
    let locations = (1..n).map(|event| CubeFact::Location { event, first: 0 });
    let ctas = (1..shape.threads()).map(|second| CubeFact::Cta { first: 0, second });
    // What no execution has tells nothing.
    writes
        .chain(reads)
        .chain(locations)
        .chain(ctas)
        .filter(|fact| !fact.tuples(v).is_empty())
        .collect()
}

/// The leaves of the complete tree in which all nodes of a depth ask for the same fact.
pub fn leaves(facts: &[CubeFact]) -> Vec<Cube> {
    let mut out = vec![Cube::new()];
    for &fact in facts {
        out = out
            .iter()
            .flat_map(|cube| {
                [true, false].map(|holds| [cube.clone(), vec![(fact, holds)]].concat())
            })
            .collect();
    }
    out
}

/// Are the cubes the leaves of a complete binary tree? Then every execution is in one of them: at
/// each node the fact holds or it does not. A leaf that is missing, is there twice, or hangs on
/// another fact than its neighbour makes it false.
pub fn covers(cubes: &[Cube]) -> bool {
    fn below(cubes: &[&[(CubeFact, bool)]]) -> bool {
        match cubes {
            [] => false,
            [[]] => true,
            all => {
                let Some(&(fact, _)) = all[0].first() else { return false };
                if !all.iter().all(|cube| cube.first().is_some_and(|&(f, _)| f == fact)) {
                    return false;
                }
                let side = |holds: bool| {
                    all.iter().filter(|c| c[0].1 == holds).map(|c| &c[1..]).collect::<Vec<_>>()
                };
                below(&side(true)) && below(&side(false))
            }
        }
    }
    below(&cubes.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cube, CubeFact, covers, leaves};

    #[test]
    fn the_leaves_of_every_depth_cover() {
        let facts: Vec<CubeFact> = (0..7).map(|event| CubeFact::Reads { event }).collect();
        for depth in 0..facts.len() {
            let leaves = leaves(&facts[..depth]);
            assert_eq!(leaves.len(), 1 << depth);
            assert!(covers(&leaves));
        }
    }

    /// A tree that is deeper in some places than in others, each node with a fact of its own.
    fn tree(next: &mut usize, choices: &[bool], way: &Cube, out: &mut Vec<Cube>) {
        let at = *next;
        *next += 1;
        if way.len() < 6 && choices.get(at).copied().unwrap_or(false) {
            for holds in [true, false] {
                tree(
                    next,
                    choices,
                    &[way.clone(), vec![(CubeFact::Reads { event: at }, holds)]].concat(),
                    out,
                );
            }
        } else {
            out.push(way.clone());
        }
    }

    proptest! {
        #[test]
        fn uneven_trees_cover_and_without_any_leaf_they_do_not(choices in prop::collection::vec(any::<bool>(), 1..40)) {
            let mut all = Vec::new();
            tree(&mut 0, &choices, &Cube::new(), &mut all);
            prop_assert!(covers(&all));
            for gone in 0..all.len() {
                let mut fewer = all.clone();
                let leaf = fewer.remove(gone);
                prop_assert!(!covers(&fewer));
                prop_assert!(!covers(&[all.clone(), vec![leaf]].concat()));
            }
        }

        #[test]
        fn what_covers_has_every_execution(choices in prop::collection::vec(any::<bool>(), 1..40), truth in any::<u64>()) {
            let mut all = Vec::new();
            tree(&mut 0, &choices, &Cube::new(), &mut all);
            let holds = |&(fact, holds): &(CubeFact, bool)| match fact {
                CubeFact::Reads { event } => (truth >> (event % 64)) & 1 == u64::from(holds),
                _ => false,
            };
            prop_assert_eq!(all.iter().filter(|cube| cube.iter().all(holds)).count(), 1);
        }
    }
}
