//! Tests on devices: one beside a model, many whose results are kept in a file whatever happens,
//! and the pages that tell of them.

#![warn(unreachable_pub)]

pub mod allowed;
pub mod campaign;
pub mod chart;
pub mod check;
pub mod confirm;
mod elsewhere;
pub mod emit;
pub mod explain;
pub mod idioms;
pub mod measure;
pub mod opencl;
pub mod places;
pub mod results;
pub mod run;
pub mod session;
pub mod sim;
pub mod summary;
pub mod table6;
pub mod tune;
