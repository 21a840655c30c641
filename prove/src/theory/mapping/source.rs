//! The base names of the source, by what its events have become.

use margay_models::execution::{Order, Scope};
use margay_models::model::CheckKind;
use margay_models::signature::{BaseRelation, BaseSet, Operation};
use rustc_hash::FxHashMap;

use super::super::base::is_of_whole_threads;
use super::instructions::carries;
use super::roles::{Builder, Part, Role};
use crate::logic::{Expr, ExprId, Meaning, Pred};
use crate::theory::{Base, Reason};

impl Builder<'_> {
    /// A set of the source: the events of some roles, and perhaps initial writes.
    fn source_set(&mut self, name: &str, init: bool, of: impl Fn(&Role<'_>) -> bool) -> ExprId {
        let mut all: Vec<ExprId> = Vec::new();
        if init {
            all.push(self.target.sets[&BaseSet::Iw]);
        }
        let roles: Vec<Pred> = self.roles.iter().filter(|r| of(r)).map(|r| r.pred).collect();
        for role in roles {
            all.push(self.theory.exprs.symbol(role));
        }
        let body = self.theory.exprs.union_all(all);
        if matches!(self.theory.exprs.get(body), Expr::Empty | Expr::Symbol(_)) {
            return body;
        }
        let name = format!("{}.{name}", self.mapping.source.name);
        let pred = self.theory.symbols.declare(&name, 1, Meaning::Defined(body));
        self.theory.exprs.symbol(pred)
    }

    pub(super) fn source_base(&mut self, scopes: &[(Scope, Pred)]) -> Base {
        let universe = self.theory.exprs.make(Expr::All);
        let universe = if self.added.is_empty() {
            universe
        } else {
            let added: Vec<Pred> = self.added.clone();
            let added: Vec<ExprId> = added.into_iter().map(|p| self.theory.exprs.symbol(p)).collect();
            let added = self.theory.exprs.union_all(added);
            let pred = self.theory.symbols.declare("added", 1, Meaning::Defined(added));
            let added = self.theory.exprs.symbol(pred);
            let rest = self.theory.exprs.make(Expr::Difference(universe, added));
            let pred = self.theory.symbols.declare("source", 1, Meaning::Defined(rest));
            self.theory.exprs.symbol(pred)
        };
        let mut base = Base { universe, sets: FxHashMap::default(), relations: FxHashMap::default() };
        for set in [BaseSet::R, BaseSet::W, BaseSet::Iw, BaseSet::Rmw] {
            base.sets.insert(set, self.target.sets[&set]);
        }
        if self.adds_reads() {
            let reads = self.source_set("R", false, |r| r.construct.operation == Operation::Read || r.part == Part::ReadHalf);
            let halves = self.source_set("RMW", false, |r| r.part != Part::Whole);
            base.sets.extend([(BaseSet::R, reads), (BaseSet::Rmw, halves)]);
        }
        let fences = self.source_set("F", false, |r| r.construct.operation == Operation::Fence);
        base.sets.extend([(BaseSet::F, fences), (BaseSet::Mfence, fences)]);
        let order = |r: &Role<'_>| match r.part {
            Part::Whole => r.construct.order,
            Part::ReadHalf => r.construct.read_order(),
            Part::WriteHalf => r.construct.write_order(),
        };
        if let Some(architecture) = self.mapping.source.signature.tabular() {
            for tag in architecture.tags() {
                let value = self.source_set(tag.names()[0], false, |r| carries(order(r), tag));
                base.sets.insert(BaseSet::Tag(tag), value);
            }
        } else {
            self.source_orders(&mut base, order);
        }
        self.source_relations(&mut base, scopes);
        base
    }

    /// The memory orders of the source's operations.
    fn source_orders(&mut self, base: &mut Base, order: impl Fn(&Role<'_>) -> Order) {
        let orders = [
            (BaseSet::Rlx, Order::Rlx),
            (BaseSet::Acq, Order::Acq),
            (BaseSet::Rel, Order::Rel),
            (BaseSet::AcqRel, Order::AcqRel),
            (BaseSet::Sc, Order::Sc),
        ];
        for (set, of) in orders {
            let value = self.source_set(of.tag(), false, |r| order(r) == of);
            base.sets.insert(set, value);
        }
        let plain = self.source_set("NA", true, |r| order(r) == Order::Plain && r.construct.operation != Operation::Fence);
        base.sets.insert(BaseSet::Na, plain);
        let atomic = self.source_set("A", false, |r| order(r) != Order::Plain);
        base.sets.insert(BaseSet::Atomic, atomic);
    }

    fn source_relations(&mut self, base: &mut Base, scopes: &[(Scope, Pred)]) {
        use BaseRelation::{Addr, Co, Data, Loc, Rf, Rmw, Sr};
        let signature = self.mapping.source.signature;
        let everything = self.theory.exprs.make(Expr::Product(base.universe, base.universe));
        // Fences that rows add are left out; what is control-dependent is so with its fences.
        for relation in BaseRelation::all(signature).filter(|&r| is_of_whole_threads(r)) {
            let symbol = match relation.level() {
                Some(_) if scopes.is_empty() => None,
                Some(scope) => self.level(scope),
                None => self.theory.symbols.named(relation.name()),
            };
            if let Some(symbol) = symbol {
                let whole = self.theory.exprs.symbol(symbol);
                let within = self.theory.exprs.intersection(whole, everything);
                base.relations.insert(relation, within);
            }
        }
        for relation in [Rf, Loc, Rmw, Addr, Data] {
            if let Some(&of_target) = self.target.relations.get(&relation) {
                let within = if self.adds_reads() { self.theory.exprs.intersection(of_target, everything) } else { of_target };
                base.relations.insert(relation, within);
            }
        }
        self.source_dependencies(base, everything);
        let co = self.target.relations[&Co];
        let mo = if self.mapping.target.signature.total_coherence() {
            co
        } else {
            let pred = self.theory.symbols.declare("mo", 2, Meaning::Base);
            let mo = self.theory.exprs.symbol(pred);
            let rest = self.theory.exprs.make(Expr::Difference(co, mo));
            let reason = Reason::WellFormed("modification-order-extends-coherence-order".to_owned());
            self.theory.assume_check(CheckKind::Empty, rest, false, false, &reason);
            mo
        };
        base.relations.insert(Co, mo);
        if !scopes.is_empty() {
            let inclusion = self.inclusion(base, scopes);
            base.relations.insert(Sr, inclusion);
            for set in BaseSet::all(signature) {
                if let Some(&(_, pred)) = scopes.iter().find(|s| set.scope() == Some(s.0)) {
                    let symbol = self.theory.exprs.symbol(pred);
                    base.sets.insert(set, symbol);
                }
            }
        }
        let name = format!("{}.rb", self.mapping.source.name);
        self.theory.complete(base, &name);
    }

    /// `sr` of the source: both have a scope, and each scope includes the other's thread.
    fn inclusion(&mut self, base: &Base, scopes: &[(Scope, Pred)]) -> ExprId {
        let all = self.theory.exprs.make(Expr::All);
        let init = self.target.sets[&BaseSet::Iw];
        let threads = self.theory.exprs.make(Expr::Difference(all, init));
        let mut parts = Vec::new();
        for &(scope, pred) in scopes {
            let of = self.theory.exprs.symbol(pred);
            let part = match self.level(scope) {
                Some(symbol) => {
                    let (from, near) = (self.theory.exprs.make(Expr::Product(of, all)), self.theory.exprs.symbol(symbol));
                    self.theory.exprs.intersection(from, near)
                }
                None => self.theory.exprs.make(Expr::Product(of, threads)),
            };
            parts.push(part);
        }
        let one_way = self.theory.exprs.union_all(parts);
        let name = &self.mapping.source.name;
        let one_way = self.theory.symbols.declare(&format!("{name}.includes"), 2, Meaning::Defined(one_way));
        let one_way = self.theory.exprs.symbol(one_way);
        let other_way = self.theory.exprs.make(Expr::Inverse(one_way));
        let both = self.theory.exprs.intersection(one_way, other_way);
        let everything = self.theory.exprs.make(Expr::Product(base.universe, base.universe));
        let both = self.theory.exprs.intersection(both, everything);
        let both = self.theory.symbols.declare(&format!("{name}.sr"), 2, Meaning::Defined(both));
        self.theory.exprs.symbol(both)
    }

    /// A location is atomic or plain, where the language knows the difference.
    pub(super) fn locations_have_one_type(&mut self, base: &Base) {
        if self.mapping.source.signature.tabular().is_some() {
            return;
        }
        let (plain, atomic, loc) = (base.sets[&BaseSet::Na], base.sets[&BaseSet::Atomic], base.relations[&BaseRelation::Loc]);
        let init = base.sets[&BaseSet::Iw];
        let plain = self.theory.exprs.make(Expr::Difference(plain, init));
        let mixed = self.theory.exprs.make(Expr::Product(plain, atomic));
        let mixed = self.theory.exprs.intersection(mixed, loc);
        let reason = Reason::WellFormed("a-location-is-atomic-or-plain".to_owned());
        self.theory.assume_check(CheckKind::Empty, mixed, false, false, &reason);
    }
}
