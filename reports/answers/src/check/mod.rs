//! A check: what is asked, the answer with its counterexamples made presentable, and what is said
//! of the whole.

mod ask;
pub mod assumed;
pub mod causes;
pub mod files;
pub mod human;
pub mod json;
pub mod matrix;
pub mod one;
pub mod present;

pub use ask::{CheckSubject, run};
pub use files::{counterexample as write_counterexample, is_like, stem};
pub use human::{counterexample as print_counterexample, without_counterexample};
pub use json::counterexample as counterexample_report;
pub use present::{PresentedCounterexample, outcome_of};
