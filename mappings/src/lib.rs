//! The mapping language and the bounded soundness check of compilation mappings.

pub mod check;
pub mod encode;
pub mod language;
pub mod library;

pub use margay_solver::Backend;
