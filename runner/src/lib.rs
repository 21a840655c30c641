//! Runs litmus tests, instead of reasoning about them: on an operational machine on the CPU ([`sim`]).

pub mod outcome;
pub mod sim;
