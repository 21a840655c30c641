//! A model evaluated over an execution that is only partly chosen: for every expression a relation
//! that it contains in any case (`must`) and one that it is contained in (`may`). A check that
//! fails on these bounds fails however the choices go on, so the search can turn back; one that
//! passes needs no more looking at.
//!
//! Difference and complement swap the bounds of their right side, everything else is monotone. The
//! bounds of a recursive definition are the least fixpoints over the bounds. The plan of steps and
//! the operators are the judge's ([`margay_models::evaluate`]), which confirms every execution
//! found; the values are these bounds.

use margay_models::evaluate::{
    Algebra, ChoiceBits, NodeOperation, NodeTable, Plan, PlanStep, StepUse, base, operate,
};
use margay_models::execution::Execution;
use margay_models::model::{ExprId, Model, Node};
use margay_models::signature::{BaseRelation, ChosenRelations, RelationFormula, RelationKind};

#[cfg(test)]
mod tests;

/// What is known of the outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckStatus {
    /// The test holds whatever is chosen.
    Holds,
    /// It fails whatever is chosen.
    Fails,
    /// It depends.
    Open,
}

/// Depends on reads-from.
const ON_RF: ChoiceBits = 1;

/// Depends on coherence or fence order.
const ON_ORDER: ChoiceBits = 2;

fn choices(relation: BaseRelation) -> ChoiceBits {
    let chosen = relation.parts().into_iter().filter(|part| BaseRelation::CHOSEN.contains(part));
    chosen.fold(0, |on, part| on | if part.is_order() { ON_ORDER } else { ON_RF })
}

/// The plan for all checks of a model.
pub(super) fn plan(model: &Model) -> Plan {
    Plan::new(model, model.checks.iter().map(|c| c.expr), choices)
}

/// Bounds of the chosen relations: `(must, may)`, a word for each event.
pub(super) type ChosenBounds<'a> = ChosenRelations<(&'a [u64], &'a [u64])>;

/// The bounds of every node.
#[derive(Debug, Clone)]
pub(super) struct IntervalMachine {
    must: NodeTable,
    may: NodeTable,
    /// For each node: are its bounds the same?
    exact: Vec<bool>,
    /// For each chosen step when it was computed.
    computed: Vec<u32>,
    /// When reads-from was last changed, and when an order was.
    rf_changed: u32,
    order_changed: u32,
    now: u32,
}

impl IntervalMachine {
    pub fn new(plan: &Plan) -> Self {
        Self {
            must: NodeTable::default(),
            may: NodeTable::default(),
            exact: vec![false; plan.nodes],
            computed: vec![0; plan.chosen.len()],
            rf_changed: 1,
            order_changed: 1,
            now: 1,
        }
    }

    /// Computes what depends on the program only.
    pub fn prepare(&mut self, plan: &Plan, execution: &Execution) {
        self.must.resize(plan.nodes, execution.size());
        self.may.resize(plan.nodes, execution.size());
        for step in &plan.fixed {
            match step {
                &PlanStep::Compute(NodeOperation { to, node: Node::Set(set), .. }) => {
                    if let Some(first) = self.must.rows_mut(to).first_mut() {
                        *first = base::set(execution, set);
                    }
                    self.is_known(to);
                }
                &PlanStep::Compute(NodeOperation {
                    to, node: Node::Relation(relation), ..
                }) => {
                    base::relation(self.must.rows_mut(to), execution, relation);
                    self.is_known(to);
                }
                step => self.run(step),
            }
        }
        let may = &self.may;
        let uses = plan.uses(|id| may.rows(id).iter().all(|&row| row == 0));
        for (((step, _), computed), of) in plan.chosen.iter().zip(&mut self.computed).zip(uses) {
            *computed = if of == StepUse::Needed { 0 } else { u32::MAX };
            for id in step.results().filter(|_| of == StepUse::Empty) {
                self.must.rows_mut(id).fill(0);
                self.may.rows_mut(id).fill(0);
                self.exact[id.index()] = true;
            }
        }
        self.rf_is_new();
    }

    /// Whatever a node has in any case is all that it may have.
    fn is_known(&mut self, node: ExprId) {
        self.may.rows_mut(node).copy_from_slice(self.must.rows(node));
        self.exact[node.index()] = true;
    }

    /// Reads-from was changed.
    pub fn rf_is_new(&mut self) {
        self.now += 1;
        self.rf_changed = self.now;
        self.order_changed = self.now;
    }

    /// Coherence order or fence order was changed, and nothing else.
    pub fn order_is_new(&mut self) {
        self.now += 1;
        self.order_changed = self.now;
    }

    /// What is known of a check.
    pub fn status(&mut self, plan: &Plan, check: usize, chosen: ChosenBounds<'_>) -> CheckStatus {
        let test = &plan.checks[check];
        for &s in &test.needs {
            let (step, choices) = &plan.chosen[s];
            let changed =
                if choices & ON_ORDER != 0 { self.order_changed } else { self.rf_changed };
            if self.computed[s] < changed {
                self.computed[s] = self.now;
                match step {
                    &PlanStep::Compute(NodeOperation {
                        to,
                        node: Node::Relation(relation),
                        ..
                    }) => self.choose(to, relation, chosen),
                    step => self.run(step),
                }
            }
        }
        let has = |rows: &[u64]| operate::has(test.kind, test.is_set, rows);
        // All three properties are lost by growing, never gained.
        match (has(self.may.rows(test.expr)), has(self.must.rows(test.expr)), test.negated) {
            (true, _, false) | (_, false, true) => CheckStatus::Holds,
            (true, _, true) | (_, false, false) => CheckStatus::Fails,
            _ => CheckStatus::Open,
        }
    }

    /// Takes over the bounds of a chosen relation.
    fn choose(&mut self, to: ExprId, relation: BaseRelation, chosen: ChosenBounds<'_>) {
        let (must, may) = (self.must.rows_mut(to), self.may.rows_mut(to));
        if let Some(bounds) = chosen.get(relation) {
            must.copy_from_slice(bounds.0);
            may.copy_from_slice(bounds.1);
        } else if let RelationKind::Derived(RelationFormula::BackAndOn(back, on)) = relation.kind()
            && let (Some(back), Some(on)) = (chosen.get(back), chosen.get(on))
        {
            back_and_on(must, back.0, on.0);
            back_and_on(may, back.1, on.1);
        }
        self.exact[to.index()] = must == may;
    }
}

/// What is there in any case, and what may be there.
impl Algebra for IntervalMachine {
    fn operate(&mut self, operation: &NodeOperation) {
        let to = operation.to;
        let events = self.must.events();
        let width = if operation.is_set { events.min(1) } else { events };
        let swaps = matches!(operation.node, Node::Difference(..) | Node::Complement(_));
        self.must.apply(operation, swaps.then_some(&self.may));
        let is_exact = operation.node.children().all(|c| self.exact[c.index()]);
        if is_exact {
            self.may.rows_mut(to)[..width].copy_from_slice(&self.must.rows(to)[..width]);
        } else {
            self.may.apply(operation, swaps.then_some(&self.must));
        }
        self.exact[to.index()] =
            is_exact || self.must.rows(to)[..width] == self.may.rows(to)[..width];
    }

    fn clear(&mut self, member: ExprId) {
        self.must.rows_mut(member).fill(0);
        self.may.rows_mut(member).fill(0);
        self.exact[member.index()] = false;
    }

    fn take(&mut self, member: ExprId, body: ExprId) -> bool {
        self.must.copy(member, body) | self.may.copy(member, body)
    }

    fn settle(&mut self, member: ExprId, body: ExprId) {
        self.exact[member.index()] = self.exact[body.index()];
    }
}

/// `back^-1; on`
fn back_and_on(to: &mut [u64], back: &[u64], on: &[u64]) {
    to.fill(0);
    for (&before, &later) in back.iter().zip(on) {
        let mut rest = if later == 0 { 0 } else { before };
        while rest != 0 {
            to[rest.trailing_zeros() as usize] |= later;
            rest &= rest - 1;
        }
    }
}
