//! The answer of a check: a counterexample made presentable, and what is said of the whole.

pub mod assumed;
pub mod files;
pub mod human;
pub mod json;
pub mod present;

pub use files::{counterexample as write_counterexample, is_like, stem};
pub use human::counterexample as print_counterexample;
pub use json::counterexample as counterexample_report;
pub use present::{Presented, outcome_of};
