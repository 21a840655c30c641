//! Why a case of a certificate is not accepted.

use std::fmt;

use margay_solver::proof::ProofFlaw;

use crate::level::{CoReading, Level};

/// Why the proof of a case does not show its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseRefusal {
    /// The proof is wrong, or of another case.
    Proof(ProofFlaw),
    /// What the case says that it learned is about no candidate of it.
    NoLesson,
    /// The baseline is said to have an outcome that it has not, or that cannot be looked for.
    NotOfBaseline,
    /// A case of a comparison has one question.
    NotOneQuestion,
}

impl From<ProofFlaw> for CaseRefusal {
    fn from(flaw: ProofFlaw) -> Self {
        Self::Proof(flaw)
    }
}

impl fmt::Display for CaseRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proof(flaw) => return flaw.fmt(f),
            Self::NoLesson => "what its case learned cannot have been learned",
            Self::NotOfBaseline => {
                "what its case says that the baseline allows is not so, or not seen within the limits of a test"
            }
            Self::NotOneQuestion => "its case has not one question",
        })
    }
}

/// A case learned what the options of its check leave no room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonOutOfPlace {
    /// The file of the case's proof.
    pub file: String,
    pub level: Level,
    pub co: CoReading,
}

impl fmt::Display for LessonOutOfPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "what the case of `{}` learned cannot have been learned at {} level with modification order {}",
            self.file,
            self.level.name(),
            self.co.name()
        )
    }
}
