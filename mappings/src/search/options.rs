//! What every search is asked: about which executions, by whom, for how long.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use margay_models::diagnostic::Diagnostic;
use margay_models::signature::{Construct, Signature};
use margay_solver::{Backend, SolverLimits};

use crate::language::selection;

/// The options that all searches have. Those of a check, a comparison and a synthesis contain them,
/// and can be read and set as if these were theirs.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// The largest number of events; a read-modify-write is two.
    pub bound: usize,
    /// Constructs to leave out, e.g. `R.SC`, or a whole operation, `RMW`.
    pub without: Vec<String>,
    /// Constructs to use alone, likewise; empty for all.
    pub only: Vec<String>,
    /// A location is accessed by plain or by other operations, never by both.
    pub typed: bool,
    /// The number of threads that solve.
    pub jobs: usize,
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    /// Stop when it becomes true.
    pub stop: Arc<AtomicBool>,
    /// The SAT solver.
    pub backend: Backend,
}

impl SearchOptions {
    /// The usual options for a bound: all constructs, all processors, no limit.
    pub fn new(bound: usize) -> Self {
        Self {
            bound,
            without: Vec::new(),
            only: Vec::new(),
            typed: false,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            deadline: None,
            stop: Arc::new(AtomicBool::new(false)),
            backend: Backend::default(),
        }
    }

    /// The limits of every solver call.
    pub(crate) fn limits(&self) -> SolverLimits {
        SolverLimits {
            deadline: self.deadline,
            stop: Some(self.stop.clone()),
            ..SolverLimits::default()
        }
    }

    /// The constructs of a language that programs are made of.
    ///
    /// # Errors
    /// Names of nothing, and selections that leave nothing.
    pub(crate) fn constructs(
        &self,
        signature: Signature,
    ) -> Result<Vec<Construct>, Vec<Diagnostic>> {
        selection::constructs(signature, &self.only, &self.without)
    }
}

/// Makes the options of one command contain those of every search in a field `search`.
macro_rules! contains_search_options {
    ($options:ty) => {
        impl $options {
            /// The same options but for a change.
            #[must_use]
            pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
                change(&mut self);
                self
            }
        }

        impl std::ops::Deref for $options {
            type Target = $crate::search::SearchOptions;

            fn deref(&self) -> &Self::Target {
                &self.search
            }
        }

        impl std::ops::DerefMut for $options {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.search
            }
        }
    };
}
pub(crate) use contains_search_options;
