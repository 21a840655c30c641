//! The ground solver: is there a structure of a few events in which a formula holds and every clause of a theory?
//!
//! Instances are added when they are needed, in the middle of the search for an assignment: as soon as an atom is true, the instances of
//! clauses that it violates are added, and their consequences are drawn (all other atoms are false). The search ends when there is
//! nothing to add and nothing to choose, or when nothing satisfies what is there. Then the instances that were added are the proof: each
//! is true in every execution, whatever its size, and together they are contradictory.

mod carried;
mod clauses;
pub mod derivation;
mod joined;
mod problem;
mod refutation;
mod search;
pub mod solver;
mod structure;

pub use carried::Carrier;
pub use clauses::{Clauses, Obligation, Origin, Reach, Supposition, Value};
pub use derivation::Step;
pub use problem::{Answer, Claims, Effort, Known, Limits, Problem, Triggers};
pub use refutation::{AtHand, Outcome, Refutation, clauses as ground_clauses, possible, settle};
pub use search::{matches, violations};
pub use solver::Literal;
pub use structure::Structure;
