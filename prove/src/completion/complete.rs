//! From the steps that a search found to a proof: what the claims do not need is left out, and
//! every obligation gets its refutation.

use super::needed::{NeededClaims, NeededRefutation, needed};
use super::possible::all_possible;
use super::settle::{EarlierRefutation, settle_again};
use crate::ground::{Claims, GroundEffort};
use margay_theorem::argument::{
    ArgumentProof, Claim, ClaimStep, Settled, WrittenStep, apart, obligations,
};
use margay_theorem::ground::{Obligation, Reach, Structure};
use margay_theorem::theory::Theory;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// An obligation that was not refuted.
#[derive(Debug, Clone)]
pub struct UnrefutedObligation {
    pub claim: String,
    /// In words: what would follow.
    pub what: String,
    /// A structure of its events in which it does not hold; `None` where a limit was reached.
    pub structure: Option<Structure>,
    pub theory: Theory,
}

/// Refutes all obligations of the steps that the goals need. `base` is the theory without any of
/// the claims, `found` the one that the steps were found in.
///
/// # Errors
/// An obligation that cannot be refuted within reach.
pub fn complete(
    base: &Theory,
    found: &Theory,
    steps: &[ClaimStep],
    goals: &[Claim],
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<(Theory, ArgumentProof), Box<UnrefutedObligation>> {
    let begin = Instant::now();
    let NeededClaims { claims: needed, ways, theory: searched } =
        needed(base.with_names(found), steps, goals, reach, effort)?;
    tracing::debug!("what the goals need: {:.2} s", begin.elapsed().as_secs_f64());
    // Only what is needed, from the beginning, as whoever reads it will do it.
    let mut theory = base.clone();
    let mut proof = ArgumentProof { steps: Vec::new(), settled: Vec::new() };
    // The numbers that claims of the search have in the proof.
    let mut renumbered: FxHashMap<(usize, usize), (usize, usize)> = FxHashMap::default();
    for ((number, step), claims) in steps.iter().enumerate().zip(needed) {
        let kept: Vec<usize> = (0..claims.len()).filter(|&c| claims[c]).collect();
        let claims: Vec<Claim> = kept.iter().map(|&c| step.claims[c].clone()).collect();
        if claims.is_empty() {
            continue;
        }
        renumbered.extend(
            kept.into_iter().enumerate().map(|(at, c)| ((number, c), (proof.steps.len(), at))),
        );
        let written = WrittenStep::of(found, &ClaimStep { claims, ..step.clone() });
        let step = written.read(&mut theory).map_err(|what| {
            Box::new(UnrefutedObligation {
                claim: String::new(),
                what: what.to_string(),
                structure: None,
                theory: theory.clone(),
            })
        })?;
        let asked = obligations(&mut theory, &step);
        let known = |o: &Obligation| {
            let NeededRefutation { way, lemmas, refutation, suppositions, growth } =
                ways.get(&(number, o.what.clone()))?;
            let claims: Claims = lemmas.iter().filter_map(|l| renumbered.get(l).copied()).collect();
            Some(EarlierRefutation {
                way: *way,
                claims,
                refutation,
                suppositions,
                growth: growth.as_ref(),
            })
        };
        let befores: Vec<Option<EarlierRefutation>> = asked.iter().map(known).collect();
        let attempts: Vec<ObligationAttempt> = asked
            .par_iter()
            .zip(&befores)
            .map(|(obligation, before)| {
                let mut effort = GroundEffort::default();
                (
                    settle_again(
                        &theory,
                        obligation,
                        (&searched, before.as_ref()),
                        reach,
                        &mut effort,
                    ),
                    effort,
                )
            })
            .collect();
        let possible = all_possible(&theory, &step, &asked, reach, effort);
        // Of a search that was stopped nobody knows what is possible.
        if theory.stop.is_raised() {
            let what = "a limit was reached".to_owned();
            return Err(Box::new(UnrefutedObligation {
                claim: String::new(),
                what,
                structure: None,
                theory,
            }));
        }
        let mut settled = Vec::new();
        for (((obligation, before), (one, own)), possible) in
            asked.iter().zip(&befores).zip(attempts).zip(possible)
        {
            effort.add(own);
            let mut one = one?;
            // What is taken apart gets its names in the order of the obligations, as whoever checks
            // the proof gives them.
            if one.apart && !holds_in_turn(&mut theory, obligation, &one) {
                one =
                    settle_again(&theory, obligation, (&searched, before.as_ref()), reach, effort)?;
            }
            settled.push(Settled { possible, ..one });
        }
        tracing::debug!(
            "step {} of the search is completed: {:.2} s",
            number + 1,
            begin.elapsed().as_secs_f64()
        );
        theory.learn(proof.steps.len(), &step);
        proof.steps.push(written);
        proof.settled.push(settled);
    }
    Ok((theory, proof))
}

/// What came of an obligation, and what it took.
type ObligationAttempt = (Result<Settled, Box<UnrefutedObligation>>, GroundEffort);

/// Does the refutation of an obligation that is taken apart hold with the names that this theory
/// gives?
fn holds_in_turn(theory: &mut Theory, obligation: &Obligation, settled: &Settled) -> bool {
    apart(theory, obligation)
        .is_some_and(|longer| settled.refutation.check(theory, &longer).is_ok())
}
