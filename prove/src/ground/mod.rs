//! The ground solver: is there a structure of a few events in which a formula holds and every
//! clause of a theory?
//!
//! Instances are added when they are needed, in the middle of the search for an assignment: as soon
//! as an atom is true, the instances of clauses that it violates are added, and their consequences
//! are drawn (all other atoms are false). The search ends when there is nothing to add and nothing
//! to choose, or when nothing satisfies what is there. Then the instances that were added are the
//! proof: each is true in every execution, whatever its size, and together they are contradictory.

mod carried;
mod joined;
mod problem;
mod settle;
pub mod solver;

pub use carried::{Carrier, Growth};
pub use problem::{Claims, GroundAnswer, GroundEffort, GroundLimits, GroundProblem, ProvedClaims};
pub use settle::{AtHand, ObligationOutcome, possible, settle};
pub use solver::GroundLiteral;
