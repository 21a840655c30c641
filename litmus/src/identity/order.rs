//! The order of the threads that makes the smallest text: one thread after the other, always one
//! that is the smallest next. Where several are, all are followed; states from which the rest looks
//! the same are followed once.

use std::collections::BTreeSet;

use super::thread::{ThreadNames, ThreadSubject};

/// The largest number of states that are followed.
const MAX_STATES: usize = 4096;

struct OrderSearch {
    order: Vec<usize>,
    names: ThreadNames,
}

/// The text, and the threads in its order.
pub(super) fn smallest(subject: &ThreadSubject<'_>) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut states = vec![OrderSearch { order: Vec::new(), names: subject.names() }];
    for _ in 0..subject.threads() {
        let mut best: Option<String> = None;
        let mut next: Vec<OrderSearch> = Vec::new();
        for state in &states {
            for thread in (0..subject.threads()).filter(|t| !state.order.contains(t)) {
                let mut names = state.names.clone();
                let written = subject.write(thread, &state.order, &mut names);
                match best.as_ref().map_or(std::cmp::Ordering::Less, |best| written.cmp(best)) {
                    std::cmp::Ordering::Greater => continue,
                    std::cmp::Ordering::Less => {
                        best = Some(written);
                        next.clear();
                    }
                    std::cmp::Ordering::Equal => {}
                }
                let order = state.order.iter().copied().chain([thread]).collect();
                next.push(OrderSearch { order, names });
            }
        }
        text.push_str(&best.unwrap_or_default());
        text.push('\n');
        states = distinct(subject, next);
    }
    let ends = states.iter().map(|s| (subject.end(&s.order, &s.names), &s.order));
    let (end, order) =
        ends.min().map_or_else(|| (String::new(), Vec::new()), |(end, order)| (end, order.clone()));
    (text + &end, order)
}

/// All orders that make the same text, up to five threads; of more, the given one.
pub(super) fn equal(subject: &ThreadSubject<'_>, text: &str, order: &[usize]) -> Vec<Vec<usize>> {
    if order.len() > 5 {
        return vec![order.to_vec()];
    }
    let mut found = Vec::new();
    let mut open = vec![(OrderSearch { order: Vec::new(), names: subject.names() }, text)];
    while let Some((state, rest)) = open.pop() {
        if state.order.len() == subject.threads() {
            if subject.end(&state.order, &state.names) == rest {
                found.push(state.order);
            }
            continue;
        }
        for thread in (0..subject.threads()).filter(|t| !state.order.contains(t)) {
            let mut names = state.names.clone();
            let written = subject.write(thread, &state.order, &mut names) + "\n";
            if let Some(rest) = rest.strip_prefix(&written) {
                open.push((
                    OrderSearch {
                        order: state.order.iter().copied().chain([thread]).collect(),
                        names,
                    },
                    rest,
                ));
            }
        }
    }
    found
}

/// States after which different things may follow.
fn distinct(subject: &ThreadSubject<'_>, states: Vec<OrderSearch>) -> Vec<OrderSearch> {
    if states.len() == 1 {
        return states;
    }
    let by_register = subject.asks_of_registers();
    let mut seen = BTreeSet::new();
    let future = |state: &OrderSearch| {
        let rest = (0..subject.threads()).filter(|t| !state.order.contains(t));
        let rest: Vec<(usize, String)> =
            rest.map(|t| (t, subject.places(t, &state.order))).collect();
        (rest, format!("{:?}", state.names), by_register.then(|| state.order.clone()))
    };
    states.into_iter().filter(|s| seen.insert(future(s))).take(MAX_STATES).collect()
}
