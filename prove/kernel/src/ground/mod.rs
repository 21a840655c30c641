//! Obligations as clauses about a few events, and refutations of them. Instances of what is known
//! that contradict each other are a proof: each is true in every execution, whatever its size. What
//! finds them is no part of this crate.

mod clauses;
pub mod derivation;
mod matching;
mod refutation;
mod structure;

pub use clauses::{ClauseOrigin, ExistenceValue, GroundClauses, Obligation, Reach, SupposedClause};
pub use derivation::{DerivationFlaw, DerivationStep};
pub use matching::{matches, violations, violations_at};
pub use refutation::{Refutation, RefutationFlaw, clauses as ground_clauses};
pub use structure::Structure;
