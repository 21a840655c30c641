//! Events, and what contradicts an axiom, as parts of documents: the cycle, or what is there and
//! what is missing (docs/json.md).

use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::explain::{ExplainedEdge, Violation};
use margay_models::picture::{event_label, event_name};
use margay_reports::violation as report;

fn edges<'a>(
    edges: impl IntoIterator<Item = &'a ExplainedEdge>,
    name: &dyn Fn(Event) -> String,
) -> Vec<report::EdgeRecord> {
    let edge = |e: &ExplainedEdge| report::EdgeRecord {
        from: name(e.from),
        to: name(e.to),
        relation: e.link.name(),
    };
    edges.into_iter().map(edge).collect()
}

/// A cycle has no `there`, a pair no `cycle`.
pub fn report(
    violation: Option<&Violation>,
    name: &dyn Fn(Event) -> String,
) -> report::ViolationRecord {
    let shown = violation.map(Violation::edges).unwrap_or_default();
    let (cycle, there) = if violation.is_some_and(Violation::is_cycle) {
        (shown, Vec::new())
    } else {
        (Vec::new(), shown)
    };
    let missing = violation.map(Violation::missing).unwrap_or_default();
    report::ViolationRecord {
        cycle: edges(&cycle, name),
        there: edges(&there, name),
        missing: edges(&missing, name),
    }
}

pub fn events(x: &Execution) -> Vec<report::EventRecord> {
    let all = (0..x.size()).map(Event::from);
    all.map(|e| report::EventRecord { name: event_name(x, e), event: event_label(x, e) }).collect()
}
