//! What is asked about a test in one session of the solver, whoever answers: the solver, or a proof
//! of what it answered before.

use margay_models::judge::Judge;
use margay_solver::{Backend, Bounds, Encoding, Instance, Session};

use super::base::Facts;
use super::candidate::CandidateExecution;
use super::problem::Problem;
use super::witness::{WitnessClaim, confirm};
use super::{SatRunner, condition, merge, passes};
use crate::outcome::{asked, filtered};
use crate::prepare::{Questions, Subject};
use crate::test::{Proposition, Quantifier};
use crate::unfold::Unfolding;
use crate::verdict::{Error, Options, Witness};

/// A question about an unfolded test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SatGoal {
    /// The condition of the test (`forall`: its negation).
    Condition,
    /// One of [`Questions::races`]. Once one execution shows that the program races, no other is
    /// asked for.
    Race(usize),
}

impl SatGoal {
    /// The execution of a candidate, if it answers the question.
    pub fn confirm(
        self,
        candidate: &CandidateExecution,
        inquiry: &SatSession,
        (questions, judge): (&Questions, &mut Judge),
    ) -> Result<Witness, Error> {
        let claim = WitnessClaim {
            axioms: &questions.axioms,
            check: match self {
                Self::Condition => None,
                Self::Race(k) => Some(questions.races[k]),
            },
            outcomes: &|skeleton| match self {
                Self::Condition => asked(inquiry.quantifier, skeleton),
                Self::Race(_) => filtered(skeleton),
            },
        };
        confirm(candidate, &inquiry.unfolding, judge, &claim)
    }
}

/// The questions of one session.
pub(super) struct SatSession {
    pub unfolding: Unfolding,
    /// What the condition is asked of.
    pub quantifier: Quantifier,
    pub goals: Vec<SatGoal>,
}

/// An execution that was found, and confirmed.
pub(super) struct ConfirmedExecution {
    pub candidate: CandidateExecution,
    pub witness: Witness,
}

impl SatSession {
    /// Is it only whether there is an execution with an outcome that no execution has?
    pub(super) fn asks_nothing(&self) -> bool {
        let is_false = self.quantifier != Quantifier::Forall
            && self.unfolding.asked().condition == Proposition::False;
        is_false && self.goals == [SatGoal::Condition]
    }
}

/// Who answers.
pub(super) trait Answers {
    /// Begins a session.
    fn start(&mut self, bounds: Bounds) -> Session;

    /// What shows the answer "there is one".
    fn candidate(
        &mut self,
        problem: &Problem<'_>,
        unfolding: &Unfolding,
        instance: &Instance,
    ) -> Result<CandidateExecution, Error>;
}

/// The solver, which leaves no proof.
pub(super) struct PlainSolver(pub Backend);

impl Answers for PlainSolver {
    fn start(&mut self, bounds: Bounds) -> Session {
        Session::new(bounds, Encoding::default(), &self.0)
    }

    fn candidate(
        &mut self,
        problem: &Problem<'_>,
        unfolding: &Unfolding,
        instance: &Instance,
    ) -> Result<CandidateExecution, Error> {
        CandidateExecution::of(problem, unfolding, instance)
    }
}

impl SatRunner {
    /// All that is asked about a subject: of the condition first. Where a read that only waits may
    /// race and do nothing else, races are asked about in a session of their own.
    pub(super) fn inquiries(&self, subject: Subject) -> Vec<SatSession> {
        let Subject { unfolding, waiting, quantifier } = subject;
        let races: Vec<SatGoal> = (0..self.questions.races.len()).map(SatGoal::Race).collect();
        match waiting {
            None => vec![SatSession {
                unfolding,
                quantifier,
                goals: [vec![SatGoal::Condition], races].concat(),
            }],
            Some(waiting) => vec![
                SatSession { unfolding, quantifier, goals: vec![SatGoal::Condition] },
                SatSession { unfolding: waiting, quantifier, goals: races },
            ],
        }
    }

    /// For each question that is asked a legal execution, if there is one.
    pub(super) fn find(
        &mut self,
        inquiry: &SatSession,
        options: &Options,
        answers: &mut dyn Answers,
    ) -> Result<Vec<Option<ConfirmedExecution>>, Error> {
        let SatSession { unfolding, goals, .. } = inquiry;
        let mut found: Vec<Option<ConfirmedExecution>> = Vec::with_capacity(goals.len());
        if unfolding.is_empty() {
            found.resize_with(goals.len(), || None);
            return Ok(found);
        }
        let in_time = || if options.is_over() { Err(Error::Time) } else { Ok(()) };
        in_time()?;
        let (merged, domains) = merge(unfolding, self.questions.has_thin_air)?;
        in_time()?;
        let facts = Facts {
            merged: &merged,
            signature: self.questions.signature,
            locations: unfolding.locations(),
            generic: unfolding.generic(),
            threads: unfolding.threads(),
        };
        let start = |bounds| answers.start(bounds);
        let mut problem =
            Problem::new(&self.translation, facts, (&domains, unfolding), options, start)?;
        in_time()?;
        problem.break_symmetry(unfolding);
        in_time()?;
        for &axiom in &self.questions.axioms {
            problem.session.assert(&self.translation.logic, self.translation.checks[axiom]);
        }
        let limits = options.limits();
        for &goal in goals {
            let literals = match goal {
                SatGoal::Condition => vec![condition(&mut problem, inquiry.quantifier, unfolding)],
                SatGoal::Race(k) => {
                    let race =
                        problem.session.goal(&self.translation.logic, self.translation.races[k]);
                    std::iter::once(race).chain(passes(&mut problem, unfolding)).collect()
                }
            };
            // A race is one of many pairs of events: each is refuted for itself, and is false from
            // then on. In a stack to which three blocks push, and from which they pop, that takes a
            // third of the time.
            let depth = if goal == SatGoal::Condition { 0 } else { 1 };
            let candidate = match problem.session.solve_by_cases(&literals, depth, &limits)? {
                margay_solver::SessionOutcome::Sat(instance) => {
                    answers.candidate(&problem, unfolding, &instance)?
                }
                margay_solver::SessionOutcome::Unsat => {
                    found.push(None);
                    continue;
                }
                margay_solver::SessionOutcome::Unknown => {
                    return Err(options.given_up(&problem.session, merged.events.len()));
                }
            };
            let witness = goal.confirm(&candidate, inquiry, (&self.questions, &mut self.judge))?;
            found.push(Some(ConfirmedExecution { candidate, witness }));
            if goal != SatGoal::Condition {
                break;
            }
        }
        Ok(found)
    }
}
