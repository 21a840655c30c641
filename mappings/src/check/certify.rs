//! What a check writes into a certificate.

use std::path::Path;

use margay_models::diagnostic::Diagnostic;

use super::case::{CaseAnswer, CaseDecision};
use super::cases::{CasePart, CheckStatement, PartAnswer};
use super::options::CheckOptions;
use super::questions::{self, CheckQuestions};
use super::taught::lesson;
use crate::certificate::{self, CaseOutcome, MappingSubject, ModelText, QuestionOptions, Text};
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;

/// A part with a proof, as a certificate has it.
pub fn case(part: &CasePart<'_>, answered: &PartAnswer) -> Option<certificate::CertifiedCase> {
    let proof = answered.proof.clone()?;
    let answers: Option<Vec<certificate::CertifiedAnswer>> =
        answered.decisions.iter().map(|d| answer(d, part.shape)).collect();
    Some(certificate::CertifiedCase {
        shape: part.shape.sizes().to_vec(),
        cube: part.cube.clone(),
        answers: answers?,
        proof,
    })
}

fn answer(decision: &CaseDecision, shape: &ThreadShape) -> Option<certificate::CertifiedAnswer> {
    let learned =
        decision.learned.0.iter().map(|taught| lesson(taught, shape)).collect::<Option<_>>()?;
    Some(certificate::CertifiedAnswer {
        question: decision.question,
        answer: outcome(decision.answer),
        learned,
    })
}

fn outcome(answer: CaseAnswer) -> CaseOutcome {
    match answer {
        CaseAnswer::None => CaseOutcome::None,
        CaseAnswer::Found => CaseOutcome::Counterexample,
        CaseAnswer::Unknown => CaseOutcome::Undecided,
    }
}

/// What a certificate is about.
///
/// # Errors
/// What a model includes cannot be read any more.
pub fn subject(
    mapping: &Mapping,
    options: &CheckOptions,
) -> Result<MappingSubject, Vec<Diagnostic>> {
    Ok(MappingSubject::Check {
        mapping: Text::of(&mapping.file),
        source: ModelText::of(&mapping.source)?,
        target: ModelText::of(&mapping.target)?,
        baseline: options.baseline.as_deref().map(|beside| Text::of(&beside.baseline.file)),
        given: QuestionOptions::of(mapping, options),
    })
}

/// May proofs of these answers be written into the folder? Not beside the certificate of another
/// question, whose proofs have the same names; that of another bound is no other question.
///
/// # Errors
/// They may not, or the models' texts are gone.
pub fn goes_on(
    mapping: &Mapping,
    options: &CheckOptions,
    asked: &CheckQuestions,
    folder: &Path,
) -> Result<(), Vec<Diagnostic>> {
    if !folder.join(certificate::FILE).exists() {
        return Ok(());
    }
    let before = certificate::read(folder).map_err(|e| vec![e])?.subject;
    // Questions are compared as they are kept: a case file says by other words what a check was
    // asked.
    if statement(before)?.is_some_and(|before| {
        CheckStatement::new(mapping, options, asked).is_ok_and(|now| before.asks_as(&now))
    }) {
        return Ok(());
    }
    let error = format!(
        "cannot write a certificate into `{}`: it has the certificate of another question",
        folder.display()
    );
    Err(vec![Diagnostic::error(error).help(
        "name a folder that is empty, not there yet, or that of an earlier run of the same check",
    )])
}

/// What the certificate of a check asks; `None` for others.
fn statement(subject: MappingSubject) -> Result<Option<CheckStatement>, Vec<Diagnostic>> {
    let MappingSubject::Check { mapping, source, target, baseline, given } = subject else {
        return Ok(None);
    };
    let mapping =
        Mapping::between(&mapping.file(), source.read()?, target.read()?)?.asked(given.known_only);
    let Ok(mut options) = given.options() else { return Ok(None) };
    options.beside(&mapping, baseline.as_ref())?;
    let asked = questions::resolve(&mapping, &options)?;
    CheckStatement::new(&mapping, &options, &asked).map(Some)
}
