//! Pictures of executions: threads as columns, program order downward, relations as labelled edges,
//! and the violated cycle emphasised. As SVG for browsers, as text for terminals and as DOT for
//! Graphviz.

mod dot;
mod escape;
mod geometry;
mod label;
mod layout;
mod route;
mod style;
mod svg;
mod text;

pub use dot::dot;
pub use escape::escape;
pub use label::{event_label, event_name, placement_label};
pub use svg::svg;
pub use text::text;

use crate::bits::{BitMatrix, Event};
use crate::execution::Execution;
use crate::explain::{self, Link, Violation};
use crate::signature::{BaseRelation, Signature};

/// What a picture shows of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The heading.
    pub title: String,
    /// A line below the heading; may be empty.
    pub subtitle: String,
    /// The edges, program order between neighbours included, each once.
    pub edges: Vec<PictureEdge>,
    /// What the picture is about.
    pub shown: PictureSubject,
    /// The label of each event, e.g. `a: W.REL.gpu x=1`.
    pub events: Vec<String>,
}

/// What a picture is about, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PictureSubject {
    /// The execution alone: no edge stands out.
    #[default]
    Execution,
    /// A cycle: each edge starts where the one before ends, and the last one leads back.
    Cycle(Vec<PictureEdge>),
    /// What an `empty` axiom forbids: edges that are there, and edges that are not there and should
    /// be.
    Pair {
        there: Vec<PictureEdge>,
        /// Those that are not.
        missing: Vec<PictureEdge>,
    },
}

/// An edge between two events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureEdge {
    pub from: Event,
    pub to: Event,
    /// The base relation that it is of; of an edge that is not there the first one that could have
    /// been. `None` for what a model defines, and for what leads backwards.
    pub relation: Option<BaseRelation>,
    /// The relation by its name in the field: `po` or `sb`, `rf`, `co` or `mo`, `fr` or `rb`, ...
    pub label: String,
    /// Is it what the picture is about: on the violated cycle, or of the forbidden pair?
    pub emphasis: bool,
    /// Is it an edge that is not there?
    pub missing: bool,
}

impl PictureEdge {
    fn is_program_order(&self) -> bool {
        self.relation.is_some_and(BaseRelation::is_program_order)
    }
}

impl Picture {
    /// A picture of reads-from, coherence (without what transitivity gives), RMW pairs, Fence-SC
    /// order and dependencies, with the cycle of a violation emphasised; of a pair that an `empty`
    /// axiom forbids what is there, and what is missing. Edges from initial writes are shown only
    /// there. Without a violation, from-reads are shown too: they say which values are old.
    pub fn of(title: &str, execution: &Execution, violation: Option<&Violation>) -> Picture {
        let mut picture = Picture {
            title: title.to_owned(),
            subtitle: String::new(),
            edges: Vec::new(),
            shown: violation.map_or(PictureSubject::Execution, |v| shown(v, execution.signature)),
            events: (0..execution.size())
                .map(|e| {
                    format!(
                        "{}: {}",
                        event_name(execution, e.into()),
                        event_label(execution, e.into())
                    )
                })
                .collect(),
        };
        let names = RelationNames(execution.signature);
        for relation in BaseRelation::DRAWN {
            let label = names.of_relation(relation);
            let pairs = execution.relation(relation);
            let pairs = match relation {
                order if order.is_order() => reduced(&pairs),
                issue if issue.leads_to_asynchronous() => last_before(&pairs, &execution.po),
                _ => pairs.into_owned(),
            };
            for (a, b) in pairs.pairs() {
                // That the initial write comes first, and that a value of 0 comes from there, goes
                // without saying.
                let obvious = execution.events[a.index()].thread.is_none();
                if !obvious {
                    picture.add((a, b), Some(relation), label, false);
                }
            }
        }
        // Where nothing is forbidden, reads of older values than the last one are what there is to
        // see.
        if picture.shown == PictureSubject::Execution {
            let [.., from_reads] = BaseRelation::COMMUNICATION;
            for (a, b) in overtaken(execution).pairs() {
                let label = names.of_relation(from_reads);
                picture.add((a, b), Some(from_reads), label, false);
            }
        }
        let about = match &picture.shown {
            PictureSubject::Execution => Vec::new(),
            PictureSubject::Cycle(cycle) => cycle.clone(),
            PictureSubject::Pair { there, missing } => [there.as_slice(), missing].concat(),
        };
        for edge in &about {
            if edge.missing {
                picture.edges.push(edge.clone());
            } else {
                picture.add((edge.from, edge.to), edge.relation, &edge.label, true);
            }
        }
        // What the picture is about comes first, in its order.
        let position = |e: &PictureEdge| {
            about.iter().position(|x| (x.from, x.to, &x.label) == (e.from, e.to, &e.label))
        };
        picture.edges.sort_by_key(|e| position(e).unwrap_or(usize::MAX));
        picture
    }

    /// Adds an edge, or emphasises it if it is there.
    fn add(
        &mut self,
        (from, to): (Event, Event),
        relation: Option<BaseRelation>,
        label: &str,
        emphasis: bool,
    ) {
        if let Some(known) =
            self.edges.iter_mut().find(|e| e.from == from && e.to == to && e.label == label)
        {
            known.emphasis |= emphasis;
        } else {
            self.edges.push(PictureEdge {
                from,
                to,
                relation,
                label: label.to_owned(),
                emphasis,
                missing: false,
            });
        }
    }
}

/// How a signature calls the relations.
struct RelationNames(Signature);

impl RelationNames {
    fn of_relation(&self, relation: BaseRelation) -> &'static str {
        self.0.printed(relation)
    }

    fn of_link(&self, link: &Link) -> String {
        match link {
            Link::Base(relation) => self.of_relation(*relation).to_owned(),
            Link::Back(relation) => format!("{}^-1", self.of_relation(*relation)),
            Link::Other(text) => {
                text.split(" or ").map(|part| self.of_text(part)).collect::<Vec<_>>().join(" or ")
            }
        }
    }

    /// A base relation in an expression, perhaps backwards, as pictures call it.
    fn of_text(&self, text: &str) -> String {
        let (name, back) = text.strip_suffix("^-1").map_or((text, ""), |name| (name, "^-1"));
        match named(name) {
            Some(relation) => format!("{}{back}", self.of_relation(relation)),
            None => text.to_owned(),
        }
    }
}

/// The base relation of this name in models.
fn named(name: &str) -> Option<BaseRelation> {
    BaseRelation::ALL.iter().copied().find(|relation| relation.name() == name)
}

/// The base relation that a link is a step along. A missing step is called by all that could have
/// been there, `co or co^-1`: then the first of them.
fn relation_of(link: &Link, missing: bool) -> Option<BaseRelation> {
    match link {
        Link::Base(relation) => Some(*relation),
        Link::Back(_) => None,
        Link::Other(text) if missing => named(text.split(" or ").next().unwrap_or_default()),
        Link::Other(text) => named(text),
    }
}

fn shown(violation: &Violation, signature: Signature) -> PictureSubject {
    let names = RelationNames(signature);
    let edge = |e: &explain::ExplainedEdge, missing: bool| PictureEdge {
        from: e.from,
        to: e.to,
        relation: relation_of(&e.link, missing),
        label: names.of_link(&e.link),
        emphasis: !missing,
        missing,
    };
    let edges = violation.edges();
    let there: Vec<PictureEdge> = edges.iter().map(|e| edge(e, false)).collect();
    if violation.is_cycle() {
        debug_assert!(explain::is_closed(&edges), "{edges:?}");
        return if there.is_empty() {
            PictureSubject::Execution
        } else {
            PictureSubject::Cycle(there)
        };
    }
    let missing: Vec<PictureEdge> = violation.missing().iter().map(|e| edge(e, true)).collect();
    if there.is_empty() && missing.is_empty() {
        PictureSubject::Execution
    } else {
        PictureSubject::Pair { there, missing }
    }
}

/// From each read to the writes that overwrite what it has read, without those that overwrite these
/// in turn.
fn overtaken(execution: &Execution) -> BitMatrix {
    let mut overwrite = BitMatrix::new(execution.size());
    for (w, r) in execution.rf.pairs() {
        overwrite.insert_all(r, execution.co.row(w));
    }
    for e in (0..execution.size()).map(Event::from) {
        overwrite.remove(e, e);
    }
    without_later(&overwrite, &execution.co)
}

/// A relation without the pairs that it makes together with a strict order behind it.
fn without_later(relation: &BitMatrix, behind: &BitMatrix) -> BitMatrix {
    let mut direct = relation.clone();
    for a in (0..relation.size()).map(Event::from) {
        relation.row(a).iter().for_each(|m| direct.remove_all(a, behind.row(m)));
    }
    direct
}

/// What is right before the instruction that issues an asynchronous operation, to the first event
/// of that.
fn last_before(issue: &BitMatrix, po: &BitMatrix) -> BitMatrix {
    let n = issue.size();
    let events = || (0..n).map(Event::from);
    let last = issue.pairs().filter(|&(a, b)| {
        !events().any(|m| {
            po.contains(a, m) && issue.contains(m, b) || po.contains(m, b) && issue.contains(a, m)
        })
    });
    BitMatrix::from_pairs(n, last)
}

/// A strict order without what transitivity gives.
fn reduced(relation: &BitMatrix) -> BitMatrix {
    without_later(relation, relation)
}
