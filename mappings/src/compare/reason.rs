//! What in the texts of two models makes them differ about an execution: the innermost definitions of the forbidding model that
//! have a pair (or an event) which the definition of the same name in the other model has not.

use margay_models::bits::Event;
use margay_models::diagnostic::Place;
use margay_models::execution::{Execution, Kind};
use margay_models::explain::{Condition, Derivation, Finding, Reason as Step, Violation};
use margay_models::judge::{Value, evaluate};
use margay_models::model::Model;
use margay_models::signature::BaseSet;

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A definition that both models have, and that relates more in the one that forbids the execution.
    Definition {
        /// Its name.
        name: String,
        /// What it relates there, e.g. `F.ACQ_REL;po;W`.
        relates: String,
        /// Where it is in the model that forbids the execution.
        forbids: Place,
        /// Where it is in the model that allows it.
        allows: Place,
    },
    /// The model that allows the execution has no axiom of this name.
    NoAxiom {
        /// The name.
        name: String,
        /// Where the axiom is in the model that forbids the execution.
        forbids: Place,
    },
    /// Both have the axiom, all definitions of one name agree, and what the axiom is about does not.
    Axiom {
        /// The name.
        name: String,
        /// Where it is in the model that forbids the execution.
        forbids: Place,
        /// Where it is in the model that allows it.
        allows: Place,
    },
}

/// The reasons why `allowing` has nothing against what violates a check of `forbidding`.
pub fn reasons(
    allowing: &Model,
    forbidding: &Model,
    execution: &Execution,
    check: usize,
    violation: Option<&Violation>,
) -> Vec<Reason> {
    let search = Search { allowing, forbidding, execution };
    let mut found = Vec::new();
    let steps: &[Derivation] = match violation.map(|v| &v.finding) {
        Some(Finding::Cycle(steps)) => steps,
        Some(Finding::Pair(derivation)) => std::slice::from_ref(derivation),
        Some(Finding::Member(_) | Finding::Nothing) | None => &[],
    };
    for step in steps {
        search.derivation(step, &mut found);
    }
    let mut distinct: Vec<Reason> = Vec::new();
    for reason in found {
        if !distinct.contains(&reason) {
            distinct.push(reason);
        }
    }
    if !distinct.is_empty() {
        return distinct;
    }
    let check = &forbidding.checks[check];
    let (name, forbids) = (check.display_name(), check.place.clone());
    let other = allowing.check_named(&name).map(|i| &allowing.checks[i]).filter(|c| c.role == check.role);
    vec![match other {
        Some(other) => Reason::Axiom { name, forbids, allows: other.place.clone() },
        None => Reason::NoAxiom { name, forbids },
    }]
}

struct Search<'a> {
    allowing: &'a Model,
    forbidding: &'a Model,
    execution: &'a Execution,
}

impl Search<'_> {
    /// Adds the innermost reasons within a derivation; was there any?
    fn derivation(&self, derivation: &Derivation, found: &mut Vec<Reason>) -> bool {
        match &derivation.reason {
            Step::Base(_) => false,
            Step::Definition { name, place, because } => {
                self.derivation(because, found) || self.definition(name, place, derivation, found)
            }
            Step::Path(steps) => steps.iter().fold(false, |any, s| self.derivation(s, found) || any),
            Step::Both(derivations, conditions) => {
                let inner = derivations.iter().fold(false, |any, s| self.derivation(s, found) || any);
                conditions.iter().fold(inner, |any, c| self.condition(c, found) || any)
            }
            Step::Inverse(inner) => self.derivation(inner, found),
            Step::Conditions(conditions) => conditions.iter().fold(false, |any, c| self.condition(c, found) || any),
        }
    }

    /// A definition with a pair that its namesake has not.
    fn definition(&self, name: &str, place: &Place, derivation: &Derivation, found: &mut Vec<Reason>) -> bool {
        let Some(Value::Relation(there)) = evaluate(self.allowing, self.execution, name) else { return false };
        if there.contains(derivation.from, derivation.to) {
            return false;
        }
        self.add(name, place.clone(), self.path(derivation), found)
    }

    /// A condition that names a set or relation which holds there and not in its namesake.
    fn condition(&self, condition: &Condition, found: &mut Vec<Reason>) -> bool {
        let words = condition.text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')));
        let mut any = false;
        for word in words.filter(|w| !w.is_empty()) {
            let Some(definition) = self.forbidding.definition_named(word) else { continue };
            let [here, there] = [self.forbidding, self.allowing].map(|m| evaluate(m, self.execution, word));
            let lost = match (here, there, condition.other) {
                (Some(Value::Set(here)), Some(Value::Set(there)), _) => {
                    let events = [Some(condition.event), condition.other];
                    let lost = |e: &Event| here.contains(*e) && !there.contains(*e);
                    events.into_iter().flatten().find(lost).map(|e| self.kind(e))
                }
                (Some(Value::Relation(here)), Some(Value::Relation(there)), Some(other)) => {
                    let (a, b) = (condition.event, other);
                    let lost = here.contains(a, b) && !there.contains(a, b);
                    lost.then(|| format!("{} -> {}", self.kind(a), self.kind(b)))
                }
                _ => None,
            };
            if let Some(relates) = lost {
                let place = self.forbidding.definition(definition).place.clone();
                any |= self.add(word, place, relates, found);
            }
        }
        any
    }

    fn add(&self, name: &str, forbids: Place, relates: String, found: &mut Vec<Reason>) -> bool {
        let Some(other) = self.allowing.definition_named(name) else { return false };
        let allows = self.allowing.definition(other).place.clone();
        found.push(Reason::Definition { name: name.to_owned(), relates, forbids, allows });
        true
    }

    /// The base edges of a derivation as a .cat file would write them.
    fn path(&self, derivation: &Derivation) -> String {
        let mut text = self.kind(derivation.from);
        let mut at = derivation.from;
        for edge in derivation.edges() {
            let (relation, next) = match (edge.from == at, edge.to == at) {
                (true, _) => (edge.relation.name().to_owned(), edge.to),
                (false, true) => (format!("{}^-1", edge.relation.name()), edge.from),
                (false, false) => return format!("{} -> {}", self.kind(derivation.from), self.kind(derivation.to)),
            };
            text.push_str(&format!(";{relation};{}", self.kind(next)));
            at = next;
        }
        if at == derivation.to { text } else { format!("{} -> {}", self.kind(derivation.from), self.kind(derivation.to)) }
    }

    /// An event as a .cat file would speak of it: `F.ACQ_REL`, `W`.
    fn kind(&self, e: Event) -> String {
        let data = &self.execution.events[e.index()];
        let base = match data.kind {
            Kind::Init => BaseSet::Iw,
            Kind::Read => BaseSet::R,
            Kind::Write => BaseSet::W,
            Kind::Fence | Kind::ProxyFence => BaseSet::F,
            Kind::BarrierArrive | Kind::BarrierWait => BaseSet::B,
        };
        match data.order.tag() {
            "" => base.name().to_owned(),
            tag => format!("{}.{tag}", base.name()),
        }
    }
}
