//! Which pairs of threads could race at a place: those of which one writes there, and that nothing
//! keeps apart at once. Of lanes that do the same where something is ordered or decided two stand
//! for all.

use std::collections::{BTreeMap, BTreeSet};

use super::{Slice, Slicer};
use crate::access::{AccessStrength, accesses, writes};
use crate::residue::{CodePiece, IssueFamily, Line, MemoryCell};

/// Two accesses of different threads that could race: those of these threads to what overlaps the
/// place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rivals {
    pub place: usize,
    pub threads: [usize; 2],
}

/// Accesses of one thread to one place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    pub reads: bool,
    pub writes: bool,
    /// Are some of them weak, or only strong for threads that are near?
    pub widest_weak: bool,
    pub cta_only: bool,
    /// Are some of them those of asynchronous operations, which are in no order with what the
    /// thread does?
    pub is_asynchronous: bool,
}

impl Slicer<'_> {
    /// A number for each thread, the same for lanes of one warp that do the same where something is
    /// ordered or decided.
    pub(super) fn alike_lanes(&self) -> Vec<usize> {
        if !self.code.iter().flatten().any(|(p, _)| matches!(p, CodePiece::Issue(_))) {
            return Vec::new();
        }
        let threads = self.launch.threads.max(1) as usize;
        let mut known: BTreeMap<(usize, usize, Vec<String>), usize> = BTreeMap::new();
        let mut found = Vec::with_capacity(self.code.len());
        for (thread, code) in self.code.iter().enumerate() {
            let steps = code
                .iter()
                .filter(|(p, _)| self.is_step(p))
                .map(|(p, _)| format!("{p:?}"))
                .collect();
            let next = known.len();
            found.push(
                *known.entry((self.block(thread), thread % threads / 32, steps)).or_insert(next),
            );
        }
        found
    }

    /// Does a piece order something, or decide which way a thread goes?
    fn is_step(&self, piece: &CodePiece) -> bool {
        match piece {
            CodePiece::Read { .. } | CodePiece::Write { .. } => {
                let is_plain = |(cell, strength): &(MemoryCell, AccessStrength)| {
                    *strength == AccessStrength::Weak
                        && !self.relevant[self.places[cell]]
                        && !self.strong[self.places[cell]]
                };
                !accesses(piece).iter().all(is_plain)
            }
            CodePiece::Issue(issue) => issue.mbarrier.is_some(),
            CodePiece::Other(text) => text.starts_with("fence"),
            CodePiece::Passed => false,
            _ => true,
        }
    }

    /// The pairs of threads that could race, place by place. Two threads of which nothing but
    /// strong accesses in each other's scope go to a place, all of one width, do not.
    pub fn rivals(&self) -> &[Rivals] {
        self.rivals.get_or_init(|| self.pairs_that_could_race())
    }

    /// Do both of two rivals still come to their place in a slice, and does one of them write
    /// there?
    pub fn may_race(&self, slice: &Slice, rivals: Rivals) -> bool {
        let uses = |thread: usize| {
            let code = slice.number(thread).map(|n| slice.code[n].as_slice()).unwrap_or_default();
            let cells = code.iter().flat_map(|(piece, _)| {
                accesses(piece).into_iter().map(move |(cell, _)| (cell, writes(piece, cell)))
            });
            let here = cells.filter(|(cell, _)| self.is_at(*cell, rivals.place));
            here.fold((false, false), |(_, has_written), (_, writes)| (true, has_written || writes))
        };
        let [(first_comes, first_writes), (second_comes, second_writes)] = rivals.threads.map(uses);
        first_comes && second_comes && (first_writes || second_writes)
    }

    fn pairs_that_could_race(&self) -> Vec<Rivals> {
        let mut found = Vec::new();
        for (place, shares) in
            self.shares.iter().enumerate().filter(|(place, _)| !self.lanes[*place])
        {
            if self.mbarriers[place]
                && self.initial.iter().any(|cell| self.places.get(cell) == Some(&place))
            {
                continue;
            }
            let by: Vec<(usize, Share)> = shares.iter().map(|(t, s)| (*t, *s)).collect();
            let ranks = self.ranks(place, &by);
            for (i, (a, first)) in by.iter().enumerate().filter(|(i, _)| ranks[*i] < 2) {
                if first.is_asynchronous && first.writes && ranks[i] == 0 {
                    found.push(Rivals { place, threads: [*a, *a] });
                }
                for (j, (b, second)) in by.iter().enumerate().skip(i + 1) {
                    // Of those that do the same the first one stands for all, and with the second
                    // one for any two of them.
                    let is_other = match ranks[i] + ranks[j] {
                        0 => false,
                        1 => self.alike[*a] != self.alike[*b],
                        _ => true,
                    };
                    if !(first.writes || second.writes)
                        || is_other
                        || self.act_together(place, [*a, *b])
                    {
                        continue;
                    }
                    let same_block = self.block(*a) == self.block(*b);
                    let near = |s: &Share| s.widest_weak || s.cta_only && !same_block;
                    if near(first) || near(second) || self.mixed[place] {
                        found.push(Rivals { place, threads: [*a, *b] });
                    }
                }
            }
        }
        found
    }

    /// For each of these threads how many in front of it do the same, at a place and else where
    /// something is ordered or decided, and one behind the other in the same order: lanes of one
    /// warp. Where something is ordered or decided, threads of one number in `alike` do the same.
    fn ranks(&self, place: usize, by: &[(usize, Share)]) -> Vec<usize> {
        if self.alike.is_empty() || by.len() < 3 {
            return vec![0; by.len()];
        }
        // By number, what such threads do there, and how many do.
        type SameVisits<'a> = Vec<(Vec<(usize, &'a CodePiece)>, usize)>;
        let mut known: BTreeMap<usize, SameVisits<'_>> = BTreeMap::new();
        let mut found = Vec::with_capacity(by.len());
        for (thread, _) in by {
            let places = self.visits[*thread].get(&place).map_or(&[][..], Vec::as_slice);
            let visits: Vec<(usize, &CodePiece)> =
                places.iter().map(|&(steps, at)| (steps, &self.code[*thread][at].0)).collect();
            let of_class = known.entry(self.alike[*thread]).or_default();
            match of_class.iter_mut().find(|(same, _)| *same == visits) {
                Some((_, count)) => {
                    *count += 1;
                    found.push(*count - 1);
                }
                None => {
                    of_class.push((visits, 1));
                    found.push(0);
                }
            }
        }
        found
    }

    /// For each thread where it accesses each place: behind how many steps that order or decide
    /// something, and at which piece of its code.
    pub(super) fn visits_of_places(&self) -> Vec<BTreeMap<usize, Vec<(usize, usize)>>> {
        let of_thread = |code: &Vec<Line>| {
            let mut visits: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
            let mut steps = 0;
            for (at, (piece, _)) in code.iter().enumerate() {
                let places: BTreeSet<usize> =
                    accesses(piece).iter().map(|(cell, _)| self.places[cell]).collect();
                for place in places {
                    visits.entry(place).or_default().push((steps, at));
                }
                steps += usize::from(self.is_step(piece));
            }
            visits
        };
        self.code.iter().map(of_thread).collect()
    }

    /// Are the accesses of two threads to tensor memory those of one warp together?
    fn act_together(&self, place: usize, [a, b]: [usize; 2]) -> bool {
        let threads = self.launch.threads.max(1) as usize;
        let warp = |thread: usize| (thread / threads, thread % threads / 32);
        let is_of_warp = |piece: &CodePiece| match piece {
            CodePiece::Issue(issue) => {
                matches!(issue.family(), IssueFamily::TensorLoad | IssueFamily::TensorStore)
            }
            _ => false,
        };
        let all_are = |thread: usize| {
            let here =
                |p: &&CodePiece| accesses(p).iter().any(|(cell, _)| self.is_at(*cell, place));
            self.code[thread].iter().map(|(piece, _)| piece).filter(here).all(is_of_warp)
        };
        warp(a) == warp(b) && all_are(a) && all_are(b)
    }
}
