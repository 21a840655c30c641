//! What makes the operations on a source's barriers well-formed: one phase of each barrier, for
//! which everybody arrives.

use margay_models::signature::{Architecture, Construct};
use margay_solver::{Expr, Formula, Logic};

use crate::encode::source::SourceExpressions;
use crate::encode::vocabulary::MappingVocabulary;

impl SourceExpressions {
    /// What holds of the operations on barriers: those that [well-formed
    /// executions](margay_models::wellformed) have, and which programs are searched. Their arrivals
    /// are under no condition, since a phase waits for all of them, and nothing is computed from
    /// what an arrival returns.
    pub(super) fn barriers(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        architecture: Architecture,
    ) -> Vec<Formula> {
        let Some(tags) = architecture.barrier() else { return Vec::new() };
        let of = |logic: &mut Logic, wanted: &dyn Fn(Construct) -> bool| {
            let sets: Vec<Expr> = v
                .construct
                .iter()
                .filter(|(c, _)| wanted(*c))
                .map(|&(_, r)| logic.rel(r))
                .collect();
            logic.union_all(1, sets)
        };
        let arrivals = of(logic, &|c| architecture.tags_of(c).contains(tags.arrival));
        let waits = of(logic, &|c| architecture.tags_of(c).contains(tags.wait));
        let written = logic.join(arrivals, self.rmw);
        let arriving = logic.union(arrivals, written);
        let on_barriers = logic.union(arriving, waits);

        let mut out = Vec::new();
        // Barriers are no data.
        let accesses = logic.union(self.reads, self.writes);
        let others = logic.difference(accesses, on_barriers);
        let mixed = logic.product(on_barriers, others);
        let mixed = logic.intersection(mixed, self.loc);
        out.push(logic.no(mixed));
        // A wait returns behind the last arrival, of which there is one.
        let unread = logic.restrict_domain(self.inits, self.rf);
        let unread = logic.restrict_range(unread, waits);
        out.push(logic.no(unread));
        let missed = {
            let from = logic.transpose(self.rf);
            let later = logic.join(from, self.mo);
            logic.restrict_domain(waits, later)
        };
        out.push(logic.no(missed));
        // A barrier has one scope, and is used by threads of that scope.
        let together = logic.product(on_barriers, on_barriers);
        let together = logic.intersection(together, self.loc);
        for &(_, scope) in &self.scopes {
            let from = logic.restrict_domain(scope, together);
            let within = logic.restrict_range(from, scope);
            out.push(logic.equal(from, within));
        }
        // Where no model speaks of scopes nobody has one here, and all may have the same.
        if !self.scopes.is_empty() {
            let apart = logic.difference(together, self.sr);
            out.push(logic.no(apart));
        }
        // Programs.
        let [addr, data, ctrl] = self.dependencies;
        for dependency in [addr, data, ctrl] {
            let from = logic.restrict_domain(arriving, dependency);
            out.push(logic.no(from));
        }
        let conditional = logic.restrict_range(ctrl, arriving);
        out.push(logic.no(conditional));
        out
    }
}
