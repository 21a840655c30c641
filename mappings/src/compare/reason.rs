//! What in the texts of two models makes them differ about an execution: the innermost definitions
//! on the way to a violation that have a pair (or an event) which the definition of the same name
//! in the other model has not.

use margay_models::bits::Event;
use margay_models::diagnostic::SourcePlace;
use margay_models::execution::{Execution, Kind};
use margay_models::explain::{
    Contradiction, Derivation, EventCondition, Reason as Step, Violation, derivation,
};
use margay_models::judge::{JudgedValue, evaluate};
use margay_models::model::Model;
use margay_models::signature::BaseSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelationReason {
    /// A definition that both models have, and that relates more in one of them.
    Definition {
        name: String,
        /// What it relates there, e.g. `F.ACQ_REL;po;W`.
        relates: String,
        /// Is it the model that forbids the execution in which it relates that?
        by_forbidding: bool,
        /// Where it is in the model that forbids the execution.
        forbids: SourcePlace,
        /// Where it is in the model that allows it.
        allows: SourcePlace,
    },
    /// The model that allows the execution has no axiom of this name.
    NoAxiom {
        name: String,
        /// Where the axiom is in the model that forbids the execution.
        forbids: SourcePlace,
    },
    /// Both have the axiom, all definitions of one name agree, and what the axiom is about does
    /// not.
    Axiom {
        name: String,
        /// Where it is in the model that forbids the execution.
        forbids: SourcePlace,
        /// Where it is in the model that allows it.
        allows: SourcePlace,
    },
}

/// The reasons why `allowing` has nothing against what violates a check of `forbidding`.
pub fn reasons(
    allowing: &Model,
    forbidding: &Model,
    execution: &Execution,
    check: usize,
    violation: Option<&Violation>,
) -> Vec<RelationReason> {
    let search = ReasonSearch { lacks: allowing, has: forbidding, execution, by_forbidding: true };
    let mut found = Vec::new();
    let steps: &[Derivation] = match violation.map(|v| &v.finding) {
        Some(Contradiction::Cycle(steps)) => steps,
        Some(Contradiction::Pair(derivation)) => std::slice::from_ref(derivation),
        Some(Contradiction::Member(_) | Contradiction::Nothing) | None => &[],
    };
    for step in steps {
        search.derivation(step, &mut found);
    }
    let mut distinct: Vec<RelationReason> = Vec::new();
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
    let other =
        allowing.check_named(&name).map(|i| &allowing.checks[i]).filter(|c| c.role == check.role);
    vec![match other {
        Some(other) => RelationReason::Axiom { name, forbids, allows: other.place.clone() },
        None => RelationReason::NoAxiom { name, forbids },
    }]
}

/// Does one of them find something? All of them are asked.
fn each<T>(items: impl IntoIterator<Item = T>, mut finds: impl FnMut(T) -> bool) -> bool {
    items.into_iter().map(&mut finds).filter(|&found| found).count() > 0
}

/// Looks for what one model relates and the other does not.
#[derive(Clone, Copy)]
struct ReasonSearch<'a> {
    /// The model that relates less.
    lacks: &'a Model,
    /// The model whose derivation is looked through.
    has: &'a Model,
    execution: &'a Execution,
    /// Is the latter the one that forbids the execution?
    by_forbidding: bool,
}

impl ReasonSearch<'_> {
    /// Adds the innermost reasons within a derivation; was there any?
    fn derivation(self, derivation: &Derivation, found: &mut Vec<RelationReason>) -> bool {
        match &derivation.reason {
            Step::Base(_) => false,
            Step::Definition { name, place, because } => {
                self.derivation(because, found) || self.definition(name, place, derivation, found)
            }
            Step::Path(steps) => each(steps, |s| self.derivation(s, found)),
            Step::Both(derivations, conditions) => {
                let inner = each(derivations, |s| self.derivation(s, found));
                each(conditions, |c| self.condition(c, found)) || inner
            }
            Step::Inverse(inner) => self.derivation(inner, found),
            Step::Conditions(conditions) => each(conditions, |c| self.condition(c, found)),
        }
    }

    /// A definition with a pair that its namesake has not.
    fn definition(
        self,
        name: &str,
        place: &SourcePlace,
        derivation: &Derivation,
        found: &mut Vec<RelationReason>,
    ) -> bool {
        let Some(JudgedValue::Relation(there)) = evaluate(self.lacks, self.execution, name) else {
            return false;
        };
        if there.contains(derivation.from, derivation.to) {
            return false;
        }
        self.add(name, place.clone(), self.path(derivation), found)
    }

    /// A condition that names a set or relation which holds for its events and not in its namesake.
    /// What a condition denies must be related by the other model to make a difference.
    fn condition(self, condition: &EventCondition, found: &mut Vec<RelationReason>) -> bool {
        let search = match condition.holds {
            true => self,
            false => ReasonSearch {
                lacks: self.has,
                has: self.lacks,
                by_forbidding: !self.by_forbidding,
                ..self
            },
        };
        let words =
            condition.text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')));
        // The sign in `hb^-1` is no part of a name.
        let words = words.filter(|w| !w.is_empty() && !w.starts_with('-'));
        each(words, |word| search.named(word, condition, found))
    }

    fn named(
        self,
        word: &str,
        condition: &EventCondition,
        found: &mut Vec<RelationReason>,
    ) -> bool {
        let Some(definition) = self.has.definition_named(word) else { return false };
        let [has, lacks] = [self.has, self.lacks].map(|m| evaluate(m, self.execution, word));
        match (has, lacks) {
            (Some(JudgedValue::Set(has)), Some(JudgedValue::Set(lacks))) => {
                let events = [Some(condition.event), condition.other].into_iter().flatten();
                let Some(event) =
                    events.into_iter().find(|&e| has.contains(e) && !lacks.contains(e))
                else {
                    return false;
                };
                self.add(
                    word,
                    self.has.definition(definition).place.clone(),
                    self.kind(event),
                    found,
                )
            }
            (Some(JudgedValue::Relation(has)), Some(JudgedValue::Relation(lacks))) => {
                let Some(other) = condition.other else { return false };
                let pairs = [(condition.event, other), (other, condition.event)];
                let Some((a, b)) =
                    pairs.into_iter().find(|&(a, b)| has.contains(a, b) && !lacks.contains(a, b))
                else {
                    return false;
                };
                derivation(self.has, self.execution, word, a, b).is_some_and(|why| {
                    // A relation that is only named here has no step of its own in its derivation.
                    self.derivation(&why, found)
                        || self.add(
                            word,
                            self.has.definition(definition).place.clone(),
                            self.path(&why),
                            found,
                        )
                })
            }
            _ => false,
        }
    }

    fn add(
        self,
        name: &str,
        here: SourcePlace,
        relates: String,
        found: &mut Vec<RelationReason>,
    ) -> bool {
        let Some(other) = self.lacks.definition_named(name) else { return false };
        let there = self.lacks.definition(other).place.clone();
        let (forbids, allows) = if self.by_forbidding { (here, there) } else { (there, here) };
        found.push(RelationReason::Definition {
            name: name.to_owned(),
            relates,
            by_forbidding: self.by_forbidding,
            forbids,
            allows,
        });
        true
    }

    /// The base edges of a derivation as a .cat file would write them.
    fn path(self, derivation: &Derivation) -> String {
        let mut text = self.kind(derivation.from);
        for edge in derivation.edges() {
            if !edge.link.is_drawn() {
                return format!("{} -> {}", self.kind(derivation.from), self.kind(derivation.to));
            }
            text.push_str(&format!(";{};{}", edge.link.name(), self.kind(edge.to)));
        }
        text
    }

    /// An event as a .cat file would speak of it: `F.ACQ_REL`, `W`.
    fn kind(self, e: Event) -> String {
        let data = &self.execution.events[e.index()];
        let base = match data.kind {
            Kind::Init => BaseSet::Iw,
            Kind::Read => BaseSet::R,
            Kind::Write => BaseSet::W,
            Kind::Fence | Kind::ProxyFence => BaseSet::F,
            Kind::BarrierArrive | Kind::BarrierWait => BaseSet::B,
            Kind::AsyncWait => BaseSet::Universe,
        };
        match data.order.tag() {
            "" => base.name().to_owned(),
            tag => format!("{}.{tag}", base.name()),
        }
    }
}
