//! The question about programs, by candidates and refutations (docs/program-level.md).
//!
//! The solver proposes a program with an outcome that its compiled form has and that one source
//! execution would be forbidden for. Then the two questions about *all* source executions of that
//! program are decided: does one race, and does one explain the outcome? What refutes a candidate
//! is taught to the solver as a formula over all programs.

mod extension;
mod interleaving;
mod last;
mod lesson;

use margay_litmus::explicit::{self, ExplicitRunner};
use margay_litmus::render::render;
use margay_litmus::unfold;
use margay_models::bits::Event;
use margay_models::execution::{EventData, Execution, Kind, Location, Order};
use margay_models::judge::Judge;
use margay_models::model::{CheckKind, Model, Role};
use margay_models::signature::Signature;

use super::options::{CheckOptions, MAX_BOUND};
use crate::encode::{Prefix, ReadSources, Reasons};
use crate::witness::{SearchFault, WitnessPair};
use interleaving::{InterleavedProgram, Reads, Shows, shows};

pub use extension::extends;
pub use last::few_races;
pub use lesson::{Learned, RaceLesson, Taught, collect};

/// Decides what the source model says of one program.
pub struct ProgramRefuter {
    judge: Judge,
    runner: ExplicitRunner,
    /// Checks that show a program to be undefined, with the outcome of the test that does.
    undefined: Vec<(usize, bool)>,
    reasons: Reasons,
    /// Do executions choose an order of their fences, at which the model looks?
    chooses_fences: bool,
}

/// What became of a candidate.
pub enum ProgramRefutation {
    /// The program has this racing beginning of an execution, and so has every program that begins
    /// so.
    Races(Prefix),
    /// Neither a race nor an explanation exists.
    None,
    /// The time is up.
    Unknown,
}

impl ProgramRefuter {
    /// Prepares a source model.
    pub fn new(model: &Model) -> Self {
        let undefined = model
            .checks
            .iter()
            .enumerate()
            .filter(|(_, check)| check.is_undefined_behaviour())
            .map(|(i, check)| (i, check.role == Role::Flag && check.kind == CheckKind::Empty));
        let mut judge = Judge::new(model);
        // Where every beginning can be carried on by an operation behind all others, an
        // interleaving is consistent if its start is.
        let extends = extends(model);
        let starts_are_consistent = starts_are_consistent(model, &mut judge);
        let reasons = Reasons {
            complete: !extends,
            interleavings_are_consistent: extends && starts_are_consistent,
        };
        let chooses_fences = model.orders_fences();
        Self {
            judge,
            runner: ExplicitRunner::new(model),
            undefined: undefined.collect(),
            reasons,
            chooses_fences,
        }
    }

    /// What must be asked of a beginning of an execution so that it shows a race.
    pub fn reasons(&self) -> Reasons {
        self.reasons
    }

    /// A race among the interleavings of the program, rather one in which every read returns the
    /// last write before it: a lesson from it need not ask whether the execution is consistent.
    pub fn race_of_interleaving(&mut self, witness: &WitnessPair) -> Option<Prefix> {
        let program = InterleavedProgram::new(&witness.source);
        let (judge, undefined) = (&mut self.judge, &self.undefined);
        let mut race = |reads| {
            program.race(self.reasons.complete, reads, &mut |part| shows(judge, undefined, part))
        };
        race(Reads::Latest).or_else(|| race(Reads::Any))
    }

    /// Goes through all executions of the program: does one race, does one have the outcome?
    ///
    /// # Errors
    /// The execution is of no program, or the program cannot be run, or its outcome is explained
    /// although the solver said that no modification order does: a bug in Margay.
    pub fn run(
        &mut self,
        witness: &WitnessPair,
        options: &CheckOptions,
    ) -> Result<ProgramRefutation, SearchFault> {
        let disagreement =
            |what: String| SearchFault::Disagreement(format!("the program of a candidate: {what}"));
        let whole = unfold::ExecutionProgram::of(&witness.source, &witness.finals)
            .map_err(|e| disagreement(e.to_string()))?;
        let options = explicit::Options { deadline: options.deadline, ..Default::default() };
        let verdict = match self.runner.run_program(&whole, &options) {
            Ok(verdict) => verdict,
            Err(explicit::Error::Time) => return Ok(ProgramRefutation::Unknown),
            Err(error) => return Err(disagreement(error.to_string())),
        };
        if let Some(race) = &verdict.race {
            let program = InterleavedProgram::new(&witness.source);
            let prefix = whole
                .origins(&race.paths)
                .and_then(|origins| self.prefix(&program, &race.execution, &origins));
            return match prefix {
                Some(prefix) => Ok(ProgramRefutation::Races(prefix)),
                // Its fences may be in another order than that in which a beginning executes them.
                None if self.chooses_fences => Ok(ProgramRefutation::Unknown),
                None => Err(disagreement(format!(
                    "what races in it is no beginning of it:\n{}",
                    litmus(witness)?
                ))),
            };
        }
        if verdict.reachable {
            return Err(disagreement(format!(
                "the source model allows its outcome:\n{}",
                litmus(witness)?
            )));
        }
        Ok(ProgramRefutation::None)
    }

    /// An execution of a program as a prefix, as short as it can be made at the ends of its
    /// threads. `origins` are the events of the program that its events are.
    fn prefix(
        &mut self,
        program: &InterleavedProgram<'_>,
        execution: &Execution,
        origins: &[Option<Event>],
    ) -> Option<Prefix> {
        let image: Vec<Option<usize>> =
            origins.iter().map(|origin| origin.map(Event::index)).collect();
        let mut left: Vec<usize> = (0..execution.size()).filter(|&e| image[e].is_some()).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let before = |f: Event, e: Event| {
                execution.co.contains(f, e) || execution.sync_fence.contains(f, e)
            };
            let free = |&&e: &&usize| left.iter().all(|&f| !before(Event::from(f), Event::from(e)));
            let &next = left.iter().find(free)?;
            left.retain(|&e| e != next);
            order.push(image[next]?);
        }
        let mut given = Vec::new();
        for (w, r) in execution.rf.pairs() {
            given.push((image[r.index()]?, image[w.index()]));
        }
        given.sort_unstable();
        let mut prefix = Prefix { order, sources: ReadSources::Given(given) };
        if !self.shows_race(program, &prefix) {
            return None;
        }
        while !self.reasons.complete {
            let shorter =
                (0..execution.threads.len()).filter_map(|t| without_last(program, &prefix, t));
            match shorter.into_iter().find(|p| self.shows_race(program, p)) {
                Some(shorter) => prefix = shorter,
                None => break,
            }
        }
        if let ReadSources::Given(given) = &prefix.sources {
            prefix.sources = program.named(&prefix.order, given);
        }
        Some(prefix)
    }

    fn shows_race(&mut self, program: &InterleavedProgram<'_>, prefix: &Prefix) -> bool {
        program
            .part(prefix)
            .is_some_and(|part| shows(&mut self.judge, &self.undefined, &part) == Shows::Race)
    }
}

/// The prefix without the last operation of a thread, unless another operation reads from it.
fn without_last(
    program: &InterleavedProgram<'_>,
    prefix: &Prefix,
    thread: usize,
) -> Option<Prefix> {
    let events = program.thread(thread);
    let last = events.iter().rposition(|e| prefix.order.contains(e))?;
    let mut gone = vec![events[last]];
    if last > 0 && program.write_half(events[last - 1]) == Some(events[last]) {
        gone.push(events[last - 1]);
    }
    let ReadSources::Given(given) = &prefix.sources else { return None };
    let given: Vec<(usize, Option<usize>)> =
        given.iter().copied().filter(|(r, _)| !gone.contains(r)).collect();
    let is_read = given.iter().any(|(_, w)| w.is_some_and(|w| gone.contains(&w)));
    let order = prefix.order.iter().copied().filter(|e| !gone.contains(e)).collect();
    (!is_read).then_some(Prefix { order, sources: ReadSources::Given(given) })
}

/// Is the execution consistent before anything is executed?
fn starts_are_consistent(model: &Model, judge: &mut Judge) -> bool {
    (0..=MAX_BOUND).all(|locations| judge.is_consistent(&initial(model.signature, locations)))
}

/// The execution before anything is executed.
fn initial(signature: Signature, locations: usize) -> Execution {
    let init = |l: usize| EventData {
        location: Some(l as u16),
        ..EventData::new(Kind::Init, None, Order::Plain)
    };
    let location = |l: usize| Location { name: format!("x{l}"), physical: l as u16, atomic: true };
    let events = (0..locations).map(init).collect();
    Execution::new(signature, events, Vec::new(), (0..locations).map(location).collect())
}

/// The program and outcome of a candidate.
///
/// # Errors
/// It cannot be made: a bug in Margay.
pub fn litmus(witness: &WitnessPair) -> Result<String, SearchFault> {
    match render(&witness.source, "candidate", None, &witness.finals) {
        Ok(rendered) => Ok(rendered.test.to_string()),
        Err(error) => {
            Err(SearchFault::Disagreement(format!("the program of a candidate: {error}")))
        }
    }
}

/// The number of guards of a program: reads with something that is control-dependent on them.
pub fn guards(source: &Execution) -> usize {
    (0..source.size()).map(Event::from).filter(|&r| !source.ctrl.row(r).is_empty()).count()
}

/// The number of values that a program computes from what it read, once for each read.
pub fn computed(source: &Execution) -> usize {
    source.data.pairs().count()
}
