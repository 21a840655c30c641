//! The search for one execution of a skeleton that the model allows and that reaches a goal.
//!
//! First reads-from, read by read: each choice passes values on, and is taken back as soon as a
//! supposition of the path, the condition, or an axiom fails on the bounds of what is known. Then
//! which write of a location is the last one, where the condition asks. Then coherence and fence
//! order: every open pair is tried in each way, what fails at once is excluded, and only what is
//! open then is branched over. Nothing is left out: the search is exact for any model in .cat.

use margay_models::bits::{BitMatrix, Event, EventWord};
use margay_models::evaluate::Plan;
use margay_models::execution::{Execution, Kind};
use margay_models::judge::Judge;
use margay_models::signature::Signature;

use super::cycle::CycleValues;
use super::interval::{CheckStatus, ChosenBounds, IntervalMachine};
use super::order::{Pair, PartialOrder};
use crate::outcome::{KnownValues, Outcome};
use crate::unfold::{Skeleton, WriteValue};
use crate::verdict::{Error, Options};

/// What an execution is looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct SearchGoal {
    /// Propositions with the value that they must have.
    pub outcomes: Vec<(Outcome, bool)>,
    /// A check with the outcome that its test must have.
    pub check: Option<(usize, bool)>,
}

/// An execution that was found, with the last write of each physical location that the goal asks
/// for.
#[derive(Debug, Clone)]
pub(super) struct FoundExecution {
    pub execution: Execution,
    pub finals: Vec<Option<Event>>,
}

/// What the bounds say of the axioms and the goal's check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Refuted,
    Settled,
    Open,
}

/// Working space and counters that outlive one skeleton.
pub(super) struct SearchWorkspace<'a> {
    pub plan: &'a Plan,
    pub machine: &'a mut IntervalMachine,
    pub judge: &'a mut Judge,
    /// The checks that must hold, the one that failed last first.
    pub axioms: &'a mut Vec<usize>,
    /// What was done and what may be.
    pub effort: &'a mut SearchEffort,
    pub cycles: &'a CycleValues<'a>,
    /// The number of the skeleton.
    pub number: usize,
    /// For each thread the class of those that can be exchanged with it in this skeleton; none
    /// where all executions are wanted.
    pub twins: Vec<Option<(usize, usize)>>,
    /// Where all executions are wanted: those that were found.
    pub list: Option<&'a mut List>,
}

/// Executions that a search goes on behind: it ends with the last one that is wanted.
#[derive(Debug, Default)]
pub(super) struct List {
    /// Each once, in the order of the search.
    pub found: Vec<FoundExecution>,
    /// How many are wanted.
    pub most: usize,
}

impl List {
    /// Takes one in; gives it back if it is the last that is wanted.
    fn take(&mut self, found: FoundExecution) -> Option<FoundExecution> {
        // One execution may have several last writes where coherence is partial.
        if !self.found.iter().any(|known| known.execution == found.execution) {
            self.found.push(found.clone());
        }
        (self.found.len() >= self.most).then_some(found)
    }
}

/// The effort of all searches for one answer.
#[derive(Debug, Clone)]
pub(super) struct SearchEffort {
    /// Executions looked at.
    pub executions: u64,
    /// The looks that are left.
    pub steps_left: Option<u64>,
    options: Options,
    /// Why it was given up, if it was: nothing is found from there on.
    pub spent: Option<Error>,
}

impl SearchEffort {
    /// Nothing is done yet.
    pub fn new(options: &Options) -> Self {
        Self { executions: 0, steps_left: options.steps, options: *options, spent: None }
    }

    /// Is the time up, or no answer wanted any more?
    pub fn is_over(&self) -> bool {
        self.options.is_over()
    }

    /// Counts a step; `false` if it is one too many.
    fn step(&mut self) -> bool {
        if self.spent.is_none() {
            match &mut self.steps_left {
                Some(0) => self.spent = Some(Error::Steps),
                Some(steps) => *steps -= 1,
                None => {}
            }
            if self.options.is_over() {
                self.spent = Some(Error::Time);
            }
        }
        self.spent.is_none()
    }
}

pub(super) struct SkeletonSearch<'a, 'e> {
    engine: &'a mut SearchWorkspace<'e>,
    skeleton: &'a Skeleton,
    goal: &'a SearchGoal,
    /// The reads, and for each the writes that it may read from.
    reads: Vec<(Event, EventWord)>,
    rf_must: Vec<u64>,
    rf_may: Vec<u64>,
    /// The source of each read, as far as it is chosen.
    source: Vec<Option<Event>>,
    /// The value of each event, as far as it is known.
    values: Vec<Option<i64>>,
    /// Values of reads that only a cycle of values determines.
    guesses: Vec<(Event, i64)>,
    finals: Vec<Option<Event>>,
    /// What the program alone says of the orders.
    co: PartialOrder,
    sync_fence: PartialOrder,
    /// Was the judge prepared for this skeleton?
    prepared: bool,
    /// The execution that is filled in for the judge.
    execution: Execution,
}

impl<'a, 'e> SkeletonSearch<'a, 'e> {
    /// `signature`: that of the model, which says which orders are chosen.
    pub fn new(
        engine: &'a mut SearchWorkspace<'e>,
        skeleton: &'a Skeleton,
        goal: &'a SearchGoal,
        signature: Signature,
    ) -> Self {
        let x = &skeleton.execution;
        let total = signature.total_coherence();
        let n = x.size();
        let kind = |e: usize| x.events[e].kind;
        let is_write = |e: usize| matches!(kind(e), Kind::Init | Kind::Write);
        let physical = |e: usize| x.physical(Event::from(e));
        let same_place = |keep: &dyn Fn(usize) -> bool, of: usize| -> EventWord {
            (0..n).filter(|&e| keep(e) && physical(e) == physical(of)).map(Event::from).collect()
        };
        let reads: Vec<(Event, EventWord)> = (0..n)
            .filter(|&e| kind(e) == Kind::Read)
            .map(|r| (Event::from(r), same_place(&is_write, r)))
            .collect();
        let mut rf_may = vec![0; n];
        for (r, sources) in &reads {
            sources.iter().for_each(|w| rf_may[w.index()] |= 1 << r.0);
        }
        let mut co = PartialOrder { must: vec![0; n], may: vec![0; n], related: vec![0; n] };
        for a in (0..n).filter(|&a| is_write(a)) {
            let mut others = same_place(&|e| kind(e) == Kind::Write, a);
            others.remove(Event::from(a));
            co.may[a] = others.0;
            if kind(a) == Kind::Init {
                co.must[a] = others.0;
            } else if total {
                co.related[a] = others.0;
            }
        }
        let mut sync_fence =
            PartialOrder { must: vec![0; n], may: vec![0; n], related: vec![0; n] };
        let fences: EventWord = x.events_as(|e| signature.is_ordered_fence(e));
        for f in fences.iter() {
            sync_fence.may[f.index()] = fences.0 & !(1 << f.0);
        }
        engine.machine.prepare(engine.plan, x);
        Self {
            engine,
            skeleton,
            goal,
            reads,
            rf_must: vec![0; n],
            rf_may,
            source: vec![None; n],
            values: vec![None; n],
            guesses: Vec::new(),
            finals: vec![None; x.locations.len()],
            co,
            sync_fence,
            prepared: false,
            execution: x.clone(),
        }
    }

    /// Excludes each decision about an open pair that fails at once: `None` if no order is left,
    /// and otherwise whether anything was excluded.
    fn exclude_what_fails(
        &mut self,
        co: &mut PartialOrder,
        sync_fence: &mut PartialOrder,
    ) -> Option<bool> {
        let mut learned = false;
        for (is_co, pair) in open_pairs(co, sync_fence) {
            let options =
                if is_co { co.options(pair.0, pair.1) } else { sync_fence.options(pair.0, pair.1) };
            for decision in options {
                let (mut trial_co, mut trial_fence) = (co.clone(), sync_fence.clone());
                (if is_co { &mut trial_co } else { &mut trial_fence }).decide(pair, decision);
                let possible = trial_co.settle()
                    && trial_fence.settle()
                    && self.look_again(&trial_co, &trial_fence) != Look::Refuted;
                if !possible {
                    (if is_co { &mut *co } else { &mut *sync_fence }).exclude(pair, decision);
                    if !co.settle() || !sync_fence.settle() {
                        return None;
                    }
                    learned = true;
                }
            }
        }
        Some(learned)
    }

    pub fn run(&mut self) -> Option<FoundExecution> {
        self.co.settle();
        self.sync_fence.settle();
        if !self.pass_values_on() {
            return None;
        }
        self.engine.machine.rf_is_new();
        let (mut co, mut sync_fence) = (self.co.clone(), self.sync_fence.clone());
        if self.look(&co, &sync_fence) == Look::Refuted {
            return None;
        }
        // What the program alone says of the orders. With the order of one thread's writes known, a
        // read of an overwritten value is refuted when it is chosen: without it, n reads of one
        // thread from k writes are k^n choices.
        self.exclude_what_fails(&mut co, &mut sync_fence)?;
        self.sync_fence = sync_fence;
        if self.engine.twins.iter().all(Option::is_none) {
            return self.choose_source(0, &co);
        }
        // Of many threads alike each may read from any of many writes: what is the last one says
        // which values are wanted.
        let asked = self.asked();
        if !asked.is_empty() {
            // The read-modify-writes say who comes when, and with that most values are known.
            let rmw = self.skeleton.execution.rmw.clone();
            self.reads.sort_by_key(|(r, _)| rmw.row(*r).is_empty());
        }
        self.choose_last(&asked, co)
    }

    /// The locations whose final values the goal asks for.
    fn asked(&self) -> Vec<u16> {
        let mut asked = Vec::new();
        self.goal.outcomes.iter().for_each(|(outcome, _)| outcome.locations(&mut asked));
        asked
    }

    /// Chooses the last write of each location that is asked for, and then where reads read from.
    fn choose_last(&mut self, asked: &[u16], co: PartialOrder) -> Option<FoundExecution> {
        let Some((&location, rest)) = asked.split_first() else {
            return self.choose_source(0, &co);
        };
        let candidates = self.last_writes(location);
        let decided: Vec<Event> = self.finals.iter().flatten().copied().collect();
        let unlike = super::twins::unlike(
            self.skeleton,
            &self.engine.twins,
            (&self.source, &decided),
            candidates.iter(),
        );
        for last in unlike {
            let mut co = co.clone();
            co.may[last.index()] = 0;
            self.finals[usize::from(location)] = Some(last);
            if co.settle()
                && self.pass_values_on()
                && let Some(found) = self.choose_last(rest, co)
            {
                return Some(found);
            }
        }
        self.finals[usize::from(location)] = None;
        self.pass_values_on();
        None
    }

    fn last_writes(&self, location: u16) -> EventWord {
        let x = &self.skeleton.execution;
        let at = |kind: Kind| -> EventWord {
            (0..x.size())
                .map(Event::from)
                .filter(|&e| x.physical(e) == Some(location) && x.events[e.index()].kind == kind)
                .collect()
        };
        let writes = at(Kind::Write);
        if writes.is_empty() { at(Kind::Init) } else { writes }
    }

    /// Chooses where the reads from number `k` on read from; `co` is what the choices so far say of
    /// coherence order.
    fn choose_source(&mut self, k: usize, co: &PartialOrder) -> Option<FoundExecution> {
        let Some(&(read, candidates)) = self.reads.get(k) else {
            return self.guess_values(co);
        };
        let decided: Vec<Event> = self.finals.iter().flatten().copied().chain([read]).collect();
        let unlike = super::twins::unlike(
            self.skeleton,
            &self.engine.twins,
            (&self.source, &decided),
            candidates.iter(),
        );
        for write in unlike {
            if self.engine.effort.spent.is_some() {
                break;
            }
            self.set_source(read, candidates, Some(write));
            if !self.pass_values_on() {
                continue;
            }
            self.engine.machine.rf_is_new();
            let mut co = co.clone();
            let sync_fence = self.sync_fence.clone();
            if self.look(&co, &sync_fence) == Look::Refuted
                || !self.order_modifications(read, write, &mut co)
            {
                continue;
            }
            if let Some(found) = self.choose_source(k + 1, &co) {
                return Some(found);
            }
        }
        self.set_source(read, candidates, None);
        None
    }

    /// If the read belongs to a read-modify-write: what follows for the order of its write, its
    /// source, and other read-modify-writes of that source; `false` if no order is possible. Where
    /// the model says that they are atomic, this cuts the choices of sources for n of them from n^n
    /// down to n!, before any order is chosen.
    fn order_modifications(&mut self, read: Event, source: Event, co: &mut PartialOrder) -> bool {
        let x = &self.skeleton.execution;
        let Some(own) = x.rmw.row(read).iter().next() else { return true };
        let others = (0..x.size())
            .map(Event::from)
            .filter(|&r| r != read && self.source[r.index()] == Some(source))
            .filter_map(|r| x.rmw.row(r).iter().next());
        let pairs: Vec<Pair> = std::iter::once(source)
            .chain(others)
            .map(|other| (own.index().min(other.index()), own.index().max(other.index())))
            .collect();
        let sync_fence = self.sync_fence.clone();
        for pair in pairs {
            for decision in co.options(pair.0, pair.1) {
                let mut trial = co.clone();
                trial.decide(pair, decision);
                if !trial.settle() || self.look_again(&trial, &sync_fence) == Look::Refuted {
                    co.exclude(pair, decision);
                    if !co.settle() {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn set_source(&mut self, read: Event, candidates: EventWord, source: Option<Event>) {
        let bit = 1u64 << read.0;
        for w in candidates.iter() {
            self.rf_must[w.index()] &= !bit;
            self.rf_may[w.index()] |= bit;
            if source.is_some_and(|s| s != w) {
                self.rf_may[w.index()] &= !bit;
            }
        }
        if let Some(s) = source {
            self.rf_must[s.index()] |= bit;
        }
        self.source[read.index()] = source;
    }

    /// Computes every value that follows from what is chosen; `false` if a supposition or the goal
    /// cannot hold any more.
    fn pass_values_on(&mut self) -> bool {
        self.values.fill(None);
        loop {
            let mut changed = false;
            for e in 0..self.values.len() {
                if self.values[e].is_some() {
                    continue;
                }
                let value = match (self.skeleton.writes[e], self.source[e]) {
                    (Some(WriteValue::Known(n)), _) => Some(n),
                    (Some(WriteValue::Computed(thread, symbol)), _) => {
                        self.skeleton.evaluate(thread, symbol, |read| self.values[read.index()])
                    }
                    (None, Some(source)) => self.values[source.index()].or_else(|| {
                        self.guesses.iter().find(|(r, _)| r.index() == e).map(|(_, n)| *n)
                    }),
                    (None, None) => None,
                };
                self.values[e] = value;
                changed |= value.is_some();
            }
            if !changed {
                break;
            }
        }
        let right_guess = |(read, n): &(Event, i64)| {
            let source = self.source[read.index()].and_then(|s| self.values[s.index()]);
            source.is_none_or(|value| value == *n)
        };
        let supposed = self.skeleton.suppositions.iter().all(|&(thread, symbol, holds)| {
            let value = self.skeleton.evaluate(thread, symbol, |read| self.values[read.index()]);
            value.is_none_or(|n| (n != 0) == holds)
        });
        supposed && self.guesses.iter().all(right_guess) && self.goal_is_possible()
    }

    fn goal_is_possible(&self) -> bool {
        let known =
            KnownValues { skeleton: self.skeleton, values: &self.values, finals: &self.finals };
        self.goal
            .outcomes
            .iter()
            .all(|(outcome, wanted)| outcome.evaluate(&known).is_none_or(|value| value == *wanted))
    }

    /// All sources are chosen. Values on a cycle of data and reads-from determine themselves: any
    /// value that does is one (models without an axiom against thin air allow such executions),
    /// within the bound that all engines share.
    fn guess_values(&mut self, co: &PartialOrder) -> Option<FoundExecution> {
        let Some(&(read, _)) = self.reads.iter().find(|(r, _)| self.values[r.index()].is_none())
        else {
            if !self.guesses.is_empty() && !self.within_bound() {
                return None;
            }
            return self.choose_finals(co);
        };
        for value in self.cycle_values(read) {
            self.guesses.push((read, value));
            if self.pass_values_on()
                && let Some(found) = self.guess_values(co)
            {
                return Some(found);
            }
            self.guesses.pop();
        }
        self.pass_values_on();
        None
    }

    /// What a read may return; if that is unknown, the search is given up.
    fn cycle_values(&mut self, read: Event) -> Vec<i64> {
        self.engine.cycles.of(self.skeleton, self.engine.number, read).unwrap_or_else(|error| {
            self.engine.effort.spent = Some(Error::Unfold(error));
            Vec::new()
        })
    }

    /// Do all reads return values of their domains?
    fn within_bound(&mut self) -> bool {
        (0..self.reads.len()).all(|k| {
            let read = self.reads[k].0;
            self.values[read.index()]
                .is_some_and(|v| self.cycle_values(read).binary_search(&v).is_ok())
        })
    }

    /// Chooses the last write of each location whose final value the goal asks for.
    fn choose_finals(&mut self, co: &PartialOrder) -> Option<FoundExecution> {
        self.choose_final(&self.asked(), co.clone())
    }

    fn choose_final(&mut self, asked: &[u16], co: PartialOrder) -> Option<FoundExecution> {
        let Some((&location, rest)) = asked.split_first() else {
            if !self.goal_is_possible() {
                return None;
            }
            return self.choose_orders(co, self.sync_fence.clone());
        };
        if self.finals[usize::from(location)].is_some() {
            return self.choose_final(rest, co);
        }
        for last in self.last_writes(location).iter() {
            let mut co = co.clone();
            // No successor: where the order is total, everything else comes before.
            co.may[last.index()] = 0;
            if !co.settle() {
                continue;
            }
            self.finals[usize::from(location)] = Some(last);
            if self.goal_is_possible()
                && let Some(found) = self.choose_final(rest, co)
            {
                return Some(found);
            }
        }
        self.finals[usize::from(location)] = None;
        None
    }

    /// Chooses coherence and fence order.
    fn choose_orders(
        &mut self,
        mut co: PartialOrder,
        mut sync_fence: PartialOrder,
    ) -> Option<FoundExecution> {
        loop {
            if !co.settle()
                || !sync_fence.settle()
                || self.look_again(&co, &sync_fence) == Look::Refuted
            {
                return None;
            }
            if let Some(found) = self.try_completion(&co, &sync_fence) {
                return Some(found);
            }
            let learned = self.exclude_what_fails(&mut co, &mut sync_fence)?;
            if !learned {
                break;
            }
        }
        let (is_co, pair) = open_pairs(&co, &sync_fence).into_iter().next()?;
        let options =
            if is_co { co.options(pair.0, pair.1) } else { sync_fence.options(pair.0, pair.1) };
        for decision in options {
            let (mut trial_co, mut trial_fence) = (co.clone(), sync_fence.clone());
            (if is_co { &mut trial_co } else { &mut trial_fence }).decide(pair, decision);
            if let Some(found) = self.choose_orders(trial_co, trial_fence) {
                return Some(found);
            }
        }
        None
    }

    /// Is the simplest completion of the orders an execution that was looked for?
    fn try_completion(
        &mut self,
        co: &PartialOrder,
        sync_fence: &PartialOrder,
    ) -> Option<FoundExecution> {
        let (co, sync_fence) = (co.complete()?, sync_fence.complete()?);
        self.engine.effort.executions += 1;
        if self.look_again(&co, &sync_fence) != Look::Settled {
            return None;
        }
        let matrix = BitMatrix::from_words;
        self.execution.rf = matrix(&self.rf_must);
        self.execution.co = matrix(&co.must);
        self.execution.sync_fence = matrix(&sync_fence.must);
        for (data, value) in self.execution.events.iter_mut().zip(&self.values) {
            data.value = *value;
        }
        let judgement = match std::mem::replace(&mut self.prepared, true) {
            true => self.engine.judge.judge_again(&self.execution),
            false => self.engine.judge.judge(&self.execution),
        };
        let confirmed = self.engine.axioms.iter().all(|&check| judgement.holds[check])
            && self.goal.check.is_none_or(|(check, wanted)| judgement.holds[check] == wanted);
        debug_assert!(confirmed, "the judge must confirm what the bounds say");
        let found = confirmed.then(|| FoundExecution {
            execution: self.execution.clone(),
            finals: self.finals.clone(),
        })?;
        match &mut self.engine.list {
            Some(list) => list.take(found),
            None => Some(found),
        }
    }

    fn look_again(&mut self, co: &PartialOrder, sync_fence: &PartialOrder) -> Look {
        self.engine.machine.order_is_new();
        self.look(co, sync_fence)
    }

    /// What the bounds say.
    fn look(&mut self, co: &PartialOrder, sync_fence: &PartialOrder) -> Look {
        let engine = &mut *self.engine;
        if !engine.effort.step() {
            // Nothing is found from here on, and the caller asks why.
            return Look::Refuted;
        }
        let chosen = ChosenBounds {
            rf: (&self.rf_must, &self.rf_may),
            co: (&co.must, &co.may),
            sync_fence: (&sync_fence.must, &sync_fence.may),
        };
        let mut look = Look::Settled;
        for i in 0..engine.axioms.len() {
            match engine.machine.status(engine.plan, engine.axioms[i], chosen) {
                CheckStatus::Holds => {}
                CheckStatus::Open => look = Look::Open,
                CheckStatus::Fails => {
                    // It is likely to fail the next time too.
                    engine.axioms[..=i].rotate_right(1);
                    return Look::Refuted;
                }
            }
        }
        if let Some((check, wanted)) = self.goal.check {
            match (engine.machine.status(engine.plan, check, chosen), wanted) {
                (CheckStatus::Holds, true) | (CheckStatus::Fails, false) => {}
                (CheckStatus::Open, _) => look = Look::Open,
                _ => return Look::Refuted,
            }
        }
        look
    }
}

/// The open pairs of both orders; `true` for coherence order.
fn open_pairs(co: &PartialOrder, sync_fence: &PartialOrder) -> Vec<(bool, Pair)> {
    let of_co = co.open().into_iter().map(|p| (true, p));
    of_co.chain(sync_fence.open().into_iter().map(|p| (false, p))).collect()
}
