//! The search for lemmas and invariants.

mod around;
mod axiom_order;
mod between;
mod candidate;
mod cover;
mod fence_order;
mod fenced;
pub mod finder;
pub mod houdini;
pub mod invariant;
pub mod order;
pub mod suggested;
pub mod template;
pub mod truncated;
