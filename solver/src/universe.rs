//! Atoms and universes: the finite set of things that relations speak of.

use crate::tuples::TupleSet;

/// An element of a [`Universe`]: its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub u32);

/// A finite set of named atoms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Universe {
    /// The name of each atom.
    names: Vec<String>,
}

impl Universe {
    /// A universe with one atom for each name, in the given order. Atoms may have the same name;
    /// those cannot be told apart by it.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect() }
    }

    /// The number of atoms.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Is there no atom?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of an atom.
    ///
    /// # Panics
    /// If the atom is not of this universe.
    #[track_caller]
    pub fn name(&self, atom: Atom) -> &str {
        &self.names[atom.0 as usize]
    }

    /// The first atom of this name.
    pub fn atom(&self, name: &str) -> Option<Atom> {
        self.names.iter().position(|n| n == name).map(|at| Atom(at as u32))
    }

    /// A set of tuples by the names of their atoms:
    /// `universe.tuples([["WA", "NT"], ["WA", "SA"]])`.
    ///
    /// # Panics
    /// If no atom has the name, or several have it.
    #[track_caller]
    pub fn tuples<'a, const ARITY: usize>(
        &self,
        tuples: impl IntoIterator<Item = [&'a str; ARITY]>,
    ) -> TupleSet {
        let mut set = TupleSet::new(ARITY);
        for tuple in tuples {
            let mut atoms = [Atom(0); ARITY];
            for (atom, name) in atoms.iter_mut().zip(tuple) {
                let Some(found) = self.atom(name) else {
                    panic!("the universe has no atom `{name}`")
                };
                let again = &self.names[found.0 as usize + 1..];
                assert!(
                    !again.iter().any(|other| other == name),
                    "several atoms of the universe are called `{name}`"
                );
                *atom = found;
            }
            set.insert(&atoms);
        }
        set
    }

    /// The atoms, in ascending order.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + use<> {
        (0..self.names.len() as u32).map(Atom)
    }
}
