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
use crate::certificate::{self, Case, Document, Entry, Held, Lesson, Outcome, Subject, Verified};
use crate::encode::shape::Shape;
use crate::language::Mapping;
use crate::level::{CoReading, Level};
use crate::pool::pool;

/// Verifies all that a certificate says of a mapping: translates each case again and compares it with the proof clause by clause, checks
/// each proof, and goes through all partitions of events to see that the cases cover each bound.
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
    let Subject::Check { mapping, source, target, given } = &document.subject else {
        return Err(wrong("it is not about a mapping alone".to_owned()));
    };
    let bases = document.subject.bases(held)?;
    let mapping = Mapping::between(&mapping.file(), source.read()?, target.read()?)?;
    let options = given.options().map_err(wrong)?;
    let asked = questions::resolve(&mapping, &options)?;
    let mut kinds = Kind::all(&mapping, &options, &asked);
    kinds.iter().try_for_each(|kind| questions::check_bound(&kind.problem, &options))?;
    let names: Vec<String> = kinds[0].asks.iter().map(|ask| name(&mapping, ask)).collect();
    certificate::well_formed(document, kinds.len(), names.len(), options.bound).map_err(wrong)?;
    document.bounds.iter().try_for_each(|entry| can_have_been_learned(entry, &options)).map_err(wrong)?;
    let pool = pool(jobs)?;

    for entry in &document.bounds {
        let kind = &kinds[entry.programs];
        let setting = kind.setting(&mapping, &options);
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
    let extent = certificate::verify_claims(document, kinds.len(), &names).map_err(wrong)?;
    Ok(Verified { extent, bases })
}

/// Only where the modification order may be chosen does one that explains a candidate refute it, and only programs race elsewhere.
fn can_have_been_learned(entry: &Entry, options: &CheckOptions) -> Result<(), String> {
    let program = options.level == Level::Program;
    let may = |lesson: &Lesson| match lesson {
        Lesson::Order(_) => program || options.co == CoReading::Exists,
        Lesson::Race { .. } => program,
        Lesson::Orders { .. } => false,
    };
    let learned = |case: &&Case| case.answers.iter().flat_map(|a| &a.learned).any(|lesson| !may(lesson));
    match entry.cases.iter().find(learned) {
        None => Ok(()),
        Some(case) => Err(format!(
            "what the case of `{}` learned cannot have been learned at {} level with modification order {}",
            case.proof.file,
            options.level.name(),
            options.co.name()
        )),
    }
}

fn answer(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::None => Answer::None,
        Outcome::Counterexample => Answer::Found,
        Outcome::Undecided => Answer::Unknown,
    }
}
