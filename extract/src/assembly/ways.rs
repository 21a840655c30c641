//! The ways through a function of assembly: is there one that makes the accesses and fences of a
//! litmus test's thread?

use std::collections::BTreeSet;

use margay_litmus::test::{AccessOrder, FenceOrder, Operation};
use margay_models::signature::{self, Construct};

use super::function::{AssemblyFunction, END, NEXT};

/// An access or a fence that a thread of a litmus test has.
#[derive(Debug, Clone, Copy)]
pub struct WantedStep {
    pub construct: Construct,
    /// It is a compare-exchange that reads, and does not write.
    pub fails: bool,
}

/// What is to come of a pair whose load-reserved was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OpenPair {
    None,
    /// Its store-conditional is still to be found.
    Stores(usize),
    /// It stored: what loads again before the next access that counts is on the way of one that did
    /// not.
    Stored(usize),
    /// It fails: no store-conditional may follow before the next access that counts.
    Fails(usize),
}

/// Where a way is: the next operation of an instruction, how many steps were found, and an open
/// pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WayPoint {
    instruction: usize,
    operation: usize,
    found: usize,
    pair: OpenPair,
}

/// What an operation accesses or orders, in the words of the architecture's text.
pub(super) fn construct(operation: &Operation) -> Option<Construct> {
    let of = |operation, order| Some(Construct { operation, order });
    match operation {
        Operation::Fence { order: Some(FenceOrder::Text(tags)), .. } => {
            of(signature::Operation::Fence, tags.order())
        }
        other => match other.memory()?.0.order {
            Some(AccessOrder::Text(tags)) => match other {
                Operation::Load { .. } => of(signature::Operation::Read, tags.order()),
                Operation::Atom(_) => of(signature::Operation::Rmw, tags.order()),
                _ => of(signature::Operation::Write, tags.order()),
            },
            _ => None,
        },
    }
}

impl AssemblyFunction {
    /// The instructions of the steps, if there is a way from the first instruction to the end of
    /// the function that makes them in order and has no fence beside them. Other accesses may stand
    /// between, as those of the stack and of rounds that fail; which location an instruction
    /// accesses is not followed.
    pub(super) fn way(&self, wanted: &[WantedStep]) -> Option<Vec<usize>> {
        let start = WayPoint { instruction: 0, operation: 0, found: 0, pair: OpenPair::None };
        let mut open = vec![(start, Vec::new())];
        let mut seen = BTreeSet::from([start]);
        while let Some((at, made)) = open.pop() {
            let mut next = |point: WayPoint, more: Option<usize>| {
                if seen.insert(point) {
                    let mut made: Vec<usize> = made.clone();
                    made.extend(more);
                    open.push((point, made));
                }
            };
            let is_done = at.found == wanted.len() && !matches!(at.pair, OpenPair::Stores(_));
            let Some(step) = self.steps.get(at.instruction) else {
                if is_done {
                    return Some(made);
                }
                continue;
            };
            let Ok(operations) = &step.operations else {
                // What is not read and names a label may jump there.
                let jumps = self
                    .labels
                    .keys()
                    .any(|label| self.text(at.instruction).contains(label.as_str()));
                if !jumps {
                    next(WayPoint { instruction: at.instruction + 1, operation: 0, ..at }, None);
                }
                continue;
            };
            let Some(operation) = operations.get(at.operation) else {
                next(WayPoint { instruction: at.instruction + 1, operation: 0, ..at }, None);
                continue;
            };
            let on = WayPoint { operation: at.operation + 1, ..at };
            let target = match operation {
                Operation::BranchIf { target, .. } => {
                    next(on, None);
                    Some(target.as_str())
                }
                Operation::Goto(target) => Some(target.as_str()),
                Operation::Exit => Some(END),
                _ => None,
            };
            if let Some(target) = target {
                if target == END && is_done {
                    return Some(made);
                }
                let to = match target {
                    NEXT => Some(at.instruction + 1),
                    label => self.labels.get(label.trim_start_matches('.')).copied(),
                };
                if let Some(instruction) = to {
                    next(WayPoint { instruction, operation: 0, ..at }, None);
                }
                continue;
            }
            match construct(operation) {
                None => next(on, None),
                Some(here) => {
                    let halves = |n: usize| {
                        let whole = wanted[n].construct;
                        let half = |operation, order| Construct { operation, order };
                        [
                            half(signature::Operation::Read, whole.read_order()),
                            half(signature::Operation::Write, whole.write_order()),
                        ]
                    };
                    if let OpenPair::Stores(n) = at.pair
                        && here == halves(n)[1]
                    {
                        next(WayPoint { pair: OpenPair::Stored(n), ..on }, Some(at.instruction));
                    } else if let Some(step) =
                        wanted.get(at.found).filter(|_| !matches!(at.pair, OpenPair::Stores(_)))
                    {
                        let found = at.found + 1;
                        let is_fence = here.operation == signature::Operation::Fence;
                        if here == step.construct {
                            let pair = if is_fence { at.pair } else { OpenPair::None };
                            next(WayPoint { found, pair, ..on }, Some(at.instruction));
                        } else if step.construct.operation == signature::Operation::Rmw
                            && here == halves(at.found)[0]
                        {
                            let pair = if step.fails {
                                OpenPair::Fails(at.found)
                            } else {
                                OpenPair::Stores(at.found)
                            };
                            next(WayPoint { found, pair, ..on }, Some(at.instruction));
                        }
                    }
                    let contradicts = match at.pair {
                        OpenPair::Fails(n) => here == halves(n)[1],
                        OpenPair::Stored(n) => here == halves(n)[0],
                        OpenPair::None | OpenPair::Stores(_) => false,
                    };
                    if here.operation != signature::Operation::Fence && !contradicts {
                        next(on, None);
                    }
                }
            }
        }
        None
    }
}
