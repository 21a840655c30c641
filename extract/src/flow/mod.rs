//! What a function does, path by path: every way from its entry to its return, with the accesses of
//! the object and the fences in order. Branches whose predicate is known are not forks: values are
//! followed through registers and the stack, so that a test that was made twice is made once, and
//! whether an `atom.cas` succeeded is read from the branch behind it.

mod arithmetic;
mod effect;
mod facts;
mod known;
mod paths;
mod state;
mod value;

pub use effect::{FlowAccess, FlowEffect, Verb, effect};
pub use known::CONTROL;
pub use paths::{Paths, explore};

use margay_models::execution::{Order, Scope};

/// One way from entry to return.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowPath {
    /// Accesses of the object, and fences, in order.
    pub actions: Vec<PathAction>,
    /// The state spaces that the path found the object in, by `isspacep`.
    pub spaces: Vec<String>,
    /// What makes the path no lowering: an instruction that is not known, other threads, an address
    /// that leads nobody knows where.
    pub troubles: Vec<String>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathAction {
    /// An access or a fence, with its qualifiers.
    pub kind: ActionKind,
    /// The object that is accessed, by its number; 0 for fences.
    pub object: usize,
    /// The instruction without its operands.
    pub text: String,
    /// The line of the PTX.
    pub line: usize,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionKind {
    /// An access of the object.
    Access(FlowAccess, Swap),
    Fence(Order, Scope),
}

/// Did a compare-and-swap succeed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap {
    /// It is none, or it did.
    Done,
    /// It did not.
    Failed,
    /// The path does not say.
    Either,
}
