//! Where values of a thread go: its code as it is before what nobody reads is taken out of it, with
//! the reads of memory that nobody wrote.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::access::{AccessStrength, access, is_modification};
use crate::layout::Object;
use crate::residue::{CodePiece, Issue, IssueSource, Line, MemoryCell, is_inner, successors};

/// A read of memory that nobody wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UndefinedRead {
    /// Is it shared memory? Else it is memory of the thread alone.
    pub in_shared: bool,
}

/// The code of a thread that reads memory which may be undefined at the start, and what its values
/// may be used for.
#[derive(Debug, Clone)]
pub(crate) struct ValueTrail {
    pub code: Vec<Line>,
    /// The registers that stand for what such a read returns where nobody wrote the memory.
    pub undefined: BTreeMap<String, UndefinedRead>,
    /// The registers that stand for global memory and (`true`) for addresses.
    sinks: BTreeMap<String, bool>,
    next: Vec<Vec<usize>>,
    /// For each place those from which a thread comes to it.
    before: Vec<Vec<usize>>,
}

/// What a value is used for.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueUses {
    /// Does it reach global memory, a branch or an address?
    pub matters: bool,
    /// Does it reach a branch or an address?
    pub decides: bool,
    /// The other memory that it is written to.
    pub cells: BTreeSet<MemoryCell>,
}

impl ValueTrail {
    /// The trail of code that was not tidied; nothing where it reads no memory that may be
    /// undefined, and none of other blocks by a strong operation.
    pub fn of(
        code: &[Line],
        undefined: BTreeMap<String, UndefinedRead>,
        sinks: BTreeMap<String, bool>,
    ) -> Option<Self> {
        let of_shared =
            |p: &CodePiece| p.cells().iter().any(|cell| matches!(cell.object, Object::Shared(..)));
        let is_strong = |p: &CodePiece| {
            matches!(p, CodePiece::Read { .. })
                && access(p).is_some_and(|(_, s)| s != AccessStrength::Weak)
        };
        if undefined.is_empty() && !code.iter().any(|(p, _)| of_shared(p) || is_strong(p)) {
            return None;
        }
        let next = successors(code);
        let mut before = vec![Vec::new(); code.len() + 1];
        for (at, all) in next.iter().enumerate() {
            all.iter().for_each(|&to| before[to].push(at));
        }
        Some(Self { code: code.to_vec(), undefined, sinks, next, before })
    }

    /// The places that a thread may come to behind one.
    pub fn behind(&self, at: usize) -> Vec<usize> {
        reached_from(at, &self.next, self.code.len())
    }

    /// The places that a thread may come to behind one, and from which it may end without coming to
    /// that one again.
    pub fn behind_last(&self, at: usize) -> Vec<usize> {
        let ends = |&from: &usize| {
            let (mut seen, mut todo) = (vec![false; self.code.len()], vec![from]);
            while let Some(n) = todo.pop() {
                if n >= self.code.len() || self.next[n].is_empty() {
                    return true;
                }
                if n != at && !std::mem::replace(&mut seen[n], true) {
                    todo.extend(&self.next[n]);
                }
            }
            false
        };
        self.behind(at).into_iter().filter(ends).collect()
    }

    /// The places from which a thread may come to one.
    pub fn in_front(&self, at: usize) -> Vec<usize> {
        reached_from(at, &self.before, self.code.len())
    }

    /// Does a thread come to a place on some way that has no piece of a kind?
    pub fn comes_without(&self, at: usize, is_one: &dyn Fn(&CodePiece) -> bool) -> bool {
        let mut seen = vec![false; self.code.len()];
        let mut todo = vec![0];
        while let Some(n) = todo.pop() {
            if n == at {
                return true;
            }
            if n < self.code.len()
                && !std::mem::replace(&mut seen[n], true)
                && !is_one(&self.code[n].0)
            {
                todo.extend(&self.next[n]);
            }
        }
        false
    }

    /// What the value that a piece of code puts into a register is used for.
    pub fn uses(&self, at: usize, register: &str) -> ValueUses {
        let mut uses = ValueUses::default();
        let mut seen: FxHashSet<(usize, &str)> = FxHashSet::default();
        let mut todo: Vec<(usize, &str)> = Vec::new();
        let Some(register) = self.code[at].0.writes().filter(|to| *to == register) else {
            return uses;
        };
        todo.extend(self.next[at].iter().map(|&next| (next, register)));
        while let Some((at, register)) = todo.pop() {
            let Some((piece, _)) = self.code.get(at).filter(|_| seen.insert((at, register))) else {
                continue;
            };
            let to = piece.writes();
            if piece.reads().contains(&register) {
                match piece {
                    CodePiece::Jump(..) | CodePiece::Mbarrier(_) => {
                        (uses.matters, uses.decides) = (true, true)
                    }
                    CodePiece::Write { cell, .. } => uses.reach(*cell),
                    CodePiece::Issue(issue) => uses.reach(issue.to),
                    CodePiece::Other(_) => {
                        let sink = to.and_then(|to| self.sinks.get(to).copied());
                        uses.matters |= sink.is_some() || to.is_some_and(|to| !is_inner(to));
                        uses.decides |= sink == Some(true);
                        todo.extend(
                            to.into_iter()
                                .flat_map(|to| self.next[at].iter().map(move |&next| (next, to))),
                        );
                    }
                    _ => {}
                }
            }
            if to != Some(register) {
                todo.extend(self.next[at].iter().map(|&next| (next, register)));
            }
        }
        uses
    }

    /// What a value that is read from memory by a piece of code is used for; nothing where it reads
    /// none.
    pub fn uses_of_read(&self, at: usize) -> Option<ValueUses> {
        let (piece, _) = &self.code[at];
        match piece {
            CodePiece::Read { to, .. } => Some(self.uses(at, to)),
            CodePiece::Write { cell, operation, .. } if is_modification(piece) => {
                let mut uses =
                    piece.writes().map_or_else(ValueUses::default, |to| self.uses(at, to));
                // What an exchange reads is not what it writes; whether a compare-and-swap does
                // depends on it.
                match operation {
                    o if o.contains(".exch.") => {}
                    o if o.contains(".cas.") => (uses.matters, uses.decides) = (true, true),
                    _ => uses.reach(*cell),
                }
                Some(uses)
            }
            CodePiece::Issue(Issue { source: IssueSource::Cell(_), to, .. }) => {
                let mut uses = ValueUses::default();
                uses.reach(*to);
                Some(uses)
            }
            _ => None,
        }
    }
}

impl ValueUses {
    fn reach(&mut self, cell: MemoryCell) {
        match cell.object {
            Object::Shared(..) | Object::Exchange(..) => {
                self.cells.insert(cell);
            }
            _ => self.matters = true,
        }
    }
}

/// The places that are reached from one by one step or more, ascending.
fn reached_from(at: usize, steps: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut reached = vec![false; count];
    let mut todo: Vec<usize> = steps[at].clone();
    while let Some(n) = todo.pop() {
        if n < count && !std::mem::replace(&mut reached[n], true) {
            todo.extend(&steps[n]);
        }
    }
    (0..count).filter(|&n| reached[n]).collect()
}
