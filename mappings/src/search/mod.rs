//! The search that every question is put to (docs/search.md): a solver proposes an execution, the
//! question refutes it or keeps it, and what refuted it is taught to the solver.

mod case;
mod cube;
mod deepening;
mod options;
mod orders;
mod progress;
mod recorded;

pub use case::{Case, CaseFinding, Start};
pub use cube::{Cube, CubeFact, covers, facts, leaves};
pub use deepening::{Deepening, SearchBound, counted_events, deepen};
pub use options::SearchOptions;
pub(crate) use options::contains_search_options;
pub(crate) use orders::linear;
pub use orders::{Orders, explanation};
pub use progress::{Done, Progress, Silent};
pub use recorded::RecordedInstance;

use std::fmt::Debug;

use margay_solver::{
    Backend, Bounds, Encoding, Formula, Instance, Logic, SolverLimits, SolverOptions,
};

use crate::encode::atoms::Atoms;
use crate::encode::vocabulary::MappingVocabulary;
use crate::encode::{MappingProblem, ModelComparison};
use crate::witness::SearchFault;

/// How a question came out for the executions of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseAnswer {
    /// There is one that is asked for.
    Found,
    None,
    /// A limit was reached.
    Unknown,
}

/// Formulas over a vocabulary, of which a copy can grow.
pub trait Formulas: Clone {
    /// All expressions.
    fn logic(&self) -> &Logic;

    /// The relations.
    fn vocabulary(&self) -> &MappingVocabulary;
}

impl Formulas for MappingProblem {
    fn logic(&self) -> &Logic {
        &self.logic
    }

    fn vocabulary(&self) -> &MappingVocabulary {
        &self.vocabulary
    }
}

impl Formulas for ModelComparison {
    fn logic(&self) -> &Logic {
        &self.logic
    }

    fn vocabulary(&self) -> &MappingVocabulary {
        &self.vocabulary
    }
}

/// An execution that the solver proposes.
pub struct Candidate<'a, L> {
    /// The execution.
    pub instance: &'a Instance,
    /// The atoms that it speaks of.
    pub atoms: &'a Atoms,
    /// What earlier candidates of the case taught.
    pub learned: &'a [L],
}

/// What becomes of a candidate.
pub enum CandidateFate<L> {
    /// It is what is asked for.
    None,
    /// It is not, and neither is any other execution of which this is true.
    Taught(L),
    /// A limit was reached.
    Unknown,
}

/// What is asked of the executions of a thread shape.
pub trait Question: Sync {
    type QuestionFormulas: Formulas;
    /// What a refuted candidate teaches about all executions.
    type Lesson: Debug;
    /// What refutes candidates. Each case has one of its own.
    type Refuter;

    /// The formulas that every case begins with.
    fn formulas(&self) -> &Self::QuestionFormulas;

    /// The bounds for some atoms.
    fn bounds(&self, atoms: &Atoms) -> Bounds {
        self.formulas().vocabulary().bounds(atoms)
    }

    /// What holds of every candidate.
    fn holds(&self, atoms: &Atoms) -> Vec<Formula>;

    /// May threads of equal length be taken in one order alone?
    fn orders_equal_threads(&self) -> bool {
        true
    }

    /// What smaller cases taught, as lessons about these atoms.
    fn known(&self, _refuter: &Self::Refuter, _atoms: &Atoms) -> Vec<Self::Lesson> {
        Vec::new()
    }

    /// What refutes candidates.
    fn refuter(&self) -> Self::Refuter;

    /// Is a candidate what is asked for?
    ///
    /// # Errors
    /// The engines disagree about it, or the solver failed.
    fn refute(
        &self,
        refuter: &mut Self::Refuter,
        candidate: &Candidate<'_, Self::Lesson>,
    ) -> Result<CandidateFate<Self::Lesson>, SearchFault>;

    /// The formula: a lesson is not true of an execution. `None` if it cannot be true of any.
    fn excluded(
        &self,
        refuter: &Self::Refuter,
        formulas: &mut Self::QuestionFormulas,
        atoms: &Atoms,
        lesson: &Self::Lesson,
    ) -> Option<Formula>;

    /// How formulas become clauses.
    fn encoding(&self) -> Encoding {
        Encoding::default()
    }

    /// How the solver searches.
    fn solver_options(&self) -> SolverOptions {
        SolverOptions::default()
    }

    /// How deep the first goal is taken apart, to ask for one case after the other
    /// ([`margay_solver::Session::solve_by_cases`]).
    fn cases(&self, _atoms: &Atoms) -> usize {
        0
    }

    /// The SAT solver.
    fn backend(&self) -> &Backend;

    /// How long it may take.
    fn limits(&self) -> SolverLimits;
}
