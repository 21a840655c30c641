//! The questions of a comparison: what one model says of an execution and the other does not.

use margay_models::model::Model;
use margay_solver::Formula;

use super::options::Subjects;
use crate::encode::ModelComparison;

/// What the other model says of an execution that the first one allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Objection {
    Forbidden,
    /// It is allowed, too, and makes the program undefined (`flag ~empty race`,
    /// `undefined_unless`), while in the first model it does not.
    Undefined,
}

/// One question: is there an execution that one model allows, and of which the other one says
/// something worse?
#[derive(Debug, Clone)]
pub struct ComparisonDirection {
    /// Which model allows it: 0 for the older one.
    pub allows: usize,
    pub other: usize,
    /// What the other one says.
    pub kind: Objection,
    /// What holds of such an execution.
    pub holds: Vec<Formula>,
    /// One of these holds, too: the violation of each check that may be violated.
    pub fails: Vec<Formula>,
    /// The checks behind `fails`, indices into the other model's.
    pub checks: Vec<usize>,
}

/// The questions; with `defined_only` none about executions that a model calls undefined. A check
/// of one model that the other one has, too, cannot make a difference in that direction: if no
/// check is left, the answer follows from the texts, for executions of every size.
pub fn questions(
    subjects: Subjects<'_>,
    comparison: &mut ModelComparison,
    defined_only: bool,
) -> Vec<ComparisonDirection> {
    let models = subjects.models();
    let defined: Vec<Formula> =
        comparison.sides.iter().flat_map(|s| &s.defined).map(|&(_, f)| f).collect();
    let mut out = Vec::new();
    for kind in [Objection::Forbidden, Objection::Undefined] {
        for allows in [1, 0] {
            let other = 1 - allows;
            let formulas =
                |list: &[(usize, Formula)]| list.iter().map(|&(_, f)| f).collect::<Vec<_>>();
            let [first, second] = [&comparison.sides[allows], &comparison.sides[other]];
            let mut holds = formulas(&first.axioms);
            let may_fail = match kind {
                Objection::Forbidden => {
                    // What a compiler makes of undefined programs, and what their outcomes are, is
                    // nobody's business.
                    if defined_only {
                        holds.extend(&defined);
                    }
                    second.axioms.clone()
                }
                Objection::Undefined => {
                    holds.extend(formulas(&second.axioms));
                    holds.extend(formulas(&first.defined));
                    second.defined.clone()
                }
            };
            let left: Vec<(usize, Formula)> =
                may_fail.into_iter().filter(|(_, f)| !holds.contains(f)).collect();
            let fails = left.iter().map(|&(_, f)| comparison.logic.not(f)).collect();
            let checks = left.iter().map(|&(i, _)| i).collect();
            out.push(ComparisonDirection { allows, other, kind, holds, fails, checks });
        }
    }
    // Two models that know nothing undefined have no question about it.
    let undefined = |m: &&Model| m.checks.iter().any(margay_models::Check::is_undefined_behaviour);
    if defined_only || !models.iter().any(undefined) {
        out.retain(|q| q.kind == Objection::Forbidden);
    }
    out
}
