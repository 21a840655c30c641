//! Loads that are read-modify-writes: what they write back, which the target has and the source has
//! not (docs/encoding.md).
//!
//! The write is in the slot right behind its load. Whoever reads it in the target reads in the
//! source what the load read; modification order of the source is the target's without it.

use margay_solver::{Bounds, Relation, TupleSet};

use super::atoms::{AtomPlace, Atoms};
use super::slot::SlotRole;

mod target;

pub use target::ReadsAndWrites;

/// Where what a load writes back is.
pub const SLOT: SlotRole = SlotRole::After(0);

/// The place of what the load at an event writes back.
pub fn place(load: usize) -> AtomPlace {
    AtomPlace::After(load, 0)
}

/// The relations of the search.
#[derive(Debug, Clone, Copy)]
pub struct Back {
    /// From what is written back to the accesses that read it.
    pub rf: Relation,
    /// The pairs of places of writes of which one or both are written back, in one order. Constant.
    pairs: Relation,
    /// Those of them that coherence order follows, or would if it were total; it goes against the
    /// others.
    pub ascending: Relation,
    /// Those of them that coherence order relates, where it is partial.
    pub related: Relation,
}

impl Back {
    pub fn new(declare: &mut impl FnMut(&str, usize) -> Relation) -> Self {
        Self {
            rf: declare("back_rf", 2),
            pairs: declare("back_pairs", 2),
            ascending: declare("back_ascending", 2),
            related: declare("back_related", 2),
        }
    }

    pub fn searched(self) -> [Relation; 3] {
        [self.rf, self.ascending, self.related]
    }

    /// The pairs of places that coherence order has to decide on.
    pub fn pairs(atoms: &Atoms) -> impl Iterator<Item = (AtomPlace, AtomPlace)> {
        let n = atoms.events();
        let with_events = (0..n).flat_map(move |a| {
            (0..n).filter(move |&b| a != b).map(move |b| (AtomPlace::Event(a), place(b)))
        });
        let among = (0..n).flat_map(move |a| (a + 1..n).map(move |b| (place(a), place(b))));
        with_events.chain(among)
    }

    /// Bounds them for one shape.
    pub fn bounds(self, atoms: &Atoms, partial: bool, bounds: &mut Bounds) {
        let n = atoms.events();
        let readers = (0..n).flat_map(|w| {
            (0..n).filter(move |&r| r != w).map(move |r| (place(w), AtomPlace::Event(r)))
        });
        let pairs = atoms.pairs(Self::pairs(atoms));
        bounds.exactly(self.pairs, pairs.clone());
        let related = if partial { pairs.clone() } else { TupleSet::new(2) };
        for (relation, upper) in
            [(self.rf, atoms.pairs(readers)), (self.ascending, pairs), (self.related, related)]
        {
            bounds.between(relation, TupleSet::new(2), upper);
        }
    }
}
