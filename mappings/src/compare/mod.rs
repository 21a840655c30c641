//! What changed between two models: the smallest executions that one allows and the other forbids,
//! in each direction (docs/diff.md). Bounds are searched from one event upward, so what is found
//! first is smallest.

mod bounds;
mod canonical;
mod case;
mod certify;
mod direction;
pub(crate) mod options;
mod reason;
mod report;
mod strength;
mod verify;

pub use direction::Objection;
pub use options::{CompareOptions, MAX_BOUND, Subjects};
pub use reason::RelationReason;
pub use report::{CompareReport, ComparisonVerdict, ModelDifference, QuestionReport};
pub(crate) use verify::CertifiedComparison;

use std::borrow::Cow;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::model::Model;
use margay_models::signature::Construct;

use crate::certificate::{CertificateSummary, CertificateWriter};
use crate::encode::{ComparisonExtent, ModelComparison};
use crate::language::{
    Lowering, LoweringDependencies, LoweringForm, LoweringStep, Mapping, Row, ScopePattern,
    StepScope,
};
use crate::level::Level;
use crate::search::{Progress, deepen};
use bounds::Comparing;
use case::{ComparisonQuestion, ComparisonSetting};
use direction::{ComparisonDirection, questions};

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
    let setting =
        ComparisonSetting { subjects, mapping: &mapping, comparison: &comparison, options };
    let asked: Vec<ComparisonQuestion<'_>> = questions
        .iter()
        .map(|question| ComparisonQuestion { setting: &setting, question })
        .collect();
    let report = CompareReport::new(subjects, &extent, &questions);
    let certificate = CertificateWriter::new(options.certify.as_deref());
    let mut comparing = Comparing { setting: &setting, asked: &asked, report, certificate };
    deepen(&mut comparing, options, progress)?;
    let Comparing { mut report, certificate, .. } = comparing;
    let titles: Vec<String> = certify::open(&report).into_iter().map(|q| report.title(q)).collect();
    let subject = || certify::subject(subjects, options);
    let CertificateSummary { written, errors } =
        certificate.finish((1, &titles), &options.backend, false, subject);
    (report.certified, report.uncertified) = (written, errors);
    Ok(report)
}

/// The mapping between the models, the formulas, and the questions.
fn prepared<'a>(
    subjects: Subjects<'a>,
    options: &CompareOptions,
    extent: &ComparisonExtent,
) -> (Cow<'a, Mapping>, ModelComparison, Vec<ComparisonDirection>) {
    let [old, new] = subjects.models();
    let (mapping, mut comparison) = match subjects {
        Subjects::Models(..) => (
            Cow::Owned(identity(old, new, extent)),
            ModelComparison::of_one_signature([old, new], extent),
        ),
        Subjects::Mapping(mapping) => {
            (Cow::Borrowed(mapping), ModelComparison::across(mapping, extent))
        }
    };
    let defined_only = options.level == Level::Program || matches!(subjects, Subjects::Mapping(_));
    let questions = questions(subjects, &mut comparison, defined_only);
    (mapping, comparison, questions)
}

/// The mapping of a language to itself: every instruction becomes itself.
pub(crate) fn identity(old: &Model, new: &Model, extent: &ComparisonExtent) -> Mapping {
    let row = |&construct: &Construct| {
        let scoped = construct.has_scope(old.signature) && !extent.scopes.is_empty();
        let step = LoweringStep {
            operation: construct.operation,
            order: construct.order,
            scope: if scoped { StepScope::Same } else { StepScope::None },
            volatile: false,
            failed: false,
            unused: false,
            mbarrier: false,
        };
        let lowering = Lowering {
            form: LoweringForm::Usual,
            steps: vec![step],
            dependencies: LoweringDependencies::default(),
            bits: None,
            uses: Vec::new(),
            span: Span::default(),
        };
        Row {
            construct,
            scope: ScopePattern::Any(None),
            alternatives: vec![lowering],
            span: Span::default(),
            failures_apart: false,
        }
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
