//! What is asked of litmus tests.

use std::path::PathBuf;
use std::time::Duration;

use margay_litmus::engine::Choice;

use crate::executions::ExecutionChoice;

/// What is asked.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Litmus tests, or folders of them.
    pub tests: Vec<PathBuf>,
    /// .cat files or names of models.
    pub models: Vec<String>,
    /// Optional axioms that are taken in.
    pub with: Vec<String>,
    /// Axioms that are left out.
    pub without: Vec<String>,
    /// How often each loop is gone round.
    pub unroll: usize,
    /// Who answers.
    pub engine: Choice,
    /// How long each answer may take.
    pub timeout: Option<Duration>,
    /// The number of threads, if not one for each core.
    pub jobs: Option<usize>,
    /// Are the tests asked for races, where a model leaves racy programs their meaning?
    pub races: bool,
    /// The folder of the certificate.
    pub certify: Option<PathBuf>,
    /// The executions that are shown.
    pub executions: ExecutionChoice,
}
