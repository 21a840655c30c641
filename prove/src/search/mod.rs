//! The search for lemmas and invariants.

pub mod houdini;
pub mod invariant;
pub mod property;
pub mod template;
