//! Which engine answers. The explicit one is faster on nearly all tests that people write, and how
//! long it takes cannot be told from the size of a test: pruning decides. So it is given as many
//! steps as take about as long as the SAT engine's translation of a large test; if they do not
//! suffice, the SAT engine answers. Steps are counted, not timed: the choice is the same on every
//! machine.

use std::path::Path;

use margay_models::certificate::Proof;
use margay_models::model::Model;

use crate::gap::Gap;
use crate::monotone::{allows_no_less_without_rewrites, grows_with_reads};
use crate::sat::ShownSession;
use crate::test::Test;
use crate::unfold::ExecutionProgram;
pub use crate::verdict::Engine;
use crate::verdict::{Error, Forbidden, Options, TestVerdict};
use crate::{explicit, sat};

/// Who is to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Choice {
    /// The explicit engine, and the SAT engine where that takes too many steps or executions are
    /// too large for it.
    #[default]
    Auto,
    Only(Engine),
    /// Both, and they must agree; the SAT engine alone where executions are too large for the
    /// explicit one.
    Both,
}

/// After so many steps of the explicit engine, `auto` asks the SAT engine: 7 to 20 ms on the shapes
/// of litmus/examples/engine_speed.rs, where the SAT engine takes 1 to 200 ms
/// (results/2026-11-21/litmus-speed.txt).
const STEPS: u64 = 5_000;

/// Steps of the explicit engine that looks whether executions are lost, of a test whose answer is
/// proved: `verify` takes as many.
const GAP_STEPS: u64 = 1_000_000;

/// A model prepared for running many tests, by either engine.
#[derive(Debug, Clone)]
pub struct Runner {
    model: Model,
    explicit: explicit::ExplicitRunner,
    /// Made when it is first needed.
    sat: Option<sat::SatRunner>,
}

impl Runner {
    /// Prepares a model.
    pub fn new(model: &Model) -> Self {
        Self { model: model.clone(), explicit: explicit::ExplicitRunner::new(model), sat: None }
    }

    /// May paths be left out that go round a loop which only waits
    /// ([`crate::unfold::UnfoldingBounds::skip_waiting`])?
    pub fn may_skip_waiting(&self) -> bool {
        grows_with_reads(&self.model)
    }

    /// And those that go round one whose read-modify-writes write back what they read
    /// ([`crate::unfold::UnfoldingBounds::skip_rewriting`])?
    pub fn may_skip_rewriting(&self) -> bool {
        self.may_skip_waiting() && allows_no_less_without_rewrites(&self.model)
    }

    fn sat(&mut self) -> &mut sat::SatRunner {
        self.sat.get_or_insert_with(|| sat::SatRunner::new(&self.model))
    }

    /// Runs a test. With [`Choice::Both`] the answer is the explicit engine's, or
    /// [`Error::Disagreement`].
    pub fn run(
        &mut self,
        test: &Test,
        options: &Options,
        choice: Choice,
    ) -> Result<TestVerdict, Error> {
        match choice {
            Choice::Only(Engine::Explicit) => self.explicit.run(test, options),
            Choice::Only(Engine::Sat) => self.sat().run(test, options),
            Choice::Auto => {
                let few = limited(options);
                let too_large = match self.explicit.run(test, &few) {
                    Err(Error::Steps) => false,
                    Err(Error::Large(_)) => true,
                    decided => return decided,
                };
                match self.sat().run(test, options) {
                    // Too large for a formula; it may yet be small enough to go through.
                    Err(Error::Unfold(_) | Error::Formula(_)) if !too_large => {
                        self.explicit.run(test, options)
                    }
                    decided => decided,
                }
            }
            Choice::Both => match self.explicit.run(test, options) {
                Err(Error::Large(_)) => self.sat().run(test, options),
                explicit => agreed(explicit?, self.sat().run(test, options)?),
            },
        }
    }

    /// Is a test another one, but for the names of locations and numbers
    /// ([`sat::SatRunner::is_renamed`])?
    pub fn is_renamed(
        &mut self,
        test: (&Test, &Options),
        other: (&Test, &Options),
        threads: &[usize],
    ) -> bool {
        self.sat().is_renamed(test, other, threads)
    }

    /// Asks about the program of an execution: does it have the execution's outcome, does it race?
    /// The explicit engine answers, and the SAT engine where that takes too many steps.
    pub fn run_program(
        &mut self,
        program: &ExecutionProgram,
        options: &Options,
    ) -> Result<TestVerdict, Error> {
        let too_large = match self.explicit.run_program(program, &limited(options)) {
            Err(Error::Steps) => false,
            Err(Error::Large(_)) => true,
            decided => return decided,
        };
        match self.sat().run_program(program, options) {
            // Too large for a formula; it may yet be small enough to go through.
            Err(Error::Unfold(_) | Error::Formula(_)) if !too_large => {
                self.explicit.run_program(program, options)
            }
            decided => decided,
        }
    }

    /// Runs a test with the SAT engine, and shows its answers ([`sat::SatRunner::certified`]). With
    /// [`Choice::Both`] the explicit engine must agree; whether executions are lost it is asked in
    /// any case, in as many steps as the options give it, if they do.
    pub fn certified(
        &mut self,
        test: &Test,
        options: &Options,
        choice: Choice,
        (folder, name): (&Path, &dyn Fn(usize) -> String),
    ) -> Result<(TestVerdict, Vec<ShownSession<Proof>>), Error> {
        let explicit = match choice {
            Choice::Both => match self.explicit.run(test, options) {
                Err(Error::Large(_)) => None,
                explicit => Some(explicit?),
            },
            Choice::Auto | Choice::Only(_) => None,
        };
        let (sat, shown) = self.sat().certified(test, options, (folder, name))?;
        // Whoever verifies it asks the explicit engine, which has no part in the proof.
        let counted = Options { steps: options.steps.or(Some(GAP_STEPS)), ..*options };
        match self.explicit.gap(test, sat.reachable, &counted) {
            Ok(_) => {}
            Err(Error::Time) => return Err(Error::Time),
            Err(error) => {
                return Err(Error::Unwritten(format!(
                    "`verify` could not see whether executions are lost: {error}"
                )));
            }
        }
        let verdict = match explicit {
            Some(explicit) => agreed(explicit, sat)?,
            None => sat,
        };
        if let Some(gap) = verdict.gap.as_ref().filter(|gap| gap.is_beyond(verdict.bounded)) {
            return Err(Error::Unwritten(format!(
                "{}, of which there is no certificate",
                gap.kind().words()
            )));
        }
        Ok((verdict, shown))
    }

    /// An execution with the outcome that a test asks for, and what forbids it
    /// ([`explicit::ExplicitRunner::forbidden`]): a coherent one, in which each location by itself
    /// behaves as in an interleaving, if there is one. That says more about the model.
    pub fn forbidden(
        &mut self,
        test: &Test,
        options: &Options,
        choice: Choice,
    ) -> Result<Option<Forbidden>, Error> {
        let (model, coherence) = self.model.asking_for_coherence();
        match Self::new(&model).forbidden_by(test, options, choice, Some(coherence))? {
            Some(found) => Ok(Some(found)),
            None => self.forbidden_by(test, options, choice, None),
        }
    }

    fn forbidden_by(
        &mut self,
        test: &Test,
        options: &Options,
        choice: Choice,
        kept: Option<usize>,
    ) -> Result<Option<Forbidden>, Error> {
        match choice {
            Choice::Only(Engine::Explicit) => self.explicit.forbidden(test, options, kept),
            Choice::Only(Engine::Sat) => self.sat().forbidden(test, options, kept),
            Choice::Auto | Choice::Both => {
                match self.explicit.forbidden(test, &limited(options), kept) {
                    Err(Error::Steps | Error::Large(_)) => {
                        self.sat().forbidden(test, options, kept)
                    }
                    decided => decided,
                }
            }
        }
    }
}

/// The explicit engine's answer, if it is that of the SAT engine.
fn agreed(explicit: TestVerdict, sat: TestVerdict) -> Result<TestVerdict, Error> {
    let said =
        |v: &TestVerdict| (v.reachable, v.holds, v.bounded, v.racy, v.gap.as_ref().map(Gap::kind));
    if said(&explicit) == said(&sat) {
        Ok(explicit)
    } else {
        Err(Error::Disagreement { explicit: Box::new(explicit), sat: Box::new(sat) })
    }
}

fn limited(options: &Options) -> Options {
    Options { steps: Some(options.steps.map_or(STEPS, |s| s.min(STEPS))), ..*options }
}
