//! The kinds of programs that a check asks about, each with its formulas; simple ones first.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::Progress;
use super::case::{self, Answer, Ask, Decision, Extent, Preferred, Setting};
use super::options::{CheckOptions, Level};
use super::program::{self, Lesson};
use super::questions::{self, Asked};
use super::witness::Disagreement;
use crate::encode::atoms::Atoms;
use crate::encode::shape::Shape;
use crate::encode::{MindsCycles, Problem, ProblemOptions, Programs, beyond_guarded};
use crate::language::Mapping;

/// A kind of programs (at execution level there is one), with what was learned of it.
pub struct Kind {
    /// The formulas.
    pub problem: Problem,
    /// The questions.
    pub asks: Vec<Ask>,
    lessons: BTreeSet<Lesson>,
}

impl Kind {
    /// All kinds that a check is about: at program level first guarded programs, then the others, where they can tell.
    pub fn all(mapping: &Mapping, options: &CheckOptions, asked: &Asked) -> Vec<Kind> {
        let of = |programs: Option<Programs>, every_read_guards: Option<MindsCycles>| {
            let problem_options = ProblemOptions {
                constructs: asked.constructs.clone(),
                typed: options.typed,
                techniques: options.techniques,
                programs,
                guards: options.guards,
                every_read_guards,
            };
            let mut problem = Problem::new(mapping, &problem_options, &asked.questions);
            let asks = questions::asks(&mut problem, asked, options);
            Kind { problem, asks, lessons: BTreeSet::new() }
        };
        if options.level == Level::Execution {
            return vec![of(None, None)];
        }
        let others = beyond_guarded(&mapping.source, &mapping.target, program::extends(&mapping.source));
        let free = match others {
            None => Some(MindsCycles(false)),
            Some(Programs::Dependent { only_cyclic: true }) => Some(MindsCycles(true)),
            Some(_) => None,
        };
        let free = free.filter(|_| options.guards.is_none() && options.techniques.every_read_guards);
        let guarded = of(Some(Programs::Guarded), free);
        std::iter::once(guarded).chain(others.map(|programs| of(Some(programs), None))).collect()
    }

    /// What cases of this kind share.
    pub fn setting<'a>(&'a self, mapping: &'a Mapping, options: &'a CheckOptions) -> Setting<'a> {
        Setting { mapping, problem: &self.problem, asks: &self.asks, options, lessons: &self.lessons }
    }

    /// Keeps what races teach about all shapes.
    pub fn learn(&mut self, decided: &[Decided<'_>]) {
        for Decided { shape, decisions, .. } in decided {
            let atoms = Atoms::new(shape, self.problem.vocabulary.content.slots);
            decisions.iter().for_each(|d| program::collect(&mut self.lessons, &d.learned.races, &atoms));
        }
    }
}

/// What came out for a shape.
pub struct Decided<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// The answers to the open questions.
    pub decisions: Vec<Decision>,
    /// At program level, where there is one question: its preferred counterexample. `None` without one, or if a limit was reached.
    pub preferred: Option<Preferred>,
}

/// Decides the open questions for the shapes, those of few threads first: a counterexample there makes shapes of more threads
/// needless, unless every shape is asked for. Among shapes of as many threads the even ones are the expensive ones, and come first, so
/// that no thread is left with a long case at the end. What is returned does not depend on the number of threads that work.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn decide<'a>(
    setting: &Setting<'_>,
    shapes: &'a [Shape],
    open: &[usize],
    pool: &ThreadPool,
    progress: &dyn Progress,
) -> Result<Vec<Decided<'a>>, Disagreement> {
    let options = setting.options;
    let every_shape = options.keep_going || options.all.is_some();
    let prefers = options.level == Level::Program && options.all.is_none();
    let (next, done, fewest) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let needless = |shape: &Shape| !every_shape && shape.threads() > fewest.load(Ordering::Relaxed);
    let of_shape = |shape: &'a Shape| -> Result<Decided<'a>, Disagreement> {
        let decisions = if needless(shape) { Vec::new() } else { case::decide(setting, Extent::Shape(shape), open)? };
        let found = decisions.iter().find(|d| d.answer == Answer::Found);
        if found.is_some() {
            fewest.fetch_min(shape.threads(), Ordering::Relaxed);
        }
        let preferred = match found.filter(|_| prefers && !needless(shape)) {
            Some(found) => case::preferred(setting, shape, found.question, &found.learned)?,
            None => None,
        };
        Ok(Decided { shape, decisions, preferred })
    };
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    order.sort_by_key(|&i| (shapes[i].threads(), shapes[i].sizes()[0]));
    let all: Mutex<Vec<(usize, Result<Decided<'a>, Disagreement>)>> = Mutex::default();
    pool.install(|| {
        (0..pool.current_num_threads()).into_par_iter().with_max_len(1).for_each(|_| {
            while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let decided = of_shape(&shapes[i]);
                all.lock().unwrap_or_else(PoisonError::into_inner).push((i, decided));
                progress.shape(&shapes[i].to_string(), done.fetch_add(1, Ordering::Relaxed) + 1);
            }
        });
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|&(i, _)| i);
    // What was decided beyond the fewest threads depends on the number of jobs: it does not count.
    let most = if every_shape { usize::MAX } else { fewest.into_inner() };
    all.into_iter().filter(|&(i, _)| shapes[i].threads() <= most).map(|(_, decided)| decided).collect()
}
