//! What of a kernel could be weaker: fences that could go, orders and scopes that could be less, so
//! that nothing goes wrong in the launches that were asked about.

use std::collections::BTreeMap;
use std::time::Instant;

use margay_litmus::test::{AccessOrder, FenceOrder, Operation, TestInstruction};
use margay_models::execution::Scope;
use margay_ptx::Module;

use crate::answer::{Spot, WeakerAnswer, WeakerChange};
use crate::obligation::{Obligations, text};
use crate::repair::{in_cuda, is_fence};
use crate::residue::Origin;

/// What an instruction becomes.
#[derive(Debug, Clone, PartialEq)]
enum Weakened {
    /// Nothing: a fence that goes.
    Gone,
    Fence(FenceOrder, Scope),
    Access(AccessOrder, Scope),
}

/// What a fence or an access could be in its place, weakest first.
fn ways(operation: &Operation) -> Vec<Weakened> {
    let narrower =
        |scope: Scope| Scope::ALL.into_iter().filter(move |s| *s < scope && *s != Scope::Cluster);
    match operation {
        Operation::Fence { order, scope: Some(scope) } => {
            let order = order.unwrap_or(FenceOrder::AcqRel);
            let orders: &[FenceOrder] = match order {
                FenceOrder::Sc => &[FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel],
                FenceOrder::AcqRel => &[FenceOrder::Acquire, FenceOrder::Release],
                _ => &[],
            };
            let mut all = vec![Weakened::Gone];
            // A narrow fence of the same order, and then a weaker one as wide: what is cheaper on a
            // GPU comes first.
            all.extend(narrower(*scope).map(|s| Weakened::Fence(order, s)));
            all.extend(orders.iter().map(|&o| Weakened::Fence(o, *scope)));
            all
        }
        operation => {
            let Some((access, _)) = operation.memory() else { return Vec::new() };
            let Some(scope) = access.scope else { return Vec::new() };
            let order = access.order.unwrap_or(AccessOrder::Relaxed);
            let orders: &[AccessOrder] = match order {
                AccessOrder::AcqRel => {
                    &[AccessOrder::Relaxed, AccessOrder::Acquire, AccessOrder::Release]
                }
                AccessOrder::Acquire | AccessOrder::Release => &[AccessOrder::Relaxed],
                AccessOrder::Relaxed => &[],
                _ => return Vec::new(),
            };
            let mut all: Vec<Weakened> =
                orders.iter().map(|&o| Weakened::Access(o, scope)).collect();
            all.extend(narrower(scope).map(|s| Weakened::Access(order, s)));
            all
        }
    }
}

fn weaken(instruction: &TestInstruction, to: &Weakened) -> Option<TestInstruction> {
    let mut new = instruction.clone();
    match to {
        Weakened::Gone => return None,
        Weakened::Fence(order, scope) => {
            new.operation = Operation::Fence { order: Some(*order), scope: Some(*scope) }
        }
        Weakened::Access(order, scope) => {
            if let Some(access) = new.operation.access_mut() {
                (access.order, access.scope) = (Some(*order), Some(*scope));
            }
        }
    }
    Some(new)
}

type WeakenedSites = BTreeMap<Origin, Weakened>;

/// What could be weaker, each change with those in front of it. The kernel is right as it is.
pub(crate) fn weaker(
    obligations: &Obligations,
    (module, source): (&Module, &str),
    deadline: Option<Instant>,
) -> WeakerAnswer {
    let mut sites: BTreeMap<Origin, TestInstruction> = BTreeMap::new();
    for (at, instruction) in obligations.instructions() {
        sites.entry(at).or_insert_with(|| instruction.clone());
    }
    // Fences go first: they cost most.
    let mut order: Vec<(&Origin, &TestInstruction)> = sites.iter().collect();
    order.sort_by_key(|(at, i)| (!is_fence(&i.operation), **at));
    let holds = |changes: &WeakenedSites| {
        obligations.hold(&|origin, instruction, new| {
            let of =
                |at: &Origin| changes.get(at).filter(|_| !ways(&instruction.operation).is_empty());
            match origin.as_ref().and_then(of) {
                Some(to) => new.extend(weaken(instruction, to)),
                None => new.push(instruction.clone()),
            }
        })
    };
    let mut answer = WeakerAnswer {
        launches: obligations.launches.clone(),
        changes: Vec::new(),
        asked: 0,
        open: None,
    };
    if obligations.goals.is_empty() {
        answer.open = Some("there is no launch whose threads were followed".to_owned());
    }
    let mut made = WeakenedSites::new();
    'sites: for (at, instruction) in order {
        let mut current = instruction.clone();
        let mut before = None;
        // An order, and then a scope.
        'ways: loop {
            for way in ways(&current.operation) {
                if deadline.is_some_and(|d| Instant::now() >= d) {
                    answer.open = Some("it was stopped by a limit or by Ctrl-C".to_owned());
                    break 'sites;
                }
                let mut changes = made.clone();
                changes.insert(*at, way.clone());
                answer.asked += 1;
                match holds(&changes) {
                    Ok(true) => {
                        made = changes;
                        before = Some(way.clone());
                        match weaken(&current, &way) {
                            Some(weaker) => current = weaker,
                            None => break 'ways,
                        }
                        continue 'ways;
                    }
                    Ok(false) => {}
                    Err(why) => {
                        answer.open = Some(why);
                        break 'sites;
                    }
                }
            }
            break;
        }
        if let Some(last) = before {
            let mnemonic = |i: &TestInstruction| {
                text(i).split_whitespace().next().unwrap_or_default().to_owned()
            };
            let to = (last != Weakened::Gone).then(|| mnemonic(&current));
            let cuda = to.as_ref().and_then(|_| in_cuda(&current.operation));
            answer.changes.push(WeakerChange {
                spot: Spot::new(module, source, *at),
                from: mnemonic(instruction),
                to,
                cuda,
            });
        }
    }
    answer
}
