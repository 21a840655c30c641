//! What the answers of searches, proofs and runs say: for people, as documents ([`margay_reports`]), and as files of a folder.

pub mod certificate;
pub mod check;
pub mod diff;
pub mod explain;
pub mod extract;
pub mod fence;
pub mod histogram;
pub mod prove;
pub mod refusal;
pub mod violation;
