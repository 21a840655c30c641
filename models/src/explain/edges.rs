//! The base edges of an explanation: the concrete cycle that a picture shows.

use super::derive::is_primary;
use super::{Derivation, Edge, Finding, Reason, Violation};
use crate::diagnostic::Place;

impl Violation {
    /// The base edges, in the order of the cycle: what a picture shows. Relations that only compare two events (`loc`, `sr`, ...)
    /// are left out.
    pub fn edges(&self) -> Vec<Edge> {
        self.edges_with_places().into_iter().map(|(edge, _)| edge).collect()
    }

    /// The base edges, each with the definition or check of the model that makes it.
    pub fn edges_with_places(&self) -> Vec<(Edge, Place)> {
        let mut edges = Vec::new();
        match &self.finding {
            Finding::Cycle(steps) => steps.iter().for_each(|s| s.collect(&self.place, false, &mut edges)),
            Finding::Pair(derivation) => derivation.collect(&self.place, true, &mut edges),
            Finding::Member(_) | Finding::Nothing => {}
        }
        // `po; po` through the same pair twice says no more than once.
        let mut seen = std::collections::BTreeSet::new();
        edges.retain(|(edge, _)| seen.insert(*edge));
        edges
    }
}

impl Derivation {
    /// The base edges, in the order in which they lead from one event to the other.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.walk(false, &mut |edge, _| edges.push(edge), None);
        edges
    }

    fn collect(&self, place: &Place, all: bool, edges: &mut Vec<(Edge, Place)>) {
        self.walk(all, &mut |edge, inner| edges.push((edge, inner.unwrap_or(place).clone())), None);
    }

    /// Visits the base edges; of an intersection only what leads from one event to the other, or `all` of it, if it is not
    /// within a path.
    fn walk(&self, all: bool, visit: &mut dyn FnMut(Edge, Option<&Place>), place: Option<&Place>) {
        match &self.reason {
            Reason::Base(relation) if is_primary(*relation) => {
                visit(Edge { from: self.from, to: self.to, relation: *relation }, place);
            }
            Reason::Base(_) | Reason::Conditions(_) => {}
            Reason::Definition { place, because, .. } => because.walk(all, visit, Some(place)),
            Reason::Path(steps) => steps.iter().for_each(|s| s.walk(false, visit, place)),
            Reason::Both(derivations, _) if all => derivations.iter().for_each(|d| d.walk(all, visit, place)),
            // What leads there is not always what says most: `morally-strong & (release; obs; acquire)`.
            Reason::Both(derivations, _) => {
                let leads = derivations.iter().find(|d| !d.edges().is_empty()).or(derivations.first());
                leads.iter().for_each(|d| d.walk(all, visit, place));
            }
            Reason::Inverse(inner) => inner.walk(all, visit, place),
        }
    }
}
