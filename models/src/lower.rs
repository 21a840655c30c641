//! From typed model to relational logic: one formula for each check.

use margay_solver::{Expr, Formula, Logic};

use crate::model::Model;
use crate::signature::{BaseRelation, BaseSet};

/// The base sets and relations of one level (source or target) of a problem. Both levels share one SAT universe, therefore
/// `~`, `_`, `id`, `?` and `*` are relative to the events of this level.
pub trait Base {
    /// A base set; `None` where it is empty.
    fn set(&self, set: BaseSet) -> Option<Expr>;
    /// A base relation; `None` where it is empty, or follows from others: `fr` from `rf` and `co`, `id` and `ext`.
    fn relation(&self, relation: BaseRelation) -> Option<Expr>;
    /// The set of this level's events.
    fn universe(&self) -> Expr;
}

/// A model as formulas.
pub struct Lowered {
    /// For each check of the model: the test holds, as written (with its `~`; its role is the caller's business).
    pub checks: Vec<Formula>,
    /// The value of each definition of the model.
    pub definitions: Vec<Expr>,
}

/// Translates a model.
pub fn lower(_model: &Model, _logic: &mut Logic, _base: &dyn Base) -> Lowered {
    todo!()
}
