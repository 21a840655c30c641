//! Execution signatures: which events an architecture has, and which base sets and relations a .cat model may name.
//!
//! The names are herd's and Dartagnan's (docs/cat.md lists them all).

mod base;
mod construct;
mod strength;

pub use base::{BaseRelation, BaseSet};
pub use construct::{Construct, Operation, constructs};
pub use strength::weakest_fences;

use std::fmt;

/// The kind of execution that a model speaks of; the first word of a .cat file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signature {
    /// Reads, writes, full fences and RMWs without orders or scopes (`X86`, `SC`, or no header at all).
    Plain,
    /// C++ atomics, with or without scopes (`C`).
    C,
    /// PTX operations (`PTX`). Coherence order is partial here, and fence-SC order is part of the execution.
    Ptx,
}

impl Signature {
    /// Is coherence order total over the writes to a location (true), or only a partial order (PTX)?
    pub fn total_coherence(self) -> bool {
        self != Self::Ptx
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::C => "C",
            Self::Ptx => "PTX",
        })
    }
}
