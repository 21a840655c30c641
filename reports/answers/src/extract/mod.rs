//! What compilers emit: a table, and what differs from another one.

pub mod difference;
pub mod json;
