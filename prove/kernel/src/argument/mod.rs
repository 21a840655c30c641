//! The argument of a proof: a list of steps, each of which claims something for all executions and
//! says why. Every obligation that is left is refuted by instances of what is known before.

mod check;
mod claim;
mod edges;
mod induction;
mod last_step;
mod obligations;
mod opening;
mod proof;
mod property;
mod written;

pub use check::{Flaw, StepFlaw, check};
pub use claim::{Claim, ClaimStep, Cut, Rule, RuleRefusal};
pub use edges::{by_halves, edges, edges_by_halves};
pub use induction::{InductionCase, induction_cases};
pub use last_step::LastStep;
pub use obligations::{apart, obligations};
pub use opening::{open_all, treatment};
pub use proof::{ArgumentProof, Settled};
pub use property::{Property, W, X, Y, Z};
pub use written::{UnreadStep, WrittenClaim, WrittenExpr, WrittenRule, WrittenStep};
