//! What makes solvers of one kind.

use super::{Solver, SolverFailure};
use crate::options::SolverOptions;
use crate::proof::ProofLog;

/// Makes solvers of one kind.
pub trait Factory: Send + Sync {
    /// The name to choose it by: a short word in lower case.
    fn name(&self) -> &str;

    /// The name and version, for reports.
    fn version(&self) -> String;

    /// Does a call stop while it runs once its limits are reached? If not, they are looked at
    /// before calls only.
    fn interruptible(&self) -> bool {
        false
    }

    /// Does a call stop after [`SolverLimits::conflicts`](crate::SolverLimits::conflicts)?
    fn limits_conflicts(&self) -> bool {
        false
    }

    /// Can it write a proof of what it finds to be unsatisfiable?
    fn proves(&self) -> bool {
        false
    }

    /// A new solver without clauses.
    ///
    /// # Errors
    /// It cannot be started, or has no such option.
    fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure>;

    /// The same with a proof of all that it finds to be unsatisfiable.
    ///
    /// # Errors
    /// As [`Factory::start`], or it writes no proofs.
    fn start_logged(
        &self,
        options: &SolverOptions,
        log: &ProofLog,
    ) -> Result<Box<dyn Solver>, SolverFailure> {
        let _ = (options, log);
        Err(SolverFailure::new(self.name(), "it writes no proofs"))
    }
}
