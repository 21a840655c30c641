//! All orders of the fences of an execution, where an execution chooses one: the judge is asked
//! about each.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::Execution;
use margay_models::judge::Judge;
use margay_models::model::Model;

use super::is_violated;
use crate::encode::AxiomId;

/// The fences whose order is chosen.
pub fn chosen(execution: &Execution) -> Vec<Event> {
    let is_ordered = |e: &Event| execution.signature.is_ordered_fence(&execution.events[e.index()]);
    (0..execution.size()).map(Event::from).filter(is_ordered).collect()
}

/// Is there an order of its fences in which the execution satisfies all these axioms? Not asked of
/// a model that does not look at such an order.
pub fn legal(model: &Model, execution: &Execution, axioms: &[AxiomId]) -> bool {
    if !model.orders_fences() {
        return false;
    }
    let (fences, mut judge, mut changed) =
        (chosen(execution), Judge::new(model), execution.clone());
    let mut found = false;
    each(fences.len(), &mut |before| {
        let earlier = |i: usize| (0..fences.len()).filter(move |j| before[i] >> j & 1 == 1);
        let pairs = (0..fences.len()).flat_map(|i| earlier(i).map(move |j| (j, i)));
        changed.sync_fence =
            BitMatrix::from_pairs(execution.size(), pairs.map(|(j, i)| (fences[j], fences[i])));
        let holds = judge.judge(&changed).holds;
        found = !axioms.iter().any(|q| is_violated(&model.checks[q.0], holds[q.0]));
        !found
    });
    found
}

/// Visits each strict partial order of so many things once, as the set of those before each of
/// them, until `visit` returns false. Returns whether it never did.
fn each(things: usize, visit: &mut dyn FnMut(&[u64]) -> bool) -> bool {
    more(&mut Vec::new(), things, visit)
}

/// A further thing stands behind some and before others: with each it stands behind all that are
/// before that, with each that it stands before it is before all behind that, and what is before it
/// is before what is behind it.
fn more(before: &mut Vec<u64>, things: usize, visit: &mut dyn FnMut(&[u64]) -> bool) -> bool {
    let new = before.len();
    if new == things {
        return visit(before);
    }
    let members = |set: u64| (0..new).filter(move |i| set >> i & 1 == 1);
    for earlier in 0..1u64 << new {
        if members(earlier).any(|i| before[i] & !earlier != 0) {
            continue;
        }
        for later in (0..1u64 << new).filter(|later| later & earlier == 0) {
            let is_order = (0..new).all(|i| match later >> i & 1 {
                1 => earlier & !before[i] == 0,
                _ => before[i] & later == 0,
            });
            if !is_order {
                continue;
            }
            let kept = before.clone();
            members(later).for_each(|i| before[i] |= 1 << new);
            before.push(earlier);
            let goes_on = more(before, things, visit);
            *before = kept;
            if !goes_on {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::each;

    #[test]
    fn every_order_is_visited_once() {
        // Partial orders on so many labelled things: OEIS A001035.
        for (things, orders) in [(0, 1), (1, 1), (2, 3), (3, 19), (4, 219), (5, 4231)] {
            let (mut seen, mut visits) = (BTreeSet::new(), 0);
            assert!(each(things, &mut |before| {
                visits += 1;
                for (i, &earlier) in before.iter().enumerate() {
                    let members = (0..things).filter(|j| earlier >> j & 1 == 1);
                    assert!(
                        earlier >> i & 1 == 0
                            && members.fold(0, |all, j| all | before[j]) & !earlier == 0,
                        "{before:?}"
                    );
                }
                seen.insert(before.to_vec())
            }));
            assert_eq!((visits, seen.len()), (orders, orders), "{things} things");
        }
    }

    #[test]
    fn a_visit_ends_the_rest() {
        let mut visits = 0;
        assert!(!each(3, &mut |_| {
            visits += 1;
            visits < 5
        }));
        assert_eq!(visits, 5);
    }
}
