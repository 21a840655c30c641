//! Properties of the whole pipeline on random small problems: what the solver says against all
//! instances one by one, judged by the concrete evaluator.

mod cores;
mod generate;
mod lrat;
mod objectives;
mod polarity;
mod problem;
mod proofs;
mod satisfiability;
mod skolem;
mod symmetry;
