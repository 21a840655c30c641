//! What a comparison found.

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::render::render;
use margay_models::bits::Event;
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Execution;
use margay_models::explain::{self, Violation};
use margay_models::judge::judge;
use margay_models::model::{Model, Role};
use margay_models::wellformed;

use super::case::{Differing, executions};
use super::direction::{ComparisonDirection, Objection};
use super::options::{Subjects, blind, special_names};
use super::reason::{RelationReason, reasons};
use crate::certificate::WrittenCertificate;
use crate::encode::ComparisonExtent;
use crate::level::Level;
use crate::status::{Examiner, Status};
use crate::witness::SearchFault;

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComparisonVerdict {
    /// No execution up to the bound.
    Equal,
    /// The smallest executions have so many events.
    Different(usize),
    /// A limit was reached, and why.
    Undecided(String),
}

impl ComparisonVerdict {
    pub(super) fn by(fault: &SearchFault) -> Self {
        Self::Undecided(fault.to_string())
    }
}

/// One question: is there an execution that one model allows, and of which the other one says
/// something worse?
#[derive(Debug, Clone)]
pub struct QuestionReport {
    /// The model that allows it: 0 the older one, 1 the newer one.
    pub allows: usize,
    /// What the other one says.
    pub kind: Objection,
    /// The answer.
    pub verdict: ComparisonVerdict,
    /// There is none of so many events or fewer.
    pub established: usize,
    /// There is none of any size: the other model says nothing that this one does not say in the
    /// same words.
    pub by_text: bool,
    /// The smallest ones, of the fewest events and threads; no one is stronger than another.
    pub differences: Vec<ModelDifference>,
    /// There are more of this size.
    pub more: bool,
}

impl QuestionReport {
    /// Is the answer to be looked for among larger executions?
    pub fn is_open(&self) -> bool {
        self.verdict == ComparisonVerdict::Equal && !self.by_text
    }
}

/// An execution about which the models differ.
#[derive(Debug, Clone)]
pub struct ModelDifference {
    /// As the older and the newer model judge it: the same one, unless there is a mapping.
    pub executions: [Execution; 2],
    /// The last write of each location, for each of the two.
    pub finals: [Vec<Option<Event>>; 2],
    /// The number of events, initial writes not counted.
    pub events: usize,
    /// The checks of the other model that it violates, by name.
    pub violated: Vec<String>,
    /// Why the other model forbids it, by the first of them.
    pub violation: Option<Violation>,
    /// What in the two texts makes the difference.
    pub reasons: Vec<RelationReason>,
    /// Does the model that allows it call its program undefined?
    pub undefined: bool,
    /// Of an execution that is forbidden: what follows for its program and outcome. It is racy if
    /// either model says so, and explained if the model that forbids the execution allows the
    /// outcome by another one. `None` where undefined behaviour is what differs.
    pub status: Option<Status>,
}

impl ModelDifference {
    /// The difference, if the judge agrees with the solver.
    pub(super) fn confirmed(
        subjects: Subjects<'_>,
        question: &ComparisonDirection,
        found: Differing,
        level: Level,
        examiners: &mut [Examiner<'_>; 2],
    ) -> Result<Self, SearchFault> {
        let models = subjects.models();
        let executions = executions(&found.witness, subjects).map(Clone::clone);
        for execution in &executions {
            if let Some(wrong) = wellformed::violations(execution).into_iter().next() {
                return Err(SearchFault::Disagreement(format!(
                    "an execution is not well-formed: {wrong}"
                )));
            }
        }
        let (allowing, other) = (models[question.allows], models[question.other]);
        let here = judge(allowing, &executions[question.allows]);
        if !here.consistent {
            return Err(SearchFault::Disagreement(format!(
                "`{}` does not allow an execution that it should",
                allowing.name
            )));
        }
        let there = judge(other, &executions[question.other]);
        // A flag is raised when its test holds; everything else asks that it does.
        let fails = |&i: &usize| there.holds[i] == (other.checks[i].role == Role::Flag);
        let violated: Vec<usize> = question.checks.iter().copied().filter(fails).collect();
        let Some(&first) = violated.first() else {
            return Err(SearchFault::Disagreement(format!(
                "`{}` has nothing against an execution that it should forbid",
                other.name
            )));
        };
        let undefined = allowing
            .checks
            .iter()
            .zip(&here.holds)
            .any(|(c, &holds)| c.is_undefined_behaviour() && holds == (c.role == Role::Flag));
        let violation = explain::violation(other, &executions[question.other], first);
        let reasons = match subjects {
            Subjects::Models(..) => {
                reasons(allowing, other, &executions[0], first, violation.as_ref())
            }
            Subjects::Mapping(_) => Vec::new(),
        };
        let outcome_only = matches!(subjects, Subjects::Models(..)) && level == Level::Program;
        if outcome_only && question.kind == Objection::Forbidden {
            observed([allowing, other], &executions[0], &found.witness.target_finals)?;
        }
        let finals = match subjects {
            Subjects::Models(..) => {
                [found.witness.target_finals.clone(), found.witness.target_finals]
            }
            Subjects::Mapping(_) => [found.witness.finals, found.witness.target_finals],
        };
        let status = (question.kind == Objection::Forbidden).then(|| {
            let of = [0, 1].map(|i| examiners[i].program(&executions[i], &finals[i]).status);
            if of.contains(&Status::Racy) { Status::Racy } else { of[question.other] }
        });
        Ok(Self {
            status,
            events: executions[0].events.iter().filter(|e| e.thread.is_some()).count(),
            executions,
            finals,
            violated: violated.iter().map(|&i| other.checks[i].display_name()).collect(),
            violation,
            reasons,
            undefined,
        })
    }
}

/// Asks the engine of `margay run` whether the first model allows the outcome, and the second one
/// does not.
fn observed(
    models: [&Model; 2],
    execution: &Execution,
    finals: &[Option<Event>],
) -> Result<(), SearchFault> {
    let wrong =
        |what: String| SearchFault::Disagreement(format!("the outcome of a difference: {what}"));
    let test =
        render(execution, "difference", None, finals).map_err(|e| wrong(e.to_string()))?.test;
    for (model, expected) in models.into_iter().zip([true, false]) {
        let verdict = Runner::new(model)
            .run(&test, &Options::default(), Choice::Auto)
            .map_err(|e| wrong(e.to_string()))?;
        if verdict.reachable != expected {
            let verb = if expected { "forbids" } else { "allows" };
            return Err(wrong(format!("`{}` {verb} it\n{test}", model.name)));
        }
    }
    Ok(())
}

/// A comparison.
#[derive(Debug, Clone)]
pub struct CompareReport {
    /// The names of the older and the newer model.
    pub models: [String; 2],
    /// One entry for each question.
    pub questions: Vec<QuestionReport>,
    /// The constructs that executions were made of.
    pub constructs: Vec<String>,
    /// The scopes that their operations had.
    pub scopes: Vec<String>,
    /// Names that a model uses and that no execution of the search has anything of: what it says of
    /// them was not compared.
    pub blind: Vec<&'static str>,
    /// With `certify`: what was written.
    pub certified: Option<WrittenCertificate>,
    /// With `certify`: what could not be written, and so is not in the certificate. The answer
    /// stands without it.
    pub uncertified: Vec<Diagnostic>,
}

impl CompareReport {
    pub(super) fn new(
        subjects: Subjects<'_>,
        extent: &ComparisonExtent,
        questions: &[ComparisonDirection],
    ) -> Self {
        let models = subjects.models();
        let question = |q: &ComparisonDirection| QuestionReport {
            allows: q.allows,
            kind: q.kind,
            verdict: ComparisonVerdict::Equal,
            established: 0,
            by_text: q.fails.is_empty(),
            differences: Vec::new(),
            more: false,
        };
        Self {
            models: models.map(|m| m.name.clone()),
            questions: questions.iter().map(question).collect(),
            constructs: (extent.constructs.iter().map(|c| c.name(models[0].signature)))
                .chain(special_names(extent).map(str::to_owned))
                .collect(),
            scopes: extent.scopes.iter().map(|s| s.name().to_owned()).collect(),
            blind: blind(subjects, extent),
            certified: None,
            uncertified: Vec::new(),
        }
    }

    /// A question in a few words.
    pub fn title(&self, q: usize) -> String {
        let question = &self.questions[q];
        let (allows, other) = (&self.models[question.allows], &self.models[1 - question.allows]);
        match question.kind {
            Objection::Forbidden => format!("allowed by {allows}, forbidden by {other}"),
            Objection::Undefined => format!("defined by {allows}, undefined by {other}"),
        }
    }

    /// What is undecided counts as none.
    pub fn differ(&self) -> bool {
        self.questions.iter().any(|q| matches!(q.verdict, ComparisonVerdict::Different(_)))
    }

    /// Why the answer is not known, if it is not.
    pub fn undecided(&self) -> Option<&str> {
        self.questions.iter().find_map(|q| match &q.verdict {
            ComparisonVerdict::Undecided(why) => Some(why.as_str()),
            ComparisonVerdict::Equal | ComparisonVerdict::Different(_) => None,
        })
    }

    /// Up to how many events the models say the same of every execution; `None` for all.
    pub fn equal_up_to(&self) -> Option<usize> {
        self.questions.iter().filter(|q| !q.by_text).map(|q| q.established).min()
    }
}
