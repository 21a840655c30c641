//! The check that a certificate is of, made again from what is in it.

use std::path::Path;

use margay_models::diagnostic::Diagnostic;

use super::baseline::BaselineRefuter;
use super::case::{CaseAnswer, CheckSetting, replay};
use super::kind::ProgramKind;
use super::options::CheckOptions;
use super::program::Learned;
use super::taught::taught;
use super::{name, questions};
use crate::certificate::{
    self, BoundEntry, CaseOutcome, CaseRefusal, CertifiedCase, CertifiedLesson, CertifiedSearch,
    LessonOutOfPlace, ProvedCase,
};
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;
use crate::level::{CoReading, Level};
use crate::witness::witness;

/// The check of a certificate.
pub struct CertifiedCheck<'a> {
    mapping: &'a Mapping,
    options: &'a CheckOptions,
    kinds: Vec<ProgramKind>,
}

impl<'a> CertifiedCheck<'a> {
    /// The check that the options ask for.
    ///
    /// # Errors
    /// Those of [`super::check`].
    pub fn new(mapping: &'a Mapping, options: &'a CheckOptions) -> Result<Self, Vec<Diagnostic>> {
        let asked = questions::resolve(mapping, options)?;
        let mapping = options.searched(mapping);
        let kinds = ProgramKind::all(mapping, options, &asked);
        kinds.iter().try_for_each(|kind| questions::check_problem(&kind.problem, options))?;
        Ok(Self { mapping, options, kinds })
    }
}

impl CertifiedSearch for CertifiedCheck<'_> {
    type CaseLessons = (ThreadShape, Vec<Learned>);

    fn kinds(&self) -> usize {
        self.kinds.len()
    }

    fn questions(&self) -> Vec<String> {
        self.kinds[0].asks.iter().map(|ask| name(self.mapping, ask)).collect()
    }

    fn bound(&self) -> usize {
        self.options.bound
    }

    fn admits(&self, entry: &BoundEntry) -> Result<(), LessonOutOfPlace> {
        let chosen_fences = self.kinds[0].problem.vocabulary.content.chosen_fences;
        can_have_been_learned(entry, self.options, chosen_fences)
    }

    fn replay(
        &self,
        programs: usize,
        case: &CertifiedCase,
        shape: &ThreadShape,
        file: &Path,
    ) -> Result<ProvedCase<Self::CaseLessons>, CaseRefusal> {
        let setting = self.kinds[programs].setting(self.mapping, self.options);
        let learned = |a: &certificate::CertifiedAnswer| {
            let learned =
                a.learned.iter().map(|lesson| taught(lesson, shape)).collect::<Option<Vec<_>>>();
            learned.map(Learned).ok_or(CaseRefusal::NoLesson)
        };
        let learned: Vec<Learned> = case.answers.iter().map(learned).collect::<Result<_, _>>()?;
        if !learned.iter().all(|learned| has_outcomes(&setting, shape, learned)) {
            return Err(CaseRefusal::NotOfBaseline);
        }
        let asked: Vec<(usize, CaseAnswer, &Learned)> = case
            .answers
            .iter()
            .zip(&learned)
            .map(|(a, l)| (a.question, answer(a.answer), l))
            .collect();
        let (none, proof) = replay(&setting, (shape, &case.cube), &asked, file)?;
        Ok(ProvedCase { none, proof, lessons: (shape.clone(), learned) })
    }

    fn learn(&mut self, programs: usize, lessons: Vec<Self::CaseLessons>) {
        for (shape, learned) in lessons {
            self.kinds[programs].learn(&shape, learned.iter());
        }
    }
}

/// Can the baseline have the outcome of each execution that is said to be one of it? The engine for
/// litmus tests is asked again.
fn has_outcomes(setting: &CheckSetting<'_>, shape: &ThreadShape, learned: &Learned) -> bool {
    let Some(baseline) = setting.options.baseline.as_deref() else { return true };
    let (vocabulary, logic) = (&setting.problem.vocabulary, &setting.problem.logic);
    let atoms = Atoms::new(shape, vocabulary.content.slots);
    let mut refuter = BaselineRefuter::new(baseline);
    learned.outcomes().all(|recorded| {
        let witness = recorded
            .instance(logic, vocabulary, &atoms)
            .and_then(|instance| witness(setting.mapping, vocabulary, &atoms, &instance));
        witness.is_some_and(|witness| refuter.has_outcome(&witness, setting.options) == Some(true))
    })
}

/// Only where the modification order may be chosen does one that explains a candidate refute it,
/// and only where an order of fences is chosen does one of these; only programs race elsewhere; and
/// only beside a baseline is something not new.
fn can_have_been_learned(
    entry: &BoundEntry,
    options: &CheckOptions,
    chosen_fences: bool,
) -> Result<(), LessonOutOfPlace> {
    let program = options.level == Level::Program;
    let any_modification_order = program || options.co == CoReading::Exists;
    let may = |lesson: &CertifiedLesson| match lesson {
        CertifiedLesson::Order(_) => any_modification_order,
        CertifiedLesson::Race { .. } => program,
        CertifiedLesson::Orders { coherence, .. } => {
            chosen_fences && (any_modification_order || coherence.is_empty())
        }
        CertifiedLesson::Old { .. } => options.baseline.is_some(),
        CertifiedLesson::Outcome(_) => options.baseline.is_some() && program,
    };
    let learned = |case: &&CertifiedCase| {
        case.answers.iter().flat_map(|a| &a.learned).any(|lesson| !may(lesson))
    };
    match entry.cases.iter().find(learned) {
        None => Ok(()),
        Some(case) => Err(LessonOutOfPlace {
            file: case.proof.file.clone(),
            level: options.level,
            co: options.co,
        }),
    }
}

fn answer(outcome: CaseOutcome) -> CaseAnswer {
    match outcome {
        CaseOutcome::None => CaseAnswer::None,
        CaseOutcome::Counterexample => CaseAnswer::Found,
        CaseOutcome::Undecided => CaseAnswer::Unknown,
    }
}
