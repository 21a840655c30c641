//! Another coherence order (and Fence-SC order) with which a model allows the outcome of a candidate.

use margay_models::model::Model;
use margay_solver::{Atom, Backend, Bounds, Encoding, Formula, Instance, Limits, Outcome, Session, TupleSet};

use crate::encode::Comparison;

/// What became of a search for an explanation.
pub enum Explanation {
    /// There is one; the formula says of any candidate that the same orders do not explain it.
    Found(Formula),
    /// There is none.
    None,
    /// A limit was reached.
    Unknown,
}

/// Looks for an explanation of a candidate by the model of one side. `bounds` are those of the comparison.
pub fn explanation(
    comparison: &mut Comparison,
    side: usize,
    model: &Model,
    mut bounds: Bounds,
    instance: &Instance,
    backend: Backend,
    limits: &Limits,
) -> Explanation {
    let v = comparison.vocabulary.clone();
    for relation in v.searched().filter(|&r| ![v.mo_ascending, v.related, v.fence_order].contains(&r)) {
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
    let axioms = comparison.sides[side].axioms.iter().map(|&(_, f)| f);
    let formulas: Vec<Formula> = comparison.wellformed.iter().copied().chain(axioms).chain([kept]).collect();
    for formula in formulas {
        session.assert(&comparison.logic, formula);
    }
    match session.solve(&[], limits) {
        Outcome::Unknown => Explanation::Unknown,
        Outcome::Unsat => Explanation::None,
        Outcome::Sat(found) => {
            let mut coherence = found.evaluate(&comparison.logic, comparison.coherence);
            if model.signature.total_coherence() {
                let events = instance.evaluate(&comparison.logic, comparison.events());
                coherence = linear(&coherence, &events);
            }
            let fences = found.tuples(v.fence_order).cloned().unwrap_or_else(|| TupleSet::new(2));
            let explained = comparison.explained_by(model, coherence, fences);
            Explanation::Found(comparison.logic.not(explained))
        }
    }
}

/// An order of all events that has the given pairs: of a candidate with other locations it orders the writes to each, too.
fn linear(order: &TupleSet, events: &TupleSet) -> TupleSet {
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
