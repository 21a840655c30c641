//! Verifies the certificate of a comparison, without a solver.

use std::path::Path;

use margay_models::certificate::wrong;
use margay_models::diagnostic::Diagnostic;

use super::case::Setting;
use super::certify::{open, replay};
use super::explanation::Orders;
use super::options::{self, CompareOptions, Subjects};
use super::prepared;
use super::report::CompareReport;
use crate::certificate::{self, Case, Document, Extent, Subject};
use crate::check::{Level, Progress};
use crate::encode::shape::Shape;
use crate::language::Mapping;
use crate::pool::pool;

/// Verifies all that a certificate says of two models, as [`crate::check::verify`] does for a mapping.
///
/// # Errors
/// What is wrong, with the file and the place in it.
pub fn verify(document: &Document, folder: &Path, jobs: usize, progress: &dyn Progress) -> Result<Extent, Vec<Diagnostic>> {
    let wrong = |what: String| vec![wrong(folder, &what)];
    let Subject::Diff { mapping, old, new, names, given } = &document.subject else {
        return Err(wrong("it is not about two models".to_owned()));
    };
    let (mut old, mut new) = (old.read()?, new.read()?);
    [old.name, new.name] = names.clone();
    let mapping = match mapping {
        Some(mapping) => Some(Mapping::between(&mapping.file(), old.clone(), new.clone())?),
        None => None,
    };
    let subjects = mapping.as_ref().map_or(Subjects::Models(&old, &new), Subjects::Mapping);
    let mut options = CompareOptions::new(given.bound);
    options.without.clone_from(&given.without);
    options.only.clone_from(&given.only);
    options.typed = given.typed;
    options.level = given.level;
    let extent = options::extent(subjects, &options)?;
    let (identity, comparison, questions) = prepared(subjects, &options, &extent);
    let setting = Setting { subjects, mapping: &identity, comparison: &comparison, options: &options };
    let report = CompareReport::new(subjects, &extent, &questions);
    let open = open(&report);
    let titles: Vec<String> = open.iter().map(|&q| report.title(q)).collect();
    certificate::well_formed(document, 1, titles.len(), options.bound).map_err(wrong)?;
    let pool = pool(jobs)?;
    for entry in &document.bounds {
        let one = |case: &Case, shape: &Shape, file: &Path| {
            let [answer] = case.answers.as_slice() else {
                return Err("its case has not one question".to_owned());
            };
            let question = &questions[open[answer.question]];
            let total = subjects.models()[question.other].signature.total_coherence();
            let learned =
                answer.learned.iter().map(|lesson| Orders::of(lesson, shape.events(), total)).collect::<Option<Vec<_>>>();
            let learned = learned.filter(|learned| learned.is_empty() || options.level == Level::Program);
            let learned = learned.ok_or_else(|| "what its case learned cannot have been learned".to_owned())?;
            let (none, proof) = replay(&setting, question, (shape, &learned), file).map_err(|f| f.to_string())?;
            Ok((vec![none], proof, ()))
        };
        certificate::verify((document, folder), entry, &titles, (&pool, progress), one)?;
    }
    certificate::verify_claims(document, 1, &titles).map_err(wrong)
}
