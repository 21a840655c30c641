//! The SAT engine: is the outcome of a test allowed by a model? All paths of all threads, all
//! choices of reads-from and all orders are one formula; what a solver finds is built again as an
//! execution, and confirmed (docs/encoding.md, "Litmus tests").

mod base;
mod candidate;
mod certify;
mod condition;
mod inquiry;
mod problem;
mod renaming;
mod symmetry;
mod values;
mod vocabulary;
mod walk;
mod witness;

use margay_models::judge::Judge;
use margay_models::model::Model;
use margay_solver::{Backend, Literal};

use crate::explicit::ordered;
use crate::gap::{Gap, gap};
use crate::outcome::{asked, condition_numbers};
use crate::prepare::{Questions, Subject};
use crate::test::{Quantifier, Test};
use crate::unfold::{Domains, ExecutionProgram, Merged, Unfolding};
use crate::verdict::{Engine, Error, Forbidden, Options, TestVerdict, Witness};
use base::Facts;
use condition::Finals;
use inquiry::{Answers, PlainSolver, SatGoal, SatSession};
use problem::Problem;
use renaming::{MergedTest, Renaming};
use vocabulary::Translation;
use witness::{WitnessClaim, confirm};

pub use candidate::CandidateExecution;
pub use certify::{ShownSession, Unaccepted};

/// A model prepared for running many tests.
#[derive(Debug, Clone)]
pub struct SatRunner {
    questions: Questions,
    translation: Translation,
    judge: Judge,
}

impl SatRunner {
    /// Prepares a model.
    pub fn new(model: &Model) -> Self {
        let questions = Questions::new(model, ordered);
        let translation = Translation::new(model, &questions);
        Self { questions, translation, judge: Judge::new(model) }
    }

    /// Runs a test. `executions` of the answer are those that the solver found and that were
    /// judged.
    pub fn run(&mut self, test: &Test, options: &Options) -> Result<TestVerdict, Error> {
        self.decide(self.questions.of_test(test, options)?, options)
    }

    /// Runs the program of an execution, as [`crate::explicit::ExplicitRunner::run_program`] does.
    pub fn run_program(
        &mut self,
        program: &ExecutionProgram,
        options: &Options,
    ) -> Result<TestVerdict, Error> {
        self.decide(self.questions.of_program(program)?, options)
    }

    fn decide(&mut self, subject: Subject, options: &Options) -> Result<TestVerdict, Error> {
        let inquiries = self.inquiries(subject.clone());
        let mut solver = PlainSolver(Backend::default());
        let mut answered = |inquiry: &SatSession| match inquiry.asks_nothing() {
            true => Ok(vec![None]),
            false => self.find(inquiry, options, &mut solver),
        };
        let found: Result<Vec<_>, Error> = inquiries.iter().map(&mut answered).collect();
        let witnesses = found?
            .into_iter()
            .map(|answers| answers.into_iter().map(|a| a.map(|f| f.witness)).collect());
        let witnesses: Vec<Vec<Option<Witness>>> = witnesses.collect();
        let reachable = witnesses.iter().flatten().next().is_some_and(Option::is_some);
        let gap = self.gap(&subject, reachable, options)?;
        Ok(self.verdict(&inquiries, witnesses, gap))
    }

    /// Is a test another one, but for the names of locations and numbers, where its threads have
    /// these numbers there, each asked about with its own options? Then what holds of the one
    /// within bounds holds of the other. `false` where that is not found.
    pub fn is_renamed(
        &self,
        test: (&Test, &Options),
        other: (&Test, &Options),
        threads: &[usize],
    ) -> bool {
        let subject =
            |(test, options): (&Test, &Options)| self.questions.of_test(test, options).ok();
        let (Some(here), Some(there)) = (subject(test), subject(other)) else { return false };
        let from_thin_air = self.questions.has_thin_air;
        let is_same = |here: &Unfolding, there: &Unfolding| {
            let (Ok((merged, domains)), Ok((others, of_others))) =
                (merge(here, from_thin_air), merge(there, from_thin_air))
            else {
                return false;
            };
            let here = MergedTest { unfolding: here, merged: &merged, domains: &domains };
            let there = MergedTest { unfolding: there, merged: &others, domains: &of_others };
            Renaming::of(here, there, threads).is_some()
        };
        here.quantifier == there.quantifier
            && is_same(&here.unfolding, &there.unfolding)
            && match (&here.waiting, &there.waiting) {
                (Some(here), Some(there)) => is_same(here, there),
                (here, there) => here.is_none() && there.is_none(),
            }
    }

    /// What is missing from the answer about a subject.
    fn gap(
        &mut self,
        subject: &Subject,
        reachable: bool,
        options: &Options,
    ) -> Result<Option<Gap>, Error> {
        let mut solver = PlainSolver(Backend::default());
        gap(subject, reachable, &mut |unfolding| {
            let goals = vec![SatGoal::Condition];
            let inquiry =
                SatSession { unfolding: unfolding.clone(), quantifier: Quantifier::Exists, goals };
            let found = self.find(&inquiry, options, &mut solver)?;
            Ok(found.into_iter().next().flatten().map(|found| found.witness))
        })
    }

    /// What the answers of all sessions say.
    fn verdict(
        &self,
        inquiries: &[SatSession],
        found: Vec<Vec<Option<Witness>>>,
        gap: Option<Gap>,
    ) -> TestVerdict {
        let executions = found.iter().flatten().flatten().count() as u64;
        // The condition is asked about first of all.
        let mut found = found.into_iter().flatten();
        let witness = found.next().flatten();
        let race = found.flatten().next();
        let meaning = self.questions.race_meaning;
        let SatSession { unfolding, quantifier, .. } = &inquiries[0];
        TestVerdict::new(
            *quantifier,
            unfolding.bounded,
            meaning,
            (Engine::Sat, executions),
            (witness, race),
            gap,
        )
    }

    /// An execution with the outcome that a test asks for, whatever forbids it: only one axiom if
    /// there is such an execution, or else all that an answer without axioms happens to violate.
    /// `None` if no execution of the program has the outcome, or none that satisfies the axiom
    /// `always`.
    pub fn forbidden(
        &mut self,
        test: &Test,
        options: &Options,
        always: Option<usize>,
    ) -> Result<Option<Forbidden>, Error> {
        let unfolding = self.questions.unfold(test, options)?;
        if unfolding.is_empty() {
            return Ok(None);
        }
        let (merged, domains) = merge(&unfolding, true)?;
        let facts = Facts {
            merged: &merged,
            signature: self.questions.signature,
            locations: unfolding.locations(),
            generic: unfolding.generic(),
            threads: unfolding.threads(),
        };
        let mut solver = PlainSolver(Backend::default());
        let mut problem =
            Problem::new(&self.translation, facts, (&domains, &unfolding), options, |bounds| {
                solver.start(bounds)
            })?;
        problem.break_symmetry(&unfolding);
        let limits = options.limits();
        let quantifier = test.condition.quantifier;
        let outcome = condition(&mut problem, quantifier, &unfolding);
        let all: Vec<usize> =
            self.questions.blame.iter().copied().filter(|&a| Some(a) != always).collect();
        if let Some(axiom) = always {
            problem.session.assert(&self.translation.logic, self.translation.checks[axiom]);
        }
        let mut literals = Vec::with_capacity(all.len());
        for &axiom in &all {
            literals.push(
                problem.session.goal(&self.translation.logic, self.translation.checks[axiom]),
            );
        }
        for dropped in (0..all.len()).map(Some).chain([None]) {
            let kept: Vec<usize> =
                (0..all.len()).filter(|&k| dropped.is_some_and(|d| d != k)).collect();
            let mut assumed: Vec<Literal> = vec![outcome];
            assumed.extend(kept.iter().map(|&k| literals[k]));
            let axioms: Vec<usize> = kept.iter().map(|&k| all[k]).chain(always).collect();
            let claim = WitnessClaim {
                axioms: &axioms,
                check: None,
                outcomes: &|skeleton| asked(quantifier, skeleton),
            };
            let candidate = match problem.session.solve(&assumed, &limits)? {
                margay_solver::SessionOutcome::Sat(instance) => {
                    Some(CandidateExecution::of(&problem, &unfolding, &instance)?)
                }
                margay_solver::SessionOutcome::Unsat => None,
                margay_solver::SessionOutcome::Unknown => {
                    return Err(options.given_up(&problem.session, merged.events.len()));
                }
            };
            if let Some(candidate) = candidate {
                let witness = confirm(&candidate, &unfolding, &mut self.judge, &claim)?;
                let judgement = self.judge.judge(&witness.execution);
                let mut checks: Vec<usize> =
                    all.iter().copied().filter(|&a| !judgement.holds[a]).collect();
                checks.sort_unstable();
                return Ok(Some(Forbidden { witness, checks }));
            }
        }
        Ok(None)
    }
}

/// All paths in one, and the values on them; with those that come from thin air, where a model may
/// allow it or its axioms are not all asked for.
fn merge(unfolding: &Unfolding, from_thin_air: bool) -> Result<(Merged, Domains), Error> {
    let merged = Merged::new(unfolding)?;
    let physical = |l: u16| unfolding.locations()[usize::from(l)].physical;
    let domains = Domains::new(&merged, &physical, &condition_numbers(unfolding), from_thin_air)?;
    Ok((merged, domains))
}

/// A literal that, if assumed, makes the final state one that the test asks for.
fn condition(problem: &mut Problem<'_>, quantifier: Quantifier, unfolding: &Unfolding) -> Literal {
    let goal = problem.session.fresh();
    let mut finals = Finals::default();
    let asked = unfolding.asked();
    if let Some(filter) = &asked.filter {
        problem.require(goal, filter, true, unfolding, &mut finals);
    }
    let wanted = quantifier != Quantifier::Forall;
    problem.require(goal, &asked.condition, wanted, unfolding, &mut finals);
    goal
}

/// A literal that, if assumed, makes the final state one that passes the filter; `None` where there
/// is none.
fn passes(problem: &mut Problem<'_>, unfolding: &Unfolding) -> Option<Literal> {
    let filter = unfolding.asked().filter.as_ref()?;
    let goal = problem.session.fresh();
    problem.require(goal, filter, true, unfolding, &mut Finals::default());
    Some(goal)
}

/// Runs one test on one model. For many tests, make a [`SatRunner`] once.
pub fn run(test: &Test, model: &Model, options: &Options) -> Result<TestVerdict, Error> {
    SatRunner::new(model).run(test, options)
}
