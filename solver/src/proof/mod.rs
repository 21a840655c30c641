//! Proofs of what a session found to be unsatisfiable: written while the solver works, checked
//! without it.
//!
//! What a proof is and what checks it is the crate [`margay_proof`] (`proof/`), which depends on no
//! other crate: on no solver, and not on the translation. Here is what connects it to a session and
//! to files.
//!
//! 1. [`ProofLog`] writes a proof; [`crate::Session::logged`] connects it to a solver.
//! 2. [`records`] decompresses a proof file for a [`ProofChecker`], which accepts a derived clause
//!    only if its hints show it.
//! 3. [`export`] writes the refutation of one question as DIMACS and LRAT, for checkers that others
//!    wrote.
//! 4. [`Replay`] stands in for a solver: a session that gets it ([`crate::Session::replayed`]) and
//!    is told the same again has its clauses compared with those of the proof, one by one, and its
//!    questions answered from the proof.

mod file;
mod log;
mod lrat;
mod replay;

pub use file::{DecompressedRecords, records};
pub use log::{ProofLog, ProofSize};
pub use lrat::{export, refuted};
pub use margay_proof::{
    Encoder, ExportedRefutation, ProofChecker, ProofFlaw, ProofInput, ProofRecord, ProofStep,
    RecordKind, SatLiteral,
};
pub use replay::{Replay, Replayed};
