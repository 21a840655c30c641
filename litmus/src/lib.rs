//! Litmus tests: read, write, and unfold into candidate executions.
//!
//! [`test::Test`] is the syntax tree of a test in any of the dialects; its `Display` writes the
//! text. [`render`] goes the other way round: from an execution to the program and outcome that a
//! person would write down for it.

pub mod ask;
pub mod cells;
pub mod certificate;
pub mod clusters;
pub mod corpus;
pub mod cycle;
pub mod engine;
pub mod explicit;
pub mod gap;
pub mod identity;
mod monotone;
mod outcome;
pub mod parallel;
pub mod premise;
mod prepare;
pub mod print;
pub mod published;
pub mod race;
pub mod read;
mod refused;
pub mod render;
pub mod sat;
pub mod shapes;
pub mod strengthen;
pub mod test;
mod turns;
pub mod unfold;
mod verdict;

pub use turns::ends_in_turns;
