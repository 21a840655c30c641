//! What `certificate.json` says of a check or a comparison.

use std::path::Path;

use margay_models::certificate::{ModelText, Proof, Text, open};
use margay_models::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::level::{CoReading, Level};
use crate::search::{Cube, RecordedInstance};

/// What a certificate of a check or a comparison says.
pub type MappingDocument =
    margay_models::certificate::CertificateDocument<MappingSubject, BoundedClaim, BoundEntry>;

/// What a question is about: the kind of certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum MappingSubject {
    /// `margay check`: a mapping.
    Check {
        mapping: Text,
        source: ModelText,
        target: ModelText,
        /// The mapping whose counterexamples were left out, read between the same models; it is
        /// asked without its assumed rows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        baseline: Option<Text>,
        /// What was asked.
        given: QuestionOptions,
    },
    /// `margay diff`: two models.
    Diff {
        /// The mapping between them; null for models of one signature.
        #[serde(deserialize_with = "Option::deserialize")]
        mapping: Option<Text>,
        /// The older model, or the source.
        old: ModelText,
        /// The newer model, or the target.
        new: ModelText,
        /// What was asked.
        given: ComparisonBasis,
    },
}

/// The options that decide what two models are compared by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonBasis {
    /// The largest number of events.
    pub bound: usize,
    /// Constructs left out.
    pub without: Vec<String>,
    /// Constructs used alone; empty for all.
    pub only: Vec<String>,
    /// A location is atomic or plain.
    pub typed: bool,
    /// Executions, or outcomes of programs.
    pub level: Level,
}

/// The options that decide what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionOptions {
    /// The largest number of events.
    pub bound: usize,
    /// Axioms, by name; empty for the usual ones.
    pub axioms: Vec<String>,
    /// Constructs left out.
    pub without: Vec<String>,
    /// Constructs used alone; empty for all.
    pub only: Vec<String>,
    /// A location is atomic or plain.
    pub typed: bool,
    /// Executions or programs.
    pub level: Level,
    /// At program level, the largest number of guards and computed values.
    #[serde(deserialize_with = "Option::deserialize")]
    pub guards: Option<usize>,
    /// The reading of modification order.
    pub co: CoReading,
    /// Were the assumed rows of the mapping left out?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known_only: bool,
}

/// A question, and up to how many events there is no counterexample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundedClaim {
    /// The axiom, or the axioms together; of a comparison the question.
    pub axiom: String,
    /// None has so many events or fewer.
    pub none_up_to: usize,
}

/// The cases of one bound, and of one kind of programs (of a comparison there is one kind).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundEntry {
    /// The number of events.
    pub events: usize,
    /// The kind of programs, by its place in the order in which they are asked about.
    pub programs: usize,
    pub cases: Vec<CertifiedCase>,
}

/// One case: a thread shape, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedCase {
    /// The number of events of each thread.
    pub shape: Vec<usize>,
    /// The leaf of the shape: facts, each with whether it holds; empty for all executions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cube: Cube,
    /// The questions, in the order in which they were asked.
    pub answers: Vec<CertifiedAnswer>,
    pub proof: Proof,
}

/// A question in a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedAnswer {
    /// Its place among the questions.
    pub question: usize,
    /// What came out.
    pub answer: CaseOutcome,
    /// What was learned from refuted candidates on the way.
    pub learned: Vec<CertifiedLesson>,
}

/// What came out for a question in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseOutcome {
    /// There is no counterexample: proved.
    None,
    /// There is one. Nothing is certified about that.
    Counterexample,
    /// No answer.
    Undecided,
}

/// What a refuted candidate teaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum CertifiedLesson {
    /// A modification order, as the events in order: what it explains is no counterexample.
    Order(Vec<usize>),
    /// The beginning of an execution: a program in which it races is no counterexample.
    Race {
        /// The events in an order that modification order follows.
        order: Vec<usize>,
        /// Where reads read from; null for each from the last write before it.
        #[serde(deserialize_with = "Option::deserialize")]
        sources: Option<Vec<(usize, Option<usize>)>>,
    },
    /// Of a comparison of outcomes: orders, as pairs of events, by which the other model explains
    /// what it explains.
    Orders {
        coherence: Vec<(usize, usize)>,
        /// Fence-SC order.
        fences: Vec<(usize, usize)>,
    },
    /// Beside a baseline: orders with which what the baseline makes of a program is legal. What it
    /// allows by them is nothing new.
    Old {
        /// Which of the baseline's alternatives are taken.
        variant: usize,
        /// The writes that coherence relates where it is partial, as pairs of atoms.
        related: Vec<(u32, u32)>,
        /// Fence-SC order, as pairs of atoms.
        fences: Vec<(u32, u32)>,
    },
    /// Beside a baseline: an execution whose outcome the baseline's program can have, too, as the
    /// engine for litmus tests found.
    Outcome(RecordedInstance),
}

/// Reads the document of a folder.
///
/// # Errors
/// It is not there, is damaged, is none of this version, or not about a mapping or two models.
pub fn read(folder: &Path) -> Result<MappingDocument, Diagnostic> {
    open(folder)?.parse()
}
