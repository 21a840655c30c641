//! All cycles of some edges, or random ones.

use std::ops::{ControlFlow, RangeInclusive};

use super::edge::Edge;
use super::{Cycle, NoCycle};

/// How large cycles are.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// The number of edges.
    pub edges: RangeInclusive<usize>,
    /// The number of threads.
    pub threads: RangeInclusive<usize>,
}

/// Is the second edge of use after the first one? Two steps of program order are one, and so are
/// two of coherence order, from-read and coherence, reads-from and from-read: a cycle with them is
/// no critical one (Shasha and Snir, TOPLAS 1988).
fn goes_on(a: Edge, b: Edge) -> bool {
    use super::edge::Communication::{Co, Fr, Rf};
    // The halves of a read-modify-write are one operation: program order before or after it is
    // another step.
    if a.is_rmw() || b.is_rmw() {
        return true;
    }
    !matches!(
        (a, b),
        (Edge::Link { .. }, Edge::Link { .. })
            | (Edge::Communication { kind: Fr | Co, .. }, Edge::Communication { kind: Co, .. })
            | (Edge::Communication { kind: Rf, .. }, Edge::Communication { kind: Fr, .. })
    )
}

/// Calls `found` with every cycle of these edges, the small ones first, each once whichever edge it
/// is written from; stops when `found` breaks.
pub fn cycles(
    edges: &[Edge],
    sizes: &Sizes,
    found: &mut impl FnMut(Cycle) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for size in sizes.edges.clone() {
        let mut chosen = Vec::with_capacity(size);
        extend(edges, size, sizes, &mut chosen, found)?;
    }
    ControlFlow::Continue(())
}

fn extend(
    edges: &[Edge],
    size: usize,
    sizes: &Sizes,
    chosen: &mut Vec<usize>,
    found: &mut impl FnMut(Cycle) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if chosen.len() == size {
        let closes = match (chosen.last(), chosen.first()) {
            (Some(&last), Some(&first)) => goes_on(edges[last], edges[first]),
            _ => false,
        };
        if closes && smallest_rotation(chosen) {
            let list: Vec<Edge> = chosen.iter().map(|&i| edges[i]).collect();
            if let Ok(cycle) = Cycle::new(&list)
                && sizes.threads.contains(&cycle.threads())
            {
                return found(cycle);
            }
        }
        return ControlFlow::Continue(());
    }
    // The first edge of the smallest rotation is the smallest one.
    let from = chosen.first().copied().unwrap_or(0);
    for i in from..edges.len() {
        let fits = chosen.last().is_none_or(|&last| {
            edges[last].to() == edges[i].from() && goes_on(edges[last], edges[i])
        });
        let threads = chosen.iter().filter(|&&c| edges[c].external()).count()
            + usize::from(edges[i].external());
        if !fits || threads > *sizes.threads.end() {
            continue;
        }
        chosen.push(i);
        extend(edges, size, sizes, chosen, found)?;
        chosen.pop();
    }
    ControlFlow::Continue(())
}

/// Is no rotation smaller?
fn smallest_rotation(word: &[usize]) -> bool {
    (1..word.len()).all(|start| word[start..].iter().chain(&word[..start]).ge(word.iter()))
}

/// A cycle drawn at random; `None` if the draw was none (draw again).
pub fn random(edges: &[Edge], sizes: &Sizes, rng: &mut fastrand::Rng) -> Option<Cycle> {
    let size = rng.usize(sizes.edges.clone());
    let mut chosen: Vec<Edge> = Vec::with_capacity(size);
    while chosen.len() < size {
        let possible: Vec<Edge> = edges
            .iter()
            .copied()
            .filter(|&e| {
                chosen.last().is_none_or(|&last| last.to() == e.from() && goes_on(last, e))
            })
            .collect();
        chosen.push(*rng.choice(&possible)?);
    }
    let closes = goes_on(*chosen.last()?, *chosen.first()?);
    let cycle: Result<Cycle, NoCycle> = Cycle::new(&chosen);
    cycle.ok().filter(|c| closes && sizes.threads.contains(&c.threads()))
}
