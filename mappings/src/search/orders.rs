//! Another coherence order (and Fence-SC order) with which a model allows the outcome of a
//! candidate.

use margay_models::model::Model;
use margay_solver::{
    Atom, Backend, Encoding, Formula, Session, SessionOutcome, SolverFailure, SolverLimits,
    TupleSet,
};

use super::{Candidate, CandidateFate};
use crate::encode::ModelComparison;

/// A coherence order of events (a total one, where the signature's is), and a Fence-SC order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orders {
    /// Coherence order, without initial writes.
    pub coherence: TupleSet,
    /// Fence-SC order.
    pub fences: TupleSet,
}

impl Orders {
    /// The formula: they do not explain a candidate.
    pub fn unexplained(&self, comparison: &mut ModelComparison, model: &Model) -> Formula {
        let explained = comparison.explained_by(model, self.coherence.clone(), self.fences.clone());
        comparison.logic.not(explained)
    }
}

/// Does the model of one side (its number) explain the outcome of a candidate? `comparison` is a
/// copy for such searches: what the solver of the case is told must not depend on it, so that it
/// can be told again.
///
/// # Errors
/// The solver failed.
pub fn explanation(
    comparison: &mut ModelComparison,
    (side, model): (usize, &Model),
    Candidate { instance, atoms, .. }: &Candidate<'_, Orders>,
    (backend, limits): (&Backend, &SolverLimits),
) -> Result<CandidateFate<Orders>, SolverFailure> {
    let v = comparison.vocabulary.clone();
    let mut bounds = v.bounds(atoms);
    for relation in
        v.searched().filter(|&r| ![v.mo_ascending, v.related, v.fence_order].contains(&r))
    {
        if let Some(tuples) = instance.tuples(relation) {
            bounds.exactly(relation, tuples.clone());
        }
    }
    let last: TupleSet = {
        let finals = comparison.finals();
        instance.evaluate(&comparison.logic, finals)
    };
    let kept = comparison.ends_with(last);
    let mut session = Session::new(bounds, Encoding::default(), backend);
    session.set_limits(limits.clone());
    let axioms = comparison.sides[side].axioms.iter().map(|&(_, f)| f);
    let formulas: Vec<Formula> =
        comparison.wellformed.iter().copied().chain(axioms).chain([kept]).collect();
    for formula in formulas {
        session.assert(&comparison.logic, formula);
    }
    Ok(match session.solve(&[], limits)? {
        SessionOutcome::Unknown => CandidateFate::Unknown,
        SessionOutcome::Unsat => CandidateFate::None,
        SessionOutcome::Sat(found) => {
            let mut coherence = found.evaluate(&comparison.logic, comparison.coherence);
            if model.signature.total_coherence() {
                let events = instance.evaluate(&comparison.logic, comparison.events());
                coherence = linear(&coherence, &events);
            }
            let fences = found.tuples(v.fence_order).cloned().unwrap_or_else(|| TupleSet::new(2));
            // Initial writes come first in any case.
            let events = instance.evaluate(&comparison.logic, comparison.events());
            let is_event = |a: Atom| events.contains(&[a]);
            let pairs = coherence
                .iter()
                .filter(|pair| is_event(pair[0]) && is_event(pair[1]))
                .map(<[Atom]>::to_vec);
            CandidateFate::Taught(Orders { coherence: TupleSet::from_tuples(2, pairs), fences })
        }
    })
}

/// An order of all events that has the given pairs: of a candidate with other locations it orders
/// the writes to each, too.
pub(crate) fn linear(order: &TupleSet, events: &TupleSet) -> TupleSet {
    let mut left: Vec<Atom> = events.iter().map(|t| t[0]).collect();
    let mut sequence: Vec<Atom> = Vec::new();
    while !left.is_empty() {
        let free = |e: &Atom| left.iter().all(|&f| !order.contains(&[f, *e]));
        // Coherence order has no cycle; if it had one, any event would do.
        let next = left.iter().position(free).unwrap_or(0);
        sequence.push(left.remove(next));
    }
    let pairs = (0..sequence.len()).flat_map(|i| sequence[i + 1..].iter().map(move |&b| (i, b)));
    TupleSet::from_tuples(2, pairs.map(|(i, b)| [sequence[i], b]))
}
