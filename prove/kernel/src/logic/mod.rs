//! The logic of proofs: symbols, expressions of sets and relations, clauses over events.

pub mod clause;
pub mod expr;
pub mod form;
pub mod symbol;

pub use clause::{Atom, Clause, Existence, Lit, Term};
pub use expr::{Expr, ExprId, Exprs};
pub use form::{Form, FormSize};
pub use symbol::{Meaning, Pred, TheorySymbols};
