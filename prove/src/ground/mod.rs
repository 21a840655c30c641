//! The ground solver: is there a structure of a few events in which a formula holds and every clause of a theory?
//!
//! Instances are added when they are needed. The SAT solver gives an assignment of the atoms that matter so far (all others are false);
//! what it violates, instances of clauses at these events, is added, until there is nothing to add or nothing satisfies what is there.
//! Then the instances that were added are the proof: each is true in every execution, whatever its size, and together they are
//! contradictory.

mod clauses;
mod joined;
mod problem;
mod refutation;
mod refuter;
mod search;
mod structure;

pub use clauses::{Clauses, Obligation, Origin, Reach, Supposition, Value};
pub use problem::{Answer, Effort, Instance, Limits, Problem};
pub use refutation::{AtHand, Claims, Outcome, Refutation, clauses as ground_clauses, possible, settle};
pub use refuter::Step;
pub use search::{matches, violations};
pub use structure::Structure;
