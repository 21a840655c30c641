//! Runs litmus tests, instead of reasoning about them: on an operational machine on the CPU ([`sim`]), and as PTX kernels ([`emit`]).

pub mod emit;
pub mod outcome;
pub mod sim;
