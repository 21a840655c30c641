//! The .cat language, its judge, execution signatures, and the shipped memory models.

#![warn(unreachable_pub)]

pub mod bits;
pub mod cat;
pub mod certificate;
pub mod confined;
pub mod diagnostic;
pub mod dialect;
pub mod digest;
pub mod durable;
pub mod evaluate;
pub mod execution;
pub mod explain;
pub mod judge;
pub mod library;
pub mod limited;
pub mod lower;
pub mod mbarrier;
pub mod model;
pub mod picture;
pub mod seal;
mod shipped;
pub mod signature;
pub mod text;
pub mod typing;
pub mod wellformed;

pub use diagnostic::{Diagnostic, SourceFile};
pub use execution::Execution;
pub use model::{Check, CheckKind, Definition, Loaded, Model, Role};
pub use signature::Signature;
