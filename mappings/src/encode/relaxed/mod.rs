//! The executions of a test and of the tests one step weaker, as formulas: what `margay synth` asks
//! for. Each weaker test has an execution of its own: the events and reads-from of the given one,
//! as far as they are still there, and some coherence and Fence-SC order.

mod view;

use margay_models::execution::{Order, Scope};
use margay_models::lower::lower;
use margay_models::model::{Model, Role as CheckRole};
use margay_models::signature::Signature;
use margay_solver::{Bounds, Expr, Formula, Logic, Relation, TupleSet};

use super::atoms::{AtomPlace, Atoms};
use super::fences::{fence_order, ordered_fences};
use super::source::SourceExpressions;
use super::vocabulary::MappingVocabulary;
use view::View;

/// One step of relaxation (`margay_models::signature`: what is weaker than what).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relaxation {
    /// An instruction is not there.
    Remove(usize),
    /// An order is one step weaker: the first or the second way, where there are two.
    Demote(usize, usize),
    /// A scope is one step narrower.
    Narrow(usize),
    /// A read-modify-write is a load and a store.
    Split(usize),
    /// A dependency between two events is control instead of address or data, or gone if it was
    /// control.
    Loosen(usize, usize),
    /// Of the threads that share a scope, those that share the next narrower one with this thread
    /// run elsewhere.
    Apart(usize, Scope),
}

/// An execution as a model sees it, from which weaker ones are made.
#[derive(Debug, Clone)]
pub struct RelaxedLevel {
    universe: Expr,
    reads: Expr,
    writes: Expr,
    fences: Expr,
    inits: Expr,
    orders: Vec<(Order, Expr)>,
    scopes: Vec<(Scope, Expr)>,
    together: Vec<(Scope, Expr)>,
    thread: Expr,
    loc: Expr,
    int: Expr,
    po: Expr,
    rf: Expr,
    rmw: Expr,
    /// Both halves of exchanges, where the model looks at them.
    exchanges: Option<Expr>,
    /// Address, data, control.
    dependencies: [Expr; 3],
    co: Expr,
    /// Which orders are chosen.
    signature: Signature,
    fence_sc: Option<Expr>,
}

impl RelaxedLevel {
    /// The execution itself.
    pub fn new(
        logic: &mut Logic,
        v: &MappingVocabulary,
        source: &SourceExpressions,
        signature: Signature,
    ) -> Self {
        let events = source.events;
        Self {
            universe: source.universe,
            reads: source.reads,
            writes: source.writes,
            fences: source.fences,
            inits: source.inits,
            orders: source.orders.clone(),
            scopes: source.scopes.clone(),
            together: source.together.clone(),
            thread: logic.restrict_domain(events, source.thread),
            loc: source.loc,
            int: source.int,
            po: source.po,
            rf: source.rf,
            rmw: source.rmw,
            exchanges: source.exchanges,
            dependencies: source.dependencies,
            co: if signature.total_coherence() { source.mo } else { source.partial_co },
            signature,
            fence_sc: signature.ordered_fences().map(|_| logic.rel(v.fence_order)),
        }
    }

    /// Each with its place in `model.checks`.
    pub fn axioms(&self, logic: &mut Logic, model: &Model) -> Vec<(usize, Formula)> {
        let view = View::new(logic, self);
        let lowered = lower(model, logic, &view);
        let checks = model.checks.iter().zip(&lowered.checks).enumerate();
        checks.filter(|(_, (c, _))| c.role == CheckRole::Axiom).map(|(i, (_, &f))| (i, f)).collect()
    }

    /// What dependencies programs can have: both halves of a read-modify-write are executed or
    /// neither, and a pair depends in one way.
    pub fn dependencies_of_instructions(&self, logic: &mut Logic) -> Vec<Formula> {
        let [addr, data, ctrl] = self.dependencies;
        let back = logic.transpose(self.rmw);
        let (after, before) = (logic.join(ctrl, self.rmw), logic.join(ctrl, back));
        let halves = logic.union(after, before);
        let halves = logic.intersection(halves, self.po);
        let mut out = vec![logic.subset(halves, ctrl)];
        let within = logic.intersection(ctrl, self.rmw);
        out.push(logic.no(within));
        for (a, b) in [(addr, data), (addr, ctrl), (data, ctrl)] {
            let both = logic.intersection(a, b);
            out.push(logic.no(both));
        }
        out
    }

    /// One step weaker, and when there is such a step.
    pub fn relaxed(
        &self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        atoms: &Atoms,
        signature: Signature,
        change: Relaxation,
    ) -> (Self, Formula) {
        let event = |logic: &mut Logic, e: usize| logic.constant(atoms.set([AtomPlace::Event(e)]));
        let mut level = self.clone();
        let applies = match change {
            Relaxation::Remove(e) => {
                let one = event(logic, e);
                let back = logic.transpose(self.rmw);
                let (after, before) = (logic.join(one, self.rmw), logic.join(one, back));
                let gone = logic.union_all(1, [one, after, before]);
                let keep = logic.difference(self.universe, gone);
                level.restrict(logic, keep);
                logic.truth(true)
            }
            Relaxation::Demote(e, way) => {
                let one = event(logic, e);
                let mut applies = Vec::new();
                for &(construct, relation) in &v.construct {
                    let Some(&weaker) = construct.weaker(signature).get(way) else { continue };
                    let set = logic.rel(relation);
                    let here = logic.intersection(one, set);
                    applies.push(logic.some(here));
                    match (construct.split(), weaker.split()) {
                        (Some((read, write)), Some((weaker_read, weaker_write))) => {
                            let half = logic.join(here, self.rmw);
                            level.retag(logic, here, read.order, weaker_read.order);
                            level.retag(logic, half, write.order, weaker_write.order);
                        }
                        _ => level.retag(logic, here, construct.order, weaker.order),
                    }
                }
                logic.or(applies)
            }
            Relaxation::Narrow(e) => {
                // A read-modify-write is narrowed at its read.
                let one = event(logic, e);
                let back = logic.transpose(self.rmw);
                let (half, before) = (logic.join(one, self.rmw), logic.join(one, back));
                let is_half = logic.some(before);
                let mut applies = Vec::new();
                let both = logic.union(one, half);
                let clusters = self.scopes.iter().any(|&(s, _)| s == Scope::Cluster);
                let names = signature.scopes(clusters);
                for &(scope, set) in &self.scopes {
                    let Some(narrower) = scope.narrower(names) else { continue };
                    let here = logic.intersection(both, set);
                    applies.push(logic.some(here));
                    for (s, set) in &mut level.scopes {
                        if *s == scope {
                            *set = logic.difference(*set, here);
                        } else if *s == narrower {
                            *set = logic.union(*set, here);
                        }
                    }
                }
                let any = logic.or(applies);
                let whole = logic.not(is_half);
                logic.and([any, whole])
            }
            Relaxation::Split(e) => {
                let one = event(logic, e);
                let pair = logic.restrict_domain(one, self.rmw);
                level.rmw = logic.difference(self.rmw, pair);
                let halves = [logic.domain(level.rmw), logic.range(level.rmw)];
                let halves = logic.union_all(1, halves);
                level.exchanges = level.exchanges.map(|all| logic.intersection(all, halves));
                logic.some(pair)
            }
            Relaxation::Loosen(a, b) => self.loosened(
                logic,
                &mut level,
                atoms.pairs([(AtomPlace::Event(a), AtomPlace::Event(b))]),
            ),
            Relaxation::Apart(t, scope) => {
                let all = logic.range(self.thread);
                let one = logic.constant(atoms.set([AtomPlace::Thread(t)]));
                let narrower =
                    self.together.iter().filter(|(s, _)| *s < scope).map(|&(_, r)| r).next_back();
                let block = match narrower {
                    Some(sharing) => logic.join(one, sharing),
                    None => logic.intersection(one, all),
                };
                let rest = logic.difference(all, block);
                let (out, back) = (logic.product(block, rest), logic.product(rest, block));
                let across = logic.union(out, back);
                let mut applies = logic.truth(false);
                for (s, sharing) in level.together.iter_mut().filter(|(s, _)| *s == scope) {
                    debug_assert!(*s != Scope::Sys, "nothing is outside of the system");
                    let parted = logic.intersection(*sharing, across);
                    applies = logic.some(parted);
                    *sharing = logic.difference(*sharing, parted);
                }
                applies
            }
        };
        (level, applies)
    }

    /// A dependency of the pair becomes control if it was address or data, and goes if it was
    /// control.
    fn loosened(&self, logic: &mut Logic, level: &mut Self, pair: TupleSet) -> Formula {
        let pair = logic.constant(pair);
        let [addr, data, ctrl] = self.dependencies;
        let strong = logic.union(addr, data);
        let (strong, weak) = (logic.intersection(pair, strong), logic.intersection(pair, ctrl));
        // Both halves of a read-modify-write are executed or neither.
        let mut with_halves = |r: Expr| {
            let back = logic.transpose(self.rmw);
            let (after, before) = (logic.join(r, self.rmw), logic.join(r, back));
            let all = logic.union_all(2, [r, after, before]);
            let all = logic.intersection(all, self.po);
            logic.difference(all, self.rmw)
        };
        let (becomes, goes) = (with_halves(strong), with_halves(weak));
        let is_strong = logic.some(strong);
        let none = logic.empty(2);
        let goes = logic.if_then_else(is_strong, none, goes);
        let kept = logic.difference(ctrl, goes);
        let ctrl = logic.union(kept, becomes);
        level.dependencies = [logic.difference(addr, pair), logic.difference(data, pair), ctrl];
        let is_weak = logic.some(weak);
        logic.or([is_strong, is_weak])
    }

    /// Events of one order get another one. What has no order has no scope.
    fn retag(&mut self, logic: &mut Logic, here: Expr, from: Order, to: Order) {
        if from == to {
            return;
        }
        for (_, set) in self.orders.iter_mut().filter(|(o, _)| *o == from) {
            *set = logic.difference(*set, here);
        }
        match self.orders.iter_mut().find(|(o, _)| *o == to) {
            Some((_, set)) => *set = logic.union(*set, here),
            None => self.orders.push((to, here)),
        }
        if to == Order::Plain {
            for (_, set) in &mut self.scopes {
                *set = logic.difference(*set, here);
            }
        }
    }

    /// Everything within a set of events; reads of a write that is gone read the initial one.
    fn restrict(&mut self, logic: &mut Logic, keep: Expr) {
        self.universe = keep;
        for set in [&mut self.reads, &mut self.writes, &mut self.fences] {
            *set = logic.intersection(*set, keep);
        }
        let scopes = self.scopes.iter_mut().map(|(_, set)| set);
        for set in
            self.orders.iter_mut().map(|(_, set)| set).chain(scopes).chain(&mut self.exchanges)
        {
            *set = logic.intersection(*set, keep);
        }
        let [addr, data, ctrl] = &mut self.dependencies;
        for relation in [
            &mut self.loc,
            &mut self.int,
            &mut self.po,
            &mut self.rf,
            &mut self.rmw,
            addr,
            data,
            ctrl,
        ] {
            *relation = logic.restrict_domain(keep, *relation);
            *relation = logic.restrict_range(*relation, keep);
        }
        self.thread = logic.restrict_domain(keep, self.thread);
        let served = logic.range(self.rf);
        let orphans = logic.difference(self.reads, served);
        let initial = logic.restrict_domain(self.inits, self.loc);
        let initial = logic.restrict_range(initial, orphans);
        self.rf = logic.union(self.rf, initial);
    }

    /// The execution with orders of its own, in which each location may end with the write of
    /// `finals` (if that is still there); and what makes these orders such.
    pub fn with_orders(
        &mut self,
        logic: &mut Logic,
        v: &MappingVocabulary,
        chosen: ChosenOrders,
        finals: Expr,
    ) -> Vec<Formula> {
        let ascending = logic.rel(v.ascending);
        let mut among = |from: Expr| {
            let pairs = logic.restrict_domain(from, self.loc);
            logic.restrict_range(pairs, self.writes)
        };
        let (events, initial) = (among(self.writes), among(self.inits));
        let events = logic.intersection(events, ascending);
        let up = logic.rel(chosen.ascending);
        let forward = logic.intersection(events, up);
        let backward = logic.difference(events, up);
        let backward = logic.transpose(backward);
        let mut order = logic.union(forward, backward);
        if !self.signature.total_coherence() {
            let related = logic.rel(chosen.related);
            let down = logic.transpose(related);
            let related = logic.union(related, down);
            order = logic.intersection(order, related);
        }
        self.co = logic.union(order, initial);
        let twice = logic.join(self.co, self.co);
        let mut out = vec![logic.subset(twice, self.co)];
        let overwritten = logic.domain(self.co);
        let wrong = logic.intersection(finals, overwritten);
        out.push(logic.no(wrong));
        if self.fence_sc.is_some() {
            let order = logic.rel(chosen.fence_sc);
            self.fence_sc = Some(order);
            let strong = ordered_fences(logic, self.signature, self.fences, &self.orders);
            fence_order(logic, order, strong, &mut out);
        }
        out
    }
}

/// The relations of the orders that an execution of a weaker test chooses.
#[derive(Debug, Clone, Copy)]
pub struct ChosenOrders {
    ascending: Relation,
    related: Relation,
    fence_sc: Relation,
}

impl ChosenOrders {
    /// Declares them.
    pub fn new(logic: &mut Logic) -> Self {
        let mut declare = |name: &str| logic.relation(name, 2);
        Self {
            ascending: declare("chosen_mo"),
            related: declare("chosen_related"),
            fence_sc: declare("chosen_sync_fence"),
        }
    }

    /// Bounds them as the vocabulary bounds its own.
    pub fn bound(&self, v: &MappingVocabulary, bounds: &mut Bounds) {
        for (relation, like) in [
            (self.ascending, v.mo_ascending),
            (self.related, v.related),
            (self.fence_sc, v.fence_order),
        ] {
            let upper = bounds
                .get(like)
                .map(|(_, upper)| upper.clone())
                .unwrap_or_else(|| TupleSet::new(2));
            bounds.between(relation, TupleSet::new(2), upper);
        }
    }
}
