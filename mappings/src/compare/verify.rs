//! Verifies the certificate of a comparison, without a solver.

use std::path::Path;

use margay_models::certificate::wrong;
use margay_models::diagnostic::Diagnostic;
use margay_models::library;

use super::case::{Asked, Setting};
use super::certify::{open, replay};
use super::options::{self, Subjects};
use super::prepared;
use super::question::Kind;
use super::report::CompareReport;
use crate::certificate::{self, Case, Document, Held, Subject, Verified};
use crate::encode::shape::Shape;
use crate::language::Mapping;
use crate::level::Level;
use crate::pool::pool;
use crate::search::{Orders, Progress};

/// Verifies all that a certificate says of two models, as [`crate::check::verify`] does for a mapping.
///
/// # Errors
/// What is wrong, with the file and the place in it; what is not about what the reader holds.
pub fn verify(
    document: &Document,
    folder: &Path,
    held: &Held,
    (jobs, progress): (usize, &dyn Progress),
) -> Result<Verified, Vec<Diagnostic>> {
    let wrong = |what: String| vec![wrong(folder, &what)];
    let Subject::Diff { mapping, old, new, given } = &document.subject else {
        return Err(wrong("it is not about two models".to_owned()));
    };
    let bases = document.subject.bases(held)?;
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
            // Another order explains an outcome that is forbidden for the candidate's, and nothing else.
            let explains = options.level == Level::Program && question.kind == Kind::Forbidden;
            let learned = learned.filter(|learned| learned.is_empty() || explains);
            let learned = learned.ok_or_else(|| "what its case learned cannot have been learned".to_owned())?;
            let asked = Asked { setting: &setting, question };
            let (none, proof) = replay(&asked, (shape, &learned), file).map_err(|f| f.to_string())?;
            Ok((vec![none], proof, ()))
        };
        certificate::verify((document, folder), entry, &titles, (&pool, progress), one)?;
    }
    let extent = certificate::verify_claims(document, 1, &titles).map_err(wrong)?;
    Ok(Verified { extent, bases })
}
