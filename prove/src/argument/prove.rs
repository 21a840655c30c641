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
use rustc_hash::FxHashMap;

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
    let (needed, ways) = needed(base.with_names(found), steps, goals, reach, effort)?;
    // Only what is needed, from the beginning, as whoever reads it will do it.
    let mut theory = base.clone();
    let mut proof = Proof { steps: Vec::new(), settled: Vec::new() };
    for ((number, step), claims) in steps.iter().enumerate().zip(needed) {
        let claims: Vec<Claim> = step.claims.iter().zip(claims).filter(|(_, n)| *n).map(|(c, _)| c.clone()).collect();
        if claims.is_empty() {
            continue;
        }
        let written = WrittenStep::of(found, &Step { claims, ..step.clone() });
        let step = written
            .read(&mut theory)
            .map_err(|what| Box::new(Failure { claim: String::new(), what, structure: None, theory: theory.clone() }))?;
        let asked = obligations(&mut theory, &step);
        let way = |o: &Obligation| ways.get(&(number, o.what.clone())).copied();
        let attempts: Vec<Attempt> = asked
            .par_iter()
            .map(|obligation| {
                let mut effort = Effort::default();
                (settle_again(&theory, obligation, way(obligation), reach, &mut effort), effort)
            })
            .collect();
        let possible = all_possible(&theory, &step, &asked, reach, effort);
        let mut settled = Vec::new();
        for ((obligation, (one, own)), possible) in asked.iter().zip(attempts).zip(possible) {
            effort.add(own);
            let mut one = one?;
            // What is taken apart gets its names in the order of the obligations, as whoever checks the proof gives them.
            if one.apart && !holds_in_turn(&mut theory, obligation, &one) {
                one = settle_again(&theory, obligation, way(obligation), reach, effort)?;
            }
            settled.push(Settled { possible, ..one });
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

/// How an obligation is tried. Each way knows what the one before it knows, and more: the simplest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With its own events.
    Own,
    /// With the values of functions at them.
    Values,
    /// With closures taken apart, too.
    Apart,
}

const WAYS: [Way; 3] = [Way::Own, Way::Values, Way::Apart];

/// The way in which each obligation was refuted: the number of its step, and what it says.
type Ways = FxHashMap<(usize, String), Way>;

/// Which claims of each step the goals need, and in which way each obligation was refuted.
fn needed(
    mut theory: Theory,
    steps: &[Step],
    goals: &[Claim],
    reach: Reach,
    effort: &mut Effort,
) -> Result<(Vec<Vec<bool>>, Ways), Box<Failure>> {
    let mut ways = Ways::default();
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
        needed_of_step(&mut theory, steps, number, &mut needed, &mut ways, reach, effort)?;
    }
    Ok((needed, ways))
}

/// How many obligations are looked at side by side when it is found out what they need. What one of them needs does for the next ones, so
/// it is a small number, whatever the number of threads: the outcome must not depend on that.
const AT_ONCE: usize = 2;

/// Marks what the needed claims of one step need. Claims of a step support each other: whatever one of them supposes is needed, too.
fn needed_of_step(
    theory: &mut Theory,
    steps: &[Step],
    number: usize,
    needed: &mut [Vec<bool>],
    ways: &mut Ways,
    reach: Reach,
    effort: &mut Effort,
) -> Result<(), Box<Failure>> {
    let step = &steps[number];
    if !needed[number].contains(&true) {
        return Ok(());
    }
    let whole = obligations(theory, step);
    let theory = &*theory;
    let all: Claims = all_claims(steps, number, |_, _| true);
    let mut done = vec![false; whole.len()];
    loop {
        let open: Vec<usize> = (0..whole.len()).filter(|&o| !done[o] && needed[number][whole[o].claim]).collect();
        if open.is_empty() {
            return Ok(());
        }
        let found: Vec<(Result<Found, Box<Failure>>, Effort)> = open
            .par_iter()
            .map(|&o| {
                let mut effort = Effort::default();
                (settle_one(theory, Some(&all), &whole[o], &WAYS, reach, &mut effort), effort)
            })
            .collect();
        let mut found: Vec<(usize, Found)> = open
            .into_iter()
            .zip(found)
            .map(|(o, (found, own))| {
                effort.add(own);
                found.map(|f| (o, f))
            })
            .collect::<Result<_, _>>()?;
        // Those first that leave no choice, or little.
        found.sort_by_key(|(o, f)| (f.lemmas.len(), *o));
        for some in found.chunks_mut(AT_ONCE) {
            let known: Claims = all_claims(steps, number, |s, c| needed[s][c]);
            let efforts: Vec<Effort> = some
                .par_iter_mut()
                .map(|(o, found)| {
                    let mut effort = Effort::default();
                    leave_out(theory, &known, &whole[*o], found, reach, &mut effort).map(|()| effort)
                })
                .collect::<Result<_, _>>()?;
            efforts.into_iter().for_each(|own| effort.add(own));
            for (o, Found { settled, lemmas, way }) in some {
                let obligation = &whole[*o];
                done[*o] = true;
                ways.insert((number, obligation.what.clone()), *way);
                let opened = obligation.question.lits().into_iter().filter_map(|l| theory.bounds.get(&l.atom.pred)).map(|b| b.0);
                for (lemma, claim) in lemmas.iter().copied().chain(opened).filter(|l| l.0 < number) {
                    needed[lemma][claim] = true;
                }
                for claim in settled.refutation.supposed(obligation).chain(parts_of(step)) {
                    needed[number][claim] = true;
                }
            }
        }
    }
}

/// Leaves out of a refutation what it does not need besides `known`. It is tried again in the way in which it was found alone: with less
/// that is known, simpler ways have no better chance.
fn leave_out(
    theory: &Theory,
    known: &Claims,
    obligation: &Obligation,
    found: &mut Found,
    reach: Reach,
    effort: &mut Effort,
) -> Result<(), Box<Failure>> {
    let more: Lemmas = found.lemmas.iter().copied().filter(|l| !known.contains(l)).collect();
    if more.is_empty() {
        return Ok(());
    }
    let way = [found.way];
    let mut with = |kept: &Claims| settle_one(theory, Some(kept), obligation, &way, reach, effort);
    if let Ok(less) = with(known) {
        *found = less;
        return Ok(());
    }
    let mut kept = known.clone();
    kept.extend(more.iter().copied());
    for lemma in &more {
        kept.remove(lemma);
        // The refutation at hand may do without it already.
        if !found.lemmas.contains(lemma) {
            continue;
        }
        // `known` alone was tried.
        let less = if kept.len() == known.len() { None } else { with(&kept).ok() };
        match less {
            Some(less) => *found = less,
            None => {
                kept.insert(*lemma);
            }
        }
    }
    Ok(())
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

/// For each obligation of a step: can its premises be true together? Many have the same ones.
fn all_possible(theory: &Theory, step: &Step, asked: &[Obligation], reach: Reach, effort: &mut Effort) -> Vec<bool> {
    let same = |a: &Obligation, b: &Obligation| {
        let alike = |o: &Obligation| matches!(step.claims[o.claim], Claim::Pairs { .. });
        a.question == b.question && a.events == b.events && alike(a) && alike(b)
    };
    let first: Vec<usize> = (0..asked.len()).map(|o| (0..o).find(|&p| same(&asked[p], &asked[o])).unwrap_or(o)).collect();
    let found: Vec<(bool, Effort)> = (0..asked.len())
        .into_par_iter()
        .map(|o| {
            let mut effort = Effort::default();
            (first[o] == o && is_possible(theory, &step.claims[asked[o].claim], &asked[o], reach, &mut effort), effort)
        })
        .collect();
    found.iter().for_each(|f| effort.add(f.1));
    first.into_iter().map(|o| found[o].0).collect()
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

/// A refutation, the claims of earlier steps that it uses, and the way in which it was found.
struct Found {
    settled: Settled,
    lemmas: Lemmas,
    way: Way,
}

/// Refutes an obligation by all that is known, first in the way in which it was refuted before.
fn settle_again(
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
fn settle_one(
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
            Outcome::Unknown => {}
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
