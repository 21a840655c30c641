//! Verifies the certificates of searches (docs/certificates.md).

use std::path::Path;

use margay_models::certificate::wrong;
use margay_models::diagnostic::Diagnostic;
use margay_models::library;

use crate::certificate::{self, HeldSearchTexts, MappingDocument, MappingSubject, Verified};
use crate::check::CertifiedCheck;
use crate::compare::{CertifiedComparison, Subjects};
use crate::language::Mapping;
use crate::search::{Progress, SearchOptions};

/// Verifies all that the certificate of a check or a comparison says: translates each case again
/// and compares it with the proof clause by clause, checks each proof, and goes through all
/// partitions of events to see that the cases cover each bound.
///
/// # Errors
/// What is wrong, with the file and the place in it; what is not about what the reader holds.
pub fn verify(
    document: &MappingDocument,
    folder: &Path,
    held: &HeldSearchTexts,
    (jobs, progress): (usize, &dyn Progress),
) -> Result<Verified, Vec<Diagnostic>> {
    let bases = document.subject.bases(held)?;
    let extent = match &document.subject {
        MappingSubject::Check { mapping, source, target, baseline, given } => {
            let mapping = Mapping::between(&mapping.file(), source.read()?, target.read()?)?
                .asked(given.known_only);
            let mut options = given.options().map_err(|what| vec![wrong(folder, &what)])?;
            options.beside(&mapping, baseline.as_ref())?;
            let mut check = CertifiedCheck::new(&mapping, &options)?;
            certificate::verify((document, folder), &mut check, (jobs, progress))?
        }
        MappingSubject::Diff { mapping, old, new, given } => {
            let (mut old, mut new) = (old.read()?, new.read()?);
            let mapping = match mapping {
                Some(mapping) => Some(Mapping::between(&mapping.file(), old.clone(), new.clone())?),
                None => {
                    library::tell_apart([&mut old, &mut new]);
                    None
                }
            };
            let subjects = mapping.as_ref().map_or(Subjects::Models(&old, &new), Subjects::Mapping);
            let options = given.options();
            let mut comparison = CertifiedComparison::new(subjects, &options)?;
            certificate::verify((document, folder), &mut comparison, (jobs, progress))?
        }
    };
    Ok(Verified { extent, bases })
}

/// What of its mapping a certificate of a search is not about, as the end of a first line.
///
/// # Errors
/// Texts that are none of a mapping or a model, names of nothing.
pub fn not_asked(subject: &MappingSubject) -> Result<String, Vec<Diagnostic>> {
    match subject {
        MappingSubject::Check { mapping, source, target, baseline: _, given } => {
            let mapping = Mapping::between(&mapping.file(), source.read()?, target.read()?)?
                .asked(given.known_only);
            let options = SearchOptions {
                only: given.only.clone(),
                without: given.without.clone(),
                ..SearchOptions::new(given.bound)
            };
            Ok(mapping.not_asked_in_words(Some(&constructs(&mapping, &options)?)))
        }
        MappingSubject::Diff { mapping: Some(mapping), old, new, given } => {
            let mapping = Mapping::between(&mapping.file(), old.read()?, new.read()?)?;
            Ok(mapping.rows_not_asked_in_words(Some(&constructs(&mapping, &given.options())?)))
        }
        MappingSubject::Diff { mapping: None, .. } => Ok(String::new()),
    }
}

/// The names of the constructs that programs are made of.
fn constructs(mapping: &Mapping, options: &SearchOptions) -> Result<Vec<String>, Vec<Diagnostic>> {
    let signature = mapping.source.signature;
    Ok(options
        .constructs(signature)?
        .into_iter()
        .map(|construct| construct.name(signature))
        .collect())
}
