//! The cases of a certificate, whatever it is about: are they those of the question, and what do
//! they show together?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use margay_models::certificate::wrong;
use margay_models::diagnostic::Diagnostic;

use super::cover::{TooManyPartitions, uncovered};
use super::document::{BoundEntry, BoundedClaim, CaseOutcome, CertifiedAnswer, MappingDocument};
use crate::encode::shape::ThreadShape;
use crate::search::{Cube, covers};

/// For each question, up to how many events the entries say that there is no counterexample: at
/// every bound so far, among all `kinds` of programs, every thread shape has that answer, or every
/// leaf of it.
///
/// # Errors
/// A bound is too large to say what its shapes are.
pub fn established(
    bounds: &[BoundEntry],
    kinds: usize,
    questions: usize,
) -> Result<Vec<usize>, TooManyPartitions> {
    let none_up_to = |question: usize| -> Result<usize, TooManyPartitions> {
        for events in 1.. {
            for programs in 0..kinds {
                let is_none =
                    |a: &CertifiedAnswer| a.question == question && a.answer == CaseOutcome::None;
                let of_kind =
                    bounds.iter().filter(|e| (e.events, e.programs) == (events, programs));
                let mut leaves: BTreeMap<&[usize], Vec<Cube>> = BTreeMap::new();
                for case in of_kind.flat_map(|e| &e.cases).filter(|c| c.answers.iter().any(is_none))
                {
                    leaves.entry(&case.shape).or_default().push(case.cube.clone());
                }
                // Of a shape that was split, the leaves must be those of a complete tree.
                let whole = leaves
                    .iter()
                    .filter(|(_, leaves)| covers(leaves))
                    .map(|(shape, _)| shape.to_vec());
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
pub fn claims(
    bounds: &[BoundEntry],
    kinds: usize,
    questions: &[String],
) -> Result<Vec<BoundedClaim>, TooManyPartitions> {
    let up_to = established(bounds, kinds, questions.len())?;
    Ok(questions
        .iter()
        .zip(up_to)
        .map(|(axiom, none_up_to)| BoundedClaim { axiom: axiom.clone(), none_up_to })
        .collect())
}

/// Bounds ascend, kinds and questions are there, files are of the folder, and shapes are of the
/// bound.
///
/// # Errors
/// What is not so.
pub fn well_formed(
    (document, folder): (&MappingDocument, &Path),
    kinds: usize,
    questions: usize,
    bound: usize,
) -> Result<(), Diagnostic> {
    let wrong = |what: &str| Err(wrong(folder, what));
    if !document.bounds.is_sorted_by(|a, b| (a.events, a.programs) < (b.events, b.programs)) {
        return wrong("its bounds do not ascend");
    }
    let mut files = BTreeSet::new();
    for BoundEntry { events, programs, cases } in &document.bounds {
        if *events == 0 || *events > bound || *programs >= kinds {
            return wrong(&format!(
                "it has cases of {events} events and kind {programs}, which were not asked about"
            ));
        }
        for case in cases {
            let file = &case.proof.file;
            if case.shape.iter().try_fold(0_usize, |sum, &n| sum.checked_add(n)) != Some(*events) {
                return wrong(&format!("the case of `{file}` is not one of {events} events"));
            }
            if let Some(shape) = ThreadShape::of(&case.shape)
                && !case.cube.iter().all(|(fact, _)| fact.is_about(&shape))
            {
                return wrong(&format!(
                    "the case of `{file}` is about events or threads that it does not have"
                ));
            }
            if !case.answers.is_sorted_by(|a, b| a.question < b.question)
                || case.answers.iter().any(|a| a.question >= questions)
            {
                return wrong(&format!("the case of `{file}` answers what was not asked"));
            }
            case.proof.place(folder, &mut files)?;
        }
    }
    Ok(())
}
