//! All total orders and all strict partial orders over a few events.

use margay_models::bits::Event;

/// An order as its pairs.
pub type Pairs = Vec<(Event, Event)>;

/// Every total order.
pub fn total_orders(events: &[Event]) -> Vec<Pairs> {
    let Some((&first, rest)) = events.split_first() else { return vec![vec![]] };
    let insert = |order: Pairs| {
        (0..=rest.len()).map(move |position| {
            let mut sorted: Vec<Event> = rest.to_vec();
            sorted.sort_by_key(|&e| order.iter().filter(|p| p.1 == e).count());
            sorted.insert(position, first);
            (0..sorted.len())
                .flat_map(|i| (i + 1..sorted.len()).map(move |j| (i, j)))
                .map(|(i, j)| (sorted[i], sorted[j]))
                .collect()
        })
    };
    total_orders(rest).into_iter().flat_map(insert).collect()
}

/// Every strict partial order.
pub fn partial_orders(events: &[Event]) -> Vec<Pairs> {
    let Some((&last, rest)) = events.split_last() else { return vec![vec![]] };
    let mut found = Vec::new();
    for order in partial_orders(rest) {
        let before = |a: Event, b: Event| order.contains(&(a, b));
        // Each other event is below the last one, above it, or unrelated to it: three to the number
        // of them.
        for choice in 0..3usize.pow(rest.len() as u32) {
            let side = |i: usize| choice / 3usize.pow(i as u32) % 3;
            let on = |s: usize| (0..rest.len()).filter(move |&i| side(i) == s).map(|i| rest[i]);
            let closed = on(1)
                .all(|b| (0..rest.len()).all(|i| !before(rest[i], b) || side(i) == 1))
                && on(2).all(|a| (0..rest.len()).all(|i| !before(a, rest[i]) || side(i) == 2))
                && on(1).all(|a| on(2).all(|b| before(a, b)));
            if closed {
                found.push(
                    order
                        .iter()
                        .copied()
                        .chain(on(1).map(|a| (a, last)))
                        .chain(on(2).map(|b| (last, b)))
                        .collect(),
                );
            }
        }
    }
    found
}

#[test]
fn there_are_as_many_orders_as_there_should_be() {
    let events: Vec<Event> = (0..5).map(Event::from).collect();
    let counts = |orders: fn(&[Event]) -> Vec<Pairs>| {
        (0..=4).map(|n| orders(&events[..n]).len()).collect::<Vec<_>>()
    };
    assert_eq!(counts(total_orders), [1, 1, 2, 6, 24]);
    // Labelled partial orders: OEIS A001035.
    assert_eq!(counts(partial_orders), [1, 1, 3, 19, 219]);
    let distinct: std::collections::BTreeSet<_> = total_orders(&events[..4]).into_iter().collect();
    assert_eq!(distinct.len(), 24);
}
