//! How long the engines look for an answer: counted in steps and conflicts, so that it is the same
//! on every machine.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::{Error, Options, TestVerdict};
use margay_litmus::test::Test;
use margay_litmus::unfold::UnfoldingBounds;
use margay_models::model::Model;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::Launch;
use crate::residue::Origin;

/// How much is done for a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Steps of the explicit engine before the SAT engine is asked.
    pub steps: u64,
    /// Conflicts of the SAT solver; nothing where only the user's limit of time ends it.
    pub conflicts: Option<u64>,
    /// The most events of a test on all paths together.
    pub events: Option<usize>,
    /// How many tests are made of a launch.
    pub tests: usize,
}

impl Effort {
    /// For a launch that was asked about.
    pub const ASKED: Self = Self { steps: 5_000, conflicts: None, events: None, tests: usize::MAX };
    /// For a launch of few threads that was chosen.
    pub const CHOSEN: Self =
        Self { steps: 5_000, conflicts: Some(30_000), events: Some(96), tests: 4_000 };
    /// For a launch of many threads that was chosen alone: each thread that comes to a barrier
    /// which counts is an event of it.
    pub const ALONE: Self =
        Self { steps: 5_000, conflicts: Some(5_000), events: Some(400), tests: 4_000 };
    /// For a launch of many threads that was chosen.
    pub const LARGE: Self =
        Self { steps: 5_000, conflicts: Some(5_000), events: Some(96), tests: 400 };
    /// For each content of arrays that is tried beside zeros.
    pub const CONTENTS: Self =
        Self { steps: 3_000, conflicts: Some(1_000), events: Some(64), tests: 32 };
    /// For questions beside one that has found something: the verdict is known, and what they take
    /// is what whoever waits for it waits longer.
    pub const BESIDE: Self =
        Self { steps: 3_000, conflicts: Some(200), events: Some(96), tests: 64 };
    /// For each program that a search for a repair asks about.
    pub const REPAIR: Self =
        Self { steps: 3_000, conflicts: Some(2_000), events: Some(64), tests: 64 };
}

impl Effort {
    /// As much as another effort at most.
    pub fn at_most(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Self {
            steps: self.steps.min(other.steps),
            conflicts: least(self.conflicts, other.conflicts),
            events: self.events.into_iter().chain(other.events).min(),
            tests: self.tests.min(other.tests),
        }
    }
}

/// Steps of the explicit engine that are tried before anything else, with all rounds of loops at
/// once.
const FEW: u64 = 2_500;

/// Steps of the explicit engine for a test that is too large for the SAT engine.
const MANY: u64 = 300_000;

/// How many programs a search for a repair asks about.
pub(crate) const REPAIR_QUESTIONS: usize = 400;

/// The engines, prepared for models, and what is known of a kernel in blocks of other sizes.
#[derive(Debug, Default)]
pub(crate) struct Engines {
    runners: RefCell<Vec<(String, Runner)>>,
    /// For blocks of a shape the instructions that read shared memory which nobody wrote; nothing
    /// where the kernel is not written for them.
    pub undefined: RefCell<BTreeMap<[u32; 3], Option<BTreeSet<Origin>>>>,
    /// The shapes of larger blocks that the kernel seems to be written for.
    pub larger_blocks: RefCell<BTreeSet<[u32; 3]>>,
    /// By text, model and bounds the tests in which nothing was found.
    pub without_finding: RefCell<FxHashMap<(String, String, UnfoldingBounds), TestVerdict>>,
    /// The instructions that some thread of some launch comes to.
    pub visited: RefCell<FxHashSet<Origin>>,
}

impl Engines {
    /// Asks about a test: the explicit engine first, which is faster on most; then the SAT engine;
    /// and where the test is too large for that, the explicit one for longer.
    ///
    /// # Errors
    /// As the engines say.
    pub fn run(
        &self,
        test: &Test,
        model: &Model,
        options: &Options,
        effort: Effort,
    ) -> Result<TestVerdict, Error> {
        self.with(model, |runner| Self::run_by(runner, test, options, effort))
    }

    /// Asks the explicit engine alone, for a few steps.
    ///
    /// # Errors
    /// As the engine says.
    pub fn run_quickly(
        &self,
        test: &Test,
        model: &Model,
        options: &Options,
    ) -> Result<TestVerdict, Error> {
        let few = Options { steps: Some(FEW), ..*options };
        self.with(model, |runner| runner.run(test, &few, Choice::Only(Engine::Explicit)))
    }

    /// Is a test another one, but for names, where its threads have these numbers there?
    pub fn is_renamed(
        &self,
        [test, other]: [(&Test, &Options); 2],
        threads: &[usize],
        model: &Model,
    ) -> bool {
        self.with(model, |runner| runner.is_renamed(test, other, threads))
    }

    /// The launch of one block that is as large as the kernel seems to be written for.
    pub fn larger_block(&self) -> Option<Launch> {
        let shapes = self.larger_blocks.borrow();
        shapes
            .iter()
            .max_by_key(|shape| shape.iter().product::<u32>())
            .map(|&shape| Launch::shaped([1; 3], shape))
    }

    pub fn with<T>(&self, model: &Model, ask: impl FnOnce(&mut Runner) -> T) -> T {
        let mut all = self.runners.borrow_mut();
        let at = all.iter().position(|(name, _)| *name == model.source.name).unwrap_or_else(|| {
            all.push((model.source.name.clone(), Runner::new(model)));
            all.len() - 1
        });
        ask(&mut all[at].1)
    }

    fn run_by(
        runner: &mut Runner,
        test: &Test,
        options: &Options,
        effort: Effort,
    ) -> Result<TestVerdict, Error> {
        let few = Options { steps: Some(effort.steps), ..*options };
        let explicit = runner.run(test, &few, Choice::Only(Engine::Explicit));
        let too_large = match explicit {
            Err(Error::Steps) => false,
            Err(Error::Unfold(_) | Error::Large(_)) => true,
            decided => return decided,
        };
        let counted = Options { conflicts: effort.conflicts, events: effort.events, ..*options };
        match runner.run(test, &counted, Choice::Only(Engine::Sat)) {
            Err(Error::Unfold(_) | Error::Formula(_))
                if !too_large && effort.conflicts.is_none() =>
            {
                let many = Options { steps: Some(MANY), ..*options };
                runner.run(test, &many, Choice::Only(Engine::Explicit))
            }
            Err(Error::Unfold(_) | Error::Formula(_)) if !too_large => Err(Error::Steps),
            // What the first engine said of it is as right, and shorter.
            Err(Error::Unfold(_)) if matches!(explicit, Err(Error::Unfold(_))) => explicit,
            decided => decided,
        }
    }
}
