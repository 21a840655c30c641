//! Descriptions of executions that are equal for isomorphic ones: threads in a given order,
//! everything else numbered by first use.

use margay_models::bits::Event;
use margay_models::execution::{Execution, Order, Scope};

/// Every order of so many things.
pub fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new()];
    for _ in 0..n {
        out = out
            .into_iter()
            .flat_map(|prefix: Vec<usize>| {
                (0..n)
                    .filter(|i| !prefix.contains(i))
                    .map(|i| prefix.iter().copied().chain([i]).collect())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    out
}

/// A number for each scope, from 1.
fn number(scope: Scope) -> u8 {
    match scope {
        Scope::Cta => 1,
        Scope::Cluster => 2,
        Scope::Gpu => 3,
        Scope::Sys => 4,
        Scope::Warp => 5,
    }
}

/// The number of a location in order of first use, from 1.
fn rank(seen: &mut Vec<u16>, location: u16) -> u8 {
    let at = seen.iter().position(|&x| x == location).unwrap_or_else(|| {
        seen.push(location);
        seen.len() - 1
    });
    at as u8 + 1
}

/// Adds the description of one execution.
pub fn one_side(execution: &Execution, order: &[usize], with_relations: bool, out: &mut Vec<u8>) {
    let events = execution.events.len();
    let mut sequence: Vec<usize> = Vec::new();
    for &thread in order {
        sequence.extend((0..events).filter(|&e| execution.events[e].thread == Some(thread as u16)));
    }
    let mut locations: Vec<u16> = Vec::new();
    let mut memories: Vec<u16> = Vec::new();
    for &e in &sequence {
        let data = &execution.events[e];
        out.extend([
            order.iter().position(|&t| Some(t as u16) == data.thread).unwrap_or(0) as u8,
            data.kind as u8,
            data.order.number() as u8,
            data.scope.map_or(0, number),
            data.location.map_or(0, |l| rank(&mut locations, l)),
            execution.physical(Event::from(e)).map_or(0, |l| rank(&mut memories, l)),
            u8::from(data.volatile)
                | u8::from(data.mmio) << 1
                | u8::from(data.reduction) << 2
                | (data.proxy as u8) << 3
                | u8::from(data.mbarrier) << 6,
        ]);
        // Of an architecture with many tags.
        if let Order::Tagged(_) = data.order {
            out.extend((data.order.number() >> 8).to_be_bytes());
        }
    }
    for i in 0..order.len() {
        for j in 0..i {
            let (here, there) = (execution.threads[order[i]], execution.threads[order[j]]);
            out.push(Scope::LEVELS.iter().map(|&s| u8::from(here.shares(s, there))).sum());
        }
    }
    if with_relations {
        for &a in &sequence {
            for &b in &sequence {
                let (x, y) = (Event::from(a), Event::from(b));
                let Execution { rf, co, rmw, addr, data, ctrl, sync_fence, .. } = execution;
                let bits = [rf, co, rmw, addr, data, ctrl, sync_fence];
                out.push(
                    bits.iter().enumerate().map(|(i, r)| u8::from(r.contains(x, y)) << i).sum(),
                );
            }
        }
    }
}
