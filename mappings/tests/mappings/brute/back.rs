//! Loads that are read-modify-writes, by enumeration: what may read what they write back, and where
//! in coherence order that stands.

use std::collections::BTreeMap;

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{Execution, Kind};

use super::orders::{choices, partial_orders, permutations};

/// A load that is a read-modify-write.
#[derive(Debug, Clone, Copy)]
pub struct Back {
    /// Its read.
    pub load: usize,
    /// What it writes back.
    pub write: usize,
}

/// Pairs of writes, the earlier one first.
pub type Pairs = Vec<(usize, usize)>;

/// Every reads-from of the target in which all values come from where `wanted` says that they come
/// from.
pub fn reads(target: &Execution, back: &[Back], wanted: &BitMatrix) -> Vec<BitMatrix> {
    let readers: Vec<(usize, usize)> =
        wanted.pairs().map(|(w, r)| (r.index(), w.index())).collect();
    let sources: Vec<Vec<usize>> = readers
        .iter()
        .map(|&(r, w)| {
            let here = |b: &&Back| {
                b.load != r && target.events[b.write].location == target.events[r].location
            };
            std::iter::once(w).chain(back.iter().filter(here).map(|b| b.write)).collect()
        })
        .collect();
    let mut out = Vec::new();
    for chosen in choices(&sources) {
        let from: BTreeMap<usize, usize> = readers.iter().map(|&(r, _)| r).zip(chosen).collect();
        if readers.iter().all(|&(r, w)| origin(&from, back, r) == Some(w)) {
            let pairs = from.iter().map(|(&r, &w)| (Event::from(w), Event::from(r)));
            out.push(BitMatrix::from_pairs(target.size(), pairs));
        }
    }
    out
}

/// The write that a value comes from; `None` if it goes round in a circle.
fn origin(from: &BTreeMap<usize, usize>, back: &[Back], read: usize) -> Option<usize> {
    let mut seen = vec![read];
    loop {
        let write = from[&seen[seen.len() - 1]];
        let Some(of) = back.iter().find(|b| b.write == write) else { return Some(write) };
        if seen.contains(&of.load) {
            return None;
        }
        seen.push(of.load);
    }
}

/// Every order of the writes of each location that has the source's writes in the source's order,
/// and ends with a write of the value that the source ends with.
pub fn orders(
    target: &Execution,
    back: &[Back],
    wanted: &BitMatrix,
    of_source: &Pairs,
) -> Vec<Pairs> {
    let writes = |l: u16| -> Vec<usize> {
        let here = |e: &usize| {
            target.events[*e].kind == Kind::Write && target.events[*e].location == Some(l)
        };
        (0..target.size()).filter(here).collect()
    };
    let own = |w: &usize| back.iter().all(|b| b.write != *w);
    // With what has the value of the last write of the source, the location may end.
    let value = |w: usize| match back.iter().find(|b| b.write == w) {
        Some(of) => {
            wanted.column(Event::from(of.load)).iter().next().expect("reads have a source").index()
        }
        None => w,
    };
    let mut lists = Vec::new();
    for l in 0..target.locations.len() as u16 {
        let all = writes(l);
        let is_last = |w: usize| {
            all.iter().copied().filter(own).all(|x| {
                let initial = target.events[w].kind == Kind::Init;
                !initial && !of_source.contains(&(w, x))
            })
        };
        let mut fitting: Vec<Pairs> = Vec::new();
        for sequence in permutations(&all) {
            let pairs: Pairs = sequence
                .iter()
                .enumerate()
                .flat_map(|(i, &a)| sequence[i + 1..].iter().map(move |&b| (a, b)))
                .collect();
            let keeps =
                pairs.iter().filter(|(a, b)| own(a) && own(b)).all(|pair| of_source.contains(pair));
            if keeps && sequence.last().is_none_or(|&w| is_last(value(w))) {
                fitting.push(pairs);
            }
        }
        lists.push(fitting);
    }
    choices(&lists).into_iter().map(|of_locations| of_locations.concat()).collect()
}

/// The coherence orders of a target of such total orders: where it is partial, any part of one.
pub fn coherence(total: Vec<Pairs>, partial: bool) -> Vec<Pairs> {
    if partial { total.iter().flat_map(|pairs| partial_orders(pairs)).collect() } else { total }
}
