//! Where the places of fences lie in the flow of the threads: which have an event before and behind
//! them, which are on a cycle, and which of them a thread passes together, with no event between.

use crate::test::Test;
use crate::unfold::Code;
use crate::unfold::program::{Program, Step};

use super::marked;

/// A test with a fence at every place and every fence marked, as straight code.
pub(super) struct TestFlow {
    threads: Vec<ThreadFlow>,
}

struct ThreadFlow {
    /// For each step what it is, and where it goes on.
    steps: Vec<(FlowPoint, Vec<usize>)>,
    /// For each step those that go on with it.
    from: Vec<Vec<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlowPoint {
    /// The fence of a raw site. `there`: it is in the program, and not only at a place for one.
    Fence { site: usize, there: bool },
    /// Another event. `true`: an access or a barrier.
    Event(bool),
    /// A branch by a condition.
    Branch,
    /// Nothing that an execution shows.
    Silent,
}

impl TestFlow {
    /// Of a test whose fences are marked, and the raw sites of those that were there before; `None`
    /// if it has no straight code of its own (accesses of two sizes).
    pub fn new(marked: &Test, there: &[usize]) -> Option<Self> {
        let code = Code::new(marked).ok()?;
        Some(Self {
            threads: code.threads.iter().map(|program| ThreadFlow::new(program, there)).collect(),
        })
    }

    fn find(&self, fence: usize) -> Option<(&ThreadFlow, usize)> {
        let at = |t: &ThreadFlow| {
            t.steps.iter().position(
                |(node, _)| matches!(node, FlowPoint::Fence { site, .. } if *site == fence),
            )
        };
        self.threads.iter().find_map(|t| Some((t, at(t)?)))
    }

    /// Is there an access or a barrier before the fence, and one behind it?
    pub fn is_between(&self, fence: usize) -> bool {
        let Some((thread, at)) = self.find(fence) else { return false };
        let event = |reached: Vec<usize>| {
            reached.into_iter().any(|n| thread.steps[n].0 == FlowPoint::Event(true))
        };
        event(thread.reached(at, true)) && event(thread.reached(at, false))
    }

    /// Does a thread come to the fence at all?
    pub fn is_reached(&self, fence: usize) -> bool {
        self.find(fence)
            .is_some_and(|(thread, at)| at == 0 || thread.reached(at, false).contains(&0))
    }

    /// Can a thread come back to the fence?
    pub fn repeats(&self, fence: usize) -> bool {
        self.find(fence).is_some_and(|(thread, at)| thread.reached(at, true).contains(&at))
    }

    /// Does every thread that comes to a fence also pass the other one, before or after it, with no
    /// event between?
    pub fn passes(&self, fence: usize, other: usize, events: FlowEvents) -> bool {
        let Some((thread, at)) = self.find(fence) else { return false };
        [true, false]
            .into_iter()
            .any(|forward| thread.must_pass(at, (other, events), forward, &mut vec![at]))
    }
}

/// What counts as an event besides accesses, barriers and proxy fences.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowEvents {
    /// Fences that are in the program.
    pub fences: bool,
    /// Branches: to some models a fence behind one says what one before it does not.
    pub branches: bool,
}

impl ThreadFlow {
    fn new(program: &Program, there: &[usize]) -> Self {
        let end = program.steps.len();
        let mut steps: Vec<(FlowPoint, Vec<usize>)> = Vec::with_capacity(end + 1);
        for (at, (step, place)) in program.steps.iter().enumerate() {
            let node = match step {
                Step::Fence { .. } => match marked(*place) {
                    Some(site) => FlowPoint::Fence { site, there: there.contains(&site) },
                    None => FlowPoint::Event(false),
                },
                Step::ProxyFence { .. } => FlowPoint::Event(false),
                Step::BranchIfZero { .. } => FlowPoint::Branch,
                Step::Assign(..) | Step::Pick { .. } | Step::Jump(_) | Step::Fork(_) => {
                    FlowPoint::Silent
                }
                _ => FlowPoint::Event(true),
            };
            let next = match step {
                Step::Jump(target) => vec![*target],
                Step::BranchIfZero { target, .. } | Step::Fork(target) => vec![at + 1, *target],
                _ => vec![at + 1],
            };
            steps.push((node, next));
        }
        steps.push((FlowPoint::Silent, Vec::new()));
        let mut from = vec![Vec::new(); end + 1];
        for (at, (_, next)) in steps.iter().enumerate() {
            next.iter().for_each(|&n| from[n].push(at));
        }
        Self { steps, from }
    }

    fn next(&self, at: usize, forward: bool) -> &[usize] {
        if forward { &self.steps[at].1 } else { &self.from[at] }
    }

    /// The steps that are reached from one, in one step or more.
    fn reached(&self, at: usize, forward: bool) -> Vec<usize> {
        let mut seen = vec![false; self.steps.len()];
        let mut open = self.next(at, forward).to_vec();
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                open.extend(self.next(n, forward));
            }
        }
        (0..seen.len()).filter(|&n| seen[n]).collect()
    }

    /// Does every way from a step come to a fence, before any event?
    fn must_pass(
        &self,
        at: usize,
        to: (usize, FlowEvents),
        forward: bool,
        way: &mut Vec<usize>,
    ) -> bool {
        let (fence, events) = to;
        let next = self.next(at, forward);
        // A thread begins at its first step, from wherever else that is come to.
        if next.is_empty() || !forward && at == 0 {
            return false;
        }
        next.iter().all(|&n| {
            let stops = match self.steps[n].0 {
                FlowPoint::Fence { site, .. } if site == fence => return true,
                FlowPoint::Fence { there, .. } => there && events.fences,
                FlowPoint::Branch => events.branches,
                FlowPoint::Event(_) => true,
                FlowPoint::Silent => false,
            };
            if stops || way.contains(&n) {
                return false;
            }
            way.push(n);
            let passes = self.must_pass(n, to, forward, way);
            way.pop();
            passes
        })
    }
}
