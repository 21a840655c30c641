//! The SAT engine: is the outcome of a test allowed by a model? All paths of all threads, all choices of reads-from and all
//! orders are one formula; what a solver finds is built again as an execution, and confirmed (docs/encoding.md, "Litmus tests").

mod base;
mod condition;
mod problem;
mod symmetry;
mod values;
mod vocabulary;
mod witness;

use margay_models::judge::Judge;
use margay_models::model::Model;
use margay_solver::{Backend, Limits, Literal};

use crate::engine::Engine;
use crate::explicit::{asked, condition_numbers};
use crate::prepare::Questions;
use crate::test::{Quantifier, Test};
use crate::unfold::{Domains, Merged, Unfolding};
use crate::verdict::{Error, Forbidden, Options, Verdict, Witness};
use base::Facts;
use condition::Finals;
use problem::Problem;
use vocabulary::Translation;
use witness::{Claim, read_back};

/// A model prepared for running many tests.
#[derive(Debug, Clone)]
pub struct Runner {
    questions: Questions,
    translation: Translation,
    judge: Judge,
}

/// A question about an unfolded test.
#[derive(Clone, Copy)]
enum Goal {
    /// The condition of the test (`forall`: its negation).
    Condition,
    /// One of [`Questions::undefined`].
    Undefined(usize),
}

impl Runner {
    /// Prepares a model.
    pub fn new(model: &Model) -> Self {
        let questions = Questions::new(model);
        let translation = Translation::new(model, &questions);
        Self { questions, translation, judge: Judge::new(model) }
    }

    /// Runs a test. `executions` of the answer are those that the solver found and that were judged.
    pub fn run(&mut self, test: &Test, options: &Options) -> Result<Verdict, Error> {
        let unfolding = self.questions.unfold(test, options)?;
        let waiting = self.questions.unfold_waiting(&unfolding, test, options)?;
        let races: Vec<Goal> = (0..self.questions.undefined.len()).map(Goal::Undefined).collect();
        let mut executions = 0;
        let mut goals = vec![Goal::Condition];
        if waiting.is_none() {
            goals.extend(&races);
        }
        let mut found = self.find(&unfolding, test, &goals, options, &mut executions)?;
        if let Some(waiting) = &waiting {
            found.extend(self.find(waiting, test, &races, options, &mut executions)?);
        }
        let mut found = found.into_iter();
        let witness = found.next().flatten();
        let race = found.flatten().next();
        let says_undefined = !self.questions.undefined.is_empty();
        Ok(Verdict::new(test.condition.quantifier, &unfolding, says_undefined, (Engine::Sat, executions), (witness, race)))
    }

    /// For each goal a legal execution, if there is one; only one for all that show a program to be undefined.
    fn find(
        &mut self,
        unfolding: &Unfolding,
        test: &Test,
        goals: &[Goal],
        options: &Options,
        executions: &mut u64,
    ) -> Result<Vec<Option<Witness>>, Error> {
        if unfolding.is_empty() {
            return Ok(vec![None; goals.len()]);
        }
        let (merged, domains) = merge(unfolding, test)?;
        let facts = Facts { merged: &merged, locations: unfolding.locations(), threads: unfolding.threads() };
        let total = self.questions.signature.total_coherence();
        let mut problem = Problem::new(&self.translation, facts, &domains, total, Backend::default())?;
        problem.break_symmetry(test);
        for &axiom in &self.questions.axioms {
            problem.session.assert(&self.translation.logic, self.translation.checks[axiom]);
        }
        let mut found: Vec<Option<Witness>> = Vec::with_capacity(goals.len());
        let mut undefined = false;
        for &goal in goals {
            let is_race = matches!(goal, Goal::Undefined(_));
            if is_race && undefined {
                found.push(None);
                continue;
            }
            let literal = match goal {
                Goal::Condition => condition(&mut problem, test, unfolding),
                Goal::Undefined(k) => problem.session.goal(&self.translation.logic, self.translation.undefined[k]),
            };
            let claim = Claim {
                axioms: &self.questions.axioms,
                check: match goal {
                    Goal::Condition => None,
                    Goal::Undefined(k) => Some(self.questions.undefined[k]),
                },
                outcomes: &|skeleton| match goal {
                    Goal::Condition => asked(test, skeleton),
                    Goal::Undefined(_) => Vec::new(),
                },
            };
            let witness = solve(&mut problem, unfolding, &[literal], options, &mut self.judge, &claim)?;
            *executions += u64::from(witness.is_some());
            undefined |= is_race && witness.is_some();
            found.push(witness);
        }
        Ok(found)
    }

    /// An execution with the outcome that a test asks for, whatever forbids it: only one axiom if there is such an execution, or
    /// else all that an answer without axioms happens to violate. `None` if no execution of the program has the outcome.
    pub fn forbidden(&mut self, test: &Test, options: &Options) -> Result<Option<Forbidden>, Error> {
        let unfolding = self.questions.unfold(test, options)?;
        if unfolding.is_empty() {
            return Ok(None);
        }
        let (merged, domains) = merge(&unfolding, test)?;
        let facts = Facts { merged: &merged, locations: unfolding.locations(), threads: unfolding.threads() };
        let total = self.questions.signature.total_coherence();
        let mut problem = Problem::new(&self.translation, facts, &domains, total, Backend::default())?;
        problem.break_symmetry(test);
        let outcome = condition(&mut problem, test, &unfolding);
        let all = &self.questions.blame;
        let mut literals = Vec::with_capacity(all.len());
        for &axiom in all {
            literals.push(problem.session.goal(&self.translation.logic, self.translation.checks[axiom]));
        }
        for dropped in (0..all.len()).map(Some).chain([None]) {
            let kept: Vec<usize> = (0..all.len()).filter(|&k| dropped.is_some_and(|d| d != k)).collect();
            let mut assumed: Vec<Literal> = vec![outcome];
            assumed.extend(kept.iter().map(|&k| literals[k]));
            let axioms: Vec<usize> = kept.iter().map(|&k| all[k]).collect();
            let claim = Claim { axioms: &axioms, check: None, outcomes: &|skeleton| asked(test, skeleton) };
            if let Some(witness) = solve(&mut problem, &unfolding, &assumed, options, &mut self.judge, &claim)? {
                let judgement = self.judge.judge(&witness.execution);
                let mut checks: Vec<usize> = all.iter().copied().filter(|&a| !judgement.holds[a]).collect();
                checks.sort_unstable();
                return Ok(Some(Forbidden { witness, checks }));
            }
        }
        Ok(None)
    }
}

/// All paths in one, and the values on them.
fn merge(unfolding: &Unfolding, test: &Test) -> Result<(Merged, Domains), Error> {
    let merged = Merged::new(unfolding);
    let physical = |l: u8| unfolding.locations()[usize::from(l)].physical;
    let domains = Domains::new(&merged, &physical, &condition_numbers(test, unfolding))?;
    Ok((merged, domains))
}

/// A literal that, if assumed, makes the final state one that the test asks for.
fn condition(problem: &mut Problem<'_>, test: &Test, unfolding: &Unfolding) -> Literal {
    let goal = problem.session.fresh();
    let mut finals = Finals::default();
    if let Some(filter) = &test.filter {
        problem.require(goal, filter, true, unfolding, &mut finals);
    }
    let wanted = test.condition.quantifier != Quantifier::Forall;
    problem.require(goal, &test.condition.proposition, wanted, unfolding, &mut finals);
    goal
}

/// An execution under the assumptions, if there is one.
fn solve(
    problem: &mut Problem<'_>,
    unfolding: &Unfolding,
    assumed: &[Literal],
    options: &Options,
    judge: &mut Judge,
    claim: &Claim<'_>,
) -> Result<Option<Witness>, Error> {
    let limits = Limits { deadline: options.deadline, ..Limits::default() };
    match problem.session.solve(assumed, &limits) {
        margay_solver::Outcome::Sat(instance) => read_back(problem, unfolding, &instance, judge, claim).map(Some),
        margay_solver::Outcome::Unsat => Ok(None),
        margay_solver::Outcome::Unknown => Err(Error::Time),
    }
}

/// Runs one test on one model. For many tests, make a [`Runner`] once.
pub fn run(test: &Test, model: &Model, options: &Options) -> Result<Verdict, Error> {
    Runner::new(model).run(test, options)
}
