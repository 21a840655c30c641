//! Writes the certificate of a search: the proofs of its cases while it goes on, and what they show
//! when it has ended.

use std::path::Path;

use margay_models::certificate::{Proved, proved, seal, tidy};
use margay_models::diagnostic::Diagnostic;
use margay_solver::Backend;
use margay_solver::proof::{ProofFlaw, ProofLog, Replayed};

use super::Extent;
use super::cases::claims;
use super::cover::TooManyPartitions;
use super::document::{BoundEntry, BoundedClaim, CertifiedCase, MappingDocument, MappingSubject};
use crate::encode::shape::ThreadShape;
use crate::search::Start;
use crate::witness::SearchFault;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCertificate {
    /// What it certifies: each question, and up to how many events the answer is "none".
    pub claims: Vec<BoundedClaim>,
    /// Its size.
    pub extent: Extent,
}

/// What a search says of its certificate.
#[derive(Debug, Default)]
pub struct CertificateSummary {
    pub written: Option<WrittenCertificate>,
    /// Why it, or a proof in it, could not be written. The answer stands.
    pub errors: Vec<Diagnostic>,
}

/// Keeps what a search has proofs of, bound by bound; of a search without a certificate nothing.
pub struct CertificateWriter<'a> {
    folder: Option<&'a Path>,
    bounds: Vec<BoundEntry>,
    /// Why proofs could not be written.
    unwritten: Vec<String>,
}

impl<'a> CertificateWriter<'a> {
    /// A certificate in a folder, if there is to be one.
    pub fn new(folder: Option<&'a Path>) -> Self {
        Self { folder, bounds: Vec::new(), unwritten: Vec::new() }
    }

    /// Keeps the cases of a bound and kind of programs that have a proof, and the reasons why
    /// others have none.
    pub fn keep(
        &mut self,
        (events, programs): (usize, usize),
        cases: impl IntoIterator<Item = CertifiedCase>,
        unwritten: impl IntoIterator<Item = String>,
    ) {
        if self.folder.is_some() {
            self.bounds.push(BoundEntry { events, programs, cases: cases.into_iter().collect() });
            self.unwritten.extend(unwritten);
        }
    }

    /// Writes the certificate of a search that has ended, however it did: of so many `kinds` of
    /// programs, with these questions. With `goes_on` all proofs are kept: a run with another bound
    /// or more time goes on with them.
    pub fn finish(
        self,
        (kinds, questions): (usize, &[String]),
        backend: &Backend,
        goes_on: bool,
        subject: impl FnOnce() -> Result<MappingSubject, Vec<Diagnostic>>,
    ) -> CertificateSummary {
        let Self { folder, bounds, unwritten } = self;
        let Some(folder) = folder else { return CertificateSummary::default() };
        let document = || {
            let unclear = |why: TooManyPartitions| {
                vec![Diagnostic::error(format!("there is no certificate: {why}"))]
            };
            let claims = claims(&bounds, kinds, questions).map_err(unclear)?;
            Ok(MappingDocument::new(&backend.version(), subject()?, claims, bounds))
        };
        let written = document()
            .and_then(|document| write(&document, folder, goes_on).map_err(|error| vec![error]));
        let mut errors = without(&unwritten);
        match written {
            Ok(written) => CertificateSummary { written: Some(written), errors },
            Err(more) => {
                errors.extend(more);
                CertificateSummary { written: None, errors }
            }
        }
    }
}

/// What is said of proofs that could not be written: the first reason, and how many there are.
fn without(reasons: &[String]) -> Vec<Diagnostic> {
    let Some(first) = reasons.first() else { return Vec::new() };
    let more = if reasons.len() > 1 {
        format!("; {} more proofs cannot either", reasons.len() - 1)
    } else {
        String::new()
    };
    let error = Diagnostic::error(format!("{first}{more}"));
    vec![error.help("the answer stands; the certificate is of what has a proof alone")]
}

/// Writes a document into its folder, and takes away the proofs of cases that were begun and not
/// needed, unless they are kept for a run that goes on with them.
fn write(
    document: &MappingDocument,
    folder: &Path,
    goes_on: bool,
) -> Result<WrittenCertificate, Diagnostic> {
    let fail = |e: std::io::Error| {
        Diagnostic::error(format!("cannot write the certificate into `{}`: {e}", folder.display()))
    };
    let proofs = || document.bounds.iter().flat_map(|e| &e.cases).map(|c| &c.proof);
    if !goes_on {
        tidy(folder, proofs()).map_err(fail)?;
    }
    seal(document, folder).map_err(fail)?;
    Ok(WrittenCertificate { claims: document.claims.clone(), extent: Extent::of(proofs()) })
}

/// Searches a case, writes the proof of its answer into a file of the folder, and reads it back.
/// `name` says what it is called, or that the answer has nothing to prove, and `replay` translates
/// the case again with the proof in the place of the solver: does that show the answer?
///
/// # Errors
/// Those of the search; solver and checker disagree about the proof.
pub fn prove<T>(
    shape: &ThreadShape,
    (folder, backend): (&Path, &Backend),
    search: impl FnOnce(Start<'_>) -> Result<T, SearchFault>,
    name: impl FnOnce(&T) -> Option<String>,
    replay: impl FnOnce(&T, &Path) -> Result<(bool, Replayed), ProofFlaw>,
) -> Result<Proved<T>, SearchFault> {
    let logged = |log: Option<&ProofLog>| search(log.map_or(Start::Solver, Start::Logged));
    let again = |answer: &T, file: &Path| match replay(answer, file) {
        Ok((true, proof)) => Ok(proof),
        Ok((false, _)) => Err(SearchFault::Disagreement(format!(
            "the proof of {shape} does not have the solver's answer"
        ))),
        Err(flaw) => {
            Err(SearchFault::Disagreement(format!("the proof of {shape} is not accepted: {flaw}")))
        }
    };
    proved((folder, backend), logged, name, again)
}
