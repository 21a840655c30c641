//! From an instance to two executions, and the judge's confirmation. The target execution is built
//! from the mapping's rows, not from the solver's target relations: the judge so checks the
//! lowering too.

mod build;
pub(crate) mod canonical;
pub(crate) mod fence_orders;
mod read;

pub use build::witness;

use std::fmt;

use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::judge::judge;
use margay_models::model::{Check, Role as CheckRole};
use margay_models::wellformed;
use margay_solver::SolverFailure;

use crate::encode::AxiomId;
use crate::language::Mapping;
use crate::level::Level;

/// The two executions of an instance.
#[derive(Debug, Clone)]
pub struct WitnessPair {
    pub source: Execution,
    pub target: Execution,
    /// The source event of each target event.
    pub origin: Vec<Event>,
    /// The last write of each location in modification order.
    pub finals: Vec<Option<Event>>,
    /// The same write in the target.
    pub target_finals: Vec<Option<Event>>,
}

/// Why a search cannot go on, though no limit was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchFault {
    /// The judge does not confirm a witness: translator and judge disagree.
    Disagreement(String),
    /// The SAT solver failed.
    Solver(SolverFailure),
}

impl fmt::Display for SearchFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disagreement(what) => {
                write!(
                    f,
                    "the two engines disagree, which is a bug in Margay; please report it: {what}"
                )
            }
            Self::Solver(failure) => failure.fmt(f),
        }
    }
}

impl From<SolverFailure> for SearchFault {
    fn from(failure: SolverFailure) -> Self {
        Self::Solver(failure)
    }
}

/// Does the check's role call the execution illegal (or undefined), given whether its test holds?
pub(crate) fn is_violated(check: &Check, holds: bool) -> bool {
    match check.role {
        CheckRole::Flag | CheckRole::Race => holds,
        CheckRole::Axiom | CheckRole::UndefinedUnless | CheckRole::Assert => !holds,
    }
}

impl WitnessPair {
    /// The judge's opinion: both executions are well-formed, the target is legal, and the source is
    /// defined and violates one of the questions' axioms, in every order of its fences where that
    /// is chosen. Returns the first that it violates as it is. (At program level consistent
    /// executions must be defined, and this one is not consistent.)
    ///
    /// # Errors
    /// What does not hold: a bug in the translator or in the judge.
    pub fn confirm(
        &self,
        mapping: &Mapping,
        questions: &[AxiomId],
        level: Level,
    ) -> Result<AxiomId, SearchFault> {
        for (side, execution) in [("source", &self.source), ("target", &self.target)] {
            if let Some(wrong) = wellformed::violations(execution).into_iter().next() {
                return Err(SearchFault::Disagreement(format!(
                    "the {side} execution is not well-formed: {wrong}"
                )));
            }
        }
        let verdict = judge(&mapping.target, &self.target);
        if !verdict.consistent {
            return Err(SearchFault::Disagreement("the target execution is not legal".to_owned()));
        }
        let verdict = judge(&mapping.source, &self.source);
        if fence_orders::legal(&mapping.source, &self.source, questions) {
            return Err(SearchFault::Disagreement(
                "the source execution is legal with another order of its fences".to_owned(),
            ));
        }
        for (check, &holds) in mapping.source.checks.iter().zip(&verdict.holds) {
            if level == Level::Execution
                && check.is_undefined_behaviour()
                && is_violated(check, holds)
            {
                return Err(SearchFault::Disagreement(format!(
                    "the source execution is undefined by `{}`",
                    check.display_name()
                )));
            }
        }
        let violated = |q: &&AxiomId| is_violated(&mapping.source.checks[q.0], verdict.holds[q.0]);
        questions
            .iter()
            .find(violated)
            .copied()
            .ok_or_else(|| SearchFault::Disagreement("the source execution is legal".to_owned()))
    }
}
