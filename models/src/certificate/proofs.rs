//! The proofs of a certificate, beside its document.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use margay_solver::Backend;
use margay_solver::proof::Replayed;
use serde::{Deserialize, Serialize};

use super::basis::Basis;
use super::sealed::FILE;
use super::wrong;
use crate::diagnostic::Diagnostic;
use crate::durable::is_unfinished;
use crate::limited;

/// How the names of proofs end.
pub const PROOF: &str = ".proof";

/// The proof of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The file's name.
    pub file: String,
    /// Its SHA-256.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Its size before compression.
    pub uncompressed: u64,
    /// SHA-256 of the clauses.
    pub cnf_sha256: String,
    /// The number of clauses.
    pub clauses: u64,
    /// The number of clauses derived from them.
    pub derived: u64,
}

impl Proof {
    /// A proof as certificates describe it.
    pub(super) fn of(proof: &Replayed, file: String) -> Self {
        Self {
            file,
            sha256: proof.file.clone(),
            bytes: proof.file_bytes,
            uncompressed: proof.bytes,
            cnf_sha256: proof.cnf.clone(),
            clauses: proof.clauses,
            derived: proof.derived,
        }
    }

    /// Is it the one that was found in its file, in a certificate of the Margay that `written_by`
    /// names?
    ///
    /// # Errors
    /// It is not.
    pub fn is(&self, found: &Replayed, folder: &Path, written_by: &str) -> Result<(), Diagnostic> {
        if Self::of(found, self.file.clone()) == *self {
            return Ok(());
        }
        let what = if found.file == self.sha256 {
            format!("`{FILE}` does not say of it what it holds")
        } else {
            format!("its SHA-256 is {}, and the certificate says {}", found.file, self.sha256)
        };
        Err(not_accepted(&folder.join(&self.file), written_by, &what))
    }

    /// Its file, if that lies in the folder itself: a link could lead to what never ends.
    ///
    /// # Errors
    /// It does not.
    pub fn file_in(&self, folder: &Path, written_by: &str) -> Result<PathBuf, Diagnostic> {
        let file = folder.join(&self.file);
        match limited::plain(&file) {
            Ok(_) => Ok(file),
            Err(e) => Err(not_accepted(&file, written_by, &format!("it cannot be read: {e}"))),
        }
    }

    /// Is its file one beside the document in the folder, and no other proof's?
    ///
    /// # Errors
    /// It is not.
    pub fn place<'a>(
        &'a self,
        folder: &Path,
        others: &mut BTreeSet<&'a str>,
    ) -> Result<(), Diagnostic> {
        let file = Path::new(&self.file);
        if file.components().count() != 1 || file.file_name().is_none() {
            let what = format!("`{}` is not the name of a file beside it", self.file);
            return Err(wrong(folder, &what));
        }
        if !others.insert(&self.file) {
            return Err(wrong(folder, &format!("two cases have the proof `{}`", self.file)));
        }
        Ok(())
    }
}

/// What was verified, or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
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

/// A certificate that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How much was proved.
    pub extent: Extent,
    /// The texts that it rests on.
    pub bases: Vec<Basis>,
}

/// Why a solver gives no certificate, if it does not.
pub fn without_proofs(backend: &Backend) -> Option<Diagnostic> {
    if backend.proves() {
        return None;
    }
    let solver = Backend::available().into_iter().find(Backend::proves);
    let error = Diagnostic::error(format!(
        "the solver `{backend}` writes no proofs, which a certificate is made of"
    ));
    let solver = solver.unwrap_or_else(Backend::batsat);
    Some(error.help(format!("use `--solver {}`", solver.name())))
}

/// The error of a proof that is not accepted, in a certificate of the Margay that `written_by`
/// names.
pub fn not_accepted(file: &Path, written_by: &str, what: &str) -> Diagnostic {
    let error =
        Diagnostic::error(format!("the proof `{}` is not accepted: {what}", file.display()));
    if written_by == env!("CARGO_PKG_VERSION") {
        error
    } else {
        error.help(format!(
            "the certificate was written by Margay {written_by}, which may translate in another way"
        ))
    }
}

/// Takes away the proofs in a certificate's folder that were begun and not needed.
///
/// # Errors
/// The folder cannot be written to.
pub fn tidy<'a>(folder: &Path, needed: impl Iterator<Item = &'a Proof>) -> std::io::Result<()> {
    let files: BTreeSet<&str> = needed.map(|p| p.file.as_str()).collect();
    for entry in std::fs::read_dir(folder)?.filter_map(Result::ok) {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n.ends_with(PROOF) && !files.contains(n))
            || is_unfinished(&name)
        {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
