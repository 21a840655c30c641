//! What shows that axioms are theorems.

use super::Inhabitant;
use crate::argument::ArgumentProof;

/// What shows that axioms are theorems, and not empty ones.
#[derive(Debug, Clone)]
pub struct TheoremEvidence<'a> {
    /// The names of the axioms.
    pub axioms: Vec<String>,
    /// Executions that satisfy all that is supposed.
    pub inhabitants: &'a [Inhabitant],
    pub proof: &'a ArgumentProof,
}
