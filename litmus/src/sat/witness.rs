//! From a candidate that a solver found, or a certificate has, to an execution, and its
//! confirmation: values by the program, the condition and the axioms by the evaluators of the
//! explicit engine and the judge, none of which share code with the translation.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::Kind;
use margay_models::judge::Judge;
use margay_models::wellformed;

use super::candidate::{CandidateExecution, matrix};
use crate::outcome::{KnownValues, Outcome};
use crate::unfold::{Skeleton, Unfolding, WriteValue};
use crate::verdict::{Error, Witness};

/// What an execution must show.
pub(super) struct WitnessClaim<'a> {
    /// Checks that hold.
    pub axioms: &'a [usize],
    /// A check with the outcome of its test.
    pub check: Option<(usize, bool)>,
    /// What is asked of final states, resolved against a skeleton.
    pub outcomes: &'a dyn Fn(&Skeleton) -> Vec<(Outcome, bool)>,
}

/// The execution of a candidate, if it is one: of the program, legal, and with the outcome. Nothing
/// is taken from the candidate that is not seen to be so here.
pub(super) fn confirm(
    candidate: &CandidateExecution,
    unfolding: &Unfolding,
    judge: &mut Judge,
    claim: &WitnessClaim<'_>,
) -> Result<Witness, Error> {
    let unconfirmed = |why: &str| Error::Unconfirmed(why.to_owned());
    if !candidate.fits(unfolding) {
        return Err(unconfirmed("a thread takes a path that it has not"));
    }
    if unfolding.is_unmet(&candidate.paths) {
        return Err(unconfirmed("a thread waits at a barrier for ever"));
    }
    let skeleton = unfolding.skeleton_of(&candidate.paths)?;
    let mut execution = skeleton.execution.clone();
    let n = execution.size();
    let relation = |pairs: &[(usize, usize)]| {
        matrix(pairs, n).ok_or_else(|| unconfirmed("it relates events that are not there"))
    };
    execution.rf = relation(&candidate.rf)?;
    execution.co = relation(&candidate.co)?;
    execution.sync_fence = relation(&candidate.sync_fence)?;

    let mut values: Vec<Option<i64>> = Vec::with_capacity(n);
    for e in (0..n).map(Event::from) {
        let kind = skeleton.execution.events[e.index()].kind;
        let value = match skeleton.writes[e.index()] {
            Some(WriteValue::Known(v)) => Some(v),
            Some(WriteValue::Computed(thread, symbol)) => {
                skeleton.evaluate(thread, symbol, |read| candidate.returned(read))
            }
            None if kind == Kind::Read => candidate.returned(e),
            None => None,
        };
        if value.is_none() && matches!(kind, Kind::Init | Kind::Read | Kind::Write) {
            return Err(unconfirmed("an access has no value"));
        }
        values.push(value);
    }
    for (data, value) in execution.events.iter_mut().zip(&values) {
        data.value = *value;
    }
    if let Some(why) = wellformed::violations(&execution).into_iter().next() {
        return Err(Error::Unconfirmed(why));
    }
    let supposed = skeleton.suppositions.iter().all(|&(thread, symbol, holds)| {
        skeleton
            .evaluate(thread, symbol, |read| values[read.index()])
            .is_some_and(|v| (v != 0) == holds)
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
    Ok(Witness { execution, finals, paths: candidate.paths.clone(), places: skeleton.places })
}

/// For each location that the outcomes ask for a last write, so that they are as wanted; `None` if
/// there is no such choice.
fn final_writes(
    skeleton: &Skeleton,
    co: &BitMatrix,
    values: &[Option<i64>],
    outcomes: &[(Outcome, bool)],
) -> Option<Vec<Option<Event>>> {
    let x = &skeleton.execution;
    let mut asked = Vec::new();
    outcomes.iter().for_each(|(outcome, _)| outcome.locations(&mut asked));
    let candidates = |location: u16| -> Vec<Event> {
        let at = |kind: Kind| {
            let here = move |e: &Event| {
                x.events[e.index()].kind == kind && x.physical(*e) == Some(location)
            };
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
        let known = KnownValues { skeleton, values, finals };
        outcomes.iter().all(|(outcome, wanted)| outcome.evaluate(&known) == Some(*wanted))
    })
}
