//! The .cat language, its judge, execution signatures, and the shipped memory models.

pub mod bits;
pub mod diagnostic;
pub mod execution;
pub mod signature;
