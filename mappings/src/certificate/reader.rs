//! Verifies the certificate of a search, without a solver: each case is translated again and
//! compared with its proof clause by clause, each proof is checked, and the cases must cover each
//! bound.

use std::path::Path;

use margay_models::certificate::{not_accepted, wrong};
use margay_models::diagnostic::Diagnostic;
use margay_solver::proof::Replayed;
use rayon::prelude::*;

use super::Extent;
use super::cases::{claims, well_formed};
use super::document::{BoundEntry, CaseOutcome, CertifiedCase, MappingDocument};
use super::refusal::{CaseRefusal, LessonOutOfPlace};
use crate::encode::shape::ThreadShape;
use crate::pool::{SearchThreads, pool};
use crate::search::{Done, Progress};

/// The search that a certificate is of, made again from the texts and options in it.
pub trait CertifiedSearch: Sync {
    /// What the cases of a bound teach about those of larger ones.
    type CaseLessons: Send;

    /// How many kinds of programs there are.
    fn kinds(&self) -> usize;

    fn questions(&self) -> Vec<String>;

    /// The largest number of events that was asked about.
    fn bound(&self) -> usize;

    /// Could the cases of a bound have learned what they say that they learned?
    ///
    /// # Errors
    /// What could not.
    fn admits(&self, _entry: &BoundEntry) -> Result<(), LessonOutOfPlace> {
        Ok(())
    }

    /// Translates a case again, with the proof in the file in the place of the solver: which of its
    /// answers does that show, and what was the proof?
    ///
    /// # Errors
    /// The proof is of another case, or wrong.
    fn replay(
        &self,
        programs: usize,
        case: &CertifiedCase,
        shape: &ThreadShape,
        file: &Path,
    ) -> Result<ProvedCase<Self::CaseLessons>, CaseRefusal>;

    /// Takes in what the cases of a bound and kind of programs taught.
    fn learn(&mut self, programs: usize, lessons: Vec<Self::CaseLessons>);
}

/// What the proof of a case shows.
pub struct ProvedCase<L> {
    /// Of each answer, whether there is no counterexample.
    pub none: Vec<bool>,
    pub proof: Replayed,
    /// What the case taught.
    pub lessons: L,
}

/// Verifies all that a certificate says of a search.
///
/// # Errors
/// What is wrong, with the file and the place in it.
pub fn verify(
    (document, folder): (&MappingDocument, &Path),
    search: &mut impl CertifiedSearch,
    (jobs, progress): (usize, &dyn Progress),
) -> Result<Extent, Vec<Diagnostic>> {
    let questions = search.questions();
    well_formed((document, folder), search.kinds(), questions.len(), search.bound())
        .map_err(|error| vec![error])?;
    document
        .bounds
        .iter()
        .try_for_each(|entry| search.admits(entry))
        .map_err(|why| vec![wrong(folder, &why.to_string())])?;
    let pool = pool(jobs)?;
    for entry in &document.bounds {
        let lessons = cases((document, folder), search, entry, &questions, (&pool, progress))?;
        search.learn(entry.programs, lessons);
    }
    covered((document, folder), search.kinds(), &questions).map_err(|error| vec![error])
}

/// Verifies the cases of a bound and kind of programs.
fn cases<R: CertifiedSearch>(
    (document, folder): (&MappingDocument, &Path),
    search: &R,
    entry: &BoundEntry,
    questions: &[String],
    (pool, progress): (&SearchThreads, &dyn Progress),
) -> Result<Vec<R::CaseLessons>, Vec<Diagnostic>> {
    let done = Done::begin(progress, (entry.events, entry.cases.len()), questions);
    let one = |case: &CertifiedCase| -> Result<R::CaseLessons, Diagnostic> {
        let file = folder.join(&case.proof.file);
        let fail = |what: &str| not_accepted(&file, &document.margay, what);
        let shape =
            ThreadShape::of(&case.shape).ok_or_else(|| fail("its case is no thread shape"))?;
        let file = case.proof.file_in(folder, &document.margay)?;
        let ProvedCase { none, proof, lessons } = search
            .replay(entry.programs, case, &shape, &file)
            .map_err(|why| fail(&why.to_string()))?;
        case.proof.is(&proof, folder, &document.margay)?;
        for (answer, none) in case.answers.iter().zip(none) {
            if (answer.answer == CaseOutcome::None) != none {
                return Err(fail(&format!(
                    "it does not prove the answer about {}",
                    questions[answer.question]
                )));
            }
        }
        done.shape(&shape);
        Ok(lessons)
    };
    let all: Vec<Result<R::CaseLessons, Diagnostic>> =
        pool.install(|| entry.cases.par_iter().with_max_len(1).map(one).collect());
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for result in all {
        match result {
            Ok(lessons) => found.push(lessons),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// Are the claims what the cases show, once these are verified?
fn covered(
    (document, folder): (&MappingDocument, &Path),
    kinds: usize,
    questions: &[String],
) -> Result<Extent, Diagnostic> {
    let wrong = |what: String| wrong(folder, &what);
    let shown = claims(&document.bounds, kinds, questions).map_err(|why| wrong(why.to_string()))?;
    if shown.len() != document.claims.len() {
        return Err(wrong(format!(
            "it claims something of {} questions, and there are {}",
            document.claims.len(),
            shown.len()
        )));
    }
    if let Some((shown, said)) =
        shown.iter().zip(&document.claims).find(|(shown, said)| shown != said)
    {
        return Err(wrong(format!(
            "its cases show {} up to {} events, and it claims {} up to {}",
            shown.axiom, shown.none_up_to, said.axiom, said.none_up_to
        )));
    }
    Ok(Extent::of(document.bounds.iter().flat_map(|e| &e.cases).map(|c| &c.proof)))
}
