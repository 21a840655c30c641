//! Theorems about memory models and mappings, for executions of every size (docs/unbounded.md).
//!
//! [`theorem::Setting`] says what is to be shown and what may be supposed; [`theorem::prove`] searches for an argument and checks it.
//! The search ([`search`]) guesses lemmas and invariants; an argument ([`argument`]) is a list of steps, each of which leaves
//! obligations about a few events; each is refuted by instances of what is known ([`ground`]).
pub mod argument;
pub mod certificate;
pub mod ground;
pub mod logic;
pub mod search;
pub mod theorem;
pub mod theory;
