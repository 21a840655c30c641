//! Cases whose answers are kept. A case is what is solved at once: for a bound and a kind of programs, one thread shape. Its answer
//! follows from what is asked ([`statement`]), from the case, and from the lessons that smaller bounds taught; a run that was interrupted
//! therefore ends as one that was not. Only answers are kept, never that a limit was reached.

mod cost;
mod engine;
mod file;
mod makespan;
mod mapping_answer;
mod part;
mod record;
mod recorded;
mod statement;
mod store;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use margay_models::diagnostic::Diagnostic;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Progress;
use super::case::{self, CaseDecision, CaseExtent, CheckSetting, Preferred, Wanted};
use super::options::CheckOptions;
use super::questions::CheckQuestions;
use crate::certificate::{PROOF, Proof};
use crate::encode::Programs;
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;
use crate::search::Start;
pub use crate::search::{Cube, CubeFact, covers};
use crate::witness::SearchFault;
pub use cost::{CaseCost, CaseCosts};
pub use engine::{CaseEngine, CaseWork, Elsewhere};
pub use file::{CaseFile, SolvedCaseFile};
pub use makespan::makespan;
pub use mapping_answer::MappingAnswerFile;
use margay_models::digest::{digest_of, digest_of_file};
use margay_models::limited;
pub use part::{CasePart, join, parts};
use record::{AnswerRecord, DecisionRecord, PreferredRecord};
pub use recorded::{RecordedCase, recorded};
pub use statement::CheckStatement;
use store::{AnswerStore, StoredCase};

/// Where a check keeps its answers and finds those of runs before.
#[derive(Debug)]
pub struct CheckpointedAnswers {
    store: AnswerStore,
    statement: CheckStatement,
    /// Was it said that nothing more is kept?
    is_full: AtomicBool,
}

/// What came out for a part.
#[derive(Default)]
pub struct PartAnswer {
    pub decisions: Vec<CaseDecision>,
    /// The proof of what has no counterexample, where one was asked for and accepted.
    pub proof: Option<Proof>,
    /// Why it could not be written, if it could not.
    pub unwritten: Option<String>,
    /// Was it found by a run before?
    pub kept: bool,
}

/// The name of the proof of a case.
fn proof_file(case: &str) -> String {
    format!("{case}{PROOF}")
}

/// The kind of programs of a setting, as files name it.
pub fn kind(setting: &CheckSetting<'_>) -> &'static str {
    match setting.problem.vocabulary.content.programs {
        None => "executions",
        Some(Programs::Guarded) => "guarded",
        Some(Programs::Dependent { only_cyclic: true }) => "cyclic",
        Some(Programs::Dependent { only_cyclic: false }) => "dependent",
    }
}

/// `1,2` as files name it.
fn numbers(questions: &[usize]) -> String {
    questions.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The name of a case: bound, kind, shape, questions, and for a leaf the way to it.
fn name(setting: &CheckSetting<'_>, shape: &ThreadShape, questions: &[usize], cube: &Cube) -> String {
    let way: String = cube.iter().map(|&(_, holds)| if holds { '1' } else { '0' }).collect();
    let leaf = if way.is_empty() { way } else { format!("-leaf{way}") };
    format!("{:02}-{}-{shape}-q{}{leaf}", shape.events(), kind(setting), numbers(questions))
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
    /// The answers of a check in a folder. Answers to other questions may be in it; they are told of and left alone.
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
            let error = Diagnostic::error(format!("cannot keep cases in `{}`: {error}", folder.display()));
            vec![error.help("give `--checkpoint` a folder that can be written")]
        })?;
        if let Some(remark) = remark {
            progress.warning(&Diagnostic::warning(remark));
        }
        Ok(Self { store, statement, is_full: AtomicBool::new(false) })
    }

    /// The answer of a part that was kept. Where a certificate is asked for, it must have its proof.
    fn kept(&self, setting: &CheckSetting<'_>, part: &CasePart<'_>, progress: &dyn Progress) -> Option<PartAnswer> {
        let (name, depends) = part.place(setting);
        let kept = self.read(&name, &depends, progress, |AnswerRecord { decisions, proof }| {
            let all = decisions.len() == part.questions.len();
            let decisions = decisions.iter().zip(&part.questions).map(|(r, &q)| r.decision(q, part.shape));
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
        let found = limited::plain(&path).and_then(|_| digest_of_file(&path)).map_err(|error| error.to_string());
        let why = match found {
            Ok(found) if found == proof.sha256 && proof.file == proof_file(&name) => return Some(kept),
            Ok(_) => "it is not the one that was accepted".to_owned(),
            Err(why) => why,
        };
        let warning = format!("the proof `{}` is not used: {why}; the case is solved again", path.display());
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
        progress.warning(&Diagnostic::warning(format!("`{}` is not used: {why}; the case is solved again", path.display())));
        None
    }

    /// Keeps an answer. Where it cannot be written the search goes on: its answer is worth more than the folder.
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

/// Who decides the parts of a check's cases. What keeps answers, or has others find them, has another one inside.
pub trait Decider: Sync {
    /// Is told of all parts of a bound before the first is decided.
    fn begin(&self, _setting: &CheckSetting<'_>, _parts: &[CasePart<'_>]) {}

    /// Decides the questions of a part.
    ///
    /// # Errors
    /// The engines disagree about a candidate, or solver and checker about a proof.
    fn decide(&self, setting: &CheckSetting<'_>, part: &CasePart<'_>) -> Result<PartAnswer, SearchFault>;

    /// Chooses the preferred counterexample of a shape ([`case::preferred`]).
    ///
    /// # Errors
    /// The engines disagree about a candidate.
    fn preferred(&self, setting: &CheckSetting<'_>, wanted: &Wanted<'_>) -> Result<Option<Preferred>, SearchFault>;
}

/// The search itself; with proofs where the options ask for a certificate.
pub struct CaseSearch;

impl Decider for CaseSearch {
    fn decide(&self, setting: &CheckSetting<'_>, part: &CasePart<'_>) -> Result<PartAnswer, SearchFault> {
        let Some(folder) = &setting.options.certify else {
            let extent =
                if part.cube.is_empty() { CaseExtent::Shape(part.shape) } else { CaseExtent::Leaf(part.shape, &part.cube) };
            let decisions = case::decide(setting, extent, &part.questions, Start::Solver)?;
            return Ok(PartAnswer { decisions, proof: None, unwritten: None, kept: false });
        };
        let name = name(setting, part.shape, &part.questions, &part.cube);
        // Of a case that a limit ended, the proof has a name of its own: another process may have solved it whole meanwhile, and its answer
        // names that proof. (An interrupted check begins each case that a cluster's task is about to finish.)
        let file = |answered: usize| match answered {
            all if all == part.questions.len() => proof_file(&name),
            some => proof_file(&format!("{name}-first{some}")),
        };
        let of = case::decide_certified(setting, (part.shape, &part.cube), &part.questions, (folder, &file))?;
        Ok(PartAnswer { decisions: of.answer, proof: of.proof, unwritten: of.unwritten, kept: false })
    }

    fn preferred(&self, setting: &CheckSetting<'_>, wanted: &Wanted<'_>) -> Result<Option<Preferred>, SearchFault> {
        case::preferred(setting, wanted)
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

    fn decide(&self, setting: &CheckSetting<'_>, part: &CasePart<'_>) -> Result<PartAnswer, SearchFault> {
        if let Some(kept) = self.answers.kept(setting, part, self.progress) {
            return Ok(kept);
        }
        let answered = self.inner.decide(setting, part)?;
        if let Some(decisions) = answered.decisions.iter().map(|d| DecisionRecord::new(d, part.shape)).collect() {
            let (name, depends) = part.place(setting);
            let record = AnswerRecord { decisions, proof: answered.proof.clone() };
            self.answers.write(&name, &depends, self.progress, &record);
        }
        Ok(answered)
    }

    /// That there is none within [`Wanted::most`] is not kept: a limit says the same.
    fn preferred(&self, setting: &CheckSetting<'_>, wanted: &Wanted<'_>) -> Result<Option<Preferred>, SearchFault> {
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
            self.answers.write(&name, &depends, self.progress, &PreferredRecord::new(setting, chosen));
        }
        Ok(chosen)
    }
}
