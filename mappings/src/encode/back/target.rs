//! What the target reads and in which order it writes, with what loads write back.

use margay_solver::{Expr, Formula, Logic};

use super::Back;
use crate::encode::source::SourceExpressions;

/// The target's relations of reads and writes.
pub struct ReadsAndWrites {
    /// Reads-from, of accesses.
    pub rf: Expr,
    /// Coherence order.
    pub co: Expr,
}

impl Back {
    /// Reads-from and coherence order of a target in which `copies` relates loads to what they
    /// write back, and `loc` whatever is of one location; and what makes them those of an execution
    /// that reads back as the source's.
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
