//! Certificates: what a search did not find, with all that is needed to see that it is not there,
//! without a solver (docs/certificates.md).
//!
//! A certificate is a folder: `certificate.json` ([`MappingDocument`]) says what was asked, of
//! which texts, and into which cases the question was split; each case has a file with a proof
//! ([`margay_solver::proof`]).

mod bases;
mod cases;
mod cover;
mod document;
mod orders;
mod reader;
mod refusal;
mod writer;

pub use bases::HeldSearchTexts;
pub use cover::{TooManyPartitions, uncovered};
pub use document::{
    BoundEntry, BoundedClaim, CaseOutcome, CertifiedAnswer, CertifiedCase, CertifiedLesson,
    ComparisonBasis, MappingDocument, MappingSubject, QuestionOptions, read,
};
pub use margay_models::certificate::{
    Basis, BasisStanding, Extent, FILE, FORMAT, HeldModel, Included, ModelText, Proof, Text,
    VERSION, Verified, folder, seal,
};
pub(crate) use margay_models::certificate::{PROOF, Proved, without_proofs};
pub(crate) use reader::{CertifiedSearch, ProvedCase, verify};
pub(crate) use refusal::{CaseRefusal, LessonOutOfPlace};
pub use writer::WrittenCertificate;
pub(crate) use writer::{CertificateSummary, CertificateWriter, prove};
