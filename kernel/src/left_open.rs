//! What a verdict about a test leaves open, and that it is proved where it leaves nothing open.

use margay_litmus::explicit::{Options, TestVerdict};
use margay_litmus::gap::{Gap, GapKind};
use margay_models::model::Model;

use crate::answer::FindingKind;
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::program::Written;
use crate::proofs::ExpectedProof;
use crate::slice::Slice;

impl Inquiry<'_, '_> {
    /// What a test without an execution leaves open, or its proof, where it leaves nothing open.
    pub fn settle(
        &self,
        test: (&Written, &Model),
        verdict: &TestVerdict,
        (what, options): (&str, &Options),
        found: &mut LaunchFindings,
    ) {
        if !self.leaves_open(verdict, what, found) {
            self.keep_proof(test, options, (what, ExpectedProof::Nothing), found);
        }
    }

    /// What a bound leaves open.
    pub fn bound(&self) -> String {
        format!("loops were gone round at most {} times", self.question.unroll)
    }

    /// What a test leaves open in which nothing is found, since it has lanes order memory by what
    /// they exchange.
    pub fn exchanged(&self, slice: &Slice, what: &str, found: &mut LaunchFindings) {
        if slice.orders_by_exchanges() {
            found.open(format!(
                "{what}: lanes of a warp exchange values that depend on memory, with fences around, and are taken to order memory by that, which the ISA does not say"
            ));
        }
    }

    /// Notes what a verdict without an execution leaves open; says whether it does.
    pub fn leaves_open(
        &self,
        verdict: &TestVerdict,
        what: &str,
        found: &mut LaunchFindings,
    ) -> bool {
        let is_told = |found: &LaunchFindings| {
            let mut kinds = found.findings.iter().map(|finding| finding.kind);
            kinds.any(|kind| matches!(kind, FindingKind::Endless | FindingKind::Barriers))
        };
        match verdict.gap.as_ref().map(Gap::kind) {
            _ if verdict.bounded => found.open(format!("{what}: {}", self.bound())),
            Some(gap @ GapKind::Lost) => found.open(format!("{what}: {}", gap.words())),
            // What nothing does shows nothing: the kernel has executions that end, and so must a
            // test of what it does.
            Some(gap @ GapKind::Endless) if !is_told(found) => {
                found.open(format!("{what}: {}, in the test of it", gap.words()))
            }
            Some(_) => {}
            None => return false,
        }
        true
    }
}
