//! Waits that never end: the threads go round their waiting loops once more, all that is written
//! has been seen, and nobody goes on.
//!
//! A loop that only waits (it reads, or writes what is there already) is taken as its last round:
//! where it would jump back, the thread stands still. It stands still for ever if each of its reads
//! sees the last write. If every thread has ended or stands so, nothing more happens: that supposes
//! a fair scheduler, and that all blocks have begun.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::residue::{
    CodePiece, Idle, Line, MbarrierPiece, MbarrierUse, MemoryCell, Origin, successors, tidy,
};
use crate::retries::{retry_loop, tries_again, way_round};

/// The code of a thread with its waiting loops as last rounds.
pub(crate) struct Last {
    pub code: Vec<Line>,
    pub loops: Vec<WaitingLoop>,
    /// Loops that do more than wait, by a place in them.
    pub others: Vec<Option<Origin>>,
    /// Has it a loop that tries a compare-and-swap again?
    pub tries_again: bool,
}

impl Last {
    /// The label that a thread jumps to where it stands in a loop, by the loop's number.
    fn standing_label(number: i64) -> u32 {
        u32::MAX - number as u32
    }

    /// Does the thread come to a barrier behind a loop in which it may stand?
    pub fn meets_behind_a_loop(&self) -> bool {
        let labels: Vec<u32> =
            self.loops.iter().map(|waiting| Self::standing_label(waiting.number)).collect();
        let stands =
            |(piece, _): &Line| matches!(piece, CodePiece::Jump(_, to) if labels.contains(to));
        let first = self.code.iter().position(stands).unwrap_or(self.code.len());
        let meets = |(piece, _): &Line| {
            matches!(piece, CodePiece::Barrier(_) | CodePiece::ClusterBarrier(_))
        };
        self.code[first..].iter().any(meets)
    }
}

/// A loop that only waits.
#[derive(Debug, Clone)]
pub(crate) struct WaitingLoop {
    /// What the register `standing` holds where the thread stands in it.
    pub number: i64,
    /// Where it jumps back.
    pub origin: Option<Origin>,
    /// What it reads: the register that keeps it, and the location's cell.
    pub reads: Vec<(String, crate::residue::MemoryCell)>,
    /// What must be so for its read-modify-writes to change nothing.
    pub idle: Vec<(String, Idle)>,
}

/// The register that says in which loop a thread stands.
pub(crate) const STANDING: &str = "standing";

/// Makes last rounds of the waiting loops of a thread.
pub(crate) fn last_rounds(code: &[Line]) -> Last {
    let mut last =
        Last { code: code.to_vec(), loops: Vec::new(), others: Vec::new(), tries_again: false };
    let mut copies = 0;
    let mut tail: Vec<Line> = Vec::new();
    let mut at = 0;
    while at < last.code.len() {
        let (piece, origin) = last.code[at].clone();
        let CodePiece::Jump(guard, to) = piece else {
            at += 1;
            continue;
        };
        let head = label_before(&last.code, at, to);
        let Some(head) = head.filter(|&head| reaches(&last.code, head, at)) else {
            at += 1;
            continue;
        };
        let number = last.loops.len() as i64 + 1;
        match round_of(&last.code, head, at) {
            // A thread does not stand still in it.
            None if retry_loop(&last.code, at).is_some() || tries_again(&last.code, head) => {
                last.tries_again = true;
                at += 1;
            }
            None => {
                last.others.push(origin);
                at += 1;
            }
            Some(found) => {
                let mut waiting =
                    WaitingLoop { number, origin, reads: Vec::new(), idle: Vec::new() };
                // What a round reads is kept in a register that nothing changes.
                let mut inserted = 0;
                for (position, register, cell, idle) in found {
                    copies += 1;
                    let kept = format!("seen{copies}");
                    let line = (CodePiece::Other(format!("mov {kept}, {register}")), origin);
                    last.code.insert(position + inserted + 1, line);
                    inserted += 1;
                    waiting.idle.extend(idle.map(|idle| (kept.clone(), idle)));
                    waiting.reads.push((kept, cell));
                }
                at += inserted;
                let label = Last::standing_label(number);
                last.code[at].0 = CodePiece::Jump(guard, label);
                tail.extend([
                    (CodePiece::Label(label), None),
                    (CodePiece::Other(format!("mov {STANDING}, {number}")), origin),
                    (CodePiece::End, origin),
                ]);
                last.loops.push(waiting);
                at += 1;
            }
        }
    }
    if !tail.is_empty() {
        last.code.push((CodePiece::End, None));
        last.code.extend(tail);
    }
    last
}

/// Where a label stands in front of a place.
pub(crate) fn label_before(code: &[Line], at: usize, label: u32) -> Option<usize> {
    code[..at].iter().position(|(piece, _)| matches!(piece, CodePiece::Label(l) if *l == label))
}

/// Does some way lead from one place to another? A jump to an earlier place is a loop only then.
pub(crate) fn reaches(code: &[Line], from: usize, to: usize) -> bool {
    let next = successors(code);
    let mut seen = vec![false; code.len()];
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        if at < code.len() && !std::mem::replace(&mut seen[at], true) {
            todo.extend(&next[at]);
        }
    }
    false
}

/// Takes exchanges in waiting loops for compare-and-swaps. Where memory only ever holds two values,
/// an exchange with one of them either puts it in place of the other, or changes nothing; rounds
/// that change nothing are then rounds that only read. Nothing is lost by that: whoever reads what
/// such a round wrote could read the same value from before it, by the same chain of
/// read-modify-writes. What such a round itself races with is a write, which the read races with,
/// too, or a read that is not strong enough, of which there must be none.
pub(crate) fn exchanges_that_wait(
    threads: &mut [Vec<Line>],
    has_one_block: bool,
    initial: &dyn Fn(MemoryCell) -> Option<i64>,
) {
    let weakly_read = weakly_read(threads, has_one_block);
    let mut values: BTreeMap<MemoryCell, Option<BTreeSet<i64>>> = BTreeMap::new();
    for (piece, _) in threads.iter().flatten() {
        match piece {
            CodePiece::Read { cell, .. } => {
                values.entry(*cell).or_insert_with(|| Some(BTreeSet::new()));
            }
            CodePiece::Write { operation, cell, operands, .. } => {
                let written = match operation {
                    o if o.starts_with("st.") || o.contains(".exch.") => operands.parse().ok(),
                    o if o.contains(".cas.") => {
                        operands.split(", ").nth(1).and_then(|n| n.parse().ok())
                    }
                    _ => None,
                };
                let all = values.entry(*cell).or_insert_with(|| Some(BTreeSet::new()));
                *all = all.take().zip(written).map(|(mut all, n)| {
                    all.insert(n);
                    all
                });
            }
            CodePiece::Issue(issue) => {
                values.insert(issue.to, None);
            }
            _ => {}
        }
    }
    let cells: Vec<MemoryCell> = values.keys().copied().collect();
    let overlaps = |a: &MemoryCell, b: &MemoryCell| {
        a != b
            && a.object == b.object
            && a.offset < b.offset + b.bytes
            && b.offset < a.offset + a.bytes
    };
    let mut pairs: BTreeMap<MemoryCell, BTreeSet<i64>> = BTreeMap::new();
    for (cell, all) in values {
        let (Some(mut all), Some(first)) = (all, initial(cell)) else { continue };
        all.insert(first);
        let is_weakly_read = weakly_read.iter().any(|of| of.overlaps(&cell));
        if all.len() == 2 && !is_weakly_read && !cells.iter().any(|other| overlaps(&cell, other)) {
            pairs.insert(cell, all);
        }
    }
    for code in threads {
        for pieces in waiting_rounds(code) {
            for (piece, _) in &mut code[pieces] {
                if let CodePiece::Write { operation, cell, operands, idle: Some((_, idle)) } = piece
                    && let Idle::Reads(new) = *idle
                    && let Some(old) =
                        pairs.get(cell).and_then(|all| all.iter().copied().find(|n| *n != new))
                {
                    *operation = operation.replace(".exch.", ".cas.");
                    *operands = format!("{old}, {new}");
                    *idle = Idle::ReadsNot(old);
                }
            }
        }
    }
}

/// The cells that some read is not strong for: a weak one, or one for the threads of its block
/// where there are others.
fn weakly_read(threads: &[Vec<Line>], has_one_block: bool) -> BTreeSet<MemoryCell> {
    let is_strong = |operation: &str| {
        let mut words = operation.split('.').skip(1);
        match words.next() {
            Some("relaxed" | "acquire") => {
                has_one_block || matches!(words.next(), Some("gpu" | "sys"))
            }
            Some("volatile" | "mmio") => true,
            _ => false,
        }
    };
    let of = |(piece, _): &Line| match piece {
        CodePiece::Read { operation, cell, .. } if !is_strong(operation) => Some(*cell),
        CodePiece::Issue(issue) => issue.from(),
        _ => None,
    };
    threads.iter().flatten().filter_map(of).collect()
}

/// What loops that only wait do in a round.
fn waiting_rounds(code: &[Line]) -> Vec<Range<usize>> {
    let jumps = code.iter().enumerate().filter_map(|(at, (piece, _))| {
        if let CodePiece::Jump(_, to) = piece { Some((at, *to)) } else { None }
    });
    let of_jump = |(at, to): (usize, u32)| {
        let head = label_before(code, at, to)?;
        (round(&code[head + 1..at]).is_some() && reaches(code, head, at)).then_some(head + 1..at)
    };
    jumps.filter_map(of_jump).collect()
}

/// Takes read-modify-writes of waiting loops that write back what they read (`atomicAdd(p, 0)`) for
/// reads; `false` where there is none. Executions of reads are more, and synchronise less: where
/// these have no race, those of the read-modify-writes have none. What such a write itself races
/// with is a write, which the read races with, too, or a weak read, of which there must be none.
pub(crate) fn reads_that_wait(threads: &mut [Vec<Line>], has_one_block: bool) -> bool {
    let weakly_read = weakly_read(threads, has_one_block);
    let mut found = false;
    for code in threads {
        for pieces in waiting_rounds(code) {
            for (piece, _) in &mut code[pieces] {
                let CodePiece::Write {
                    operation, cell, idle: Some((register, Idle::Always)), ..
                } = piece
                else {
                    continue;
                };
                if weakly_read.iter().any(|of| of.overlaps(cell)) {
                    continue;
                }
                let word = operation.split(' ').next().unwrap_or_default();
                let parts: Vec<&str> = word.split('.').collect();
                let order = match parts.get(1) {
                    Some(&"relaxed" | &"release") => "relaxed",
                    Some(&"acquire" | &"acq_rel") => "acquire",
                    _ => continue,
                };
                let (Some(scope), Some(bits)) = (
                    parts.get(2),
                    parts.last().map(|ty| ty.trim_start_matches(char::is_alphabetic)),
                ) else {
                    continue;
                };
                let (operation, to, cell) =
                    (format!("ld.{order}.{scope}.u{bits}"), register.clone(), *cell);
                *piece = CodePiece::Read { operation, to, cell };
                found = true;
            }
        }
    }
    found
}

/// Ends a thread where it goes round a loop for ever that reads nothing and has no way out: nothing
/// follows.
pub(crate) fn ended(code: &[Line]) -> Vec<Line> {
    let mut ended = code.to_vec();
    for at in 0..code.len() {
        let CodePiece::Jump(None, to) = code[at].0 else { continue };
        let Some(head) = label_before(code, at, to) else { continue };
        let is_idle = |(p, _): &Line| matches!(p, CodePiece::Other(_) | CodePiece::Label(_));
        if code[head + 1..at].iter().all(is_idle) {
            ended[at].0 = CodePiece::End;
        }
    }
    tidy(ended)
}

pub(crate) type RoundRead = (usize, String, crate::residue::MemoryCell, Option<Idle>);

/// What one round of a loop reads, if it only waits: no branch within, and no write that changes
/// anything.
pub(crate) fn round(body: &[Line]) -> Option<Vec<RoundRead>> {
    let mut found = Vec::new();
    for (position, (piece, _)) in body.iter().enumerate() {
        match piece {
            CodePiece::Read { to, cell, .. } => found.push((position, to.clone(), *cell, None)),
            CodePiece::Write { cell, idle: Some((register, idle)), .. } => {
                found.push((position, register.clone(), *cell, Some(*idle)))
            }
            CodePiece::Mbarrier(MbarrierPiece {
                to: Some(to),
                cell,
                how: MbarrierUse::Wait,
                ..
            }) => {
                found.push((position, to.clone(), *cell, None));
            }
            CodePiece::Write { .. }
            | CodePiece::Barrier(_)
            | CodePiece::Label(_)
            | CodePiece::End
            | CodePiece::Jump(None, _) => {
                return None;
            }
            CodePiece::Mbarrier(_)
            | CodePiece::Issue(_)
            | CodePiece::Group(_)
            | CodePiece::ClusterBarrier(_) => return None,
            // A way out.
            CodePiece::Jump(Some(_), _) | CodePiece::Other(_) | CodePiece::Passed => {}
        }
    }
    (!counts(body)).then_some(found)
}

/// The same of the loop from a head to a jump back, by places in the code: also where a round goes
/// past what a thread does that leaves it (`if (found) { *p = 1; return; }`).
fn round_of(code: &[Line], head: usize, jump: usize) -> Option<Vec<RoundRead>> {
    if let Some(mut found) = round(&code[head + 1..jump]) {
        found.iter_mut().for_each(|(position, ..)| *position += head + 1);
        return Some(found);
    }
    let way = way_round(&successors(code), (head, jump))?;
    let goes_forward = way.is_sorted();
    let is_step =
        |at: &usize| !matches!(code[*at].0, CodePiece::Label(_) | CodePiece::Jump(None, _));
    let steps: Vec<usize> = way.into_iter().filter(|at| *at != jump).filter(is_step).collect();
    let lines: Vec<Line> = steps.iter().map(|&at| code[at].clone()).collect();
    let mut found = round(&lines).filter(|_| goes_forward)?;
    found.iter_mut().for_each(|(position, ..)| *position = steps[*position]);
    Some(found)
}

/// Does a round leave something in a register that the next one reads? Then the next one may do
/// something else.
pub(crate) fn counts(body: &[Line]) -> bool {
    let (mut written, mut before) = (Vec::new(), Vec::new());
    for (piece, _) in body {
        before.extend(piece.reads().into_iter().filter(|register| !written.contains(register)));
        written.extend(piece.writes());
    }
    before.iter().any(|register| written.contains(register))
}

#[cfg(test)]
mod tests {
    use super::{CodePiece, Line, last_rounds};

    /// A thread that builds a tree has thousands of branches. Where labels are looked for in all of
    /// the code, for each branch and each loop, this does not end.
    #[test]
    fn thousands_of_loops_are_looked_at() {
        let of = |n: u32| {
            let read = CodePiece::Other(format!("add a, b, {n}"));
            [CodePiece::Label(n), read, CodePiece::Jump(Some(("a".to_owned(), true)), n)]
                .map(|piece| -> Line { (piece, None) })
        };
        let code: Vec<Line> = (0..3_000).flat_map(of).collect();
        let last = last_rounds(&code);
        assert_eq!((last.loops.len(), last.others.len()), (3_000, 0));
    }
}
