//! What a proof and the search beside it say: a theorem, a counterexample, or what is missing.

pub mod answer;
pub mod argument;
mod beside;
pub mod human;
pub mod json;
pub mod lemmas;
pub mod mapping;
pub mod matrix;
pub mod model;
pub mod rocq;
pub mod written;

pub use argument::record::{gap, inhabitant, step};
pub use argument::{gaps, inhabitants, missing_events, steps};
pub use beside::beside;
