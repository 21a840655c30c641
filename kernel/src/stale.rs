//! Reads that are out of date: a strong read that may return what was there before a write of which
//! its thread was told.
//!
//! Such a read does not race, since it is strong, and so is the write. Where a thread has seen a
//! flag, a counter or a lock that another one wrote behind its data, and no fence orders the two,
//! the model lets it read old data all the same; no interleaving of the threads does so. It is
//! asked about reads whose value reaches global memory and decides nothing: a thread that goes
//! another way by what it reads may look again. So may one that reads behind it, once more, what it
//! has read in front of it, and goes by that (a sequence lock, a queue that is stolen from): its
//! reads are not asked about either. What decides a branch or an address is found where it makes
//! something else go wrong.

use std::collections::{BTreeMap, BTreeSet};

use margay_litmus::explicit::{Options, TestVerdict};
use margay_litmus::race::Race;
use margay_litmus::unfold::UnfoldingBounds;

use crate::access::{AccessStrength, access, is_modification, writes};
use crate::answer::{Finding, FindingKind, NotLooked, Stands};
use crate::effort::Effort;
use crate::first_rounds::{FIRST_ROUNDS, LARGE, RacingThreads, of_first_rounds};
use crate::inquiry::{DeepeningFailure, Inquiry, LaunchFindings, origin_at, unasked};
use crate::layout::Object;
use crate::program::{Executed, Written};
use crate::proofs::ExpectedProof;
use crate::relevance::ValueRelevance;
use crate::residue::{CodePiece, Line, MemoryCell, Origin};
use crate::slice::{Slice, Slicer};
use crate::thread::ValueTrail;
use crate::vectors::unrepaired;

const WHAT: &str = "reads that are out of date";

/// What is not asked about, in what leaves it open.
const TWO_WIDTHS: &str = "places that are accessed in two widths are not asked about";

/// Why a read may be out of date.
const TOLD: &str = "The read may return what was there before the write, though its thread was told that the write is done, by what it waited for or \
                    compared: both are strong, and nothing orders them. No interleaving of the threads does so. What is read reaches global memory.";

/// The same of an element of a vector.
const TOLD_BY_ELEMENT: &str = "The read may return what was there before the write, though its thread was told of it by what it waited for or compared, which \
                               may be another element of the same vector. What is read reaches global memory.";

const ELEMENTS: &str = "The elements of a vector are accessed one by one, \"in an unspecified order\" (PTX ISA 8.2.4): one may be new, and another one old. In the \
                        test they stand in an order that shows it. A thread that checks each element is told of each.";

/// A read that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TrustedRead {
    thread: usize,
    cell: MemoryCell,
    origin: Origin,
}

impl Inquiry<'_, '_> {
    /// Looks for a read that may be out of date, where nothing else goes wrong.
    pub fn stale(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        // What was not followed may have ordered it.
        if !found.findings.is_empty() || executed.omissions.iter().any(|omission| omission.guessed)
        {
            return Ok(());
        }
        let reads = trusted_reads(executed, &|| self.is_over());
        if self.is_over() {
            found.note(format!("{WHAT}: it was stopped by a limit or by Ctrl-C"));
            return Ok(());
        }
        let slicer = executed.slicer(&|_| false);
        if has_unasked(&slicer, &reads) {
            found.note(format!("{WHAT}: {TWO_WIDTHS}"));
        }
        // It is asked beside the questions whose answers are the verdict, also where the user set
        // no limit.
        let effort = self.effort.at_most(Effort::CHOSEN);
        let model = self.question.reading.stale()?;
        for (tried, AskedSlice { mut own, mut plain }) in
            self.slices_of_reads(executed, &slicer, &reads).into_iter().enumerate()
        {
            if self.is_over() || tried >= effort.tests {
                let why = if self.is_over() {
                    "it was stopped by a limit or by Ctrl-C"
                } else {
                    "not all reads were asked about"
                };
                found.note(format!("{WHAT}: {why}"));
                return Ok(());
            }
            if let Some(finding) = self.stale_in_first_rounds(executed, &slicer, &plain, &reads) {
                found.findings.push(finding);
                return Ok(());
            }
            let (options, is_plain) = (self.options_for_stale(), own == plain);
            match self.stale_of(executed, &mut plain, &reads, |written| {
                self.deepened(written, model, &options, effort)
            }) {
                Ok(SliceAnswer::Found(finding)) => {
                    // What the kernel writes says more than 0, where the test with it is answered
                    // as soon.
                    let beside = effort.at_most(Effort::BESIDE);
                    let with_its_own = (!is_plain).then(|| {
                        self.stale_of(executed, &mut own, &reads, |written| {
                            self.deepened(written, model, &options, beside)
                        })
                    });
                    found.findings.push(match with_its_own {
                        Some(Ok(SliceAnswer::Found(of_its_own))) => *of_its_own,
                        _ => *finding,
                    });
                    return Ok(());
                }
                Ok(SliceAnswer::Nothing { written, bounded: false }) => {
                    let expected = (WHAT, ExpectedProof::Nothing);
                    self.keep_proof((&written, model), &options, expected, found);
                }
                Ok(SliceAnswer::Nothing { bounded: true, .. }) => {
                    found.note(format!("{WHAT}: {}", self.bound()))
                }
                Ok(SliceAnswer::Hidden) => {
                    found.note(format!("{WHAT}: one or more are hidden by a read that is not asked about, of the same test"));
                }
                Err(_) => {
                    found.note(format!("{WHAT}: one or more take more steps than are done for it"))
                }
            }
        }
        Ok(())
    }

    /// Such a read of a slice that is large in the first rounds of its loops, if there is one: the
    /// fewest rounds first.
    fn stale_in_first_rounds(
        &self,
        executed: &Executed,
        slicer: &Slicer<'_>,
        slice: &Slice,
        reads: &BTreeSet<TrustedRead>,
    ) -> Option<Finding> {
        if slice.size() <= LARGE {
            return None;
        }
        let model = self.question.reading.stale().ok()?;
        let block = |thread: usize| slicer.block(thread);
        let of_rounds = |&rounds: &usize| {
            let first = slice
                .with_first_rounds(rounds, RacingThreads::All, &block)
                .filter(|first| first.size() <= LARGE)?;
            let written = executed.write(&self.name(), &first, "exists (false)").ok()?;
            let verdict =
                self.deepened(&written, model, &self.options_for_stale(), Effort::REPAIR).ok()?;
            let ShownRead::Asked(mut finding) = self.out_of_date(&written, &verdict, reads)? else {
                return None;
            };
            finding.why.push(of_first_rounds(rounds));
            finding.first_rounds = Some(rounds);
            Some(*finding)
        };
        FIRST_ROUNDS.iter().find_map(of_rounds)
    }

    /// What is said of a slice. A read that is not asked about, and is out of date, hides those
    /// that are: an engine shows one execution, with one of them. What nobody does anything with is
    /// taken out then, and the slice is asked about again.
    fn stale_of(
        &self,
        executed: &Executed,
        slice: &mut Slice,
        reads: &BTreeSet<TrustedRead>,
        answer: impl Fn(&Written) -> Result<TestVerdict, DeepeningFailure>,
    ) -> Result<SliceAnswer, DeepeningFailure> {
        loop {
            let Ok(written) = executed.write(&self.name(), slice, "exists (false)") else {
                return Ok(SliceAnswer::Hidden);
            };
            let verdict = answer(&written)?;
            match self.out_of_date(&written, &verdict, reads) {
                Some(ShownRead::Asked(finding)) => return Ok(SliceAnswer::Found(finding)),
                Some(ShownRead::Other(thread, origin)) => {
                    if !are_taken_out(slice, |of, at| (of, at) == (thread, origin)) {
                        return Ok(SliceAnswer::Hidden);
                    }
                }
                None => {
                    let bounded = verdict.bounded;
                    return Ok(SliceAnswer::Nothing { written: Box::new(written), bounded });
                }
            }
        }
    }

    /// Tests that are to have no such read; large ones with so many first rounds, where that is
    /// said.
    pub fn stale_goals(
        &self,
        executed: &Executed,
        rounds: Option<usize>,
    ) -> Vec<(Written, Options)> {
        let reads = trusted_reads(executed, &|| self.is_over());
        let slicer = executed.slicer(&|_| false);
        let goal = |AskedSlice { mut plain, .. }: AskedSlice| {
            are_taken_out(&mut plain, |thread, origin| !is_asked(&reads, thread, origin));
            let plain = plain.in_first_rounds(rounds, &|thread| slicer.block(thread));
            Some((
                executed.write(&self.name(), &plain, "exists (false)").ok()?,
                self.options_for_stale(),
            ))
        };
        self.slices_of_reads(executed, &slicer, &reads).into_iter().filter_map(goal).collect()
    }

    /// What of such reads is in no test.
    pub fn stale_left_out(&self, executed: &Executed) -> Option<NotLooked> {
        let reads = trusted_reads(executed, &|| self.is_over());
        let why = || format!("launch {}, {WHAT}: {TWO_WIDTHS}", self.launch);
        has_unasked(&executed.slicer(&|_| false), &reads).then(|| NotLooked {
            line: None,
            text: None,
            why: why(),
            guessed: false,
        })
    }

    /// For each place and thread what is asked about it, each shape once.
    fn slices_of_reads(
        &self,
        executed: &Executed,
        slicer: &Slicer<'_>,
        reads: &BTreeSet<TrustedRead>,
    ) -> Vec<AskedSlice> {
        let of: BTreeSet<(usize, MemoryCell)> =
            reads.iter().map(|read| (read.thread, read.cell)).collect();
        let mut shapes: BTreeSet<(String, Vec<usize>)> = BTreeSet::new();
        let mut all = Vec::new();
        for (thread, cell) in of {
            let Some(mut own) = slicer.of_reader(cell, thread) else { continue };
            self.put_last_in_vectors(&mut own, cell, thread);
            go_on_behind_loops(&mut own, cell, thread);
            let is_write =
                |(p, _): &Line| matches!(p, CodePiece::Write { cell: of, .. } if *of == cell);
            let is_written = own
                .members
                .iter()
                .zip(&own.code)
                .any(|(of, code)| *of != thread && code.iter().any(is_write));
            let plain = slicer.without_values(&own);
            // Where two threads do the same, other reads of theirs may be asked about.
            let code = plain.number(thread).map_or(&[][..], |number| &plain.code[number]);
            let is_one =
                |(_, origin): &Line| origin.is_some_and(|origin| is_asked(reads, thread, origin));
            let asked = code
                .iter()
                .enumerate()
                .filter(|(_, line)| is_one(line))
                .map(|(at, _)| at)
                .collect();
            if is_written && shapes.insert((executed.shape(&plain, None), asked)) {
                all.push(AskedSlice { own, plain });
            }
        }
        all
    }

    /// Elements of a vector are accessed "in an unspecified order" (PTX ISA 8.2.4): a read that is
    /// asked about comes behind the others of its access, by which its thread may be told, and a
    /// write of its place in front of them.
    fn put_last_in_vectors(&self, slice: &mut Slice, cell: MemoryCell, reader: usize) {
        for (&thread, code) in slice.members.iter().zip(&mut slice.code) {
            let mut at = 0;
            while at < code.len() {
                let end = at + self.elements_of_one_access(&code[at..]).max(1);
                let is_read = |line: &Line| matches!(&line.0, CodePiece::Read { cell: of, .. } if *of == cell);
                let is_write = |line: &Line| matches!(&line.0, CodePiece::Write { cell: of, .. } if *of == cell);
                if let Some(place) =
                    code[at..end].iter().position(is_read).filter(|_| thread == reader)
                {
                    code[at + place..end].rotate_left(1);
                } else if let Some(place) = code[at..end].iter().position(is_write) {
                    code[at..=at + place].rotate_right(1);
                }
                at = end;
            }
        }
    }

    /// How many pieces of code, from the first one on, are elements of one access to a vector.
    fn elements_of_one_access(&self, code: &[Line]) -> usize {
        let Some((first, Some(origin))) = code.first() else { return 0 };
        let cell = |piece: &CodePiece| match piece {
            CodePiece::Read { cell, .. } => Some(*cell),
            CodePiece::Write { cell, .. } if !is_modification(piece) => Some(*cell),
            _ => None,
        };
        let (Some(begin), Some(elements)) = (cell(first), self.vector(*origin)) else { return 0 };
        let vector =
            |of: &MemoryCell| (of.object, of.bytes, of.offset / (elements * of.bytes).max(1));
        let mut seen = BTreeSet::new();
        let is_one = |(piece, of): &&Line| {
            *of == Some(*origin)
                && cell(piece).is_some_and(|of| vector(&of) == vector(&begin) && seen.insert(of))
        };
        code.iter().take_while(is_one).count()
    }

    /// How many elements an instruction accesses at once, where it is a vector.
    fn vector(&self, origin: Origin) -> Option<u64> {
        let instruction = self
            .question
            .module
            .functions
            .get(origin.function)?
            .body
            .as_ref()?
            .get(origin.instruction)?;
        [("v2", 2), ("v4", 4), ("v8", 8)]
            .into_iter()
            .find_map(|(word, elements)| instruction.has(word).then_some(elements))
    }

    /// What a round reads that only waits is read again in the next one: rounds that go on waiting
    /// are left out.
    fn options_for_stale(&self) -> Options {
        let options = self.options();
        Options {
            bounds: UnfoldingBounds { skip_waiting_for_races: true, ..options.bounds },
            ..options
        }
    }

    /// None where it is of no instruction of the kernel; [`ShownRead::Other`] where it is not among
    /// `reads`.
    fn out_of_date(
        &self,
        written: &Written,
        verdict: &TestVerdict,
        reads: &BTreeSet<TrustedRead>,
    ) -> Option<ShownRead> {
        let shown = Race::of(self.question.reading.stale().ok()?, verdict.race.as_ref()?)?.accesses;
        let mut stands: Vec<(bool, Stands)> = Vec::new();
        let (mut why, mut repair) = (vec![TOLD.to_owned()], unasked());
        for access in &shown {
            let thread = access.thread.index();
            let origin = origin_at(written, thread, access.place.0)?;
            let is_read = access.event.starts_with("ld");
            if is_read && !is_asked(reads, written.members[thread], origin) {
                return Some(ShownRead::Other(written.members[thread], origin));
            }
            if self.vector(origin).is_some() && why.len() == 1 {
                why = vec![TOLD_BY_ELEMENT.to_owned(), ELEMENTS.to_owned()];
            }
            let is_of_it = |of: &&Option<Origin>| **of == Some(origin);
            if self.vector(origin).is_some()
                && written.origins[thread].iter().filter(is_of_it).count() > 1
            {
                repair = unrepaired();
            }
            let event = access.event.split('=').next().unwrap_or_default().to_owned();
            stands.push((
                is_read,
                self.stands((thread, written.members[thread]), self.spot(origin), Some(event)),
            ));
        }
        stands.sort_by_key(|(is_read, _)| *is_read);
        Some(ShownRead::Asked(Box::new(Finding {
            kind: FindingKind::Stale,
            stands: stands.into_iter().map(|(_, stands)| stands).collect(),
            why,
            litmus: written.read.file.text.replace("exists (false)", "exists (true)"),
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair,
        })))
    }
}

/// What decides whether a loop is left tells a thread something where the thread goes on behind it:
/// with a fence that orders nothing there, where a read that is asked about stands in the loop
/// itself.
fn go_on_behind_loops(slice: &mut Slice, cell: MemoryCell, reader: usize) {
    let Some(number) = slice.number(reader) else { return };
    let code = &mut slice.code[number];
    let last = |is: &dyn Fn(&CodePiece) -> bool| code.iter().rposition(|(piece, _)| is(piece));
    let is_read =
        |piece: &CodePiece| matches!(piece, CodePiece::Read { cell: of, .. } if *of == cell);
    if last(&is_read) < last(&|piece| matches!(piece, CodePiece::Jump(Some(_), _)))
        && last(&is_read).is_some()
    {
        let end = code
            .iter()
            .rposition(|(piece, _)| !matches!(piece, CodePiece::End))
            .map_or(0, |at| at + 1);
        code.insert(end, (CodePiece::Other("fence.acq_rel.cta".to_owned()), None));
    }
}

fn is_asked(reads: &BTreeSet<TrustedRead>, thread: usize, origin: Origin) -> bool {
    reads.iter().any(|read| read.thread == thread && read.origin == origin)
}

/// The read that an execution shows.
enum ShownRead {
    Asked(Box<Finding>),
    /// One that is not asked about, of a thread of the launch.
    Other(usize, Origin),
}

/// What is said of a slice.
enum SliceAnswer {
    Found(Box<Finding>),
    /// Nothing, in this test.
    Nothing {
        written: Box<Written>,
        bounded: bool,
    },
    /// It shows a read that is not asked about, and on which the others depend.
    Hidden,
}

/// Takes reads out of a slice, of which nobody does anything with what they read, and says whether
/// there are any. Such a read may return what the thread has seen last there, or was told of last:
/// that orders no more than what is left does, unless it acquires.
fn are_taken_out(slice: &mut Slice, which: impl Fn(usize, Origin) -> bool) -> bool {
    let mut any = false;
    for (&thread, code) in slice.members.iter().zip(&mut slice.code) {
        let Some(trail) = ValueTrail::of(code, BTreeMap::new(), BTreeMap::new()) else { continue };
        let is_idle = |at: usize| match &trail.code[at] {
            (CodePiece::Read { to, operation, .. }, Some(origin)) if which(thread, *origin) => {
                let uses = trail.uses(at, to);
                !operation.split('.').any(|word| word == "acquire")
                    && !uses.matters
                    && uses.cells.is_empty()
            }
            _ => false,
        };
        let idle: Vec<bool> = (0..code.len()).map(is_idle).collect();
        any |= idle.contains(&true);
        let mut of = idle.iter();
        code.retain(|_| of.next() != Some(&true));
    }
    any
}

/// What is written to a place, what a thread reads there, and what they depend on.
struct AskedSlice {
    /// With what the kernel writes.
    own: Slice,
    /// With 0 where values decide nothing.
    plain: Slice,
}

/// Is there a read that no test can say?
fn has_unasked(slicer: &Slicer<'_>, reads: &BTreeSet<TrustedRead>) -> bool {
    reads.iter().any(|read| !slicer.is_one_value(read.cell))
}

/// The reads that are asked about.
fn trusted_reads(executed: &Executed, is_over: &dyn Fn() -> bool) -> BTreeSet<TrustedRead> {
    let mut relevance = ValueRelevance::new(executed);
    let numbers = NumberPlaces::of(executed);
    let mut found = BTreeSet::new();
    for (thread, trail) in executed.trails.iter().enumerate() {
        let Some(trail) = trail else { continue };
        if is_over() {
            return found;
        }
        for (at, (piece, origin)) in trail.code.iter().enumerate() {
            let (CodePiece::Read { cell, .. }, Some(origin)) = (piece, *origin) else { continue };
            let is_strong =
                access(piece).is_some_and(|(_, strength)| strength != AccessStrength::Weak);
            if is_strong
                && matches!(cell.object, Object::Array(_) | Object::Shared(..))
                && relevance.of_read(thread, at) == (true, false)
                && !(numbers.has(*cell) && is_written_before(trail, at, *cell))
                && !is_checked_again(trail, at, &mut |at| relevance.of_read(thread, at).1)
            {
                found.insert(TrustedRead { thread, cell: *cell, origin });
            }
        }
    }
    found
}

/// The cells to which all threads write one number, for each of those that are written.
pub(crate) struct NumberPlaces(BTreeMap<MemoryCell, Option<String>>);

impl NumberPlaces {
    pub fn of(executed: &Executed) -> Self {
        let mut found: BTreeMap<MemoryCell, Option<String>> = BTreeMap::new();
        for (piece, _) in executed.threads.iter().flatten() {
            for cell in piece.cells().into_iter().filter(|cell| writes(piece, *cell)) {
                let number = match piece {
                    CodePiece::Write { operands, .. }
                        if !is_modification(piece) && operands.parse::<i128>().is_ok() =>
                    {
                        Some(operands)
                    }
                    _ => None,
                };
                found
                    .entry(cell)
                    .and_modify(|of| *of = of.take().filter(|of| Some(of) == number))
                    .or_insert_with(|| number.cloned());
            }
        }
        Self(found)
    }

    /// Whoever has written there reads that number ever after.
    pub fn has(&self, cell: MemoryCell) -> bool {
        self.0
            .iter()
            .filter(|(of, _)| of.overlaps(&cell))
            .all(|(of, number)| *of == cell && number.is_some())
    }
}

/// Has the thread written a cell, whichever way it comes to a place?
fn is_written_before(trail: &ValueTrail, at: usize, cell: MemoryCell) -> bool {
    !trail.comes_without(at, &|piece| matches!(piece, CodePiece::Write { cell: of, .. } if *of == cell && writes(piece, cell)))
}

/// Does the thread read behind a place what it has read in front of it, and go by that? A loop that
/// reads both anew in each round, and leaves with what it read last, does not; nor does one access
/// to a vector, which has no order.
fn is_checked_again(trail: &ValueTrail, at: usize, decides: &mut dyn FnMut(usize) -> bool) -> bool {
    let read = |n: usize| match &trail.code[n].0 {
        _ if n == at => None,
        CodePiece::Read { cell, .. } => Some(*cell),
        piece @ CodePiece::Write { cell, .. } if is_modification(piece) => Some(*cell),
        _ => None,
    };
    let before: BTreeSet<MemoryCell> = trail.in_front(at).into_iter().filter_map(read).collect();
    let is_another = |n: usize| trail.code[n].1 != trail.code[at].1;
    trail
        .behind_last(at)
        .into_iter()
        .any(|n| is_another(n) && read(n).is_some_and(|cell| before.contains(&cell)) && decides(n))
}
