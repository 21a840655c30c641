//! What changed between two models: the smallest executions that one allows and the other forbids, in each direction
//! (docs/diff.md). Bounds are searched from one event upward, so what is found first is smallest.

mod canonical;
mod case;
mod certify;
pub(crate) mod options;
mod question;
mod reason;
mod report;
mod strength;
mod verify;

pub use options::{CompareOptions, MAX_BOUND, Subjects};
pub use question::Kind;
pub use reason::Reason;
pub use report::{CompareReport, Difference, QuestionReport, Verdict};
pub use verify::verify;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use margay_models::certificate::Proved;
use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::model::Model;
use margay_models::signature::Construct;
use margay_solver::proof::Replayed;
use rayon::prelude::*;

use crate::certificate;
use crate::encode::shape::Shape;
use crate::encode::{Comparison, Extent};
use crate::language::{Form, Lowering, Mapping, Row, ScopePattern, Step, StepScope};
use crate::level::Level;
use crate::pool::pool;
use crate::search::{Progress, Start};
use crate::status::Examiner;
use crate::witness::Fault;
use case::{Answer, Asked, Case, Differing, Setting};
use question::{Question, questions};

/// Compares two models.
///
/// # Errors
/// Models that have no executions in common, options that do not fit them.
pub fn compare(
    subjects: Subjects<'_>,
    options: &CompareOptions,
    progress: &dyn Progress,
) -> Result<CompareReport, Vec<Diagnostic>> {
    let extent = options::extent(subjects, options)?;
    let (mapping, comparison, questions) = prepared(subjects, options, &extent);
    let pool = pool(options.jobs)?;
    let setting = Setting { subjects, mapping: &mapping, comparison: &comparison, options };
    let asked: Vec<Asked<'_>> = questions.iter().map(|question| Asked { setting: &setting, question }).collect();
    let mut report = CompareReport::new(subjects, &extent, &questions);
    let (mut certified, mut unwritten) = (Vec::new(), Vec::new());
    for bound in 1..=options.bound {
        let open: Vec<usize> = (0..questions.len()).filter(|&q| report.questions[q].is_open()).collect();
        if open.is_empty() || (options.first && report.questions.iter().any(|q| !q.differences.is_empty())) {
            break;
        }
        let names: Vec<String> = open.iter().map(|&q| report.title(q)).collect();
        let shapes = Shape::all(bound);
        progress.bound(bound, shapes.len() * open.len(), &names);
        let done = AtomicUsize::new(0);
        let fewest: Vec<AtomicUsize> = questions.iter().map(|_| AtomicUsize::new(usize::MAX)).collect();
        // Few threads first: what is found there makes shapes of more threads needless.
        let tasks: Vec<(usize, &Shape)> = shapes.iter().flat_map(|s| open.iter().map(move |&q| (q, s))).collect();
        let decided = pool.each(tasks.len(), |i| {
            let (q, shape) = tasks[i];
            let needless = shape.threads() > fewest[q].load(Ordering::Relaxed);
            let decided = (!needless).then(|| decide(&asked[q], (q, shape), options));
            if decided.as_ref().is_some_and(|d| d.answer == Ok(Answer::Found)) {
                fewest[q].fetch_min(shape.threads(), Ordering::Relaxed);
            }
            progress.shape(&shape.to_string(), done.fetch_add(1, Ordering::Relaxed) + 1);
            decided
        });
        // What was decided beyond the fewest threads depends on the number of jobs: it does not count.
        let most = |q: usize| fewest[q].load(Ordering::Relaxed);
        let decided = decided.into_iter().flatten();
        let mut counted: Vec<Decided<'_>> = decided.filter(|d| d.shape.threads() <= most(d.question)).collect();
        for &q in &open {
            settle(&mut report, q, bound, &counted);
        }
        if options.certify.is_some() {
            certified.push(certify::entry(bound, &counted, &report));
            unwritten.extend(counted.iter().filter_map(|d| d.unwritten.clone()));
        }
        let found: Vec<&mut Decided<'_>> = counted.iter_mut().filter(|d| matches!(d.answer, Ok(Answer::Found))).collect();
        if let Some(first) = found.first() {
            progress.choosing(&report.title(first.question), bound);
        }
        let chosen: Vec<(usize, Chosen)> = pool.install(|| {
            let each = found.into_par_iter().with_max_len(1);
            each.filter_map(|d| Some((d.question, d.case.as_mut()?.smallest(options.most + 1)))).collect()
        });
        for &q in &open {
            let of_question = chosen.iter().filter(|(question, _)| *question == q).map(|(_, c)| c);
            collect(&mut report, &setting, &questions[q], q, of_question);
        }
    }
    if let Some(folder) = &options.certify {
        // Whatever becomes of the certificate, the answer stands.
        report.uncertified = certificate::unwritten(&unwritten);
        match certify::write(subjects, options, &report, certified, folder) {
            Ok(written) => report.certified = Some(written),
            Err(errors) => report.uncertified.extend(errors),
        }
    }
    Ok(report)
}

/// The mapping between the models, the formulas, and the questions.
fn prepared<'a>(
    subjects: Subjects<'a>,
    options: &CompareOptions,
    extent: &Extent,
) -> (Cow<'a, Mapping>, Comparison, Vec<Question>) {
    let [old, new] = subjects.models();
    let (mapping, mut comparison) = match subjects {
        Subjects::Models(..) => (Cow::Owned(identity(old, new, extent)), Comparison::of_one_signature([old, new], extent)),
        Subjects::Mapping(mapping) => (Cow::Borrowed(mapping), Comparison::across(mapping, extent)),
    };
    let defined_only = options.level == Level::Program || matches!(subjects, Subjects::Mapping(_));
    let questions = questions(subjects, &mut comparison, defined_only);
    (mapping, comparison, questions)
}

/// A shape that was decided for a question.
struct Decided<'a> {
    question: usize,
    shape: &'a Shape,
    /// `None` if there is no answer.
    case: Option<Case<'a>>,
    answer: Result<Answer, Fault>,
    /// The proof that there is none, where one was asked for and accepted.
    proof: Option<Replayed>,
    /// Why it could not be written, if it could not.
    unwritten: Option<String>,
}

/// The smallest differences of a shape; `None` if a limit was reached.
type Chosen = Result<Option<Vec<Differing>>, Fault>;

/// Decides a question for a shape, with a proof where the options ask for a certificate.
fn decide<'a>(asked: &'a Asked<'a>, (question, shape): (usize, &'a Shape), options: &CompareOptions) -> Decided<'a> {
    let decided = match &options.certify {
        None => {
            let mut case = Case::new(asked, shape, Start::Solver);
            case.decide().map(|answer| Proved { answer: (case, answer), proof: None, unwritten: None })
        }
        Some(folder) => certify::decide(asked, shape, &certify::file(folder, shape.events(), question, shape)),
    };
    match decided {
        Ok(Proved { answer: (case, answer), proof, unwritten }) => {
            Decided { question, shape, case: Some(case), answer: Ok(answer), proof, unwritten }
        }
        Err(fault) => Decided { question, shape, case: None, answer: Err(fault), proof: None, unwritten: None },
    }
}

/// Writes down what a bound decided for a question.
fn settle(report: &mut CompareReport, q: usize, bound: usize, decided: &[Decided<'_>]) {
    let mine = || decided.iter().filter(|d| d.question == q);
    let question = &mut report.questions[q];
    if let Some(Err(disagreement)) = mine().map(|d| &d.answer).find(|a| a.is_err()) {
        question.verdict = Verdict::by(disagreement);
        return;
    }
    let open: Vec<String> = mine().filter(|d| d.answer == Ok(Answer::Unknown)).map(|d| d.shape.to_string()).collect();
    if mine().any(|d| d.answer == Ok(Answer::Found)) {
        question.verdict = Verdict::Different(bound);
    } else if open.is_empty() {
        question.established = bound;
    } else {
        let shapes = open.join(", ");
        let shapes = format!("{} thread shapes of {bound} events are not decided: {shapes}", open.len());
        question.verdict = Verdict::Undecided(shapes);
    }
}

/// Adds the smallest differences of a question to the report, once the judge has confirmed them.
fn collect<'a>(
    report: &mut CompareReport,
    setting: &Setting<'_>,
    question: &Question,
    q: usize,
    chosen: impl Iterator<Item = &'a Chosen>,
) {
    let mut found: Vec<Differing> = Vec::new();
    for chosen in chosen {
        match chosen {
            Ok(Some(some)) => found.extend(some.iter().cloned()),
            Ok(None) => {
                report.questions[q].verdict = Verdict::Undecided(
                    "there is a difference, but a limit was reached before the smallest ones were chosen".to_owned(),
                );
                return;
            }
            Err(disagreement) => {
                report.questions[q].verdict = Verdict::by(disagreement);
                return;
            }
        }
    }
    found.sort_by(|a, b| (a.cost, &a.key).cmp(&(b.cost, &b.key)));
    found.dedup_by(|a, b| a.key == b.key);
    let most = setting.options.most;
    report.questions[q].more = found.len() > most;
    let mut examiners = setting.subjects.models().map(|m| Examiner::new(m, setting.options.deadline));
    for found in found.into_iter().take(most) {
        match Difference::confirmed(setting.subjects, question, found, setting.options.level, &mut examiners) {
            Ok(difference) => report.questions[q].differences.push(difference),
            Err(disagreement) => {
                report.questions[q].verdict = Verdict::by(&disagreement);
                return;
            }
        }
    }
}

/// The mapping of a language to itself: every instruction becomes itself.
pub(crate) fn identity(old: &Model, new: &Model, extent: &Extent) -> Mapping {
    let row = |&construct: &Construct| {
        let scoped = construct.has_scope(old.signature) && !extent.scopes.is_empty();
        let step = Step {
            operation: construct.operation,
            order: construct.order,
            scope: if scoped { StepScope::Same } else { StepScope::None },
            volatile: false,
            failed: false,
        };
        let lowering =
            Lowering { form: Form::Usual, steps: vec![step], ctrl: None, bits: None, uses: Vec::new(), span: Span::default() };
        Row { construct, scope: ScopePattern::Any(None), alternatives: vec![lowering], span: Span::default() }
    };
    Mapping {
        title: "identity".to_owned(),
        file: SourceFile::new("identity", ""),
        source: old.clone(),
        target: new.clone(),
        rows: extent.constructs.iter().map(row).collect(),
        about: Default::default(),
    }
}
