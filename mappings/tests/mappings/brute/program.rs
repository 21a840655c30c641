//! Every program with a number of events: threads, operations, scopes, placements, locations.
//! Threads of equal length are in order of their operations, so that few programs come twice.

use margay_models::execution::{Order, Placement, Scope};
use margay_models::signature::{Construct, Operation};

use super::Search;

/// An operation of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    pub thread: usize,
    pub construct: Construct,
    pub scope: Option<Scope>,
    pub location: Option<u16>,
}

/// A program: operations thread by thread.
#[derive(Debug, Clone)]
pub struct Program {
    pub ops: Vec<Op>,
    pub placements: Vec<Placement>,
    pub locations: u16,
}

type Sequence = Vec<(Construct, Option<Scope>)>;

fn events_of(construct: Construct) -> usize {
    if construct.operation == Operation::Rmw { 2 } else { 1 }
}

/// Every sequence of operations with so many events.
fn sequences(alphabet: &[(Construct, Option<Scope>)], events: usize) -> Vec<Sequence> {
    if events == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for &(construct, scope) in alphabet.iter().filter(|(c, _)| events_of(*c) <= events) {
        for rest in sequences(alphabet, events - events_of(construct)) {
            out.push([vec![(construct, scope)], rest].concat());
        }
    }
    out
}

/// Numbers for `n` things such that each is new by one or was there before: partitions of the
/// things.
fn partitions(n: usize) -> Vec<Vec<u16>> {
    let mut out = vec![Vec::new()];
    for _ in 0..n {
        out = out
            .into_iter()
            .flat_map(|p: Vec<u16>| {
                let next = p.iter().max().map_or(0, |m| m + 1);
                (0..=next).map(move |x| [p.clone(), vec![x]].concat())
            })
            .collect();
    }
    out
}

/// Every tree of gpus and ctas over the threads.
fn placements(threads: usize) -> Vec<Vec<Placement>> {
    let mut out = Vec::new();
    for gpus in partitions(threads) {
        for ctas in partitions(threads) {
            let nested = (0..threads)
                .all(|s| (0..threads).all(|t| ctas[s] != ctas[t] || gpus[s] == gpus[t]));
            if nested {
                out.push(
                    (0..threads)
                        .map(|t| Placement { gpu: gpus[t], cta: ctas[t], ..Placement::default() })
                        .collect(),
                );
            }
        }
    }
    out
}

fn thread_lengths(events: usize, most: usize) -> Vec<Vec<usize>> {
    if events == 0 {
        return vec![Vec::new()];
    }
    (1..=events.min(most))
        .flat_map(|first| {
            thread_lengths(events - first, first)
                .into_iter()
                .map(move |rest| [vec![first], rest].concat())
        })
        .collect()
}

/// Visits every program until `visit` returns false.
pub fn each(search: &Search<'_>, events: usize, visit: &mut dyn FnMut(&Program) -> bool) {
    let scopes: Vec<Scope> = if search.mapping.source.is_scoped() {
        vec![Scope::Cta, Scope::Gpu, Scope::Sys]
    } else {
        Vec::new()
    };
    let alphabet: Vec<(Construct, Option<Scope>)> = search
        .constructs
        .iter()
        .flat_map(|&c| match c.order {
            Order::Plain => vec![(c, None)],
            _ if scopes.is_empty() => vec![(c, None)],
            _ => scopes.iter().map(|&s| (c, Some(s))).collect(),
        })
        .collect();
    let by_length: Vec<Vec<Sequence>> = (0..=events).map(|n| sequences(&alphabet, n)).collect();
    for lengths in thread_lengths(events, events) {
        let mut chosen = Vec::new();
        if !threads(search, &by_length, &lengths, &mut chosen, visit) {
            return;
        }
    }
}

fn threads(
    search: &Search<'_>,
    by_length: &[Vec<Sequence>],
    lengths: &[usize],
    chosen: &mut Vec<usize>,
    visit: &mut dyn FnMut(&Program) -> bool,
) -> bool {
    let t = chosen.len();
    if t < lengths.len() {
        let least = if t > 0 && lengths[t - 1] == lengths[t] { chosen[t - 1] } else { 0 };
        for i in least..by_length[lengths[t]].len() {
            chosen.push(i);
            let go_on = threads(search, by_length, lengths, chosen, visit);
            chosen.pop();
            if !go_on {
                return false;
            }
        }
        return true;
    }
    let mut ops = Vec::new();
    for (thread, (&i, &length)) in chosen.iter().zip(lengths).enumerate() {
        ops.extend(by_length[length][i].iter().map(|&(construct, scope)| Op {
            thread,
            construct,
            scope,
            location: None,
        }));
    }
    let accesses: Vec<usize> =
        (0..ops.len()).filter(|&i| ops[i].construct.operation != Operation::Fence).collect();
    // Without scopes it does not matter where threads run, unless a row names a scope: all
    // placements, to be safe.
    for places in placements(lengths.len()) {
        for locations in partitions(accesses.len()) {
            let mut ops = ops.clone();
            for (&i, &l) in accesses.iter().zip(&locations) {
                ops[i].location = Some(l);
            }
            let is_plain = |i: usize| ops[i].construct.order == Order::Plain;
            let conflict = |&i: &usize| {
                accesses
                    .iter()
                    .any(|&j| ops[i].location == ops[j].location && is_plain(i) != is_plain(j))
            };
            if search.typed && accesses.iter().any(conflict) {
                continue;
            }
            let program = Program {
                ops,
                placements: places.clone(),
                locations: locations.iter().max().map_or(0, |m| m + 1),
            };
            if !visit(&program) {
                return false;
            }
        }
    }
    true
}
