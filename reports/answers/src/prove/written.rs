//! A certificate that is written, and verified before it is said to be there.

use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use margay_reports::verify::TheoremCertificate;
use margay_theorem::argument::ArgumentProof;
use margay_theorem::certificate::{FollowedExtent, TheoremDocument};

/// A certificate in its folder.
pub struct ProofCertificate {
    folder: PathBuf,
    theorems: Vec<String>,
    extent: FollowedExtent,
}

/// Writes a certificate, if one is asked for and something is proved; whatever becomes of it, the
/// answer stands.
pub fn certify(
    folder: Option<&Path>,
    proof: Option<&ArgumentProof>,
    document: impl FnOnce(&ArgumentProof) -> Result<TheoremDocument, Vec<Diagnostic>>,
) -> Option<Result<ProofCertificate, Vec<Diagnostic>>> {
    let (folder, proof) = folder.zip(proof)?;
    Some(document(proof).and_then(|document| ProofCertificate::new(document, folder)))
}

impl ProofCertificate {
    /// Writes a certificate, and verifies it.
    ///
    /// # Errors
    /// Texts that cannot be read again, files that cannot be written, and a certificate that is not
    /// accepted.
    fn new(document: TheoremDocument, folder: &Path) -> Result<Self, Vec<Diagnostic>> {
        let extent = document.verify(folder)?.extent;
        document.write(folder).map_err(|error| {
            vec![Diagnostic::error(format!(
                "cannot write a certificate into `{}`: {error}",
                folder.display()
            ))]
        })?;
        Ok(Self { folder: folder.to_owned(), theorems: document.theorems, extent })
    }

    /// What was written, in a sentence.
    pub fn words(&self) -> String {
        format!("Certificate in {}: {}, verified.", self.folder.display(), self.theorems.join(", "))
    }

    /// The same as a part of a document.
    pub fn report(&self) -> TheoremCertificate {
        TheoremCertificate {
            folder: self.folder.display().to_string(),
            theorems: self.theorems.clone(),
            extent: crate::certificate::theorem_extent(&self.extent),
        }
    }
}
