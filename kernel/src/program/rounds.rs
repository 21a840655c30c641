//! The rounds in which the threads of a launch are executed: each with what the one before has
//! learnt of what they share, until nothing is new.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::brought::ExchangesOfWarps;
use crate::launch::Launch;
use crate::layout::{Layout, Object};
use crate::residue::MemoryCell;
use crate::thread::{
    CopyUse, DrawCounts, FollowedThread, LaunchFacts, MAX_VALUES, PreparedModule, Specialised, Use,
    add_writer, is_drawn_alone, learn_draws,
};

/// After so many rounds what threads share is taken to be not found out.
const MAX_ROUNDS: usize = 24;

/// After so many rounds sharing is bounded where it does not come to an end: three threads that
/// insert twice need six slots of a table.
const SHARING_ROUNDS: usize = 8;

/// The values of a cell may become more in so many rounds.
const MAX_GROWTH: u32 = 5;

/// Why a launch is not executed whose time is up.
pub(super) const OUT_OF_TIME: &str =
    "the time was up, or the question was stopped, before its threads were executed";

/// How the threads of a launch use an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArrayUse {
    /// The least bytes that are accessed at once.
    pub width: u64,
    pub is_read: bool,
    /// Is it accessed by a strong operation, or an asynchronous one?
    pub is_strong: bool,
    /// Are all accesses those of floats?
    pub is_float: bool,
}

fn array_uses(
    uses: &BTreeMap<MemoryCell, (BTreeSet<u32>, Use)>,
    copies: &BTreeMap<MemoryCell, CopyUse>,
) -> BTreeMap<u32, ArrayUse> {
    let mut found: BTreeMap<u32, ArrayUse> = BTreeMap::new();
    let accesses = uses.iter().map(|(cell, (_, of))| (cell, of.reads, of.strong, of.of_floats[1]));
    for (cell, reads, strong, of_whole) in
        accesses.chain(copies.keys().map(|cell| (cell, true, true, true)))
    {
        let Object::Array(n) = cell.object else { continue };
        let of = found.entry(n).or_insert(ArrayUse {
            width: cell.bytes,
            is_read: false,
            is_strong: false,
            is_float: true,
        });
        of.width = of.width.min(cell.bytes);
        of.is_read |= reads;
        of.is_strong |= strong;
        of.is_float &= !of_whole && matches!(cell.bytes, 4 | 8);
    }
    found
}

/// A launch whose threads were executed with all that there is to know of what they share.
pub(super) struct SettledLaunch {
    pub threads: Vec<Specialised>,
    pub facts: LaunchFacts,
    /// What threads write of global memory.
    pub written: BTreeSet<MemoryCell>,
    /// How arrays are used, by their numbers.
    pub arrays: BTreeMap<u32, ArrayUse>,
}

/// Executes the threads of a launch, round by round; `asked` are bytes that a condition names. It
/// ends early once `is_over`.
///
/// # Errors
/// Each round finds more that is shared, or the time is up.
pub(super) fn execute_until_settled(
    prepared: &PreparedModule<'_>,
    layout: &Layout,
    kernel: usize,
    launch: Launch,
    asked: &[(Object, u64)],
    is_over: &dyn Fn() -> bool,
) -> Result<SettledLaunch, String> {
    let mut facts =
        LaunchFacts { shared: asked.iter().copied().collect(), ..LaunchFacts::default() };
    let mut rounds = 0;
    let mut sharing = Sharing::default();
    loop {
        if rounds >= MAX_ROUNDS + 2 * facts.exchanges.len() + MAX_VALUES * facts.draws.len().min(1)
        {
            let Some(bounded) = sharing.bounded() else {
                return Err(
                    "what its threads share changes with every round in which they are executed"
                        .to_owned(),
                );
            };
            (facts, rounds) = (bounded, 0);
        }
        rounds += 1;
        let mut threads = Vec::new();
        let mut uses = RoundUses::default();
        let mut next = LaunchFacts { exchanges: ExchangesOfWarps::new(), ..facts.clone() };
        for number in 0..launch.total() {
            let (block, thread) = (number / launch.threads, number % launch.threads);
            let done =
                FollowedThread::new(prepared, layout, &facts, launch, (block, thread), is_over)
                    .run(kernel);
            if is_over() {
                return Err(OUT_OF_TIME.to_owned());
            }
            uses.add(number, &done, !facts.cells.is_empty());
            learn_of_thread(&mut next, &done, layout);
            threads.push(done);
        }
        uses.learn_sharing(&mut next);
        sharing.round(rounds, &facts, &mut next, uses.copies.is_empty());
        // What a thread read before it was known that others write there is not what it reads.
        if next.shared != facts.shared || next.beyond != facts.beyond {
            next.opaque.clear();
        }
        bound_values(&facts, &mut next);
        let of_threads: Vec<&DrawCounts> = threads.iter().map(|done| &done.draws).collect();
        let is_alone = |cell: &MemoryCell| {
            uses.copies.is_empty() && is_drawn_alone(cell, threads.iter().map(|done| &done.uses))
        };
        learn_draws(&mut next.draws, &of_threads, &is_alone);
        if next == facts {
            if facts.are_settled || facts.exchanges.is_empty() {
                return Ok(SettledLaunch {
                    threads,
                    facts,
                    written: uses.written(),
                    arrays: array_uses(&uses.cells, &uses.copies),
                });
            }
            // Once more, to find who waits for one that never comes.
            next.are_settled = true;
        } else {
            next.are_settled = false;
        }
        facts = next;
    }
}

/// Which memory the threads of a round use, and how.
#[derive(Default)]
struct RoundUses {
    /// What threads access themselves: by which of them, and how.
    cells: BTreeMap<MemoryCell, (BTreeSet<u32>, Use)>,
    /// What asynchronous operations access.
    copies: BTreeMap<MemoryCell, CopyUse>,
    /// Cells that are parts of what is accessed at once.
    parts: BTreeSet<MemoryCell>,
    /// Bytes that threads read as if nobody wrote them.
    cached: BTreeSet<(Object, u64)>,
    /// The uses of each thread, where it matters which are alike.
    of_threads: BTreeMap<MemoryCell, Vec<ThreadCellUse>>,
}

impl RoundUses {
    /// Takes in what a thread uses; `with_each`: also as its own.
    fn add(&mut self, number: u32, done: &Specialised, with_each: bool) {
        for (cell, found) in &done.uses {
            let (by, of) = self.cells.entry(*cell).or_default();
            by.insert(number);
            of.writes |= found.writes;
            of.forced |= found.forced;
            of.reads |= found.reads;
            of.strong |= found.strong;
            (0..2).for_each(|n| of.of_floats[n] |= found.of_floats[n]);
            if with_each {
                let (writes, reads, strong) = (found.writes, found.reads, found.strong);
                let of =
                    ThreadCellUse { number, epochs: found.epochs.clone(), writes, reads, strong };
                self.of_threads.entry(*cell).or_default().push(of);
            }
        }
        for (range, found) in &done.copies {
            let of = self.copies.entry(*range).or_default();
            of.writes |= found.writes;
            of.count += found.count;
        }
        self.parts.extend(done.parts.iter().copied());
        self.cached.extend(done.cached.iter().copied());
    }

    /// What threads write of arrays.
    fn written(&self) -> BTreeSet<MemoryCell> {
        let is_written = |(cell, (_, of)): &(&MemoryCell, &(BTreeSet<u32>, Use))| {
            of.writes && matches!(cell.object, Object::Array(_))
        };
        self.cells.iter().filter(is_written).map(|(cell, _)| *cell).collect()
    }

    /// Says which bytes threads share: those that two of them use, and one writes, and whatever is
    /// used together with such a byte.
    fn learn_sharing(&self, next: &mut LaunchFacts) {
        let mut by_byte: BTreeMap<(Object, u64), (BTreeSet<u32>, bool)> = BTreeMap::new();
        for (cell, (by, of)) in &self.cells {
            for byte in cell.offset..cell.offset + cell.bytes {
                let (all, writes) = by_byte.entry((cell.object, byte)).or_default();
                all.extend(by.iter().copied());
                *writes |= of.writes;
                if of.forced {
                    next.shared.insert((cell.object, byte));
                }
            }
        }
        let is_written =
            |byte: &&(Object, u64)| by_byte.get(*byte).is_some_and(|(_, writes)| *writes);
        next.overwritten.extend(self.cached.iter().filter(is_written).copied());
        // What asynchronous operations access is accessed by nobody else's program order.
        for (range, found) in &self.copies {
            let bytes = (range.object, range.offset)..(range.object, range.offset + range.bytes);
            for (_, (all, writes)) in by_byte.range_mut(bytes) {
                all.insert(u32::MAX);
                *writes |= found.writes;
            }
        }
        next.shared.extend(both_copied(&self.copies));
        next.cells = self.cells_near_copies();
        next.alike = alike(&self.of_threads, &self.cells, &self.copies);
        next.shared.extend(
            by_byte
                .iter()
                .filter(|(_, (by, writes))| by.len() > 1 && *writes)
                .map(|(byte, _)| *byte),
        );
        self.share_whole_cells(next);
    }

    /// The cells of the objects that asynchronous operations access.
    fn cells_near_copies(&self) -> BTreeSet<MemoryCell> {
        if self.copies.is_empty() {
            return BTreeSet::new();
        }
        let objects: BTreeSet<Object> = self.copies.keys().map(|range| range.object).collect();
        let is_of = |cell: &&MemoryCell| objects.contains(&cell.object);
        self.cells
            .keys()
            .filter(is_of)
            .chain(&self.parts)
            .chain(self.copies.keys())
            .copied()
            .collect()
    }

    /// Of a cell that has a shared byte all bytes are shared.
    fn share_whole_cells(&self, next: &mut LaunchFacts) {
        loop {
            let before = next.shared.len();
            for cell in self.cells.keys() {
                let bytes =
                    || (cell.offset..cell.offset + cell.bytes).map(|byte| (cell.object, byte));
                if bytes().any(|byte| next.shared.contains(&byte)) {
                    next.shared.extend(bytes());
                }
            }
            if next.shared.len() == before {
                return;
            }
        }
    }
}

/// Takes in what a thread says of values, places and exchanges.
fn learn_of_thread(next: &mut LaunchFacts, done: &Specialised, layout: &Layout) {
    for (origin, places) in &done.loads {
        let of = next.loads.entry(*origin).or_default();
        of.resize_with(of.len().max(places.len()), BTreeSet::new);
        of.iter_mut().zip(places).for_each(|(of, places)| of.extend(places.iter().copied()));
    }
    next.tensors.extend(&done.tensors);
    next.mbarriers.extend(&done.mbarriers);
    next.opaque.extend(done.opaque.iter().copied());
    next.pointers.extend(done.pointers.iter().copied());
    for (cell, values) in &done.values {
        let of = next.values.entry(*cell).or_insert_with(|| {
            let initial = layout.initial(cell.object, cell.offset, cell.bytes.min(8)).unwrap_or(0);
            Some([(initial, None)].into_iter().collect())
        });
        match (of, values) {
            (Some(of), Some(values)) => {
                values.iter().for_each(|(value, writer)| add_writer(of, *value, *writer))
            }
            (of, _) => *of = None,
        }
    }
    for (key, lanes) in &done.exchanges {
        next.exchanges
            .entry(*key)
            .or_default()
            .extend(lanes.iter().map(|(lane, brought)| (*lane, *brought)));
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ThreadCellUse {
    number: u32,
    /// Behind how many steps that order something.
    epochs: BTreeSet<usize>,
    writes: bool,
    reads: bool,
    strong: bool,
}

/// Cells that are used as another one is, by the same threads between the same steps that order
/// something, and by the same asynchronous operations: whether these race with one is seen at the
/// other. The first of them stands for the others.
fn alike(
    used: &BTreeMap<MemoryCell, Vec<ThreadCellUse>>,
    uses: &BTreeMap<MemoryCell, (BTreeSet<u32>, Use)>,
    copies: &BTreeMap<MemoryCell, CopyUse>,
) -> FxHashSet<MemoryCell> {
    let mut first: BTreeSet<(Vec<ThreadCellUse>, u64, Vec<usize>)> = BTreeSet::new();
    let mut found = FxHashSet::default();
    for (cell, all) in used {
        if uses.get(cell).is_none_or(|(_, of)| of.forced) {
            continue;
        }
        let covering: Vec<usize> = copies
            .keys()
            .enumerate()
            .filter(|(_, range)| range.overlaps(cell))
            .map(|(number, _)| number)
            .collect();
        if !covering.is_empty() && !first.insert((all.clone(), cell.bytes, covering)) {
            found.insert(*cell);
        }
    }
    found
}

/// The bytes that two asynchronous operations use, and one writes.
fn both_copied(copies: &BTreeMap<MemoryCell, CopyUse>) -> Vec<(Object, u64)> {
    let all: Vec<(&MemoryCell, &CopyUse)> = copies.iter().collect();
    let mut found = Vec::new();
    for (n, (range, of)) in all.iter().enumerate() {
        if of.writes && of.count > 1 {
            found.extend(
                (range.offset..range.offset + range.bytes).map(|byte| (range.object, byte)),
            );
        }
        for (other, and) in all[n + 1..]
            .iter()
            .take_while(|(other, _)| range.overlaps(other) || other.offset == range.offset)
        {
            if of.writes || and.writes {
                let until = (range.offset + range.bytes).min(other.offset + other.bytes);
                found.extend((other.offset..until).map(|byte| (range.object, byte)));
            }
        }
    }
    found
}

/// How what threads share grows, round by round. A table that is searched slot by slot grows by a
/// slot in each round, up to its last one, though few threads need few of them.
///
/// Where it has not come to an end, it is bounded: the bytes that were shared after some rounds
/// stay what is shared, and a thread ends, with a mark, in front of its first access to any other
/// byte that would be. Each access of what is left is to bytes that are shared, or that one thread
/// alone uses, or nobody writes, as in any other launch; and whether a thread comes to a mark is
/// asked of the engines. If none does, nothing was left out. If one does in an execution of the
/// kernel, take what is ordered behind no access that was cut off: the threads go on from there,
/// each read behind the last write, to their ends or to a mark. That is an execution of what is
/// left, with a mark, provided that nobody waits (`with_waits_beyond`).
#[derive(Default)]
struct Sharing {
    early: Option<LaunchFacts>,
    grows: bool,
}

impl Sharing {
    /// Takes in a round. Where sharing is bounded what is new goes beyond.
    fn round(
        &mut self,
        rounds: usize,
        before: &LaunchFacts,
        next: &mut LaunchFacts,
        can_be_bounded: bool,
    ) {
        if let Some(beyond) = &mut next.beyond {
            beyond.extend(next.shared.difference(&before.shared).copied());
            next.shared.clone_from(&before.shared);
            return;
        }
        self.grows =
            can_be_bounded && next.mbarriers.cells.is_empty() && next.shared != before.shared;
        if rounds == SHARING_ROUNDS {
            self.early = Some(before.clone());
        }
    }

    /// What was known when some places were shared, from where on no more are; nothing where
    /// something else changes with every round.
    fn bounded(&mut self) -> Option<LaunchFacts> {
        let early = self.early.take().filter(|_| self.grows)?;
        Some(LaunchFacts { beyond: Some(FxHashSet::default()), are_settled: false, ..early })
    }
}

/// Gives up the values of cells that are too many, that become more round by round, or of which
/// memory is accessed in another width as well.
fn bound_values(before: &LaunchFacts, facts: &mut LaunchFacts) {
    for (cell, values) in &mut facts.values {
        let has_more = before.values.get(cell).is_some_and(|old| old != values);
        let grown = facts.grown.entry(*cell).or_default();
        *grown += u32::from(has_more);
        if *grown > MAX_GROWTH || values.as_ref().is_some_and(|values| values.len() > MAX_VALUES) {
            *values = None;
        }
    }
    let cells: Vec<MemoryCell> = facts.values.keys().copied().collect();
    for (n, cell) in cells.iter().enumerate() {
        // In order of where they begin: those that overlap follow at once, with shorter ones
        // between.
        for other in cells[n + 1..].iter().take_while(|other| cell.overlaps(other)) {
            facts.values.insert(*cell, None);
            facts.values.insert(*other, None);
        }
    }
}
