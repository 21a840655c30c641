//! The values of one execution, and how the steps of a plan fill them.

use crate::bits::{BitMatrix, Event, EventSet};
use crate::evaluate::{Algebra, ChoiceBits, Fixpoint, NodeOperation, NodeTable, Plan, PlanStep, StepUse, base, operate};
use crate::execution::Execution;
use crate::model::{ExprId, Model, Node};
use crate::signature::BaseRelation;

/// The value of each node for one execution.
#[derive(Debug, Clone, Default)]
pub(crate) struct Machine {
    table: NodeTable,
    /// For each node the one that holds its value.
    holder: Vec<ExprId>,
    /// Which steps of [`Plan::chosen`] were done for this execution.
    done: Vec<bool>,
    /// What becomes of each of them in this program.
    uses: Vec<StepUse>,
}

/// What is chosen for a program: all of it at once.
fn choices(relation: BaseRelation) -> ChoiceBits {
    use BaseRelation::{Co, Fr, Rf, SyncBarrier, SyncFence};
    ChoiceBits::from(matches!(relation, Rf | Co | Fr | SyncBarrier | SyncFence))
}

/// The plan for what `roots` need.
pub(super) fn plan(model: &Model, roots: impl IntoIterator<Item = ExprId>) -> Plan {
    Plan::new(model, roots, choices)
}

/// Does the step compute a base relation?
fn is_base(step: &PlanStep) -> bool {
    matches!(step, PlanStep::Compute(NodeOperation { node: Node::Relation(_), .. }))
}

impl Machine {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            table: NodeTable::default(),
            holder: plan.holder.clone(),
            done: vec![false; plan.chosen.len()],
            uses: vec![StepUse::Needed; plan.chosen.len()],
        }
    }

    /// The values of everything that the given expressions need.
    pub(crate) fn run(model: &Model, execution: &Execution, roots: impl IntoIterator<Item = ExprId>) -> Self {
        Self::run_plan(&plan(model, roots), execution)
    }

    /// The values of everything that a plan computes.
    pub(super) fn run_plan(plan: &Plan, execution: &Execution) -> Self {
        let mut machine = Self::new(plan);
        machine.prepare(plan, execution);
        machine.choose(plan, execution);
        for (step, _) in &plan.chosen {
            machine.step(step, execution);
        }
        machine
    }

    /// The value of a set.
    pub(crate) fn set(&self, id: ExprId) -> EventSet {
        EventSet(self.rows(id).first().copied().unwrap_or(0))
    }

    /// The value of a relation.
    pub(crate) fn relation(&self, id: ExprId) -> BitMatrix {
        let mut matrix = BitMatrix::new(self.table.events());
        for (i, &row) in self.rows(id).iter().enumerate() {
            *matrix.row_mut(Event::from(i)) = EventSet(row);
        }
        matrix
    }

    /// The value of an expression.
    pub(crate) fn rows(&self, id: ExprId) -> &[u64] {
        self.table.rows(self.holder[id.index()])
    }

    /// Computes what depends on the program only.
    pub(super) fn prepare(&mut self, plan: &Plan, execution: &Execution) {
        self.table.resize(plan.nodes, execution.size());
        for step in &plan.fixed {
            self.step(step, execution);
        }
        let table = &self.table;
        self.uses = plan.uses(|id| table.rows(id).iter().all(|&row| row == 0));
        for ((step, _), _) in plan.chosen.iter().zip(&self.uses).filter(|(_, of)| **of == StepUse::Empty) {
            step.results().for_each(|id| self.table.rows_mut(id).fill(0));
        }
    }

    /// Forgets what was computed of the last execution and computes the base relations of this one.
    pub(super) fn choose(&mut self, plan: &Plan, execution: &Execution) {
        debug_assert_eq!(self.table.events(), execution.size(), "prepare() was for another program");
        for (((step, _), done), of) in plan.chosen.iter().zip(&mut self.done).zip(&self.uses) {
            *done = *of != StepUse::Needed || is_base(step);
        }
        for (step, _) in plan.chosen.iter().filter(|(step, _)| is_base(step)) {
            self.step(step, execution);
        }
    }

    /// Does a check hold, as written? Computes what it needs.
    pub(super) fn test(&mut self, plan: &Plan, check: usize) -> bool {
        let test = &plan.checks[check];
        for &step in &test.needs {
            if !std::mem::replace(&mut self.done[step], true) {
                Algebra::run(self, &plan.chosen[step].0);
            }
        }
        operate::has(test.kind, test.is_set, self.rows(test.expr)) != test.negated
    }

    fn step(&mut self, step: &PlanStep, execution: &Execution) {
        match step {
            PlanStep::Compute(NodeOperation { to, node: Node::Set(set), .. }) => {
                if let Some(first) = self.table.rows_mut(*to).first_mut() {
                    *first = base::set(execution, *set);
                }
            }
            PlanStep::Compute(NodeOperation { to, node: Node::Relation(relation), .. }) => {
                base::relation(self.table.rows_mut(*to), execution, *relation);
            }
            _ => Algebra::run(self, step),
        }
    }

    /// Back to the beginning of a fixpoint: every member is empty.
    pub(super) fn restart(&mut self, fixpoint: &Fixpoint) {
        fixpoint.members.iter().for_each(|&(member, _)| self.clear(member));
    }

    /// The operations of a fixpoint, once.
    pub(super) fn compute(&mut self, fixpoint: &Fixpoint) {
        fixpoint.operations.iter().for_each(|operation| self.operate(operation));
    }

    /// Gives a node a value.
    pub(super) fn assign(&mut self, to: ExprId, rows: &[u64]) {
        self.table.rows_mut(to).copy_from_slice(rows);
    }
}

/// What holds.
impl Algebra for Machine {
    fn operate(&mut self, operation: &NodeOperation) {
        self.table.apply(operation, None);
    }

    fn clear(&mut self, member: ExprId) {
        self.table.rows_mut(member).fill(0);
    }

    fn take(&mut self, member: ExprId, body: ExprId) -> bool {
        self.table.copy(member, body)
    }
}
