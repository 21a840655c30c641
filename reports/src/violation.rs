//! Events, edges, and what contradicts an axiom.

use crate::document::parts;

parts! {
    /// An event of an execution.
    pub struct EventRecord {
        /// Its name in pictures and edges.
        pub name: String,
        /// The event in the field's notation.
        pub event: String,
    }

    /// An edge of an execution.
    pub struct EdgeRecord {
        /// The name of the event that it starts from.
        pub from: String,
        /// The name of the event that it leads to.
        pub to: String,
        /// The relation.
        pub relation: String,
    }
}

/// What contradicts an axiom: a cycle, or edges that are there and others that are missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViolationRecord {
    /// Each edge starts where the one before ends, and the last leads back; empty where an `empty`
    /// axiom fails.
    pub cycle: Vec<EdgeRecord>,
    /// Where one does: the edges that are there.
    pub there: Vec<EdgeRecord>,
    /// Where one does: those that are not there and should be.
    pub missing: Vec<EdgeRecord>,
}
