//! The explicit engine: is the outcome of a test allowed by a model? It goes through the candidate executions of a test, pruned
//! as they grow, and the judge of `margay-models` confirms what it finds.

mod interval;
mod monotone;
mod order;
mod outcome;
mod outcomes;
mod search;

use std::fmt;
use std::time::Instant;

use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::judge::Judge;
use margay_models::model::{CheckKind, Model, Role};
use margay_models::signature::Signature;

use crate::test::{Dialect, Quantifier, Test};
use crate::unfold::{self, Bounds, Skeleton, Unfolding};
use interval::{Machine, Plan};
use outcome::Outcome;
pub use outcomes::Outcomes;
use search::{Engine, Found, Goal, Search};

/// How to run a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Bounds of the unfolding.
    pub bounds: Bounds,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// An execution that shows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The execution, with values.
    pub execution: Execution,
    /// For each location (by index of the physical one) its last write, where the condition asks for the final value.
    pub finals: Vec<Option<Event>>,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// How the condition is quantified.
    pub quantifier: Quantifier,
    /// Does the quantified condition hold?
    pub holds: bool,
    /// Does some legal execution satisfy the condition (`forall`: violate it)?
    pub reachable: bool,
    /// Was a loop cut off, and no execution found: might a longer unrolling find one?
    pub bounded: bool,
    /// Does some legal execution have a race, or is it otherwise undefined? `None` if the model does not say what that is.
    pub racy: Option<bool>,
    /// How many complete candidate executions were looked at.
    pub executions: u64,
    /// The execution that shows that the condition is reachable.
    pub witness: Option<Witness>,
    /// The execution that shows that the program is racy.
    pub race: Option<Witness>,
}

/// An execution with the outcome asked for, which the model forbids, and for as few reasons as possible.
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
    Unfold(unfold::Error),
    /// The model speaks of other executions.
    Signature {
        /// Those of the test.
        test: Signature,
        /// Those of the model.
        model: Signature,
    },
    /// The deadline passed before there was an answer.
    Time,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfold(e) => write!(f, "{e}"),
            Self::Signature { test, model } => write!(f, "the model is one of {model} executions, the test one of {test}"),
            Self::Time => write!(f, "the time is up"),
        }
    }
}

impl std::error::Error for Error {}

impl From<unfold::Error> for Error {
    fn from(e: unfold::Error) -> Self {
        Self::Unfold(e)
    }
}

/// A model prepared for running many tests.
#[derive(Debug, Clone)]
pub struct Runner {
    signature: Signature,
    plan: Plan,
    machine: Machine,
    judge: Judge,
    axioms: Vec<usize>,
    /// Checks that show a program to be undefined, with the outcome of the test that does.
    undefined: Vec<(usize, bool)>,
    /// Does the model forbid no less when reads are added to an execution?
    grows_with_reads: bool,
}

impl Runner {
    /// Prepares a model.
    pub fn new(model: &Model) -> Self {
        let plan = Plan::new(model);
        let undefined = model.checks.iter().enumerate().filter_map(|(i, c)| match c.role {
            // A flag that negates `empty` makes a program undefined (docs/cat.md, "Flags").
            Role::Flag if c.kind == CheckKind::Empty && c.negated => Some((i, true)),
            Role::UndefinedUnless => Some((i, false)),
            _ => None,
        });
        Self {
            signature: model.signature,
            machine: Machine::new(&plan),
            judge: Judge::new(model),
            axioms: model.axioms().map(|(i, _)| i).collect(),
            undefined: undefined.collect(),
            grows_with_reads: monotone::grows_with_reads(model),
            plan,
        }
    }

    /// Unfolds a test for the model's signature.
    fn unfold(&self, test: &Test, options: &Options, skip_waiting: bool) -> Result<Unfolding, Error> {
        let of_test = match test.dialect {
            Dialect::C => Signature::C,
            Dialect::Ptx | Dialect::GpuPtx => Signature::Ptx,
            Dialect::Generic => Signature::Plain,
        };
        if of_test != self.signature && self.signature != Signature::Plain {
            return Err(Error::Signature { test: of_test, model: self.signature });
        }
        Ok(Unfolding::new(test, self.signature, Bounds { skip_waiting, ..options.bounds })?)
    }

    /// Runs a test.
    pub fn run(&mut self, test: &Test, options: &Options) -> Result<Verdict, Error> {
        let skip_waiting = options.bounds.skip_waiting || self.grows_with_reads;
        let unfolding = self.unfold(test, options, skip_waiting)?;
        let axioms = self.axioms.clone();
        let mut executions = 0;
        let found = self
            .find(&unfolding, &axioms, options.deadline, &mut executions, |s| Goal { outcomes: asked(test, s), check: None })?;
        // A read that only waits may race.
        let waiting = if unfolding.waits && !self.undefined.is_empty() { Some(self.unfold(test, options, false)?) } else { None };
        let mut race = None;
        for &check in &self.undefined.clone() {
            if race.is_none() {
                race = self.find(waiting.as_ref().unwrap_or(&unfolding), &axioms, options.deadline, &mut executions, |_| {
                    Goal { outcomes: Vec::new(), check: Some(check) }
                })?;
            }
        }
        let reachable = found.is_some();
        let quantifier = test.condition.quantifier;
        Ok(Verdict {
            quantifier,
            holds: reachable == (quantifier == Quantifier::Exists),
            reachable,
            bounded: unfolding.bounded && !reachable,
            racy: (!self.undefined.is_empty()).then_some(race.is_some()),
            executions,
            witness: found.map(Witness::from),
            race: race.map(Witness::from),
        })
    }

    /// An execution with the outcome that a test asks for, whatever forbids it: only one axiom if there is such an execution, or
    /// else all that a search without axioms happens to violate. `None` if no execution of the program has the outcome.
    pub fn forbidden(&mut self, test: &Test, options: &Options) -> Result<Option<Forbidden>, Error> {
        let skip_waiting = options.bounds.skip_waiting || self.grows_with_reads;
        let unfolding = self.unfold(test, options, skip_waiting)?;
        let mut all: Vec<usize> = self.axioms.clone();
        all.sort_unstable();
        let mut executions = 0;
        let without = |dropped: usize| all.iter().copied().filter(|&a| a != dropped).collect::<Vec<_>>();
        for axioms in all.iter().map(|&dropped| without(dropped)).chain([Vec::new()]) {
            let goal = |s: &Skeleton| Goal { outcomes: asked(test, s), check: None };
            if let Some(found) = self.find(&unfolding, &axioms, options.deadline, &mut executions, goal)? {
                let judgement = self.judge.judge(&found.execution);
                let checks = all.iter().copied().filter(|&a| !judgement.holds[a]).collect();
                return Ok(Some(Forbidden { witness: found.into(), checks }));
            }
        }
        Ok(None)
    }

    fn find(
        &mut self,
        unfolding: &Unfolding,
        axioms: &[usize],
        deadline: Option<Instant>,
        executions: &mut u64,
        goal: impl Fn(&Skeleton) -> Goal,
    ) -> Result<Option<Found>, Error> {
        let total = self.signature.total_coherence();
        let mut axioms = axioms.to_vec();
        for number in 0..unfolding.len() {
            let skeleton = unfolding.skeleton(number)?;
            let goal = goal(&skeleton);
            let mut engine = Engine {
                plan: &self.plan,
                machine: &mut self.machine,
                judge: &mut self.judge,
                axioms: &mut axioms,
                executions,
                deadline,
                expired: false,
            };
            let found = Search::new(&mut engine, &skeleton, &goal, total).run();
            if found.is_none() && engine.expired {
                return Err(Error::Time);
            }
            if let Some(found) = found {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl From<Found> for Witness {
    fn from(found: Found) -> Self {
        Self { execution: found.execution, finals: found.finals }
    }
}

/// What an execution must satisfy to count: the filter, and the condition (`forall`: its negation).
fn asked(test: &Test, skeleton: &Skeleton) -> Vec<(Outcome, bool)> {
    let wanted = test.condition.quantifier != Quantifier::Forall;
    let filter = test.filter.iter().map(|f| (Outcome::new(f, skeleton), true));
    filter.chain([(Outcome::new(&test.condition.proposition, skeleton), wanted)]).collect()
}

/// Runs one test on one model. For many tests, make a [`Runner`] once.
pub fn run(test: &Test, model: &Model, options: &Options) -> Result<Verdict, Error> {
    Runner::new(model).run(test, options)
}
