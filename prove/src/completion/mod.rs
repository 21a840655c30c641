//! From an argument that a search found to a proof: what the goals do not need is left out, and
//! every obligation gets its refutation.

mod complete;
mod needed;
mod possible;
mod settle;

pub use complete::{UnrefutedObligation, complete};
