//! Pictures of executions: threads as columns, program order downward, relations as labelled edges, and the violated cycle
//! emphasised. As SVG for browsers and as text for terminals.

mod escape;
mod geometry;
mod label;
mod layout;
mod route;
mod style;
mod svg;
mod text;

pub use escape::escape;
pub use label::{event_label, event_name, placement_label};
pub use svg::svg;
pub use text::text;

use crate::bits::{BitMatrix, Event};
use crate::execution::Execution;
use crate::explain::Violation;
use crate::signature::{BaseRelation, Signature};

/// What a picture shows of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The heading.
    pub title: String,
    /// A line below the heading; may be empty.
    pub subtitle: String,
    /// The edges, program order between neighbours included.
    pub edges: Vec<Edge>,
    /// The label of each event, e.g. `a: W.REL.gpu x=1`.
    pub events: Vec<String>,
}

/// An edge between two events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// From.
    pub from: Event,
    /// To.
    pub to: Event,
    /// The relation by its name in the field: `po` or `sb`, `rf`, `co` or `mo`, `fr` or `rb`, ...
    pub label: String,
    /// Is it on the violated cycle?
    pub emphasis: bool,
}

impl Picture {
    /// A picture of reads-from, coherence (without what transitivity gives), RMW pairs, Fence-SC order and dependencies, with the
    /// cycle of a violation emphasised. Edges from initial writes are shown only on the cycle.
    pub fn of(title: &str, execution: &Execution, violation: Option<&Violation>) -> Picture {
        let mut picture = Picture {
            title: title.to_owned(),
            subtitle: String::new(),
            edges: Vec::new(),
            events: (0..execution.size())
                .map(|e| format!("{}: {}", event_name(execution, e.into()), event_label(execution, e.into())))
                .collect(),
        };
        let cycle = cycle(violation);
        let names = Names::of(execution.signature);
        for (a, b) in reduced(&execution.po).pairs() {
            picture.add(a, b, names.po, false);
        }
        for (relation, label) in [
            (&execution.rf, "rf"),
            (&reduced(&execution.co), names.co),
            (&execution.rmw, "rmw"),
            (&reduced(&execution.sync_fence), "sc"),
            (&execution.sync_barrier, "bar"),
            (&execution.addr, "addr"),
            (&execution.data, "data"),
            (&execution.ctrl, "ctrl"),
        ] {
            for (a, b) in relation.pairs() {
                // That the initial write comes first, and that a value of 0 comes from there, goes without saying.
                let obvious = execution.events[a.index()].thread.is_none();
                if !obvious {
                    picture.add(a, b, label, false);
                }
            }
        }
        for &(a, b, relation) in &cycle {
            picture.add(a, b, names.of_relation(relation), true);
        }
        // The cycle comes first, in its order.
        let position =
            |e: &Edge| cycle.iter().position(|&(a, b, r)| (a, b, names.of_relation(r)) == (e.from, e.to, e.label.as_str()));
        picture.edges.sort_by_key(|e| position(e).unwrap_or(usize::MAX));
        picture
    }

    /// Adds an edge, or emphasises it if it is there.
    fn add(&mut self, from: Event, to: Event, label: &str, emphasis: bool) {
        if let Some(known) = self.edges.iter_mut().find(|e| e.from == from && e.to == to && e.label == label) {
            known.emphasis |= emphasis;
        } else {
            self.edges.push(Edge { from, to, label: label.to_owned(), emphasis });
        }
    }
}

/// How a signature calls the relations.
struct Names {
    po: &'static str,
    co: &'static str,
    fr: &'static str,
}

impl Names {
    fn of(signature: Signature) -> Self {
        match signature {
            Signature::C => Self { po: "sb", co: "mo", fr: "rb" },
            Signature::Ptx | Signature::Plain => Self { po: "po", co: "co", fr: "fr" },
        }
    }

    fn of_relation(&self, relation: BaseRelation) -> &'static str {
        match relation {
            BaseRelation::Po => self.po,
            BaseRelation::Co => self.co,
            BaseRelation::Fr => self.fr,
            BaseRelation::SyncFence => "sc",
            BaseRelation::SyncBarrier => "bar",
            other => other.name(),
        }
    }
}

/// The base edges of a violation; `rf` backwards and then `co` is one from-reads edge.
fn cycle(violation: Option<&Violation>) -> Vec<(Event, Event, BaseRelation)> {
    let edges = violation.map(Violation::edges).unwrap_or_default();
    let mut out = Vec::new();
    let mut i = 0;
    while i < edges.len() {
        let edge = edges[i];
        match edges.get(i + 1) {
            Some(next) if edge.relation == BaseRelation::Rf && next.relation == BaseRelation::Co && next.from == edge.from => {
                out.push((edge.to, next.to, BaseRelation::Fr));
                i += 2;
            }
            _ => {
                out.push((edge.from, edge.to, edge.relation));
                i += 1;
            }
        }
    }
    out
}

/// A transitive relation without what transitivity gives.
fn reduced(relation: &BitMatrix) -> BitMatrix {
    let n = relation.size();
    let direct = relation.pairs().filter(|&(a, b)| {
        !(0..n).map(Event::from).any(|m| m != a && m != b && relation.contains(a, m) && relation.contains(m, b))
    });
    BitMatrix::from_pairs(n, direct)
}
