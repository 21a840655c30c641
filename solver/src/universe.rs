//! Atoms and universes: the finite set of things that relations speak of.

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
    /// A universe with one atom for each name, in the given order.
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

    /// The atoms, in ascending order.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + use<> {
        (0..self.names.len() as u32).map(Atom)
    }
}
