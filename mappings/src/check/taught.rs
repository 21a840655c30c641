//! What refuted candidates taught, as certificates and kept answers have it, and back.

use margay_solver::TupleSet;

use super::baseline::OldCandidate;
use super::program::Taught;
use crate::certificate::CertifiedLesson;
use crate::encode::atoms::{AtomPlace, Atoms, EventSlots};
use crate::encode::shape::ThreadShape;
use crate::encode::{Prefix, ReadSources};

/// The pairs of a total order, given by its events in order.
fn pairs(order: &[usize], shape: &ThreadShape) -> TupleSet {
    // Events come first among the atoms, however many slots there are.
    let atoms = Atoms::new(shape, EventSlots::default());
    let later = |i: usize| {
        order[i + 1..].iter().map(move |&b| (AtomPlace::Event(order[i]), AtomPlace::Event(b)))
    };
    atoms.pairs((0..order.len()).flat_map(later))
}

/// What was taught, as certificates and kept answers have it; `None` if it is an order of some
/// events only.
pub fn lesson(taught: &Taught, shape: &ThreadShape) -> Option<CertifiedLesson> {
    match taught {
        Taught::Order(order) => {
            let mut events: Vec<usize> = (0..shape.events()).collect();
            let followers = |e: usize| order.iter().filter(|pair| pair[0].0 as usize == e).count();
            events.sort_by_key(|&e| std::cmp::Reverse(followers(e)));
            (pairs(&events, shape) == *order).then_some(CertifiedLesson::Order(events))
        }
        Taught::Orders(orders) => Some(CertifiedLesson::from(orders)),
        Taught::Old(old) => Some(CertifiedLesson::from(old)),
        Taught::Race(Prefix { order, sources }) => {
            let sources = match sources {
                ReadSources::Latest => None,
                ReadSources::Given(given) => Some(given.clone()),
            };
            Some(CertifiedLesson::Race { order: order.clone(), sources })
        }
    }
}

/// What such a lesson says, if it is one that could have been learned: an order has every event
/// once; the beginning of an execution has events once, in program order where it is an
/// interleaving, and for each read at most one source among them.
pub fn taught(lesson: &CertifiedLesson, shape: &ThreadShape) -> Option<Taught> {
    let events = shape.events();
    let once = |order: &[usize]| {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).all(|w| w[0] < w[1]) && sorted.iter().all(|&e| e < events)
    };
    match lesson {
        CertifiedLesson::Order(order) => {
            (once(order) && order.len() == events).then(|| Taught::Order(pairs(order, shape)))
        }
        // Modification order as it was is no order at all.
        CertifiedLesson::Orders { coherence, .. } => {
            lesson.orders(events, !coherence.is_empty()).map(Taught::Orders)
        }
        // Whether its atoms are there is seen where it is taught.
        CertifiedLesson::Old { .. } | CertifiedLesson::Outcome(_) => {
            OldCandidate::of(lesson).map(Taught::Old)
        }
        CertifiedLesson::Race { order, sources } => {
            let thread = shape.thread_of_events();
            let in_program_order = || {
                (0..order.len()).all(|i| {
                    order[..i].iter().all(|&e| thread[e] != thread[order[i]] || e < order[i])
                })
            };
            let fits = once(order)
                && match sources {
                    None => in_program_order(),
                    Some(given) => {
                        let reads: Vec<usize> = given.iter().map(|&(r, _)| r).collect();
                        once(&reads)
                            && given.iter().all(|&(r, w)| {
                                order.contains(&r) && w.is_none_or(|w| w != r && order.contains(&w))
                            })
                    }
                };
            let sources = sources.clone().map_or(ReadSources::Latest, ReadSources::Given);
            fits.then(|| Taught::Race(Prefix { order: order.clone(), sources }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CertifiedLesson, Prefix, ReadSources, Taught, lesson, pairs, taught};
    use crate::encode::shape::ThreadShape;

    #[test]
    fn lessons_are_written_and_read() {
        let shape = ThreadShape::of(&[2, 2, 1]).expect("a shape");
        let race =
            |order: &[usize], sources| Taught::Race(Prefix { order: order.to_vec(), sources });
        for one in [
            Taught::Order(pairs(&[3, 0, 4, 2, 1], &shape)),
            Taught::Order(pairs(&[0, 1, 2, 3, 4], &shape)),
            race(&[2, 0, 3], ReadSources::Latest),
            race(&[3, 0, 2], ReadSources::Given(vec![(0, Some(3)), (2, None)])),
        ] {
            let written = lesson(&one, &shape).expect("it can be written");
            assert_eq!(taught(&written, &shape), Some(one));
        }
        // An order of some events only, and the orders of another shape.
        assert_eq!(lesson(&Taught::Order(pairs(&[0, 1, 2], &shape)), &shape), None);
        for wrong in [
            CertifiedLesson::Order(vec![0, 1, 2, 3]),
            CertifiedLesson::Order(vec![0, 1, 2, 3, 3]),
            CertifiedLesson::Order(vec![0, 1, 2, 3, 5]),
            CertifiedLesson::Race { order: vec![1, 0], sources: None },
            CertifiedLesson::Race { order: vec![0, 5], sources: None },
            CertifiedLesson::Race {
                order: vec![0, 2],
                sources: Some(vec![(0, None), (0, Some(2))]),
            },
            CertifiedLesson::Race { order: vec![0, 2], sources: Some(vec![(0, Some(1))]) },
            CertifiedLesson::Race { order: vec![0, 2], sources: Some(vec![(1, None)]) },
        ] {
            assert_eq!(taught(&wrong, &shape), None, "{wrong:?}");
        }
    }
}
