//! From the steps that a search found to a proof: what the claims do not need is left out, and every obligation gets its refutation.

use super::claim::{Claim, Rule, Step};
use super::obligations::{apart, obligations};
use super::written::WrittenStep;
use crate::ground::{Claims, Effort, Obligation, Outcome, Reach, Refutation, Structure, possible, settle};
use crate::logic::{Expr, Term};
use crate::search::houdini::open_all;
use crate::search::property::Property;
use crate::theory::Theory;

/// An obligation with its refutation.
#[derive(Debug, Clone)]
pub struct Settled {
    /// In words: what would follow.
    pub what: String,
    /// Are closures taken apart at their last step?
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
pub struct Proof {
    /// The steps.
    pub steps: Vec<WrittenStep>,
    /// For each step its obligations, in order.
    pub settled: Vec<Vec<Settled>>,
}

/// An obligation that was not refuted.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The claim.
    pub claim: String,
    /// In words: what would follow.
    pub what: String,
    /// A structure of its events in which it does not hold; `None` where a limit was reached.
    pub structure: Option<Structure>,
    /// The theory that the structure is of.
    pub theory: Theory,
}

/// Refutes all obligations of the steps that the goals need. `base` is the theory without any of the claims, `found` the one that the
/// steps were found in.
///
/// # Errors
/// An obligation that cannot be refuted within reach.
pub fn complete(
    base: &Theory,
    found: &Theory,
    steps: &[Step],
    goals: &[Claim],
    reach: Reach,
    effort: &mut Effort,
) -> Result<(Theory, Proof), Box<Failure>> {
    let needed = needed(base.with_names(found), steps, goals, reach, effort)?;
    // Only what is needed, from the beginning, as whoever reads it will do it.
    let mut theory = base.clone();
    let mut proof = Proof { steps: Vec::new(), settled: Vec::new() };
    for (step, claims) in steps.iter().zip(needed) {
        let claims: Vec<Claim> = step.claims.iter().zip(claims).filter(|(_, n)| *n).map(|(c, _)| c.clone()).collect();
        if claims.is_empty() {
            continue;
        }
        let written = WrittenStep::of(found, &Step { claims, ..step.clone() });
        let step = written
            .read(&mut theory)
            .map_err(|what| Box::new(Failure { claim: String::new(), what, structure: None, theory: theory.clone() }))?;
        let mut settled = Vec::new();
        for obligation in obligations(&mut theory, &step) {
            let mut one = settle_one(&mut theory, None, &obligation, reach, effort)?;
            one.possible = is_possible(&theory, &step.claims[obligation.claim], &obligation, reach, effort);
            settled.push(one);
        }
        theory.learn(proof.steps.len(), &step);
        proof.steps.push(written);
        proof.settled.push(settled);
    }
    Ok((theory, proof))
}

/// Which claims of each step the goals need.
fn needed(
    mut theory: Theory,
    steps: &[Step],
    goals: &[Claim],
    reach: Reach,
    effort: &mut Effort,
) -> Result<Vec<Vec<bool>>, Box<Failure>> {
    for (number, step) in steps.iter().enumerate() {
        theory.learn(number, step);
    }
    let mut needed: Vec<Vec<bool>> = steps.iter().map(|s| s.claims.iter().map(|c| goals.contains(c)).collect()).collect();
    for number in (0..steps.len()).rev() {
        let step = &steps[number];
        theory.before = number;
        if let Rule::Orders { order, first, second } = &step.rule {
            for claim in step.claims.iter().zip(needed[number].clone()).filter(|(_, n)| *n).map(|(c, _)| c) {
                let Claim::Acyclic(r) = claim else { continue };
                let supports = theory.orders_need(*r, *order, first, second).unwrap_or_default();
                mark(&steps[..number], &mut needed, &supports);
            }
            continue;
        }
        loop {
            // Claims of one step support each other: whatever one of them supposes is needed, too.
            if !needed[number].contains(&true) {
                break;
            }
            let whole = obligations(&mut theory, step);
            let mut more = false;
            for obligation in &whole {
                if !needed[number][obligation.claim] {
                    continue;
                }
                // What is needed anyway may do; if not, of all that is known what cannot be left out.
                let mut known: Claims = all_claims(steps, number, |s, c| needed[s][c]);
                let settled = match settle_one(&mut theory, Some(&known), obligation, reach, effort) {
                    Ok(settled) => settled,
                    Err(_) => {
                        let mut settled = None;
                        let all: Claims = all_claims(steps, number, |_, _| true);
                        let first = settle_one(&mut theory, Some(&all), obligation, reach, effort)?;
                        let used: Vec<(usize, usize)> = first.refutation.lemmas(&theory).filter(|l| !known.contains(l)).collect();
                        known.extend(used.iter().copied());
                        settled.get_or_insert(first);
                        for lemma in used {
                            known.remove(&lemma);
                            match settle_one(&mut theory, Some(&known), obligation, reach, effort) {
                                Ok(less) => settled = Some(less),
                                Err(_) => {
                                    known.insert(lemma);
                                }
                            }
                        }
                        settled.expect("the first one is there")
                    }
                };
                let opened = obligation.question.lits().into_iter().filter_map(|l| theory.bounds.get(&l.atom.pred)).map(|b| b.0);
                for (lemma, claim) in settled.refutation.lemmas(&theory).chain(opened).filter(|l| l.0 < number) {
                    needed[lemma][claim] = true;
                }
                for claim in settled.refutation.supposed(obligation).chain(parts_of(step)) {
                    more |= !std::mem::replace(&mut needed[number][claim], true);
                }
            }
            if !more {
                break;
            }
        }
    }
    Ok(needed)
}

fn mark(steps: &[Step], needed: &mut [Vec<bool>], claims: &[Claim]) {
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
fn all_claims(steps: &[Step], before: usize, wanted: impl Fn(usize, usize) -> bool) -> Claims {
    let pairs = steps[..before].iter().enumerate().flat_map(|(s, step)| (0..step.claims.len()).map(move |c| (s, c)));
    pairs.filter(|&(s, c)| wanted(s, c)).collect()
}

/// Can the premises of an obligation be true together? The premise of `irreflexive r` is that r has pairs at all; of `empty a & b`, that
/// both have.
fn is_possible(theory: &Theory, claim: &Claim, obligation: &Obligation, reach: Reach, effort: &mut Effort) -> bool {
    let parts = match claim {
        Claim::Irreflexive(e) => vec![*e],
        Claim::Empty(e, false) => match theory.exprs.get(*e) {
            Expr::Intersection(a, b) => vec![a, b],
            Expr::Difference(a, _) => vec![a],
            _ => return true,
        },
        Claim::Empty(_, true) => return true,
        Claim::Pairs { .. } | Claim::Within(..) | Claim::Acyclic(_) => {
            return possible(theory, &obligation.question, obligation.events, Reach { steps: 0, ..reach }, effort).is_some();
        }
    };
    // The theory of a proof grows in no other way than whoever checks it lets it grow.
    let mut theory = theory.clone();
    parts.into_iter().all(|e| {
        let (form, events) = open_all(&mut theory, e, Term::event(0), Term::event(1), 2, &[]);
        form.lits().iter().for_each(|l| theory.explain(l.atom.pred));
        possible(&theory, &form, events, Reach { steps: 0, ..reach }, effort).is_some()
    })
}

/// The inclusions that an induction supposes: their parts are in the questions themselves.
fn parts_of(step: &Step) -> impl Iterator<Item = usize> + '_ {
    let is_inclusion = |c: &Claim| matches!(c, Claim::Pairs { property: Property::Within(_), .. });
    step.claims.iter().enumerate().filter(move |(_, c)| is_inclusion(c)).map(|(i, _)| i)
}

/// Refutes an obligation, if need be with closures taken apart.
fn settle_one(
    theory: &mut Theory,
    claims: Option<&Claims>,
    obligation: &Obligation,
    reach: Reach,
    effort: &mut Effort,
) -> Result<Settled, Box<Failure>> {
    let mut last = None;
    let longer = apart(theory, obligation);
    let whole = Some(obligation.clone());
    // The simplest first: without further events, with them, with closures taken apart.
    for (steps, is_apart, asked) in [(0, false, &whole), (reach.steps, false, &whole), (reach.steps, true, &longer)] {
        let Some(asked) = asked else { continue };
        let reach = Reach { steps, ..reach };
        match settle(theory, claims, asked, reach, effort) {
            Outcome::Refuted(refutation) => {
                refutation.check(theory, asked).map_err(|what| {
                    Box::new(Failure {
                        claim: asked.what.clone(),
                        what: format!("a refutation is wrong: {what}"),
                        structure: None,
                        theory: theory.clone(),
                    })
                })?;
                return Ok(Settled {
                    what: asked.what.clone(),
                    apart: is_apart,
                    events: asked.events,
                    possible: true,
                    refutation,
                });
            }
            Outcome::Model(structure) => last = Some(structure),
            Outcome::Unknown => {}
        }
    }
    Err(Box::new(Failure {
        claim: obligation.what.clone(),
        what: obligation.what.clone(),
        structure: last,
        theory: theory.clone(),
    }))
}
