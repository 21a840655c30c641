//! Counterexamples up to isomorphism: renaming threads of equal length (and with them locations and
//! events) changes nothing.

use std::collections::BTreeSet;

use margay_models::bits::BitMatrix;

use crate::witness::WitnessPair;
use crate::witness::canonical::{one_side, permutations};

/// One of each class, fewest threads, then fewest locations, then weakest annotations first.
pub fn distinct(witnesses: Vec<WitnessPair>) -> Vec<WitnessPair> {
    let mut seen = BTreeSet::new();
    let mut keyed: Vec<(Vec<u8>, WitnessPair)> = witnesses
        .into_iter()
        .filter_map(|w| {
            let key = canonical(&w);
            seen.insert(key.clone()).then_some((key, w))
        })
        .collect();
    let size = |w: &WitnessPair| {
        let strength: usize = w
            .source
            .events
            .iter()
            .map(|e| e.order.number() as usize * 4 + e.scope.map_or(0, |s| s as usize))
            .sum();
        (w.source.threads.len(), w.source.locations.len(), strength)
    };
    keyed.sort_by(|(a, x), (b, y)| size(x).cmp(&size(y)).then_with(|| a.cmp(b)));
    keyed.into_iter().map(|(_, w)| w).collect()
}

/// One of each class but that of the first, in the order of [`distinct`].
pub fn others(first: &WitnessPair, witnesses: Vec<WitnessPair>) -> Vec<WitnessPair> {
    let key = canonical(first);
    distinct(witnesses).into_iter().filter(|w| canonical(w) != key).collect()
}

/// The smallest description under all renamings of threads.
fn canonical(witness: &WitnessPair) -> Vec<u8> {
    let threads = witness.source.threads.len();
    permutations(threads)
        .into_iter()
        .map(|order| describe(witness, &order))
        .min()
        .unwrap_or_default()
}

/// The two executions with threads in the given order, everything numbered by first use.
fn describe(witness: &WitnessPair, order: &[usize]) -> Vec<u8> {
    let mut out = Vec::new();
    // What order the fences of the source have in it is not part of it: it is forbidden in all.
    let mut source = witness.source.clone();
    source.sync_fence = BitMatrix::new(source.size());
    for (execution, is_source) in [(&source, true), (&witness.target, false)] {
        one_side(execution, order, is_source, &mut out);
    }
    out
}
