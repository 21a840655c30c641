//! The matrix as JSON (docs/json.md).

use margay_mappings::check::Verdict;
use serde_json::{Value, json};

use super::{Cell, Mended};
use crate::output::SCHEMA;

/// The whole report.
pub fn object(cells: &[Cell], mended: &[Mended], stopped: Option<&str>) -> Value {
    let answers: Vec<Value> = cells
        .iter()
        .map(|c| {
            let (verdict, why) = match &c.verdict {
                Verdict::None => ("none", None),
                Verdict::Counterexample => ("counterexample", None),
                Verdict::Undecided(why) => ("undecided", Some(why)),
            };
            let found = c.found.as_ref();
            json!({
                "mapping": c.question.mapping, "source": c.question.source, "target": c.question.target,
                "level": c.question.level, "verdict": verdict, "reason": why, "bound": c.established,
                "status": found.map(|f| f.status), "seconds": c.seconds, "axiom": found.map(|f| &f.axiom), "events": found.map(|f| f.events),
                "source_litmus": found.map(|f| &f.source), "target_litmus": found.map(|f| &f.target),
                "source_cuda": found.and_then(|f| f.cuda.as_ref()), "outcome": found.map(|f| &f.outcome),
            })
        })
        .collect();
    let repairs: Vec<Value> = mended
        .iter()
        .map(|m| {
            let found: Vec<Value> =
                m.report.repairs.iter().map(|r| json!({ "price": r.cost + u64::from(r.steps), "cost": r.cost, "steps": r.steps, "rows": super::page::changes(m, r) })).collect();
            json!({
                "mapping": m.question.mapping, "source": m.question.source, "target": m.question.target, "bound": m.bound,
                "repairs": found, "reason": m.report.stopped,
            })
        })
        .collect();
    json!({ "schema": SCHEMA, "complete": stopped.is_none(), "answers": answers, "repairs": repairs })
}
