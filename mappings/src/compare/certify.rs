//! What a comparison of executions writes into a certificate: a proof for each question and thread shape without a difference.

use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use margay_solver::proof::{Flaw, Log, Replay, Replayed};
use margay_solver::{Encoding, Session};

use super::case::{Answer, Case, Setting};
use super::explanation::Orders;
use super::options::{CompareOptions, Subjects};
use super::question::Question;
use super::report::CompareReport;
use super::{Decided, Proved};
use crate::certificate::{self, Compared, Document, Entry, ModelText, Outcome, Subject, Text, Written};
use crate::check::Fault;
use crate::encode::shape::Shape;

fn name(events: usize, question: usize, shape: &Shape) -> String {
    format!("{events:02}-q{question}-{shape}{}", certificate::PROOF)
}

/// The file of a case.
pub fn file(folder: &Path, events: usize, question: usize, shape: &Shape) -> PathBuf {
    folder.join(name(events, question, shape))
}

/// Decides a question for a shape, writes the proof into a new file, and reads it back: that there is none counts only if its proof
/// is accepted. A proof that cannot be written (a full disk) costs the certificate and not the answer.
pub fn decide<'a>(
    setting: &'a Setting<'a>,
    question: &'a Question,
    shape: &Shape,
    file: &Path,
) -> (Case<'a>, Result<Answer, Fault>, Proved) {
    let cannot = |e: std::io::Error| format!("the proof `{}` cannot be written: {e}", file.display());
    let log = match Log::create(file) {
        Ok(log) => log,
        Err(error) => {
            let (case, answer, _) = super::decide(setting, question, shape);
            return (case, answer, Err(cannot(error)));
        }
    };
    let start = |bounds| Session::logged(bounds, Encoding::default(), &setting.options.backend, &log);
    let mut case = Case::with_session(setting, question, shape, start);
    let answer = if setting.options.limits().reached() { Ok(Answer::Unknown) } else { case.decide() };
    let written = log.finish();
    if answer != Ok(Answer::None) {
        return (case, answer, Ok(None));
    }
    if let Err(error) = written {
        // Half a proof is none.
        let _ = std::fs::remove_file(file);
        return (case, answer, Err(cannot(error)));
    }
    match replay(setting, question, (shape, &case.learned), file) {
        Ok((true, proof)) => (case, answer, Ok(Some(proof))),
        Ok((false, _)) => {
            (case, Err(Fault::Disagreement(format!("the proof of {shape} does not have the solver's answer"))), Ok(None))
        }
        Err(flaw) => (case, Err(Fault::Disagreement(format!("the proof of {shape} is not accepted: {flaw}"))), Ok(None)),
    }
}

/// Translates a case again and compares it with its proof, clause by clause, with what explained candidates on the way: does it show
/// that there is none?
///
/// # Errors
/// The proof is of another case, or wrong.
pub fn replay(
    setting: &Setting<'_>,
    question: &Question,
    (shape, learned): (&Shape, &[Orders]),
    file: &Path,
) -> Result<(bool, Replayed), Flaw> {
    let replay = Replay::open(file)?;
    let start = |bounds| Session::replayed(bounds, Encoding::default(), &replay);
    let refuted = Case::with_session(setting, question, shape, start).is_refuted(learned);
    Ok((refuted, replay.finish(true)?))
}

/// The questions that are about executions: the others are answered by the texts.
pub fn open(report: &CompareReport) -> Vec<usize> {
    (0..report.questions.len()).filter(|&q| !report.questions[q].by_text).collect()
}

/// The cases of a bound, as a certificate has them.
pub fn entry(events: usize, decided: &[Decided<'_>], report: &CompareReport) -> Entry {
    let open = open(report);
    let case = |of: &Decided<'_>| {
        let proof = of.proof.as_ref().ok()?.as_ref()?;
        let question = open.iter().position(|&q| q == of.question)?;
        Some(certificate::Case {
            shape: of.shape.sizes().to_vec(),
            cube: Vec::new(),
            answers: vec![certificate::Answer {
                question,
                answer: Outcome::None,
                learned: of.case.learned.iter().map(Orders::lesson).collect(),
            }],
            proof: certificate::Proof::of(proof, name(events, of.question, of.shape)),
        })
    };
    Entry { events, programs: 0, cases: decided.iter().filter_map(case).collect() }
}

/// Writes the certificate of a comparison that has ended, however it did.
///
/// # Errors
/// The models' texts are gone, or the folder cannot be written to.
pub fn write(
    subjects: Subjects<'_>,
    options: &CompareOptions,
    report: &CompareReport,
    bounds: Vec<Entry>,
    folder: &Path,
) -> Result<Written, Vec<Diagnostic>> {
    let [old, new] = subjects.models();
    let questions: Vec<String> = open(report).into_iter().map(|q| report.title(q)).collect();
    let unclear = |what: String| vec![Diagnostic::error(format!("there is no certificate: {what}"))];
    let subject = Subject::Diff {
        mapping: match subjects {
            Subjects::Models(..) => None,
            Subjects::Mapping(mapping) => Some(Text::of(&mapping.file)),
        },
        old: ModelText::of(old)?,
        new: ModelText::of(new)?,
        given: Compared::of(options),
    };
    let claims = certificate::claims(&bounds, 1, &questions).map_err(unclear)?;
    let document = Document::new(&options.backend.version(), subject, claims, bounds);
    certificate::write(&document, folder, false).map_err(|e| vec![e])
}

impl Compared {
    /// What the options ask.
    fn of(options: &CompareOptions) -> Self {
        // Without `..`: whoever adds an option says here whether an answer depends on it.
        let CompareOptions {
            bound,
            without,
            only,
            typed,
            level,
            // Who decides, and for how long.
            jobs: _,
            deadline: _,
            stop: _,
            backend: _,
            // What is looked for once there is a difference, and what is written besides.
            most: _,
            first: _,
            certify: _,
        } = options;
        Self { bound: *bound, without: without.clone(), only: only.clone(), typed: *typed, level: *level }
    }

    /// The options that ask this.
    pub(super) fn options(&self) -> CompareOptions {
        let Self { bound, without, only, typed, level } = self;
        let mut options = CompareOptions::new(*bound);
        options.without.clone_from(without);
        options.only.clone_from(only);
        (options.typed, options.level) = (*typed, *level);
        options
    }
}
