//! Reads and checks proofs that a SAT solver wrote. Whoever trusts an answer "unsatisfiable"
//! because of its proof trusts this crate, std and the compiler: it depends on no other crate, has
//! no unsafe code, and shares none with a solver.
//!
//! # What a proof is
//!
//! A proof is a sequence of records, in the order in which things happened: clauses that were given
//! to the solver, clauses that it derived, each with the clauses that it follows from by unit
//! propagation (LRAT: Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, CADE 2017; without RAT
//! steps, so that every derived clause is implied by the given ones), what it deleted or took out
//! of use for a while, and questions with their answers. An answer "unsatisfiable" names a clause
//! whose literals are negated assumptions of the question. [`RecordKind`] lists the records, and
//! `src/record.rs` says what their bytes are.
//!
//! Margay's proof files are compressed. The crate `margay-solver` decompresses them
//! (`margay_solver::proof::records`) and hands the bytes over; a [`ProofChecker`] takes them from
//! any [`Read`](std::io::Read).
//!
//! # What is checked
//!
//! [`ProofChecker`] accepts a derived clause only if its hints show it, and holds nothing in memory
//! but the clauses in use. That the clauses and questions are those that someone meant is not in
//! the proof: the checker stops at each one, and [`ProofChecker::literals`] shows it, so that it
//! can be compared.
//!
//! ```
//! use margay_proof::{ProofChecker, Encoder, RecordKind, ProofStep, SatLiteral};
//!
//! // Of "1 or 2" and "not 1 or 2" follows 2: with 2 false the first makes 1 true, and then nothing of the second is left.
//! let records: [(RecordKind, u64, &[i32], &[u64]); 6] = [
//!     (RecordKind::Original, 1, &[1, 2], &[]),
//!     (RecordKind::Original, 2, &[-1, 2], &[]),
//!     (RecordKind::Derived, 3, &[2], &[1, 2]),
//!     // Can 2 be false? No, by clause 3.
//!     (RecordKind::Question, 0, &[-2], &[]),
//!     (RecordKind::Refuted, 3, &[], &[]),
//!     // Five records are before this one.
//!     (RecordKind::End, 5, &[], &[]),
//! ];
//! let (mut encoder, mut bytes) = (Encoder::default(), Vec::new());
//! for (kind, id, literals, hints) in records {
//!     let literals = SatLiteral::all_of_dimacs(literals).expect("literals");
//!     encoder.put_parts(kind, id, &literals, hints, &mut bytes);
//! }
//!
//! let mut checker = ProofChecker::of_records(bytes.as_slice());
//! assert_eq!(checker.step()?, ProofStep::Original);
//! let numbers = |literals: &[SatLiteral]| literals.iter().map(|l| l.dimacs()).collect::<Vec<i32>>();
//! assert_eq!(numbers(checker.literals()), [1, 2]);
//! assert_eq!(checker.step()?, ProofStep::Original);
//! assert_eq!(numbers(checker.literals()), [-1, 2]);
//! assert_eq!(checker.step()?, ProofStep::Question);
//! assert_eq!(numbers(checker.literals()), [-2]);
//! assert_eq!(checker.step()?, ProofStep::Refuted);
//! assert_eq!(checker.step()?, ProofStep::End);
//! # Ok::<(), margay_proof::ProofFlaw>(())
//! ```
//!
//! # For other checkers
//!
//! A [`LratRefutation`] is one question's, as DIMACS and LRAT, for checkers that others wrote.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![warn(unreachable_pub)]

mod checker;
mod clauses;
mod ids;
mod input;
mod literal;
mod lrat;
mod record;

pub use checker::{ProofChecker, ProofStep};
pub use input::{ProofFlaw, ProofInput};
pub use literal::SatLiteral;
pub use lrat::{ExportedRefutation, LratRefutation, refuted};
pub use record::{Encoder, ProofRecord, RecordKind};
