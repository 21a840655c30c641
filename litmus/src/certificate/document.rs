//! What `certificate.json` says of litmus tests.

use std::path::Path;

use margay_models::certificate::{ModelText, NoEntries, Proof, Text, open};
use margay_models::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::sat::CandidateExecution;
use crate::unfold::UnfoldingBounds;
use crate::verdict::Options;

/// What a certificate of tests says; each claim is about a test and a model, in their order, and
/// has with it what shows it.
pub type TestDocument =
    margay_models::certificate::CertificateDocument<TestSubject, TestClaim, NoEntries>;

/// The kind of a certificate.
pub const KIND: &str = "run";

/// What the questions are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TestSubject {
    /// `margay run`: tests under models.
    Run {
        tests: Vec<Text>,
        models: Vec<ModelText>,
        /// What was asked.
        given: TestQuestion,
    },
}

/// The options that decide what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestQuestion {
    /// How often each loop is gone round.
    pub unroll: usize,
}

impl TestQuestion {
    /// What the options ask.
    pub fn of(options: &Options) -> Self {
        // Without `..`: whoever adds an option says here whether an answer depends on it.
        let Options { bounds, deadline: _, stop: _, steps: _, conflicts: _, events: _ } = options;
        // With more paths there is an error, and no answer; which paths only wait is for the model
        // to say.
        let UnfoldingBounds {
            unroll,
            paths: _,
            skip_waiting: _,
            skip_waiting_for_races: _,
            skip_rewriting: _,
            ends_let_pass: _,
            retries,
        } = bounds;
        debug_assert_eq!(
            *retries,
            crate::unfold::RetryRounds::All,
            "a certificate is of all rounds"
        );
        Self { unroll: *unroll }
    }

    /// The options that ask this.
    pub(super) fn options(self) -> Options {
        let Self { unroll } = self;
        Options {
            bounds: UnfoldingBounds { unroll, ..UnfoldingBounds::default() },
            ..Options::default()
        }
    }
}

/// The verdict on a test under a model, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestClaim {
    /// The test, by its place among them.
    pub test: usize,
    /// The model, by its place.
    pub model: usize,
    /// Does some legal execution satisfy the condition (`forall`: violate it)?
    pub reachable: bool,
    /// Is the answer only known up to the bound of the loops?
    pub bounded: bool,
    /// Is there a race, or is the program otherwise undefined? `None` where the model does not say
    /// what that is.
    #[serde(deserialize_with = "Option::deserialize")]
    pub racy: Option<bool>,
    /// What shows it, for each session of the solver.
    pub sessions: Vec<CertifiedSession>,
}

/// What shows the answers of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSession {
    /// The answers, in the order in which questions are asked: is there an execution as the
    /// condition wants it, is there one that shows the program to be undefined?
    pub answers: Vec<SessionAnswer>,
    /// The proof, where the answer is "none" anywhere; null for a program without paths.
    #[serde(deserialize_with = "Option::deserialize")]
    pub proof: Option<Proof>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionAnswer {
    /// There is no such execution: proved.
    None,
    /// There is this one: the judge confirms it.
    Execution(CandidateExecution),
}

/// Reads the document of a folder.
///
/// # Errors
/// It is not there, is damaged, is none of this version, or not about tests.
pub fn read(folder: &Path) -> Result<TestDocument, Diagnostic> {
    open(folder)?.parse()
}
