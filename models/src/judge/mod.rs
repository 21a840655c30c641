//! The judge: evaluates a typed model over a concrete execution with bit matrices. It shares no
//! code with the solver, and every witness of the solver passes it before a user sees it.
//!
//! A [`Judge`] is made once for a model: the nodes become a list of operations on rows of machine
//! words, in an order in which operands come first, each computed once. What depends only on the
//! program (not on `rf`, `co` and the like) comes before the rest, so that judging many executions
//! of one program does not compute it again.

mod levels;
mod run;

pub(crate) use levels::{Levels, Moment};
pub(crate) use run::Machine;

use std::sync::Arc;

use crate::bits::{BitMatrix, EventSet};
use crate::evaluate::Plan;
use crate::execution::Execution;
use crate::model::{Model, Role, Sort};

/// What a model says about one execution.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Judgement {
    /// For each check of the model: does the test hold, as written (with its `~`)?
    pub holds: Vec<bool>,
    /// Do all axioms hold?
    pub consistent: bool,
    /// The `flag` checks whose test holds.
    pub flagged: Vec<usize>,
    /// The `undefined_unless` checks whose test fails.
    pub undefined: Vec<usize>,
    /// The `assert` checks whose test fails.
    pub failed_assertions: Vec<usize>,
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgedValue {
    Set(EventSet),
    /// A relation between events.
    Relation(BitMatrix),
}

/// A model prepared for judging many executions.
#[derive(Debug, Clone)]
pub struct Judge {
    /// What to compute, in order.
    plan: Arc<Plan>,
    /// The values for the execution that was judged last.
    machine: Machine,
}

impl Judge {
    /// Prepares a model.
    pub fn new(model: &Model) -> Self {
        let plan = Arc::new(run::plan(model, model.checks.iter().map(|c| c.expr)));
        Self { machine: Machine::new(&plan), plan }
    }

    /// What the model says about an execution.
    pub fn judge(&mut self, execution: &Execution) -> Judgement {
        self.machine.prepare(&self.plan, execution);
        self.judge_again(execution)
    }

    /// Like [`Judge::judge`] for an execution that differs from the last one judged only in `rf`,
    /// `co`, `sync_fence` and `sync_barrier`: what does not depend on them is not computed again.
    pub fn judge_again(&mut self, execution: &Execution) -> Judgement {
        self.machine.choose(&self.plan, execution);
        let holds: Vec<bool> =
            (0..self.plan.checks.len()).map(|check| self.machine.test(&self.plan, check)).collect();
        let with = |role: Role, outcome: bool| -> Vec<usize> {
            let checks = self.plan.checks.iter().zip(&holds).enumerate();
            checks
                .filter(|(_, (c, holds))| c.role == role && **holds == outcome)
                .map(|(i, _)| i)
                .collect::<Vec<_>>()
        };
        Judgement {
            consistent: with(Role::Axiom, false).is_empty(),
            flagged: [with(Role::Flag, true), with(Role::Race, true)].concat(),
            undefined: with(Role::UndefinedUnless, false),
            failed_assertions: with(Role::Assert, false),
            holds,
        }
    }

    /// Do all axioms hold? Stops at the first one that fails.
    pub fn is_consistent(&mut self, execution: &Execution) -> bool {
        self.machine.prepare(&self.plan, execution);
        self.is_consistent_again(execution)
    }

    /// [`Judge::is_consistent`] for an execution that differs from the last one only as in
    /// [`Judge::judge_again`].
    pub fn is_consistent_again(&mut self, execution: &Execution) -> bool {
        self.machine.choose(&self.plan, execution);
        (0..self.plan.checks.len())
            .all(|c| self.plan.checks[c].role != Role::Axiom || self.machine.test(&self.plan, c))
    }

    /// Does the test of one check hold, as written? No other check is computed.
    ///
    /// # Panics
    /// If the model has no check with that index.
    pub fn check_holds(&mut self, execution: &Execution, check: usize) -> bool {
        self.machine.prepare(&self.plan, execution);
        self.machine.choose(&self.plan, execution);
        self.machine.test(&self.plan, check)
    }
}

/// What a model says about one execution.
pub fn judge(model: &Model, execution: &Execution) -> Judgement {
    Judge::new(model).judge(execution)
}

/// The value of a definition of the model, `None` if it has no definition of that name.
pub fn evaluate(model: &Model, execution: &Execution, definition: &str) -> Option<JudgedValue> {
    let definition = model.definition(model.definition_named(definition)?);
    let machine = Machine::run(model, execution, [definition.body]);
    Some(match definition.sort {
        Sort::Set => JudgedValue::Set(machine.set(definition.body)),
        Sort::Relation => JudgedValue::Relation(machine.relation(definition.body)),
    })
}
