//! What PTX has beside loads, stores, read-modify-writes and memory fences, as far as two models of PTX are compared on it: barriers of
//! a cta, proxy fences, accesses through other proxies and by other addresses, reductions, volatile and mmio operations. Each
//! is a set of events; barriers and proxy fences are events of their own, the others are operations that are marked.

use margay_models::execution::{Order, Proxy, Scope};
use margay_models::signature::Operation;
use margay_solver::{Expr, Formula, Logic};

use super::source::{Source, find};
use super::vocabulary::Vocabulary;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Special {
    /// An arrival at the barrier of the cta: a `bar.arrive`, or the first half of a `bar.sync`.
    Arrival,
    /// A wait at the barrier of the cta: the second half of a `bar.sync`.
    Wait,
    /// `fence.proxy`.
    ProxyFence(Proxy),
    /// A weak load or store through a proxy that is not the generic one.
    Through(Proxy),
    /// An access by the second address of its location.
    Alias,
    /// A read-modify-write that returns nothing; of both halves the read.
    Red,
    /// `.volatile`: relaxed at system scope (PTX ISA 8.4.2).
    Volatile,
    /// `.mmio`: strong (PTX ISA 8.4.1), here of system scope.
    Mmio,
}

impl Special {
    /// Is it an event of its own, no marked operation?
    pub fn is_event(self) -> bool {
        matches!(self, Self::Arrival | Self::Wait | Self::ProxyFence(_))
    }

    /// A name for the relation.
    pub(super) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// The sets as expressions, and the relations that follow from them.
#[derive(Debug, Clone, Default)]
pub struct Specials {
    sets: Vec<(Special, Expr)>,
    /// `sync_barrier`: from each arrival to the waits of other threads at the barrier of its cta.
    pub sync_barrier: Option<Expr>,
    /// `syncbar`: operations on one barrier.
    pub one_barrier: Option<Expr>,
}

impl Specials {
    /// The sets of a vocabulary.
    pub(super) fn new(logic: &mut Logic, v: &Vocabulary) -> Self {
        let sets = v.special.iter().map(|&(s, r)| (s, logic.rel(r))).collect();
        Self { sets, sync_barrier: None, one_barrier: None }
    }

    /// Who meets whom. There is one barrier for each cta, and a thread comes to it at most once.
    pub(super) fn barriers(&mut self, logic: &mut Logic, int: Expr, placed: &[(Scope, Expr)]) {
        let (Some(arrivals), Some(waits), Some(near)) =
            (self.set(Special::Arrival), self.set(Special::Wait), find(placed, Scope::Cta))
        else {
            return;
        };
        let pairs = logic.product(arrivals, waits);
        let pairs = logic.intersection(pairs, near);
        self.sync_barrier = Some(logic.difference(pairs, int));
        let all = logic.union(arrivals, waits);
        let pairs = logic.product(all, all);
        self.one_barrier = Some(logic.intersection(pairs, near));
    }

    /// The events of one kind; `None` where there are none.
    pub fn set(&self, special: Special) -> Option<Expr> {
        find(&self.sets, special)
    }

    /// The union of several.
    pub(super) fn any(&self, logic: &mut Logic, wanted: impl Fn(Special) -> bool) -> Expr {
        let sets: Vec<Expr> = self.sets.iter().filter(|(s, _)| wanted(*s)).map(|&(_, e)| e).collect();
        logic.union_all(1, sets)
    }

    /// The events that are no constructs: barriers and proxy fences.
    pub(super) fn events(&self, logic: &mut Logic) -> Expr {
        self.any(logic, Special::is_event)
    }

    /// The events of their own kinds, one set for each.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Expr> + '_ {
        self.sets.iter().filter(|(s, _)| s.is_event()).map(|&(_, e)| e)
    }

    /// The relation `same address` from `same location`: each location has at most two addresses.
    pub(super) fn same_address(&self, logic: &mut Logic, loc: Expr) -> Expr {
        let Some(second) = self.set(Special::Alias) else { return loc };
        let from = logic.restrict_domain(second, loc);
        let within = logic.restrict_range(from, second);
        let either_way = {
            let to = logic.restrict_range(loc, second);
            logic.union(from, to)
        };
        let first = logic.difference(loc, either_way);
        logic.union(within, first)
    }

    /// What makes an instance well-formed.
    pub(super) fn wellformed(&self, logic: &mut Logic, v: &Vocabulary, source: &Source) -> Vec<Formula> {
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
                Special::Volatile | Special::Mmio => {
                    let relaxed = of(logic, &[(Operation::Read, Order::Rlx), (Operation::Write, Order::Rlx)]);
                    let possible = system.map_or(relaxed, |sys| logic.intersection(relaxed, sys));
                    out.push(logic.subset(set, possible));
                }
                Special::Red => {
                    let possible = of(logic, &[(Operation::Rmw, Order::Rlx), (Operation::Rmw, Order::Rel)]);
                    out.push(logic.subset(set, possible));
                    for dependency in [addr, data, ctrl] {
                        let from = logic.restrict_domain(set, dependency);
                        out.push(logic.no(from));
                    }
                }
                Special::Through(proxy) => {
                    let both = [(Operation::Read, Order::Plain), (Operation::Write, Order::Plain)];
                    let possible = of(logic, if proxy == Proxy::Surface { &both } else { &both[..1] });
                    out.push(logic.subset(set, possible));
                }
                Special::Alias => {
                    // The first event that accesses a location does so by its first address; halves go together.
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
                Special::Wait => {
                    // A `bar.sync`: what waits has just arrived.
                    let arrivals = self.set(Special::Arrival).unwrap_or_else(|| logic.empty(1));
                    let after = logic.join(arrivals, next);
                    out.push(logic.subset(set, after));
                }
                Special::Arrival => {
                    let po = source.base(margay_models::signature::BaseRelation::Po);
                    let twice = logic.product(set, set);
                    let twice = logic.intersection(twice, po);
                    out.push(logic.no(twice));
                }
                Special::ProxyFence(_) => {}
            }
        }
        // Marks exclude each other, but for the address.
        let marks: Vec<Expr> = self.sets.iter().filter(|(s, _)| !s.is_event() && *s != Special::Alias).map(|&(_, e)| e).collect();
        for (i, &a) in marks.iter().enumerate() {
            for &b in &marks[i + 1..] {
                let both = logic.intersection(a, b);
                out.push(logic.no(both));
            }
        }
        // A barrier instruction is executed or not as a whole, and by all of its threads.
        let barriers = self.any(logic, |s| matches!(s, Special::Arrival | Special::Wait));
        let to = logic.restrict_range(ctrl, barriers);
        out.push(logic.no(to));
        out
    }
}
