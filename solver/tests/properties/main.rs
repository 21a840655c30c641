//! Properties of the whole pipeline on random small problems: what the solver says against all instances one by one, judged by
//! the concrete evaluator.

mod generate;
#[cfg(feature = "cadical")]
mod lrat;
mod objectives;
mod polarity;
mod problem;
#[cfg(feature = "cadical")]
mod proofs;
mod satisfiability;
mod symmetry;
