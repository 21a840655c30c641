//! The table of values of one execution, and how the steps of a plan fill it.

use super::operate;
use super::plan::{Fixpoint, Operation, Plan, Step};
use crate::bits::{BitMatrix, Event, EventSet};
use crate::execution::Execution;
use crate::model::{CheckKind, ExprId, Model, Node};

/// The value of each node for one execution.
#[derive(Debug, Clone, Default)]
pub(crate) struct Machine {
    /// The number of events.
    events: usize,
    /// `events` words for each node.
    words: Vec<u64>,
    /// For each node the one that holds its value.
    holder: Vec<ExprId>,
    /// Which steps of [`Plan::chosen`] were done for this execution.
    done: Vec<bool>,
}

impl Machine {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { events: 0, words: Vec::new(), holder: plan.holder.clone(), done: vec![false; plan.chosen.len()] }
    }

    /// The values of everything that the given expressions need.
    pub(crate) fn run(model: &Model, execution: &Execution, roots: impl IntoIterator<Item = ExprId>) -> Self {
        Self::run_plan(&Plan::new(model, roots), execution)
    }

    /// The values of everything that a plan computes.
    pub(super) fn run_plan(plan: &Plan, execution: &Execution) -> Self {
        let mut machine = Self::new(plan);
        machine.prepare(plan, execution);
        machine.choose(plan, execution);
        for step in &plan.chosen {
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
        let mut matrix = BitMatrix::new(self.events);
        for (i, &row) in self.rows(id).iter().enumerate() {
            *matrix.row_mut(Event::from(i)) = EventSet(row);
        }
        matrix
    }

    /// The value of an expression.
    pub(crate) fn rows(&self, id: ExprId) -> &[u64] {
        let start = self.holder[id.index()].index() * self.events;
        &self.words[start..start + self.events]
    }
}

impl Machine {
    /// Computes what depends on the program only.
    pub(super) fn prepare(&mut self, plan: &Plan, execution: &Execution) {
        if self.events != execution.size() || self.words.is_empty() {
            self.events = execution.size();
            self.words.clear();
            self.words.resize(plan.nodes * self.events, 0);
        }
        for step in &plan.fixed {
            self.step(step, execution);
        }
    }

    /// Forgets what was computed of the last execution and computes the base relations of this one.
    pub(super) fn choose(&mut self, plan: &Plan, execution: &Execution) {
        debug_assert_eq!(self.events, execution.size(), "prepare() was for another program");
        for (step, done) in plan.chosen.iter().zip(&mut self.done) {
            *done = matches!(step, Step::Compute(Operation { node: Node::Relation(_), .. }));
        }
        for step in plan.chosen.iter().filter(|s| matches!(s, Step::Compute(Operation { node: Node::Relation(_), .. }))) {
            self.step(step, execution);
        }
    }

    /// Does a check hold, as written? Computes what it needs.
    pub(super) fn test(&mut self, plan: &Plan, check: usize) -> bool {
        let test = &plan.checks[check];
        for &step in &test.needs {
            if !std::mem::replace(&mut self.done[step], true) {
                self.derived_step(&plan.chosen[step]);
            }
        }
        let rows = self.rows(test.expr);
        let holds = match test.kind {
            CheckKind::Acyclic => operate::acyclic(rows),
            CheckKind::Irreflexive => operate::irreflexive(rows),
            CheckKind::Empty if test.is_set => rows.first().is_none_or(|&set| set == 0),
            CheckKind::Empty => rows.iter().all(|&row| row == 0),
        };
        holds != test.negated
    }

    fn step(&mut self, step: &Step, execution: &Execution) {
        match step {
            Step::Compute(Operation { to, node: Node::Set(set), .. }) if self.events > 0 => {
                let value = super::base::set(execution, *set);
                self.target(*to).0[0] = value;
            }
            Step::Compute(Operation { to, node: Node::Relation(relation), .. }) => {
                super::base::relation(self.target(*to).0, execution, *relation);
            }
            _ => self.derived_step(step),
        }
    }

    fn derived_step(&mut self, step: &Step) {
        match step {
            Step::Compute(operation) => self.operate(*operation),
            Step::Iterate(fixpoint) => self.iterate(fixpoint),
        }
    }

    /// Back to the beginning of a fixpoint: every member is empty.
    pub(super) fn restart(&mut self, fixpoint: &Fixpoint) {
        for &(member, _) in &fixpoint.members {
            self.target(member).0.fill(0);
        }
    }

    fn iterate(&mut self, fixpoint: &Fixpoint) {
        self.restart(fixpoint);
        // Each round adds a pair at least: typing accepts monotone definitions only.
        let mut left = fixpoint.members.len() * self.events * self.events + 1;
        while self.round(fixpoint) {
            left -= 1;
            assert!(left > 0, "a recursive definition is not monotone");
        }
    }

    /// The operations of a fixpoint, once.
    pub(super) fn compute(&mut self, fixpoint: &Fixpoint) {
        fixpoint.operations.iter().for_each(|&operation| self.operate(operation));
    }

    /// Gives a node a value.
    pub(super) fn assign(&mut self, to: ExprId, rows: &[u64]) {
        self.target(to).0.copy_from_slice(rows);
    }

    /// One round of a fixpoint: all operations, then the members take the values of their bodies. Did one change?
    fn round(&mut self, fixpoint: &Fixpoint) -> bool {
        self.compute(fixpoint);
        let n = self.events;
        let mut changed = false;
        for &(member, body) in &fixpoint.members {
            for i in 0..n {
                let value = self.words[body.index() * n + i];
                let old = std::mem::replace(&mut self.words[member.index() * n + i], value);
                changed |= old != value;
            }
        }
        changed
    }

    /// The words of a node, to change, and those of all nodes before and behind it.
    fn target(&mut self, id: ExprId) -> (&mut [u64], Operands<'_>) {
        let n = self.events;
        let (before, rest) = self.words.split_at_mut(id.index() * n);
        let (target, behind) = rest.split_at_mut(n);
        (target, Operands { before, behind, events: n })
    }

    /// Computes a node from its operands.
    fn operate(&mut self, Operation { to, node, is_set }: Operation) {
        if self.events == 0 {
            return;
        }
        let n = self.events;
        // A set is the first word only.
        let width = if is_set { 1 } else { n };
        let (target, operands) = self.target(to);
        let target = &mut target[..width];
        let rows = |id: ExprId| operands.rows(id);
        let set = |id: ExprId| operands.rows(id)[0];
        match node {
            Node::Set(_) | Node::Relation(_) | Node::Definition(_) => {}
            Node::Empty(_) => target.fill(0),
            Node::Union(a, b) => combine(target, rows(a), rows(b), |a, b| a | b),
            Node::Intersection(a, b) => combine(target, rows(a), rows(b), |a, b| a & b),
            Node::Difference(a, b) => combine(target, rows(a), rows(b), |a, b| a & !b),
            Node::Complement(a) => {
                let all = EventSet::first(n).0;
                combine(target, rows(a), rows(a), |a, _| all & !a);
            }
            Node::Sequence(a, b) => operate::sequence(target, rows(a), rows(b)),
            Node::Product(a, b) => operate::product(target, set(a), set(b)),
            Node::Diagonal(a) => operate::diagonal(target, set(a)),
            Node::Inverse(a) => operate::inverse(target, rows(a)),
            Node::Closure(a) => operate::closure(target, rows(a)),
            Node::ReflexiveClosure(a) => {
                operate::closure(target, rows(a));
                operate::add_identity(target);
            }
            Node::Optional(a) => {
                target.copy_from_slice(rows(a));
                operate::add_identity(target);
            }
            Node::Domain(a) => target[0] = operate::domain(rows(a)),
            Node::Range(a) => target[0] = operate::range(rows(a)),
        }
    }
}

fn combine(to: &mut [u64], a: &[u64], b: &[u64], word: impl Fn(u64, u64) -> u64) {
    for (to, (&a, &b)) in to.iter_mut().zip(a.iter().zip(b)) {
        *to = word(a, b);
    }
}

/// The words of every node but one.
struct Operands<'a> {
    /// Those before it.
    before: &'a [u64],
    /// Those behind it.
    behind: &'a [u64],
    /// The number of events.
    events: usize,
}

impl Operands<'_> {
    fn rows(&self, id: ExprId) -> &[u64] {
        let (n, start) = (self.events, id.index() * self.events);
        if start < self.before.len() {
            &self.before[start..start + n]
        } else {
            // The node between the two is none of its own operands.
            let start = start - self.before.len() - n;
            &self.behind[start..start + n]
        }
    }
}
