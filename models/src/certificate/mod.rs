//! What all certificates have in common, whatever was asked (docs/certificates.md): a folder with a
//! sealed document, the texts that it is about, and proofs beside it.

mod basis;
mod document;
mod proofs;
mod proving;
mod sealed;
mod texts;

pub use basis::{Basis, BasisStanding, HeldModel, one_text_for_each_name};
pub use document::{CertificateDocument, NoEntries};
pub use proofs::{Extent, PROOF, Proof, Verified, not_accepted, tidy, without_proofs};
pub use proving::{Proved, proved};
pub use sealed::{FILE, FORMAT, Sealed, VERSION, open, seal};
pub use texts::{Included, ModelText, Text};

use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::durable::{is_full, is_unfinished};

/// The error of a document that says what is not so.
pub fn wrong(folder: &Path, what: &str) -> Diagnostic {
    Diagnostic::error(format!("the certificate `{}` is wrong: {what}", folder.join(FILE).display()))
}

/// A folder for a new certificate: it is made if it is not there, and if there is room on the disk.
/// One that is gone on with may have what an earlier run left in it.
///
/// # Errors
/// It cannot be made or written to, or has something else in it.
pub fn folder(path: &Path, goes_on: bool) -> Result<(), Diagnostic> {
    let fail = |what: String| {
        Diagnostic::error(format!("cannot write a certificate into `{}`: {what}", path.display()))
    };
    let tried = crate::confined::make_folder(path)
        .and_then(|()| crate::durable::unfinished_in(path)?.close());
    match tried {
        Ok(()) => {}
        Err(error) if is_full(&error) => return Ok(()),
        Err(error) => return Err(fail(error.to_string())),
    }
    for entry in std::fs::read_dir(path).map_err(|e| fail(e.to_string()))? {
        let name = entry.map_err(|e| fail(e.to_string()))?.file_name();
        if !goes_on {
            return Err(fail("the folder is not empty".to_owned())
                .help("name a folder that is empty, or not there yet"));
        }
        let own = is_unfinished(&name) || name == FILE || name.to_string_lossy().ends_with(PROOF);
        if !own {
            let what = format!("the folder has something else in it, `{}`", name.display());
            return Err(fail(what)
                .help("name a folder that is empty, not there yet, or that of an earlier run"));
        }
    }
    Ok(())
}
