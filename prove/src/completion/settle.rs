//! One obligation: refuted in the simplest way that does it, and the refutation checked at once.

use super::complete::UnrefutedObligation;
use crate::ground::{
    AtHand, Carrier, Claims, GroundEffort, Growth, ObligationOutcome, ProvedClaims, settle,
};
use margay_theorem::argument::{Settled, apart};
use margay_theorem::ground::{Obligation, Reach, Refutation, SupposedClause};
use margay_theorem::theory::Theory;

/// How an obligation is tried. Each way knows what the one before it knows, and more: the simplest
/// comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefutationMethod {
    /// With its own events.
    Own,
    /// With the values of functions at them.
    Values,
    /// With closures taken apart, too.
    Apart,
}

/// The ways, the simplest first.
pub const WAYS: [RefutationMethod; 3] =
    [RefutationMethod::Own, RefutationMethod::Values, RefutationMethod::Apart];

/// Claims of earlier steps that a refutation uses: the number of the step, and of the claim in it.
pub type Lemmas = Vec<(usize, usize)>;

/// A refutation, the claims of earlier steps that it uses, and the way in which it was found.
pub struct FoundRefutation {
    pub settled: Settled,
    /// What it uses.
    pub lemmas: Lemmas,
    pub way: RefutationMethod,
    /// What the search for it knew.
    pub at_hand: AtHand,
    /// What the theory got for it, where closures are taken apart.
    pub growth: Option<Growth>,
    /// Did the search for it use first what is needed anyway?
    pub is_lean: bool,
}

impl FoundRefutation {
    /// Leaves out what another refutation does not need besides `known`. Where no search has used
    /// `known` first, one does, and of what this one uses no more than what these leave open; in
    /// the way in which this one was found, since with less that is known, simpler ways have no
    /// better chance. Then lemma by lemma what is at hand is looked at.
    pub fn leave_out(
        &mut self,
        theory: &Theory,
        known: &Claims,
        obligation: &Obligation,
        reach: Reach,
        effort: &mut GroundEffort,
    ) {
        let more = |lemmas: &Lemmas| -> Lemmas {
            lemmas.iter().copied().filter(|l| !known.contains(l)).collect()
        };
        if more(&self.lemmas).is_empty() || self.without(theory, known, obligation) {
            return;
        }
        // What it uses already is enough beside `known`, and with few claims a search has few
        // instances to look at.
        let enough: Claims = known.iter().chain(&self.lemmas).copied().collect();
        let first = ProvedClaims { only: Some(&enough), first: Some(known) };
        if !self.is_lean
            && let Ok(less) = settle_one(theory, first, obligation, &[self.way], reach, effort)
            && more(&less.lemmas).len() <= more(&self.lemmas).len()
        {
            *self = less;
        }
        let more = more(&self.lemmas);
        let mut kept: Claims = known.union(&more.iter().copied().collect()).copied().collect();
        for lemma in &more {
            // `known` alone was tried.
            if kept.len() == known.len() + 1 {
                break;
            }
            kept.remove(lemma);
            if !self.without(theory, &kept, obligation) {
                kept.insert(*lemma);
            }
        }
    }

    /// Takes another refutation, made of what is at hand, that knows these claims alone; false if
    /// there is none.
    fn without(&mut self, theory: &Theory, claims: &Claims, obligation: &Obligation) -> bool {
        let mut own = None;
        let longer = if self.way == RefutationMethod::Apart {
            apart(own.insert(theory.clone()), obligation)
        } else {
            None
        };
        let (theory, asked) =
            (own.as_ref().unwrap_or(theory), longer.as_ref().unwrap_or(obligation));
        let Some(less) = self.at_hand.refutation(theory, asked, claims) else { return false };
        self.lemmas = less.lemmas(theory).collect();
        self.settled.refutation = less;
        true
    }
}

/// How an obligation was refuted before.
pub struct EarlierRefutation<'a> {
    pub way: RefutationMethod,
    pub claims: Claims,
    pub refutation: &'a Refutation,
    pub suppositions: &'a [SupposedClause],
    /// What the theory got for it, where closures are taken apart.
    pub growth: Option<&'a Growth>,
}

impl EarlierRefutation<'_> {
    /// The same refutation in another theory, if that has all of it. `from`: the theory that it is
    /// of.
    fn again(&self, from: &Theory, theory: &Theory, obligation: &Obligation) -> Option<Settled> {
        let mut own = None;
        let is_apart = self.way == RefutationMethod::Apart;
        let longer =
            if is_apart { Some(apart(own.insert(theory.clone()), obligation)?) } else { None };
        let (theory, asked) =
            (own.as_ref().unwrap_or(theory), longer.as_ref().unwrap_or(obligation));
        let carrier = Carrier::new(from, self.growth, theory);
        let at_hand = carrier.carried(self.refutation, [self.suppositions, &asked.suppositions])?;
        let refutation = at_hand.whole_refutation(theory, asked)?;
        refutation.check(theory, asked).ok()?;
        Some(Settled {
            what: asked.what.clone(),
            apart: is_apart,
            events: asked.events,
            possible: true,
            refutation,
        })
    }
}

/// Refutes an obligation by all that is known; first by what it was refuted with before, then in
/// the way in which it was refuted, by the claims that were used: with few claims a search has few
/// instances to look at.
pub fn settle_again(
    theory: &Theory,
    obligation: &Obligation,
    (from, before): (&Theory, Option<&EarlierRefutation<'_>>),
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<Settled, Box<UnrefutedObligation>> {
    if let Some(before) = before {
        if let Some(settled) = before.again(from, theory, obligation) {
            return Ok(settled);
        }
        let EarlierRefutation { way, claims, .. } = before;
        for only in [Some(claims), None] {
            if let Ok(found) = settle_one(
                theory,
                ProvedClaims { only, first: None },
                obligation,
                &[*way],
                reach,
                effort,
            ) {
                return Ok(found.settled);
            }
        }
    }
    settle_one(theory, ProvedClaims::default(), obligation, &WAYS, reach, effort).map(|f| f.settled)
}

/// Refutes an obligation in one of some ways.
pub fn settle_one(
    theory: &Theory,
    known: ProvedClaims,
    obligation: &Obligation,
    ways: &[RefutationMethod],
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<FoundRefutation, Box<UnrefutedObligation>> {
    let mut last = (None, None);
    for &way in ways {
        let mut own = None;
        let longer = match way {
            RefutationMethod::Apart => match apart(own.insert(theory.clone()), obligation) {
                Some(longer) => Some(longer),
                None => continue,
            },
            RefutationMethod::Own | RefutationMethod::Values => None,
        };
        let before = theory;
        let (theory, asked) =
            (own.as_ref().unwrap_or(theory), longer.as_ref().unwrap_or(obligation));
        let steps = if way == RefutationMethod::Own { 0 } else { reach.steps };
        match attempt(theory, known, asked, Reach { steps, ..reach }, effort)? {
            ObligationOutcome::Refuted(refutation, at_hand) => {
                let lemmas = refutation.lemmas(theory).collect();
                let (what, apart) = (asked.what.clone(), way == RefutationMethod::Apart);
                let settled =
                    Settled { what, apart, events: asked.events, possible: true, refutation };
                let growth = own.as_ref().map(|grown| Growth::between(before, grown));
                return Ok(FoundRefutation {
                    settled,
                    lemmas,
                    way,
                    at_hand,
                    growth,
                    is_lean: known.first.is_some(),
                });
            }
            ObligationOutcome::Model(structure) => last = (Some(structure), own),
            // What an easier attempt left open is no counterexample.
            ObligationOutcome::Unknown => last = (None, None),
        }
    }
    let (claim, what) = (obligation.what.clone(), obligation.what.clone());
    let (structure, own) = last;
    Err(Box::new(UnrefutedObligation {
        claim,
        what,
        structure,
        theory: own.unwrap_or_else(|| theory.clone()),
    }))
}

/// A refutation is checked as soon as it is found.
fn attempt(
    theory: &Theory,
    known: ProvedClaims,
    asked: &Obligation,
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<ObligationOutcome, Box<UnrefutedObligation>> {
    let outcome = settle(theory, known, asked, reach, effort);
    if let ObligationOutcome::Refuted(refutation, _) = &outcome {
        refutation.check(theory, asked).map_err(|what| {
            let what = format!("a refutation is wrong: {what}");
            Box::new(UnrefutedObligation {
                claim: asked.what.clone(),
                what,
                structure: None,
                theory: theory.clone(),
            })
        })?;
    }
    Ok(outcome)
}
