//! Verifies the certificate of a check, without a solver.

use std::path::Path;

use margay_models::certificate::wrong;
use margay_models::diagnostic::Diagnostic;

use super::case::{Answer, replay};
use super::kind::Kind;
use super::options::CheckOptions;
use super::program::Learned;
use super::taught::taught;
use super::{Progress, name, questions};
use crate::certificate::{self, Case, Document, Extent, Given, ModelText, Outcome, Subject, Text};
use crate::encode::shape::Shape;
use crate::language::Mapping;
use crate::pool::pool;

/// Verifies all that a certificate says of a mapping: translates each case again and compares it with the proof clause by clause, checks
/// each proof, and goes through all partitions of events to see that the cases cover each bound.
///
/// # Errors
/// What is wrong, with the file and the place in it.
pub fn verify(document: &Document, folder: &Path, jobs: usize, progress: &dyn Progress) -> Result<Extent, Vec<Diagnostic>> {
    let wrong = |what: String| vec![wrong(folder, &what)];
    let Subject::Check { mapping, source, target, given } = &document.subject else {
        return Err(wrong("it is not about a mapping alone".to_owned()));
    };
    let mapping = read(mapping, source, target)?;
    let options = options(given);
    let asked = questions::resolve(&mapping, &options)?;
    let mut kinds = Kind::all(&mapping, &options, &asked);
    kinds.iter().try_for_each(|kind| questions::check_bound(&kind.problem, &options))?;
    let names: Vec<String> = kinds[0].asks.iter().map(|ask| name(&mapping, ask)).collect();
    certificate::well_formed(document, kinds.len(), names.len(), options.bound).map_err(wrong)?;
    let pool = pool(jobs)?;

    for entry in &document.bounds {
        let kind = &kinds[entry.programs];
        let setting = kind.setting(&mapping, &options, None);
        let one = |case: &Case, shape: &Shape, file: &Path| {
            let learned = |a: &certificate::Answer| {
                let learned = a.learned.iter().map(|lesson| taught(lesson, shape)).collect::<Option<Vec<_>>>();
                learned.map(Learned).ok_or_else(|| "what its case learned cannot have been learned".to_owned())
            };
            let learned: Vec<Learned> = case.answers.iter().map(learned).collect::<Result<_, _>>()?;
            let asked: Vec<(usize, Answer, &Learned)> =
                case.answers.iter().zip(&learned).map(|(a, l)| (a.question, answer(a.answer), l)).collect();
            let (refuted, found) = replay(&setting, (shape, &case.cube), &asked, file).map_err(|flaw| flaw.to_string())?;
            Ok((refuted, found, (shape.clone(), learned)))
        };
        let verified = certificate::verify((document, folder), entry, &names, (&pool, progress), one)?;
        for (shape, learned) in verified {
            kinds[entry.programs].learn(&shape, learned.iter());
        }
    }
    certificate::verify_claims(document, kinds.len(), &names).map_err(wrong)
}

fn read(mapping: &Text, source: &ModelText, target: &ModelText) -> Result<Mapping, Vec<Diagnostic>> {
    Mapping::between(&mapping.file(), source.read()?, target.read()?)
}

fn options(given: &Given) -> CheckOptions {
    let mut options = CheckOptions::new(given.bound);
    options.axioms.clone_from(&given.axioms);
    options.without.clone_from(&given.without);
    options.only.clone_from(&given.only);
    options.typed = given.typed;
    options.guards = given.guards;
    (options.level, options.co) = (given.level, given.co);
    options
}

fn answer(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::None => Answer::None,
        Outcome::Counterexample => Answer::Found,
        Outcome::Undecided => Answer::Unknown,
    }
}
