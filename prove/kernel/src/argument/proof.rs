//! A proof: the steps of an argument, and a refutation of each obligation that they leave.

use super::written::WrittenStep;
use crate::ground::Refutation;

/// An obligation with its refutation.
#[derive(Debug, Clone)]
pub struct Settled {
    /// In words: what would follow.
    pub what: String,
    /// Are closures taken apart at the end of their chains?
    pub apart: bool,
    /// The events that it speaks of.
    pub events: usize,
    /// Can its premises be true together? If not, it holds emptily.
    pub possible: bool,
    /// What contradicts it.
    pub refutation: Refutation,
}

/// An argument all of whose obligations are refuted.
#[derive(Debug, Clone)]
pub struct ArgumentProof {
    pub steps: Vec<WrittenStep>,
    /// For each step its obligations, in order.
    pub settled: Vec<Vec<Settled>>,
}
