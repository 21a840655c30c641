//! Sets of tuples and instances in words: atoms by their names.

use std::fmt;

use crate::instance::Instance;
use crate::logic::Logic;
use crate::tuples::TupleSet;
use crate::universe::Universe;

/// A set of tuples with the names of its atoms: `{Ada, Bob}`, `{(Ada, Bob), (Bob, Cyd)}`.
#[derive(Debug, Clone, Copy)]
pub struct NamedTuples<'a> {
    tuples: &'a TupleSet,
    universe: &'a Universe,
}

/// An instance with the names of relations and atoms, a relation to a line:
/// `parent = {(Ada, Bob)}`.
#[derive(Debug, Clone, Copy)]
pub struct NamedInstance<'a> {
    instance: &'a Instance,
    logic: &'a Logic,
}

impl TupleSet {
    /// The tuples by the names of their atoms.
    pub fn display<'a>(&'a self, universe: &'a Universe) -> NamedTuples<'a> {
        NamedTuples { tuples: self, universe }
    }
}

impl Instance {
    /// The relations in the order of their declaration, by name.
    pub fn display<'a>(&'a self, logic: &'a Logic) -> NamedInstance<'a> {
        NamedInstance { instance: self, logic }
    }
}

impl fmt::Display for NamedTuples<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |atom: &crate::universe::Atom| self.universe.name(*atom);
        f.write_str("{")?;
        for (i, tuple) in self.tuples.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match tuple {
                [atom] => f.write_str(name(atom))?,
                atoms => write!(f, "({})", atoms.iter().map(name).collect::<Vec<_>>().join(", "))?,
            }
        }
        f.write_str("}")
    }
}

impl fmt::Display for NamedInstance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (relation, tuples)) in self.instance.relations().enumerate() {
            let line = if i > 0 { "\n" } else { "" };
            let (name, tuples) =
                (self.logic.relation_name(relation), tuples.display(self.instance.universe()));
            write!(f, "{line}{name} = {tuples}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Atom, Instance, Logic, TupleSet, Universe};

    #[test]
    fn atoms_have_their_names() {
        let mut logic = Logic::new();
        let (person, parent, absent) =
            (logic.relation("Person", 1), logic.relation("parent", 2), logic.relation("absent", 3));
        let universe = Universe::new(["Ada", "Bob"]);
        let people = TupleSet::from_tuples(1, [[Atom(1)], [Atom(0)]]);
        let parents = TupleSet::from_tuples(2, [[Atom(0), Atom(1)], [Atom(1), Atom(0)]]);
        let relations = [(person, people), (parent, parents), (absent, TupleSet::new(3))].into();
        let instance = Instance::new(universe, relations);
        assert_eq!(
            instance.display(&logic).to_string(),
            "Person = {Ada, Bob}\nparent = {(Ada, Bob), (Bob, Ada)}\nabsent = {}"
        );
    }
}
