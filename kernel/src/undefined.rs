//! Memory that is read before it is written: shared memory, which holds no defined value when a
//! block begins, and memory of the thread alone.
//!
//! It is found where what is read matters: where it reaches global memory, a branch or an address,
//! through registers and through shared memory. A read of memory that no thread writes is such a
//! read wherever the thread comes to it. Where somebody writes the memory, an execution is looked
//! for in which the read returns what was there at the start: a number that nobody writes. Reads
//! behind a write of the thread itself, and behind a barrier of the block in front of which some
//! thread writes for certain, are not asked about.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::is_modification;
use crate::answer::{Finding, FindingKind, RepairAnswer};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::launch::Launch;
use crate::layout::{Layout, Object};
use crate::mark::MarkKind;
use crate::meeting::numbered;
use crate::passing::arguments;
use crate::program::{Executed, Written};
use crate::reached::reached;
use crate::relevance::ValueRelevance;
use crate::residue::{CodePiece, Line, MemoryCell, Origin, successors};
use crate::selection::LaunchSelection;
use crate::slice::{Slice, Slicer};
use crate::thread::ValueTrail;
use crate::waiting::last_rounds;

const WHAT: &str = "memory that is read before it is written";

/// What is said where asynchronous operations write shared memory.
const UNSEEN: &str = "asynchronous copies write shared memory, or threads meet at mbarriers: shared memory that is read before it is written is found where \
                      nobody writes it, and else not looked for";

/// The register that says that a thread has read memory that nobody wrote.
const REGISTER: &str = "undefined";

/// What a byte holds that nobody wrote, in a test: the first of these of which the code says no
/// number.
const BYTES: [u64; 4] = [0x5a, 0x35, 0x6b, 0x47];

/// Blocks that kernels are written for, where a launch is chosen.
const SIZES: [u32; 10] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// The same in two dimensions.
const SHAPES: [[u32; 3]; 6] =
    [[2, 2, 1], [4, 4, 1], [8, 8, 1], [16, 16, 1], [32, 8, 1], [32, 32, 1]];

/// A read that may return what nobody wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DoubtfulRead {
    thread: usize,
    /// Where in the code of the thread.
    at: usize,
    origin: Origin,
    /// The shared memory, where some thread writes it.
    cell: Option<MemoryCell>,
    in_shared: bool,
}

impl DoubtfulRead {
    /// Does it matter what it returns, and does that decide a branch or an address?
    fn relevance(&self, relevance: &mut ValueRelevance<'_>) -> (bool, bool) {
        match self.cell {
            Some(_) => relevance.of_read(self.thread, self.at),
            None => relevance.of_register(self.thread, self.at),
        }
    }
}

impl Inquiry<'_, '_> {
    /// Looks for memory that is read before it is written, where it matters what is read.
    pub fn undefined(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        // What was not followed may have written it.
        if executed.omissions.iter().any(|omission| omission.guessed) {
            return Ok(());
        }
        let mut reads = doubtful_reads(executed, &|| self.is_over());
        // Where copies and mbarriers say what is there, and when, it is not looked into.
        let is_asynchronous = executed.is_asynchronous();
        if is_asynchronous {
            let (is_unknown, before) = (executed.brings_unknown(), reads.len());
            let is_unseen =
                |read: &DoubtfulRead| read.cell.is_some() || is_unknown && read.in_shared;
            // What nobody is known to write was taken for 0: where that decides something, other
            // ways were not followed.
            let mut relevance = ValueRelevance::new(executed);
            if reads.iter().any(|read| {
                is_unseen(read) && read.cell.is_none() && read.relevance(&mut relevance).1
            }) {
                found.open(UNSEEN);
            }
            reads.retain(|read| !is_unseen(read));
            if reads.len() < before && found.findings.is_empty() {
                found.note(UNSEEN);
            }
        }
        // What a race leaves there is told of as the race.
        let is_racy = found.findings.iter().any(|finding| finding.kind == FindingKind::Race);
        reads.retain(|read| read.cell.is_none() || !is_racy);
        let mut relevance = ValueRelevance::new(executed);
        let mut asked: BTreeSet<String> = BTreeSet::new();
        let mut is_small = false;
        for read in reads {
            if self.is_over() {
                found.open(format!("{WHAT}: it was stopped by a limit or by Ctrl-C"));
                return Ok(());
            }
            let (matters, decides) = read.relevance(&mut relevance);
            if !matters {
                continue;
            }
            if read.cell.is_none()
                && read.in_shared
                && !self.is_named()
                && let Some(launch) = self.is_written_in(read.origin)
            {
                let line = self.spot(read.origin).line;
                let why = format!(
                    "shared memory is read that nobody writes (PTX line {line}): the kernel seems to be written for larger blocks, such as that of \
                     launch {launch}"
                );
                match decides {
                    // It was taken for 0, and other ways were not followed.
                    true => found.not_meant = found.not_meant.take().or(Some(why)),
                    false if !std::mem::replace(&mut is_small, true) => found.note(why),
                    false => {}
                }
                continue;
            }
            let Some((written, number)) = self.read_as_test(executed, &read, false, found)? else {
                continue;
            };
            if !asked.insert(written.read.file.text.clone()) {
                continue;
            }
            if asked.len() > self.effort.tests {
                found.open(format!("{WHAT}: not all reads were asked about"));
                return Ok(());
            }
            let Some(verdict) = self.run(&written, self.question.reading.model()?, WHAT, found)
            else {
                continue;
            };
            let may_stand = !verdict.reachable && (verdict.bounded || verdict.gap.is_some());
            let without_end = match may_stand {
                true => self.read_without_end(executed, &read, found)?,
                false => None,
            };
            let written = match without_end {
                Some(written) => written,
                None if verdict.reachable => written,
                None => {
                    let (model, asked) = (self.question.reading.model()?, &self.options());
                    self.settle((&written, model), &verdict, (WHAT, asked), found);
                    continue;
                }
            };
            found.findings.push(self.read_undefined(&read, &written, number));
            return Ok(());
        }
        Ok(())
    }

    fn is_named(&self) -> bool {
        let function = &self.question.module.functions[self.question.kernel];
        LaunchSelection::of(self.question, self.prepared).named
            || function.required_threads.is_some()
    }

    fn read_undefined(
        &self,
        read: &DoubtfulRead,
        written: &Written,
        number: Option<i64>,
    ) -> Finding {
        let test_thread =
            written.members.iter().position(|&member| member == read.thread).unwrap_or(0);
        let what = if read.in_shared { "Shared memory" } else { "Memory of the thread alone" };
        let mut why = vec![format!(
            "{what} holds no defined value at the start, and there is an execution in which nobody has written it when it is read here. What is read reaches \
             global memory, a branch or an address."
        )];
        why.extend(
            number.map(|n| format!("In the test it holds {n} at the start, which nobody writes.")),
        );
        Finding {
            kind: FindingKind::Undefined,
            stands: vec![self.stands((test_thread, read.thread), self.spot(read.origin), None)],
            why,
            litmus: written.read.file.text.clone(),
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair: RepairAnswer::Open("a write in front of the read is what mends it".to_owned()),
        }
    }

    /// Whether a read returns what nobody wrote, as a test, and the number that stands for that.
    fn read_as_test(
        &self,
        executed: &Executed,
        read: &DoubtfulRead,
        without_end: bool,
        found: &mut LaunchFindings,
    ) -> Result<Option<(Written, Option<i64>)>, String> {
        let condition = format!("exists (P{}:{REGISTER} != 0)", read.thread);
        let Some(trail) = &executed.trails[read.thread] else { return Ok(None) };
        let written = match read.cell {
            None => {
                // Where nothing decides whether a thread comes to the read, it does.
                if !trail.code[..read.at]
                    .iter()
                    .any(|(p, _)| matches!(p, CodePiece::Jump(..) | CodePiece::End))
                {
                    let line = (CodePiece::Other(format!("mov {REGISTER}, 1")), Some(read.origin));
                    let slice = Slice {
                        members: vec![read.thread],
                        code: vec![vec![line]],
                        ..Slice::default()
                    };
                    return Ok(executed
                        .write(&self.name(), &slice, &condition)
                        .ok()
                        .map(|written| (written, None)));
                }
                let mut code = trail.code.clone();
                code.insert(
                    read.at + 1,
                    (CodePiece::Other(format!("mov {REGISTER}, 1")), Some(read.origin)),
                );
                let all = executed.with_code(self.layout, read.thread, code);
                let slice = Slicer::new(self.launch, &all, &executed.barriers, &|_| false).base();
                executed.write(&self.name(), &slice, &condition).map(|written| (written, None))
            }
            Some(cell) => {
                let Some(mut slice) = executed.slicer(&|_| false).of_reader(cell, read.thread)
                else {
                    found.open(format!(
                        "{WHAT}: PTX line {} was not asked about",
                        self.spot(read.origin).line
                    ));
                    return Ok(None);
                };
                let number = unwritten_number(&slice, cell);
                if without_end {
                    slice.code.iter_mut().for_each(|code| *code = last_rounds(code).code);
                }
                let Some(index) = slice.number(read.thread) else { return Ok(None) };
                if !tell_what_is_read(&mut slice.code[index], (read.origin, cell), number) {
                    return Ok(None);
                }
                slice.named.insert(cell, (executed.named(cell).to_owned(), number));
                executed
                    .write(&self.name(), &slice, &condition)
                    .map(|written| (written, Some(number)))
            }
        };
        Ok(match written {
            Ok(written) => Some(written),
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                None
            }
        })
    }

    /// A test of the same in which a thread may stand in a loop that waits, and has read then: what
    /// it returns need not let it go on. Nothing where it shows no such read, or threads meet,
    /// where one that stands would hold others up.
    fn read_without_end(
        &self,
        executed: &Executed,
        read: &DoubtfulRead,
        found: &mut LaunchFindings,
    ) -> Result<Option<Written>, String> {
        let meets = |p: &CodePiece| {
            matches!(
                p,
                CodePiece::Barrier(_)
                    | CodePiece::ClusterBarrier(_)
                    | CodePiece::Mbarrier(_)
                    | CodePiece::Issue(_)
            )
        };
        let Some(cell) = read.cell else { return Ok(None) };
        let slice = executed.slicer(&|_| false).of_reader(cell, read.thread);
        if slice.is_none_or(|slice| slice.code.iter().flatten().any(|(p, _)| meets(p))) {
            return Ok(None);
        }
        let Some((written, _)) = self.read_as_test(executed, read, true, found)? else {
            return Ok(None);
        };
        let verdict =
            self.deepened(&written, self.question.reading.model()?, &self.options(), self.effort);
        Ok(verdict.is_ok_and(|verdict| verdict.reachable).then_some(written))
    }

    /// A launch of one larger block in which an instruction reads no shared memory that nobody
    /// writes: the kernel seems to be written for such.
    fn is_written_in(&self, origin: Origin) -> Option<Launch> {
        let selection = LaunchSelection::of(self.question, self.prepared);
        let shapes: Vec<[u32; 3]> = match selection.has_rows[0] {
            true => SHAPES.to_vec(),
            false => SIZES.iter().map(|&n| [n, 1, 1]).collect(),
        };
        let most = selection.most_threads.map(|shape| shape.iter().product::<u32>());
        let launches = shapes.into_iter().map(|shape| Launch::shaped([1; 3], shape));
        let larger = launches.filter(|l| {
            l.threads > self.launch.threads && most.is_none_or(|most| l.threads <= most)
        });
        for launch in larger {
            if self.is_over() {
                return None;
            }
            let known = self.engines.undefined.borrow().get(&launch.block).cloned();
            let reads = known.unwrap_or_else(|| {
                let reads = self.undefined_in(launch);
                self.engines.undefined.borrow_mut().insert(launch.block, reads.clone());
                reads
            });
            if reads.is_some_and(|reads| !reads.contains(&origin)) {
                self.engines.larger_blocks.borrow_mut().insert(launch.block);
                return Some(launch);
            }
        }
        None
    }

    /// The instructions that read shared memory which nobody wrote, in a launch; nothing where
    /// threads leave their arrays: it is not written for such.
    fn undefined_in(&self, launch: Launch) -> Option<BTreeSet<Origin>> {
        let function = &self.question.module.functions[self.question.kernel];
        let (arguments, _) = arguments(self.question, self.prepared, function, launch).ok()?;
        let reached = reached(self.prepared, self.question.kernel);
        let layout = Layout::new(self.question.module, function, &reached, &arguments, 1).ok()?;
        let executed =
            Executed::new(self.prepared, &layout, self.question.kernel, launch, &[], &|| {
                self.is_over()
            })
            .ok()?;
        let is_too_large = !executed.stops(MarkKind::Outside).is_empty();
        let reads = doubtful_reads(&executed, &|| self.is_over());
        (!is_too_large).then(|| {
            reads.iter().filter(|read| read.cell.is_none()).map(|read| read.origin).collect()
        })
    }
}

/// The number that a cell holds in a test where nobody wrote it.
fn unwritten_number(slice: &Slice, cell: MemoryCell) -> i64 {
    let number =
        |byte: u64| (0..cell.bytes.min(8)).fold(0u64, |all, n| all | byte << (8 * n)) as i64;
    let is_said = |n: i64| {
        let word = n.to_string();
        slice.code.iter().flatten().any(|(p, _)| {
            let text = match p {
                CodePiece::Other(text) => text.as_str(),
                CodePiece::Write { operands, .. } => operands.as_str(),
                _ => "",
            };
            text.split([' ', ',']).any(|w| w == word)
        })
    };
    BYTES.into_iter().map(number).find(|n| !is_said(*n)).unwrap_or_else(|| number(BYTES[0]))
}

/// Has the reads of a cell by an instruction tell in a register whether they return a number;
/// `false` where there is none.
fn tell_what_is_read(
    code: &mut Vec<Line>,
    (origin, of): (Origin, MemoryCell),
    number: i64,
) -> bool {
    let mut told = false;
    let mut with: Vec<Line> = Vec::with_capacity(code.len() + 2);
    for (mut piece, from) in code.drain(..) {
        let mut register = None;
        if from == Some(origin) && piece.cells() == [of] {
            if is_modification(&piece)
                && piece.writes().is_none()
                && let CodePiece::Write { operation, .. } = &mut piece
            {
                // A reduction as the read-modify-write that it is.
                *operation = format!("{} told,", operation.replacen("red.", "atom.", 1));
            }
            if matches!(piece, CodePiece::Read { .. }) || is_modification(&piece) {
                register = piece.writes().map(str::to_owned);
            }
        }
        with.push((piece, from));
        if let Some(register) = register {
            told = true;
            let bits = (8 * of.bytes).clamp(16, 64);
            with.push((
                CodePiece::Other(format!("setp.eq.u{bits} read, {register}, {number}")),
                from,
            ));
            with.push((CodePiece::Other(format!("or.b32 {REGISTER}, {REGISTER}, read")), from));
        }
    }
    *code = with;
    told
}

/// The reads that may return what nobody wrote, as far as barriers and the writes of the thread
/// itself tell.
fn doubtful_reads(executed: &Executed, is_over: &dyn Fn() -> bool) -> Vec<DoubtfulRead> {
    let threads = executed.launch.threads.max(1) as usize;
    let slicer = executed.slicer(&|_| false);
    let mut found: Vec<DoubtfulRead> = Vec::new();
    for (block, trails) in executed.trails.chunks(threads).enumerate() {
        let initialised = Initialised::of(trails, slicer.is_uniform(block));
        for (n, trail) in trails.iter().enumerate() {
            if is_over() {
                return found;
            }
            let (thread, Some(trail)) = (block * threads + n, trail) else { continue };
            let mut behind: BTreeMap<MemoryCell, Vec<bool>> = BTreeMap::new();
            for (at, (piece, origin)) in trail.code.iter().enumerate() {
                let Some(origin) = *origin else { continue };
                let unwritten = match piece {
                    CodePiece::Other(_) => piece.writes().and_then(|to| trail.undefined.get(to)),
                    _ => None,
                };
                if let Some(unwritten) = unwritten {
                    found.push(DoubtfulRead {
                        thread,
                        at,
                        origin,
                        cell: None,
                        in_shared: unwritten.in_shared,
                    });
                }
                let cell = match piece {
                    CodePiece::Read { cell, .. } => *cell,
                    CodePiece::Write { cell, .. } if is_modification(piece) => *cell,
                    _ => continue,
                };
                // The shared memory of another block is its own to write.
                if !matches!(cell.object, Object::Shared(of, _) if of as usize == block) {
                    continue;
                }
                let is_open = behind.entry(cell).or_insert_with(|| open_places(&trail.code, cell));
                if is_open[at] && !initialised.is_written(n, at, cell) {
                    found.push(DoubtfulRead {
                        thread,
                        at,
                        origin,
                        cell: Some(cell),
                        in_shared: true,
                    });
                }
            }
        }
    }
    found
}

/// Does a piece write all bytes of a cell?
fn overwrites(piece: &CodePiece, cell: MemoryCell) -> bool {
    let CodePiece::Write { operation, cell: of, .. } = piece else { return false };
    let is_whole = of.object == cell.object
        && of.offset <= cell.offset
        && cell.offset + cell.bytes <= of.offset + of.bytes;
    is_whole && (operation.starts_with("st.") || operation.contains(".exch."))
}

/// The places that a thread may come to without a write of all bytes of a cell in front; the last
/// is its end.
fn open_places(code: &[Line], cell: MemoryCell) -> Vec<bool> {
    let next = successors(code);
    let mut open = vec![false; code.len() + 1];
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        if std::mem::replace(&mut open[at], true)
            || at >= code.len()
            || overwrites(&code[at].0, cell)
        {
            continue;
        }
        todo.extend(&next[at]);
    }
    open
}

/// For each cell of a block's shared memory behind how many barriers of the block it is written for
/// certain.
struct Initialised {
    /// For each thread of the block how many barriers it has come to at each place.
    counts: Vec<Option<Vec<Option<usize>>>>,
    after: BTreeMap<MemoryCell, usize>,
}

impl Initialised {
    fn of(trails: &[Option<ValueTrail>], is_uniform: bool) -> Self {
        let mut all = Self { counts: vec![None; trails.len()], after: BTreeMap::new() };
        if !is_uniform {
            return all;
        }
        all.counts = trails.iter().map(|trail| barriers_before(&trail.as_ref()?.code)).collect();
        for (trail, counts) in trails.iter().zip(&all.counts) {
            let (Some(trail), Some(counts)) = (trail, counts) else { continue };
            let written: BTreeSet<MemoryCell> = trail
                .code
                .iter()
                .filter_map(
                    |(p, _)| if let CodePiece::Write { cell, .. } = p { Some(*cell) } else { None },
                )
                .filter(|cell| matches!(cell.object, Object::Shared(..)))
                .collect();
            for cell in written {
                let open = open_places(&trail.code, cell);
                if open[trail.code.len()] {
                    continue;
                }
                // It comes to so many barriers at most before it writes.
                let most = counts
                    .iter()
                    .zip(&open)
                    .filter(|(_, open)| **open)
                    .filter_map(|(n, _)| *n)
                    .max();
                let after = most.unwrap_or(0) + 1;
                let known = all.after.entry(cell).or_insert(after);
                *known = after.min(*known);
            }
        }
        all
    }

    /// Is a cell written before a thread of the block comes to a place, for certain?
    fn is_written(&self, thread: usize, at: usize, cell: MemoryCell) -> bool {
        let Some(count) = self.counts[thread].as_ref().and_then(|counts| counts[at]) else {
            return false;
        };
        let is_whole = |of: &MemoryCell| {
            of.object == cell.object
                && of.offset <= cell.offset
                && cell.offset + cell.bytes <= of.offset + of.bytes
        };
        self.after.iter().any(|(of, after)| is_whole(of) && *after <= count)
    }
}

/// How many barriers of the whole block a thread has come to at each place; nothing where that
/// depends on memory.
fn barriers_before(code: &[Line]) -> Option<Vec<Option<usize>>> {
    let numbered = numbered(code).ok()?;
    let of_block: Vec<bool> = numbered
        .order
        .iter()
        .map(|(text, _)| !text.contains(", ") && !text.contains(".arrive"))
        .collect();
    let count = |n: usize| of_block.iter().take(n).filter(|is| **is).count();
    Some(numbered.counts.into_iter().map(|n| n.map(count)).collect())
}
