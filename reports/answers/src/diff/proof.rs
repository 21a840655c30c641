//! `margay diff --prove`: beside the search for differences, a proof that there are none in executions of any size.

use margay_mappings::compare::{CompareReport, Objection, Subjects};
use margay_models::diagnostic::Diagnostic;
use margay_models::model::{Model, Role};
use margay_prove::theorem::{Report, Setting};

/// Of one model, that each of its executions is one of the other.
pub struct Proof {
    /// The model whose executions are spoken of: 0 the older one, 1 the newer one.
    pub allows: usize,
    /// What came of it.
    pub report: Report,
}

/// What is to be proved, the older model's executions first.
///
/// # Errors
/// Models of two languages, axioms of a form that no rule covers.
pub fn settings<'a>(subjects: Subjects<'a>) -> Result<Vec<Setting<'a>>, Vec<Diagnostic>> {
    let Subjects::Models(old, new) = subjects else { return Ok(Vec::new()) };
    [(old, new), (new, old)]
        .into_iter()
        .map(|(supposed, claimed)| Setting::of_models(supposed, claimed, &axioms(claimed)))
        .collect()
}

fn axioms(model: &Model) -> Vec<usize> {
    (0..model.checks.len()).filter(|&i| model.checks[i].role == Role::Axiom).collect()
}

/// Does the answer to a question hold in executions of every size?
pub fn is_proved(proofs: &[Proof], report: &CompareReport, q: usize) -> bool {
    let question = &report.questions[q];
    let proved = |p: &Proof| p.allows == question.allows && p.report.is_theorem();
    question.by_text || question.kind == Objection::Forbidden && proofs.iter().any(proved)
}
