//! Shortest ways: through one relation (closures, cycles), and through a sequence of relations.

use crate::bits::{Event, EventRows, EventSet};

/// The shortest path from `from` to `to` in a relation, of at least one step, as the events on it;
/// ties go to smaller events.
pub(super) fn shortest_path(rows: EventRows<'_>, from: usize, to: usize) -> Option<Vec<usize>> {
    shorter_path(rows, from, to, usize::MAX)
}

/// The same if it has fewer steps than `limit`.
fn shorter_path(rows: EventRows<'_>, from: usize, to: usize, limit: usize) -> Option<Vec<usize>> {
    // Breadth-first, backwards from `to`: distance[x] is the number of steps from x.
    let n = rows.events();
    let mut distance = vec![usize::MAX; n];
    let mut left: Vec<usize> = (0..n).collect();
    let mut reached = EventSet::from_iter([Event::from(to)]);
    let mut steps = 0;
    while distance[from] == usize::MAX {
        steps += 1;
        if steps >= limit {
            return None;
        }
        let (next, others): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&x| rows.row(x).meets(reached.as_row()));
        if next.is_empty() {
            return None;
        }
        next.iter().for_each(|&x| distance[x] = steps);
        reached = next.into_iter().map(Event::from).collect();
        left = others;
    }
    let mut path = vec![from];
    let mut here = from;
    for left in (0..distance[from]).rev() {
        here = if left == 0 {
            to
        } else {
            rows.row(here).iter().map(Event::index).find(|&x| distance[x] == left)?
        };
        path.push(here);
    }
    Some(path)
}

/// A shortest cycle as the events on it, the first one again at the end; it starts at its smallest
/// event.
pub(super) fn shortest_cycle(rows: EventRows<'_>) -> Option<Vec<usize>> {
    let mut best: Option<Vec<usize>> = None;
    for start in 0..rows.events() {
        // The events of a path are one more than its steps.
        let limit = best.as_ref().map_or(usize::MAX, |path| path.len() - 1);
        best = shorter_path(rows, start, start, limit).or(best);
    }
    best
}

/// A relation of a sequence: its rows, and what a step through it costs a reader.
pub(super) struct Part<'a> {
    /// `[event]`: the events that it leads to, one bit each.
    pub(super) rows: EventRows<'a>,
    /// The cost of a step.
    pub(super) cost: usize,
    /// Does staying at an event cost nothing (`[S]`, `r?`, `r*`)?
    pub(super) may_stay: bool,
}

/// The cheapest way from `from` to `to` through all parts in order: the events between them, `from`
/// and `to` included.
pub(super) fn cheapest_way(parts: &[Part<'_>], from: usize, to: usize) -> Option<Vec<usize>> {
    let n = parts.first()?.rows.events();
    // cost[i][x]: from x through the parts i.. to `to`.
    let mut cost = vec![vec![None::<usize>; n]; parts.len() + 1];
    cost[parts.len()][to] = Some(0);
    let price =
        |part: &Part<'_>, x: usize, y: usize| if x == y && part.may_stay { 0 } else { part.cost };
    for (i, part) in parts.iter().enumerate().rev() {
        for x in 0..n {
            let successors = part.rows.row(x).iter().map(Event::index);
            cost[i][x] = successors.filter_map(|y| Some(price(part, x, y) + cost[i + 1][y]?)).min();
        }
    }
    let mut way = vec![from];
    let mut here = from;
    for (i, part) in parts.iter().enumerate() {
        let total = cost[i][here]?;
        let mut successors = part.rows.row(here).iter().map(Event::index);
        here = successors
            .find(|&y| cost[i + 1][y].is_some_and(|rest| price(part, here, y) + rest == total))?;
        way.push(here);
    }
    Some(way)
}
