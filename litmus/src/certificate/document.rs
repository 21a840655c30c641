//! What `certificate.json` says of litmus tests.

use std::path::Path;

use margay_models::certificate::{ModelText, Proof, Text, open};
use margay_models::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::sat::Candidate;

/// What a certificate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`margay_models::certificate::FORMAT`].
    pub format: String,
    /// [`margay_models::certificate::VERSION`].
    pub version: u32,
    /// The Margay that wrote it.
    pub margay: String,
    /// The solver that was asked.
    pub solver: String,
    /// What the questions were about.
    pub subject: Subject,
    /// What is certified, by test and model.
    pub claims: Vec<Claim>,
}

/// The kind of a certificate.
pub const KIND: &str = "run";

/// What the questions are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Subject {
    /// `margay run`: tests under models.
    Run {
        /// The tests.
        tests: Vec<Text>,
        /// The models.
        models: Vec<ModelText>,
        /// What the models are called.
        names: Vec<String>,
        /// What was asked.
        given: Given,
    },
}

/// The options that decide what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// How often each backward jump is taken.
    pub unroll: usize,
}

/// The verdict on a test under a model, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The test, by its place among them.
    pub test: usize,
    /// The model, by its place.
    pub model: usize,
    /// Does some legal execution satisfy the condition (`forall`: violate it)?
    pub reachable: bool,
    /// Is the answer only known up to the bound of the loops?
    pub bounded: bool,
    /// Is there a race, or is the program otherwise undefined? `None` where the model does not say what that is.
    pub racy: Option<bool>,
    /// What shows it, for each session of the solver.
    pub sessions: Vec<Session>,
}

/// What shows the answers of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The answers, in the order in which questions are asked: is there an execution as the condition wants it, is there one that
    /// shows the program to be undefined?
    pub answers: Vec<Answer>,
    /// The proof, where the answer is "none" anywhere; null for a program without paths.
    pub proof: Option<Proof>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// There is no such execution: proved.
    None,
    /// There is this one: the judge confirms it.
    Execution(Candidate),
}

/// Reads the document of a folder.
///
/// # Errors
/// It is not there, is damaged, is none of this version, or not about tests.
pub fn read(folder: &Path) -> Result<Document, Diagnostic> {
    open(folder)?.parse()
}
