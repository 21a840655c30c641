//! The judge: evaluates a typed model over a concrete execution with bit matrices. It shares no code with the solver, and
//! every witness of the solver passes it before a user sees it.

use crate::bits::{BitMatrix, EventSet};
use crate::execution::Execution;
use crate::model::Model;

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
pub enum Value {
    /// A set of events.
    Set(EventSet),
    /// A relation between events.
    Relation(BitMatrix),
}

/// A model prepared for judging many executions.
pub struct Judge;

impl Judge {
    /// Prepares a model.
    pub fn new(_model: &Model) -> Self {
        todo!()
    }

    /// What the model says about an execution.
    pub fn judge(&mut self, _execution: &Execution) -> Judgement {
        todo!()
    }

    /// Like [`Judge::judge`] for an execution that differs from the last one judged only in `rf`, `co`, `sync_fence` and
    /// `sync_barrier`: what does not depend on them is not computed again.
    pub fn judge_again(&mut self, _execution: &Execution) -> Judgement {
        todo!()
    }

    /// Do all axioms hold? Stops at the first one that fails.
    pub fn is_consistent(&mut self, _execution: &Execution) -> bool {
        todo!()
    }

    /// [`Judge::is_consistent`] for an execution that differs from the last one only as in [`Judge::judge_again`].
    pub fn is_consistent_again(&mut self, _execution: &Execution) -> bool {
        todo!()
    }

    /// Does the test of one check hold, as written?
    pub fn check_holds(&mut self, _execution: &Execution, _check: usize) -> bool {
        todo!()
    }
}

/// What a model says about one execution.
pub fn judge(model: &Model, execution: &Execution) -> Judgement {
    Judge::new(model).judge(execution)
}

/// The value of a definition of the model, `None` if it has no definition of that name.
pub fn evaluate(_model: &Model, _execution: &Execution, _definition: &str) -> Option<Value> {
    todo!()
}
