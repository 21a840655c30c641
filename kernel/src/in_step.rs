//! Lanes of a warp that are taken to go in step: a strong access of shared memory by one lane, and
//! one by another lane, that nothing orders, where each lane executes both instructions.
//!
//! An old sum of a warp (`volatile int *s; s[t] += s[t + 16]; s[t] += s[t + 8];`) has no data race,
//! since `volatile` accesses are strong, and is right only where all lanes execute an instruction
//! before any of them executes the next one. Nothing says that they do: a lane may read what
//! another one has not written yet. Reads are asked about whose value reaches global memory and
//! decides nothing, of places whose values decide nothing: a lock and a flag are none. The accesses
//! to these places are taken for weak ones: what nothing orders then is a race.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::{AccessStrength, access, is_modification, writes};
use crate::answer::{FindingKind, NotLooked, RepairAnswer, Stands};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::layout::Object;
use crate::program::Executed;
use crate::relevance::ValueRelevance;
use crate::residue::{CodePiece, MemoryCell, Origin};
use crate::stale::NumberPlaces;

const WHAT: &str = "lanes that are taken to go in step";

/// How many threads a warp has.
const WARP: usize = 32;

const WHY: &str = "The lanes are of one warp, each executes both instructions, and nothing orders the two: that they go in step is nowhere said, and `volatile` orders nothing. The read may return \
                   what is there before the write, and what is there behind it, and what is read reaches global memory.";

const SHOWN: &str = "In the test the accesses to this place are weak, so that what nothing orders is a data race; those of the kernel are strong.";

/// Two accesses to one place, by two lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LanesApart {
    reader: usize,
    read: Origin,
    writer: usize,
    write: Origin,
}

impl Inquiry<'_, '_> {
    /// Looks for such accesses, where nothing else goes wrong.
    pub fn in_step(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        if !found.findings.is_empty() || executed.omissions.iter().any(|omission| omission.guessed)
        {
            return Ok(());
        }
        let (pairs, cells) = self.lanes_apart(executed);
        if self.is_over() {
            found.note(format!("{WHAT}: it was stopped by a limit or by Ctrl-C"));
            return Ok(());
        }
        if pairs.is_empty() {
            return Ok(());
        }
        let mut beside = LaunchFindings::default();
        self.races_of_pairs(&executed.with_weak_accesses(&cells), &mut beside)?;
        let of_pair = |stands: &[Stands]| {
            let [a, b] = stands else { return false };
            let number = |of: &Stands| (of.block * self.launch.threads + of.thread) as usize;
            let is_one = |of: &Stands, thread: usize, origin: Origin| {
                number(of) == thread && of.spot == self.spot(origin)
            };
            let are = |read: &Stands, write: &Stands, pair: &LanesApart| {
                is_one(read, pair.reader, pair.read) && is_one(write, pair.writer, pair.write)
            };
            pairs.iter().any(|pair| are(a, b, pair) || are(b, a, pair))
        };
        match beside.findings.into_iter().find(|finding| finding.kind == FindingKind::Race) {
            Some(mut finding) if of_pair(&finding.stands) => {
                finding.kind = FindingKind::Stale;
                finding.why = vec![WHY.to_owned(), SHOWN.to_owned()];
                let repair = "`__syncwarp()` between the two makes the lanes meet; where it is enough is not looked for";
                finding.repair = RepairAnswer::Open(repair.to_owned());
                found.findings.push(finding);
            }
            Some(_) => {
                found.note(format!("{WHAT}: another pair of accesses that nothing orders hides those that are asked about"))
            }
            None if beside.undecided => found.note(format!("{WHAT}: one or more take more steps than are done for it")),
            None => found.proofs.add_as(beside.proofs, WHAT),
        }
        Ok(())
    }

    /// Such accesses, of which no test asks what may be weaker.
    pub fn in_step_left_out(&self, executed: &Executed) -> Option<NotLooked> {
        let (pairs, _) = self.lanes_apart(executed);
        let why = || format!("launch {}, {WHAT}", self.launch);
        (!pairs.is_empty()).then(|| NotLooked {
            line: None,
            text: None,
            why: why(),
            guessed: false,
        })
    }

    /// Pairs of accesses that would be ordered if lanes went in step, and their places.
    fn lanes_apart(&self, executed: &Executed) -> (BTreeSet<LanesApart>, BTreeSet<MemoryCell>) {
        let (mut pairs, mut cells) = (BTreeSet::new(), BTreeSet::new());
        // By place the strong stores of all threads, and whether each access there only reads or
        // stores.
        let mut by_cell: BTreeMap<MemoryCell, Vec<(usize, Origin)>> = BTreeMap::new();
        let mut plain: BTreeMap<MemoryCell, bool> = BTreeMap::new();
        for (thread, code) in executed.threads.iter().enumerate() {
            for (piece, origin) in code {
                let Some((cell, strength)) =
                    access(piece).filter(|(cell, _)| matches!(cell.object, Object::Shared(..)))
                else {
                    continue;
                };
                let orders = |operation: &str| {
                    operation
                        .split(['.', ' '])
                        .any(|word| matches!(word, "acquire" | "release" | "acq_rel" | "sc"))
                };
                let is_plain = match piece {
                    CodePiece::Read { operation, .. } => !orders(operation),
                    CodePiece::Write { operation, .. } => {
                        !orders(operation) && !is_modification(piece)
                    }
                    _ => false,
                };
                let of = plain.entry(cell).or_insert(true);
                *of &= is_plain;
                let is_store = writes(piece, cell) && strength != AccessStrength::Weak;
                if let (true, Some(origin)) = (is_store, origin) {
                    by_cell.entry(cell).or_default().push((thread, *origin));
                }
            }
        }
        if by_cell.is_empty() {
            return (pairs, cells);
        }
        let numbers = NumberPlaces::of(executed);
        let slicer = executed.slicer(&|_| false);
        let deciding = slicer.relevant();
        let mut relevance = ValueRelevance::new(executed);
        let warp = |thread: usize| {
            (thread / self.launch.threads as usize, thread % self.launch.threads as usize / WARP)
        };
        for (thread, trail) in executed.trails.iter().enumerate() {
            let Some(trail) = trail else { continue };
            if self.is_over() {
                break;
            }
            for (at, (piece, origin)) in trail.code.iter().enumerate() {
                let (CodePiece::Read { cell, .. }, Some(read)) = (piece, *origin) else { continue };
                let is_weak =
                    access(piece).is_none_or(|(_, strength)| strength == AccessStrength::Weak);
                if is_weak
                    || plain.get(cell) != Some(&true)
                    || deciding.contains(cell)
                    || numbers.has(*cell)
                {
                    continue;
                }
                let of_others = by_cell.get(cell).into_iter().flatten();
                let apart: Vec<LanesApart> = of_others
                    .filter(|(writer, write)| {
                        *writer != thread
                            && warp(*writer) == warp(thread)
                            && executed.visits[thread].contains(write)
                    })
                    .map(|&(writer, write)| LanesApart { reader: thread, read, writer, write })
                    .collect();
                if !apart.is_empty() && relevance.of_read(thread, at) == (true, false) {
                    pairs.extend(apart);
                    cells.insert(*cell);
                }
            }
        }
        (pairs, cells)
    }
}
