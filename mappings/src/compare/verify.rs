//! The comparison that a certificate is of, made again from what is in it.

use std::borrow::Cow;
use std::path::Path;

use margay_models::diagnostic::Diagnostic;

use super::case::{ComparisonQuestion, ComparisonSetting};
use super::certify::{open, replay};
use super::direction::{ComparisonDirection, Objection};
use super::options::{self, CompareOptions, Subjects};
use super::prepared;
use super::report::CompareReport;
use crate::certificate::{CaseRefusal, CertifiedCase, CertifiedSearch, ProvedCase};
use crate::encode::ModelComparison;
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;
use crate::level::Level;
use crate::search::Orders;

/// The comparison of a certificate.
pub struct CertifiedComparison<'a> {
    subjects: Subjects<'a>,
    options: &'a CompareOptions,
    mapping: Cow<'a, Mapping>,
    comparison: ModelComparison,
    questions: Vec<ComparisonDirection>,
    /// Those that are about executions, by number, and what they are called.
    open: Vec<(usize, String)>,
}

impl<'a> CertifiedComparison<'a> {
    /// The comparison that the options ask for.
    ///
    /// # Errors
    /// Those of [`super::compare`].
    pub fn new(
        subjects: Subjects<'a>,
        options: &'a CompareOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let extent = options::extent(subjects, options)?;
        let (mapping, comparison, questions) = prepared(subjects, options, &extent);
        let report = CompareReport::new(subjects, &extent, &questions);
        let open = open(&report).into_iter().map(|q| (q, report.title(q))).collect();
        Ok(Self { subjects, options, mapping, comparison, questions, open })
    }
}

impl CertifiedSearch for CertifiedComparison<'_> {
    type CaseLessons = ();

    fn kinds(&self) -> usize {
        1
    }

    fn questions(&self) -> Vec<String> {
        self.open.iter().map(|(_, title)| title.clone()).collect()
    }

    fn bound(&self) -> usize {
        self.options.bound
    }

    fn replay(
        &self,
        _programs: usize,
        case: &CertifiedCase,
        shape: &ThreadShape,
        file: &Path,
    ) -> Result<ProvedCase<()>, CaseRefusal> {
        let [answer] = case.answers.as_slice() else {
            return Err(CaseRefusal::NotOneQuestion);
        };
        let question = &self.questions[self.open[answer.question].0];
        let total = self.subjects.models()[question.other].signature.total_coherence();
        let learned = answer
            .learned
            .iter()
            .map(|lesson| lesson.orders(shape.events(), total))
            .collect::<Option<Vec<Orders>>>();
        // Another order explains an outcome that is forbidden for the candidate's, and nothing
        // else.
        let explains =
            self.options.level == Level::Program && question.kind == Objection::Forbidden;
        let learned = learned.filter(|learned| learned.is_empty() || explains);
        let learned = learned.ok_or(CaseRefusal::NoLesson)?;
        let Self { subjects, options, mapping, comparison, .. } = self;
        let setting = ComparisonSetting { subjects: *subjects, mapping, comparison, options };
        let asked = ComparisonQuestion { setting: &setting, question };
        let (none, proof) = replay(&asked, (shape, &learned), file)?;
        Ok(ProvedCase { none: vec![none], proof, lessons: () })
    }

    fn learn(&mut self, _programs: usize, _lessons: Vec<()>) {}
}
