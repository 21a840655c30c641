//! The orders that explain an outcome, as a lesson of a certificate has them.

use margay_solver::{Atom, TupleSet};

use super::document::CertifiedLesson;
use crate::search::Orders;

impl From<&Orders> for CertifiedLesson {
    fn from(orders: &Orders) -> Self {
        let pairs = |order: &TupleSet| {
            order.iter().map(|pair| (pair[0].0 as usize, pair[1].0 as usize)).collect()
        };
        CertifiedLesson::Orders {
            coherence: pairs(&orders.coherence),
            fences: pairs(&orders.fences),
        }
    }
}

impl CertifiedLesson {
    /// The orders that it says, if they could have been learned: strict partial orders of so many
    /// events, where `total` is set a total coherence order. Of other events they are then orders,
    /// too, whatever they were learned from.
    pub(crate) fn orders(&self, events: usize, total: bool) -> Option<Orders> {
        let CertifiedLesson::Orders { coherence, fences } = self else { return None };
        let order = |pairs: &[(usize, usize)]| {
            let inside = pairs.iter().all(|&(a, b)| a < events && b < events && a != b);
            let atom = |e: usize| Atom(e as u32);
            let order = TupleSet::from_tuples(2, pairs.iter().map(|&(a, b)| [atom(a), atom(b)]));
            let follows = |&(a, b): &(usize, usize)| {
                (0..events).all(|c| {
                    !order.contains(&[atom(b), atom(c)]) || order.contains(&[atom(a), atom(c)])
                })
            };
            (inside && pairs.iter().all(follows)).then_some(order)
        };
        let (coherence, fences) = (order(coherence)?, order(fences)?);
        let related = |a: u32, b: u32| {
            coherence.contains(&[Atom(a), Atom(b)]) || coherence.contains(&[Atom(b), Atom(a)])
        };
        let all = || (0..events as u32).all(|b| (0..b).all(|a| related(a, b)));
        (!total || all()).then_some(Orders { coherence, fences })
    }
}
