//! What is asked of an engine and what it answers: the same for all engines.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use margay_models::bits::{Event, WORD_EVENTS};
use margay_models::execution::Execution;
use margay_models::model::RaceMeaning;
use margay_models::signature::Signature;
use margay_solver::{Session, SolverFailure, SolverLimits};

use crate::gap::{Gap, GapKind};
use crate::test::{Place, Quantifier};
use crate::unfold::{self, UnfoldingBounds};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Candidate executions, one after the other, pruned as they grow.
    Explicit,
    /// One formula for a SAT solver.
    Sat,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "explicit",
            Self::Sat => "sat",
        })
    }
}

/// What is expected of a test under a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Expected {
    /// Does some legal execution satisfy the condition (`forall`: violate it)?
    pub reachable: bool,
    /// Is the answer only known up to the bound of the loops?
    pub bounded: bool,
    /// Is there a race? `None` where the model does not say what a race is or was not asked, and
    /// where it is not known.
    pub racy: Option<bool>,
    /// What is missing, where no execution has the outcome.
    pub gap: Option<GapKind>,
}

impl From<&TestVerdict> for Expected {
    fn from(v: &TestVerdict) -> Self {
        let gap =
            v.gap.as_ref().filter(|gap| !v.reachable && gap.is_beyond(v.bounded)).map(Gap::kind);
        Self { reachable: v.reachable, bounded: v.bounded, racy: v.racy, gap }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.gap {
            Some(gap) => write!(f, "undecided,{}", gap.name())?,
            None => f.write_str(if self.reachable { "allowed" } else { "forbidden" })?,
        }
        f.write_str(if self.bounded { ",bounded" } else { "" })?;
        f.write_str(match self.racy {
            Some(true) => ",racy",
            Some(false) => ",race-free",
            None => "",
        })
    }
}

impl std::str::FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let (reachable, gap) = match parts.next() {
            // `reachable` and `unreachable` are as they were written before.
            Some("allowed" | "reachable") => (true, None),
            Some("forbidden" | "unreachable") => (false, None),
            Some("undecided") => {
                let word = parts.next().unwrap_or_default();
                let gap = GapKind::ALL.into_iter().find(|gap| gap.name() == word);
                let unknown = || {
                    format!(
                        "expected `endless`, `lost` or `filtered` behind `undecided`, found `{word}`"
                    )
                };
                (false, Some(gap.ok_or_else(unknown)?))
            }
            other => {
                let found = other.unwrap_or_default();
                return Err(format!(
                    "expected `allowed`, `forbidden` or `undecided`, found `{found}`"
                ));
            }
        };
        let mut expected = Self { reachable, bounded: false, racy: None, gap };
        for part in parts {
            match part {
                "bounded" => expected.bounded = true,
                "racy" => expected.racy = Some(true),
                "race-free" => expected.racy = Some(false),
                _ => {
                    return Err(format!(
                        "expected `bounded`, `racy` or `race-free`, found `{part}`"
                    ));
                }
            }
        }
        Ok(expected)
    }
}

/// How to run a test.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub bounds: UnfoldingBounds,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Raised when an answer is not wanted any more.
    pub stop: Option<&'static Arc<AtomicBool>>,
    /// After how many steps the explicit engine gives up: looks at what the model says of a partial
    /// execution.
    pub steps: Option<u64>,
    /// After about how many conflicts the SAT solver gives up.
    pub conflicts: Option<u64>,
    /// The most events on all paths together that the SAT engine takes; as many as an execution may
    /// have where nothing is said.
    pub events: Option<usize>,
}

/// The largest number of events on all paths together. Before it the formula may be too large
/// ([`MAX_FORMULA`]): relations between any two events grow with its square, closures with its
/// cube.
pub const MAX_EVENTS: usize = 8192;

/// About how many bytes a formula may take, with what the solver keeps for it: so that a process
/// with 2 GiB of memory gives up in time.
pub const MAX_FORMULA: usize = 1280 << 20;

impl Options {
    /// Is the time up, or no answer wanted any more?
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// The same for a solver.
    pub(crate) fn limits(&self) -> SolverLimits {
        SolverLimits {
            deadline: self.deadline,
            stop: self.stop.cloned(),
            conflicts: self.conflicts,
            bytes: Some(MAX_FORMULA),
        }
    }

    /// Why the solver gave up: a formula of so many events is too large, or a limit was reached.
    pub(crate) fn given_up(&self, session: &Session, events: usize) -> Error {
        if session.is_too_large() {
            return Error::Formula(events);
        }
        if self.conflicts.is_some() && !self.is_over() { Error::Steps } else { Error::Time }
    }
}

/// An execution that shows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The execution, with values.
    pub execution: Execution,
    /// For each location (by index of the physical one) its last write, where the condition asks
    /// for the final value.
    pub finals: Vec<Option<Event>>,
    /// For each thread the number of the path that it takes.
    pub paths: Vec<usize>,
    /// For each event where it came from in the text.
    pub places: Vec<Place>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestVerdict {
    /// How the condition is quantified.
    pub quantifier: Quantifier,
    /// Does the quantified condition hold?
    pub holds: bool,
    /// Does some legal execution satisfy the condition (`forall`: violate it)?
    pub reachable: bool,
    /// Was a loop cut off, and no execution found: might a longer unrolling find one?
    pub bounded: bool,
    /// Does some legal execution have a race, or is it otherwise undefined? `None` if the model
    /// does not say what that is, or was not asked.
    pub racy: Option<bool>,
    /// What a race means for the program; `None` where `racy` is.
    pub race_meaning: Option<RaceMeaning>,
    /// Who answered.
    pub engine: Engine,
    /// How many complete candidate executions were looked at; for the SAT engine, how many the
    /// solver found and the judge confirmed.
    pub executions: u64,
    /// The execution that shows that the condition is reachable.
    pub witness: Option<Witness>,
    /// The execution that shows that the program races.
    pub race: Option<Witness>,
    /// What is missing from the answer: where no execution has the outcome, that it is forbidden
    /// does not follow.
    pub gap: Option<Gap>,
}

impl TestVerdict {
    /// What the executions that an engine found say. `bounded`: was a loop cut off? `race_meaning`:
    /// what a race means, if the model was asked for any.
    pub(crate) fn new(
        quantifier: Quantifier,
        bounded: bool,
        race_meaning: Option<RaceMeaning>,
        (engine, executions): (Engine, u64),
        (witness, race): (Option<Witness>, Option<Witness>),
        gap: Option<Gap>,
    ) -> Self {
        let reachable = witness.is_some();
        // What is undefined in the language makes its program undefined, and of PTX is none of its
        // races; no race of executions that are lost was looked for.
        let racy = match &gap {
            _ if race.is_some() => Some(true),
            Some(Gap::Lost(_)) => (race_meaning == Some(RaceMeaning::Undefined)).then_some(true),
            Some(gap) if gap.is_beyond(bounded && !reachable) => None,
            _ => Some(false),
        };
        Self {
            quantifier,
            holds: quantifier.holds(reachable),
            reachable,
            bounded: bounded && !reachable,
            racy: racy.filter(|_| race_meaning.is_some()),
            race_meaning,
            engine,
            executions,
            witness,
            race,
            gap,
        }
    }

    /// The verdict, if it answers the question up to the bound of loops.
    ///
    /// # Errors
    /// [`Error::Open`]: no execution was found, and executions were lost.
    pub fn without_gap(self) -> Result<Self, Error> {
        match self.gap.as_ref().filter(|gap| !self.reachable && gap.is_beyond(self.bounded)) {
            Some(gap) => Err(Error::Open(gap.kind())),
            None => Ok(self),
        }
    }

    /// Does nothing follow about the outcome: was no execution found, and something lost or cut
    /// off?
    pub fn is_open(&self) -> bool {
        !self.reachable && (self.bounded || self.gap.is_some())
    }
}

/// An execution with the outcome asked for, which the model forbids, and for as few reasons as
/// possible.
#[derive(Debug, Clone)]
pub struct Forbidden {
    /// The execution.
    pub witness: Witness,
    /// The checks that forbid it, indices into the model's.
    pub checks: Vec<usize>,
}

/// Why a test cannot be run on a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The test cannot be unfolded.
    Unfold(unfold::UnfoldError),
    /// The model speaks of other executions.
    Signature {
        /// Those of the test.
        test: Signature,
        /// Those of the model.
        model: Signature,
    },
    /// The deadline passed before there was an answer.
    Time,
    /// The explicit engine used up the steps given.
    Steps,
    /// An execution has more events than the explicit engine takes: so many.
    Large(usize),
    /// Both engines were asked, and answered differently: a bug of Margay.
    Disagreement {
        /// The explicit engine's answer.
        explicit: Box<TestVerdict>,
        /// The SAT engine's answer.
        sat: Box<TestVerdict>,
    },
    /// What the SAT engine found is no execution of the test that the judge confirms: a bug of
    /// Margay.
    Unconfirmed(String),
    /// The formula takes more memory than there is for one; all paths together have so many events.
    Formula(usize),
    /// The SAT solver failed.
    Solver(SolverFailure),
    /// No execution was found, and executions were lost: what follows about the outcome is not
    /// known.
    Open(GapKind),
    /// An answer was to be proved, and there is no proof of it that is accepted.
    Unproved(String),
    /// An answer was to be proved, and the proof cannot be written.
    Unwritten(String),
}

impl Error {
    /// Is the test left undecided? The other errors are of the test or the model.
    pub fn is_undecided(&self) -> bool {
        match self {
            Self::Time
            | Self::Steps
            | Self::Disagreement { .. }
            | Self::Unconfirmed(_)
            | Self::Formula(_)
            | Self::Solver(_)
            | Self::Open(_)
            | Self::Unproved(_)
            | Self::Unwritten(_) => true,
            Self::Unfold(_) | Self::Signature { .. } | Self::Large(_) => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfold(e) => write!(f, "{e}"),
            Self::Signature { test, model } if model.is_plain() => {
                write!(
                    f,
                    "the model, as it is read, knows nothing of the fences and annotations of {test} tests"
                )
            }
            Self::Signature { test, model } => {
                write!(f, "the model is one of {model} executions, the test one of {test}")
            }
            Self::Time => write!(f, "the time is up"),
            Self::Steps => write!(f, "the steps given were used up"),
            Self::Large(events) => {
                write!(
                    f,
                    "an execution has {events} events, and the explicit engine takes {WORD_EVENTS}: the SAT engine takes more"
                )
            }
            Self::Disagreement { explicit, sat } => {
                let (explicit, sat) = (Expected::from(&**explicit), Expected::from(&**sat));
                write!(
                    f,
                    "the engines disagree (explicit: {explicit}; sat: {sat}): this is a bug of Margay"
                )
            }
            Self::Unconfirmed(why) => {
                write!(
                    f,
                    "the SAT engine found an execution that is none ({why}): this is a bug of Margay"
                )
            }
            Self::Formula(events) => write!(
                f,
                "all paths together have {events} events, and the formula for them takes more than {} MiB",
                MAX_FORMULA >> 20
            ),
            Self::Solver(failure) => failure.fmt(f),
            Self::Open(gap) => write!(
                f,
                "{}: nothing follows about the outcome (`margay run` says more)",
                gap.words()
            ),
            Self::Unproved(why) | Self::Unwritten(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

impl From<SolverFailure> for Error {
    fn from(failure: SolverFailure) -> Self {
        Self::Solver(failure)
    }
}

impl From<unfold::UnfoldError> for Error {
    fn from(e: unfold::UnfoldError) -> Self {
        Self::Unfold(e)
    }
}
