//! The explicit engine: is the outcome of a test allowed by a model? It goes through the candidate
//! executions of a test, pruned as they grow, and the judge of `margay-models` confirms what it
//! finds.

mod cycle;
mod interval;
mod list;
mod order;
mod ordered;
mod outcomes;
mod search;
mod twins;

use margay_models::evaluate::Plan;
use margay_models::judge::Judge;
use margay_models::model::Model;

use crate::gap::{Gap, gap};
use crate::outcome::{asked, filtered};
use crate::prepare::{Questions, Subject};
use crate::test::{Quantifier, Test};
use crate::unfold::{ExecutionProgram, Skeleton, Unfolding};
use cycle::CycleValues;
use interval::{IntervalMachine, plan};
use search::{FoundExecution, SearchEffort, SearchGoal, SearchWorkspace, SkeletonSearch};
use twins::Twins;

pub(crate) use ordered::ordered;

pub use list::{ExecutionList, ListedExecution};
pub use outcomes::Outcomes;

pub use crate::verdict::{Error, Forbidden, Options, TestVerdict, Witness};

/// A model prepared for running many tests.
#[derive(Debug, Clone)]
pub struct ExplicitRunner {
    questions: Questions,
    plan: Plan,
    machine: IntervalMachine,
    judge: Judge,
}

impl ExplicitRunner {
    /// Prepares a model.
    pub fn new(model: &Model) -> Self {
        let plan = plan(model);
        Self {
            questions: Questions::new(model, ordered),
            machine: IntervalMachine::new(&plan),
            judge: Judge::new(model),
            plan,
        }
    }

    pub fn run(&mut self, test: &Test, options: &Options) -> Result<TestVerdict, Error> {
        self.decide(&self.questions.of_test(test, options)?, options)
    }

    /// Runs the program of an execution: does it have the execution's outcome, does it race?
    pub fn run_program(
        &mut self,
        program: &ExecutionProgram,
        options: &Options,
    ) -> Result<TestVerdict, Error> {
        self.decide(&self.questions.of_program(program)?, options)
    }

    fn decide(&mut self, subject: &Subject, options: &Options) -> Result<TestVerdict, Error> {
        let Subject { unfolding, waiting, quantifier } = subject;
        let axioms = self.questions.axioms.clone();
        let mut effort = SearchEffort::new(options);
        let found = self.find(unfolding, &axioms, &mut effort, |s| SearchGoal {
            outcomes: asked(*quantifier, s),
            check: None,
        })?;
        let mut race = None;
        for &check in &self.questions.races.clone() {
            if race.is_none() {
                race =
                    self.find(waiting.as_ref().unwrap_or(unfolding), &axioms, &mut effort, |s| {
                        SearchGoal { outcomes: filtered(s), check: Some(check) }
                    })?;
            }
        }
        let gap =
            gap(subject, found.is_some(), &mut |unfolding| self.exists(unfolding, &mut effort))?;
        Ok(TestVerdict::new(
            *quantifier,
            unfolding.bounded,
            self.questions.race_meaning,
            (crate::verdict::Engine::Explicit, effort.executions),
            (found, race),
            gap,
        ))
    }

    /// A legal execution with the outcome that an unfolding asks for.
    fn exists(
        &mut self,
        unfolding: &Unfolding,
        effort: &mut SearchEffort,
    ) -> Result<Option<Witness>, Error> {
        let axioms = self.questions.axioms.clone();
        self.find(unfolding, &axioms, effort, |s| SearchGoal {
            outcomes: asked(Quantifier::Exists, s),
            check: None,
        })
    }

    /// What is missing from an answer about a test.
    pub(crate) fn gap(
        &mut self,
        test: &Test,
        reachable: bool,
        options: &Options,
    ) -> Result<Option<Gap>, Error> {
        let subject = self.questions.of_test(test, options)?;
        let mut effort = SearchEffort::new(options);
        gap(&subject, reachable, &mut |unfolding| self.exists(unfolding, &mut effort))
    }

    /// An execution with the outcome that a test asks for, whatever forbids it: only one axiom if
    /// there is such an execution, or else all that a search without axioms happens to violate.
    /// `None` if no execution of the program has the outcome, or none that satisfies the axiom
    /// `kept`.
    pub fn forbidden(
        &mut self,
        test: &Test,
        options: &Options,
        kept: Option<usize>,
    ) -> Result<Option<Forbidden>, Error> {
        let unfolding = self.questions.unfold(test, options)?;
        let all: Vec<usize> =
            self.questions.blame.iter().copied().filter(|&a| Some(a) != kept).collect();
        let mut effort = SearchEffort::new(options);
        let without =
            |dropped: usize| all.iter().copied().filter(|&a| a != dropped).collect::<Vec<_>>();
        for mut axioms in all.iter().map(|&dropped| without(dropped)).chain([Vec::new()]) {
            axioms.extend(kept);
            let goal = |s: &Skeleton| SearchGoal {
                outcomes: asked(test.condition.quantifier, s),
                check: None,
            };
            if let Some(found) = self.find(&unfolding, &axioms, &mut effort, goal)? {
                let judgement = self.judge.judge(&found.execution);
                let mut checks: Vec<usize> =
                    all.iter().copied().filter(|&a| !judgement.holds[a]).collect();
                checks.sort_unstable();
                return Ok(Some(Forbidden { witness: found, checks }));
            }
        }
        Ok(None)
    }

    fn find(
        &mut self,
        unfolding: &Unfolding,
        axioms: &[usize],
        effort: &mut SearchEffort,
        goal: impl Fn(&Skeleton) -> SearchGoal,
    ) -> Result<Option<Witness>, Error> {
        if effort.steps_left.is_some_and(|steps| steps < unfolding.len() as u64) {
            return Err(Error::Steps);
        }
        unfolding.can_be_enumerated()?;
        let cycles = CycleValues::new(unfolding);
        let twins = Twins::new(unfolding);
        let mut axioms = axioms.to_vec();
        for number in 0..unfolding.len() {
            // Combinations of paths that are left out count as no step.
            if number.is_multiple_of(1024) && effort.is_over() {
                return Err(Error::Time);
            }
            let chosen = unfolding.chosen(number);
            if !twins.is_first(&chosen) || unfolding.is_unmet(&chosen) {
                continue;
            }
            let skeleton = unfolding.skeleton_in_a_word(&chosen)?;
            let goal = goal(&skeleton);
            let mut engine = SearchWorkspace {
                plan: &self.plan,
                machine: &mut self.machine,
                judge: &mut self.judge,
                axioms: &mut axioms,
                effort: &mut *effort,
                cycles: &cycles,
                number,
                list: None,
                twins: twins.on(&chosen),
            };
            if let Some(FoundExecution { execution, finals }) =
                SkeletonSearch::new(&mut engine, &skeleton, &goal, self.questions.signature).run()
            {
                return Ok(Some(Witness {
                    execution,
                    finals,
                    paths: chosen,
                    places: skeleton.places,
                }));
            }
            if let Some(spent) = &effort.spent {
                return Err(spent.clone());
            }
        }
        Ok(None)
    }
}

/// Runs one test on one model. For many tests, make a [`ExplicitRunner`] once.
pub fn run(test: &Test, model: &Model, options: &Options) -> Result<TestVerdict, Error> {
    ExplicitRunner::new(model).run(test, options)
}
