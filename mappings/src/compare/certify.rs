//! What a comparison of executions writes into a certificate: a proof for each question and thread shape without a difference.

use std::path::{Path, PathBuf};

use margay_models::certificate::{Proved, proved};
use margay_models::diagnostic::Diagnostic;
use margay_solver::proof::{Flaw, Log, Replay, Replayed};

use super::Decided;
use super::case::{Answer, Asked, Case};
use super::options::{CompareOptions, Subjects};
use super::report::CompareReport;
use crate::certificate::{self, Compared, Document, Entry, ModelText, Outcome, Subject, Text, Written};
use crate::encode::shape::Shape;
use crate::search::{Orders, Start};
use crate::witness::Fault;

fn name(events: usize, question: usize, shape: &Shape) -> String {
    format!("{events:02}-q{question}-{shape}{}", certificate::PROOF)
}

/// The file of a case.
pub fn file(folder: &Path, events: usize, question: usize, shape: &Shape) -> PathBuf {
    folder.join(name(events, question, shape))
}

/// Decides a question for a shape, with a proof in the file if there is none.
///
/// # Errors
/// The engines disagree, or solver and checker about a proof.
pub fn decide<'a>(asked: &'a Asked<'a>, shape: &Shape, file: &Path) -> Result<Proved<(Case<'a>, Answer)>, Fault> {
    let search = |log: Option<&Log>| {
        let mut case = Case::new(asked, shape, log.map_or(Start::Solver, Start::Logged));
        let answer = case.decide()?;
        Ok((case, answer))
    };
    let again = |(case, _): &(Case<'a>, Answer), file: &Path| match replay(asked, (shape, case.learned()), file) {
        Ok((true, proof)) => Ok(proof),
        Ok((false, _)) => Err("does not have the solver's answer".to_owned()),
        Err(flaw) => Err(format!("is not accepted: {flaw}")),
    };
    let refused = |why| Fault::Disagreement(format!("the proof of {shape} {why}"));
    let backend = &asked.setting.options.backend;
    proved((file, backend), search, |(_, answer)| *answer == Answer::None, again, refused)
}

/// Translates a case again and compares it with its proof, clause by clause, with what explained candidates on the way: does it show
/// that there is none?
///
/// # Errors
/// The proof is of another case, or wrong.
pub fn replay(asked: &Asked<'_>, (shape, learned): (&Shape, &[Orders]), file: &Path) -> Result<(bool, Replayed), Flaw> {
    let replay = Replay::open(file)?;
    let refuted = Case::new(asked, shape, Start::Replayed(&replay)).is_refuted(learned);
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
        let proof = of.proof.as_ref()?;
        let question = open.iter().position(|&q| q == of.question)?;
        Some(certificate::Case {
            shape: of.shape.sizes().to_vec(),
            cube: Vec::new(),
            answers: vec![certificate::Answer {
                question,
                answer: Outcome::None,
                learned: of.case.as_ref()?.learned().iter().map(Orders::lesson).collect(),
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
