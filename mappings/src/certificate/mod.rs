//! Certificates: what a search did not find, with all that is needed to see that it is not there, without a solver
//! (docs/certificates.md).
//!
//! A certificate is a folder: `certificate.json` ([`Document`]) says what was asked, of which texts, and into which cases the question was
//! split; each case has a file with a proof ([`margay_solver::proof`]).

mod cases;
mod cover;
mod document;
mod texts;

pub(crate) use cases::{PROOF, claims, described, verify, verify_claims, well_formed, without_proofs, write};
pub use cover::uncovered;
pub use document::{
    Answer, Case, Claim, Compared, Document, Entry, FILE, FORMAT, Given, Lesson, Outcome, Proof, Subject, VERSION, read,
    write as seal,
};
pub use texts::{Included, ModelText, Text};

use std::path::Path;

use margay_models::diagnostic::Diagnostic;

use crate::whole::is_unfinished;

/// A folder for a new certificate: it is made if it is not there. One that is gone on with may have what an earlier run left in it.
///
/// # Errors
/// It cannot be made, or has something else in it.
pub fn folder(path: &Path, goes_on: bool) -> Result<(), Diagnostic> {
    let fail = |what: String| Diagnostic::error(format!("cannot write a certificate into `{}`: {what}", path.display()));
    std::fs::create_dir_all(path).map_err(|e| fail(e.to_string()))?;
    for entry in std::fs::read_dir(path).map_err(|e| fail(e.to_string()))? {
        let name = entry.map_err(|e| fail(e.to_string()))?.file_name();
        if !goes_on {
            return Err(fail("the folder is not empty".to_owned()).help("name a folder that is empty, or not there yet"));
        }
        let own = is_unfinished(&name) || name == FILE || name.to_string_lossy().ends_with(PROOF);
        if !own {
            let what = format!("the folder has something else in it, `{}`", name.display());
            return Err(fail(what).help("name a folder that is empty, not there yet, or that of an earlier run"));
        }
    }
    // Whoever looks while this goes on is not to find the certificate of another run.
    match std::fs::remove_file(path.join(FILE)) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(fail(e.to_string())),
        _ => Ok(()),
    }
}

/// A certificate that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What it certifies: each question, and up to how many events the answer is "none".
    pub claims: Vec<Claim>,
    /// Its size.
    pub extent: Extent,
}

/// What was verified, or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Cases.
    pub cases: usize,
    /// Original clauses of all cases.
    pub clauses: u64,
    /// Derived clauses, each checked.
    pub derived: u64,
    /// Bytes of proof files.
    pub bytes: u64,
    /// Bytes before compression.
    pub uncompressed: u64,
}

impl Extent {
    /// The sum over cases.
    pub fn of<'a>(proofs: impl Iterator<Item = &'a Proof>) -> Self {
        proofs.fold(Self::default(), |sum, p| Self {
            cases: sum.cases + 1,
            clauses: sum.clauses + p.clauses,
            derived: sum.derived + p.derived,
            bytes: sum.bytes + p.bytes,
            uncompressed: sum.uncompressed + p.uncompressed,
        })
    }
}
