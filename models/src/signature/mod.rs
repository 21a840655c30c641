//! Execution signatures: which events an architecture has, and which base sets and relations a .cat model may name.
//!
//! The names are herd's and Dartagnan's (docs/cat.md lists them all).

pub mod architecture;
mod base;
mod construct;
mod strength;

pub use architecture::{Architecture, Level, SameLevel, Tag, Tags};
pub use base::{BaseRelation, BaseSet};
pub use construct::{Construct, Operation, constructs};
pub use strength::weakest_fences;

use std::fmt;

use crate::execution::Scope;

/// The kind of execution that a model speaks of; the first word of a .cat file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signature {
    /// Reads, writes, full fences and RMWs without orders or scopes (`X86`, `SC`, or no header at all).
    Plain,
    /// C++ atomics, with or without scopes (`C`).
    C,
    /// PTX operations (`PTX`). Coherence order is partial here, and fence-SC order is part of the execution.
    Ptx,
    /// The executions of an architecture that is a text: reads, writes, fences and RMWs with its tags (docs/architectures.md).
    Text(Architecture),
}

impl Signature {
    /// Is coherence order total over the writes to a location (true), or only a partial order (PTX)?
    pub fn total_coherence(self) -> bool {
        self != Self::Ptx
    }

    /// The architecture, if it is a text.
    pub fn architecture(self) -> Option<Architecture> {
        match self {
            Self::Text(architecture) => Some(architecture),
            _ => None,
        }
    }

    /// Does it matter where threads run: are there scopes?
    pub fn has_places(self) -> bool {
        !self.scopes(true).is_empty()
    }

    /// Its scopes, narrowest first. Those of C++ and PTX with or without clusters, which not every model of theirs knows.
    pub fn scopes(self, clusters: bool) -> &'static [Scope] {
        match self {
            Self::Plain => &[],
            Self::C | Self::Ptx if clusters => &Scope::ALL,
            Self::C | Self::Ptx => &[Scope::Cta, Scope::Gpu, Scope::Sys],
            Self::Text(architecture) => architecture.scopes(),
        }
    }

    /// What a scope is called in mapping rows and tests.
    pub fn scope_name(self, scope: Scope) -> &'static str {
        match self {
            Self::Text(architecture) => architecture.scope_name(scope),
            _ => scope.name(),
        }
    }

    /// The scope that a word names: in C++ and PTX also by the names of CUDA and OpenCL; `None` for anything else.
    pub fn scope_named(self, word: &str) -> Option<Scope> {
        match self {
            Self::Text(architecture) => architecture.levels().find(|level| level.name() == word).map(Level::scope),
            _ => Some(match word {
                "cta" | "block" | "wg" => Scope::Cta,
                "cluster" => Scope::Cluster,
                "gpu" | "gl" | "device" | "dev" => Scope::Gpu,
                "sys" | "system" => Scope::Sys,
                _ => return None,
            }),
        }
    }

    /// The names of its scopes, as a list for messages.
    pub fn scope_names(self) -> String {
        self.scopes(true).iter().map(|&s| self.scope_name(s)).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::C => "C",
            Self::Ptx => "PTX",
            Self::Text(architecture) => architecture.word(),
        })
    }
}
