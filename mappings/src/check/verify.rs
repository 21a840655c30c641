//! Verifies the certificate of a check, without a solver.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use margay_models::diagnostic::Diagnostic;
use rayon::prelude::*;

use super::case::{Answer, replay};
use super::certify::{described, established, taught};
use super::kind::Kind;
use super::options::{CheckOptions, CoReading, Level};
use super::program::Learned;
use super::{Progress, name, questions};
use crate::certificate::{self, Case, Document, Entry, Extent, FILE, Given, ModelText, Outcome, Subject, Text};
use crate::encode::shape::Shape;
use crate::language::{Mapping, load_between};

/// Verifies all that a certificate says of a mapping: translates each case again and compares it with the proof clause by clause, checks
/// each proof, and goes through all partitions of events to see that the cases cover each bound.
///
/// # Errors
/// What is wrong, with the file and the place in it.
pub fn verify(
    document: &Document,
    folder: &Path,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<(Mapping, Extent), Vec<Diagnostic>> {
    let path = folder.join(FILE);
    let wrong = |what: String| vec![Diagnostic::error(format!("the certificate `{}` is wrong: {what}", path.display()))];
    let Subject::Check { mapping, source, target, given } = &document.subject;
    let mapping = read(mapping, source, target)?;
    let options = options(given).map_err(wrong)?;
    let asked = questions::resolve(&mapping, &options)?;
    let mut kinds = Kind::all(&mapping, &options, &asked);
    kinds.iter().try_for_each(|kind| questions::check_bound(&kind.problem, &options))?;
    let names: Vec<String> = kinds[0].asks.iter().map(|ask| name(&mapping, ask)).collect();
    well_formed(document, kinds.len(), names.len(), options.bound).map_err(wrong)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    let pool = pool.map_err(|e| vec![Diagnostic::error(format!("cannot start {jobs} threads: {e}"))])?;

    for Entry { events, programs, cases } in &document.bounds {
        progress.bound(*events, cases.len(), &names);
        let kind = &kinds[*programs];
        let setting = kind.setting(&mapping, &options, None);
        let done = AtomicUsize::new(0);
        let one = |case: &Case| -> Result<(Shape, Vec<Learned>), Diagnostic> {
            let fail = |what: String| {
                let file = folder.join(&case.proof.file);
                let error = Diagnostic::error(format!("the proof `{}` is not accepted: {what}", file.display()));
                if document.margay == env!("CARGO_PKG_VERSION") {
                    error
                } else {
                    error.help(format!(
                        "the certificate was written by Margay {}, which may translate in another way",
                        document.margay
                    ))
                }
            };
            let shape = Shape::of(&case.shape).ok_or_else(|| fail("its case is no thread shape".to_owned()))?;
            let learned = |a: &certificate::Answer| {
                let learned = a.learned.iter().map(|lesson| taught(lesson, &shape)).collect::<Option<Vec<_>>>();
                learned.map(Learned).ok_or_else(|| fail("what its case learned cannot have been learned".to_owned()))
            };
            let learned: Vec<Learned> = case.answers.iter().map(learned).collect::<Result<_, _>>()?;
            let asked: Vec<(usize, Answer, &Learned)> =
                case.answers.iter().zip(&learned).map(|(a, l)| (a.question, answer(a.answer), l)).collect();
            let (refuted, found) =
                replay(&setting, &shape, &asked, &folder.join(&case.proof.file)).map_err(|flaw| fail(flaw.to_string()))?;
            if described(&found, case.proof.file.clone()) != case.proof {
                let what = if found.file == case.proof.sha256 {
                    format!("`{FILE}` does not say of it what it holds")
                } else {
                    format!("its SHA-256 is {}, and the certificate says {}", found.file, case.proof.sha256)
                };
                return Err(fail(what));
            }
            for (answer, refuted) in case.answers.iter().zip(refuted) {
                if (answer.answer == Outcome::None) != refuted {
                    return Err(fail(format!("it does not prove the answer about {}", names[answer.question])));
                }
            }
            progress.shape(&shape.to_string(), done.fetch_add(1, Ordering::Relaxed) + 1);
            Ok((shape, learned))
        };
        let all: Vec<Result<(Shape, Vec<Learned>), Diagnostic>> =
            pool.install(|| cases.par_iter().with_max_len(1).map(one).collect());
        let (found, errors): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
        if !errors.is_empty() {
            return Err(errors.into_iter().filter_map(Result::err).collect());
        }
        for (shape, learned) in found.into_iter().flatten() {
            kinds[*programs].learn(&shape, learned.iter());
        }
    }
    let up_to = established(&document.bounds, kinds.len(), names.len()).map_err(wrong)?;
    let claims: Vec<_> = names.into_iter().zip(up_to).collect();
    let said: Vec<_> = document.claims.iter().map(|c| (c.axiom.clone(), c.none_up_to)).collect();
    if claims != said {
        let first = claims.iter().zip(&said).find(|(a, b)| a != b);
        let what = first.map_or_else(
            || format!("it claims something of {} questions, and there are {}", said.len(), claims.len()),
            |((axiom, up_to), said)| {
                format!("its cases show {axiom} up to {up_to} events, and it claims {} up to {}", said.0, said.1)
            },
        );
        return Err(wrong(what));
    }
    Ok((mapping, Extent::of(document.bounds.iter().flat_map(|e| &e.cases).map(|c| &c.proof))))
}

fn read(mapping: &Text, source: &ModelText, target: &ModelText) -> Result<Mapping, Vec<Diagnostic>> {
    load_between(&mapping.file(), source.read()?, target.read()?)
}

fn options(given: &Given) -> Result<CheckOptions, String> {
    let mut options = CheckOptions::new(given.bound);
    options.axioms.clone_from(&given.axioms);
    options.without.clone_from(&given.without);
    options.only.clone_from(&given.only);
    options.typed = given.typed;
    options.guards = given.guards;
    options.level = match given.level.as_str() {
        "execution" => Level::Execution,
        "program" => Level::Program,
        other => return Err(format!("there is no level `{other}`")),
    };
    options.co = match given.co.as_str() {
        "universal" => CoReading::Universal,
        "exists" => CoReading::Exists,
        other => return Err(format!("there is no reading `{other}` of modification order")),
    };
    Ok(options)
}

fn answer(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::None => Answer::None,
        Outcome::Counterexample => Answer::Found,
        Outcome::Undecided => Answer::Unknown,
    }
}

/// Bounds ascend, kinds and questions are there, files are of the folder, and shapes are of the bound.
fn well_formed(document: &Document, kinds: usize, questions: usize, bound: usize) -> Result<(), String> {
    if !document.bounds.is_sorted_by(|a, b| (a.events, a.programs) < (b.events, b.programs)) {
        return Err("its bounds do not ascend".to_owned());
    }
    let mut files = std::collections::BTreeSet::new();
    for Entry { events, programs, cases } in &document.bounds {
        if *events == 0 || *events > bound || *programs >= kinds {
            return Err(format!("it has cases of {events} events and kind {programs}, which were not asked about"));
        }
        for case in cases {
            let file = &case.proof.file;
            if case.shape.iter().try_fold(0_usize, |sum, &n| sum.checked_add(n)) != Some(*events) {
                return Err(format!("the case of `{file}` is not one of {events} events"));
            }
            if !case.answers.is_sorted_by(|a, b| a.question < b.question) || case.answers.iter().any(|a| a.question >= questions)
            {
                return Err(format!("the case of `{file}` answers what was not asked"));
            }
            if Path::new(file).components().count() != 1 || Path::new(file).file_name().is_none() {
                return Err(format!("`{file}` is not the name of a file beside it"));
            }
            if !files.insert(file) {
                return Err(format!("two cases have the proof `{file}`"));
            }
        }
    }
    Ok(())
}
