//! From the steps that a search found to a proof: what the claims do not need is left out, and every obligation gets its refutation.

use super::claim::{Claim, Rule, Step};
use super::obligations::{apart, obligations};
use super::written::WrittenStep;
use crate::ground::{Claims, Effort, Obligation, Outcome, Reach, Refutation, Structure, possible, settle};
use crate::logic::{Expr, Term};
use crate::search::houdini::open_all;
use crate::search::property::Property;
use crate::theory::Theory;
use rayon::prelude::*;

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
        let asked = obligations(&mut theory, &step);
        let attempts: Vec<Attempt> = asked
            .par_iter()
            .map(|obligation| {
                let mut effort = Effort::default();
                let one = settle_one(&theory, None, obligation, reach, &mut effort).map(|(mut one, _)| {
                    one.possible = is_possible(&theory, &step.claims[obligation.claim], obligation, reach, &mut effort);
                    one
                });
                (one, effort)
            })
            .collect();
        let mut settled = Vec::new();
        for (obligation, (one, own)) in asked.iter().zip(attempts) {
            effort.add(own);
            let mut one = one?;
            // What is taken apart gets its names in the order of the obligations, as whoever checks the proof gives them.
            if one.apart && !holds_in_turn(&mut theory, obligation, &one) {
                let possible = one.possible;
                one = settle_one(&theory, None, obligation, reach, effort)?.0;
                one.possible = possible;
            }
            settled.push(one);
        }
        theory.learn(proof.steps.len(), &step);
        proof.steps.push(written);
        proof.settled.push(settled);
    }
    Ok((theory, proof))
}

/// Claims of earlier steps that a refutation uses: the number of the step, and of the claim in it.
type Lemmas = Vec<(usize, usize)>;

/// What came of an obligation, and what it took.
type Attempt = (Result<Settled, Box<Failure>>, Effort);

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
        needed_of_step(&mut theory, steps, number, &mut needed, reach, effort)?;
    }
    Ok(needed)
}

/// Marks what the needed claims of one step need. Claims of a step support each other: whatever one of them supposes is needed, too.
fn needed_of_step(
    theory: &mut Theory,
    steps: &[Step],
    number: usize,
    needed: &mut [Vec<bool>],
    reach: Reach,
    effort: &mut Effort,
) -> Result<(), Box<Failure>> {
    let step = &steps[number];
    if !needed[number].contains(&true) {
        return Ok(());
    }
    let whole = obligations(theory, step);
    let mut done = vec![false; whole.len()];
    loop {
        let open: Vec<usize> = (0..whole.len()).filter(|&o| !done[o] && needed[number][whole[o].claim]).collect();
        if open.is_empty() {
            return Ok(());
        }
        // What is needed anyway may do. All see the same, so that the outcome does not depend on who is first.
        let known: Claims = all_claims(steps, number, |s, c| needed[s][c]);
        let theory = &*theory;
        let found: Vec<(Result<Uses, Box<Failure>>, Effort)> = open
            .par_iter()
            .map(|&o| {
                let mut effort = Effort::default();
                (uses(theory, steps, number, &known, &whole[o], reach, &mut effort), effort)
            })
            .collect();
        for (o, (uses, own)) in open.into_iter().zip(found) {
            effort.add(own);
            let Uses { lemmas, supposed } = uses?;
            done[o] = true;
            let opened = whole[o].question.lits().into_iter().filter_map(|l| theory.bounds.get(&l.atom.pred)).map(|b| b.0);
            for (lemma, claim) in lemmas.into_iter().chain(opened).filter(|l| l.0 < number) {
                needed[lemma][claim] = true;
            }
            for claim in supposed.into_iter().chain(parts_of(step)) {
                needed[number][claim] = true;
            }
        }
    }
}

/// What a refutation uses: claims of earlier steps, and those of its own step that an induction supposes.
struct Uses {
    lemmas: Lemmas,
    supposed: Vec<usize>,
}

/// What an obligation needs besides `known`: of all that comes before, what cannot be left out.
fn uses(
    theory: &Theory,
    steps: &[Step],
    number: usize,
    known: &Claims,
    obligation: &Obligation,
    reach: Reach,
    effort: &mut Effort,
) -> Result<Uses, Box<Failure>> {
    let of = |(settled, lemmas): (Settled, Lemmas)| {
        let supposed = settled.refutation.supposed(obligation).collect();
        Uses { lemmas, supposed }
    };
    if let Ok(found) = settle_one(theory, Some(known), obligation, reach, effort) {
        return Ok(of(found));
    }
    let all: Claims = all_claims(steps, number, |_, _| true);
    let mut found = settle_one(theory, Some(&all), obligation, reach, effort)?;
    let used: Lemmas = found.1.iter().copied().filter(|l| !known.contains(l)).collect();
    let mut kept = known.clone();
    kept.extend(used.iter().copied());
    for lemma in used {
        kept.remove(&lemma);
        match settle_one(theory, Some(&kept), obligation, reach, effort) {
            Ok(less) => found = less,
            Err(_) => {
                kept.insert(lemma);
            }
        }
    }
    Ok(of(found))
}

/// Does the refutation of an obligation that is taken apart hold with the names that this theory gives?
fn holds_in_turn(theory: &mut Theory, obligation: &Obligation, settled: &Settled) -> bool {
    apart(theory, obligation).is_some_and(|longer| settled.refutation.check(theory, &longer).is_ok())
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

/// Refutes an obligation, if need be with closures taken apart; with the claims of earlier steps that are used.
fn settle_one(
    theory: &Theory,
    claims: Option<&Claims>,
    obligation: &Obligation,
    reach: Reach,
    effort: &mut Effort,
) -> Result<(Settled, Lemmas), Box<Failure>> {
    let mut last = None;
    // The simplest first: without further events, with them, with closures taken apart.
    for steps in [0, reach.steps] {
        match attempt(theory, claims, obligation, Reach { steps, ..reach }, effort)? {
            Outcome::Refuted(refutation) => return Ok(settled(theory, obligation, refutation, false)),
            Outcome::Model(structure) => last = Some(structure),
            Outcome::Unknown => {}
        }
    }
    let mut own = theory.clone();
    if let Some(longer) = apart(&mut own, obligation) {
        match attempt(&own, claims, &longer, reach, effort)? {
            Outcome::Refuted(refutation) => return Ok(settled(&own, &longer, refutation, true)),
            Outcome::Model(structure) => last = Some(structure),
            Outcome::Unknown => {}
        }
    }
    let (claim, what) = (obligation.what.clone(), obligation.what.clone());
    Err(Box::new(Failure { claim, what, structure: last, theory: own }))
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

fn settled(theory: &Theory, asked: &Obligation, refutation: Refutation, apart: bool) -> (Settled, Lemmas) {
    let lemmas = refutation.lemmas(theory).collect();
    (Settled { what: asked.what.clone(), apart, events: asked.events, possible: true, refutation }, lemmas)
}
