//! Cases that an engine finds the answers of.

use std::path::{Path, PathBuf};

use super::decider::Decider;
use super::engine::{CaseEngine, CaseWork};
use super::file::CaseFile;
use super::keeping::Keeping;
use super::part::{CasePart, PartAnswer};
use crate::check::case::{CheckSetting, Preferred, Wanted};
use crate::witness::SearchFault;

/// Has an engine find the answers that are not kept yet.
pub struct Elsewhere<'a> {
    pub engine: &'a dyn CaseEngine,
    /// Takes its answers, and decides what it leaves.
    pub inner: Keeping<'a>,
}

impl Decider for Elsewhere<'_> {
    fn begin(&self, setting: &CheckSetting<'_>, parts: &[CasePart<'_>]) {
        let Keeping { answers, progress, .. } = self.inner;
        let open: Vec<&CasePart<'_>> =
            parts.iter().filter(|part| answers.kept(setting, part, progress).is_none()).collect();
        if open.is_empty() {
            return;
        }
        let cases: Vec<CaseFile> =
            open.iter().map(|part| CaseFile::new(setting, answers, part)).collect();
        let paths: Vec<PathBuf> = cases.iter().map(|case| answers.store.path(&case.name)).collect();
        // What is there was refused: it must not be taken for a new answer.
        for path in &paths {
            let _ = std::fs::remove_file(path);
        }
        let folder = answers.store.folder().parent().unwrap_or(Path::new("."));
        let certify = setting.options.certify.as_deref();
        self.engine.solve(
            &CaseWork { cases, folder, certify, all: parts.len(), answers: paths },
            progress,
        );
    }

    fn decide(
        &self,
        setting: &CheckSetting<'_>,
        part: &CasePart<'_>,
    ) -> Result<PartAnswer, SearchFault> {
        self.inner.decide(setting, part)
    }

    fn preferred(
        &self,
        setting: &CheckSetting<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Preferred>, SearchFault> {
        self.inner.preferred(setting, wanted)
    }
}
