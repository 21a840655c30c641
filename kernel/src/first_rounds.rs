//! A slice with the first rounds of its loops alone. A loop whose rounds are known is executed
//! round by round, and a hundred of them are too much for an engine, though what races mostly does
//! so in the first.
//!
//! Each thread ends before the first access that came so often already. Threads do as much of what
//! the whole ones do, from the start on: no thread has come past a barrier that another one has
//! still to come to, and all that is left out comes behind. So an execution of what is left becomes
//! one of the whole by what the threads still do, one step after the other, each read behind the
//! last write. Nothing of that is ordered before what was there, and a race of it stays one. That
//! there is none says nothing.
//!
//! For the same reason the threads that do not race may end behind the last barrier to which they
//! come: then two are left that do anything there, where a race that eight have takes an engine too
//! long.

use std::collections::BTreeMap;

use crate::access::accesses_memory;
use crate::meeting::{instance, is_for_all};
use crate::residue::{CodePiece, Line, MemoryCell, Origin, tidy};
use crate::slice::Slice;

/// How many accesses a test has that is asked about with the first rounds of its loops alone,
/// first: engines answer smaller ones as they are.
pub(crate) const LARGE: usize = 64;

/// How many rounds these are. A race of an access with that of the next round needs two, and
/// buffers that are used in turn have some more.
pub(crate) const FIRST_ROUNDS: [usize; 4] = [1, 2, 4, 8];

/// Which threads do something behind the last barrier to which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RacingThreads {
    /// The two that could race, by their numbers in the slice.
    Pair([usize; 2]),
    All,
}

/// What is said of a test in which two threads alone do so.
pub(crate) const OF_A_PAIR: &str =
    "Of the other threads the test has what stands in front of barriers; they go on behind it.";

/// What is tried of a test, in order: the fewest rounds first, and each time two threads alone
/// before all.
pub(crate) fn first_rounds(pair: [usize; 2]) -> impl Iterator<Item = (usize, RacingThreads)> {
    FIRST_ROUNDS
        .into_iter()
        .flat_map(move |rounds| [(rounds, RacingThreads::Pair(pair)), (rounds, RacingThreads::All)])
}

/// What is said of a test that has so many rounds.
pub(crate) fn of_first_rounds(rounds: usize) -> String {
    let many = if rounds == 1 {
        "round of each loop".to_owned()
    } else {
        format!("{rounds} rounds of each loop")
    };
    format!(
        "The test has the first {many} whose number of rounds is known; the threads go on behind it."
    )
}

/// What is said of a repair that was asked about in so many rounds.
pub(crate) fn repaired_in(rounds: usize) -> String {
    let many = if rounds == 1 {
        "the first round alone".to_owned()
    } else {
        format!("the first {rounds} rounds alone")
    };
    format!(
        "The repair was asked about in {many}: what goes wrong in later ones is not looked for."
    )
}

/// Where a barrier is in the code of each thread that comes to it.
type BarrierPlaces = BTreeMap<usize, Vec<usize>>;

impl Slice {
    /// The same with so many rounds of what each thread does again and again; nothing where that is
    /// all of it. `block` says of which block a thread of the launch is.
    pub fn with_first_rounds(
        &self,
        rounds: usize,
        racing: RacingThreads,
        block: &dyn Fn(usize) -> usize,
    ) -> Option<Self> {
        let ends: Vec<usize> = self.code.iter().map(|code| end_of_rounds(code, rounds)).collect();
        let is_all = ends.iter().zip(&self.code).all(|(end, code)| *end == code.len());
        if is_all && racing == RacingThreads::All {
            return None;
        }
        self.ended(ends, racing, block)
    }

    /// The same with all rounds, in which only two threads do something behind the last barrier;
    /// nothing where that is all of it.
    pub fn with_a_pair_alone(
        &self,
        pair: [usize; 2],
        block: &dyn Fn(usize) -> usize,
    ) -> Option<Self> {
        self.ended(self.code.iter().map(Vec::len).collect(), RacingThreads::Pair(pair), block)
    }

    /// The same with each thread ended at a place, or in front of it; nothing where that is all of
    /// it.
    fn ended(
        &self,
        mut ends: Vec<usize>,
        racing: RacingThreads,
        block: &dyn Fn(usize) -> usize,
    ) -> Option<Self> {
        for (end, code) in ends.iter_mut().zip(&self.code) {
            *end = (*end).min(last_end(code));
        }
        let mut barriers: BTreeMap<(usize, &str), BarrierPlaces> = BTreeMap::new();
        for (thread, code) in self.code.iter().enumerate() {
            for (at, (piece, _)) in code.iter().enumerate() {
                let CodePiece::Barrier(text) = piece else { continue };
                let of = barriers.entry((block(self.members[thread]), text)).or_default();
                of.entry(thread).or_default().push(at);
            }
        }
        // Who comes to a barrier goes no further than another one for whom it is too far.
        loop {
            let mut changed = false;
            for of in barriers.values() {
                let met = of
                    .iter()
                    .map(|(thread, places)| places.iter().filter(|at| **at < ends[*thread]).count())
                    .min();
                for (thread, places) in of {
                    if let Some(&at) =
                        met.and_then(|met| places.get(met)).filter(|at| **at < ends[*thread])
                    {
                        ends[*thread] = at;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        if let RacingThreads::Pair(pair) = racing {
            let others = ends
                .iter_mut()
                .zip(&self.code)
                .enumerate()
                .filter(|(thread, _)| !pair.contains(thread));
            for (_, (end, code)) in others {
                let is_barrier = |(piece, _): &Line| matches!(piece, CodePiece::Barrier(_));
                *end = code[..*end].iter().rposition(is_barrier).map_or(0, |at| at + 1);
            }
        }
        if ends.iter().zip(&self.code).all(|(end, code)| *end == code.len()) {
            return None;
        }
        let code = self.code.iter().zip(&ends).map(|(code, end)| ended_at(code, *end)).collect();
        Some(Self { code, ..self.clone() })
    }

    /// The same with so many first rounds, if that is said and it is large.
    pub fn in_first_rounds(self, rounds: Option<usize>, block: &dyn Fn(usize) -> usize) -> Self {
        let rounds = rounds.filter(|_| self.size() > LARGE);
        rounds
            .and_then(|rounds| self.with_first_rounds(rounds, RacingThreads::All, block))
            .unwrap_or(self)
    }

    /// How many accesses it has.
    pub fn size(&self) -> usize {
        self.code.iter().flatten().filter(|(p, _)| accesses_memory(p)).count()
    }
}

/// Where an access comes that came so often already.
fn end_of_rounds(code: &[Line], rounds: usize) -> usize {
    let mut counts: BTreeMap<(Origin, MemoryCell, bool), usize> = BTreeMap::new();
    let again = code.iter().position(|(piece, origin)| {
        let (cell, writes) = match piece {
            CodePiece::Read { cell, .. } => (*cell, false),
            CodePiece::Write { cell, .. } => (*cell, true),
            CodePiece::Issue(issue) => (issue.to, issue.writes()),
            _ => return false,
        };
        let Some(origin) = origin else { return false };
        let count = counts.entry((*origin, cell, writes)).or_default();
        *count += 1;
        *count > rounds
    });
    again.unwrap_or(code.len())
}

/// How far a thread goes at most: not to a barrier of which it is not known how often it comes
/// there, or who else has to; whoever ends holds nobody up. A way that is chosen in front of a
/// barrier and has come together again by then, as a swap of two elements has, leaves it known.
fn last_end(code: &[Line]) -> usize {
    let labels: BTreeMap<u32, usize> = code
        .iter()
        .enumerate()
        .filter_map(
            |(at, (piece, _))| {
                if let CodePiece::Label(label) = piece { Some((*label, at)) } else { None }
            },
        )
        .collect();
    let jumps = code.iter().enumerate().filter_map(|(at, (piece, _))| match piece {
        CodePiece::Jump(_, to) => Some((at, labels.get(to).copied().unwrap_or(code.len()))),
        _ => None,
    });
    let jumps: Vec<(usize, usize)> = jumps.map(|(from, to)| (from.min(to), from.max(to))).collect();
    let mut has_ended = false;
    let last = code.iter().enumerate().position(|(at, (piece, _))| match piece {
        CodePiece::ClusterBarrier(_) => true,
        CodePiece::Barrier(text) => {
            let is_passed_by = jumps.iter().any(|&(low, high)| low < at && at < high);
            has_ended || is_passed_by || instance(text).is_none() && !is_for_all(text)
        }
        CodePiece::End => {
            has_ended = true;
            false
        }
        _ => false,
    });
    last.unwrap_or(code.len())
}

/// The code up to a place; who would go on behind it has ended.
fn ended_at(code: &[Line], end: usize) -> Vec<Line> {
    if end == code.len() {
        return code.to_vec();
    }
    let mut first = code[..end].to_vec();
    first.push((CodePiece::End, None));
    first.extend(code[end..].iter().filter(|(p, _)| matches!(p, CodePiece::Label(_))).cloned());
    tidy(first)
}
