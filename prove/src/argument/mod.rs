//! The argument of a proof: a list of steps, each of which claims something for all executions and says why. Every obligation that is left
//! is refuted by instances of what is known before.

mod check;
mod claim;
mod last_step;
mod needed;
mod obligations;
mod possible;
mod prove;
mod settle;
mod written;

pub use check::{Flaw, check};
pub use claim::{Claim, Rule, Step};
pub use last_step::LastStep;
pub use obligations::{apart, obligations};
pub use prove::{Failure, Proof, Settled, complete};
pub use written::{WrittenClaim, WrittenExpr, WrittenRule, WrittenStep};
