//! What compilers emit for the atomic operations of C++: programs are written for a front end,
//! compiled, and their PTX or assembly is read by control-flow paths into a mapping table, with the
//! evidence for every row (docs/extract.md).

#![warn(unreachable_pub)]

pub mod assembly;
pub mod compile;
pub mod finding;
pub mod flow;
pub mod front;
pub mod history;
pub mod lowering;
pub mod point;
pub mod ptx;
mod ptx_trials;
pub mod strength;
pub mod table;
