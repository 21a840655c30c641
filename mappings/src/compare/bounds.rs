//! The bounds of a comparison: what is asked at each, and what is reported of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::case::{CaseAnswer, ComparisonCase, ComparisonQuestion, ComparisonSetting, Differing};
use super::certify;
use super::direction::ComparisonDirection;
use super::options::CompareOptions;
use super::report::{CompareReport, ComparisonVerdict, ModelDifference};
use crate::certificate::{self, CertificateWriter, Proved};
use crate::encode::shape::ThreadShape;
use crate::search::{Deepening, SearchBound, Start, counted_events};
use crate::status::Examiner;
use crate::witness::SearchFault;

/// A comparison, as far as it is.
pub struct Comparing<'a> {
    /// What all questions share.
    pub setting: &'a ComparisonSetting<'a>,
    pub asked: &'a [ComparisonQuestion<'a>],
    /// What came out.
    pub report: CompareReport,
    /// The proofs.
    pub certificate: CertificateWriter<'a>,
}

impl Deepening for Comparing<'_> {
    fn open(&self) -> Vec<usize> {
        let questions = &self.report.questions;
        if self.setting.options.first && questions.iter().any(|q| !q.differences.is_empty()) {
            return Vec::new();
        }
        (0..questions.len()).filter(|&q| questions[q].is_open()).collect()
    }

    fn decide(&mut self, bound: &SearchBound<'_>) {
        let Self { setting, asked, report, certificate } = self;
        let (options, open) = (setting.options, bound.open);
        let names: Vec<String> = open.iter().map(|&q| report.title(q)).collect();
        let fewest: Vec<AtomicUsize> = asked.iter().map(|_| AtomicUsize::new(usize::MAX)).collect();
        // Few threads first: what is found there makes shapes of more threads needless.
        let tasks: Vec<(usize, &ThreadShape)> =
            bound.shapes.iter().flat_map(|s| open.iter().map(move |&q| (q, s))).collect();
        let done = bound.begin(tasks.len(), &names);
        let decided = bound.pool.each(tasks.len(), |i| {
            let (q, shape) = tasks[i];
            let needless = shape.threads() > fewest[q].load(Ordering::Relaxed);
            let decided = (!needless).then(|| decide(&asked[q], (q, shape), options));
            if decided.as_ref().is_some_and(|d| d.answer == Ok(CaseAnswer::Found)) {
                fewest[q].fetch_min(shape.threads(), Ordering::Relaxed);
            }
            done.shape(shape);
            decided
        });
        // What was decided beyond the fewest threads depends on the number of jobs: it does not
        // count.
        let most = |q: usize| fewest[q].load(Ordering::Relaxed);
        let decided = decided.into_iter().flatten();
        let mut counted: Vec<DecidedQuestion<'_>> =
            decided.filter(|d| d.shape.threads() <= most(d.question)).collect();
        for &q in open {
            settle(report, q, bound.events, &counted);
        }
        let questions = certify::open(report);
        let cases = counted.iter().filter_map(|decided| decided.certified(&questions));
        certificate.keep(
            (bound.events, 0),
            cases,
            counted.iter().filter_map(|d| d.unwritten.clone()),
        );
        let found: Vec<&mut DecidedQuestion<'_>> =
            counted.iter_mut().filter(|d| matches!(d.answer, Ok(CaseAnswer::Found))).collect();
        if let Some(first) = found.first() {
            bound.progress.choosing(&report.title(first.question), bound.events);
        }
        let chosen: Vec<(usize, SmallestDifferences)> = bound.pool.install(|| {
            let each = found.into_par_iter().with_max_len(1);
            each.filter_map(|d| Some((d.question, d.case.as_mut()?.smallest(options.most + 1))))
                .collect()
        });
        for &q in open {
            let of_question = chosen.iter().filter(|(question, _)| *question == q).map(|(_, c)| c);
            collect(report, setting, asked[q].question, q, of_question);
        }
    }
}

/// A shape that was decided for a question.
struct DecidedQuestion<'a> {
    question: usize,
    shape: &'a ThreadShape,
    /// `None` if there is no answer.
    case: Option<ComparisonCase<'a>>,
    answer: Result<CaseAnswer, SearchFault>,
    /// The proof that there is none, where one was asked for and accepted.
    proof: Option<certificate::Proof>,
    /// Why it could not be written, if it could not.
    unwritten: Option<String>,
}

impl DecidedQuestion<'_> {
    /// As a certificate has it, if there is a proof: `questions` are those that are about
    /// executions.
    fn certified(&self, questions: &[usize]) -> Option<certificate::CertifiedCase> {
        let place = questions.iter().position(|&q| q == self.question)?;
        Some(certify::case(place, self.shape, self.case.as_ref()?.learned(), self.proof.as_ref()?))
    }
}

/// The smallest differences of a shape; `None` if a limit was reached.
type SmallestDifferences = Result<Option<Vec<Differing>>, SearchFault>;

/// Decides a question for a shape, with a proof where the options ask for a certificate.
fn decide<'a>(
    asked: &'a ComparisonQuestion<'a>,
    (question, shape): (usize, &'a ThreadShape),
    options: &CompareOptions,
) -> DecidedQuestion<'a> {
    let decided = match &options.certify {
        None => {
            let mut case = ComparisonCase::new(asked, shape, Start::Solver);
            case.decide().map(|answer| Proved {
                answer: (case, answer),
                proof: None,
                unwritten: None,
            })
        }
        Some(folder) => certify::decide(asked, (shape, question), folder),
    };
    match decided {
        Ok(Proved { answer: (case, answer), proof, unwritten }) => DecidedQuestion {
            question,
            shape,
            case: Some(case),
            answer: Ok(answer),
            proof,
            unwritten,
        },
        Err(fault) => DecidedQuestion {
            question,
            shape,
            case: None,
            answer: Err(fault),
            proof: None,
            unwritten: None,
        },
    }
}

/// Writes down what a bound decided for a question.
fn settle(report: &mut CompareReport, q: usize, bound: usize, decided: &[DecidedQuestion<'_>]) {
    let mine = || decided.iter().filter(|d| d.question == q);
    let question = &mut report.questions[q];
    if let Some(Err(disagreement)) = mine().map(|d| &d.answer).find(|a| a.is_err()) {
        question.verdict = ComparisonVerdict::by(disagreement);
        return;
    }
    let open: Vec<String> = mine()
        .filter(|d| d.answer == Ok(CaseAnswer::Unknown))
        .map(|d| d.shape.to_string())
        .collect();
    if mine().any(|d| d.answer == Ok(CaseAnswer::Found)) {
        question.verdict = ComparisonVerdict::Different(bound);
    } else if open.is_empty() {
        question.established = bound;
    } else {
        let shapes = open.join(", ");
        let shapes = format!(
            "of executions with {}, {} thread shapes not decided (events of each thread: {shapes})",
            counted_events(bound),
            open.len()
        );
        question.verdict = ComparisonVerdict::Undecided(shapes);
    }
}

/// Adds the smallest differences of a question to the report, once the judge has confirmed them.
fn collect<'a>(
    report: &mut CompareReport,
    setting: &ComparisonSetting<'_>,
    question: &ComparisonDirection,
    q: usize,
    chosen: impl Iterator<Item = &'a SmallestDifferences>,
) {
    let mut found: Vec<Differing> = Vec::new();
    for chosen in chosen {
        match chosen {
            Ok(Some(some)) => found.extend(some.iter().cloned()),
            Ok(None) => {
                report.questions[q].verdict = ComparisonVerdict::Undecided(
                    "there is a difference, but a limit was reached before the smallest ones were chosen".to_owned(),
                );
                return;
            }
            Err(disagreement) => {
                report.questions[q].verdict = ComparisonVerdict::by(disagreement);
                return;
            }
        }
    }
    found.sort_by(|a, b| (a.cost, &a.key).cmp(&(b.cost, &b.key)));
    found.dedup_by(|a, b| a.key == b.key);
    let most = setting.options.most;
    report.questions[q].more = found.len() > most;
    let mut examiners =
        setting.subjects.models().map(|m| Examiner::new(m, setting.options.deadline));
    for found in found.into_iter().take(most) {
        match ModelDifference::confirmed(
            setting.subjects,
            question,
            found,
            setting.options.level,
            &mut examiners,
        ) {
            Ok(difference) => report.questions[q].differences.push(difference),
            Err(disagreement) => {
                report.questions[q].verdict = ComparisonVerdict::by(&disagreement);
                return;
            }
        }
    }
}
