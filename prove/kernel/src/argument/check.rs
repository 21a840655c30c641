//! Checks a proof: every obligation is made again from the theory and the steps, and every
//! refutation followed. No solver takes part, nor anything of the search.

use std::fmt;

use super::claim::{Claim, RuleRefusal};
use super::obligations::{apart, obligations};
use super::proof::ArgumentProof;
use super::written::UnreadStep;
use crate::ground::RefutationFlaw;
use crate::theory::Theory;

/// Why a step is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepFlaw {
    /// The theory cannot read it.
    Unread(UnreadStep),
    /// Its rule is for other claims.
    Rule(RuleRefusal),
    /// Its rule needs a claim that no earlier step shows: which.
    Unproved(String),
    /// There are more or fewer refutations than obligations.
    OtherNumberOfRefutations { obligations: usize, refutations: usize },
    /// A claim has no obligation that would show it: which.
    ShowsNothing(String),
    /// The check was stopped.
    Stopped,
    /// A refutation takes closures apart, of which the obligation has none.
    NothingToTakeApart,
    /// An obligation is not refuted: which, and why not.
    Refutation { obligation: String, flaw: RefutationFlaw },
}

impl fmt::Display for StepFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(why) => why.fmt(f),
            Self::Rule(why) => why.fmt(f),
            Self::Unproved(claim) => write!(f, "its rule needs what was not proved: {claim}"),
            Self::OtherNumberOfRefutations { obligations, refutations } => write!(
                f,
                "it leaves {obligations} obligations, and there are {refutations} refutations"
            ),
            Self::ShowsNothing(claim) => write!(f, "its rule shows nothing of `{claim}`"),
            Self::Stopped => f.write_str("a limit was reached before it was followed"),
            Self::NothingToTakeApart => f.write_str("there is nothing to take apart"),
            Self::Refutation { obligation, flaw } => write!(f, "{obligation}: {flaw}"),
        }
    }
}

impl std::error::Error for StepFlaw {}

/// What is wrong with a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The number of the step, from 1.
    pub step: usize,
    pub what: StepFlaw,
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
        let flaw = |what: StepFlaw| Flaw { step: number + 1, what };
        let step = &step.read(theory).map_err(|why| flaw(StepFlaw::Unread(why)))?;
        for claim in &step.claims {
            let needed =
                theory.supports(&step.rule, claim).map_err(|why| flaw(StepFlaw::Rule(why)))?;
            if let Some(missing) = needed.iter().find(|c| !proved.contains(c)) {
                return Err(flaw(StepFlaw::Unproved(missing.text(theory))));
            }
        }
        let asked = obligations(theory, step);
        let settled = proof.settled.get(number).map_or(&[][..], Vec::as_slice);
        if asked.len() != settled.len() {
            return Err(flaw(StepFlaw::OtherNumberOfRefutations {
                obligations: asked.len(),
                refutations: settled.len(),
            }));
        }
        let covered = |own: usize| asked.iter().any(|o| o.claim == own);
        if step.rule.has_obligations()
            && let Some(own) = (0..step.claims.len()).find(|&c| !covered(c))
        {
            return Err(flaw(StepFlaw::ShowsNothing(step.claims[own].text(theory))));
        }
        for (obligation, settled) in asked.iter().zip(settled) {
            if theory.stop.is_raised() {
                return Err(flaw(StepFlaw::Stopped));
            }
            let obligation = if settled.apart {
                apart(theory, obligation).ok_or_else(|| flaw(StepFlaw::NothingToTakeApart))?
            } else {
                obligation.clone()
            };
            settled.refutation.check(theory, &obligation).map_err(|why| {
                flaw(StepFlaw::Refutation { obligation: obligation.what.clone(), flaw: why })
            })?;
            refutations += 1;
        }
        theory.learn(number, step);
        proved.extend(step.claims.iter().cloned());
    }
    Ok((proved, refutations))
}
