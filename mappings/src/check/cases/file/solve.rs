//! A case goes into a file, and is solved from it.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use margay_models::diagnostic::Diagnostic;

use super::{CaseFile, FORMAT, VERSION};
use crate::check::Progress;
use crate::check::case::{CaseAnswer, CheckSetting};
use crate::check::cases::decider::{CaseSearch, Decider};
use crate::check::cases::keeping::{CheckpointedAnswers, Keeping};
use crate::check::cases::name::{kind, name};
use crate::check::cases::part::{CasePart, PartAnswer};
use crate::check::kind::ProgramKind;
use crate::check::options::CheckOptions;
use crate::check::{certify, questions};
use crate::encode::shape::ThreadShape;

/// What came out for a case.
#[derive(Debug, Clone)]
pub struct SolvedCaseFile {
    pub name: String,
    /// The axioms of each question with the answer: is there a counterexample? `None` if a limit
    /// was reached.
    pub answers: Vec<(String, Option<bool>)>,
    /// Conflicts of the solver.
    pub conflicts: u64,
    /// Seconds that solving it took, now or when it was solved.
    pub seconds: f64,
    /// Was it solved before?
    pub kept: bool,
    /// The file of the answer; it is there unless a limit was reached, or it cannot be written.
    pub path: PathBuf,
    /// The answer could not be written.
    pub unwritten: bool,
    /// Wall time of this call.
    pub elapsed: f64,
}

impl SolvedCaseFile {
    /// Is every question answered?
    pub fn is_decided(&self) -> bool {
        self.answers.iter().all(|(_, found)| found.is_some())
    }
}

impl CaseFile {
    /// The file of a part of a check's cases.
    pub fn new(
        setting: &CheckSetting<'_>,
        answers: &CheckpointedAnswers,
        part: &CasePart<'_>,
    ) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            key: answers.store.key().to_owned(),
            name: name(setting, part.shape, &part.questions, &part.cube),
            statement: answers.statement.clone(),
            kind: kind(setting).to_owned(),
            bound: part.shape.events(),
            shape: part.shape.sizes().to_vec(),
            questions: part.questions.clone(),
            cube: part.cube.clone(),
            lessons: setting.lessons.iter().cloned().collect(),
            predicted: part.cost,
        }
    }

    /// Solves the case; its answer goes into the folder, where a check with `--checkpoint` finds
    /// it. With a limit reached nothing is written.
    ///
    /// # Errors
    /// The case is none of its mapping, or the engines disagree.
    pub fn solve(
        &self,
        folder: &Path,
        limits: &CheckOptions,
        progress: &dyn Progress,
    ) -> Result<SolvedCaseFile, Vec<Diagnostic>> {
        let start = Instant::now();
        let wrong =
            |what: &str| vec![Diagnostic::error(format!("the case file `{}` {what}", self.name))];
        let (mapping, mut options) = self.statement.load()?;
        options.bound = self.bound;
        (options.stop, options.deadline) = (limits.stop.clone(), limits.deadline);
        options.checkpoint = Some(folder.to_path_buf());
        options.certify.clone_from(&limits.certify);
        let asked = questions::resolve(&mapping, &options)?;
        let mapping = options.searched(&mapping);
        if let Some(folder) = &options.certify {
            certify::goes_on(mapping, &options, &asked, folder)?;
        }
        let answers = CheckpointedAnswers::open(folder, mapping, &options, &asked, progress)?;
        if answers.store.key() != self.key {
            return Err(wrong("does not ask what it asked when it was written"));
        }
        let shape = ThreadShape::of(&self.shape).filter(|s| s.events() == self.bound);
        let shape = shape.ok_or_else(|| wrong("has a thread shape that is none"))?;
        let mut kinds = ProgramKind::all(mapping, &options, &asked);
        let known = kinds.iter().position(|k| kind(&k.setting(mapping, &options)) == self.kind);
        let known = known
            .ok_or_else(|| wrong("is about a kind of programs that its mapping does not have"))?;
        let kind = &mut kinds[known];
        questions::check_problem(&kind.problem, &options)?;
        let fits = self.questions.iter().all(|&q| q < kind.asks.len())
            && self.cube.iter().all(|(fact, _)| fact.is_about(&shape))
            && self.lessons.iter().all(|lesson| lesson.is_within(crate::check::MAX_BOUND));
        if !fits {
            return Err(wrong("speaks of questions, events or threads that it does not have"));
        }
        kind.lessons = self.lessons.iter().cloned().collect();
        let setting = kind.setting(mapping, &options);
        let part = CasePart {
            shape: &shape,
            questions: self.questions.clone(),
            cube: self.cube.clone(),
            cost: None,
        };
        if name(&setting, part.shape, &part.questions, &part.cube) != self.name {
            return Err(wrong("has the name of another case"));
        }
        let keeping = Keeping { answers: &answers, inner: &CaseSearch, progress };
        let PartAnswer { decisions, kept, .. } = keeping
            .decide(&setting, &part)
            .map_err(|fault| vec![Diagnostic::error(format!("case `{}`: {fault}", self.name))])?;
        let path = answers.store.path(&self.name);
        let axioms = |question: usize| crate::check::name(mapping, &setting.asks[question]);
        let found = |answer: CaseAnswer| match answer {
            CaseAnswer::Found => Some(true),
            CaseAnswer::None => Some(false),
            CaseAnswer::Unknown => None,
        };
        Ok(SolvedCaseFile {
            name: self.name.clone(),
            answers: decisions.iter().map(|d| (axioms(d.question), found(d.answer))).collect(),
            conflicts: decisions.iter().map(|d| d.statistics.conflicts).sum(),
            seconds: decisions.iter().map(|d| d.seconds).sum(),
            kept,
            unwritten: answers.is_full.load(Ordering::Relaxed),
            path,
            elapsed: start.elapsed().as_secs_f64(),
        })
    }
}
