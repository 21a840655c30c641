//! Sets of events and relations at the borders of words, against sorted lists.

use std::collections::BTreeSet;

use margay_models::bits::{BitMatrix, Event, EventSet};

const SIZES: [usize; 7] = [1, 63, 64, 65, 128, 129, 4096];

/// Numbers below `n`, the same ones in every run, with those at the borders of words among them.
fn numbers(n: usize, step: usize) -> BTreeSet<usize> {
    (0..n).step_by(step).chain([0, 62, 63, 64, 127, 128, n - 1]).filter(|&e| e < n).collect()
}

fn set(of: &BTreeSet<usize>) -> EventSet {
    of.iter().copied().map(Event::from).collect()
}

#[test]
fn sets_of_any_size_are_sets() {
    for n in SIZES {
        let (a, b) = (numbers(n, 3), numbers(n, 5));
        let (of_a, of_b) = (set(&a), set(&b));
        assert_eq!(of_a.len(), a.len());
        assert!(of_a.iter().map(Event::index).eq(a.iter().copied()));
        assert!((0..n + 64).all(|e| of_a.contains(Event::from(e)) == a.contains(&e)));
        assert_eq!(&of_a & &of_b, set(&(&a & &b)));
        assert_eq!(&of_a | &of_b, set(&(&a | &b)));
        assert_eq!(&of_a - &of_b, set(&(&a - &b)));
        assert_eq!(EventSet::first(n), set(&(0..n).collect()));
        // A set that lost its last members is the one that never had them.
        let mut less = of_a.clone();
        a.iter().skip(1).for_each(|&e| less.remove(Event::from(e)));
        assert_eq!(less, set(&BTreeSet::from([0])));
        less.remove(Event(0));
        assert!(less.is_empty() && less == EventSet::EMPTY && less.iter().next().is_none());
    }
}

#[test]
fn relations_of_any_size_are_relations() {
    for n in SIZES {
        let members: Vec<usize> = numbers(n, n / 7 + 1).into_iter().collect();
        let pairs: BTreeSet<(usize, usize)> = members
            .iter()
            .flat_map(|&a| members.iter().map(move |&b| (a, b)))
            .filter(|(a, b)| (a + 2 * b) % 3 != 1)
            .collect();
        let mut relation =
            BitMatrix::from_pairs(n, pairs.iter().map(|&(a, b)| (Event::from(a), Event::from(b))));
        assert_eq!((relation.size(), relation.len()), (n, pairs.len()));
        assert!(relation.pairs().map(|(a, b)| (a.index(), b.index())).eq(pairs.iter().copied()));
        for &e in &members {
            let after: BTreeSet<usize> = pairs.iter().filter(|p| p.0 == e).map(|p| p.1).collect();
            let before: BTreeSet<usize> = pairs.iter().filter(|p| p.1 == e).map(|p| p.0).collect();
            assert_eq!(relation.row(Event::from(e)).to_set(), set(&after));
            assert_eq!(relation.column(Event::from(e)), set(&before));
        }
        let last = Event::from(n - 1);
        let row = relation.row(last).to_set();
        relation.remove_all(last, row.as_row());
        assert!(relation.row(last).is_empty());
        relation.insert_all(last, row.as_row());
        assert_eq!(relation.row(last).to_set(), row);
        for &(a, b) in &pairs {
            relation.remove(Event::from(a), Event::from(b));
        }
        assert!(relation.is_empty() && relation == BitMatrix::new(n));
    }
}
