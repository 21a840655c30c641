//! The report as JSON (docs/json.md).

use margay_mappings::compare::{Reason, Verdict};
use margay_models::bits::Event;
use margay_models::diagnostic::Place;
use margay_models::picture::{event_label, event_name};
use serde_json::{Value, json};

use super::present::{Context, Presented, stem};
use crate::output::SCHEMA;
use crate::violation;

/// The whole report.
pub fn object(context: &Context<'_>, presented: &[Presented<'_>]) -> Value {
    let report = context.report;
    let models = context.subjects.models();
    let verdict = if report.differ() {
        "different"
    } else if report.undecided().is_some() {
        "undecided"
    } else {
        "equal"
    };
    let questions: Vec<Value> = (0..report.questions.len())
        .map(|q| {
            let question = &report.questions[q];
            let (verdict, reason) = match &question.verdict {
                Verdict::Equal => ("none", None),
                Verdict::Different(_) => ("different", None),
                Verdict::Undecided(why) => ("undecided", Some(why)),
            };
            json!({
                "kind": stem(q, context),
                "allowed_by": report.models[question.allows],
                "verdict": verdict,
                "reason": reason,
                "established": (!question.by_text).then_some(question.established),
                "events": if let Verdict::Different(n) = question.verdict { Some(n) } else { None },
                "differences": presented.iter().filter(|p| p.question == q).map(difference).collect::<Vec<_>>(),
                "more": question.more,
                "theorem": (!context.proofs.is_empty()).then(|| context.proves(q)),
            })
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "old": report.models[0],
        "old_file": models[0].source.name,
        "new": report.models[1],
        "new_file": models[1].source.name,
        "level": context.options.level,
        "verdict": verdict,
        "stopped": context.stopped,
        "equal_for_every_size": (!context.proofs.is_empty()).then(|| context.is_proved()),
        "bound": context.options.bound,
        "equal_up_to": report.equal_up_to(),
        "typed": context.options.typed,
        "constructs": report.constructs,
        "scopes": report.scopes,
        "not_compared": report.blind,
        "solver": context.options.backend.version(),
        "seconds": context.seconds,
        "questions": questions,
        "certificate": crate::verify::certificate(report.certified.as_ref(), context.options.certify.as_deref()),
    })
}

fn difference(shown: &Presented<'_>) -> Value {
    let d = shown.difference;
    let execution = &d.executions[shown.shown];
    let name = |e| event_name(execution, e);
    let events: Vec<Value> =
        (0..execution.size()).map(Event::from).map(|e| json!({ "name": name(e), "event": event_label(execution, e) })).collect();
    let mut object = json!({
        "events": d.events,
        "threads": execution.threads.len(),
        "locations": execution.locations.len(),
        "violated": d.violated,
        "status": d.status,
        "undefined": d.undefined,
        "litmus": shown.litmus,
        "outcome": shown.outcome,
        "execution": events,
        "reasons": d.reasons.iter().zip(&shown.reasons).map(|(r, words)| reason(r, words)).collect::<Vec<_>>(),
        "explanation": shown.explanation,
        "svg": shown.svg(),
    });
    violation::insert(&mut object, d.violation.as_ref(), &name);
    object
}

fn reason(reason: &Reason, words: &str) -> Value {
    let place = |p: &Place| json!({ "file": p.file.name, "line": p.line() });
    match reason {
        Reason::Definition { name, relates, by_forbidding, forbids, allows } => json!({
            "kind": "definition", "name": name, "relates": relates, "related_by": if *by_forbidding { "forbids" } else { "allows" },
            "forbids": place(forbids), "allows": place(allows), "words": words,
        }),
        Reason::Axiom { name, forbids, allows } => json!({
            "kind": "axiom", "name": name, "relates": null, "forbids": place(forbids), "allows": place(allows), "words": words,
        }),
        Reason::NoAxiom { name, forbids } => json!({
            "kind": "axiom", "name": name, "relates": null, "forbids": place(forbids), "allows": null, "words": words,
        }),
    }
}
