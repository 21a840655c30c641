//! BatSat through rustsat-batsat, with a stop signal.

use ::batsat::{Callbacks, SolverInterface};

use super::Limited;
use crate::limits::Limits;

/// Tells BatSat when to stop; BatSat asks every few conflicts.
#[derive(Debug, Default)]
pub struct Stop {
    limits: Limits,
}

impl Callbacks for Stop {
    fn stop(&self) -> bool {
        self.limits.reached()
    }
}

/// BatSat.
pub type Batsat = rustsat_batsat::Solver<Stop>;

/// A new solver.
pub fn new() -> Batsat {
    Batsat::default()
}

impl Limited for Batsat {
    fn limit(&mut self, limits: &Limits) {
        self.batsat_mut().cb_mut().limits = limits.clone();
    }

    fn conflicts(&self) -> u64 {
        self.batsat_ref().num_conflicts()
    }
}
