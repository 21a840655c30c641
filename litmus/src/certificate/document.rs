//! What `certificate.json` says of litmus tests.

use std::path::Path;

use margay_models::certificate::{ModelText, NoEntries, Proof, Text, open};
use margay_models::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::sat::CandidateExecution;
use crate::test::{Proposition, Quantifier, Test};
use crate::unfold::{RetryRounds, UnfoldingBounds};
use crate::verdict::Options;

/// What a certificate of tests says; each claim is about a test and a model, in their order, and
/// has with it what shows it.
pub type TestDocument =
    margay_models::certificate::CertificateDocument<TestSubject, TestClaim, NoEntries>;

/// The kinds of certificates of tests: the tests that somebody wrote, and those that were made of
/// kernels.
pub const KINDS: [&str; 2] = ["run", "kernel"];

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
    /// `margay kernel`: tests that were made of kernels, each under one model or more.
    Kernel {
        tests: Vec<Text>,
        models: Vec<ModelText>,
        /// The ways in which tests were asked about; a claim names its own.
        given: Vec<TestQuestion>,
        /// What each test was asked for. That is the author's word: nothing shows it.
        asked: Vec<KernelLabel>,
    },
}

impl TestSubject {
    pub fn tests(&self) -> &[Text] {
        match self {
            Self::Run { tests, .. } | Self::Kernel { tests, .. } => tests,
        }
    }

    pub fn models(&self) -> &[ModelText] {
        match self {
            Self::Run { models, .. } | Self::Kernel { models, .. } => models,
        }
    }

    /// The ways in which tests were asked about.
    pub fn given(&self) -> &[TestQuestion] {
        match self {
            Self::Run { given, .. } => std::slice::from_ref(given),
            Self::Kernel { given, .. } => given,
        }
    }

    /// What claims are said to have been asked for.
    pub fn labels(&self) -> &[KernelLabel] {
        match self {
            Self::Run { .. } => &[],
            Self::Kernel { asked, .. } => asked,
        }
    }
}

/// What a claim is said to be of use for: a question about a launch of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelLabel {
    /// As it was named on the command line.
    pub file: String,
    pub kernel: String,
    /// As `--launch` takes it.
    pub launch: String,
    /// What was passed beside what is given or usual: `arg0 = {7*}`.
    pub with: Vec<String>,
    /// In words: `data races`.
    pub question: String,
    /// The claim, by its place.
    pub claim: usize,
}

/// The options that decide what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestQuestion {
    /// How often each loop is gone round.
    pub unroll: usize,
    /// Which rounds of loops are looked at that try again.
    #[serde(default, skip_serializing_if = "is_all")]
    pub rounds: RetryRounds,
    /// Are races not looked for in rounds that only wait?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skips_waiting: bool,
}

fn is_all(rounds: &RetryRounds) -> bool {
    *rounds == RetryRounds::All
}

impl TestQuestion {
    /// What the options ask.
    pub fn of(options: &Options) -> Self {
        // Without `..`: whoever adds an option says here whether an answer depends on it.
        let Options { bounds, deadline: _, stop: _, steps: _, conflicts: _, events: _ } = options;
        // With more paths there is an error, and no answer. Which paths only wait, and what threads
        // do that end, is for the model to say.
        let UnfoldingBounds {
            unroll,
            paths: _,
            skip_waiting: _,
            skip_waiting_for_races,
            skip_rewriting: _,
            ends_let_pass: _,
            retries,
        } = bounds;
        Self { unroll: *unroll, rounds: *retries, skips_waiting: *skip_waiting_for_races }
    }

    /// The options that ask this.
    pub fn options(self) -> Options {
        let Self { unroll, rounds, skips_waiting } = self;
        Options {
            bounds: UnfoldingBounds {
                unroll,
                retries: rounds,
                skip_waiting_for_races: skips_waiting,
                ..UnfoldingBounds::default()
            },
            ..Options::default()
        }
    }

    /// Why an answer to it is none to what is claimed, if it is not: what is left out of loops that
    /// try again is argued for races alone, or for what is so without a race (docs/semantics.md).
    pub(super) fn leaves_open(self, claim: &TestClaim, test: &Test) -> Option<&'static str> {
        let asks_nothing = test.condition.quantifier == Quantifier::Exists
            && test.condition.proposition == Proposition::False;
        match self.rounds {
            RetryRounds::All => None,
            RetryRounds::Last => claim.racy.is_some().then_some(
                "of loops that try again it looks at the last rounds, which say nothing of races",
            ),
            RetryRounds::Racing(Some(at)) if usize::from(at) >= test.locations.len() => {
                Some("it looks for races at a location that the test has not")
            }
            RetryRounds::Racing(_) => (!asks_nothing).then_some(
                "of loops that try again it looks at the rounds that may race, which say nothing of another outcome",
            ),
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
    /// How it was asked about, by its place among the ways that there are.
    #[serde(default, skip_serializing_if = "is_first")]
    pub given: usize,
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

fn is_first(place: &usize) -> bool {
    *place == 0
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
