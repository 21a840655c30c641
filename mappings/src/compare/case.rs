//! One case of a comparison: the executions of a thread shape that one model allows and the other
//! does not.

use std::borrow::Cow;

use margay_models::execution::Execution;
use margay_solver::{Backend, Formula, Literal, SolverLimits};

use super::direction::{ComparisonDirection, Objection};
use super::options::{CompareOptions, Subjects};
use super::strength;
use crate::encode::ModelComparison;
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;
use crate::level::Level;
pub use crate::search::CaseAnswer;
use crate::search::{self, Candidate, CandidateFate, CaseFinding, Orders, Start, explanation};
use crate::witness::{SearchFault, WitnessPair, witness};

/// What all cases share.
pub struct ComparisonSetting<'a> {
    /// What is compared.
    pub subjects: Subjects<'a>,
    /// The mapping; of two models of one signature the identity.
    pub mapping: &'a Mapping,
    /// The formulas.
    pub comparison: &'a ModelComparison,
    pub options: &'a CompareOptions,
}

pub struct ComparisonQuestion<'a> {
    /// What all questions share.
    pub setting: &'a ComparisonSetting<'a>,
    pub question: &'a ComparisonDirection,
}

impl<'a> search::Question for ComparisonQuestion<'a> {
    type QuestionFormulas = ModelComparison;
    type Lesson = Orders;
    /// A copy for the search for other orders: what the solver of the case is told must not depend
    /// on it, so that it can be told again.
    type Refuter = Cow<'a, ModelComparison>;

    fn formulas(&self) -> &ModelComparison {
        self.setting.comparison
    }

    fn holds(&self, _: &Atoms) -> Vec<Formula> {
        self.setting.comparison.wellformed.iter().chain(&self.question.holds).copied().collect()
    }

    fn refuter(&self) -> Cow<'a, ModelComparison> {
        Cow::Borrowed(self.setting.comparison)
    }

    /// At program level: does the other model explain the outcome by another coherence order?
    fn refute(
        &self,
        explaining: &mut Cow<'a, ModelComparison>,
        candidate: &Candidate<'_, Orders>,
    ) -> Result<CandidateFate<Orders>, SearchFault> {
        let ComparisonQuestion { setting, question } = self;
        if setting.options.level == Level::Execution || question.kind != Objection::Forbidden {
            return Ok(CandidateFate::None);
        }
        let options = setting.options;
        let other = (question.other, setting.subjects.models()[question.other]);
        Ok(explanation(
            explaining.to_mut(),
            other,
            candidate,
            (&options.backend, &options.limits()),
        )?)
    }

    fn excluded(
        &self,
        _: &Cow<'a, ModelComparison>,
        comparison: &mut ModelComparison,
        _: &Atoms,
        orders: &Orders,
    ) -> Option<Formula> {
        Some(orders.unexplained(comparison, self.setting.subjects.models()[self.question.other]))
    }

    fn backend(&self) -> &Backend {
        &self.setting.options.backend
    }

    fn limits(&self) -> SolverLimits {
        self.setting.options.limits()
    }
}

/// A solver for one question and one shape.
pub struct ComparisonCase<'a> {
    asked: &'a ComparisonQuestion<'a>,
    search: search::Case<'a, ComparisonQuestion<'a>>,
    /// One for each axiom that may be violated.
    goals: Vec<Literal>,
}

impl<'a> ComparisonCase<'a> {
    /// Translates a question for a shape.
    pub fn new(asked: &'a ComparisonQuestion<'a>, shape: &ThreadShape, start: Start<'_>) -> Self {
        let atoms = Atoms::new(shape, asked.setting.comparison.vocabulary.content.slots);
        let mut search = search::Case::new(asked, atoms, start);
        let goals = asked.question.fails.iter().map(|&f| search.goal(f)).collect();
        Self { asked, search, goals }
    }

    /// What explained candidates so far.
    pub fn learned(&self) -> &[Orders] {
        &self.search.learned
    }

    /// Is there such an execution?
    ///
    /// # Errors
    /// The engines disagree.
    pub fn decide(&mut self) -> Result<CaseAnswer, SearchFault> {
        if self.asked.setting.options.limits().reached() {
            return Ok(CaseAnswer::Unknown);
        }
        for &goal in &self.goals {
            match self.search.solve(&[goal])?.answer() {
                CaseAnswer::None => {}
                answer => return Ok(answer),
            }
        }
        Ok(CaseAnswer::None)
    }

    /// The differences of the shape, weakest first: none is stronger than another one of them. At
    /// most so many; `None` if a limit was reached before.
    ///
    /// # Errors
    /// The engines disagree.
    pub fn smallest(&mut self, most: usize) -> Result<Option<Vec<Differing>>, SearchFault> {
        let ComparisonSetting { subjects, mapping, comparison, .. } = *self.asked.setting;
        let goal = match self.goals.as_slice() {
            [goal] => *goal,
            _ => {
                let any: Formula = self.search.formulas.to_mut().logic.or(self
                    .asked
                    .question
                    .fails
                    .iter()
                    .copied());
                self.search.goal(any)
            }
        };
        let coherence = strength::Coherence::new(&mut self.search);
        let terms = strength::costs(&mut self.search);
        let mut objective = self.search.session.objective(&terms);
        let mut found: Vec<Differing> = Vec::new();
        while found.len() < most {
            let (instance, cost) = match self
                .search
                .find(|session, limits| session.minimum(&[goal], &mut objective, limits))?
            {
                CaseFinding::One(instance, Some(cost)) => (instance, cost),
                CaseFinding::None => break,
                CaseFinding::One(_, None) | CaseFinding::Unknown(_) => return Ok(None),
            };
            let witness = witness(mapping, &comparison.vocabulary, &self.search.atoms, &instance)
                .ok_or_else(|| {
                SearchFault::Disagreement("an instance could not be read back".to_owned())
            })?;
            let key = super::canonical::key(executions(&witness, subjects));
            coherence.block(&mut self.search, &instance);
            // The same with threads of equal length exchanged may come again.
            if !found.iter().any(|f| f.key == key) {
                found.push(Differing { witness, cost, key });
            }
        }
        Ok(Some(found))
    }

    /// Does a proof in the place of the solver say that there is no such execution, once what
    /// explained candidates on the way is taught?
    pub fn is_refuted(&mut self, learned: &[Orders]) -> bool {
        let mut lessons = learned.iter();
        let none = self.goals.iter().all(|&goal| self.search.is_refuted(&[goal], &mut lessons));
        none && lessons.next().is_none()
    }
}

/// A difference as the solver found it.
#[derive(Debug, Clone)]
pub struct Differing {
    /// The executions.
    pub witness: WitnessPair,
    /// How large it is within its number of events and threads.
    pub cost: u64,
    /// Equal for isomorphic ones.
    pub key: Vec<u8>,
}

/// The execution that the older model judges, and that of the newer one.
pub fn executions<'a>(witness: &'a WitnessPair, subjects: Subjects<'_>) -> [&'a Execution; 2] {
    match subjects {
        // The identity makes a source execution whose coherence order is total; the signature's own
        // is the target's.
        Subjects::Models(..) => [&witness.target, &witness.target],
        Subjects::Mapping(_) => [&witness.source, &witness.target],
    }
}
