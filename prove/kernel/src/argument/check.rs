//! Checks a proof: every obligation is made again from the theory and the steps, and every
//! refutation followed. No solver takes part, nor anything of the search.

use super::claim::Claim;
use super::obligations::{apart, obligations};
use super::proof::ArgumentProof;
use crate::theory::Theory;

/// What is wrong with a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The number of the step, from 1.
    pub step: usize,
    /// What is wrong, in words.
    pub what: String,
}

/// Follows a proof in a theory, which learns its claims; returns them, and how many refutations
/// there were.
///
/// # Errors
/// The first step that does not hold.
pub fn check(theory: &mut Theory, proof: &ArgumentProof) -> Result<(Vec<Claim>, usize), Flaw> {
    let mut proved: Vec<Claim> = Vec::new();
    let mut refutations = 0;
    for (number, step) in proof.steps.iter().enumerate() {
        let flaw = |what: String| Flaw { step: number + 1, what };
        let step = &step.read(theory).map_err(flaw)?;
        for claim in &step.claims {
            let needed = theory.supports(&step.rule, claim).map_err(flaw)?;
            if let Some(missing) = needed.iter().find(|c| !proved.contains(c)) {
                return Err(flaw(format!(
                    "its rule needs what was not proved: {}",
                    missing.text(theory)
                )));
            }
        }
        let asked = obligations(theory, step);
        let settled = proof.settled.get(number).map_or(&[][..], Vec::as_slice);
        if asked.len() != settled.len() {
            return Err(flaw(format!(
                "it leaves {} obligations, and there are {} refutations",
                asked.len(),
                settled.len()
            )));
        }
        let covered = |own: usize| asked.iter().any(|o| o.claim == own);
        if step.rule.has_obligations()
            && let Some(own) = (0..step.claims.len()).find(|&c| !covered(c))
        {
            return Err(flaw(format!(
                "its rule shows nothing of `{}`",
                step.claims[own].text(theory)
            )));
        }
        for (obligation, settled) in asked.iter().zip(settled) {
            if theory.stop.is_raised() {
                return Err(flaw("a limit was reached before it was followed".to_owned()));
            }
            let obligation = if settled.apart {
                apart(theory, obligation)
                    .ok_or_else(|| flaw("there is nothing to take apart".to_owned()))?
            } else {
                obligation.clone()
            };
            settled
                .refutation
                .check(theory, &obligation)
                .map_err(|what| flaw(format!("{}: {what}", obligation.what)))?;
            refutations += 1;
        }
        theory.learn(number, step);
        proved.extend(step.claims.iter().cloned());
    }
    Ok((proved, refutations))
}
