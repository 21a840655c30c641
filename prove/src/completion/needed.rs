//! What the goals need: which claims of which steps, found from the end of an argument, and nothing
//! that a refutation can do without.

use super::complete::UnrefutedObligation;
use super::settle::{FoundRefutation, Lemmas, RefutationMethod, WAYS, settle_one};
use crate::ground::{Claims, GroundEffort, Growth, ProvedClaims};
use margay_theorem::argument::{Claim, ClaimStep, Property, obligations};
use margay_theorem::ground::{Obligation, Reach, Refutation, SupposedClause};
use margay_theorem::theory::Theory;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// How an obligation was refuted.
pub struct NeededRefutation {
    pub way: RefutationMethod,
    /// By which claims of earlier steps.
    pub lemmas: Lemmas,
    /// The refutation, in the theory in which it was found out what is needed.
    pub refutation: Refutation,
    /// What the obligation supposed there.
    pub suppositions: Vec<SupposedClause>,
    /// What the theory got for it, where closures are taken apart.
    pub growth: Option<Growth>,
}

/// How each obligation was refuted, by the number of its step and what it says.
pub type Ways = FxHashMap<(usize, String), NeededRefutation>;

/// What the goals need.
pub struct NeededClaims {
    /// Which claims of each step.
    pub claims: Vec<Vec<bool>>,
    /// How each obligation of these was refuted.
    pub ways: Ways,
    /// The theory in which that was found out.
    pub theory: Theory,
}

/// Which claims of each step the goals need, and how each obligation was refuted.
pub fn needed(
    mut theory: Theory,
    steps: &[ClaimStep],
    goals: &[Claim],
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<NeededClaims, Box<UnrefutedObligation>> {
    let mut ways = Ways::default();
    for (number, step) in steps.iter().enumerate() {
        theory.learn(number, step);
    }
    let mut needed: Vec<Vec<bool>> =
        steps.iter().map(|s| s.claims.iter().map(|c| goals.contains(c)).collect()).collect();
    for number in (0..steps.len()).rev() {
        let step = &steps[number];
        theory.before = number;
        if !step.rule.has_obligations() {
            for claim in
                step.claims.iter().zip(needed[number].clone()).filter(|(_, n)| *n).map(|(c, _)| c)
            {
                let supports = theory.supports(&step.rule, claim).unwrap_or_default();
                mark(&steps[..number], &mut needed, &supports);
            }
            continue;
        }
        needed_of_step(&mut theory, steps, number, &mut needed, &mut ways, reach, effort)?;
    }
    Ok(NeededClaims { claims: needed, ways, theory })
}

/// Refutes an obligation whose own events are not enough: by what is known to be needed, and of all
/// else by no more than that leaves open.
fn hard(
    theory: &Theory,
    [known, all]: [&Claims; 2],
    obligation: &Obligation,
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<FoundRefutation, Box<UnrefutedObligation>> {
    let [lean, whole] = [Some(known), None].map(|first| ProvedClaims { only: Some(all), first });
    let found = settle_one(theory, lean, obligation, &WAYS[1..], reach, effort);
    found.or_else(|_| settle_one(theory, whole, obligation, &WAYS, reach, effort))
}

/// How many obligations are looked at side by side when it is found out what they need. What one of
/// them needs does for the next ones, so it is a small number, whatever the number of threads: the
/// outcome must not depend on that.
const AT_ONCE: usize = 2;

/// Marks what the needed claims of one step need. Claims of a step support each other: whatever one
/// of them supposes is needed, too.
fn needed_of_step(
    theory: &mut Theory,
    steps: &[ClaimStep],
    number: usize,
    needed: &mut [Vec<bool>],
    ways: &mut Ways,
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<(), Box<UnrefutedObligation>> {
    let step = &steps[number];
    if !needed[number].contains(&true) {
        return Ok(());
    }
    let mut times = [0.0; 2];
    let whole = obligations(theory, step);
    let theory = &*theory;
    let all: Claims = all_claims(steps, number, |_, _| true);
    let mut done = vec![false; whole.len()];
    loop {
        let open: Vec<usize> =
            (0..whole.len()).filter(|&o| !done[o] && needed[number][whole[o].claim]).collect();
        if open.is_empty() {
            tracing::debug!(
                "step {}: {:.2} s to refute, {:.2} s to leave out",
                number + 1,
                times[0],
                times[1]
            );
            return Ok(());
        }
        let begin = Instant::now();
        let found: Vec<(Result<FoundRefutation, Box<UnrefutedObligation>>, GroundEffort)> = open
            .par_iter()
            .map(|&o| {
                let mut effort = GroundEffort::default();
                (
                    settle_one(
                        theory,
                        ProvedClaims { only: Some(&all), first: None },
                        &whole[o],
                        &WAYS[..1],
                        reach,
                        &mut effort,
                    ),
                    effort,
                )
            })
            .collect();
        let mut found: Vec<(usize, Option<FoundRefutation>)> = open
            .into_iter()
            .zip(found)
            .map(|(o, (found, own))| {
                effort.add(own);
                (o, found.ok())
            })
            .collect();
        times[0] += begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        // Those first that leave no choice, or little; last of all those whose own events are not
        // enough. These take long, and are searched for once, when it is known what the others
        // need.
        found.sort_by_key(|(o, f)| (f.as_ref().map_or(usize::MAX, |f| f.lemmas.len()), *o));
        for some in found.chunks_mut(AT_ONCE) {
            let known: Claims = all_claims(steps, number, |s, c| needed[s][c]);
            let refuted: Vec<(Result<FoundRefutation, Box<UnrefutedObligation>>, GroundEffort)> =
                some.par_iter_mut()
                    .map(|(o, found)| {
                        let mut effort = GroundEffort::default();
                        let found = found.take().map_or_else(
                            || hard(theory, [&known, &all], &whole[*o], reach, &mut effort),
                            Ok,
                        );
                        let less = found.map(|mut found| {
                            found.leave_out(theory, &known, &whole[*o], reach, &mut effort);
                            found
                        });
                        (less, effort)
                    })
                    .collect();
            for ((o, _), (found, own)) in some.iter().zip(refuted) {
                effort.add(own);
                let FoundRefutation { settled, lemmas, way, growth, .. } = found?;
                let obligation = &whole[*o];
                done[*o] = true;
                let refuted = NeededRefutation {
                    way,
                    lemmas: lemmas.clone(),
                    refutation: settled.refutation.clone(),
                    suppositions: obligation.suppositions.clone(),
                    growth,
                };
                ways.insert((number, obligation.what.clone()), refuted);
                let opened = obligation
                    .question
                    .lits()
                    .into_iter()
                    .filter_map(|l| theory.bounds.get(&l.atom.pred))
                    .map(|b| b.0);
                for (lemma, claim) in lemmas.iter().copied().chain(opened).filter(|l| l.0 < number)
                {
                    needed[lemma][claim] = true;
                }
                for claim in settled.refutation.supposed(obligation).chain(parts_of(step)) {
                    needed[number][claim] = true;
                }
            }
        }
        times[1] += begin.elapsed().as_secs_f64();
    }
}

fn mark(steps: &[ClaimStep], needed: &mut [Vec<bool>], claims: &[Claim]) {
    for claim in claims {
        for (step, needed) in steps.iter().zip(needed.iter_mut()) {
            if let Some(at) = step.claims.iter().position(|c| c == claim) {
                needed[at] = true;
                break;
            }
        }
    }
}

/// The claims of steps before one, those that are wanted.
fn all_claims(steps: &[ClaimStep], before: usize, wanted: impl Fn(usize, usize) -> bool) -> Claims {
    let pairs = steps[..before]
        .iter()
        .enumerate()
        .flat_map(|(s, step)| (0..step.claims.len()).map(move |c| (s, c)));
    pairs.filter(|&(s, c)| wanted(s, c)).collect()
}

/// The inclusions that an induction supposes: their parts are in the questions themselves.
fn parts_of(step: &ClaimStep) -> impl Iterator<Item = usize> + '_ {
    let is_inclusion = |c: &Claim| matches!(c, Claim::Pairs { property: Property::Within(_), .. });
    step.claims.iter().enumerate().filter(move |(_, c)| is_inclusion(c)).map(|(i, _)| i)
}
