//! From an answer of the solver to an execution, and its confirmation: values by the program, the condition and the axioms by
//! the evaluators of the explicit engine and the judge, none of which share code with the translation.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::Kind;
use margay_models::judge::Judge;
use margay_models::signature::BaseRelation;
use margay_models::wellformed;
use margay_solver::{Atom, Instance};

use super::problem::{Problem, first_number, first_paths};
use crate::explicit::outcome::{Known, Outcome};
use crate::unfold::{Skeleton, Unfolding, WriteValue};
use crate::verdict::{Error, Witness};

/// What an execution must show.
pub(super) struct Claim<'a> {
    /// Checks that hold.
    pub axioms: &'a [usize],
    /// A check with the outcome of its test.
    pub check: Option<(usize, bool)>,
    /// What is asked of final states, resolved against a skeleton.
    pub outcomes: &'a dyn Fn(&Skeleton) -> Vec<(Outcome, bool)>,
}

/// The execution that an instance describes.
pub(super) fn read_back(
    problem: &Problem<'_>,
    unfolding: &Unfolding,
    instance: &Instance,
    judge: &mut Judge,
    claim: &Claim<'_>,
) -> Result<Witness, Error> {
    let facts = problem.facts;
    let vocabulary = &problem.translation.vocabulary;
    let unconfirmed = |why: &str| Error::Unconfirmed(why.to_owned());
    let mut chosen = Vec::with_capacity(problem.taken.len());
    for (t, &first) in first_paths(facts).iter().enumerate() {
        let taken = (0..problem.taken[t].len()).find(|&p| instance.contains(vocabulary.taken, &[Atom(first + p as u32)]));
        chosen.push(taken.ok_or_else(|| unconfirmed("a thread takes no path"))?);
    }
    let skeleton = unfolding.skeleton_of(&chosen)?;
    // Merged events of the chosen paths, in the order of the skeleton's events.
    let inits = (0..facts.merged.events.len()).filter(|&e| facts.merged.events[e].data.kind == Kind::Init);
    let events: Vec<usize> =
        chosen.iter().zip(&facts.merged.paths).flat_map(|(&p, paths)| paths[p].events.iter().copied()).chain(inits).collect();
    let mut execution = skeleton.execution.clone();
    let n = execution.size();
    if events.len() != n {
        return Err(unconfirmed("the events are not those of the paths"));
    }
    let relation = |name: BaseRelation| {
        let tuples = vocabulary.searched(name).and_then(|r| instance.tuples(r));
        let at = |atom: Atom| events.iter().position(|&e| e == atom.0 as usize).map(Event::from);
        BitMatrix::from_pairs(n, tuples.into_iter().flat_map(|t| t.iter()).filter_map(|pair| at(pair[0]).zip(at(pair[1]))))
    };
    execution.rf = relation(BaseRelation::Rf);
    execution.co = relation(BaseRelation::Co);
    execution.sync_fence = relation(BaseRelation::SyncFence);

    let first = first_number(facts);
    let returned = |e: Event| {
        let tuples = instance.tuples(vocabulary.returns)?;
        let of_read = tuples.iter().find(|t| t[0].0 as usize == events[e.index()])?;
        problem.numbers.get((of_read[1].0 - first) as usize).copied()
    };
    let mut values: Vec<Option<i64>> = Vec::with_capacity(n);
    for e in (0..n).map(Event::from) {
        let is_read = skeleton.execution.events[e.index()].kind == Kind::Read;
        values.push(match skeleton.writes[e.index()] {
            Some(WriteValue::Known(v)) => Some(v),
            Some(WriteValue::Computed(thread, symbol)) => skeleton.evaluate(thread, symbol, returned),
            None if is_read => returned(e),
            None => None,
        });
    }
    for (data, value) in execution.events.iter_mut().zip(&values) {
        data.value = *value;
    }
    if let Some(why) = wellformed::violations(&execution).into_iter().next() {
        return Err(Error::Unconfirmed(why));
    }
    let supposed = skeleton.suppositions.iter().all(|&(thread, symbol, holds)| {
        skeleton.evaluate(thread, symbol, |read| values[read.index()]).is_some_and(|v| (v != 0) == holds)
    });
    if !supposed {
        return Err(unconfirmed("a thread does not take that path with these values"));
    }
    let finals = final_writes(&skeleton, &execution.co, &values, &(claim.outcomes)(&skeleton))
        .ok_or_else(|| unconfirmed("the final state is another one"))?;
    let judgement = judge.judge(&execution);
    let legal = claim.axioms.iter().all(|&axiom| judgement.holds[axiom]);
    if !legal || claim.check.is_some_and(|(check, wanted)| judgement.holds[check] != wanted) {
        return Err(unconfirmed("the judge disagrees"));
    }
    Ok(Witness { execution, finals })
}

/// For each location that the outcomes ask for a last write, so that they are as wanted; `None` if there is no such choice.
fn final_writes(
    skeleton: &Skeleton,
    co: &BitMatrix,
    values: &[Option<i64>],
    outcomes: &[(Outcome, bool)],
) -> Option<Vec<Option<Event>>> {
    let x = &skeleton.execution;
    let mut asked = Vec::new();
    outcomes.iter().for_each(|(outcome, _)| outcome.locations(&mut asked));
    let candidates = |location: u8| -> Vec<Event> {
        let at = |kind: Kind| {
            let here = move |e: &Event| x.events[e.index()].kind == kind && x.physical(*e) == Some(location);
            (0..x.size()).map(Event::from).filter(here)
        };
        let last: Vec<Event> = at(Kind::Write).filter(|&w| co.row(w).is_empty()).collect();
        if last.is_empty() { at(Kind::Init).collect() } else { last }
    };
    let mut choices = vec![vec![None; x.locations.len()]];
    for location in asked {
        let mut more = Vec::new();
        for last in candidates(location) {
            for choice in &choices {
                let mut choice = choice.clone();
                choice[usize::from(location)] = Some(last);
                more.push(choice);
            }
        }
        choices = more;
    }
    choices.into_iter().find(|finals| {
        let known = Known { skeleton, values, finals };
        outcomes.iter().all(|(outcome, wanted)| outcome.evaluate(&known) == Some(*wanted))
    })
}
