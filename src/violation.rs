//! What contradicts an axiom, as JSON: the cycle, or what is there and what is missing (docs/json.md).

use margay_models::bits::Event;
use margay_models::explain::{Edge, Violation};
use serde_json::{Value, json};

/// The edges as JSON: `from`, `to`, `relation`.
fn edges<'a>(edges: impl IntoIterator<Item = &'a Edge>, name: &dyn Fn(Event) -> String) -> Vec<Value> {
    let edge = |e: &Edge| json!({ "from": name(e.from), "to": name(e.to), "relation": e.link.name() });
    edges.into_iter().map(edge).collect()
}

/// Adds `cycle`, `there` and `missing` to an object: a cycle has no `there`, a pair no `cycle`.
pub fn insert(object: &mut Value, violation: Option<&Violation>, name: &dyn Fn(Event) -> String) {
    let shown = violation.map(Violation::edges).unwrap_or_default();
    let (cycle, there) = if violation.is_some_and(Violation::is_cycle) { (shown, Vec::new()) } else { (Vec::new(), shown) };
    object["cycle"] = edges(&cycle, name).into();
    object["there"] = edges(&there, name).into();
    object["missing"] = edges(&violation.map(Violation::missing).unwrap_or_default(), name).into();
}
