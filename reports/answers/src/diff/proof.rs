//! `margay diff --prove`: beside the search for differences, a proof that there are none in
//! executions of any size.

use std::path::{Path, PathBuf};

use margay_mappings::compare::{
    CompareOptions, CompareReport, ComparisonVerdict, Objection, Subjects,
};
use margay_models::diagnostic::Diagnostic;
use margay_models::model::{Model, Role};
use margay_prove::theorem::Report;
use margay_rocq::{RocqSubject, Theorem};
use margay_theorem::certificate::{ComparedModel, TheoremDocument};
use margay_theorem::theorem::Setting;

use crate::prove::rocq::Open;
use crate::prove::written::{ProofCertificate, certify};
use crate::restriction::Restriction;

/// What is to be kept of a proof.
#[derive(Debug, Clone, Default)]
pub struct ProofToKeep {
    /// A new folder for certificates.
    pub certify: Option<PathBuf>,
    /// A file for Rocq.
    pub rocq: Option<PathBuf>,
}

/// Of one model, that each of its executions is one of the other.
pub struct DiffProof<'a> {
    /// The model whose executions are spoken of: 0 the older one, 1 the newer one.
    pub allows: usize,
    /// What was supposed, and what was asked.
    pub setting: Setting<'a>,
    /// What came of it.
    pub report: Report,
    pub certified: Option<ProofCertificate>,
}

/// What is to be proved, the older model's executions first.
///
/// # Errors
/// Models of two languages, axioms of a form that no rule covers.
pub fn settings<'a>(subjects: Subjects<'a>) -> Result<Vec<Setting<'a>>, Vec<Diagnostic>> {
    let Subjects::Models(old, new) = subjects else { return Ok(Vec::new()) };
    [(old, new), (new, old)]
        .into_iter()
        .map(|(supposed, claimed)| Setting::of_models(supposed, claimed, &axioms(claimed)))
        .collect()
}

fn axioms(model: &Model) -> Vec<usize> {
    (0..model.checks.len()).filter(|&i| model.checks[i].role == Role::Axiom).collect()
}

/// Does the answer to a question hold in executions of every size?
pub fn is_proved(proofs: &[DiffProof<'_>], report: &CompareReport, q: usize) -> bool {
    let question = &report.questions[q];
    question.by_text
        || question.verdict == ComparisonVerdict::Equal
            && proof_of(proofs, report, q).is_some_and(|proof| proof.report.is_theorem())
}

/// What a search says against a proof that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofObjection {
    /// A difference with so many events, of which the proof says that there is none.
    Difference(usize),
    /// It did not reach its bound.
    Unsearched,
}

/// What the search says against a proof.
pub fn against(proof: &DiffProof<'_>, report: &CompareReport) -> Option<ProofObjection> {
    if !proof.report.is_theorem() {
        return None;
    }
    let own = report
        .questions
        .iter()
        .filter(|q| q.kind == Objection::Forbidden && q.allows == proof.allows && !q.by_text);
    own.filter_map(|q| match q.verdict {
        ComparisonVerdict::Different(events) => Some(ProofObjection::Difference(events)),
        ComparisonVerdict::Undecided(_) => Some(ProofObjection::Unsearched),
        ComparisonVerdict::Equal => None,
    })
    .next()
}

/// Where the search found nothing, and the proof has a whole execution with a difference: its
/// events. It has something that no search makes, or is above the bound. A proof speaks of all
/// executions, so a narrower question is not answered by it.
pub fn beyond(
    proofs: &[DiffProof<'_>],
    report: &CompareReport,
    options: &CompareOptions,
    q: usize,
) -> Option<usize> {
    let is_found = matches!(report.questions[q].verdict, ComparisonVerdict::Different(_));
    let is_whole = Restriction::of_comparison(options, &[]) == Restriction::default();
    proof_of(proofs, report, q)
        .filter(|_| is_whole && !is_found)
        .and_then(|proof| proof.report.violated())
}

/// The proof that answers a question.
pub fn proof_of<'p, 'a>(
    proofs: &'p [DiffProof<'a>],
    report: &CompareReport,
    q: usize,
) -> Option<&'p DiffProof<'a>> {
    let question = &report.questions[q];
    proofs
        .iter()
        .find(|proof| question.kind == Objection::Forbidden && proof.allows == question.allows)
}

impl DiffProof<'_> {
    /// Writes the certificate of a theorem into a folder of its own, and verifies it.
    ///
    /// # Errors
    /// Folders and files that cannot be written, and a certificate that is not accepted.
    pub fn certify(
        &mut self,
        subjects: Subjects<'_>,
        folder: &Path,
    ) -> Result<(), Vec<Diagnostic>> {
        let Subjects::Models(old, new) = subjects else { return Ok(()) };
        if !self.report.is_theorem() {
            return Ok(());
        }
        let (own, models, older) = match self.allows {
            0 => ("old-within-new", [old, new], ComparedModel::Supposed),
            _ => ("new-within-old", [new, old], ComparedModel::Claimed),
        };
        let own = folder.join(own);
        std::fs::create_dir(&own).map_err(|error| {
            vec![Diagnostic::error(format!("cannot make the folder `{}`: {error}", own.display()))]
        })?;
        let document =
            |proof: &_| TheoremDocument::of_models(models, older, &self.report.evidence(proof));
        self.certified = certify(Some(&own), self.report.proof.as_ref(), document).transpose()?;
        Ok(())
    }
}

/// What is written for Rocq: each direction that is a theorem.
///
/// # Errors
/// Why there is none.
pub fn theorems<'a>(
    subjects: Subjects<'a>,
    proofs: &'a [DiffProof<'a>],
    report: &CompareReport,
) -> Result<Vec<Theorem<'a>>, Open> {
    let Subjects::Models(old, new) = subjects else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    let mut unsearched = false;
    for proved in proofs {
        let DiffProof { allows, setting, report: own, .. } = proved;
        let subject = if *allows == 0 {
            RocqSubject::OldWithinNew { old, new }
        } else {
            RocqSubject::NewWithinOld { old, new }
        };
        match (own.proof.as_ref().filter(|_| own.is_theorem()), against(proved, report)) {
            (Some(_), Some(ProofObjection::Difference(_))) => return Err(Open::contradiction()),
            (Some(_), Some(ProofObjection::Unsearched)) => unsearched = true,
            (Some(proof), None) => all.push(Theorem {
                subject,
                setting,
                inhabitants: &own.premises.inhabitants,
                proof,
            }),
            (None, _) => {}
        }
    }
    if all.is_empty() && unsearched {
        return Err(Open::unsearched());
    }
    if all.is_empty() {
        let why = format!(
            "there is no proof that `{}` allows what `{}` allows, and none of the reverse",
            new.name, old.name
        );
        return Err(Open {
            why,
            help: "the answer above says what is known; a proof of one direction would be written",
        });
    }
    Ok(all)
}
