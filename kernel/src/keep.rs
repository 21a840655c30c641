//! Keeps proofs of what is answered about a launch, where they are wanted.

use margay_litmus::explicit::Options;
use margay_models::model::Model;

use crate::inquiry::{Inquiry, LaunchFindings};
use crate::program::Written;
use crate::proofs::{ExpectedProof, LackOfProof, ProvedQuestion};

/// Steps of the explicit engine that looks, before a proof is kept, whether executions of its test
/// are lost: `verify` does so, too.
const STEPS: u64 = 100_000;

impl Inquiry<'_, '_> {
    /// Keeps the proof of a test that answers a question, where proofs are wanted. Where it cannot
    /// be believed, the question is open.
    pub fn keep_proof(
        &self,
        (written, model): (&Written, &Model),
        options: &Options,
        (what, expected): (&str, ExpectedProof),
        found: &mut LaunchFindings,
    ) {
        let Some(proofs) = self.question.proofs else { return };
        let counted = Options {
            steps: Some(STEPS),
            conflicts: self.effort.conflicts,
            events: self.effort.events,
            ..*options
        };
        match proofs.prove((written, model), &counted, expected, self.engines) {
            Ok((place, None)) => {
                let question = what.to_owned();
                found.proofs.proved.insert(ProvedQuestion { question, with: Vec::new(), place });
            }
            Ok((_, Some(why))) => found.proofs.lacks(what, &[], why),
            Err(why) => found.open(format!("{what}: {why}")),
        }
    }

    /// Notes a question that is answered without an engine, where proofs are wanted.
    pub fn lacks_proof(&self, what: &str, why: LackOfProof, found: &mut LaunchFindings) {
        if self.question.proofs.is_some() {
            found.proofs.lacks(what, &[], why);
        }
    }
}
