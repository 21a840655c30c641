//! What a theorem about memory models says, its argument, and the checker that follows it
//! (docs/unbounded.md, "What is checked").
//!
//! Whoever believes a theorem has to trust this crate and what it reads models and mappings with,
//! and nothing else of the prover: the sentences about executions ([`theory`]), what is to be shown
//! ([`theorem`]), the steps of an argument and their obligations ([`argument`]), the clauses of a
//! refutation and its check ([`ground`]), and the certificate that holds all of it
//! ([`certificate`]). The search for proofs is built on top of it, in another crate, which this one
//! cannot name.
pub mod argument;
pub mod certificate;
pub mod ground;
pub mod logic;
pub mod theorem;
pub mod theory;
