//! One case: a solver for the executions of a thread shape, and the loop of proposals and
//! refutations.

use std::borrow::Cow;

use margay_solver::proof::{ProofLog, Replay};
use margay_solver::{
    Atom, Formula, Instance, Literal, Relation, Session, SessionOutcome, SolverFailure,
    SolverLimits,
};

use super::{Candidate, CandidateFate, CaseAnswer, Formulas, Question};
use crate::encode::atoms::{AtomPlace, Atoms};
use crate::encode::symmetry::equal_threads;
use crate::witness::SearchFault;

/// Who answers.
#[derive(Clone, Copy)]
pub enum Start<'a> {
    Solver,
    /// The solver, which writes a proof.
    Logged(&'a ProofLog),
    /// A proof in the place of the solver.
    Replayed(&'a Replay),
}

/// What a search for one execution came to.
pub enum CaseFinding<T> {
    /// It is one that is asked for, with what the solver said of it.
    One(Instance, T),
    None,
    /// A limit was reached; the candidate in hand, if there was one.
    Unknown(Option<Instance>),
}

impl<T> CaseFinding<T> {
    /// The answer alone.
    pub fn answer(&self) -> CaseAnswer {
        match self {
            CaseFinding::One(..) => CaseAnswer::Found,
            CaseFinding::None => CaseAnswer::None,
            CaseFinding::Unknown(_) => CaseAnswer::Unknown,
        }
    }
}

/// A solver for the executions of one shape.
pub struct Case<'a, Q: Question> {
    question: &'a Q,
    /// A copy that can grow by what is learned.
    pub formulas: Cow<'a, Q::QuestionFormulas>,
    pub atoms: Atoms,
    /// The solver.
    pub session: Session,
    refuter: Q::Refuter,
    /// What refuted candidates taught, in the order in which they did.
    pub learned: Vec<Q::Lesson>,
}

impl<'a, Q: Question> Case<'a, Q> {
    /// Translates what holds of every candidate.
    pub fn new(question: &'a Q, atoms: Atoms, start: Start<'_>) -> Self {
        let (bounds, encoding) = (question.bounds(&atoms), question.encoding());
        let mut session = match start {
            Start::Solver => Session::with_options(
                bounds,
                encoding,
                question.backend(),
                &question.solver_options(),
            ),
            Start::Logged(log) => Session::logged(
                bounds,
                encoding,
                question.backend(),
                &question.solver_options(),
                log,
            ),
            Start::Replayed(replay) => Session::replayed(bounds, encoding, replay),
        };
        session.set_limits(question.limits());
        let formulas = Cow::Borrowed(question.formulas());
        let mut case = Self {
            question,
            formulas,
            atoms,
            session,
            refuter: question.refuter(),
            learned: Vec::new(),
        };
        // Without thread shapes an event is no input for each of its kinds.
        if encoding.choices && !case.atoms.chosen {
            for choice in case.formulas.vocabulary().kinds(&case.atoms) {
                let literals: Vec<Literal> =
                    choice.into_iter().map(|(r, p)| case.literal(r, &[p])).collect();
                case.session.add_choice(&literals);
            }
        }
        for formula in question.holds(&case.atoms) {
            case.assert(formula);
        }
        if question.orders_equal_threads() && !case.atoms.chosen {
            for vectors in equal_threads(case.formulas.vocabulary(), &case.atoms) {
                let pairs: Vec<[Literal; 2]> = vectors
                    .into_iter()
                    .map(|pair| pair.map(|(r, p)| case.literal(r, &[p])))
                    .collect();
                case.session.add_lexicographic(&pairs);
            }
        }
        for lesson in question.known(&case.refuter, &case.atoms) {
            case.teach(&lesson);
        }
        case
    }

    /// The literal of a tuple.
    pub fn literal(&mut self, relation: Relation, places: &[AtomPlace]) -> Literal {
        let tuple: Vec<Atom> = places.iter().map(|&p| self.atoms.atom(p)).collect();
        self.session.tuple(relation, &tuple)
    }

    /// The literal that stands for a formula where it is assumed.
    pub fn goal(&mut self, formula: Formula) -> Literal {
        self.session.goal(self.formulas.logic(), formula)
    }

    /// From now on executions that do not have this are left out.
    pub fn assert(&mut self, formula: Formula) {
        self.session.assert(self.formulas.logic(), formula);
    }

    /// Asks about what is probably so of no execution, place by place, and has what cannot be so
    /// said in clauses.
    pub fn exclude(&mut self, unlikely: Formula) {
        let goal = self.goal(unlikely);
        // Where the solver fails, it does so again when it is asked the question.
        let _ = self.session.exclude(goal, &self.question.limits());
    }

    /// From now on executions that a lesson is true of are left out.
    pub fn teach(&mut self, lesson: &Q::Lesson) {
        if let Some(formula) =
            self.question.excluded(&self.refuter, self.formulas.to_mut(), &self.atoms, lesson)
        {
            self.assert(formula);
        }
    }

    /// An execution that is asked for, among those that the solver proposes: what refutes one is
    /// excluded for all. What can refute is finite, so this ends.
    ///
    /// # Errors
    /// The engines disagree about a candidate, or the solver failed.
    pub fn find<T>(
        &mut self,
        mut propose: impl FnMut(
            &mut Session,
            &SolverLimits,
        ) -> Result<(SessionOutcome, T), SolverFailure>,
    ) -> Result<CaseFinding<T>, SearchFault> {
        loop {
            let (instance, said) = match propose(&mut self.session, &self.question.limits())? {
                (SessionOutcome::Unsat, _) => return Ok(CaseFinding::None),
                (SessionOutcome::Unknown, _) => return Ok(CaseFinding::Unknown(None)),
                (SessionOutcome::Sat(instance), said) => (instance, said),
            };
            let candidate =
                Candidate { instance: &instance, atoms: &self.atoms, learned: &self.learned };
            match self.question.refute(&mut self.refuter, &candidate)? {
                CandidateFate::None => return Ok(CaseFinding::One(instance, said)),
                CandidateFate::Unknown => return Ok(CaseFinding::Unknown(Some(instance))),
                CandidateFate::Taught(lesson) => {
                    tracing::debug!(
                        "{} conflicts, {}: {lesson:?}",
                        self.session.statistics().conflicts,
                        self.atoms.shape
                    );
                    self.teach(&lesson);
                    self.learned.push(lesson);
                }
            }
        }
    }

    /// How deep the first goal is taken apart.
    pub fn depth(&self) -> usize {
        self.question.cases(&self.atoms)
    }

    /// An execution that is asked for and has the goals, if there is one.
    ///
    /// # Errors
    /// As [`Case::find`].
    pub fn solve(&mut self, goals: &[Literal]) -> Result<CaseFinding<()>, SearchFault> {
        let depth = self.question.cases(&self.atoms);
        self.find(|session, limits| Ok((session.solve_by_cases(goals, depth, limits)?, ())))
    }

    /// From now on an execution that differs from this one in some tuple of these.
    pub fn block(
        &mut self,
        instance: &Instance,
        tuples: impl IntoIterator<Item = (Relation, Vec<Atom>)>,
        also: Vec<Literal>,
    ) {
        let mut clause: Vec<Literal> = Vec::new();
        for (relation, tuple) in tuples {
            let literal = self.session.tuple(relation, &tuple);
            clause.push(if instance.contains(relation, &tuple) { !literal } else { literal });
        }
        clause.extend(also);
        self.session.add_clause(&clause);
    }

    /// Does a proof in the place of the solver say that nothing has the goals, once these lessons
    /// are taught, each where a candidate was refuted by it? What a lesson excludes is not asked
    /// for, whatever it was learned from.
    pub fn is_refuted<'l>(
        &mut self,
        goals: &[Literal],
        lessons: &mut impl Iterator<Item = &'l Q::Lesson>,
    ) -> bool
    where
        Q::Lesson: 'l,
    {
        let depth = self.question.cases(&self.atoms);
        loop {
            match self.session.solve_by_cases(goals, depth, &SolverLimits::default()) {
                Ok(SessionOutcome::Unsat) => return true,
                Ok(SessionOutcome::Unknown) | Err(_) => return false,
                Ok(SessionOutcome::Sat(_)) => match lessons.next() {
                    Some(lesson) => self.teach(lesson),
                    None => return false,
                },
            }
        }
    }
}
