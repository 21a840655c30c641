//! The evaluator of `.cat`: a plan of steps for a model, and tables of values that the steps fill.
//!
//! In what values is for an [`Algebra`] to say. The judge computes what holds ([`crate::judge`]:
//! one table). A search over executions that are chosen in part computes for each expression what
//! it has in any case and what it may have (the explicit engine of `margay-litmus`: two tables).
//! Neither shares code with the translation to SAT ([`crate::lower`]).

pub mod base;
pub mod operate;
mod plan;
mod table;
mod wide;

pub use plan::{ChoiceBits, Fixpoint, NodeOperation, Plan, PlanCheck, PlanStep, StepUse};
pub use table::NodeTable;
pub use wide::WideTable;

use crate::model::ExprId;

/// Values that steps are computed in.
pub trait Algebra {
    /// Computes a node from its operands. Base sets and relations are there already.
    fn operate(&mut self, operation: &NodeOperation);

    /// Makes the member of a fixpoint empty.
    fn clear(&mut self, member: ExprId);

    /// Gives the member of a fixpoint the value of its body. Did it change?
    fn take(&mut self, member: ExprId, body: ExprId) -> bool;

    /// Is told that a member will not change any more.
    fn settle(&mut self, _member: ExprId, _body: ExprId) {}

    /// Computes a step: one node, or a fixpoint from below.
    fn run(&mut self, step: &PlanStep) {
        match step {
            PlanStep::Compute(operation) => self.operate(operation),
            PlanStep::Iterate(fixpoint) => {
                fixpoint.members.iter().for_each(|&(member, _)| self.clear(member));
                // Typing accepts monotone definitions only, so this ends.
                while self.round(fixpoint) {}
                fixpoint.members.iter().for_each(|&(member, body)| self.settle(member, body));
            }
        }
    }

    /// One round of a fixpoint: all operations, then the members take the values of their bodies.
    /// Did one change?
    fn round(&mut self, fixpoint: &Fixpoint) -> bool {
        fixpoint.operations.iter().for_each(|operation| self.operate(operation));
        fixpoint
            .members
            .iter()
            .fold(false, |changed, &(member, body)| self.take(member, body) | changed)
    }
}
