//! Who solves cases elsewhere: on the machines of a cluster, or nobody (for a list of what is to be done).

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::{CaseFile, CasePart, Decider, Keeping, PartAnswer};
use crate::check::case::{CheckSetting, Preferred, Wanted};
use crate::check::{Progress, SearchFault};

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
    answers: Vec<PathBuf>,
}

impl CaseWork<'_> {
    /// Is there an answer for the case of this index? Answers appear whole.
    pub fn is_answered(&self, index: usize) -> bool {
        self.answers.get(index).is_some_and(|path| path.is_file())
    }
}

/// Solves cases elsewhere. Whoever adds a cluster's engine implements this (docs/cluster.md).
pub trait CaseEngine: Debug + Send + Sync {
    /// Returns when all cases of the work are answered in its folder, or to have those that are not solved here. To end the check
    /// instead, an engine raises the flag that stops it.
    fn solve(&self, work: &CaseWork<'_>, progress: &dyn Progress);

    /// Why it ended the check, if it did.
    fn failure(&self) -> Option<String> {
        None
    }
}

/// Has an engine find the answers that are not kept yet.
pub struct Elsewhere<'a> {
    pub engine: &'a dyn CaseEngine,
    /// Takes its answers, and decides what it leaves.
    pub inner: Keeping<'a>,
}

impl Decider for Elsewhere<'_> {
    fn begin(&self, setting: &CheckSetting<'_>, parts: &[CasePart<'_>]) {
        let Keeping { answers, progress, .. } = self.inner;
        let open: Vec<&CasePart<'_>> = parts.iter().filter(|part| answers.kept(setting, part, progress).is_none()).collect();
        if open.is_empty() {
            return;
        }
        let cases: Vec<CaseFile> = open.iter().map(|part| CaseFile::new(setting, answers, part)).collect();
        let paths: Vec<PathBuf> = cases.iter().map(|case| answers.store.path(&case.name)).collect();
        // What is there was refused: it must not be taken for a new answer.
        for path in &paths {
            let _ = std::fs::remove_file(path);
        }
        let folder = answers.store.folder().parent().unwrap_or(Path::new("."));
        let certify = setting.options.certify.as_deref();
        self.engine.solve(&CaseWork { cases, folder, certify, all: parts.len(), answers: paths }, progress);
    }

    fn decide(&self, setting: &CheckSetting<'_>, part: &CasePart<'_>) -> Result<PartAnswer, SearchFault> {
        self.inner.decide(setting, part)
    }

    fn preferred(&self, setting: &CheckSetting<'_>, wanted: &Wanted<'_>) -> Result<Option<Preferred>, SearchFault> {
        self.inner.preferred(setting, wanted)
    }
}
