//! Limits of a solver call: a deadline, a flag that others raise, a number of conflicts, the size
//! of the formula.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When to give up. The default is never.
#[derive(Debug, Clone, Default)]
pub struct SolverLimits {
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    /// Stop once this is true.
    pub stop: Option<Arc<AtomicBool>>,
    /// Stop after about so many conflicts. A solver that cannot ignores it
    /// ([`Backend::limits_conflicts`](crate::Backend::limits_conflicts)).
    pub conflicts: Option<u64>,
    /// Give up a formula that would take more than about so many bytes, as it is translated.
    pub bytes: Option<usize>,
}

impl SolverLimits {
    /// Is it time to stop?
    pub fn reached(&self) -> bool {
        self.stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}
