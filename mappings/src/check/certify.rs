//! What a check writes into a certificate.

use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use margay_solver::TupleSet;
use margay_solver::proof::Replayed;

use super::case::{Answer, Decision};
use super::kind::Decided;
use super::options::{CheckOptions, CoReading, Level};
use super::program::Taught;
use super::report::Certified;
use crate::certificate::{self, Claim, Document, Entry, Extent, Given, Lesson, ModelText, Outcome, Proof, Subject, Text};
use crate::encode::atoms::{Atoms, Place, Slots};
use crate::encode::shape::Shape;
use crate::encode::{Prefix, Sources, Techniques};
use crate::language::Mapping;
use margay_solver::Backend;

/// Where the proofs of one bound, for one kind of programs, go.
pub struct Proofs<'a> {
    /// The certificate's folder.
    pub folder: &'a Path,
    /// The number of events.
    pub events: usize,
    /// The kind of programs.
    pub programs: usize,
}

impl Proofs<'_> {
    fn name(&self, shape: &Shape) -> String {
        let shape: Vec<String> = shape.sizes().iter().map(usize::to_string).collect();
        format!("{}-{}-{}.proof", self.events, self.programs, shape.join("-"))
    }

    /// The file of a case.
    pub fn file(&self, shape: &Shape) -> PathBuf {
        self.folder.join(self.name(shape))
    }
}

/// Why these options give no certificate, if they do not.
pub fn refused(options: &CheckOptions) -> Option<Diagnostic> {
    if !options.backend.proves() {
        let solvers: Vec<&str> = Backend::available().iter().filter(|b| b.proves()).map(|b| b.name()).collect();
        let error =
            Diagnostic::error(format!("the solver `{}` writes no proofs, which a certificate is made of", options.backend));
        return Some(error.help(match solvers.first() {
            Some(solver) => format!("use `--solver {solver}`"),
            None => "build Margay with the feature `cadical`".to_owned(),
        }));
    }
    (options.techniques != Techniques::default()).then(|| Diagnostic::error("a certificate is of all techniques together"))
}

/// The cases of a bound, as a certificate has them; those without a proof are left out.
pub fn entry(proofs: &Proofs<'_>, decided: &[Decided<'_>]) -> Entry {
    let case = |of: &Decided<'_>| {
        let proof = of.proof.as_ref().filter(|_| !of.decisions.is_empty())?;
        let answers: Option<Vec<certificate::Answer>> = of.decisions.iter().map(|d| answer(d, of.shape)).collect();
        Some(certificate::Case {
            shape: of.shape.sizes().to_vec(),
            answers: answers?,
            proof: described(proof, proofs.name(of.shape)),
        })
    };
    Entry { events: proofs.events, programs: proofs.programs, cases: decided.iter().filter_map(case).collect() }
}

/// A proof as certificates describe it.
pub fn described(proof: &Replayed, file: String) -> Proof {
    Proof {
        file,
        sha256: proof.file.clone(),
        bytes: proof.file_bytes,
        uncompressed: proof.bytes,
        cnf_sha256: proof.cnf.clone(),
        clauses: proof.clauses,
        derived: proof.derived,
    }
}

fn answer(decision: &Decision, shape: &Shape) -> Option<certificate::Answer> {
    let learned = decision.learned.0.iter().map(|taught| lesson(taught, shape)).collect::<Option<_>>()?;
    Some(certificate::Answer { question: decision.question, answer: outcome(decision.answer), learned })
}

fn outcome(answer: Answer) -> Outcome {
    match answer {
        Answer::None => Outcome::None,
        Answer::Found => Outcome::Counterexample,
        Answer::Unknown => Outcome::Undecided,
    }
}

/// The pairs of a total order, given by its events in order.
fn pairs(order: &[usize], shape: &Shape) -> TupleSet {
    // Events come first among the atoms, however many slots there are.
    let atoms = Atoms::new(shape, Slots::default());
    let later = |i: usize| order[i + 1..].iter().map(move |&b| (Place::Event(order[i]), Place::Event(b)));
    atoms.pairs((0..order.len()).flat_map(later))
}

fn lesson(taught: &Taught, shape: &Shape) -> Option<Lesson> {
    match taught {
        Taught::Order(order) => {
            let mut events: Vec<usize> = (0..shape.events()).collect();
            let followers = |e: usize| order.iter().filter(|pair| pair[0].0 as usize == e).count();
            events.sort_by_key(|&e| std::cmp::Reverse(followers(e)));
            (pairs(&events, shape) == *order).then_some(Lesson::Order(events))
        }
        Taught::Race(Prefix { order, sources }) => {
            let sources = match sources {
                Sources::Latest => None,
                Sources::Given(given) => Some(given.clone()),
            };
            Some(Lesson::Race { order: order.clone(), sources })
        }
    }
}

/// What a lesson of a certificate says, if it is one that could have been learned: an order has every event once; the beginning of an
/// execution has events once, in program order where it is an interleaving, and for each read at most one source among them.
pub fn taught(lesson: &Lesson, shape: &Shape) -> Option<Taught> {
    let events = shape.events();
    let once = |order: &[usize]| {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).all(|w| w[0] < w[1]) && sorted.iter().all(|&e| e < events)
    };
    match lesson {
        Lesson::Order(order) => (once(order) && order.len() == events).then(|| Taught::Order(pairs(order, shape))),
        Lesson::Race { order, sources } => {
            let thread = shape.thread_of_events();
            let in_program_order =
                || (0..order.len()).all(|i| order[..i].iter().all(|&e| thread[e] != thread[order[i]] || e < order[i]));
            let fits = once(order)
                && match sources {
                    None => in_program_order(),
                    Some(given) => {
                        let reads: Vec<usize> = given.iter().map(|&(r, _)| r).collect();
                        once(&reads)
                            && given.iter().all(|&(r, w)| order.contains(&r) && w.is_none_or(|w| w != r && order.contains(&w)))
                    }
                };
            let sources = sources.clone().map_or(Sources::Latest, Sources::Given);
            fits.then(|| Taught::Race(Prefix { order: order.clone(), sources }))
        }
    }
}

/// For each question, up to how many events the entries say that there is no counterexample: at every bound so far, among all
/// `kinds` of programs, every thread shape has that answer.
///
/// # Errors
/// A bound is too large to say what its shapes are.
pub fn established(bounds: &[Entry], kinds: usize, questions: usize) -> Result<Vec<usize>, String> {
    let none_up_to = |question: usize| -> Result<usize, String> {
        for events in 1.. {
            for programs in 0..kinds {
                let is_none = |a: &certificate::Answer| a.question == question && a.answer == Outcome::None;
                let of_kind = bounds.iter().filter(|e| (e.events, e.programs) == (events, programs));
                let cases = of_kind.flat_map(|e| &e.cases).filter(|c| c.answers.iter().any(is_none)).map(|c| c.shape.clone());
                let cases = cases.collect::<std::collections::BTreeSet<_>>();
                if cases.is_empty() || certificate::uncovered(events, &cases)?.is_some() {
                    return Ok(events - 1);
                }
            }
        }
        Ok(0)
    };
    (0..questions).map(none_up_to).collect()
}

/// Writes the certificate of a check that has ended, however it did.
///
/// # Errors
/// The models' texts are gone, or the folder cannot be written to.
pub fn write(
    mapping: &Mapping,
    options: &CheckOptions,
    questions: &[String],
    kinds: usize,
    bounds: Vec<Entry>,
    folder: &Path,
) -> Result<Certified, Vec<Diagnostic>> {
    let fail =
        |what: String| vec![Diagnostic::error(format!("cannot write the certificate into `{}`: {what}", folder.display()))];
    let up_to = established(&bounds, kinds, questions.len()).map_err(fail)?;
    let claims: Vec<Claim> =
        questions.iter().zip(up_to).map(|(axiom, none_up_to)| Claim { axiom: axiom.clone(), none_up_to }).collect();
    let subject = Subject::Check {
        mapping: Text::of(&mapping.file),
        source: ModelText::of(&mapping.source)?,
        target: ModelText::of(&mapping.target)?,
        given: Given {
            bound: options.bound,
            axioms: options.axioms.clone(),
            without: options.without.clone(),
            only: options.only.clone(),
            typed: options.typed,
            level: match options.level {
                Level::Execution => "execution".to_owned(),
                Level::Program => "program".to_owned(),
            },
            guards: options.guards,
            co: match options.co {
                CoReading::Universal => "universal".to_owned(),
                CoReading::Exists => "exists".to_owned(),
            },
        },
    };
    let document = Document {
        format: certificate::FORMAT.to_owned(),
        version: certificate::VERSION,
        margay: env!("CARGO_PKG_VERSION").to_owned(),
        solver: options.backend.version().to_owned(),
        subject,
        claims: claims.clone(),
        bounds,
    };
    let proofs: Vec<&Proof> = document.bounds.iter().flat_map(|e| &e.cases).map(|c| &c.proof).collect();
    // Shapes that were begun and not needed are no part of it.
    let needless = std::fs::read_dir(folder).map_err(|e| fail(e.to_string()))?;
    for entry in needless.filter_map(Result::ok) {
        let name = entry.file_name();
        if name.to_str().is_some_and(|n| n.ends_with(".proof") && proofs.iter().all(|p| p.file != n)) {
            std::fs::remove_file(entry.path()).map_err(|e| fail(e.to_string()))?;
        }
    }
    certificate::write(&document, folder).map_err(|e| fail(e.to_string()))?;
    Ok(Certified { claims, extent: Extent::of(proofs.into_iter()) })
}
