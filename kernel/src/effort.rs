//! How long the engines look for an answer: counted in steps and conflicts, so that it is the same on every machine.

use std::cell::RefCell;

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Error, Options, Verdict};
use margay_litmus::test::Test;
use margay_models::model::Model;

/// How much is done for a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Steps of the explicit engine before the SAT engine is asked.
    pub steps: u64,
    /// Conflicts of the SAT solver; nothing where only the user's limit of time ends it.
    pub conflicts: Option<u64>,
    /// How many tests are made of a launch.
    pub tests: usize,
}

impl Effort {
    /// For a launch that was asked about.
    pub const ASKED: Self = Self { steps: 5_000, conflicts: None, tests: usize::MAX };
    /// For a launch of few threads that was chosen.
    pub const CHOSEN: Self = Self { steps: 5_000, conflicts: Some(100_000), tests: 4_000 };
    /// For a launch of many threads that was chosen.
    pub const LARGE: Self = Self { steps: 5_000, conflicts: Some(5_000), tests: 400 };
    /// For each program that a search for a repair asks about.
    pub const REPAIR: Self = Self { steps: 3_000, conflicts: Some(3_000), tests: 64 };
}

/// Steps of the explicit engine for a test that is too large for the SAT engine.
const MANY: u64 = 300_000;

/// How many programs a search for a repair asks about.
pub(crate) const REPAIR_QUESTIONS: usize = 400;

/// The engines, prepared for models.
#[derive(Debug, Default)]
pub(crate) struct Engines(RefCell<Vec<(String, Runner)>>);

impl Engines {
    /// Asks about a test: the explicit engine first, which is faster on most; then the SAT engine; and where the test is too large for that, the
    /// explicit one for longer.
    ///
    /// # Errors
    /// As the engines say.
    pub fn run(&self, test: &Test, model: &Model, options: &Options, effort: Effort) -> Result<Verdict, Error> {
        let mut all = self.0.borrow_mut();
        let at = all.iter().position(|(name, _)| *name == model.source.name).unwrap_or_else(|| {
            all.push((model.source.name.clone(), Runner::new(model)));
            all.len() - 1
        });
        let runner = &mut all[at].1;
        let few = Options { steps: Some(effort.steps), ..*options };
        let explicit = runner.run(test, &few, Choice::Only(Engine::Explicit));
        let too_large = match explicit {
            Err(Error::Steps) => false,
            Err(Error::Unfold(_)) => true,
            decided => return decided,
        };
        let counted = Options { conflicts: effort.conflicts, ..*options };
        match runner.run(test, &counted, Choice::Only(Engine::Sat)) {
            Err(Error::Unfold(_)) if !too_large && effort.conflicts.is_none() => {
                let many = Options { steps: Some(MANY), ..*options };
                runner.run(test, &many, Choice::Only(Engine::Explicit))
            }
            Err(Error::Unfold(_)) if !too_large => Err(Error::Steps),
            // What the first engine said of it is as right, and shorter.
            Err(Error::Unfold(_)) if too_large => explicit,
            decided => decided,
        }
    }
}
