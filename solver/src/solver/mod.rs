//! What a SAT solver must do to be used here ([`Solver`]), and how one is chosen ([`Backend`]).
//!
//! The library has one solver, in Rust ([`Backend::batsat`]), which writes proofs too; the features
//! `cadical` and `varisat` add one each, and [`Backend::dimacs`] starts any program. Others are
//! brought: a crate implements [`Solver`] and [`Factory`], is tested by [`suite`], and its backend
//! is handed to a [`Session`](crate::Session) or registered ([`Backend::register`]) for code that
//! chooses by name.

mod backend;
mod batsat;
#[cfg(feature = "cadical")]
mod cadical;
mod derivation;
mod external;
mod factory;
mod relay;
pub mod suite;
#[cfg(feature = "varisat")]
mod varisat;

use std::fmt;

pub use backend::Backend;
pub use factory::Factory;

use crate::limits::SolverLimits;
use crate::proof::SatLiteral;

/// The answer of a solver's call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverAnswer {
    /// There is an assignment.
    Sat,
    /// There is none under the assumptions.
    Unsat,
    /// A limit was reached before an answer.
    Unknown,
}

/// What could not be done, and by whom: a solver that could not be started, ended early, or printed
/// what is no answer; a sum that is too large to be encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverFailure {
    who: String,
    what: String,
}

impl SolverFailure {
    /// A failure of the solver of this name: what went wrong, in words.
    pub fn new(solver: &str, what: impl Into<String>) -> Self {
        Self { who: format!("the SAT solver `{solver}`"), what: what.into() }
    }

    /// A failure of the encoding of a sum.
    pub(crate) fn of_sum(what: impl Into<String>) -> Self {
        Self { who: "the encoding of a sum".to_owned(), what: what.into() }
    }
}

impl fmt::Display for SolverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {}", self.who, self.what)
    }
}

impl std::error::Error for SolverFailure {}

/// An incremental SAT solver.
///
/// Variables are numbered from 1 on, and need not be declared.
/// Clauses stay; assumptions are for one call. [`suite`] tests an implementation.
pub trait Solver: Send {
    /// Adds a clause; an empty one makes the problem unsatisfiable for good.
    ///
    /// # Errors
    /// The solver does not take it.
    fn add(&mut self, clause: &[SatLiteral]) -> Result<(), SolverFailure>;

    /// Looks for an assignment of all clauses so far under the assumptions.
    ///
    /// [`SolverLimits::reached`] is to be asked before the search, and every few milliseconds while
    /// it goes on if the factory says that calls can be interrupted ([`Factory::interruptible`]).
    ///
    /// # Errors
    /// The solver failed. That a limit was reached is no error.
    fn solve(
        &mut self,
        assumptions: &[SatLiteral],
        limits: &SolverLimits,
    ) -> Result<SolverAnswer, SolverFailure>;

    /// After [`SolverAnswer::Sat`]: the values of the variables 1 to `variables`. A variable that
    /// the solver has not seen is false.
    ///
    /// # Errors
    /// The solver failed.
    fn model(&mut self, variables: usize) -> Result<Vec<bool>, SolverFailure>;

    /// After [`SolverAnswer::Unsat`]: assumptions of the call that cannot hold together, not
    /// necessarily fewest; none if the clauses alone have no assignment.
    ///
    /// # Errors
    /// The solver failed.
    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure>;

    /// The conflicts of all calls so far; 0 where the solver does not tell.
    fn conflicts(&self) -> u64 {
        0
    }
}

/// Why a solver could not be started, in its place: every call says so.
pub(crate) struct NotStarted(SolverFailure);

impl NotStarted {
    /// The solver, or why there is none.
    pub(crate) fn or(started: Result<Box<dyn Solver>, SolverFailure>) -> Box<dyn Solver> {
        started.unwrap_or_else(|failure| Box::new(Self(failure)))
    }
}

impl Solver for NotStarted {
    fn add(&mut self, _: &[SatLiteral]) -> Result<(), SolverFailure> {
        Err(self.0.clone())
    }

    fn solve(&mut self, _: &[SatLiteral], _: &SolverLimits) -> Result<SolverAnswer, SolverFailure> {
        Err(self.0.clone())
    }

    fn model(&mut self, _: usize) -> Result<Vec<bool>, SolverFailure> {
        Err(self.0.clone())
    }

    fn core(&mut self) -> Result<Vec<SatLiteral>, SolverFailure> {
        Err(self.0.clone())
    }
}
