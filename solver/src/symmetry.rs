//! Symmetry: permutations of atoms under which a problem stays the same. They may be used to leave
//! out instances that differ from another one by a permutation alone, either by constraints
//! (lex-leaders, after Crawford, Ginsberg, Luks and Roy, KR 1996) or exactly, while enumerating.

use std::collections::BTreeSet;

use crate::bounds::Bounds;
use crate::instance::Instance;
use crate::logic::{Formula, Logic, Relation};
use crate::session::{Literal, Session};
use crate::tuples::TupleSet;
use crate::universe::Atom;

/// A permutation of the atoms of a universe.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permutation {
    /// The image of each atom.
    images: Vec<Atom>,
}

impl Permutation {
    /// From the image of each atom; `None` if two have the same one, or one is no atom.
    pub fn new(images: Vec<Atom>) -> Option<Self> {
        let mut sorted: Vec<Atom> = images.clone();
        sorted.sort_unstable();
        let complete = sorted.iter().enumerate().all(|(i, a)| a.0 as usize == i);
        complete.then_some(Self { images })
    }

    /// The permutation of `atoms` atoms that exchanges two; `None` if one of them is no atom.
    pub fn exchange(atoms: usize, a: Atom, b: Atom) -> Option<Self> {
        let (x, y) = (a.0 as usize, b.0 as usize);
        let mut images: Vec<Atom> = (0..atoms as u32).map(Atom).collect();
        (x < atoms && y < atoms).then(|| {
            images.swap(x, y);
            Self { images }
        })
    }

    /// The image of an atom; an atom that the permutation does not know stays.
    pub fn image(&self, atom: Atom) -> Atom {
        self.images.get(atom.0 as usize).copied().unwrap_or(atom)
    }

    /// Does the permutation map a set of tuples to itself?
    pub fn preserves(&self, tuples: &TupleSet) -> bool {
        // As many images as tuples: inclusion is equality.
        let mut image = Vec::with_capacity(tuples.arity());
        tuples.iter().all(|tuple| {
            image.clear();
            image.extend(tuple.iter().map(|&a| self.image(a)));
            tuples.contains(&image)
        })
    }

    /// Does it map lower and upper bound of every relation to themselves?
    pub fn preserves_bounds(&self, bounds: &Bounds) -> bool {
        bounds
            .relations()
            .filter_map(|r| bounds.get(r))
            .all(|(lower, upper)| self.preserves(upper) && self.preserves(lower))
    }
}

/// A group of permutations, by generators.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Symmetry {
    generators: Vec<Permutation>,
}

impl Symmetry {
    /// No symmetry: instances are isomorphic only if equal.
    pub fn none() -> Self {
        Self::default()
    }

    /// The group that permutations generate. They must map instances to instances: see
    /// [`Permutation::preserves_bounds`].
    pub fn generated_by(generators: Vec<Permutation>) -> Self {
        Self { generators }
    }

    /// The permutations within classes of interchangeable atoms (see [`Symmetry::classes`]).
    pub fn interchangeable(bounds: &Bounds, logic: &Logic, formulas: &[Formula]) -> Self {
        let atoms = bounds.universe().len();
        let generators = Self::classes(bounds, logic, formulas)
            .iter()
            .flat_map(|class| class.windows(2))
            .filter_map(|pair| Permutation::exchange(atoms, pair[0], pair[1]))
            .collect();
        Self { generators }
    }

    /// The classes of two or more atoms that are interchangeable: exchanging two of a class changes
    /// neither a bound nor a constant in a formula, so that it maps instances to instances.
    /// Formulas speak of atoms in no other way.
    pub fn classes(bounds: &Bounds, logic: &Logic, formulas: &[Formula]) -> Vec<Vec<Atom>> {
        let mut sets: Vec<&TupleSet> =
            bounds.relations().filter_map(|r| bounds.get(r)).flat_map(|(l, u)| [l, u]).collect();
        sets.extend(logic.constants_of(formulas));
        let atoms = bounds.universe().len();
        // How often an atom occurs in each column of each set: only atoms that agree here can be
        // interchangeable.
        let mut profiles: Vec<Vec<u32>> = vec![Vec::new(); atoms];
        for set in &sets {
            let columns = set.arity();
            for profile in &mut profiles {
                profile.resize(profile.len() + columns, 0);
            }
            for tuple in set.iter() {
                for (column, atom) in tuple.iter().enumerate() {
                    if let Some(profile) = profiles.get_mut(atom.0 as usize) {
                        let at = profile.len() - columns + column;
                        profile[at] += 1;
                    }
                }
            }
        }
        // To be exchangeable is an equivalence, so that one member tells for its class.
        let mut classes: Vec<Vec<Atom>> = Vec::new();
        for atom in bounds.universe().atoms() {
            let alike = |first: Atom| {
                profiles[first.0 as usize] == profiles[atom.0 as usize]
                    && Permutation::exchange(atoms, first, atom)
                        .is_some_and(|p| sets.iter().all(|set| p.preserves(set)))
            };
            match classes.iter_mut().find(|class| alike(class[0])) {
                Some(class) => class.push(atom),
                None => classes.push(vec![atom]),
            }
        }
        classes.retain(|class| class.len() > 1);
        classes
    }

    /// The group is whatever they make by composition.
    pub fn generators(&self) -> &[Permutation] {
        &self.generators
    }

    /// The images of what an instance has for some relations, under all permutations of the group;
    /// first the instance's own.
    pub fn orbit(&self, instance: &Instance, relations: &[Relation]) -> Vec<Vec<TupleSet>> {
        let own: Vec<TupleSet> =
            relations.iter().filter_map(|&r| instance.tuples(r).cloned()).collect();
        let mut seen = BTreeSet::from([own.clone()]);
        let mut orbit = vec![own];
        let mut next = 0;
        while let Some(from) = orbit.get(next).cloned() {
            next += 1;
            for permutation in &self.generators {
                let image: Vec<TupleSet> =
                    from.iter().map(|tuples| tuples.map(|a| permutation.image(a))).collect();
                if seen.insert(image.clone()) {
                    orbit.push(image);
                }
            }
        }
        orbit
    }
}

impl Session {
    /// From now on instances that a generator of the group maps to a lexicographically smaller one
    /// are left out. Of every class of isomorphic instances at least one is left, and often few
    /// more. The vector that is compared has the tuples of the relations in their order, at most
    /// `length` of those that the permutation moves: later ones cost more than they gain.
    ///
    /// All formulas and assumptions of the session must be symmetric too. Add this before other
    /// constraints by [`Session::add_clause`] that are not, or not at all.
    pub fn break_symmetry(&mut self, symmetry: &Symmetry, relations: &[Relation], length: usize) {
        for permutation in symmetry.generators() {
            let mut pairs: Vec<[Literal; 2]> = Vec::new();
            'tuples: for &relation in relations {
                let Some((_, upper)) = self.bounds().get(relation) else { continue };
                let upper = upper.clone();
                for tuple in upper.iter() {
                    let image: Vec<Atom> = tuple.iter().map(|&a| permutation.image(a)).collect();
                    let pair = [self.tuple(relation, tuple), self.tuple(relation, &image)];
                    if pair[0] != pair[1] && !pairs.contains(&[pair[1], pair[0]]) {
                        pairs.push(pair);
                    }
                    if pairs.len() >= length {
                        break 'tuples;
                    }
                }
            }
            self.add_lexicographic(&pairs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Permutation, Symmetry};
    use crate::{Atom, Bounds, Logic, TupleSet, Universe};

    #[test]
    fn permutations_are_checked() {
        assert!(Permutation::new(vec![Atom(1), Atom(1)]).is_none());
        assert!(Permutation::new(vec![Atom(1), Atom(2)]).is_none());
        assert!(Permutation::exchange(2, Atom(0), Atom(2)).is_none());
        let turn = Permutation::new(vec![Atom(1), Atom(2), Atom(0)]).expect("a permutation");
        assert!(turn.preserves(&TupleSet::from_tuples(
            2,
            [[Atom(0), Atom(1)], [Atom(1), Atom(2)], [Atom(2), Atom(0)]]
        )));
        assert!(
            !turn.preserves(&TupleSet::from_tuples(2, [[Atom(0), Atom(1)], [Atom(1), Atom(2)]]))
        );
    }

    #[test]
    fn atoms_are_interchangeable_if_nothing_tells_them_apart() {
        let mut logic = Logic::new();
        let (s, r) = (logic.relation("s", 1), logic.relation("r", 2));
        let mut bounds = Bounds::new(Universe::new(["a", "b", "c", "d", "e"]));
        // a, b in s; c, d, e not; c before d is a constant of the formula.
        bounds.exactly(s, TupleSet::from_tuples(1, [[Atom(0)], [Atom(1)]]));
        let all: Vec<[Atom; 2]> =
            (0..5).flat_map(|a| (0..5).map(move |b| [Atom(a), Atom(b)])).collect();
        bounds.between(r, TupleSet::new(2), TupleSet::from_tuples(2, all));
        let r = logic.rel(r);
        let some = logic.some(r);
        let classes = |formula| Symmetry::classes(&bounds, &logic, &[formula]);
        assert_eq!(classes(some), [vec![Atom(0), Atom(1)], vec![Atom(2), Atom(3), Atom(4)]]);
        let edge = logic.constant(TupleSet::from_tuples(2, [[Atom(2), Atom(3)]]));
        let edge = logic.subset(edge, r);
        assert_eq!(Symmetry::classes(&bounds, &logic, &[edge]), [[Atom(0), Atom(1)]]);
    }
}
