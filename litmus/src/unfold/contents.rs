//! What mbarriers can hold. An operation on one is a function of what it held before, and comes
//! once in an execution: so of n operations that do the same, at most n are between its
//! initialisation and what a read returns. To pass values on from write to read as for other memory
//! ([`super::Domains`]) would count each operation again and again, and give every phase every
//! number of arrivals and of bytes.
//!
//! No order of the operations is supposed, so that this holds in every model; and contents on a
//! cycle of reads-from, which would be out of thin air, are none.

use std::collections::BTreeSet;

use margay_models::execution::Kind;
use margay_models::mbarrier::Mbarrier;

use super::merge::{Merged, MergedValue};
use super::symbol::{Binary, MbarrierFunction};

/// The largest number of states of an mbarrier that is looked at.
const MAX_STATES: usize = 1 << 16;

/// What a write does with an mbarrier.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ContentsChange {
    /// It holds this.
    Set(i64),
    /// It holds what these make of what it held, one after the other.
    Apply(Vec<(MbarrierFunction, i64)>),
}

impl ContentsChange {
    /// What a write of an mbarrier does, by its value; nothing for what is no operation on one.
    fn of(merged: &Merged, write: usize) -> Option<Self> {
        let mut value = merged.values[merged.events[write].value?.index()];
        let mut functions = Vec::new();
        loop {
            value = match value {
                MergedValue::Number(n) if functions.is_empty() => return Some(Self::Set(n)),
                MergedValue::Read(r) if merged.events[write].modifies == Some(r) => {
                    functions.reverse();
                    return Some(Self::Apply(functions));
                }
                MergedValue::Binary(Binary::Mbarrier(function), contents, number) => {
                    let MergedValue::Number(number) = merged.values[number.index()] else {
                        return None;
                    };
                    functions.push((function, number));
                    merged.values[contents.index()]
                }
                _ => return None,
            };
        }
    }

    /// What it then holds; nothing where the thread stops.
    fn apply(&self, contents: i64) -> Option<i64> {
        match self {
            Self::Set(n) => Some(*n),
            Self::Apply(functions) => {
                let arrives = |f: &&(MbarrierFunction, i64)| {
                    matches!(f.0, MbarrierFunction::Arrive | MbarrierFunction::Drop)
                };
                let arrivals: i64 = functions.iter().filter(arrives).map(|(_, n)| n).sum();
                let mbarrier = Mbarrier(contents);
                let is_awaited = mbarrier.is_valid() && mbarrier.pending() >= arrivals;
                let apply = |held, &(function, number): &(MbarrierFunction, i64)| {
                    function.apply(held, number)
                };
                is_awaited.then(|| functions.iter().fold(contents, apply))
            }
        }
    }
}

/// For each event what it can return, if it is a read of an mbarrier: ascending.
pub(super) fn contents(merged: &Merged, location: &impl Fn(u16) -> u16) -> Vec<Option<Vec<i64>>> {
    let mut found = vec![None; merged.events.len()];
    let mbarrier = |e: usize| {
        merged.events[e].data.location.filter(|_| merged.events[e].data.mbarrier).map(location)
    };
    let all: BTreeSet<u16> = (0..merged.events.len()).filter_map(mbarrier).collect();
    for of in all {
        let here: Vec<usize> =
            (0..merged.events.len()).filter(|&e| mbarrier(e) == Some(of)).collect();
        if let Some(reads) = contents_of(merged, &here) {
            reads.into_iter().for_each(|(read, values)| found[read] = Some(values));
        }
    }
    found
}

/// The same for one mbarrier, of the events on it.
fn contents_of(merged: &Merged, here: &[usize]) -> Option<Vec<(usize, Vec<i64>)>> {
    let mut start = None;
    // What is done, by which writes, and how often in one execution.
    let mut changes: Vec<(ContentsChange, Vec<usize>, usize)> = Vec::new();
    for &write in here.iter().filter(|&&e| merged.events[e].value.is_some()) {
        match (merged.events[write].data.kind, ContentsChange::of(merged, write)?) {
            (Kind::Init, ContentsChange::Set(n)) => start = Some(n),
            (_, change) => match changes.iter_mut().find(|(known, ..)| *known == change) {
                Some((_, writes, _)) => writes.push(write),
                None => changes.push((change, vec![write], 0)),
            },
        }
    }
    for (_, writes, most) in &mut changes {
        let on = |path: &super::merge::MergedPath| {
            path.events.iter().filter(|e| writes.contains(e)).count()
        };
        *most = merged.paths.iter().map(|paths| paths.iter().map(on).max().unwrap_or(0)).sum();
    }
    let mut seen: BTreeSet<(Vec<usize>, i64)> = BTreeSet::new();
    let mut open = vec![(vec![0; changes.len()], start?)];
    while let Some((done, held)) = open.pop() {
        if !seen.insert((done.clone(), held)) {
            continue;
        }
        if seen.len() > MAX_STATES {
            return None;
        }
        for (c, (change, ..)) in
            changes.iter().enumerate().filter(|(c, (.., most))| done[*c] < *most)
        {
            if let Some(next) = change.apply(held) {
                let mut done = done.clone();
                done[c] += 1;
                open.push((done, next));
            }
        }
    }
    let reads = here.iter().filter(|&&e| merged.events[e].data.kind == Kind::Read).map(|&read| {
        let own = changes.iter().position(|(_, writes, _)| {
            writes.iter().any(|&w| merged.events[w].modifies == Some(read))
        });
        let comes = |done: &[usize]| own.is_none_or(|c| done[c] < changes[c].2);
        let values: BTreeSet<i64> =
            seen.iter().filter(|(done, _)| comes(done)).map(|(_, held)| *held).collect();
        (read, values.into_iter().collect())
    });
    Some(reads.collect())
}
