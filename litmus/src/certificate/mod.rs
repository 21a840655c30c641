//! Certificates of litmus tests: the verdict on each test under each model with all that is needed
//! to see that it is right, without a solver (docs/certificates.md).

mod bases;
mod document;
mod verify;

use std::path::Path;
use std::sync::Arc;

use margay_models::certificate::{Extent, ModelText, Proof, Text, seal, tidy};
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use margay_solver::Backend;

use crate::corpus::Expected;
use crate::sat::ShownSession;
use crate::verdict::TestVerdict;

pub use bases::{Bases, Held};
pub use document::{
    CertifiedSession, KINDS, KernelLabel, SessionAnswer, TestClaim, TestDocument, TestQuestion,
    TestSubject, read,
};
pub use verify::verify;

/// The file of the proof of a session, in the certificate's folder: of a test and a model, by their
/// places.
pub fn proof_file(test: usize, model: usize, session: usize) -> String {
    format!("{test}-{model}-{session}.proof")
}

impl TestClaim {
    /// The verdict on a test under a model, by their places, and what shows it.
    pub fn new(
        test: usize,
        model: usize,
        verdict: &TestVerdict,
        shown: Vec<ShownSession<Proof>>,
    ) -> Self {
        // Of an answer with a gap there is no certificate.
        let Expected { reachable, bounded, racy, gap: _ } = Expected::from(verdict);
        let session = |ShownSession { answers, proof }: ShownSession<Proof>| CertifiedSession {
            answers: answers
                .into_iter()
                .map(|a| a.map_or(SessionAnswer::None, SessionAnswer::Execution))
                .collect(),
            proof,
        };
        Self {
            test,
            model,
            given: 0,
            reachable,
            bounded,
            racy,
            sessions: shown.into_iter().map(session).collect(),
        }
    }

    /// What it says of the test.
    pub fn verdict(&self) -> Expected {
        Expected { reachable: self.reachable, bounded: self.bounded, racy: self.racy, gap: None }
    }
}

/// All proofs of a document.
pub fn proofs(document: &TestDocument) -> impl Iterator<Item = &Proof> {
    document.claims.iter().flat_map(|c| &c.sessions).filter_map(|s| s.proof.as_ref())
}

/// Writes the certificate of tests under models, as far as they were answered, beside the proofs
/// that are there.
///
/// # Errors
/// The models' texts are gone, or the folder cannot be written to.
pub fn write(
    tests: &[&Arc<SourceFile>],
    models: &[Model],
    given: TestQuestion,
    claims: Vec<TestClaim>,
    folder: &Path,
) -> Result<Extent, Vec<Diagnostic>> {
    let subject = TestSubject::Run {
        tests: tests.iter().map(|file| Text::of(file)).collect(),
        models: models.iter().map(ModelText::of).collect::<Result<_, _>>()?,
        given,
    };
    write_document(subject, claims, folder).map_err(|error| vec![error])
}

/// Writes the certificate of a subject, beside the proofs that are there; others are taken away.
///
/// # Errors
/// The folder cannot be written to.
pub fn write_document(
    subject: TestSubject,
    claims: Vec<TestClaim>,
    folder: &Path,
) -> Result<Extent, Diagnostic> {
    let document = TestDocument::new(&Backend::default().version(), subject, claims, Vec::new());
    let written = tidy(folder, proofs(&document)).and_then(|()| seal(&document, folder));
    written.map_err(|e| {
        let shown = folder.display();
        Diagnostic::error(format!("cannot write the certificate into `{shown}`: {e}"))
    })?;
    Ok(Extent::of(proofs(&document)))
}
