//! An explanation in words. Base relations and the names that memory models commonly give to their
//! relations have phrases of their own; every other name is written as an arrow.

use super::{Contradiction, Derivation, EventCondition, ExplainedEdge, Link, Reason, Violation};
use crate::bits::Event;
use crate::signature::BaseRelation;

type EventNames<'a> = &'a dyn Fn(Event) -> String;

impl Violation {
    /// The explanation, one line for each step, indented below what it explains.
    pub fn words(&self, name: &dyn Fn(Event) -> String) -> Vec<String> {
        let mut lines = Vec::new();
        match &self.finding {
            Contradiction::Cycle(steps) => steps.iter().for_each(|s| s.lines(name, 0, &mut lines)),
            Contradiction::Pair(derivation) => derivation.lines(name, 0, &mut lines),
            Contradiction::Member(event) => {
                lines.push(format!("{} is such an event", name(*event)))
            }
            Contradiction::Nothing => {
                lines.push("there is no such event or pair of events".to_owned())
            }
        }
        // Where one step ends the next one begins, and what holds of that event is said by both.
        lines.dedup();
        lines
    }

    /// The explanation in one sentence, definitions unfolded once: "b reads from d; d happens
    /// before b because d is sequenced before e and e synchronizes with b".
    pub fn summary(&self, name: &dyn Fn(Event) -> String) -> String {
        match &self.finding {
            Contradiction::Cycle(steps) => {
                let steps = steps.iter().filter(|s| !s.is_condition());
                steps.map(|s| s.sentence(name)).collect::<Vec<_>>().join("; ")
            }
            Contradiction::Pair(derivation) => derivation.sentence(name),
            Contradiction::Member(event) => format!("{} is such an event", name(*event)),
            Contradiction::Nothing => "there is no such event or pair of events".to_owned(),
        }
    }
}

impl Violation {
    /// Its edges in words, in their order: a cycle all around, without the definitions that make it
    /// one.
    pub fn around(&self, name: &dyn Fn(Event) -> String) -> String {
        let sentence = |edge: &ExplainedEdge| {
            let (a, b) = (name(edge.from), name(edge.to));
            match &edge.link {
                Link::Base(relation) => relation.phrase(&a, &b),
                Link::Back(relation) => relation.phrase(&b, &a),
                Link::Other(text) => {
                    known_phrase(text, &a, &b).unwrap_or_else(|| format!("{a} -{text}-> {b}"))
                }
            }
        };
        let edges = self.edges();
        if edges.is_empty() {
            self.summary(name)
        } else {
            edges.iter().map(sentence).collect::<Vec<_>>().join("; ")
        }
    }
}

impl Derivation {
    /// Does it only say what holds of one event?
    fn is_condition(&self) -> bool {
        matches!(self.reason, Reason::Conditions(_)) && self.from == self.to
    }

    /// The step in words, without its reasons.
    fn phrase(&self, name: EventNames<'_>) -> String {
        let (a, b) = (name(self.from), name(self.to));
        match &self.reason {
            Reason::Base(relation) => relation.phrase(&a, &b),
            Reason::Definition { name: definition, because, .. } => {
                match (known_phrase(definition, &a, &b), &because.reason) {
                    (Some(phrase), _) => phrase,
                    // Another name for a base relation.
                    (None, Reason::Base(relation)) => relation.phrase(&a, &b),
                    (None, _) => format!("{a} -{definition}-> {b}"),
                }
            }
            Reason::Path(steps) if steps.is_empty() => format!("{a} is related to itself"),
            Reason::Path(steps) => {
                let steps: Vec<String> =
                    steps.iter().filter(|s| !s.is_condition()).map(|s| s.phrase(name)).collect();
                steps.join(" and ")
            }
            Reason::Both(derivations, _) => {
                derivations.first().map_or(String::new(), |d| d.phrase(name))
            }
            Reason::Inverse(inner) => inner.phrase(name),
            Reason::Conditions(conditions) => {
                conditions.iter().map(|c| c.phrase(name)).collect::<Vec<_>>().join(" and ")
            }
        }
    }

    /// The step and its reasons, one line each.
    fn lines(&self, name: EventNames<'_>, depth: usize, lines: &mut Vec<String>) {
        let indent = "  ".repeat(depth);
        match &self.reason {
            Reason::Base(relation) => {
                lines.push(format!("{indent}{}  [{}]", self.phrase(name), relation.name()))
            }
            Reason::Definition { name: definition, place, because } => {
                let phrase = self.phrase(name);
                if let Reason::Base(relation) = because.reason {
                    lines.push(format!(
                        "{indent}{phrase}  [{definition} = {}, {place}]",
                        relation.name()
                    ));
                } else {
                    lines.push(format!("{indent}{phrase}, because  [{definition}, {place}]"));
                    because.lines(name, depth + 1, lines);
                }
            }
            Reason::Path(steps) if steps.is_empty() => {
                lines.push(format!("{indent}{}", self.phrase(name)))
            }
            Reason::Conditions(conditions) if conditions.is_empty() => {
                lines.push(format!("{indent}{}", self.phrase(name)))
            }
            Reason::Path(steps) => steps.iter().for_each(|s| s.lines(name, depth, lines)),
            Reason::Both(derivations, conditions) => {
                derivations.iter().for_each(|d| d.lines(name, depth, lines));
                conditions.iter().for_each(|c| lines.push(format!("{indent}{}", c.phrase(name))));
            }
            Reason::Inverse(inner) => inner.lines(name, depth, lines),
            Reason::Conditions(conditions) => {
                conditions.iter().for_each(|c| lines.push(format!("{indent}{}", c.phrase(name))))
            }
        }
    }

    /// The step, and what its definition says once unfolded.
    fn sentence(&self, name: EventNames<'_>) -> String {
        let phrase = self.phrase(name);
        let mut inner = self;
        while let Reason::Both(derivations, _) = &inner.reason {
            let Some(first) = derivations.first() else { break };
            inner = first;
        }
        match &inner.reason {
            Reason::Definition { because, .. } => {
                let because = because.phrase(name);
                if because.is_empty() || because == phrase {
                    phrase
                } else {
                    format!("{phrase} because {because}")
                }
            }
            _ => phrase,
        }
    }
}

impl EventCondition {
    fn phrase(&self, name: EventNames<'_>) -> String {
        let base = BaseRelation::ALL.iter().copied().find(|r| r.name() == self.text);
        if let (Some(relation), Some(other), true) = (base, self.other, self.holds) {
            return relation.phrase(&name(self.event), &name(other));
        }
        let (event, text) = (name(self.event), &self.text);
        match (self.other, self.holds) {
            (None, true) if text == "IW" => format!("{event} is an initial write"),
            (None, true) => format!("{event} is in {text}"),
            (None, false) => format!("{event} is not in {text}"),
            (Some(other), true) => format!("{event} and {} are related by {text}", name(other)),
            (Some(other), false) => {
                format!("{event} and {} are not related by {text}", name(other))
            }
        }
    }
}

/// The phrase for a name that many models use for the same thing.
fn known_phrase(definition: &str, a: &str, b: &str) -> Option<String> {
    let simplified: String = definition.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    Some(match simplified.to_lowercase().as_str() {
        "hb" | "happensbefore" => format!("{a} happens before {b}"),
        "sw" | "synchronizeswith" | "synchronizes" => format!("{a} synchronizes with {b}"),
        "asw" | "additionalsynchronizeswith" => format!("{a} additionally synchronizes with {b}"),
        "eco" => format!("{a} is before {b} in extended coherence order"),
        "cause" | "causality" | "causalityorder" => format!("{a} is before {b} in causality order"),
        "causebase" | "basecausality" => format!("{a} is before {b} in base causality order"),
        "obs" | "observation" => format!("{b} observes {a}"),
        "rs" | "releasesequence" => format!("{b} is in the release sequence of {a}"),
        "race" | "datarace" => format!("{a} and {b} race"),
        "conflict" => format!("{a} and {b} conflict"),
        "rb" | "fr" => format!("{a} reads a value that {b} overwrites"),
        _ => return None,
    })
}
