//! CaDiCaL 3 (Biere, Faller, Fazekas, Fleury, Froleyks and Pollitt, CAV 2024) behind [`margay_solver::Solver`].
//!
//! Its sources are in `upstream/`, unchanged, and are compiled in, which needs a C++ compiler and nothing else.
//!
//! ```
//! use margay_solver::Backend;
//!
//! margay_cadical::register();
//! assert_eq!(Backend::default().name(), "auto");
//! assert!("cadical".parse::<Backend>().is_ok());
//! ```

mod ffi;
mod solver;
mod tracer;

use margay_solver::proof::Log;
use margay_solver::{Backend, Factory, Failure, Solver, SolverOptions};

/// The name to choose it by.
const NAME: &str = "cadical";

/// The conflicts after which [`auto`] hands a problem to CaDiCaL.
const EASY: u64 = 100_000;

/// CaDiCaL, to be handed to a session or registered.
pub fn backend() -> Backend {
    Backend::new(Cadical)
}

/// BatSat for what is easy, CaDiCaL for what is hard and for all proofs. Most problems of one thread shape take some thousand conflicts, and
/// BatSat half the time of CaDiCaL for them (results/2026-11-25/check-speed.txt).
pub fn auto() -> Backend {
    Backend::relay("auto", Backend::batsat(), backend(), EASY)
}

/// From now on, in the whole process, both can be chosen by name, and [`Backend::default`] is [`auto`].
pub fn register() {
    backend().register();
    auto().register();
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
