//! What a comparison of executions writes into a certificate: a proof for each question and thread
//! shape without a difference.

use std::path::Path;

use margay_models::diagnostic::Diagnostic;
use margay_solver::proof::{ProofFlaw, Replay, Replayed};

use super::case::{CaseAnswer, ComparisonCase, ComparisonQuestion};
use super::options::{CompareOptions, Subjects};
use super::report::CompareReport;
use crate::certificate::{
    self, CaseOutcome, CertifiedLesson, ComparisonBasis, MappingSubject, ModelText, Proved, Text,
    prove,
};
use crate::encode::shape::ThreadShape;
use crate::search::{Orders, SearchOptions, Start};
use crate::witness::SearchFault;

/// Decides a question for a shape, with a proof in the folder if there is none.
///
/// # Errors
/// The engines disagree, or solver and checker about a proof.
pub fn decide<'a>(
    asked: &'a ComparisonQuestion<'a>,
    (shape, question): (&ThreadShape, usize),
    folder: &Path,
) -> Result<Proved<(ComparisonCase<'a>, CaseAnswer)>, SearchFault> {
    let search = |start: Start<'_>| {
        let mut case = ComparisonCase::new(asked, shape, start);
        let answer = case.decide()?;
        Ok((case, answer))
    };
    let again = |(case, _): &(ComparisonCase<'a>, CaseAnswer), file: &Path| {
        replay(asked, (shape, case.learned()), file)
    };
    let name = |(_, answer): &(ComparisonCase<'a>, CaseAnswer)| {
        let name = || format!("{:02}-q{question}-{shape}{}", shape.events(), certificate::PROOF);
        (*answer == CaseAnswer::None).then(name)
    };
    prove(shape, (folder, &asked.setting.options.backend), search, name, again)
}

/// Translates a case again and compares it with its proof, clause by clause, with what explained
/// candidates on the way: does it show that there is none?
///
/// # Errors
/// The proof is of another case, or wrong.
pub fn replay(
    asked: &ComparisonQuestion<'_>,
    (shape, learned): (&ThreadShape, &[Orders]),
    file: &Path,
) -> Result<(bool, Replayed), ProofFlaw> {
    let replay = Replay::open(file)?;
    let refuted = ComparisonCase::new(asked, shape, Start::Replayed(&replay)).is_refuted(learned);
    Ok((refuted, replay.finish(true)?))
}

/// The questions that are about executions: the others are answered by the texts.
pub fn open(report: &CompareReport) -> Vec<usize> {
    (0..report.questions.len()).filter(|&q| !report.questions[q].by_text).collect()
}

/// A case with a proof that there is none, as a certificate has it: of a question, by its `place`
/// among those that are about executions, and of a shape, with what explained candidates on the
/// way.
pub fn case(
    place: usize,
    shape: &ThreadShape,
    learned: &[Orders],
    proof: &certificate::Proof,
) -> certificate::CertifiedCase {
    let learned = learned.iter().map(CertifiedLesson::from).collect();
    certificate::CertifiedCase {
        shape: shape.sizes().to_vec(),
        cube: Vec::new(),
        answers: vec![certificate::CertifiedAnswer {
            question: place,
            answer: CaseOutcome::None,
            learned,
        }],
        proof: proof.clone(),
    }
}

/// What a certificate is about.
///
/// # Errors
/// What a model includes cannot be read any more.
pub fn subject(
    subjects: Subjects<'_>,
    options: &CompareOptions,
) -> Result<MappingSubject, Vec<Diagnostic>> {
    let [old, new] = subjects.models();
    Ok(MappingSubject::Diff {
        mapping: match subjects {
            Subjects::Models(..) => None,
            Subjects::Mapping(mapping) => Some(Text::of(&mapping.file)),
        },
        old: ModelText::of(old)?,
        new: ModelText::of(new)?,
        given: ComparisonBasis::of(options),
    })
}

impl ComparisonBasis {
    /// What the options ask.
    fn of(options: &CompareOptions) -> Self {
        // Without `..`: whoever adds an option says here whether an answer depends on it.
        let CompareOptions {
            search,
            level,
            // What is looked for once there is a difference, and what is written besides.
            most: _,
            first: _,
            certify: _,
        } = options;
        // Who decides, and for how long.
        let SearchOptions {
            bound,
            without,
            only,
            typed,
            jobs: _,
            deadline: _,
            stop: _,
            backend: _,
        } = search;
        Self {
            bound: *bound,
            without: without.clone(),
            only: only.clone(),
            typed: *typed,
            level: *level,
        }
    }

    /// The options that ask this.
    pub(crate) fn options(&self) -> CompareOptions {
        let Self { bound, without, only, typed, level } = self;
        let mut options = CompareOptions::new(*bound);
        options.without.clone_from(without);
        options.only.clone_from(only);
        (options.typed, options.level) = (*typed, *level);
        options
    }
}
