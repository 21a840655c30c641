//! Loops that only wait: an iteration that changes nothing in memory, and leaves no value behind
//! that the next one would see.
//!
//! Going round such a loop once more adds events to an execution and nothing else. If a model
//! forbids no less when reads and fences are added ([`crate::monotone`]), every outcome of the
//! longer path is one of the shorter path too, so that paths which come back to the head of a loop
//! unchanged need not be followed, and the loop need not be bounded.
//!
//! A read-modify-write that writes back what it read (`atomicAdd(p, 0)`, an exchange of a value for
//! itself) adds a write, too, which others may read from. Without the round they read from where
//! the round's read read from, which has the same value. For which models and locations that
//! forbids no more is argued in docs/semantics.md ("Loops that only wait").

use margay_models::execution::Kind;

use super::accesses::Accesses;
use super::path::{Dependent, Path, PathEvent};
use super::program::{Program, Register, Step, Term};
use super::retry::Retries;
use super::shared::Shared;
use super::symbol::{Symbol, SymbolNode, Symbols, Unary};

/// The heads of the loops of a program: where backward jumps go to, and where a loop goes on behind
/// the condition that it begins with. (There `while (last == 0) { last = *p; }` leaves nothing
/// behind: what it read last has been looked at.)
pub(super) struct Heads {
    /// For each of these steps: which registers may be read from there on before they are written.
    live: Vec<Option<Vec<bool>>>,
    /// For each step: is it a jump to an earlier one that goes round a loop, so that it can be come
    /// to again from there?
    turns: Vec<bool>,
    /// The steps of each loop, by its head: those that lead from it back to it.
    bodies: Vec<(usize, Vec<bool>)>,
}

/// A thread when it came to the head of a loop.
#[derive(Debug, Clone)]
pub(super) struct Arrival {
    /// The step.
    pub head: usize,
    /// The number of events so far.
    pub events: usize,
    pub suppositions: usize,
    pub registers: Vec<Dependent>,
    /// Does what follows depend on what was read last, by a branch?
    pub is_controlled: bool,
    /// The rounds up to here, as far as they only try again.
    pub retries: Retries,
}

impl Heads {
    /// Finds the heads and what is live there.
    pub fn new(program: &Program) -> Self {
        let steps = &program.steps;
        let mut is_head = vec![false; steps.len()];
        let mut turns = vec![false; steps.len()];
        for (at, (step, _)) in steps.iter().enumerate() {
            if let Step::Jump(target) | Step::BranchIfZero { target, .. } = step
                && *target <= at
            {
                is_head[*target] = true;
                turns[at] = reached(program, *target)[at];
            }
        }
        for at in (0..steps.len()).filter(|&at| is_head[at]).collect::<Vec<_>>() {
            let computes =
                steps[at..].iter().take_while(|(step, _)| matches!(step, Step::Assign(..))).count();
            if let Some((Step::BranchIfZero { target, .. }, _)) = steps.get(at + computes) {
                for behind in [at + computes + 1, *target] {
                    is_head.get_mut(behind).into_iter().for_each(|is_head| *is_head = true);
                }
            }
        }
        let mut live = vec![None; steps.len()];
        if is_head.contains(&true) {
            let of_step = liveness(program);
            for at in (0..steps.len()).filter(|&at| is_head[at]) {
                live[at] = Some(of_step[at].clone());
            }
        }
        let mut heads: Vec<usize> = (0..steps.len())
            .filter(|&at| turns[at])
            .filter_map(|at| match &steps[at].0 {
                Step::Jump(target) | Step::BranchIfZero { target, .. } => Some(*target),
                _ => None,
            })
            .collect();
        heads.sort_unstable();
        heads.dedup();
        let to: Vec<Vec<bool>> = if heads.is_empty() {
            Vec::new()
        } else {
            (0..steps.len()).map(|at| reached(program, at)).collect()
        };
        let bodies = heads
            .into_iter()
            .map(|head| (head, (0..steps.len()).map(|at| to[head][at] && to[at][head]).collect()));
        Self { live, turns, bodies: bodies.collect() }
    }

    /// Is the step the head of a loop?
    pub fn contains(&self, at: usize) -> bool {
        self.live.get(at).is_some_and(Option::is_some)
    }

    /// The registers that may be read from a head on.
    pub fn live(&self, head: usize) -> Option<&[bool]> {
        self.live.get(head)?.as_deref()
    }

    /// Does a jump from a step to an earlier one go round a loop?
    pub fn turns(&self, at: usize) -> bool {
        self.turns.get(at).copied().unwrap_or(true)
    }

    /// Is a step one of the loop with this head?
    pub fn surrounds(&self, head: usize, at: usize) -> bool {
        self.bodies.iter().any(|(of, body)| *of == head && body.get(at).copied().unwrap_or(false))
    }

    /// Are the registers that may still be read the same as when the thread came here `before`?
    pub fn is_unchanged(
        &self,
        before: &Arrival,
        registers: &[Dependent],
        symbols: &Symbols,
    ) -> bool {
        let Some(Some(live)) = self.live.get(before.head) else { return false };
        let same = |a: &Dependent, b: &Dependent| {
            let equal = a.symbol == b.symbol
                || symbols.as_constant(a.symbol).is_some()
                    && symbols.as_constant(a.symbol) == symbols.as_constant(b.symbol);
            equal && (a.reads, a.picks) == (b.reads, b.picks)
        };
        live.iter()
            .zip(before.registers.iter().zip(registers))
            .all(|(live, (a, b))| !live || same(a, b))
    }
}

/// What the rounds of a loop may do that only wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting<'a> {
    pub thread: usize,
    /// May they have read-modify-writes that write back what they read?
    pub rewrites: bool,
    pub accesses: &'a Accesses,
    pub shared: &'a Shared,
    pub symbols: &'a Symbols,
}

impl Waiting<'_> {
    /// Does the part of a path from an event on change nothing in memory, and wait for no thread?
    pub fn only_waits(&self, path: &Path, from: usize) -> bool {
        let is_rewriting = |at: usize| self.rewrites && self.writes_back(path, at);
        (from..path.events.len()).all(|at| match path.events[at].data.kind {
            Kind::Read | Kind::Fence | Kind::ProxyFence => true,
            Kind::Write => is_rewriting(at),
            _ => false,
        })
    }

    /// Is a write the second half of a read-modify-write that writes what it read, to a location
    /// that is shared strongly?
    fn writes_back(&self, path: &Path, write: usize) -> bool {
        let (Some(read), Some(written)) = (write.checked_sub(1), path.events.get(write)) else {
            return false;
        };
        let PathEvent { data, value: Some(value), modifies: Some(half), .. } = written else {
            return false;
        };
        // The halves of a load and a store that may fail need not stand side by side, nor be in one
        // round: such loops are unrolled.
        if usize::from(*half) != read {
            return false;
        }
        let Some(location) = data.location.map(usize::from) else { return false };
        let physical = self.shared.locations[location].physical;
        self.accesses.are_strong_beside(self.thread, physical, data.scope, self.shared)
            && (self.is_what_was_read(*value, read, location)
                || self.can_only_be_what_was_read(path, *value, read, physical))
    }

    /// Is a value, which is one of the location's type, computed from a read by nothing but
    /// conversions that keep its bits?
    fn is_what_was_read(&self, value: Symbol, read: usize, location: usize) -> bool {
        let bits = self.shared.integers[location].map_or(64, |i| i.bits);
        match self.symbols.node(value) {
            SymbolNode::Read(position) => usize::from(position) == read,
            SymbolNode::Unary(Unary::Convert(to), a) if to.bits >= bits => {
                self.is_what_was_read(a, read, location)
            }
            _ => false,
        }
    }

    /// Is a value that of a read, whatever the location can hold that the path has not ruled out?
    fn can_only_be_what_was_read(
        &self,
        path: &Path,
        value: Symbol,
        read: usize,
        physical: u16,
    ) -> bool {
        let pinned =
            path.suppositions.iter().filter_map(|(s, holds)| self.symbols.pinned(*s, *holds));
        let pinned: Vec<i64> =
            pinned.filter(|(r, _)| usize::from(*r) == read).map(|(_, n)| n).collect();
        let values = if pinned.is_empty() {
            self.accesses.values(physical)
        } else {
            Some(pinned.as_slice())
        };
        let evaluate = |symbol: Symbol, n: i64| {
            self.symbols.evaluate(symbol, &|r: u16| (usize::from(r) == read).then_some(n))
        };
        let is_possible = |n: i64| {
            path.suppositions
                .iter()
                .all(|(s, holds)| evaluate(*s, n).is_none_or(|v| (v != 0) == *holds))
        };
        values.is_some_and(|values| {
            values.iter().filter(|&&n| is_possible(n)).all(|&n| evaluate(value, n) == Some(n))
        })
    }
}

/// For each step: does some way of one step or more lead to it from this one?
fn reached(program: &Program, from: usize) -> Vec<bool> {
    let mut seen = vec![false; program.steps.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        let next = match program.steps.get(at).map(|(step, _)| step) {
            None => continue,
            Some(Step::Jump(target)) => vec![*target],
            Some(Step::BranchIfZero { target, .. } | Step::Fork(target)) => vec![at + 1, *target],
            Some(_) => vec![at + 1],
        };
        open.extend(
            next.into_iter().filter(|&n| n < seen.len() && !std::mem::replace(&mut seen[n], true)),
        );
    }
    seen
}

/// For each step the registers that may be read from there on before they are written. At the end
/// those are whose final values the test asks for.
fn liveness(program: &Program) -> Vec<Vec<bool>> {
    let steps = &program.steps;
    let mut live: Vec<Vec<bool>> = vec![vec![false; program.names.len()]; steps.len()];
    live.push(
        (0..program.names.len()).map(|r| program.asked.contains(&Register(r as u16))).collect(),
    );
    loop {
        let mut changed = false;
        for at in (0..steps.len()).rev() {
            let step = &steps[at].0;
            let mut here = match step {
                Step::Jump(target) => live[*target].clone(),
                _ => live[at + 1].clone(),
            };
            if let Step::BranchIfZero { target, .. } | Step::Fork(target) = step {
                here.iter_mut().zip(&live[*target]).for_each(|(here, there)| *here |= there);
            }
            // What is computed and read by nobody but such computations is nothing: the flags that
            // `teq` of Armv7 leaves as they were.
            let is_idle = match step {
                Step::Assign(to, term) => !here[usize::from(to.0)] && !term.divides(),
                _ => false,
            };
            let mut read = Vec::new();
            let terms = step.terms().into_iter().filter(|_| !is_idle);
            terms.for_each(|term| registers(term, &mut read));
            step.written().into_iter().for_each(|r| here[usize::from(r.0)] = false);
            read.into_iter().for_each(|r| here[usize::from(r.0)] = true);
            changed |= here != live[at];
            live[at] = here;
        }
        if !changed {
            return live;
        }
    }
}

fn registers(term: &Term, found: &mut Vec<Register>) {
    match term {
        Term::Constant(_) => {}
        Term::Register(r) => found.push(*r),
        Term::Unary(_, a) => registers(a, found),
        Term::Binary(_, a, b) => {
            registers(a, found);
            registers(b, found);
        }
    }
}
