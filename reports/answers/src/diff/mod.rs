//! The answer of a comparison: a difference made presentable, and what is said of the whole.

pub mod files;
pub mod human;
pub mod json;
pub mod present;
pub mod proof;

pub use human::differences as print_differences;
pub use present::{Context, Presented};
