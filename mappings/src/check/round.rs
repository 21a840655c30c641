//! The shapes of one bound, each decided for the questions that are open: in which order, and which
//! of them need not be.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::case::{CaseAnswer, CaseDecision, CheckSetting, Preferred, Wanted};
use super::cases::{CasePart, Decider, PartAnswer, join, parts};
use super::certify;
use super::program::Learned;
use crate::certificate;
use crate::encode::shape::ThreadShape;
use crate::level::Level;
use crate::pool::SearchThreads;
use crate::search::Done;
use crate::witness::SearchFault;

/// What came out for a shape.
pub struct DecidedShape<'a> {
    pub shape: &'a ThreadShape,
    /// The answers to the open questions.
    pub decisions: Vec<CaseDecision>,
    /// At program level, where there is one question: its preferred counterexample. `None` without
    /// one, if a limit was reached, or if another shape's has weaker annotations.
    pub preferred: Option<Preferred>,
    /// The parts with a proof of what has no counterexample, where one was asked for and accepted.
    pub certified: RoundProofs,
}

#[derive(Default)]
pub struct RoundProofs {
    /// The parts with a proof.
    pub cases: Vec<certificate::CertifiedCase>,
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
struct OpenShape {
    /// Parts that are not decided yet.
    left: usize,
    /// The decisions about each part, in their order.
    decided: Vec<(usize, Vec<CaseDecision>)>,
    certified: RoundProofs,
}

/// The shapes of a bound.
struct Round<'a, 's> {
    setting: &'s CheckSetting<'s>,
    decider: &'s dyn Decider,
    open: &'s [usize],
    /// How many shapes are done.
    done: &'s Done<'s>,
    /// The shapes, few threads first.
    order: Vec<&'a ThreadShape>,
    /// The parts of their cases, each with the place of its shape, in the order in which they are
    /// decided.
    work: Vec<(usize, CasePart<'a>)>,
    states: Vec<Mutex<OpenShape>>,
    /// The fewest threads of a shape with a counterexample.
    fewest: AtomicUsize,
    leader: Mutex<Option<Leader>>,
    /// What is predicted for the parts that are done, in seconds.
    spent: Mutex<f64>,
}

/// What is behind a lock, though a thread has panicked that held it.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides the open questions for the shapes. Where a counterexample is likely, at program level,
/// those of few threads come first: it makes shapes of more threads needless, unless every shape is
/// asked for, and among shapes of as many threads the others are then asked for weaker annotations
/// alone. At execution level the cases that are predicted to cost most come first, so that no
/// thread is left with a long one at the end; there a counterexample at the bounds where this
/// matters is rare. What is returned does not depend on the number of threads that work, nor on the
/// order, but for shapes after the first with a counterexample, which have no decisions then.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn decide<'a>(
    setting: &CheckSetting<'_>,
    decider: &dyn Decider,
    (shapes, open): (&'a [ThreadShape], &[usize]),
    (pool, done): (&SearchThreads, &Done<'_>),
) -> Result<Vec<DecidedShape<'a>>, SearchFault> {
    let round = Round::new(setting, decider, (shapes, open), done);
    let parts: Vec<CasePart<'_>> = round.work.iter().map(|(_, part)| part.clone()).collect();
    round.tell(None, pool.size());
    decider.begin(setting, &parts);
    let all = pool.each(round.work.len(), |index| {
        let decided = round.part(index);
        round.tell(Some(index), pool.size());
        decided
    });
    let mut all = round.counted(all.into_iter().flatten().collect())?;
    all.sort_by_key(|of| shapes.iter().position(|shape| shape == of.shape));
    Ok(all)
}

impl<'a, 's> Round<'a, 's> {
    fn new(
        setting: &'s CheckSetting<'s>,
        decider: &'s dyn Decider,
        (shapes, open): (&'a [ThreadShape], &'s [usize]),
        done: &'s Done<'s>,
    ) -> Self {
        let options = setting.options;
        let mut order: Vec<&'a ThreadShape> = shapes.iter().collect();
        order.sort_by(|a, b| (a.threads(), a.sizes()).cmp(&(b.threads(), b.sizes())));
        let place =
            |part: &CasePart<'a>| order.iter().position(|&shape| shape == part.shape).unwrap_or(0);
        let parts = parts(setting, shapes, open, options.split);
        let mut work: Vec<(usize, CasePart<'a>)> =
            parts.into_iter().map(|part| (place(&part), part)).collect();
        work.sort_by_key(|&(place, _)| place);
        let mut states: Vec<OpenShape> = order
            .iter()
            .map(|_| OpenShape { left: 0, decided: Vec::new(), certified: RoundProofs::default() })
            .collect();
        work.iter().for_each(|&(place, _)| states[place].left += 1);
        if options.level == Level::Execution || options.split.is_some() {
            // Stable: where nothing is predicted yet, few threads first.
            work.sort_by(|(_, a), (_, b)| b.predicted().total_cmp(&a.predicted()));
        }
        Self {
            setting,
            decider,
            open,
            done,
            order,
            work,
            states: states.into_iter().map(Mutex::new).collect(),
            fewest: AtomicUsize::new(usize::MAX),
            leader: Mutex::default(),
            spent: Mutex::default(),
        }
    }

    fn wants_every_shape(&self) -> bool {
        let options = self.setting.options;
        options.keep_going || options.all.is_some() || options.next.is_some()
    }

    fn prefers(&self) -> bool {
        self.setting.options.level == Level::Program && self.setting.options.all.is_none()
    }

    fn is_needless(&self, shape: &ThreadShape) -> bool {
        !self.wants_every_shape() && shape.threads() > self.fewest.load(Ordering::Relaxed)
    }

    /// The annotations of the counterexample that one of this shape must beat.
    fn to_beat(&self, shape: &ThreadShape, place: usize) -> Option<u64> {
        let leader = locked(&self.leader);
        let is_ahead = |l: &&Leader| {
            !self.wants_every_shape() && l.threads == shape.threads() && l.place < place
        };
        leader.as_ref().filter(is_ahead).map(|l| l.annotations)
    }

    /// Tells what the parts cost that are done, one more among them; where one is not predicted,
    /// nothing is known of the whole.
    fn tell(&self, index: Option<usize>, workers: usize) {
        let costs: Option<Vec<f64>> =
            self.work.iter().map(|(_, part)| Some(part.cost?.seconds)).collect();
        let Some(costs) = costs else { return self.done.progress.cost(0.0, 0.0, workers) };
        let mut spent = locked(&self.spent);
        *spent += index.map_or(0.0, |index| costs[index]);
        self.done.progress.cost(*spent, costs.iter().sum(), workers);
    }

    /// Decides a part. Returns the decisions about its shape, with the place of that, once all its
    /// parts are decided.
    fn part(&self, index: usize) -> Option<(usize, Result<DecidedShape<'a>, SearchFault>)> {
        let (place, part) = &self.work[index];
        let (place, shape) = (*place, self.order[*place]);
        let skip = self.is_needless(shape)
            || (self.open.len() == 1 && self.to_beat(shape, place).is_some());
        let answered = if skip { None } else { Some(self.decider.decide(self.setting, part)) };
        let answered = match answered.transpose() {
            Ok(answered) => answered,
            Err(fault) => return Some((place, Err(fault))),
        };
        let (mut decided, mut certified) = {
            let mut state = locked(&self.states[place]);
            state
                .certified
                .cases
                .extend(answered.as_ref().and_then(|answered| certify::case(part, answered)));
            let PartAnswer { decisions, unwritten, .. } = answered.unwrap_or_default();
            state.certified.unwritten.extend(unwritten);
            state.decided.push((index, decisions));
            state.left -= 1;
            if state.left > 0 {
                return None;
            }
            (std::mem::take(&mut state.decided), std::mem::take(&mut state.certified))
        };
        decided.sort_by_key(|&(index, _)| index);
        certified.cases.sort_by(|a, b| a.proof.file.cmp(&b.proof.file));
        certified.unwritten.sort();
        let decisions = join(self.open, decided.into_iter().map(|(_, decided)| decided).collect());
        let decisions = if self.is_needless(shape) { Vec::new() } else { decisions };
        let decided = self.shape(shape, place, decisions, certified);
        self.done.shape(shape);
        Some((place, decided))
    }

    /// What comes out for a shape, whose parts are decided: with its preferred counterexample,
    /// where one is chosen.
    fn shape(
        &self,
        shape: &'a ThreadShape,
        place: usize,
        decisions: Vec<CaseDecision>,
        certified: RoundProofs,
    ) -> Result<DecidedShape<'a>, SearchFault> {
        if let (Some(most), &[question]) = (self.to_beat(shape, place), self.open) {
            let wanted = Wanted { shape, question, learned: &Learned::default(), most: Some(most) };
            let preferred = self.decider.preferred(self.setting, &wanted)?;
            return Ok(DecidedShape {
                shape,
                decisions: Vec::new(),
                preferred,
                certified: RoundProofs::default(),
            });
        }
        let found = decisions.iter().find(|d| d.answer == CaseAnswer::Found);
        if found.is_some() {
            self.fewest.fetch_min(shape.threads(), Ordering::Relaxed);
        }
        let preferred = match found.filter(|_| self.prefers() && !self.is_needless(shape)) {
            Some(CaseDecision { question, learned, .. }) => {
                let wanted = Wanted { shape, question: *question, learned, most: None };
                self.decider.preferred(self.setting, &wanted)?
            }
            None => None,
        };
        if let Some(preferred) = &preferred {
            let new = Leader { threads: shape.threads(), place, annotations: preferred.cost[0] };
            let mut leader = locked(&self.leader);
            if leader.as_ref().is_none_or(|old| (new.threads, new.place) < (old.threads, old.place))
            {
                *leader = Some(new);
            }
        }
        Ok(DecidedShape { shape, decisions, preferred, certified })
    }

    /// Without what depends on the number of jobs: what was decided beyond the fewest threads, and
    /// after the first shape with a counterexample.
    fn counted(
        &self,
        mut all: Vec<(usize, Result<DecidedShape<'a>, SearchFault>)>,
    ) -> Result<Vec<DecidedShape<'a>>, SearchFault> {
        all.sort_by_key(|&(place, _)| place);
        let every_shape = self.wants_every_shape();
        let most = if every_shape { usize::MAX } else { self.fewest.load(Ordering::Relaxed) };
        let all = all
            .into_iter()
            .filter(|&(place, _)| self.order[place].threads() <= most)
            .map(|(_, decided)| decided);
        let mut all: Vec<DecidedShape<'a>> = all.collect::<Result<_, _>>()?;
        if self.prefers() && !every_shape {
            let is_found =
                |of: &DecidedShape<'_>| of.decisions.iter().any(|d| d.answer == CaseAnswer::Found);
            let first = all.iter().position(is_found).map_or(all.len(), |first| first + 1);
            all[first..]
                .iter_mut()
                .filter(|of| of.shape.threads() == most)
                .for_each(|of| of.decisions.clear());
        }
        Ok(all)
    }
}
