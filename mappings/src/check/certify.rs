//! What a check writes into a certificate.

use std::path::Path;

use margay_models::diagnostic::Diagnostic;

use super::case::{Answer, Decision};
use super::cases::{Answered, Part};
use super::kind::Decided;
use super::options::CheckOptions;
use super::taught::lesson;
use crate::certificate::{self, Document, Entry, Given, ModelText, Outcome, Subject, Text, Written};
use crate::encode::Techniques;
use crate::encode::shape::Shape;
use crate::language::Mapping;

/// Why these options give no certificate, if they do not.
pub fn refused(options: &CheckOptions) -> Option<Diagnostic> {
    let partly = || Diagnostic::error("a certificate is of all techniques together");
    certificate::without_proofs(options.backend).or_else(|| (options.techniques != Techniques::default()).then(partly))
}

/// A part with a proof, as a certificate has it.
pub fn case(part: &Part<'_>, answered: &Answered) -> Option<certificate::Case> {
    let proof = answered.proof.clone()?;
    let answers: Option<Vec<certificate::Answer>> = answered.decisions.iter().map(|d| answer(d, part.shape)).collect();
    Some(certificate::Case { shape: part.shape.sizes().to_vec(), cube: part.cube.clone(), answers: answers?, proof })
}

/// The cases of a bound and kind of programs, as a certificate has them; those without a proof are left out.
pub fn entry(events: usize, programs: usize, decided: &[Decided<'_>]) -> Entry {
    let cases = decided.iter().filter(|of| !of.decisions.is_empty()).flat_map(|of| of.certified.iter().cloned());
    Entry { events, programs, cases: cases.collect() }
}

fn answer(decision: &Decision, shape: &Shape) -> Option<certificate::Answer> {
    let learned = decision.learned.0.iter().map(|taught| lesson(taught, shape)).collect::<Option<_>>()?;
    Some(certificate::Answer { question: decision.question, answer: outcome(decision.answer), learned })
}

fn outcome(answer: Answer) -> Outcome {
    match answer {
        Answer::None => Outcome::None,
        Answer::Found => Outcome::Counterexample,
        Answer::Unknown => Outcome::Undecided,
    }
}

/// Writes the certificate of a check. Where it has not ended with an answer, and answers are kept, proofs of what was answered stay.
///
/// # Errors
/// The models' texts are gone, or the folder cannot be written to.
pub fn write(
    mapping: &Mapping,
    options: &CheckOptions,
    questions: &[String],
    kinds: usize,
    (bounds, ended): (Vec<Entry>, bool),
    folder: &Path,
) -> Result<Written, Vec<Diagnostic>> {
    let unclear = |what: String| vec![Diagnostic::error(format!("there is no certificate: {what}"))];
    let claims = certificate::claims(&bounds, kinds, questions).map_err(unclear)?;
    let subject = Subject::Check {
        mapping: Text::of(&mapping.file),
        source: ModelText::of(&mapping.source)?,
        target: ModelText::of(&mapping.target)?,
        given: Given {
            bound: options.bound,
            axioms: options.axioms.clone(),
            without: options.without.clone(),
            only: options.only.clone(),
            typed: options.typed,
            level: options.level,
            guards: options.guards,
            co: options.co,
        },
    };
    let document = Document {
        format: certificate::FORMAT.to_owned(),
        version: certificate::VERSION,
        margay: env!("CARGO_PKG_VERSION").to_owned(),
        solver: options.backend.version().to_owned(),
        subject,
        claims,
        bounds,
    };
    certificate::write(&document, folder, options.checkpoint.is_some() && !ended).map_err(|e| vec![e])
}
