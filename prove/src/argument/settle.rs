//! One obligation: refuted in the simplest way that does it, and the refutation checked at once.

use super::obligations::apart;
use super::prove::{Failure, Settled};
use crate::ground::{Claims, Effort, Obligation, Outcome, Reach, settle};
use crate::theory::Theory;

/// How an obligation is tried. Each way knows what the one before it knows, and more: the simplest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With its own events.
    Own,
    /// With the values of functions at them.
    Values,
    /// With closures taken apart, too.
    Apart,
}

/// The ways, the simplest first.
pub const WAYS: [Way; 3] = [Way::Own, Way::Values, Way::Apart];

/// Claims of earlier steps that a refutation uses: the number of the step, and of the claim in it.
pub type Lemmas = Vec<(usize, usize)>;

/// A refutation, the claims of earlier steps that it uses, and the way in which it was found.
pub struct Found {
    /// With the refutation.
    pub settled: Settled,
    /// What it uses.
    pub lemmas: Lemmas,
    /// How it was found.
    pub way: Way,
}

/// Refutes an obligation by all that is known, first in the way in which it was refuted before.
pub fn settle_again(
    theory: &Theory,
    obligation: &Obligation,
    way: Option<Way>,
    reach: Reach,
    effort: &mut Effort,
) -> Result<Settled, Box<Failure>> {
    let before = way.map(|w| settle_one(theory, None, obligation, &[w], reach, effort));
    match before {
        Some(Ok(found)) => Ok(found.settled),
        _ => settle_one(theory, None, obligation, &WAYS, reach, effort).map(|f| f.settled),
    }
}

/// Refutes an obligation in one of some ways.
pub fn settle_one(
    theory: &Theory,
    claims: Option<&Claims>,
    obligation: &Obligation,
    ways: &[Way],
    reach: Reach,
    effort: &mut Effort,
) -> Result<Found, Box<Failure>> {
    let mut last = (None, None);
    for &way in ways {
        let mut own = None;
        let longer = match way {
            Way::Apart => match apart(own.insert(theory.clone()), obligation) {
                Some(longer) => Some(longer),
                None => continue,
            },
            Way::Own | Way::Values => None,
        };
        let (theory, asked) = (own.as_ref().unwrap_or(theory), longer.as_ref().unwrap_or(obligation));
        let steps = if way == Way::Own { 0 } else { reach.steps };
        match attempt(theory, claims, asked, Reach { steps, ..reach }, effort)? {
            Outcome::Refuted(refutation) => {
                let lemmas = refutation.lemmas(theory).collect();
                let (what, apart) = (asked.what.clone(), way == Way::Apart);
                let settled = Settled { what, apart, events: asked.events, possible: true, refutation };
                return Ok(Found { settled, lemmas, way });
            }
            Outcome::Model(structure) => last = (Some(structure), own),
            // What an easier attempt left open is no counterexample.
            Outcome::Unknown => last = (None, None),
        }
    }
    let (claim, what) = (obligation.what.clone(), obligation.what.clone());
    let (structure, own) = last;
    Err(Box::new(Failure { claim, what, structure, theory: own.unwrap_or_else(|| theory.clone()) }))
}

/// A refutation is checked as soon as it is found.
fn attempt(
    theory: &Theory,
    claims: Option<&Claims>,
    asked: &Obligation,
    reach: Reach,
    effort: &mut Effort,
) -> Result<Outcome, Box<Failure>> {
    let outcome = settle(theory, claims, asked, reach, effort);
    if let Outcome::Refuted(refutation) = &outcome {
        refutation.check(theory, asked).map_err(|what| {
            let what = format!("a refutation is wrong: {what}");
            Box::new(Failure { claim: asked.what.clone(), what, structure: None, theory: theory.clone() })
        })?;
    }
    Ok(outcome)
}
