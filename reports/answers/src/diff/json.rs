//! The report as JSON (docs/json.md).

use margay_mappings::compare::{ComparisonVerdict as Searched, RelationReason};
use margay_models::diagnostic::SourcePlace;
use margay_models::picture::event_name;
use margay_reports::{Verdict, diff as report};

use super::present::{DiffContext, PresentedDifference, stem};
use super::proof::proof_of;
use crate::prove::gap;
use crate::prove::rocq::File;
use crate::prove::written::ProofCertificate;
use crate::violation;

fn question(
    q: usize,
    context: &DiffContext<'_>,
    presented: &[PresentedDifference<'_>],
) -> report::DiffQuestion {
    let question = &context.report.questions[q];
    let beyond = context.beyond(q);
    let (verdict, reason) = match &question.verdict {
        _ if beyond.is_some() => (Verdict::Different, None),
        Searched::Equal => (Verdict::None, None),
        Searched::Different(_) => (Verdict::Different, None),
        Searched::Undecided(why) => (Verdict::Undecided, Some(why.clone())),
    };
    report::DiffQuestion {
        kind: stem(q, context).to_owned(),
        allowed_by: context.report.models[question.allows].clone(),
        verdict,
        reason,
        established: (!question.by_text).then_some(question.established),
        events: if let Searched::Different(n) = question.verdict { Some(n) } else { beyond },
        differences: presented.iter().filter(|p| p.question == q).map(difference).collect(),
        more: question.more,
        beyond: proof_of(context.proofs, context.report, q)
            .filter(|_| beyond.is_some())
            .map_or_else(Vec::new, |proof| {
                let gaps = proof.report.goals.iter().filter_map(|g| g.gap.as_ref());
                gaps.filter(|g| g.violated.is_some()).map(gap).collect()
            }),
        theorem: (!context.proofs.is_empty()).then(|| context.proves(q)),
        certificate: proof_of(context.proofs, context.report, q)
            .and_then(|p| p.certified.as_ref())
            .map(ProofCertificate::report),
    }
}

/// The whole report.
pub fn document(
    context: &DiffContext<'_>,
    presented: &[PresentedDifference<'_>],
) -> report::DiffDocument {
    let DiffContext { report, options, .. } = context;
    let models = context.subjects.models();
    let [old, new] = report.models.clone();
    report::DiffDocument {
        old,
        old_file: models[0].source.name.clone(),
        new,
        new_file: models[1].source.name.clone(),
        answer: super::human::answer(context).text(),
        level: options.level.into(),
        verdict: match (report.differ() || context.differs_beyond().is_some(), report.undecided()) {
            (true, _) => Verdict::Different,
            (false, Some(_)) => Verdict::Undecided,
            (false, None) => Verdict::Equal,
        },
        stopped: context.stopped.map(str::to_owned),
        equal_for_every_size: (!context.proofs.is_empty()).then(|| context.is_proved()),
        contradiction: (!context.proofs.is_empty()).then(|| context.contradiction().is_some()),
        empty: context.empty(),
        bound: options.bound,
        equal_up_to: report.equal_up_to(),
        typed: options.typed,
        constructs: report.constructs.clone(),
        scopes: report.scopes.clone(),
        not_compared: report.blind.iter().map(|name| (*name).to_owned()).collect(),
        solver: options.backend.version(),
        seconds: context.seconds,
        questions: (0..report.questions.len()).map(|q| question(q, context, presented)).collect(),
        certificate: crate::certificate::certificate(
            report.certified.as_ref(),
            options.certify.as_deref(),
        ),
        rocq: context.rocq.map(File::document),
    }
}

fn difference(shown: &PresentedDifference<'_>) -> report::DifferenceRecord {
    let d = shown.difference;
    let execution = &d.executions[shown.shown];
    let violation = violation::report(d.violation.as_ref(), &|e| event_name(execution, e));
    report::DifferenceRecord {
        events: d.events,
        threads: execution.threads.len(),
        locations: execution.locations.len(),
        violated: d.violated.clone(),
        status: d.status.map(Into::into),
        undefined: d.undefined,
        litmus: shown.litmus.clone(),
        outcome: shown.outcome.clone(),
        execution: violation::events(execution),
        reasons: d.reasons.iter().zip(&shown.reasons).map(|(r, words)| reason(r, words)).collect(),
        explanation: shown.explanation.clone(),
        svg: shown.svg(),
        cycle: violation.cycle,
        there: violation.there,
        missing: violation.missing,
    }
}

fn reason(reason: &RelationReason, words: &str) -> report::DifferenceReason {
    let place = |p: &SourcePlace| report::ModelLine { file: p.file.name.clone(), line: p.line() };
    let axiom = |name: &str, forbids: &SourcePlace, allows: Option<&SourcePlace>| {
        report::DifferenceReason {
            kind: report::ReasonKind::Axiom,
            name: name.to_owned(),
            relates: None,
            related_by: None,
            forbids: place(forbids),
            allows: allows.map(place),
            words: words.to_owned(),
        }
    };
    match reason {
        RelationReason::Definition { name, relates, by_forbidding, forbids, allows } => {
            report::DifferenceReason {
                kind: report::ReasonKind::Definition,
                relates: Some(relates.clone()),
                related_by: Some(if *by_forbidding {
                    report::DiffSide::Forbids
                } else {
                    report::DiffSide::Allows
                }),
                ..axiom(name, forbids, Some(allows))
            }
        }
        RelationReason::Axiom { name, forbids, allows } => axiom(name, forbids, Some(allows)),
        RelationReason::NoAxiom { name, forbids } => axiom(name, forbids, None),
    }
}
