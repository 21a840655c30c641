//! What makes a source execution well-formed.

use margay_models::execution::{Order, Scope};
use margay_models::signature::BaseSet;
use margay_solver::{Expr, Formula, Logic};

use crate::encode::sets::partition;
use crate::encode::source::SourceExpressions;
use crate::encode::special::SpecialRelation;
use crate::encode::vocabulary::MappingVocabulary;

impl SourceExpressions {
    /// What makes an instance a source execution.
    pub fn wellformed(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        typed: bool,
    ) -> Vec<Formula> {
        let mut out = Vec::new();
        let (events, next) = (self.events, logic.rel(v.next));

        // Every event is one construct, or the write half of the RMW before it.
        let mut kinds: Vec<Expr> = v.construct.iter().map(|&(_, r)| logic.rel(r)).collect();
        kinds.push(self.write_halves);
        kinds.extend(self.specials.kinds());
        out.extend(self.specials.wellformed(logic, v, self));
        partition(logic, &mut out, &kinds, events);

        // A read-modify-write may be an exchange, or compute what it writes; a reduction computes.
        if let Some(exchange) = v.exchange {
            let exchange = logic.rel(exchange);
            let may = match self.specials.set(SpecialRelation::Red) {
                Some(reductions) => logic.difference(self.read_halves, reductions),
                None => self.read_halves,
            };
            out.push(logic.subset(exchange, may));
        }

        // Operations that take a scope have one; the halves of an RMW have the same.
        let scopes: Vec<Expr> = self.scopes.iter().map(|&(_, e)| e).collect();
        if !scopes.is_empty() {
            let scoped = self.scoped(logic, v);
            partition(logic, &mut out, &scopes, scoped);
            for &scope in &scopes {
                let half = logic.join(scope, next);
                let half = logic.intersection(half, self.write_halves);
                out.push(logic.subset(half, scope));
            }
        }

        // A choice among the alternatives of the row, one for each operation (its halves together).
        if !v.choice.is_empty() {
            let choices: Vec<Expr> = v.choice.iter().map(|&r| logic.rel(r)).collect();
            let operations = logic.difference(events, self.write_halves);
            partition(logic, &mut out, &choices, operations);
        }

        // Locations: every access has one, named by its first event.
        let (at, identity) = (logic.rel(v.at), logic.identity());
        let memory = logic.union(self.reads, self.writes);
        out.push(logic.function(at, memory, memory));
        let diagonal = logic.intersection(at, identity);
        let (names, classes) = (logic.range(at), logic.domain(diagonal));
        out.push(logic.subset(names, classes));
        out.push(logic.subset(self.rmw, self.loc));
        // Of machines every location may be accessed by every instruction: that it carries no tag
        // does not make it plain, unless the text says that such accesses are not atomic.
        let has_tags = self.orders.iter().any(|(order, _)| matches!(order, Order::Tagged(_)));
        let has_plain = BaseSet::Na.is_in(v.content.signature);
        if typed
            && (!has_tags || has_plain)
            && let Some(plain) = self.order(Order::Plain)
        {
            let atomics = self.atomics(logic);
            let mixed = logic.product(plain, atomics);
            let mixed = logic.intersection(mixed, self.loc);
            out.push(logic.no(mixed));
        }

        out.extend(self.barriers(logic, v, v.content.signature));

        // Reads-from: every read reads one write of its location.
        let rf = logic.rel(v.rf);
        let back = logic.transpose(rf);
        let all_writes = logic.union(self.writes, self.inits);
        out.push(logic.function(back, self.reads, all_writes));
        out.push(logic.subset(rf, self.loc));

        // Modification order is transitive; with one variable for each pair, totality is in its
        // definition.
        let twice = logic.join(self.mo, self.mo);
        out.push(logic.subset(twice, self.mo));
        if let Some(descending) = v.mo_descending {
            let (up, down, ascending) =
                (logic.rel(v.mo_ascending), logic.rel(descending), logic.rel(v.ascending));
            let both = logic.intersection(up, down);
            let either = logic.union(up, down);
            out.push(logic.no(both));
            out.push(logic.subset(ascending, either));
        }

        // Sharing a cta, a cluster, a gpu: equivalences, each within the next wider.
        for (i, &(scope, relation)) in self.together.iter().enumerate() {
            if scope == Scope::Sys {
                continue;
            }
            let twice = logic.join(relation, relation);
            out.push(logic.subset(twice, relation));
            if let Some(&(_, wider)) = self.together.get(i + 1) {
                out.push(logic.subset(relation, wider));
            }
        }

        // Dependencies go from reads to accesses (addr), writes (data), anything (ctrl) later in
        // the thread.
        let [addr, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
        for (relation, to) in [(addr, memory), (data, self.writes), (ctrl, events)] {
            let allowed = logic.product(self.reads, to);
            out.push(logic.subset(relation, allowed));
        }
        out
    }
}
