//! CaDiCaL 3 (Biere, Faller, Fazekas, Fleury, Froleyks and Pollitt, CAV 2024) behind [`margay_solver::Solver`].
//!
//! Its sources are in `upstream/`, unchanged, and are compiled in, which needs a C++ compiler and nothing else.
//!
//! ```
//! use margay_solver::Backend;
//!
//! margay_cadical::backend().register();
//! assert_eq!(Backend::default().name(), "cadical");
//! ```

mod ffi;
mod solver;
mod tracer;

use margay_solver::proof::Log;
use margay_solver::{Backend, Factory, Failure, Solver, SolverOptions};

/// The name to choose it by.
const NAME: &str = "cadical";

/// CaDiCaL, to be handed to a session or registered.
pub fn backend() -> Backend {
    Backend::new(Cadical)
}

/// Makes CaDiCaLs.
struct Cadical;

impl Factory for Cadical {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> String {
        format!("CaDiCaL {}", env!("CADICAL_VERSION"))
    }

    fn interruptible(&self) -> bool {
        true
    }

    fn limits_conflicts(&self) -> bool {
        true
    }

    fn proves(&self) -> bool {
        true
    }

    fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, Failure> {
        Ok(Box::new(solver::Cadical::new(options)?))
    }

    fn start_logged(&self, options: &SolverOptions, log: &Log) -> Result<Box<dyn Solver>, Failure> {
        Ok(Box::new(solver::Cadical::logged(options, log)?))
    }
}
