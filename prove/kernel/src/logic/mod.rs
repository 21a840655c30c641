//! The logic of proofs: symbols, expressions of sets and relations, clauses over events.

pub mod clause;
pub mod expr;
pub mod form;
pub mod relations;
pub mod symbol;

pub use clause::{Clause, EventAtom, EventTerm, Existence, Lit};
pub use expr::{Exprs, TheoryExpr, TheoryExprId};
pub use form::{FormSize, TheoryFormula};
pub use relations::RelationMap;
pub use symbol::{Meaning, Pred, TheorySymbols};
