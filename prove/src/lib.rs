//! The search for proofs of theorems about memory models and mappings, for executions of every size
//! (docs/unbounded.md).
//!
//! What a theorem says, what an argument is and what checks it is in the crate `margay-theorem`,
//! which knows nothing of this one. [`theorem::prove`] searches for an argument and has it checked.
//! The search ([`search`]) guesses lemmas and invariants; a solver looks for refutations of what
//! they leave to show ([`ground`]); and what was found is made a proof ([`completion`]).
pub mod completion;
pub mod ground;
pub mod search;
pub mod theorem;
