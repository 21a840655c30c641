//! A comparison: what is compared, the answer with its differences made presentable, and what is
//! said of the whole.

mod ask;
pub mod files;
pub mod human;
pub mod json;
pub mod load;
pub mod present;
pub mod proof;
pub mod tables;

pub use ask::{DiffOptions, run};
pub use human::differences as print_differences;
pub use present::{DiffContext, PresentedDifference};
