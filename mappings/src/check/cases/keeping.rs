//! The answers that a check keeps, and who takes them from there.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use margay_models::diagnostic::Diagnostic;
use margay_models::digest::{digest_of, digest_of_file};
use margay_models::limited;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::decider::Decider;
use super::name::{name, proof_file};
use super::part::{CasePart, PartAnswer};
use super::record::{AnswerRecord, DecisionRecord, PreferredRecord};
use super::statement::CheckStatement;
use super::store::{AnswerStore, StoredCase};
use crate::check::case::{CheckSetting, Preferred, Wanted};
use crate::check::options::CheckOptions;
use crate::check::questions::CheckQuestions;
use crate::encode::atoms::Atoms;
use crate::language::Mapping;
use crate::search::{Cube, Progress};
use crate::witness::SearchFault;

/// Where a check keeps its answers and finds those of runs before.
#[derive(Debug)]
pub struct CheckpointedAnswers {
    pub(super) store: AnswerStore,
    pub(super) statement: CheckStatement,
    /// Was it said that nothing more is kept?
    pub(super) is_full: AtomicBool,
}

impl CasePart<'_> {
    /// The name of the answer, and the digest of what it depends on beside the statement.
    fn place(&self, setting: &CheckSetting<'_>) -> (String, String) {
        let name = name(setting, self.shape, &self.questions, &self.cube);
        let depends = digest_of(&(&name, &self.cube, setting.lessons));
        (name, depends)
    }
}

impl CheckpointedAnswers {
    /// The answers of a check in a folder. Answers to other questions may be in it; they are told
    /// of and left alone.
    ///
    /// # Errors
    /// The folder cannot be made, read or written.
    pub fn open(
        folder: &Path,
        mapping: &Mapping,
        options: &CheckOptions,
        asked: &CheckQuestions,
        progress: &dyn Progress,
    ) -> Result<Self, Vec<Diagnostic>> {
        let statement = CheckStatement::new(mapping, options, asked)?;
        let (store, remark) = AnswerStore::open(folder, &statement).map_err(|error| {
            let error =
                Diagnostic::error(format!("cannot keep cases in `{}`: {error}", folder.display()));
            vec![error.help("give `--checkpoint` a folder that can be written")]
        })?;
        if let Some(remark) = remark {
            progress.warning(&Diagnostic::warning(remark));
        }
        Ok(Self { store, statement, is_full: AtomicBool::new(false) })
    }

    /// The answer of a part that was kept. Where a certificate is asked for, it must have its
    /// proof.
    pub(super) fn kept(
        &self,
        setting: &CheckSetting<'_>,
        part: &CasePart<'_>,
        progress: &dyn Progress,
    ) -> Option<PartAnswer> {
        let (name, depends) = part.place(setting);
        let kept = self.read(&name, &depends, progress, |AnswerRecord { decisions, proof }| {
            let all = decisions.len() == part.questions.len();
            let decisions =
                decisions.iter().zip(&part.questions).map(|(r, &q)| r.decision(q, part.shape));
            let decisions = all.then(|| decisions.collect::<Option<Vec<_>>>()).flatten()?;
            Some(PartAnswer { decisions, proof, unwritten: None, kept: true })
        })?;
        let Some(folder) = &setting.options.certify else { return Some(kept) };
        let Some(proof) = &kept.proof else {
            tracing::info!("{name}: answered without a proof; it is solved again");
            return None;
        };
        // Its name comes from a file, and may be of another folder.
        let path = folder.join(proof_file(&name));
        let found = limited::plain(&path)
            .and_then(|_| digest_of_file(&path))
            .map_err(|error| error.to_string());
        let why = match found {
            Ok(found) if found == proof.sha256 && proof.file == proof_file(&name) => {
                return Some(kept);
            }
            Ok(_) => "it is not the one that was accepted".to_owned(),
            Err(why) => why,
        };
        let warning =
            format!("the proof `{}` is not used: {why}; the case is solved again", path.display());
        progress.warning(&Diagnostic::warning(warning));
        None
    }

    /// What was kept under a name; a file that cannot be used is told of.
    fn read<T: DeserializeOwned, U>(
        &self,
        name: &str,
        depends: &str,
        progress: &dyn Progress,
        restore: impl FnOnce(T) -> Option<U>,
    ) -> Option<U> {
        let why = match self.store.read(name, depends) {
            StoredCase::Nothing => return None,
            StoredCase::Wrong(why) => why,
            StoredCase::CaseAnswer(record) => match restore(record) {
                Some(answer) => {
                    tracing::info!("{name}: kept from a run before");
                    return Some(answer);
                }
                None => "it does not fit its case".to_owned(),
            },
        };
        let path = self.store.path(name);
        progress.warning(&Diagnostic::warning(format!(
            "`{}` is not used: {why}; the case is solved again",
            path.display()
        )));
        None
    }

    /// Keeps an answer. Where it cannot be written the search goes on: its answer is worth more
    /// than the folder.
    fn write(&self, name: &str, depends: &str, progress: &dyn Progress, record: &impl Serialize) {
        if let Err(error) = self.store.write(name, depends, record)
            && !self.is_full.swap(true, Ordering::Relaxed)
        {
            let folder = self.store.folder().display();
            let warning = format!(
                "cannot keep a case in `{folder}`: {error}; the search goes on, and what cannot be kept is lost if it is interrupted"
            );
            progress.warning(&Diagnostic::warning(warning));
        }
    }
}

/// Takes answers that were kept, and keeps those that are found.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    /// Where answers are kept.
    pub answers: &'a CheckpointedAnswers,
    /// Who finds them.
    pub inner: &'a dyn Decider,
    /// Is told what cannot be used, and what cannot be kept.
    pub progress: &'a dyn Progress,
}

impl Decider for Keeping<'_> {
    fn begin(&self, setting: &CheckSetting<'_>, parts: &[CasePart<'_>]) {
        self.inner.begin(setting, parts);
    }

    fn decide(
        &self,
        setting: &CheckSetting<'_>,
        part: &CasePart<'_>,
    ) -> Result<PartAnswer, SearchFault> {
        if let Some(kept) = self.answers.kept(setting, part, self.progress) {
            return Ok(kept);
        }
        let answered = self.inner.decide(setting, part)?;
        if let Some(decisions) =
            answered.decisions.iter().map(|d| DecisionRecord::new(d, part.shape)).collect()
        {
            let (name, depends) = part.place(setting);
            let record = AnswerRecord { decisions, proof: answered.proof.clone() };
            self.answers.write(&name, &depends, self.progress, &record);
        }
        Ok(answered)
    }

    /// That there is none within [`Wanted::most`] is not kept: a limit says the same.
    fn preferred(
        &self,
        setting: &CheckSetting<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Preferred>, SearchFault> {
        let &Wanted { shape, question, most, .. } = wanted;
        let within = most.map_or(String::new(), |most| format!("-within-{most}"));
        let name = format!("{}-chosen{within}", name(setting, shape, &[question], &Cube::new()));
        let depends = digest_of(&(&name, setting.lessons));
        let atoms = Atoms::new(shape, setting.problem.vocabulary.content.slots);
        let restore = |record: PreferredRecord| record.preferred(setting, atoms);
        if let Some(kept) = self.answers.read(&name, &depends, self.progress, restore) {
            return Ok(Some(kept));
        }
        let chosen = self.inner.preferred(setting, wanted)?;
        if let Some(chosen) = &chosen {
            self.answers.write(
                &name,
                &depends,
                self.progress,
                &PreferredRecord::new(setting, chosen),
            );
        }
        Ok(chosen)
    }
}
