//! The order that an execution of the source chooses for its fences (`chosen sync_fence`). The
//! source allows an execution if some order does, so a theorem takes one of which it is known,
//! without any premise, that it is there: the order of the target's own fences, read back; or an
//! order of all events that keeps what the target orders around fences.

use margay_language::Mapping;
use margay_models::model::{Check, CheckKind, Role};
use margay_models::signature::{BaseRelation, BaseSet, Operation};

use super::beside::beside;
use super::roles::{EventRole, RoleBuilder};
use super::{ExecutionSelection, Translated};
use crate::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};
use crate::theory::{BaseMeaning, SentenceReason, Theory};

/// Which order of its fences an execution of the source is taken with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenOrder {
    /// The one that the target's execution chooses for the fences that rows make of them.
    OfTarget,
    /// Any total one that keeps what the target orders around fences, by its axiom of this name.
    /// There is one: what is kept has no cycle, since it is without the edges that lie on one, and
    /// a relation without a cycle is part of a total order.
    Keeping(String),
}

/// The symbols of an order that keeps what the target orders.
#[derive(Debug, Clone, Copy)]
pub struct KeptOrder {
    /// The fences of the source that it is chosen for.
    pub fences: TheoryExprId,
    /// The order of all events.
    pub order: TheoryExprId,
    /// What it contains, but for edges that lie on a cycle of it.
    pub kept: TheoryExprId,
    /// One step of `kept` or several in a row.
    pub closure: Pred,
}

/// The fences of the source whose order an execution chooses, among what is asked about; none if
/// the model does not look at that order.
pub fn ordered_fences(mapping: &Mapping, selection: &ExecutionSelection) -> Vec<String> {
    let source = &mapping.source;
    if !source.orders_fences() {
        return Vec::new();
    }
    let of_row = |c: &margay_models::signature::Construct| {
        mapping.rows.iter().any(|row| row.construct == *c)
    };
    let is_ordered = |c: &&margay_models::signature::Construct| {
        c.operation == Operation::Fence
            && source.signature.is_order_of_ordered_fence(c.order)
            && of_row(c)
    };
    selection.constructs.iter().filter(is_ordered).map(|c| c.name(source.signature)).collect()
}

/// Which order a theorem about a mapping takes; none if the source chooses none of what is asked
/// about, or the target orders nothing.
pub fn chosen_order(mapping: &Mapping, selection: &ExecutionSelection) -> Option<ChosenOrder> {
    if ordered_fences(mapping, selection).is_empty() {
        return None;
    }
    if mapping.target.orders_fences() {
        return Some(ChosenOrder::OfTarget);
    }
    let checks = &mapping.target.checks;
    checks
        .iter()
        .rposition(orders)
        .map(|number| ChosenOrder::Keeping(checks[number].display_name()))
}

/// Does an axiom say that something has no cycle?
fn orders(check: &Check) -> bool {
    check.kind == CheckKind::Acyclic
        && check.role == Role::Axiom
        && !check.negated
        && !check.is_undefined_behaviour()
}

impl RoleBuilder<'_> {
    /// The source's order of fences (`relation` at both levels), if anything can be in it.
    /// `target`: what its checks are about.
    pub(super) fn order_of_fences(
        &mut self,
        relation: BaseRelation,
        base: &BaseMeaning,
        target: &Translated,
    ) -> Option<TheoryExprId> {
        let set = self.mapping.source.signature.ordered_fences()?;
        let fences = self.theory.exprs.intersection(base.sets[&BaseSet::F], base.sets[&set]);
        let order = match self.chosen.clone()? {
            ChosenOrder::OfTarget => self.order_read_back(relation),
            ChosenOrder::Keeping(_) => {
                let number = self.mapping.target.checks.iter().rposition(orders)?;
                let kept = self.keep(fences, target.checks[number]);
                self.kept = Some(kept);
                kept.order
            }
        };
        let pairs = self.theory.exprs.make(TheoryExpr::Product(fences, fences));
        let within = self.theory.exprs.intersection(order, pairs);
        if self.theory.exprs.get(within) == TheoryExpr::Empty {
            return None;
        }
        let name = format!("{}.{}", self.mapping.source.name, relation.name());
        let pred = self.theory.symbols.declare(&name, 2, Meaning::Defined(within));
        Some(self.theory.exprs.symbol(pred))
    }

    /// The target's order of fences, from one operation to another: each is where the first fence
    /// is that the order relates, of those that its row makes. No operation has two such places, so
    /// it is a strict order, as the target's is.
    fn order_read_back(&mut self, relation: BaseRelation) -> TheoryExprId {
        let signature = self.mapping.target.signature;
        let is_ordered = |step: &margay_language::LoweringStep| {
            step.operation == Operation::Fence && signature.is_order_of_ordered_fence(step.order)
        };
        let mut places = Vec::new();
        for EventRole { pred, construct, lowering, .. } in self.roles.clone() {
            if construct.operation != Operation::Fence {
                continue;
            }
            let own = self.theory.exprs.symbol(pred);
            let own = self.theory.exprs.make(TheoryExpr::Diagonal(own));
            if lowering.steps.get(lowering.access().unwrap_or(0)).is_some_and(is_ordered) {
                places.push(own);
                continue;
            }
            let (others, ..) = beside(lowering, construct.operation);
            if let Some(first) = others.iter().find(|e| is_ordered(&e.step)) {
                let place = self.place(first.place);
                let place = self.theory.exprs.symbol(place);
                places.push(self.theory.exprs.sequence(own, place));
            }
        }
        let place = self.theory.exprs.union_all(places);
        let back = self.theory.exprs.make(TheoryExpr::Inverse(place));
        let behind = self.theory.exprs.sequence(self.target.relations[relation], back);
        self.theory.exprs.sequence(place, behind)
    }

    /// An order of all events that keeps what the closure of an axiom orders among accesses, with
    /// fences behind what is before them in their threads and before what is behind them.
    fn keep(&mut self, fences: TheoryExprId, axiom: TheoryExprId) -> KeptOrder {
        let po = self.po();
        let closure = self.theory.closure_name(axiom);
        let [po, closure] = [po, closure].map(|p| self.theory.exprs.symbol(p));
        let accesses = self.target.sets[&BaseSet::M];
        let [access, fence] =
            [accesses, fences].map(|set| self.theory.exprs.make(TheoryExpr::Diagonal(set)));
        let to_access = self.theory.exprs.sequence(closure, access);
        let closure = self.theory.exprs.sequence(access, to_access);
        let all = self.theory.exprs.union(accesses, fences);
        let all = self.theory.exprs.make(TheoryExpr::Diagonal(all));
        let [to_all, from_all] =
            [self.theory.exprs.sequence(po, all), self.theory.exprs.sequence(all, po)];
        let from_fence = self.theory.exprs.sequence(fence, to_all);
        let to_fence = self.theory.exprs.sequence(from_all, fence);
        let before = self.theory.exprs.sequence(from_fence, closure);
        let behind = self.theory.exprs.sequence(closure, to_fence);
        let both = self.theory.exprs.sequence(before, to_fence);
        let kept =
            self.theory.exprs.union_all([closure, from_fence, to_fence, before, behind, both]);
        let order = self.theory.symbols.declare("order", 2, Meaning::Base);
        self.theory.of_source.push(order);
        let order = self.theory.exprs.symbol(order);
        let closure = self.theory.closure_name(kept);
        self.theory.name_closure(closure, "kept");
        self.theory.assume_total_order(order);
        let cycles = self.theory.exprs.symbol(closure);
        let cycles = self.theory.exprs.make(TheoryExpr::Inverse(cycles));
        let straight = self.theory.exprs.make(TheoryExpr::Difference(kept, cycles));
        self.theory.no_pair(
            TheoryExpr::Difference(straight, order),
            "the-order-keeps-what-the-target-orders",
        );
        KeptOrder { fences, order, kept, closure }
    }
}

impl Theory {
    /// A relation is a strict order in which any two events are.
    fn assume_total_order(&mut self, order: TheoryExprId) {
        let all = self.exprs.make(TheoryExpr::All);
        let pairs = self.exprs.make(TheoryExpr::Product(all, all));
        let identity = self.exprs.identity();
        let two = self.exprs.make(TheoryExpr::Difference(pairs, identity));
        let back = self.exprs.make(TheoryExpr::Inverse(order));
        let either = self.exprs.union(order, back);
        let twice = self.exprs.sequence(order, order);
        self.assume_check(
            CheckKind::Irreflexive,
            order,
            false,
            false,
            &SentenceReason::WellFormed("the-order-is-strict".to_owned()),
        );
        self.no_pair(TheoryExpr::Difference(twice, order), "the-order-is-transitive");
        self.no_pair(TheoryExpr::Difference(two, either), "the-order-is-total");
    }
}
