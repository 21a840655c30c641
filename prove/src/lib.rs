//! Theorems for executions of every size.
pub mod argument;
pub mod ground;
pub mod logic;
pub mod search;
pub mod theory;
