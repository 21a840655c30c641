//! What a check is asked to do.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use margay_solver::{Backend, Limits};
use serde::{Deserialize, Serialize};

use super::cases::Engine;
use crate::encode::Techniques;

/// The largest bound that is accepted: an execution has at most 64 events on the target side, initial writes included.
pub const MAX_BOUND: usize = 20;

/// Which modification orders a counterexample must fail under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoReading {
    /// The paper's statement (section 5.2): some modification order above the target's coherence order breaks an axiom.
    #[default]
    Universal,
    /// No modification order explains the outcome (what every read returns, and which write each location ends with).
    Exists,
}

/// What a counterexample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An execution: legal in the target, illegal and without undefined behaviour in the source (the paper's statement). What follows
    /// for its program is asked afterwards ([`crate::status`]).
    #[default]
    Execution,
    /// A program and an outcome: no consistent execution of the program has the outcome or is undefined in the source, and the
    /// compiled program has it in the target (docs/program-level.md).
    Program,
}

impl CoReading {
    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Universal => "universal",
            Self::Exists => "exists",
        }
    }
}

impl Level {
    /// The name to choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Program => "program",
        }
    }
}

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
    pub(super) fn limits(&self) -> Limits {
        Limits { deadline: self.deadline, stop: Some(self.stop.clone()), conflicts: None }
    }
}
