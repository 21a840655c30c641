//! Proofs of what a session found to be unsatisfiable: written while the solver works, checked without it.
//!
//! A proof is a file of records (`record.rs`): the clauses that the session gave to the solver, the clauses that the solver
//! derived from them, each with the clauses that it follows from by unit propagation (LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann
//! and Schneider-Kamp, CADE 2017; without RAT steps, so that every derived clause is implied by the given ones), what it deleted
//! or took out of use for a while, and the questions that were asked with their answers. An answer "unsatisfiable" names a clause
//! whose literals are negated assumptions of the question.
//!
//! 1. [`Log`] writes it; [`crate::Session::logged`] connects it to CaDiCaL.
//! 2. [`Checker`] reads it and accepts a derived clause only if its hints show it. Nothing is held in memory but the clauses in use. It
//!    shares no code with any solver, nor with the translation.
//! 3. [`export`] writes the refutation of one question as DIMACS and LRAT, for checkers that others wrote.
//! 4. [`Replay`] stands in for a solver: a session that gets it ([`crate::Session::replayed`]) and is told the same again has its
//!    clauses compared with those of the proof, one by one, and its questions answered from the proof.

mod checker;
mod clauses;
mod input;
mod log;
mod lrat;
mod record;
mod replay;

pub use checker::{Checker, Step};
pub use input::{Flaw, Input};
pub use log::{Log, Written};
pub use lrat::{Exported, export, refuted};
pub use record::{Encoder, Kind, Record};
pub use replay::{Replay, Replayed};

/// The first bytes of a proof file; the last of them is the version of the format.
pub(crate) const MAGIC: [u8; 8] = *b"MGPROOF1";
