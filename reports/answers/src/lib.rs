//! Searches, proofs and runs from the question to the answer, and what the answer says: for people,
//! as documents ([`margay_reports`]), and as files of a folder.

pub mod builtin;
pub mod certificate;
pub mod change;
pub mod check;
pub mod classify;
pub mod corpus;
pub mod diff;
pub mod executions;
pub mod explain;
pub mod extract;
pub mod fence;
pub mod generated;
pub mod headline;
pub mod histogram;
pub mod kernel;
pub mod matrix;
mod outcome;
pub mod prove;
mod races;
pub mod refusal;
pub mod restriction;
pub mod run;
pub mod schema;
pub mod synth;
pub mod verify;
pub mod violation;
