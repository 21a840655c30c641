//! The kinds of programs that a check asks about, each with its formulas; simple ones first.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::Progress;
use super::case::{self, Answer, Ask, Decision, Extent, Setting};
use super::options::{CheckOptions, Level};
use super::program::{self, Lesson};
use super::questions::{self, Asked};
use super::witness::Disagreement;
use crate::encode::atoms::Atoms;
use crate::encode::shape::Shape;
use crate::encode::{Problem, ProblemOptions, Programs, beyond_guarded};
use crate::language::Mapping;

/// A kind of programs (at execution level there is one), with what was learned of it.
pub struct Kind {
    /// The formulas.
    pub problem: Problem,
    /// The questions.
    pub asks: Vec<Ask>,
    lessons: BTreeSet<Lesson>,
}

/// The shapes that were decided, each with the answers to the open questions.
pub type Decided<'a> = Vec<(&'a Shape, Vec<Decision>)>;

impl Kind {
    /// All kinds that a check is about: at program level first guarded programs, then the others, where they can tell.
    pub fn all(mapping: &Mapping, options: &CheckOptions, asked: &Asked) -> Vec<Kind> {
        let of = |programs: Option<Programs>| {
            let problem_options = ProblemOptions {
                constructs: asked.constructs.clone(),
                typed: options.typed,
                techniques: options.techniques,
                programs,
                guards: options.guards,
            };
            let mut problem = Problem::new(mapping, &problem_options, &asked.questions);
            let asks = questions::asks(&mut problem, asked, options);
            Kind { problem, asks, lessons: BTreeSet::new() }
        };
        if options.level == Level::Execution {
            return vec![of(None)];
        }
        let mut kinds = vec![of(Some(Programs::Guarded))];
        let others = beyond_guarded(&mapping.source, &mapping.target, program::extends(&mapping.source));
        kinds.extend(others.map(|programs| of(Some(programs))));
        kinds
    }

    /// What cases of this kind share.
    pub fn setting<'a>(&'a self, mapping: &'a Mapping, options: &'a CheckOptions) -> Setting<'a> {
        Setting { mapping, problem: &self.problem, asks: &self.asks, options, lessons: &self.lessons }
    }

    /// Keeps what races teach about all shapes.
    pub fn learn(&mut self, decided: &Decided<'_>) {
        for (shape, decisions) in decided {
            let atoms = Atoms::new(shape, self.problem.vocabulary.content.slots);
            decisions.iter().for_each(|d| program::collect(&mut self.lessons, &d.learned.races, &atoms));
        }
    }
}

/// Decides the open questions for the shapes, those of few threads first: a counterexample there makes shapes of more threads
/// needless, unless every shape is asked for. They are the expensive ones, too, so that no thread is left with a long case at the
/// end. What is returned does not depend on the number of threads that work.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn decide<'a>(
    setting: &Setting<'_>,
    shapes: &'a [Shape],
    open: &[usize],
    every_shape: bool,
    pool: &ThreadPool,
    progress: &dyn Progress,
) -> Result<Decided<'a>, Disagreement> {
    let (done, fewest) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let all: Vec<(&Shape, Result<Vec<Decision>, Disagreement>)> = pool.install(|| {
        let decide = |shape: &'a Shape| {
            let needless = !every_shape && shape.threads() > fewest.load(Ordering::Relaxed);
            let decisions = if needless { Ok(Vec::new()) } else { case::decide(setting, Extent::Shape(shape), open) };
            if decisions.iter().flatten().any(|d| d.answer == Answer::Found) {
                fewest.fetch_min(shape.threads(), Ordering::Relaxed);
            }
            progress.shape(&shape.to_string(), done.fetch_add(1, Ordering::Relaxed) + 1);
            (shape, decisions)
        };
        shapes.par_iter().with_max_len(1).map(decide).collect()
    });
    // What was decided beyond the fewest threads depends on the number of jobs: it does not count.
    let most = if every_shape { usize::MAX } else { fewest.into_inner() };
    all.into_iter().filter(|(s, _)| s.threads() <= most).map(|(s, d)| Ok((s, d?))).collect()
}
