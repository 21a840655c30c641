//! Why an execution fails a check: a shortest cycle (or pair, or event), each edge with its
//! derivation down to base relations, and all of it in words.

mod derive;
mod edges;
mod find;
mod path;
mod words;

pub use edges::is_closed;
pub use find::{derivation, violation};

use crate::bits::Event;
use crate::diagnostic::SourcePlace;
use crate::signature::BaseRelation;

/// A check that fails, and why. Also a flag that is raised, and why.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The index of the check.
    pub check: usize,
    /// The name to show for it.
    pub name: String,
    /// Where the check is.
    pub place: SourcePlace,
    /// The cycle, pair or member that contradicts it.
    pub finding: Contradiction,
}

/// What contradicts a check.
#[derive(Debug, Clone)]
pub enum Contradiction {
    /// A cycle: each step leads on to the next one, the last one back to the start of the first.
    /// A reflexive pair is unfolded into the path that makes it.
    Cycle(Vec<Derivation>),
    /// A pair that a relation should not have.
    Pair(Derivation),
    /// An event that a set should not have.
    Member(Event),
    /// `~empty`, `~acyclic` or `~irreflexive` fails: there is nothing to show.
    Nothing,
}

/// Why a pair of events is in a relation.
#[derive(Debug, Clone)]
pub struct Derivation {
    pub from: Event,
    pub to: Event,
    pub reason: Reason,
}

/// The last step of a derivation.
#[derive(Debug, Clone)]
pub enum Reason {
    Base(BaseRelation),
    /// A definition of the model has the pair, because of what its body says.
    Definition {
        /// The name that the model gives the relation.
        name: String,
        /// Where it is defined.
        place: SourcePlace,
        /// Why its body has the pair.
        because: Box<Derivation>,
    },
    /// A path: consecutive steps (`;`, `+`, `*`). Steps from an event to itself that are only
    /// [`Reason::Conditions`] say what holds of that event. Without any step: the event is related
    /// to itself by `?` or `*`.
    Path(Vec<Derivation>),
    /// All of them at once, between the same events (`&`): first what leads from one to the other,
    /// then what else was asked for.
    Both(Vec<Derivation>, Vec<EventCondition>),
    /// The pair backwards (`^-1`).
    Inverse(Box<Derivation>),
    /// Only conditions on the two events (`[S]`, `S * T`, `~r`): no relation leads from one to the
    /// other.
    Conditions(Vec<EventCondition>),
}

/// A condition on the events of a derivation, as the model writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCondition {
    /// The expression, e.g. `REL`, `W & SC` or `~loc`.
    pub text: String,
    /// Does it hold? Else the events are asked not to be so: the right side of `r \ s`.
    pub holds: bool,
    /// The first event that it speaks of.
    pub event: Event,
    /// The second one, for conditions on pairs.
    pub other: Option<Event>,
}

/// An edge of the concrete cycle: what leads from one event to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExplainedEdge {
    pub from: Event,
    pub to: Event,
    /// What leads there.
    pub link: Link,
}

/// What leads from one event to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Link {
    Base(BaseRelation),
    Back(BaseRelation),
    /// An expression of the model that is no base relation.
    Other(String),
}
