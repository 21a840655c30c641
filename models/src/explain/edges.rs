//! The base edges of an explanation: the concrete cycle that a picture shows, or what is there and
//! what is missing.

use super::{Contradiction, Derivation, EventCondition, ExplainedEdge, Link, Reason, Violation};
use crate::bits::Event;
use crate::diagnostic::SourcePlace;
use crate::signature::BaseRelation;

/// An edge, and the definition or check of the model that makes it.
type Placed = (ExplainedEdge, SourcePlace);

impl Violation {
    /// The base edges: of a cycle all of it, in its order, so that each edge starts where the one
    /// before ends and the last one leads back ([`is_closed`]); of a pair that an `empty` axiom
    /// forbids what makes the pair. Reads-from backwards and then coherence order is one from-reads
    /// edge. Nothing where there is no pair to show.
    pub fn edges(&self) -> Vec<ExplainedEdge> {
        self.edges_with_places().into_iter().map(|(edge, _)| edge).collect()
    }

    /// The base edges, each with the definition or check of the model that makes it.
    pub fn edges_with_places(&self) -> Vec<Placed> {
        let mut edges = Vec::new();
        match &self.finding {
            Contradiction::Cycle(steps) => {
                steps.iter().for_each(|s| s.walk(&self.place, &mut edges));
                // The cycle may have been cut between the two halves of a from-reads edge.
                if let (Some((first, _)), Some((last, _))) = (edges.first(), edges.last())
                    && spelt(last, first).is_some()
                {
                    edges.rotate_right(1);
                }
                merged(edges)
            }
            Contradiction::Pair(derivation) => {
                for part in derivation.root().parts() {
                    let mut walk = Vec::new();
                    part.walk(part.place_or(&self.place), &mut walk);
                    // What only compares two events says nothing by itself; where all of a
                    // definition does, its name says it. What relates an event to itself by nothing
                    // else is no edge.
                    walk.retain(|(edge, _)| edge.link.is_drawn());
                    if let Reason::Definition { name, place, .. } = &part.reason
                        && walk.is_empty()
                        && part.from != part.to
                    {
                        walk.push((
                            ExplainedEdge {
                                from: part.from,
                                to: part.to,
                                link: Link::Other(name.clone()),
                            },
                            place.clone(),
                        ));
                    }
                    edges.extend(merged(walk));
                }
                // Two parts may share an edge.
                let mut seen = std::collections::BTreeSet::new();
                edges.retain(|(edge, _)| seen.insert(edge.clone()));
                edges
            }
            Contradiction::Member(_) | Contradiction::Nothing => edges,
        }
    }

    /// For a pair that an `empty` axiom forbids: what it lacks (`empty r \ s`), from the one event
    /// to the other.
    pub fn missing(&self) -> Vec<ExplainedEdge> {
        let Contradiction::Pair(derivation) = &self.finding else { return Vec::new() };
        let mut missing = Vec::new();
        derivation.root().lacks(&mut missing);
        missing.dedup();
        missing
    }

    /// Is it a cycle that is shown? Else it is a pair, an event or nothing.
    pub fn is_cycle(&self) -> bool {
        matches!(self.finding, Contradiction::Cycle(_))
    }
}

/// Does each edge start where the one before ends, and the first one where the last one ends?
pub fn is_closed(edges: &[ExplainedEdge]) -> bool {
    (0..edges.len()).all(|i| edges[i].to == edges[(i + 1) % edges.len()].from)
}

/// The base relation that two edges behind each other spell out: `fr` is `rf^-1; co`.
fn spelt(first: &ExplainedEdge, second: &ExplainedEdge) -> Option<BaseRelation> {
    match (&first.link, &second.link) {
        (&Link::Back(back), &Link::Base(on)) if first.to == second.from => {
            BaseRelation::back_and_on(back, on)
        }
        _ => None,
    }
}

/// The same way with what spells out a base relation, from-reads, in one piece.
fn merged(edges: Vec<Placed>) -> Vec<Placed> {
    let mut out: Vec<Placed> = Vec::new();
    for (edge, place) in edges {
        if let Some((last, _)) = out.last_mut()
            && let Some(relation) = spelt(last, &edge)
        {
            *last = ExplainedEdge { from: last.from, to: edge.to, link: Link::Base(relation) };
        } else {
            out.push((edge, place));
        }
    }
    out
}

impl Derivation {
    /// The edges that lead from one event to the other, in order: each starts where the one before
    /// ends.
    pub fn edges(&self) -> Vec<ExplainedEdge> {
        let mut edges = Vec::new();
        self.way(None, &mut |edge, _| edges.push(edge));
        edges
    }

    /// How many base edges there are to read.
    pub(super) fn drawn(&self) -> usize {
        self.edges().iter().filter(|e| e.link.is_drawn()).count()
    }

    fn walk(&self, place: &SourcePlace, edges: &mut Vec<Placed>) {
        self.way(None, &mut |edge, inner| edges.push((edge, inner.unwrap_or(place).clone())));
    }

    /// Visits the edges from one event to the other. Of an intersection one part is enough, one
    /// that goes along base edges if there is such a part: what leads there is not always what says
    /// most (`morally-strong & (release; obs; acquire)`).
    fn way<'a>(
        &'a self,
        place: Option<&'a SourcePlace>,
        visit: &mut dyn FnMut(ExplainedEdge, Option<&'a SourcePlace>),
    ) {
        let edge = |link| ExplainedEdge { from: self.from, to: self.to, link };
        match &self.reason {
            Reason::Base(relation) if relation.leads() || self.from != self.to => {
                visit(edge(Link::Base(*relation)), place)
            }
            Reason::Base(_) => {}
            Reason::Conditions(_) if self.from == self.to => {}
            Reason::Conditions(conditions) => {
                visit(edge(Link::Other(self.product(conditions))), place)
            }
            // Nothing leads there but what its two events are: the name says that in a word.
            Reason::Definition { name, place, because }
                if self.from != self.to && matches!(because.reason, Reason::Conditions(_)) =>
            {
                visit(edge(Link::Other(name.clone())), Some(place));
            }
            Reason::Definition { place, because, .. } => because.way(Some(place), visit),
            Reason::Path(steps) => steps.iter().for_each(|s| s.way(place, visit)),
            Reason::Both(parts, _) => {
                let drawn = |d: &&Derivation| {
                    let edges = d.edges();
                    !edges.is_empty() && edges.iter().all(|e| e.link.is_drawn())
                };
                let part = parts
                    .iter()
                    .find(drawn)
                    .or_else(|| parts.iter().find(|d| !d.edges().is_empty()))
                    .or(parts.first());
                if let Some(part) = part {
                    part.way(place, visit);
                }
            }
            Reason::Inverse(inner) => {
                let mut back = Vec::new();
                inner.way(place, &mut |edge, place| back.push((edge, place)));
                back.into_iter().rev().for_each(|(edge, place)| visit(edge.turned(), place));
            }
        }
    }

    /// Conditions on the two events as a .cat file writes them: `W * (R & SC)`, and with `&` what
    /// is asked of both.
    fn product(&self, conditions: &[EventCondition]) -> String {
        let sets = |event| {
            let of_event = conditions.iter().filter(|c| c.other.is_none() && c.event == event);
            let bracketed =
                |text: &str| if text.contains(' ') { format!("({text})") } else { text.to_owned() };
            let texts: Vec<String> = of_event.map(|c| bracketed(&c.text)).collect();
            match texts.as_slice() {
                [] => "_".to_owned(),
                [text] => text.clone(),
                texts => format!("({})", texts.join(" & ")),
            }
        };
        let product = format!("{} * {}", sets(self.from), sets(self.to));
        let pairs: Vec<&str> =
            conditions.iter().filter(|c| c.other.is_some()).map(|c| c.text.as_str()).collect();
        match pairs.is_empty() {
            true => product,
            false if product == "_ * _" => pairs.join(" & "),
            false => format!("({product}) & {}", pairs.join(" & ")),
        }
    }

    /// What the axiom says itself: `empty race` is about what `race` says, and not about what the
    /// definitions in it do.
    fn root(&self) -> &Derivation {
        match &self.reason {
            Reason::Definition { because, .. }
                if matches!(because.reason, Reason::Both(..) | Reason::Definition { .. }) =>
            {
                because.root()
            }
            _ => self,
        }
    }

    /// What holds at once of the pair itself.
    fn parts(&self) -> Vec<&Derivation> {
        match &self.reason {
            Reason::Both(parts, _) => parts.iter().flat_map(Derivation::parts).collect(),
            _ => vec![self],
        }
    }

    fn place_or<'a>(&'a self, otherwise: &'a SourcePlace) -> &'a SourcePlace {
        if let Reason::Definition { place, .. } = &self.reason { place } else { otherwise }
    }

    /// What the pair itself is asked to lack.
    fn lacks(&self, missing: &mut Vec<ExplainedEdge>) {
        match &self.reason {
            Reason::Both(parts, conditions) => {
                parts.iter().for_each(|p| p.lacks(missing));
                for condition in conditions.iter().filter(|c| !c.holds) {
                    if let Some(other) = condition.other.filter(|&o| o != condition.event) {
                        // `r \ (co | co^-1 | id)`: an event is not another one, so only the others
                        // could have been there.
                        let could: Vec<&str> =
                            condition.text.split(" | ").filter(|&t| t != "id").collect();
                        missing.push(ExplainedEdge {
                            from: condition.event,
                            to: other,
                            link: Link::Other(could.join(" or ")),
                        });
                    }
                }
            }
            Reason::Base(_)
            | Reason::Definition { .. }
            | Reason::Path(_)
            | Reason::Inverse(_)
            | Reason::Conditions(_) => {}
        }
    }
}

impl ExplainedEdge {
    /// What is missing, in words: of several relations that could have been there, each with the
    /// way it leads (`a -hb-> b or b -hb-> a`).
    pub fn in_words(&self, name: &dyn Fn(Event) -> String) -> String {
        let text = self.link.name();
        let one = |relation: &str| match relation.strip_suffix("^-1") {
            Some(inner) => format!("{} -{inner}-> {}", name(self.to), name(self.from)),
            None => format!("{} -{relation}-> {}", name(self.from), name(self.to)),
        };
        text.split(" or ").map(one).collect::<Vec<_>>().join(" or ")
    }

    /// The same step the other way.
    fn turned(self) -> Self {
        let link = match self.link {
            Link::Base(relation) => Link::Back(relation),
            Link::Back(relation) => Link::Base(relation),
            Link::Other(text) => match text.strip_suffix("^-1") {
                Some(inner) => Link::Other(inner.to_owned()),
                None => Link::Other(format!("({text})^-1")),
            },
        };
        Self { from: self.to, to: self.from, link }
    }
}

impl Link {
    /// The name, as a .cat file writes it: `rf`, `rf^-1`, `W * R`.
    pub fn name(&self) -> String {
        match self {
            Self::Base(relation) => relation.name().to_owned(),
            Self::Back(relation) => format!("{}^-1", relation.name()),
            Self::Other(text) => text.clone(),
        }
    }

    /// Is it a relation that pictures draw, rather than one that compares two events?
    pub fn is_drawn(&self) -> bool {
        match self {
            Self::Base(relation) | Self::Back(relation) => relation.leads(),
            Self::Other(_) => false,
        }
    }
}
