//! The search for lemmas and invariants.

pub mod houdini;
pub mod property;
pub mod template;
