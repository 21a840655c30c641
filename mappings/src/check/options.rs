//! What a check is asked to do.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use margay_solver::{Backend, Limits};

use super::cases::Engine;
use crate::encode::Techniques;
use crate::level::{CoReading, Level};

/// The largest bound that is accepted: an execution has at most 64 events on the target side, initial writes included.
pub const MAX_BOUND: usize = 20;

/// Options of [`super::check`].
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// The largest number of source events.
    pub bound: usize,
    /// The axioms of the source model to ask about, by name; empty for all that it does not make optional.
    pub axioms: Vec<String>,
    /// Constructs to leave out, e.g. `R.SC`, or a whole operation, `RMW`.
    pub without: Vec<String>,
    /// Constructs to use alone, likewise; empty for all.
    pub only: Vec<String>,
    /// A location is accessed by atomic or by plain operations, never by both.
    pub typed: bool,
    /// The number of threads that solve.
    pub jobs: usize,
    /// The moment to stop at.
    pub deadline: Option<Instant>,
    /// Stop when it becomes true.
    pub stop: Arc<AtomicBool>,
    /// Find every smallest counterexample up to isomorphism, and at most so many for each axiom.
    pub all: Option<usize>,
    /// Report not the counterexample that is preferred among the smallest, but the one so many places behind it in the list of all of that
    /// size up to isomorphism ([`super::Listed`]).
    pub next: Option<usize>,
    /// Go on with the other axioms, up to the bound, after the first counterexample.
    pub keep_going: bool,
    /// The SAT solver.
    pub backend: Backend,
    /// Executions or programs.
    pub level: Level,
    /// At program level, the largest number of guards and computed values; `None` for as many as useful.
    pub guards: Option<usize>,
    /// The reading of modification order; at program level there is no choice.
    pub co: CoReading,
    /// Techniques.
    pub techniques: Techniques,
    /// A folder for the CNF of every case.
    pub dump_cnf: Option<PathBuf>,
    /// An empty folder for a certificate of what has no counterexample.
    pub certify: Option<PathBuf>,
    /// A folder to keep answers of cases in, and to take those of runs before from.
    pub checkpoint: Option<PathBuf>,
    /// Split cases that are predicted to take more than the share of one of so many workers. Answers do not depend on it.
    pub split: Option<usize>,
    /// Who solves cases elsewhere; needs a checkpoint.
    pub engine: Option<Arc<dyn Engine>>,
}

impl CheckOptions {
    /// The usual options for a bound: is there a program that goes wrong?
    pub fn new(bound: usize) -> Self {
        Self { level: Level::Program, co: CoReading::Exists, ..Self::published(bound) }
    }

    /// The question of the 2019 paper (section 5.2): single executions, some modification order of which breaks an axiom.
    pub fn published(bound: usize) -> Self {
        Self {
            bound,
            axioms: Vec::new(),
            without: Vec::new(),
            only: Vec::new(),
            typed: true,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            deadline: None,
            stop: Arc::new(AtomicBool::new(false)),
            all: None,
            next: None,
            keep_going: false,
            backend: Backend::default(),
            level: Level::Execution,
            guards: None,
            co: CoReading::Universal,
            techniques: Techniques::default(),
            dump_cnf: None,
            certify: None,
            checkpoint: None,
            split: None,
            engine: None,
        }
    }

    /// The limits of every solver call.
    pub(crate) fn limits(&self) -> Limits {
        Limits { deadline: self.deadline, stop: Some(self.stop.clone()), conflicts: None }
    }
}
