//! Certificates: what a search did not find, with all that is needed to see that it is not there, without a solver
//! (docs/certificates.md).
//!
//! A certificate is a folder: `certificate.json` ([`Document`]) says what was asked, of which texts, and into which cases the question was
//! split; each case has a file with a proof ([`margay_solver::proof`]).

mod bases;
mod cases;
mod cover;
mod document;

pub use bases::Held;
pub(crate) use cases::{claims, verify, verify_claims, well_formed, write};
pub use cover::uncovered;
pub use document::{Answer, Case, Claim, Compared, Document, Entry, Given, Lesson, Outcome, Subject, read};
pub use margay_models::certificate::{
    Basis, Extent, FILE, FORMAT, HeldModel, Included, ModelText, Proof, Standing, Text, VERSION, Verified, folder, seal,
};
pub(crate) use margay_models::certificate::{PROOF, without_proofs};
use margay_models::diagnostic::Diagnostic;

/// What is said of proofs that could not be written: the first reason, and how many there are.
pub(crate) fn unwritten(reasons: &[String]) -> Vec<Diagnostic> {
    let Some(first) = reasons.first() else { return Vec::new() };
    let more = if reasons.len() > 1 { format!("; {} more proofs cannot either", reasons.len() - 1) } else { String::new() };
    let error = Diagnostic::error(format!("{first}{more}"));
    vec![error.help("the answer stands; the certificate is of what has a proof alone")]
}

/// A certificate that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What it certifies: each question, and up to how many events the answer is "none".
    pub claims: Vec<Claim>,
    /// Its size.
    pub extent: Extent,
}
