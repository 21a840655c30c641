//! Who solves cases elsewhere: on the machines of a cluster, or nobody (for a list of what is to be done).

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::{Answers, CaseFile, Part};
use crate::check::Progress;
use crate::check::case::Setting;

/// The cases of a bound that are not answered yet.
#[derive(Debug)]
pub struct Work<'a> {
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

impl Work<'_> {
    /// Is there an answer for the case of this index? Answers appear whole.
    pub fn is_answered(&self, index: usize) -> bool {
        self.answers.get(index).is_some_and(|path| path.is_file())
    }
}

/// Solves cases elsewhere. Whoever adds a cluster's engine implements this (docs/cluster.md).
pub trait Engine: Debug + Send + Sync {
    /// Returns when all cases of the work are answered in its folder, or to have those that are not solved here. To end the check
    /// instead, an engine raises the flag that stops it.
    fn solve(&self, work: &Work<'_>, progress: &dyn Progress);
}

/// Has the engine of the options solve what is not answered yet.
pub fn elsewhere(setting: &Setting<'_>, answers: &Answers, parts: &[Part<'_>], progress: &dyn Progress) {
    let Some(engine) = &setting.options.engine else { return };
    let open: Vec<&Part<'_>> = parts.iter().filter(|part| answers.kept(setting, part, progress).is_none()).collect();
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
    engine.solve(&Work { cases, folder, certify, all: parts.len(), answers: paths }, progress);
}
