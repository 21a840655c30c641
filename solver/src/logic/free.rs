//! Free variables and recursions of expressions and formulas, as shared sets: most nodes have none,
//! and the others few.

use rustc_hash::FxHashMap;

use super::{QuantifiedVariable, Recursion};

/// What a quantifier, comprehension or fixpoint binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Binder {
    /// A variable: it stands for an atom.
    Variable(QuantifiedVariable),
    /// A relation under definition: it stands for a relation.
    Recursion(Recursion),
}

/// A set of binders: a handle into [`FreeSets`]. The default is the empty set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Free(u32);

impl Free {
    /// Is there none?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The sets that occur.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeSets {
    /// Ascending members of set `i + 1`; set 0 is empty.
    sets: Vec<Box<[Binder]>>,
    ids: FxHashMap<Box<[Binder]>, Free>,
}

impl FreeSets {
    /// The members, ascending.
    pub fn get(&self, free: Free) -> &[Binder] {
        match free.0.checked_sub(1) {
            None => &[],
            Some(at) => &self.sets[at as usize],
        }
    }

    fn intern(&mut self, members: Vec<Binder>) -> Free {
        if members.is_empty() {
            return Free::default();
        }
        let members = members.into_boxed_slice();
        if let Some(&known) = self.ids.get(&members) {
            return known;
        }
        self.sets.push(members.clone());
        let free = Free(self.sets.len() as u32);
        self.ids.insert(members, free);
        free
    }

    pub fn single(&mut self, binder: Binder) -> Free {
        self.intern(vec![binder])
    }

    /// The members of both.
    pub fn union(&mut self, a: Free, b: Free) -> Free {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        let mut members: Vec<Binder> = self.get(a).iter().chain(self.get(b)).copied().collect();
        members.sort_unstable();
        members.dedup();
        self.intern(members)
    }

    /// The members of a set that are not bound.
    pub fn without(&mut self, free: Free, bound: &[Binder]) -> Free {
        if free.is_empty() {
            return free;
        }
        let members = self.get(free).iter().filter(|b| !bound.contains(b)).copied().collect();
        self.intern(members)
    }
}
