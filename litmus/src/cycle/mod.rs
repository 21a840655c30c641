//! Litmus tests from cycles of candidate relaxations, in the manner of diy7: a cycle of
//! communication between threads and of program order within them is an execution that is not
//! sequentially consistent; the test is the program that has it, and its outcome picks this
//! execution.

mod annotate;
mod build;
mod edge;
mod enumerate;
mod family;
mod form_2015;
mod memory_path;
mod places;
mod selection;

pub use annotate::{Annotated, Language, Variations};
pub use edge::{Communication, Direction, Edge, LinkKind, NAMES, UnknownEdge};
pub use enumerate::{Sizes, cycles, random};
pub use family::{Family, Generated};
pub use memory_path::MemoryPath;
pub use places::Places;
pub use selection::{CyclePlan, CycleSelection};

use std::fmt;

/// A cycle that an execution can have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// The edges; the last one leads to another thread, so that the first access is the first of
    /// its thread.
    edges: Vec<Edge>,
}

/// Why edges make no cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoCycle {
    /// No edges.
    Empty,
    /// The second edge starts from another kind of access than the first one ends at.
    Directions(Edge, Edge),
    /// Fewer than two edges lead to another thread.
    OneThread,
    /// One edge alone changes the location.
    OneChange(Edge),
    /// Every edge is communication through one location: it cannot be that one access comes before
    /// itself.
    OnlyCommunication,
    /// A thread comes to the barrier twice: others would have to as well.
    Barriers,
    /// More than this many threads, locations or accesses.
    Large(usize),
}

impl fmt::Display for NoCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = |d: Direction| if d == Direction::R { "a read" } else { "a write" };
        match self {
            Self::Empty => write!(f, "there is no edge"),
            Self::Directions(a, b) => {
                write!(
                    f,
                    "`{a}` ends at {}, and `{b}` starts from {}",
                    access(a.to()),
                    access(b.from())
                )
            }
            Self::OneThread => {
                write!(
                    f,
                    "fewer than two edges lead to another thread (Rfe, Fre, Coe), so that it does not come back"
                )
            }
            Self::OneChange(edge) => {
                write!(f, "`{edge}` alone changes the location, so that it does not come back")
            }
            Self::OnlyCommunication => {
                write!(
                    f,
                    "every edge is communication through one location: no execution has that; a `Pos` edge is missing"
                )
            }
            Self::Barriers => {
                write!(f, "a thread has two `BarSync` edges, and one is all that a test may have")
            }
            Self::Large(limit) => write!(f, "it has more than {limit} edges"),
        }
    }
}

impl std::error::Error for NoCycle {}

/// The largest cycle.
pub const MAX_EDGES: usize = 16;

impl Cycle {
    /// A cycle of edges, written from any of them.
    ///
    /// # Errors
    /// If no execution has it.
    pub fn new(edges: &[Edge]) -> Result<Self, NoCycle> {
        if edges.len() > MAX_EDGES {
            return Err(NoCycle::Large(MAX_EDGES));
        }
        let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else {
            return Err(NoCycle::Empty);
        };
        for (&a, &b) in edges.iter().zip(edges.iter().skip(1)).chain([(&last, &first)]) {
            if a.to() != b.from() {
                return Err(NoCycle::Directions(a, b));
            }
        }
        if edges.iter().filter(|e| e.external()).count() < 2 {
            return Err(NoCycle::OneThread);
        }
        let mut changes = edges.iter().filter(|e| !e.same_location());
        if let (Some(&only), None) = (changes.next(), changes.next()) {
            return Err(NoCycle::OneChange(only));
        }
        if edges.iter().all(|e| matches!(e, Edge::Communication { .. }) || e.is_rmw())
            && edges.iter().all(|e| e.same_location())
        {
            return Err(NoCycle::OnlyCommunication);
        }
        let mut edges = edges.to_vec();
        let start = edges.iter().position(|e| e.external()).unwrap_or(0) + 1;
        edges.rotate_left(start);
        let barriers = |thread: &[Edge]| {
            thread
                .iter()
                .filter(|e| matches!(e, Edge::Link { kind: LinkKind::Barrier, .. }))
                .count()
        };
        if edges.split_inclusive(|e| e.external()).any(|thread| barriers(thread) > 1) {
            return Err(NoCycle::Barriers);
        }
        Ok(Self { edges })
    }

    /// The edges, from the first access of a thread on.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.edges.iter().filter(|e| e.external()).count()
    }

    /// The accesses in order: the i-th edge leads from the i-th to the next one.
    pub fn accesses(&self) -> impl Iterator<Item = Direction> + '_ {
        self.edges.iter().map(|e| e.from())
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, edge) in self.edges.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{edge}")?;
        }
        Ok(())
    }
}
