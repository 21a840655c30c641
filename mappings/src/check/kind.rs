//! The kinds of programs that a check asks about, each with its formulas; simple ones first.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::Progress;
use super::case::{Answer, Ask, Decision, Preferred, Setting};
use super::cases::{self, Answers, Costs, Part, join, parts};
use super::certify;
use super::options::{CheckOptions, Level};
use super::program::{self, Learned, Lesson};
use super::questions::{self, Asked};
use super::witness::Fault;
use crate::certificate;
use crate::encode::atoms::Atoms;
use crate::encode::shape::Shape;
use crate::encode::{MindsCycles, Problem, ProblemOptions, Programs, beyond_guarded};
use crate::language::Mapping;
use crate::pool::Pool;

/// A kind of programs (at execution level there is one), with what was learned of it.
pub struct Kind {
    /// The formulas.
    pub problem: Problem,
    /// The questions.
    pub asks: Vec<Ask>,
    /// What was learned.
    pub lessons: BTreeSet<Lesson>,
    /// Why a formula that was to be written was not, if there is one.
    pub unwritten: Mutex<Option<String>>,
    costs: Costs,
}

impl Kind {
    /// All kinds that a check is about.
    pub fn all(mapping: &Mapping, options: &CheckOptions, asked: &Asked) -> Vec<Kind> {
        match options.level {
            Level::Execution => vec![Self::of(mapping, options, asked, (None, None), true)],
            Level::Program => Self::of_programs(mapping, options, asked, false),
        }
    }

    /// The kinds of programs: first guarded ones, then the others, where they can tell. With `defined` the forbidden source execution has
    /// no undefined behaviour itself, as at execution level.
    pub fn of_programs(mapping: &Mapping, options: &CheckOptions, asked: &Asked, defined: bool) -> Vec<Kind> {
        let others = beyond_guarded(&mapping.source, &mapping.target, program::extends(&mapping.source));
        let free = match others {
            None => Some(MindsCycles(false)),
            Some(Programs::Dependent { only_cyclic: true }) => Some(MindsCycles(true)),
            Some(_) => None,
        };
        let free = free.filter(|_| options.guards.is_none() && options.techniques.every_read_guards);
        let guarded = Self::of(mapping, options, asked, (Some(Programs::Guarded), free), defined);
        let others = others.map(|programs| Self::of(mapping, options, asked, (Some(programs), None), defined));
        std::iter::once(guarded).chain(others).collect()
    }

    fn of(
        mapping: &Mapping,
        options: &CheckOptions,
        asked: &Asked,
        (programs, every_read_guards): (Option<Programs>, Option<MindsCycles>),
        defined: bool,
    ) -> Kind {
        let problem_options = ProblemOptions {
            constructs: asked.constructs.clone(),
            typed: options.typed,
            techniques: options.techniques,
            programs,
            defined,
            guards: options.guards,
            every_read_guards,
        };
        let mut problem = Problem::new(mapping, &problem_options, &asked.questions);
        let asks = questions::asks(&mut problem, asked, options);
        Kind { problem, asks, lessons: BTreeSet::new(), unwritten: Mutex::default(), costs: Costs::default() }
    }

    /// What cases of this kind share.
    pub fn setting<'a>(&'a self, mapping: &'a Mapping, options: &'a CheckOptions, answers: Option<&'a Answers>) -> Setting<'a> {
        Setting {
            mapping,
            problem: &self.problem,
            asks: &self.asks,
            options,
            lessons: &self.lessons,
            costs: &self.costs,
            answers,
            unwritten: &self.unwritten,
        }
    }

    /// Keeps what the shapes of a bound cost, and what their races teach about all shapes.
    pub fn learn_from(&mut self, decided: &[Decided<'_>]) {
        for Decided { shape, decisions, .. } in decided {
            self.costs.learn(shape, decisions);
            self.learn(shape, decisions.iter().map(|d| &d.learned));
        }
    }

    /// Keeps what races teach about all shapes.
    pub fn learn<'a>(&mut self, shape: &Shape, learned: impl Iterator<Item = &'a Learned>) {
        let atoms = Atoms::new(shape, self.problem.vocabulary.content.slots);
        learned.for_each(|l| program::collect(&mut self.lessons, l.races(), &atoms));
    }
}

/// What came out for a shape.
pub struct Decided<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// The answers to the open questions.
    pub decisions: Vec<Decision>,
    /// At program level, where there is one question: its preferred counterexample. `None` without one, if a limit was reached, or
    /// if another shape's has weaker annotations.
    pub preferred: Option<Preferred>,
    /// The parts with a proof of what has no counterexample, where one was asked for and accepted.
    pub certified: Certified,
}

/// What there is of proofs.
#[derive(Default)]
pub struct Certified {
    /// The parts with a proof.
    pub cases: Vec<certificate::Case>,
    /// Why others have none, although one was asked for.
    pub unwritten: Vec<String>,
}

/// The shape whose counterexample the others of as many threads must beat.
struct Leader {
    threads: usize,
    /// Its place in the order in which shapes are decided.
    place: usize,
    annotations: u64,
}

/// How far a shape is.
struct Open {
    /// Parts that are not decided yet.
    left: usize,
    /// The decisions about each part, in their order.
    decided: Vec<(usize, Vec<Decision>)>,
    /// Their proofs.
    certified: Certified,
}

/// Decides the open questions for the shapes. Where a counterexample is likely, at program level, those of few threads come first: it
/// makes shapes of more threads needless, unless every shape is asked for, and among shapes of as many threads the others are then
/// asked for weaker annotations alone. At execution level the cases that are predicted to cost most come first, so that no thread is
/// left with a long one at the end; there a counterexample at the bounds where this matters is rare. What is returned does not depend
/// on the number of threads that work, nor on the order, but for shapes after the first with a counterexample, which have no decisions
/// then.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn decide<'a>(
    setting: &Setting<'_>,
    shapes: &'a [Shape],
    open: &[usize],
    (pool, progress): (&Pool, &dyn Progress),
) -> Result<Vec<Decided<'a>>, Fault> {
    let options = setting.options;
    let every_shape = options.keep_going || options.all.is_some() || options.next.is_some();
    let prefers = options.level == Level::Program && options.all.is_none();
    let (next, done, fewest) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let leader: Mutex<Option<Leader>> = Mutex::default();
    let needless = |shape: &Shape| !every_shape && shape.threads() > fewest.load(Ordering::Relaxed);
    let to_beat = |shape: &Shape, place: usize| {
        let leader = leader.lock().unwrap_or_else(PoisonError::into_inner);
        let ahead = leader.as_ref().filter(|l| !every_shape && l.threads == shape.threads() && l.place < place);
        ahead.map(|l| l.annotations)
    };
    let mut order: Vec<&'a Shape> = shapes.iter().collect();
    order.sort_by(|a, b| (a.threads(), a.sizes()).cmp(&(b.threads(), b.sizes())));
    let mut work: Vec<(usize, Part<'a>)> = Vec::new();
    for part in parts(setting, shapes, open, options.split) {
        let place = order.iter().position(|&shape| shape == part.shape).unwrap_or(0);
        work.push((place, part));
    }
    work.sort_by_key(|&(place, _)| place);
    let mut states: Vec<Open> =
        order.iter().map(|_| Open { left: 0, decided: Vec::new(), certified: Certified::default() }).collect();
    work.iter().for_each(|&(place, _)| states[place].left += 1);
    let states: Vec<Mutex<Open>> = states.into_iter().map(Mutex::new).collect();
    if options.level == Level::Execution || options.split.is_some() {
        // Stable: where nothing is predicted yet, few threads first.
        work.sort_by(|(_, a), (_, b)| b.predicted().total_cmp(&a.predicted()));
    }
    let costs: Option<Vec<f64>> = work.iter().map(|(_, part)| Some(part.cost?.seconds)).collect();
    let spent: Mutex<f64> = Mutex::default();
    // Told for cases that cost something; where one is not predicted, nothing is known of the whole.
    let told = |index: Option<usize>| {
        let Some(costs) = &costs else { return progress.cost(0.0, 0.0, pool.size()) };
        let mut spent = spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent += index.map_or(0.0, |index| costs[index]);
        progress.cost(*spent, costs.iter().sum(), pool.size());
    };
    told(None);
    if let Some(answers) = setting.answers {
        let parts: Vec<Part<'_>> = work.iter().map(|(_, part)| part.clone()).collect();
        cases::elsewhere(setting, answers, &parts, progress);
    }
    let finish = |shape: &'a Shape, place: usize, decisions: Vec<Decision>, certified: Certified| -> Result<Decided<'a>, Fault> {
        if let (Some(most), &[question]) = (to_beat(shape, place), open) {
            let preferred = cases::preferred(setting, shape, question, &Learned::default(), Some(most), progress)?;
            return Ok(Decided { shape, decisions: Vec::new(), preferred, certified: Certified::default() });
        }
        let found = decisions.iter().find(|d| d.answer == Answer::Found);
        if found.is_some() {
            fewest.fetch_min(shape.threads(), Ordering::Relaxed);
        }
        let preferred = match found.filter(|_| prefers && !needless(shape)) {
            Some(found) => cases::preferred(setting, shape, found.question, &found.learned, None, progress)?,
            None => None,
        };
        if let Some(preferred) = &preferred {
            let new = Leader { threads: shape.threads(), place, annotations: preferred.cost[0] };
            let mut leader = leader.lock().unwrap_or_else(PoisonError::into_inner);
            if leader.as_ref().is_none_or(|old| (new.threads, new.place) < (old.threads, old.place)) {
                *leader = Some(new);
            }
        }
        Ok(Decided { shape, decisions, preferred, certified })
    };
    // The decisions about a shape, once all its parts are decided.
    let of_part = |index: usize| -> Option<(usize, Result<Decided<'a>, Fault>)> {
        let (place, part) = &work[index];
        let shape = order[*place];
        let skip = needless(shape) || (open.len() == 1 && to_beat(shape, *place).is_some());
        let answered = if skip { Ok(None) } else { cases::decide(setting, part, progress).map(Some) };
        let (decided, certified, unwritten) = match answered {
            Ok(None) => (Vec::new(), None, None),
            Ok(Some(answered)) => {
                let certified = certify::case(part, &answered);
                (answered.decisions, certified, answered.unwritten)
            }
            Err(disagreement) => return Some((*place, Err(disagreement))),
        };
        let of_shape = {
            let mut state = states[*place].lock().unwrap_or_else(PoisonError::into_inner);
            state.decided.push((index, decided));
            state.certified.cases.extend(certified);
            state.certified.unwritten.extend(unwritten);
            state.left -= 1;
            (state.left == 0).then(|| (std::mem::take(&mut state.decided), std::mem::take(&mut state.certified)))
        };
        let (mut of_shape, mut certified) = of_shape?;
        of_shape.sort_by_key(|&(index, _)| index);
        certified.cases.sort_by(|a, b| a.proof.file.cmp(&b.proof.file));
        certified.unwritten.sort();
        let decisions = join(open, of_shape.into_iter().map(|(_, decided)| decided).collect());
        let decisions = if needless(shape) { Vec::new() } else { decisions };
        let decided = finish(shape, *place, decisions, certified);
        progress.shape(&shape.to_string(), done.fetch_add(1, Ordering::Relaxed) + 1);
        Some((*place, decided))
    };
    let start = Instant::now();
    let busy: Mutex<Vec<f64>> = Mutex::default();
    let all: Mutex<Vec<(usize, Result<Decided<'a>, Fault>)>> = Mutex::default();
    pool.install(|| {
        (0..pool.size()).into_par_iter().with_max_len(1).for_each(|_| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= work.len() {
                    break;
                }
                let decided = of_part(index);
                told(Some(index));
                all.lock().unwrap_or_else(PoisonError::into_inner).extend(decided);
            }
            busy.lock().unwrap_or_else(PoisonError::into_inner).push(start.elapsed().as_secs_f64());
        });
    });
    let (wall, busy) = (start.elapsed().as_secs_f64(), busy.into_inner().unwrap_or_else(PoisonError::into_inner));
    let share = 100.0 * busy.iter().sum::<f64>() / (wall * busy.len().max(1) as f64).max(f64::MIN_POSITIVE);
    tracing::info!("{} events: {wall:.2} s, workers were busy {share:.1} % of it", order.first().map_or(0, |s| s.events()));
    // What was decided beyond the fewest threads, and after the first shape with a counterexample, depends on the number of jobs: it
    // does not count.
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|&(place, _)| place);
    let most = if every_shape { usize::MAX } else { fewest.into_inner() };
    let all = all.into_iter().filter(|&(place, _)| order[place].threads() <= most).map(|(_, decided)| decided);
    let mut all: Vec<Decided<'a>> = all.collect::<Result<_, _>>()?;
    if prefers && !every_shape {
        let is_found = |of: &Decided<'_>| of.decisions.iter().any(|d| d.answer == Answer::Found);
        let first = all.iter().position(is_found).map_or(all.len(), |first| first + 1);
        all[first..].iter_mut().filter(|of| of.shape.threads() == most).for_each(|of| of.decisions.clear());
    }
    all.sort_by_key(|of| shapes.iter().position(|shape| shape == of.shape));
    Ok(all)
}
