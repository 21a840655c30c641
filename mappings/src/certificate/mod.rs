//! Certificates: what a search did not find, with all that is needed to see that it is not there, without a solver
//! (docs/certificates.md).
//!
//! A certificate is a folder: `certificate.json` ([`Document`]) says what was asked, of which texts, and into which cases the question was
//! split; each case has a file with a proof ([`margay_solver::proof`]).

mod bases;
mod cases;
mod cover;
mod document;
mod orders;
mod reader;
mod writer;

pub use bases::Held;
pub use cover::uncovered;
pub use document::{Case, CertifiedAnswer, Claim, Compared, Document, Entry, Given, Lesson, Outcome, Subject, read};
pub use margay_models::certificate::{
    Basis, Extent, FILE, FORMAT, HeldModel, Included, ModelText, Proof, Standing, Text, VERSION, Verified, folder, seal,
};
pub(crate) use margay_models::certificate::{PROOF, Proved, without_proofs};
pub(crate) use reader::{CertifiedSearch, Shown, verify};
pub use writer::Written;
pub(crate) use writer::{Certified, Writer, prove};
