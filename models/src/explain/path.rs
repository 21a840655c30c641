//! Shortest ways: through one relation (closures, cycles), and through a sequence of relations.

/// The shortest path from `from` to `to` in a relation, of at least one step, as the events on it; ties go to smaller events.
pub(super) fn shortest_path(rows: &[u64], from: usize, to: usize) -> Option<Vec<usize>> {
    // Breadth-first, backwards from `to`: distance[x] is the number of steps from x.
    let n = rows.len();
    let mut distance = vec![usize::MAX; n];
    let mut reached = 1u64 << to;
    let mut steps = 0;
    loop {
        steps += 1;
        let next: u64 = (0..n).filter(|&x| distance[x] == usize::MAX && rows[x] & reached != 0).fold(0, |set, x| set | 1 << x);
        if next == 0 {
            return None;
        }
        (0..n).filter(|x| next >> x & 1 == 1).for_each(|x| distance[x] = steps);
        if distance[from] != usize::MAX {
            break;
        }
        reached = next;
    }
    let mut path = vec![from];
    let mut here = from;
    for left in (0..distance[from]).rev() {
        here = if left == 0 { to } else { (0..n).find(|&x| rows[here] >> x & 1 == 1 && distance[x] == left)? };
        path.push(here);
    }
    Some(path)
}

/// A shortest cycle as the events on it, the first one again at the end; it starts at its smallest event.
pub(super) fn shortest_cycle(rows: &[u64]) -> Option<Vec<usize>> {
    let mut best: Option<Vec<usize>> = None;
    for start in 0..rows.len() {
        if let Some(path) = shortest_path(rows, start, start)
            && best.as_ref().is_none_or(|b| path.len() < b.len())
        {
            best = Some(path);
        }
    }
    best
}

/// A relation of a sequence: its rows, and what a step through it costs a reader.
pub(super) struct Part<'a> {
    /// `[event]`: the events that it leads to, one bit each.
    pub(super) rows: &'a [u64],
    /// The cost of a step.
    pub(super) cost: usize,
    /// Does staying at an event cost nothing (`[S]`, `r?`, `r*`)?
    pub(super) may_stay: bool,
}

/// The cheapest way from `from` to `to` through all parts in order: the events between them, `from` and `to` included.
pub(super) fn cheapest_way(parts: &[Part<'_>], from: usize, to: usize) -> Option<Vec<usize>> {
    let n = parts.first()?.rows.len();
    // cost[i][x]: from x through the parts i.. to `to`.
    let mut cost = vec![vec![None::<usize>; n]; parts.len() + 1];
    cost[parts.len()][to] = Some(0);
    let step = |part: &Part<'_>, x: usize, y: usize| -> Option<usize> {
        (part.rows[x] >> y & 1 == 1).then_some(if x == y && part.may_stay { 0 } else { part.cost })
    };
    for (i, part) in parts.iter().enumerate().rev() {
        for x in 0..n {
            cost[i][x] = (0..n).filter_map(|y| Some(step(part, x, y)? + cost[i + 1][y]?)).min();
        }
    }
    let mut way = vec![from];
    let mut here = from;
    for (i, part) in parts.iter().enumerate() {
        let total = cost[i][here]?;
        here = (0..n).find(|&y| step(part, here, y).zip(cost[i + 1][y]).is_some_and(|(a, b)| a + b == total))?;
        way.push(here);
    }
    Some(way)
}
