//! The values of one execution, and how the steps of a plan fill them.

use crate::bits::{BitMatrix, EventRows, EventSet, WORD_EVENTS};
use crate::evaluate::{
    Algebra, ChoiceBits, Fixpoint, NodeOperation, NodeTable, Plan, PlanStep, StepUse, WideTable,
    base, operate,
};
use crate::execution::Execution;
use crate::model::{ExprId, Model, Node};
use crate::signature::BaseRelation;

/// The values of one execution.
#[derive(Debug, Clone)]
enum JudgedValues {
    /// Its sets are a word.
    Narrow(NodeTable),
    /// They are more.
    Wide(WideTable),
}

/// The value of each node for one execution.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    values: JudgedValues,
    /// For each node the one that holds its value.
    holder: Vec<ExprId>,
    /// Which steps of [`Plan::chosen`] were done for this execution.
    done: Vec<bool>,
    /// What becomes of each of them in this program.
    uses: Vec<StepUse>,
}

/// What is chosen for a program: all of it at once.
fn choices(relation: BaseRelation) -> ChoiceBits {
    ChoiceBits::from(relation.is_open_in_program())
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
            values: JudgedValues::Narrow(NodeTable::default()),
            holder: plan.holder.clone(),
            done: vec![false; plan.chosen.len()],
            uses: vec![StepUse::Needed; plan.chosen.len()],
        }
    }

    /// The values of everything that the given expressions need.
    pub(crate) fn run(
        model: &Model,
        execution: &Execution,
        roots: impl IntoIterator<Item = ExprId>,
    ) -> Self {
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
        self.rows(id).row(0).to_set()
    }

    /// The value of a relation.
    pub(crate) fn relation(&self, id: ExprId) -> BitMatrix {
        self.rows(id).to_matrix()
    }

    /// The value of an expression.
    pub(crate) fn rows(&self, id: ExprId) -> EventRows<'_> {
        EventRows::new(self.events(), self.words(id))
    }

    /// The same without its shape.
    pub(super) fn words(&self, id: ExprId) -> &[u64] {
        let holder = self.holder[id.index()];
        match &self.values {
            JudgedValues::Narrow(table) => table.rows(holder),
            JudgedValues::Wide(table) => table.rows(holder),
        }
    }

    /// The number of events.
    pub(super) fn events(&self) -> usize {
        match &self.values {
            JudgedValues::Narrow(table) => table.events(),
            JudgedValues::Wide(table) => table.events(),
        }
    }

    /// Computes what depends on the program only.
    pub(super) fn prepare(&mut self, plan: &Plan, execution: &Execution) {
        let events = execution.size();
        match &mut self.values {
            JudgedValues::Narrow(table) if events <= WORD_EVENTS => {
                table.resize(plan.nodes, events)
            }
            values if events <= WORD_EVENTS => {
                let mut table = NodeTable::default();
                table.resize(plan.nodes, events);
                *values = JudgedValues::Narrow(table);
            }
            values => {
                let mut table = WideTable::default();
                table.resize(plan.nodes, events);
                *values = JudgedValues::Wide(table);
            }
        }
        for step in &plan.fixed {
            self.step(step, execution);
        }
        self.uses = match &self.values {
            JudgedValues::Narrow(table) => {
                plan.uses(|id| table.rows(id).iter().all(|&row| row == 0))
            }
            JudgedValues::Wide(table) => plan.uses(|id| table.rows(id).is_empty()),
        };
        for at in 0..plan.chosen.len() {
            if self.uses[at] == StepUse::Empty {
                plan.chosen[at].0.results().for_each(|id| self.clear(id));
            }
        }
    }

    /// Forgets what was computed of the last execution and computes the base relations of this one.
    pub(super) fn choose(&mut self, plan: &Plan, execution: &Execution) {
        debug_assert_eq!(self.events(), execution.size(), "prepare() was for another program");
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
        let has = match &self.values {
            JudgedValues::Narrow(table) => {
                operate::has(test.kind, test.is_set, table.rows(test.expr))
            }
            JudgedValues::Wide(table) => table.has(test.kind, test.expr),
        };
        has != test.negated
    }

    fn step(&mut self, step: &PlanStep, execution: &Execution) {
        match (step, &mut self.values) {
            (
                PlanStep::Compute(NodeOperation { to, node: Node::Set(set), .. }),
                JudgedValues::Narrow(table),
            ) => {
                if let Some(first) = table.rows_mut(*to).first_mut() {
                    *first = base::set(execution, *set);
                }
            }
            (
                PlanStep::Compute(NodeOperation { to, node: Node::Relation(relation), .. }),
                JudgedValues::Narrow(table),
            ) => {
                base::relation(table.rows_mut(*to), execution, *relation);
            }
            (
                PlanStep::Compute(
                    base @ NodeOperation { node: Node::Set(_) | Node::Relation(_), .. },
                ),
                JudgedValues::Wide(table),
            ) => {
                table.base(base, execution);
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
    pub(super) fn assign(&mut self, to: ExprId, words: &[u64]) {
        match &mut self.values {
            JudgedValues::Narrow(table) => table.rows_mut(to).copy_from_slice(words),
            JudgedValues::Wide(table) => table.fill(to, words.to_vec()),
        }
    }
}

/// What holds.
impl Algebra for Machine {
    fn operate(&mut self, operation: &NodeOperation) {
        match &mut self.values {
            JudgedValues::Narrow(table) => table.apply(operation, None),
            JudgedValues::Wide(table) => table.apply(operation),
        }
    }

    fn clear(&mut self, member: ExprId) {
        match &mut self.values {
            JudgedValues::Narrow(table) => table.rows_mut(member).fill(0),
            JudgedValues::Wide(table) => table.clear(member),
        }
    }

    fn take(&mut self, member: ExprId, body: ExprId) -> bool {
        match &mut self.values {
            JudgedValues::Narrow(table) => table.copy(member, body),
            JudgedValues::Wide(table) => table.copy(member, body),
        }
    }
}
