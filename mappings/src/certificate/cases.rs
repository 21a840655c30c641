//! The cases of a certificate, whatever it is about: their files, what they show together, and how one is verified.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use margay_models::certificate::{not_accepted, seal, tidy};
use margay_models::diagnostic::Diagnostic;
use margay_solver::proof::Replayed;
use rayon::prelude::*;

use super::cover::uncovered;
use super::document::{Answer, Case, Claim, Document, Entry, Outcome};
use super::{Extent, Written};
use crate::encode::shape::Shape;
use crate::pool::Pool;
use crate::search::{Cube, Progress, covers};

/// For each question, up to how many events the entries say that there is no counterexample: at every bound so far, among all
/// `kinds` of programs, every thread shape has that answer, or every leaf of it.
///
/// # Errors
/// A bound is too large to say what its shapes are.
pub fn established(bounds: &[Entry], kinds: usize, questions: usize) -> Result<Vec<usize>, String> {
    let none_up_to = |question: usize| -> Result<usize, String> {
        for events in 1.. {
            for programs in 0..kinds {
                let is_none = |a: &Answer| a.question == question && a.answer == Outcome::None;
                let of_kind = bounds.iter().filter(|e| (e.events, e.programs) == (events, programs));
                let mut leaves: BTreeMap<&[usize], Vec<Cube>> = BTreeMap::new();
                for case in of_kind.flat_map(|e| &e.cases).filter(|c| c.answers.iter().any(is_none)) {
                    leaves.entry(&case.shape).or_default().push(case.cube.clone());
                }
                // Of a shape that was split, the leaves must be those of a complete tree.
                let whole = leaves.iter().filter(|(_, leaves)| covers(leaves)).map(|(shape, _)| shape.to_vec());
                let cases: BTreeSet<Vec<usize>> = whole.collect();
                if cases.is_empty() || uncovered(events, &cases)?.is_some() {
                    return Ok(events - 1);
                }
            }
        }
        Ok(0)
    };
    (0..questions).map(none_up_to).collect()
}

/// What the questions and the entries make of a certificate.
///
/// # Errors
/// A bound is too large to say what its shapes are.
pub fn claims(bounds: &[Entry], kinds: usize, questions: &[String]) -> Result<Vec<Claim>, String> {
    let up_to = established(bounds, kinds, questions.len())?;
    Ok(questions.iter().zip(up_to).map(|(axiom, none_up_to)| Claim { axiom: axiom.clone(), none_up_to }).collect())
}

/// Writes a document into its folder, and takes away the proofs of cases that were begun and not needed, unless they are kept for a run that goes on with them.
///
/// # Errors
/// The folder cannot be written to.
pub fn write(document: &Document, folder: &Path, goes_on: bool) -> Result<Written, Diagnostic> {
    let fail = |e: std::io::Error| Diagnostic::error(format!("cannot write the certificate into `{}`: {e}", folder.display()));
    let proofs = || document.bounds.iter().flat_map(|e| &e.cases).map(|c| &c.proof);
    if !goes_on {
        tidy(folder, proofs()).map_err(fail)?;
    }
    seal(document, folder).map_err(fail)?;
    Ok(Written { claims: document.claims.clone(), extent: Extent::of(proofs()) })
}

/// Verifies the cases of an entry; `replay` translates a case again and says which of its answers its proof shows.
///
/// # Errors
/// What is wrong, with the file and the place in it.
pub fn verify<T: Send>(
    (document, folder): (&Document, &Path),
    entry: &Entry,
    questions: &[String],
    (pool, progress): (&Pool, &dyn Progress),
    replay: impl Fn(&Case, &Shape, &Path) -> Result<(Vec<bool>, Replayed, T), String> + Sync,
) -> Result<Vec<T>, Vec<Diagnostic>> {
    progress.bound(entry.events, entry.cases.len(), questions);
    let done = AtomicUsize::new(0);
    let one = |case: &Case| -> Result<T, Diagnostic> {
        let file = folder.join(&case.proof.file);
        let fail = |what: String| not_accepted(&file, &document.margay, &what);
        let shape = Shape::of(&case.shape).ok_or_else(|| fail("its case is no thread shape".to_owned()))?;
        let file = case.proof.file_in(folder).map_err(fail)?;
        let (refuted, found, more) = replay(case, &shape, &file).map_err(fail)?;
        case.proof.is(&found).map_err(fail)?;
        for (answer, refuted) in case.answers.iter().zip(refuted) {
            if (answer.answer == Outcome::None) != refuted {
                return Err(fail(format!("it does not prove the answer about {}", questions[answer.question])));
            }
        }
        progress.shape(&shape.to_string(), done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(more)
    };
    let all: Vec<Result<T, Diagnostic>> = pool.install(|| entry.cases.par_iter().with_max_len(1).map(one).collect());
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for result in all {
        match result {
            Ok(more) => found.push(more),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// Are the claims what the cases show, once these are verified?
///
/// # Errors
/// They are not.
pub fn verify_claims(document: &Document, kinds: usize, questions: &[String]) -> Result<Extent, String> {
    let shown = claims(&document.bounds, kinds, questions)?;
    if shown.len() != document.claims.len() {
        return Err(format!("it claims something of {} questions, and there are {}", document.claims.len(), shown.len()));
    }
    if let Some((shown, said)) = shown.iter().zip(&document.claims).find(|(shown, said)| shown != said) {
        return Err(format!(
            "its cases show {} up to {} events, and it claims {} up to {}",
            shown.axiom, shown.none_up_to, said.axiom, said.none_up_to
        ));
    }
    Ok(Extent::of(document.bounds.iter().flat_map(|e| &e.cases).map(|c| &c.proof)))
}

/// Bounds ascend, kinds and questions are there, files are of the folder, and shapes are of the bound.
///
/// # Errors
/// What is not so.
pub fn well_formed(document: &Document, kinds: usize, questions: usize, bound: usize) -> Result<(), String> {
    if !document.bounds.is_sorted_by(|a, b| (a.events, a.programs) < (b.events, b.programs)) {
        return Err("its bounds do not ascend".to_owned());
    }
    let mut files = BTreeSet::new();
    for Entry { events, programs, cases } in &document.bounds {
        if *events == 0 || *events > bound || *programs >= kinds {
            return Err(format!("it has cases of {events} events and kind {programs}, which were not asked about"));
        }
        for case in cases {
            let file = &case.proof.file;
            if case.shape.iter().try_fold(0_usize, |sum, &n| sum.checked_add(n)) != Some(*events) {
                return Err(format!("the case of `{file}` is not one of {events} events"));
            }
            if let Some(shape) = Shape::of(&case.shape)
                && !case.cube.iter().all(|(fact, _)| fact.is_about(&shape))
            {
                return Err(format!("the case of `{file}` is about events or threads that it does not have"));
            }
            if !case.answers.is_sorted_by(|a, b| a.question < b.question) || case.answers.iter().any(|a| a.question >= questions)
            {
                return Err(format!("the case of `{file}` answers what was not asked"));
            }
            case.proof.place(&mut files)?;
        }
    }
    Ok(())
}
