//! The answer as JSON (docs/json.md).

use margay_models::picture::{svg, text};
use margay_prove::theorem::{Gap, StepReport};
use serde_json::{Value, json};

use super::answer::{Answer, Said};
use super::lemmas::Lemma;
use super::rocq::File;
use super::written::Written;
use crate::check::counterexample_json;
use crate::output::SCHEMA;

/// What is missing.
pub fn gap(gap: &Gap) -> Value {
    json!({
        "what": gap.what,
        "obligation": gap.obligation,
        "events": gap.drawing.as_ref().map(|d| d.picture.events.clone()),
        "edges": gap.drawing.as_ref().map(|d| {
            let name = |e| margay_models::picture::event_name(&d.execution, e);
            d.picture.edges.iter().map(|e| json!({ "from": name(e.from), "to": name(e.to), "relation": e.label })).collect::<Vec<_>>()
        }),
        "text": gap.drawing.as_ref().map(|d| text(&d.execution, &d.picture, 100, false).trim().to_owned()),
        "svg": gap.drawing.as_ref().map(|d| svg(&d.execution, &d.picture)),
    })
}

/// A step of the argument.
pub fn step(step: &StepReport) -> Value {
    json!({
        "claims": step.claims,
        "rule": step.rule,
        "obligations": step.obligations,
        "witnesses": step.witnesses,
        "values": step.values,
        "instances": step.instances,
        "derived": step.derived,
        "empty": step.empty,
    })
}

fn axiom(name: &str, claim: &str, said: &Said<'_>) -> Value {
    json!({
        "axiom": name,
        "claim": claim,
        "verdict": said.word(),
        "events": if let Said::Counterexample(n) = said { Some(*n) } else { None },
        "none_up_to": if let Said::Open(n, _) = said { Some(*n) } else { None },
        "missing": if let Said::Open(_, Some(g)) = said { gap(g) } else { Value::Null },
    })
}

/// The whole answer.
pub fn object(answer: &Answer<'_>, tried: bool) -> Value {
    let whole = answer.whole();
    let goals = &answer.report.goals;
    let axioms: Vec<Value> = answer.axioms().iter().zip(goals).map(|((name, said), g)| axiom(name, &g.claim, said)).collect();
    let guesses = |(of, all): &(String, Vec<(String, bool)>)| json!({ "of": of, "guesses": all.iter().map(|(text, kept)| json!({ "guess": text, "kept": kept })).collect::<Vec<_>>() });
    json!({
        "schema": SCHEMA,
        "margay": env!("CARGO_PKG_VERSION"),
        "mapping": answer.mapping.title,
        "mapping_file": answer.mapping.file.name,
        "source": answer.mapping.source.name,
        "source_file": answer.mapping.source.source.name,
        "target": answer.mapping.target.name,
        "target_file": answer.mapping.target.source.name,
        "level": answer.options.level,
        "co": answer.options.co,
        "typed": answer.options.typed,
        "constructs": answer.search.constructs,
        "solver": answer.options.backend.version(),
        "verdict": whole.word(),
        "contradiction": matches!(whole, Said::Bug),
        "reason": answer.stopped,
        "bound": answer.options.bound,
        "none_up_to": if let Said::Open(n, _) = whole { Some(n) } else { None },
        "axioms": axioms,
        "steps": answer.report.steps.iter().map(step).collect::<Vec<_>>(),
        "lemmas": answer.lemmas.iter().map(Lemma::json).collect::<Vec<_>>(),
        "tried": if tried { answer.report.tried.iter().map(guesses).collect() } else { Value::Null },
        "counterexamples": answer.presented().iter().map(counterexample_json).collect::<Vec<_>>(),
        "certificate": answer.certified.map(Written::json),
        "rocq": answer.rocq.map(File::json),
        "seconds": answer.seconds,
        "search_seconds": answer.report.times.search.as_secs_f64(),
        "proof_seconds": answer.report.times.proof.as_secs_f64(),
        "check_seconds": answer.report.times.check.as_secs_f64(),
        "peak_memory_bytes": crate::limits::peak(),
    })
}
