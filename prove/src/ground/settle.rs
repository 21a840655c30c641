//! The search for a refutation of an obligation.

use super::joined::joined;
use super::problem::{
    Claims, GroundAnswer, GroundEffort, GroundLimits, GroundProblem, ProvedClaims,
};
use super::solver::refute;
use margay_theorem::ground::{
    ClauseOrigin, ExistenceValue, Obligation, Reach, Refutation, Structure, ground_clauses,
};
use margay_theorem::logic::TheoryFormula;
use margay_theorem::theory::{SentenceReason, Theory};

/// What came of an obligation.
#[derive(Debug, Clone)]
pub enum ObligationOutcome {
    /// It holds for every size.
    Refuted(Refutation, AtHand),
    /// This structure is a counterexample to it, as far as its own events tell.
    Model(Structure),
    /// A limit was reached.
    Unknown,
}

/// What a search knew of an obligation's events when it had refuted it: more than one refutation
/// needs.
#[derive(Debug, Clone)]
pub struct AtHand {
    pub(super) values: Vec<ExistenceValue>,
    pub(super) instances: Vec<ClauseOrigin>,
}

/// The most conflicts of a refutation.
const CONFLICTS: usize = 200_000;

/// The most conflicts of an attempt to do without some of what is at hand, which may have no
/// refutation.
const CONFLICTS_WITHOUT: usize = 2_000;

/// Looks for a refutation of an obligation. `known`: of claims that were proved before.
pub fn settle(
    theory: &Theory,
    known: ProvedClaims,
    obligation: &Obligation,
    reach: Reach,
    effort: &mut GroundEffort,
) -> ObligationOutcome {
    let (at_hand, contradictory) = match refuted(theory, known, obligation, reach, effort) {
        Ok(found) => found,
        Err(other) => return other,
    };
    let found = refutation(theory, obligation, contradictory, CONFLICTS);
    found.map_or(ObligationOutcome::Unknown, |found| ObligationOutcome::Refuted(found, at_hand))
}

/// What refutes an obligation. Where a limit is reached, each half of the question is looked at by
/// itself: fewer things are possible in it, so that fewer events are needed. Returns all that is at
/// hand, and the part of it that is contradictory.
///
/// # Errors
/// The outcome, where it is another one.
fn refuted(
    theory: &Theory,
    known: ProvedClaims,
    obligation: &Obligation,
    reach: Reach,
    effort: &mut GroundEffort,
) -> Result<(AtHand, AtHand), ObligationOutcome> {
    let halves = obligation.question.halves();
    let limits =
        GroundLimits { events: reach.events, depth: reach.steps, ..GroundLimits::default() };
    let limits =
        if halves.is_some() { GroundLimits { rounds: reach.rounds, ..limits } } else { limits };
    match search(theory, known, obligation, limits, effort) {
        SearchResult::Model(structure) => return Err(ObligationOutcome::Model(structure)),
        SearchResult::Refuted(at_hand, contradictory) => return Ok((at_hand, contradictory)),
        SearchResult::Unknown => {}
    }
    let halves = halves.filter(|_| !theory.stop.is_raised()).ok_or(ObligationOutcome::Unknown)?;
    let mut parts = Vec::new();
    for question in halves {
        let half = Obligation { question, ..obligation.clone() };
        let (_, contradictory) = refuted(theory, known, &half, reach, effort)?;
        let Refutation { values, instances, .. } =
            refutation(theory, &half, contradictory, CONFLICTS)
                .ok_or(ObligationOutcome::Unknown)?;
        parts.push(AtHand { values, instances });
    }
    let whole = joined(theory, obligation.events, parts).ok_or(ObligationOutcome::Unknown)?;
    Ok((whole.clone(), whole))
}

/// A structure in which formulas hold together.
pub fn possible(
    theory: &Theory,
    form: &TheoryFormula,
    events: usize,
    reach: Reach,
    effort: &mut GroundEffort,
) -> Option<Structure> {
    let limits =
        GroundLimits { events: reach.events, depth: reach.steps, ..GroundLimits::default() };
    let mut problem = GroundProblem::new(theory, events, limits);
    problem.ask(form);
    let answer = problem.solve();
    effort.add(problem.effort);
    match answer {
        GroundAnswer::Model(structure) => Some(structure),
        GroundAnswer::Refuted | GroundAnswer::Unknown => None,
    }
}

/// What came of one search.
enum SearchResult {
    /// All that is at hand, and the part of it that is contradictory.
    Refuted(AtHand, AtHand),
    Model(Structure),
    Unknown,
}

fn search(
    theory: &Theory,
    known: ProvedClaims,
    obligation: &Obligation,
    limits: GroundLimits,
    effort: &mut GroundEffort,
) -> SearchResult {
    let mut problem = GroundProblem::new(theory, obligation.events, limits);
    problem.know(known);
    problem.ask(&obligation.question);
    problem.ask(&obligation.conclusion);
    for supposition in &obligation.suppositions {
        problem.suppose(supposition.clause.clone(), None);
    }
    let answer = problem.solve();
    effort.add(problem.effort);
    match answer {
        GroundAnswer::Model(_) if problem.cut => SearchResult::Unknown,
        GroundAnswer::Model(structure) => SearchResult::Model(structure),
        GroundAnswer::Unknown => SearchResult::Unknown,
        GroundAnswer::Refuted => {
            let values = problem.values();
            let contradictory = AtHand {
                values: values.clone(),
                instances: problem.contradictory().unwrap_or_default(),
            };
            SearchResult::Refuted(AtHand { values, instances: problem.instances() }, contradictory)
        }
    }
}

/// Finds the steps of a refutation, and leaves out what they do not use.
fn refutation(
    theory: &Theory,
    obligation: &Obligation,
    at_hand: AtHand,
    conflicts: usize,
) -> Option<Refutation> {
    let AtHand { mut values, mut instances } = at_hand;
    loop {
        let all = ground_clauses(theory, obligation, &values, &instances);
        let given: Vec<Vec<_>> = all.list.iter().map(|c| c.0.clone()).collect();
        let steps = refute(all.variables, &given, conflicts, &theory.stop)?;
        let mut used = vec![false; given.len()];
        for hint in steps.iter().flat_map(|s| &s.hints).filter(|h| **h < given.len()) {
            used[*hint] = true;
        }
        let kept: Vec<ClauseOrigin> = all
            .list
            .iter()
            .zip(&used)
            .filter(|((_, origin), used)| {
                **used && !matches!(origin, ClauseOrigin::Question(_) | ClauseOrigin::Value(..))
            })
            .map(|((_, origin), _)| origin.clone())
            .collect();
        // A value is needed if one of its clauses is used, or its event stands in an instance.
        let mut needed: Vec<bool> = (0..values.len())
            .map(|v| {
                all.list.iter().zip(&used).any(|((_, o), used)| {
                    *used && matches!(o, ClauseOrigin::Value(at, _) if *at == v)
                })
            })
            .collect();
        for v in (0..values.len()).rev() {
            if needed[v] {
                values[v].unless.clone().into_iter().for_each(|u| needed[u] = true);
            }
        }
        let shrunk = kept.len() < instances.len() || needed.contains(&false);
        if !shrunk {
            return Some(Refutation { values, instances, steps });
        }
        // What is left gets the next numbers.
        let less = AtHand { values: keep(&values, &needed), instances: kept };
        AtHand { values, instances } = joined(theory, obligation.events, vec![less])?;
    }
}

/// The values that are needed, with their numbers.
fn keep(values: &[ExistenceValue], needed: &[bool]) -> Vec<ExistenceValue> {
    let number = |v: usize| needed[..v].iter().filter(|n| **n).count();
    let kept = values.iter().zip(needed).filter(|(_, n)| **n);
    kept.map(|(v, _)| ExistenceValue {
        unless: v.unless.iter().map(|&u| number(u)).collect(),
        ..v.clone()
    })
    .collect()
}

impl AtHand {
    /// A refutation made of what is at hand, and of nothing new. What is at hand is that of a
    /// refutation in other words, so that there is one, and it may be as long: with fewer
    /// conflicts, the longest ones were given up, and searched for anew.
    pub fn whole_refutation(self, theory: &Theory, obligation: &Obligation) -> Option<Refutation> {
        refutation(theory, obligation, self, CONFLICTS)
    }

    /// A refutation in which these are the only claims that were proved before, made of nothing
    /// new.
    pub fn refutation(
        &self,
        theory: &Theory,
        obligation: &Obligation,
        claims: &Claims,
    ) -> Option<Refutation> {
        let wanted = |reason: &SentenceReason| !matches!(reason, SentenceReason::Lemma(step, claim) if !claims.contains(&(*step, *claim)));
        let kept: Vec<bool> =
            self.values.iter().map(|v| wanted(&theory.sources[v.source].reason)).collect();
        // A value that yields to another one is not the same without it.
        if self.values.iter().zip(&kept).any(|(v, own)| *own && v.unless.iter().any(|&u| !kept[u]))
        {
            return None;
        }
        let is_wanted = |o: &&ClauseOrigin| !matches!(o, ClauseOrigin::Fact(i, _) if !wanted(&theory.facts[*i].reason));
        let instances = self.instances.iter().filter(is_wanted).cloned().collect();
        let less = AtHand { values: keep(&self.values, &kept), instances };
        refutation(theory, obligation, less, CONFLICTS_WITHOUT)
    }
}
