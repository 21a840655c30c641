//! What makes barriers, proxies, reductions, volatile and mmio operations well-formed.

use margay_models::execution::{Order, Proxy, Scope};
use margay_models::signature::Operation;
use margay_solver::{Expr, Formula, Logic};

use crate::encode::sets::find;
use crate::encode::source::SourceExpressions;
use crate::encode::special::SpecialRelation;
use crate::encode::specials::Specials;
use crate::encode::vocabulary::MappingVocabulary;

impl Specials {
    /// What makes an instance well-formed.
    pub(in crate::encode) fn wellformed(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        source: &SourceExpressions,
    ) -> Vec<Formula> {
        let mut out = Vec::new();
        if self.sets.is_empty() {
            return out;
        }
        let next = logic.rel(v.next);
        let of = |logic: &mut Logic, wanted: &[(Operation, Order)]| {
            let sets: Vec<Expr> = v
                .construct
                .iter()
                .filter(|(c, _)| wanted.contains(&(c.operation, c.order)))
                .map(|&(_, r)| logic.rel(r))
                .collect();
            logic.union_all(1, sets)
        };
        let [addr, data, ctrl] = v.dependencies.map(|r| logic.rel(r));
        let system = find(&source.scopes, Scope::Sys);
        for &(special, set) in &self.sets {
            match special {
                SpecialRelation::Volatile | SpecialRelation::Mmio => {
                    let relaxed =
                        of(logic, &[(Operation::Read, Order::Rlx), (Operation::Write, Order::Rlx)]);
                    let possible = system.map_or(relaxed, |sys| logic.intersection(relaxed, sys));
                    out.push(logic.subset(set, possible));
                }
                SpecialRelation::Red => {
                    let possible =
                        of(logic, &[(Operation::Rmw, Order::Rlx), (Operation::Rmw, Order::Rel)]);
                    out.push(logic.subset(set, possible));
                    for dependency in [addr, data, ctrl] {
                        let from = logic.restrict_domain(set, dependency);
                        out.push(logic.no(from));
                    }
                }
                SpecialRelation::Through(proxy) => {
                    let both = [(Operation::Read, Order::Plain), (Operation::Write, Order::Plain)];
                    let possible =
                        of(logic, if proxy == Proxy::Surface { &both } else { &both[..1] });
                    out.push(logic.subset(set, possible));
                }
                SpecialRelation::Alias => {
                    // The first event that accesses a location does so by its first address; halves
                    // go together.
                    let memory = logic.union(source.reads, source.writes);
                    let identity = logic.identity();
                    let at = logic.rel(v.at);
                    let names = logic.intersection(at, identity);
                    let names = logic.domain(names);
                    let others = logic.difference(memory, names);
                    out.push(logic.subset(set, others));
                    let split = {
                        let from = logic.restrict_domain(set, source.rmw);
                        let back = logic.restrict_range(source.rmw, set);
                        logic.equal(from, back)
                    };
                    out.push(split);
                }
                SpecialRelation::Wait => {
                    // A `bar.sync`: what waits has just arrived.
                    let arrivals =
                        self.set(SpecialRelation::Arrival).unwrap_or_else(|| logic.empty(1));
                    let after = logic.join(arrivals, next);
                    out.push(logic.subset(set, after));
                }
                SpecialRelation::Arrival => {
                    let po = source.po;
                    let twice = logic.product(set, set);
                    let twice = logic.intersection(twice, po);
                    out.push(logic.no(twice));
                }
                SpecialRelation::ProxyFence(_) => {}
            }
        }
        // Marks exclude each other, but for the address.
        let marks: Vec<Expr> = self
            .sets
            .iter()
            .filter(|(s, _)| !s.is_event() && *s != SpecialRelation::Alias)
            .map(|&(_, e)| e)
            .collect();
        for (i, &a) in marks.iter().enumerate() {
            for &b in &marks[i + 1..] {
                let both = logic.intersection(a, b);
                out.push(logic.no(both));
            }
        }
        // A barrier instruction is executed or not as a whole, and by all of its threads.
        let barriers =
            self.any(logic, |s| matches!(s, SpecialRelation::Arrival | SpecialRelation::Wait));
        let to = logic.restrict_range(ctrl, barriers);
        out.push(logic.no(to));
        out
    }
}
