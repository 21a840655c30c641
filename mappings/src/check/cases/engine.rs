//! Who solves cases elsewhere: on the machines of a cluster, or nobody (for a list of what is to be
//! done).

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::file::CaseFile;
use crate::search::Progress;

/// The cases of a bound that are not answered yet.
#[derive(Debug)]
pub struct CaseWork<'a> {
    /// The cases, those predicted to cost most first.
    pub cases: Vec<CaseFile>,
    /// The folder of `--checkpoint`, where answers go.
    pub folder: &'a Path,
    /// The folder of `--certify`, where proofs go.
    pub certify: Option<&'a Path>,
    /// All cases of the bound, answered ones included.
    pub all: usize,
    pub(super) answers: Vec<PathBuf>,
}

impl CaseWork<'_> {
    /// Is there an answer for the case of this index? Answers appear whole.
    pub fn is_answered(&self, index: usize) -> bool {
        self.answers.get(index).is_some_and(|path| path.is_file())
    }
}

/// Solves cases elsewhere. Whoever adds a cluster's engine implements this (docs/cluster.md).
pub trait CaseEngine: Debug + Send + Sync {
    /// Returns when all cases of the work are answered in its folder, or to have those that are not
    /// solved here. To end the check instead, an engine raises the flag that stops it.
    fn solve(&self, work: &CaseWork<'_>, progress: &dyn Progress);

    /// Why it ended the check, if it did.
    fn failure(&self) -> Option<String> {
        None
    }
}
