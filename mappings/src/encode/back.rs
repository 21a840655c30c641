//! Loads that are read-modify-writes: what they write back, which the target has and the source has not (docs/encoding.md).
//!
//! The write is in the slot right behind its load. Whoever reads it in the target reads in the source what the load read; modification
//! order of the source is the target's without it.

use margay_solver::{Bounds, Expr, Formula, Logic, Relation, TupleSet};

use super::atoms::{AtomPlace, Atoms};
use super::source::SourceExpressions;
use super::vocabulary::SlotRole;

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
    /// Those of them that coherence order follows, or would if it were total; it goes against the others.
    pub ascending: Relation,
    /// Those of them that coherence order relates, where it is partial.
    pub related: Relation,
}

/// The target's relations of reads and writes.
pub struct ReadsAndWrites {
    /// Reads-from, of accesses.
    pub rf: Expr,
    /// Coherence order.
    pub co: Expr,
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
        let with_events = (0..n).flat_map(move |a| (0..n).filter(move |&b| a != b).map(move |b| (AtomPlace::Event(a), place(b))));
        let among = (0..n).flat_map(move |a| (a + 1..n).map(move |b| (place(a), place(b))));
        with_events.chain(among)
    }

    /// Bounds them for one shape.
    pub fn bounds(self, atoms: &Atoms, partial: bool, bounds: &mut Bounds) {
        let n = atoms.events();
        let readers = (0..n).flat_map(|w| (0..n).filter(move |&r| r != w).map(move |r| (place(w), AtomPlace::Event(r))));
        let pairs = atoms.pairs(Self::pairs(atoms));
        bounds.exactly(self.pairs, pairs.clone());
        let related = if partial { pairs.clone() } else { TupleSet::new(2) };
        for (relation, upper) in [(self.rf, atoms.pairs(readers)), (self.ascending, pairs), (self.related, related)] {
            bounds.between(relation, TupleSet::new(2), upper);
        }
    }

    /// Reads-from and coherence order of a target in which `copies` relates loads to what they write back, and `loc` whatever is of one
    /// location; and what makes them those of an execution that reads back as the source's.
    pub fn target(
        self,
        logic: &mut Logic,
        source: &SourceExpressions,
        [source_rf, copies, loc]: [Expr; 3],
        total: bool,
        formulas: &mut Vec<Formula>,
    ) -> ReadsAndWrites {
        let written = logic.range(copies);
        // From each write and initial write to the copies of its value.
        let copied = logic.join(source_rf, copies);
        let rf = self.reads_from(logic, source, [source_rf, copies, copied], written, formulas);
        let co = self.coherence(logic, source, [copied, loc], written, total, formulas);
        ReadsAndWrites { rf, co }
    }

    /// Accesses read what was written back, or else what they read in the source.
    fn reads_from(
        self,
        logic: &mut Logic,
        source: &SourceExpressions,
        [source_rf, copies, copied]: [Expr; 3],
        written: Expr,
        formulas: &mut Vec<Formula>,
    ) -> Expr {
        let own = logic.rel(self.rf);
        let (back, readers) = (logic.transpose(own), logic.range(own));
        formulas.push(logic.function(back, readers, written));
        formulas.push(logic.subset(readers, source.reads));
        // In the source they read where the value comes from.
        let claimed = logic.join(copied, own);
        formulas.push(logic.subset(claimed, source_rf));
        // It comes from somewhere, and not round in a circle.
        let steps = logic.join(copies, own);
        formulas.push(logic.acyclic(steps));
        let others = logic.difference(source.reads, readers);
        let rest = logic.restrict_range(source_rf, others);
        logic.union(rest, own)
    }

    /// Modification order, with what is written back somewhere in it.
    fn coherence(
        self,
        logic: &mut Logic,
        source: &SourceExpressions,
        [copied, loc]: [Expr; 2],
        written: Expr,
        total: bool,
        formulas: &mut Vec<Formula>,
    ) -> Expr {
        let [pairs, ascending] = [self.pairs, self.ascending].map(|r| logic.rel(r));
        let all = logic.union(source.writes, written);
        let from_all = logic.restrict_domain(all, loc);
        let among = logic.restrict_range(from_all, all);
        let among = logic.intersection(among, pairs);
        let forward = logic.intersection(among, ascending);
        let backward = logic.difference(among, ascending);
        let backward = logic.transpose(backward);
        let own = logic.union(forward, backward);
        let initial = logic.restrict_domain(source.inits, loc);
        let initial = logic.restrict_range(initial, written);
        let order = logic.union_all(2, [source.mo, own, initial]);
        let twice = logic.join(order, order);
        formulas.push(logic.subset(twice, order));
        // A location ends with the value that the last write of modification order wrote.
        let overwritten = logic.domain(order);
        let last = logic.difference(written, overwritten);
        let final_values = logic.restrict_range(copied, last);
        let (final_values, changed) = (logic.domain(final_values), logic.domain(source.mo));
        let lost = logic.intersection(final_values, changed);
        formulas.push(logic.no(lost));
        if total {
            return order;
        }
        let up = logic.rel(self.related);
        let down = logic.transpose(up);
        let related = logic.union(up, down);
        let own = logic.intersection(own, related);
        logic.union_all(2, [source.partial_co, own, initial])
    }
}
