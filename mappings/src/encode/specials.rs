//! What PTX has beside loads, stores, read-modify-writes and memory fences, as expressions.

use margay_models::execution::Scope;
use margay_solver::{Expr, Logic};

use super::level::BarrierRelations;
use super::sets::find;
use super::special::SpecialRelation;
use super::vocabulary::MappingVocabulary;

/// The sets as expressions, and the relations that follow from them.
#[derive(Debug, Clone, Default)]
pub struct Specials {
    pub(super) sets: Vec<(SpecialRelation, Expr)>,
    /// Operations on the barrier of one cta, and from each arrival to the waits of other threads
    /// there.
    pub met: Option<BarrierRelations>,
}

impl Specials {
    /// The sets of a vocabulary.
    pub(super) fn new(logic: &mut Logic, v: &MappingVocabulary) -> Self {
        let sets = v.special.iter().map(|&(s, r)| (s, logic.rel(r))).collect();
        Self { sets, met: None }
    }

    /// Who meets whom. There is one barrier for each cta, and a thread comes to it at most once.
    pub(super) fn barriers(&mut self, logic: &mut Logic, int: Expr, placed: &[(Scope, Expr)]) {
        let (Some(arrivals), Some(waits), Some(near)) = (
            self.set(SpecialRelation::Arrival),
            self.set(SpecialRelation::Wait),
            find(placed, Scope::Cta),
        ) else {
            return;
        };
        let pairs = logic.product(arrivals, waits);
        let pairs = logic.intersection(pairs, near);
        let meets = logic.difference(pairs, int);
        let all = logic.union(arrivals, waits);
        let pairs = logic.product(all, all);
        self.met = Some(BarrierRelations { one_barrier: logic.intersection(pairs, near), meets });
    }

    /// The events of one kind; `None` where there are none.
    pub fn set(&self, special: SpecialRelation) -> Option<Expr> {
        find(&self.sets, special)
    }

    /// The union of several.
    pub(super) fn any(&self, logic: &mut Logic, wanted: impl Fn(SpecialRelation) -> bool) -> Expr {
        let sets: Vec<Expr> =
            self.sets.iter().filter(|(s, _)| wanted(*s)).map(|&(_, e)| e).collect();
        logic.union_all(1, sets)
    }

    /// The events that are no constructs: barriers and proxy fences.
    pub(super) fn events(&self, logic: &mut Logic) -> Expr {
        self.any(logic, SpecialRelation::is_event)
    }

    /// The events of their own kinds, one set for each.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Expr> + '_ {
        self.sets.iter().filter(|(s, _)| s.is_event()).map(|&(_, e)| e)
    }

    /// The relation `same address` from `same location`: each location has at most two addresses.
    pub(super) fn same_address(&self, logic: &mut Logic, loc: Expr) -> Expr {
        let Some(second) = self.set(SpecialRelation::Alias) else { return loc };
        let from = logic.restrict_domain(second, loc);
        let within = logic.restrict_range(from, second);
        let either_way = {
            let to = logic.restrict_range(loc, second);
            logic.union(from, to)
        };
        let first = logic.difference(loc, either_way);
        logic.union(within, first)
    }
}
