//! Execution signatures: which events an architecture has, and which base sets and relations a .cat
//! model may name. A signature is an architecture, and what it has its text says
//! (docs/architectures.md).
//!
//! The names are herd's and Dartagnan's (docs/cat.md lists them all).

pub mod architecture;
#[macro_use]
mod base;
mod construct;
mod relation;
mod strength;

pub use architecture::{Architecture, BarrierTags, SameLevel, ScopeLevel, Tag, Tags};
pub use base::BaseSet;
pub use construct::{Construct, Operation, constructs};
pub use relation::{
    BaseRelation, ChosenRelations, PairCourse, PairEnd, RelationFormula, RelationKind, RelationLook,
};
pub use strength::weakest_fences;

/// The kind of execution that a model speaks of: those of an architecture, which the first word of
/// a .cat file names.
pub use architecture::Architecture as Signature;
