//! A difference made presentable: litmus tests, outcome, words and pictures.

use margay_litmus::render::render;
use margay_mappings::compare::{
    CompareOptions, CompareReport, ModelDifference, Objection, RelationReason, Subjects,
};
use margay_models::picture::{Picture, dot, event_name, svg};

use super::proof::{DiffProof, ProofObjection, against, beyond, is_proved};
use crate::check::outcome_of;
use crate::prove::rocq::File;

/// What the whole report is about.
pub struct DiffContext<'a> {
    /// What was compared.
    pub subjects: Subjects<'a>,
    /// What was asked.
    pub options: &'a CompareOptions,
    /// What was found.
    pub report: &'a CompareReport,
    /// What stopped the search, if anything did.
    pub stopped: Option<&'static str>,
    /// Seconds since the start.
    pub seconds: f64,
    /// With `--prove`: what was proved.
    pub proofs: &'a [DiffProof<'a>],
    /// With `--rocq`: the file.
    pub rocq: Option<&'a File>,
}

impl<'a> DiffContext<'a> {
    /// The differences, question by question, made presentable.
    pub fn presented(&self) -> Vec<PresentedDifference<'a>> {
        let questions = self.report.questions.iter().enumerate();
        let all =
            questions.flat_map(|(q, question)| question.differences.iter().map(move |d| (q, d)));
        all.map(|(q, difference)| PresentedDifference::new(self, q, difference)).collect()
    }

    /// Is it proved that there is no difference, of any size?
    pub fn is_proved(&self) -> bool {
        !self.proofs.is_empty()
            && !self.report.differ()
            && (0..self.report.questions.len()).all(|q| self.proves(q))
    }

    /// The events of a difference of which a proof says that there is none.
    pub fn contradiction(&self) -> Option<usize> {
        let all = self.proofs.iter().filter_map(|proof| match against(proof, self.report) {
            Some(ProofObjection::Difference(events)) => Some(events),
            Some(ProofObjection::Unsearched) | None => None,
        });
        all.min()
    }

    /// Why a proof proves nothing: no execution satisfies what it supposes, or none was found.
    pub fn empty(&self) -> Vec<String> {
        let of = |proof: &DiffProof<'_>| {
            let what = proof.report.premises.empty.as_ref()?;
            Some(format!("of {}, {what}: nothing was proved", self.report.models[proof.allows]))
        };
        self.proofs.iter().filter_map(of).collect()
    }

    /// The events of an execution that answers a question, where only the proof has one.
    pub fn beyond(&self, q: usize) -> Option<usize> {
        beyond(self.proofs, self.report, self.options, q)
    }

    /// Where the search found no difference, the events of the smallest that a proof has.
    pub fn differs_beyond(&self) -> Option<usize> {
        (0..self.report.questions.len())
            .filter_map(|q| self.beyond(q))
            .min()
            .filter(|_| !self.report.differ())
    }

    /// Is it proved of this question?
    pub fn proves(&self, q: usize) -> bool {
        is_proved(self.proofs, self.report, q)
    }
}

/// A difference with everything that is shown of it.
pub struct PresentedDifference<'a> {
    /// The question that it answers.
    pub question: usize,
    pub difference: &'a ModelDifference,
    /// The program and outcome; with a mapping also what it is compiled to.
    pub litmus: Vec<String>,
    pub outcome: String,
    /// What in the texts makes the difference, in sentences.
    pub reasons: Vec<String>,
    /// Why the other model forbids the execution, line by line.
    pub explanation: Vec<String>,
    /// The execution with the violated cycle.
    pub picture: Picture,
    /// The index of the execution that the picture shows.
    pub shown: usize,
}

impl<'a> PresentedDifference<'a> {
    /// Renders a difference.
    pub fn new(context: &DiffContext<'_>, q: usize, difference: &'a ModelDifference) -> Self {
        let question = &context.report.questions[q];
        let [allows, other] =
            [question.allows, 1 - question.allows].map(|i| context.report.models[i].as_str());
        let verdict = match question.kind {
            Objection::Forbidden => "forbidden",
            Objection::Undefined => "undefined",
        };
        let violated = difference.violated.join(", ");
        let number = question
            .differences
            .iter()
            .position(|d| std::ptr::eq(d, difference))
            .map_or(1, |i| i + 1);
        let name = format!("{}-{number}", stem(q, context));
        let description = format!("allowed by {allows}, {verdict} by {other} ({violated})");
        let sides: &[usize] = match context.subjects {
            Subjects::Models(..) => &[0],
            Subjects::Mapping(_) => &[0, 1],
        };
        let tests: Vec<Result<String, String>> = sides
            .iter()
            .map(|&i| {
                let rendered = render(
                    &difference.executions[i],
                    &name,
                    Some(&description),
                    &difference.finals[i],
                );
                rendered
                    .map(|r| r.test.to_string().trim_end().to_owned())
                    .map_err(|e| e.to_string())
            })
            .collect();
        let shown = match context.subjects {
            Subjects::Models(..) => 0,
            Subjects::Mapping(_) => 1 - question.allows,
        };
        let execution = &difference.executions[shown];
        let names = |e| event_name(execution, e);
        let violation = difference.violation.as_ref();
        Self {
            question: q,
            difference,
            outcome: tests
                .first()
                .and_then(|t| t.as_ref().ok())
                .map_or_else(String::new, |t| outcome_of(t)),
            litmus: tests
                .into_iter()
                .map(|t| t.unwrap_or_else(|e| format!("(this execution has no litmus test: {e})")))
                .collect(),
            reasons: difference
                .reasons
                .iter()
                .map(|r| sentence(r, question.allows == 1, &stem(q, context).replace('-', " ")))
                .collect(),
            explanation: violation.map(|v| v.words(&names)).unwrap_or_default(),
            picture: Picture::of(
                &format!("{verdict} by {other}: {violated}"),
                execution,
                violation,
            ),
            shown,
        }
    }

    /// The picture as a graph for Graphviz.
    pub fn dot(&self) -> String {
        dot(&self.difference.executions[self.shown], &self.picture)
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        svg(&self.difference.executions[self.shown], &self.picture)
    }
}

/// What the files and tests of a question are called.
pub fn stem(q: usize, context: &DiffContext<'_>) -> &'static str {
    let question = &context.report.questions[q];
    match (question.kind, question.allows) {
        (Objection::Forbidden, 1) => "newly-allowed",
        (Objection::Forbidden, _) => "newly-forbidden",
        (Objection::Undefined, 1) => "newly-defined",
        (Objection::Undefined, _) => "newly-undefined",
    }
}

/// A reason in words; `lost` if it is the newer model that allows the execution, `newly` what it
/// makes of it.
fn sentence(reason: &RelationReason, lost: bool, newly: &str) -> String {
    match (reason, lost) {
        (RelationReason::Definition { name, relates, by_forbidding, forbids, allows }, lost) => {
            let (has, lacks) = if *by_forbidding { (forbids, allows) } else { (allows, forbids) };
            // The newer model allows what the older one forbade.
            if *by_forbidding == lost {
                format!("{newly} because {lacks} (`{name}`) no longer has {relates}, as {has} does")
            } else {
                format!("{newly} because {has} (`{name}`) now has {relates}, which {lacks} has not")
            }
        }
        (RelationReason::NoAxiom { name, forbids }, true) => {
            format!("{newly} because the axiom `{name}` ({forbids}) is gone")
        }
        (RelationReason::NoAxiom { name, forbids }, false) => {
            format!("{newly} because of the axiom `{name}` ({forbids})")
        }
        (RelationReason::Axiom { name, forbids, allows }, true) => {
            format!("{newly} because the axiom `{name}` ({allows}) asks for less than at {forbids}")
        }
        (RelationReason::Axiom { name, forbids, allows }, false) => {
            format!("{newly} because the axiom `{name}` ({forbids}) asks for more than at {allows}")
        }
    }
}
