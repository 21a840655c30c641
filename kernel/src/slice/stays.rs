//! What stays of each thread in a slice, and what is taken out.

use std::collections::BTreeSet;

use super::focus::SliceFocus;
use super::{Rivals, Slice, Slicer, is_register};
use crate::access::{AccessStrength, access, fenced};
use crate::exchange::IS_THERE;
use crate::idle::{
    without_idle_arrivals, without_idle_barriers, without_idle_fences, without_idle_groups,
    without_idle_proxies, without_idle_threads, without_last_barriers, without_last_groups,
    without_last_waits, without_readers,
};
use crate::initial::with_initial_mbarriers;
use crate::layout::Object;
use crate::residue::{CodePiece, Issue, IssueSource, Line, MemoryCell, is_inner, tidy};
use crate::twins::without_twins;

impl Slicer<'_> {
    /// What decides which way threads go, and what they leave where it is asked.
    pub fn base(&self) -> Slice {
        self.slice(SliceFocus::Nothing)
    }

    /// The accesses of two threads to a place, and what they depend on.
    pub fn of(&self, rivals: Rivals) -> Slice {
        self.slice(SliceFocus::Race(rivals))
    }

    /// What is written to a cell, what a thread reads there, and what they depend on; nothing where
    /// no test can say it.
    pub fn of_reader(&self, cell: MemoryCell, thread: usize) -> Option<Slice> {
        let place = *self.places.get(&cell)?;
        self.is_one_value(cell).then(|| self.slice(SliceFocus::Reader { place, thread }))
    }

    /// Is a cell of memory accessed in one width, and no mbarrier?
    pub fn is_one_value(&self, cell: MemoryCell) -> bool {
        self.places.get(&cell).is_some_and(|&place| {
            !self.mixed[place] && !self.mbarriers[place] && !self.lanes[place]
        })
    }

    /// The same as [`Self::of`] with the threads that only read, and the waits in exchanges of
    /// warps.
    pub fn with_all_that_wait(&self, rivals: Rivals) -> Slice {
        self.slice_with(SliceFocus::Race(rivals), true)
    }

    fn slice(&self, focus: SliceFocus) -> Slice {
        self.slice_with(focus, focus == SliceFocus::Nothing)
    }

    /// With `waits` threads stay that only read, and waits in exchanges of warps.
    fn slice_with(&self, focus: SliceFocus, waits: bool) -> Slice {
        let mut slice = Slice::default();
        let blocks = self.launch.threads.max(1) as usize;
        for (block, is_uniform) in self.uniform.iter().enumerate() {
            let of_block = block * blocks..((block + 1) * blocks).min(self.code.len());
            let mut kept: Vec<(usize, Vec<Line>)> = of_block
                .map(|thread| {
                    let lines = self.code[thread]
                        .iter()
                        .filter_map(|line| self.kept(thread, line, (focus, waits)))
                        .collect();
                    let lines = without_idle_groups(without_idle_arrivals(lines));
                    let lines = if matches!(focus, SliceFocus::Race(_)) {
                        without_last_waits(without_last_groups(lines))
                    } else {
                        lines
                    };
                    (thread, without_idle_fences(tidy(self.with_sums(thread, lines, focus))))
                })
                .collect();
            // Where an mbarrier is asked about, its waits are.
            if *is_uniform
                && matches!(focus, SliceFocus::Race(rivals) if !self.mbarriers[rivals.place])
            {
                while without_last_barriers(&mut kept) {
                    for (_, code) in &mut kept {
                        *code = without_idle_fences(tidy(without_last_waits(without_last_groups(
                            std::mem::take(code),
                        ))));
                    }
                }
            }
            if *is_uniform && !waits {
                without_readers(&mut kept, &|thread| focus.is_of(thread), &|cell| {
                    self.may_signal(cell)
                });
            }
            if *is_uniform {
                without_idle_threads(&mut kept);
                without_idle_barriers(&mut kept);
            }
            for (thread, code) in kept {
                slice.members.push(thread);
                slice.code.push(code);
            }
        }
        let block = |thread: usize| thread / blocks;
        without_twins(&mut slice.members, &mut slice.code, &block, &self.uniform);
        with_initial_mbarriers(&mut slice, &self.initial, &block, &self.uniform);
        without_idle_proxies(&mut slice.code);
        sums_aside(&mut slice);
        slice.count_warps(&self.code);
        slice
    }

    /// May a thread that reads a cell by a strong operation be told something by that? It is where
    /// it sees a strong write (PTX ISA 8.9.5, observation).
    fn may_signal(&self, cell: MemoryCell) -> bool {
        self.synchronizes && self.signals[self.places[&cell]]
    }

    /// Is an asynchronous operation one of those that are asked about, or on which they depend?
    pub(super) fn is_asked(&self, thread: usize, issue: &Issue, focus: SliceFocus) -> bool {
        // A sum that was put aside is of no place.
        let Some(&to) = self.places.get(&issue.to) else { return false };
        let of = |cell: MemoryCell, writes: bool| {
            self.places.get(&cell).is_some_and(|&place| focus.has(place, thread, writes))
        };
        of(issue.to, true)
            || issue.from().is_some_and(|from| of(from, false))
            || issue.maps.iter().any(|&map| of(map, false))
            || self.relevant[to]
            || self.strong[to]
    }

    /// Of cells that nobody asks about, of copies that follow each other, one is left: for whoever
    /// waits its bytes are those of all, if the mbarrier is told of them; those of one copy come
    /// together in any case. Stores and reductions of a value each stay: how many bytes
    /// they bring is said by their type, which no sum can change.
    fn with_sums(&self, thread: usize, code: Vec<Line>, focus: SliceFocus) -> Vec<Line> {
        let mut found: Vec<Line> = Vec::with_capacity(code.len());
        let mut sum: Option<usize> = None;
        for (piece, origin) in code {
            if let CodePiece::Issue(issue) = &piece
                && issue.from().is_some()
                && !self.is_asked(thread, issue, focus)
            {
                let is_same = |(p, _): &Line| matches!(p, CodePiece::Issue(of) if of.mbarrier == issue.mbarrier && of.from().is_some());
                let is_told = issue.mbarrier.is_none_or(|of| !self.untold.contains(&of));
                let is_one = |at: usize| is_told || found[at].1 == origin;
                match sum.filter(|&at| is_one(at) && found[at..].iter().all(is_same)) {
                    Some(at) => {
                        if let CodePiece::Issue(first) = &mut found[at].0 {
                            first.bytes += issue.bytes;
                        }
                        continue;
                    }
                    None => sum = Some(found.len()),
                }
            }
            // Operations of a tensor core that access the same, one behind the other, do so once.
            let plain = |(p, _): &&mut Line| !matches!(p, CodePiece::Other(text) if !text.starts_with("fence"));
            if let (CodePiece::Issue(issue), Some((CodePiece::Issue(last), _))) =
                (&piece, found.iter_mut().rev().find(plain))
                && last.repeats(issue)
            {
                if issue.operation.ends_with("adds") {
                    last.operation.clone_from(&issue.operation);
                }
                continue;
            }
            found.push((piece, origin));
        }
        found
    }

    fn kept(&self, thread: usize, line: &Line, (focus, waits): (SliceFocus, bool)) -> Option<Line> {
        let (piece, origin) = line;
        if let CodePiece::Issue(issue) = piece {
            if issue.mbarrier.is_none() && !self.is_asked(thread, issue, focus) {
                return None;
            }
            // A map that is not asked about is of no account.
            let is_of = |cell: &MemoryCell| focus.has(self.places[cell], thread, false);
            let maps = issue.maps.iter().copied().filter(is_of).collect();
            return Some((CodePiece::Issue(Issue { maps, ..issue.clone() }), *origin));
        }
        if let Some(cell) = fenced(piece) {
            // It is for whoever comes behind it in the block.
            return focus.is_at(self.places[&cell]).then(|| line.clone());
        }
        if matches!(piece, CodePiece::Mbarrier(_)) {
            return Some(line.clone());
        }
        // An exchange of a warp orders nothing (9.7.9.6): who waits in one for another lane is of
        // account only for who comes to an end.
        let is_awaited = |to: &str| waits && self.awaited[thread].contains(to);
        let result =
            piece.writes().is_some_and(|to| self.registers[thread].contains(to) || is_awaited(to));
        let Some((cell, strength)) = access(piece) else {
            let keep = match piece {
                CodePiece::Jump(Some((register, _)), _) => {
                    self.registers[thread].contains(register) || is_awaited(register)
                }
                // Where a thread stops is asked about, and no part of a race.
                CodePiece::Other(_)
                    if focus != SliceFocus::Nothing
                        && piece.writes().is_some_and(|to| !is_inner(to)) =>
                {
                    false
                }
                CodePiece::Other(text) => text.starts_with("fence") || result,
                _ => true,
            };
            return keep.then(|| line.clone());
        };
        let place = self.places[&cell];
        let is_rival = focus.has(place, thread, matches!(piece, CodePiece::Write { .. }));
        let is_told = waits && self.lanes[place];
        let is_whole = self.relevant[place] || self.strong[place] && self.synchronizes || is_told;
        let keep = match piece {
            CodePiece::Read { .. } => {
                strength != AccessStrength::Weak && self.may_signal(cell) || result || is_rival
            }
            _ => is_whole || is_rival,
        };
        if !keep {
            return None;
        }
        let mut piece = piece.clone();
        if let CodePiece::Write { operands, .. } = &mut piece
            && !self.relevant[place]
        {
            // What is written is of no account, but that it is there.
            let number = if is_told { IS_THERE } else { 0 };
            let constant =
                |word: &str| if is_register(word) { number.to_string() } else { word.to_owned() };
            *operands = operands.split(", ").map(constant).collect::<Vec<_>>().join(", ");
        }
        Some((piece, *origin))
    }
}

/// The number of the first place of a sum of copies: those of copies of threads are smaller.
const SUMS: u32 = 1 << 30;

/// A sum of copies has more bytes than the cell that it is written with: where another instruction
/// accesses that cell, it goes to a place of its own, since nobody asks about it.
fn sums_aside(slice: &mut Slice) {
    let is_sum =
        |issue: &Issue, cell: MemoryCell| issue.mbarrier.is_some() && issue.bytes > cell.bytes;
    let typed =
        |p: &CodePiece| if matches!(p, CodePiece::Issue(_)) { Vec::new() } else { p.cells() };
    let used: BTreeSet<MemoryCell> =
        slice.code.iter().flatten().flat_map(|(piece, _)| typed(piece)).collect();
    let named = &mut slice.named;
    let mut count = SUMS;
    let mut aside = |cell: MemoryCell, bytes: u64| {
        let object = Object::Elsewhere(matches!(cell.object, Object::Shared(..)), count);
        let place = MemoryCell { object, offset: 0, bytes };
        named.insert(place, (format!("aside{}", count - SUMS), 0));
        count += 1;
        place
    };
    for (piece, _) in slice.code.iter_mut().flatten() {
        let CodePiece::Issue(issue) = piece else { continue };
        let is_refused = |cell: MemoryCell| is_sum(issue, cell) && used.contains(&cell);
        let to = is_refused(issue.to).then(|| aside(issue.to, issue.bytes));
        let from =
            issue.from().filter(|&from| is_refused(from)).map(|from| aside(from, issue.bytes));
        if let Some(to) = to {
            issue.to = to;
        }
        if let Some(from) = from {
            issue.source = IssueSource::Cell(from);
        }
    }
}
