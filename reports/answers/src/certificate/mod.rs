//! What is said of a certificate, by the command that wrote it and by the one that verifies it.

pub mod bases;
pub mod subject;

use crate::headline::events;
use std::path::Path;

use margay_console::table::number;
use margay_mappings::certificate::{BoundedClaim, Extent, WrittenCertificate};
use margay_reports::verify as document;
use margay_theorem::certificate as prove;

/// What is said of who wrote it: nobody vouches for that.
pub fn author(margay: &str, solver: &str) -> String {
    format!(
        "It says that Margay {margay} wrote it with {solver}. What must still be trusted: docs/certificates.md."
    )
}

/// The claims in words: there is none of `nothing` ("no counterexample", "no difference") `about`
/// something. The first line says it all where the claims agree.
pub fn said(claims: &[BoundedClaim], nothing: &str, about: &str) -> Vec<String> {
    let sized = |n: usize| {
        if n == 1 { "1 event".to_owned() } else { format!("{n} or fewer", n = events(n)) }
    };
    match claims {
        [] => vec![format!("by the texts alone, {nothing} of any size {about}")],
        claims if claims.iter().all(|c| c.none_up_to == 0) => {
            vec![format!("it claims nothing {about}: no bound was finished")]
        }
        [first, rest @ ..] if rest.iter().all(|c| c.none_up_to == first.none_up_to) => {
            vec![format!("{nothing} of {} {about}", sized(first.none_up_to))]
        }
        claims => {
            let line = |c: &BoundedClaim| match c.none_up_to {
                0 => format!("  {}: nothing is claimed", c.axiom),
                n => format!("  {}: none of {}", c.axiom, sized(n)),
            };
            std::iter::once(format!("{nothing} of these sizes {about}"))
                .chain(claims.iter().map(line))
                .collect()
        }
    }
}

/// How much was proved of a search.
pub fn size(extent: &Extent) -> String {
    sized("cases", extent)
}

/// How much was proved of litmus tests.
pub fn proofs(extent: &Extent) -> String {
    sized("proofs", extent)
}

fn sized(of: &str, extent: &Extent) -> String {
    format!(
        "{} {of}, {} clauses, {} derived, {:.1} MB of proofs ({:.1} MB uncompressed).",
        number(extent.cases as u64),
        number(extent.clauses),
        number(extent.derived),
        extent.bytes as f64 / 1e6,
        extent.uncompressed as f64 / 1e6
    )
}

/// What a search that wrote a certificate says of it: `nothing` is what there is up to its bound
/// ("none", "none that is new").
pub fn written(written: &WrittenCertificate, nothing: &str, folder: &Path) -> String {
    let none = |n: usize| match n {
        0 => "nothing".to_owned(),
        n => format!("{nothing} up to {n}", n = events(n)),
    };
    let claims = match written.claims.as_slice() {
        [] => format!("the texts alone say that there is {nothing}"),
        [first, rest @ ..] if rest.iter().all(|c| c.none_up_to == first.none_up_to) => {
            none(first.none_up_to)
        }
        claims => claims
            .iter()
            .map(|c| format!("{}: {}", c.axiom, none(c.none_up_to)))
            .collect::<Vec<_>>()
            .join("; "),
    };
    format!(
        "Certificate in {}: {claims}. {} All were checked.",
        folder.display(),
        size(&written.extent)
    )
}

/// The same as a part of a document; nothing without a certificate.
pub fn certificate(
    written: Option<&WrittenCertificate>,
    folder: Option<&Path>,
) -> Option<document::SearchCertificate> {
    let (written, folder) = written.zip(folder)?;
    let folder = folder.display().to_string();
    Some(document::SearchCertificate {
        folder,
        claims: claims(&written.claims),
        extent: extent(&written.extent),
    })
}

/// What is claimed, as a part of a document.
pub fn claims(claims: &[BoundedClaim]) -> Vec<document::VerifiedClaimRecord> {
    claims
        .iter()
        .map(|c| document::VerifiedClaimRecord { axiom: c.axiom.clone(), none_up_to: c.none_up_to })
        .collect()
}

/// The same as a part of a document.
pub fn extent(extent: &Extent) -> document::VerifiedExtentRecord {
    document::VerifiedExtentRecord {
        cases: extent.cases,
        clauses: extent.clauses,
        derived: extent.derived,
        bytes: extent.bytes,
        uncompressed_bytes: extent.uncompressed,
    }
}

/// How much is proved of a theorem, as a part of a document.
pub fn theorem_extent(found: &prove::FollowedExtent) -> document::TheoremExtent {
    let prove::FollowedExtent { steps, obligations, instances, derived } = *found;
    document::TheoremExtent { steps, obligations, instances, derived }
}
