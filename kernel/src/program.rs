//! A launch as a litmus test: its threads executed until nothing new is learnt of what they share, and written down with where each line came
//! from.

mod written;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::written::{Written, clean};
use crate::brought::ExchangesOfWarps;
use crate::collective::with_last_rounds_together;
use crate::condition::ELEMENT;
use crate::launch::{Launch, coordinates};
use crate::layout::{Layout, Object};
use crate::mark::{Mark, MarkKind};
use crate::meeting::{Barriers, barriers, instance, is_for_all};
use crate::omission::{Omission, OmissionReason};
use crate::residue::{CodePiece, Issue, Line, MbarrierPiece, MbarrierUse, MemoryCell, Origin, has_loop, tidy};
use crate::retries::without_retries;
use crate::slice::Slicer;
use crate::thread::{
    BEYOND, CopyUse, DrawCounts, FollowedThread, LaunchFacts, MAX_VALUES, PreparedModule, Specialised, Use, ValueTrail,
    add_writer, is_drawn_alone, learn_draws,
};
use crate::waiting::{ended, exchanges_that_wait};

/// After so many rounds what threads share is taken to be not found out.
const MAX_ROUNDS: usize = 24;

/// After so many rounds sharing is bounded where it does not come to an end: three threads that insert twice need six slots of a table.
const SHARING_ROUNDS: usize = 8;

/// The values of a cell may become more in so many rounds.
const MAX_GROWTH: u32 = 5;

/// Which lane of a warp has a store that several of them have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneChoice {
    First,
    Last,
}

/// A launch, executed.
#[derive(Clone)]
pub(crate) struct Executed {
    pub launch: Launch,
    /// The code that each thread leaves; it ends where it goes round a loop for ever that reads nothing.
    pub threads: Vec<Vec<Line>>,
    /// The same with these loops.
    pub waiting: Vec<Vec<Line>>,
    pub marks: Vec<Vec<Mark>>,
    /// For each thread the barriers that it comes to.
    pub barriers: Vec<Barriers>,
    /// For each thread the barriers whose predicate was false.
    pub skipped: Vec<BTreeSet<Origin>>,
    pub omissions: BTreeSet<Omission>,
    /// What is supposed of the kernel, and leaves nothing open.
    pub suppositions: BTreeSet<Omission>,
    pub facts: LaunchFacts,
    /// For each thread where values go, if it reads memory that may be undefined.
    pub trails: Vec<Option<ValueTrail>>,
    /// What threads write of global memory, also where no other thread has anything to do with it.
    pub written: BTreeSet<MemoryCell>,
    /// How arrays of global and constant memory are used, by their numbers.
    pub arrays: BTreeMap<u32, ArrayUse>,
    /// The instructions that some thread comes to, and the highest place in x of one that does.
    pub visited: FxHashMap<Origin, u32>,
    names: BTreeMap<MemoryCell, String>,
    initial: Vec<(String, i64)>,
    /// The locations that are mbarriers.
    mbarriers: BTreeSet<String>,
    /// Those in shared memory.
    in_shared: BTreeSet<String>,
    /// Those in tensor memory.
    in_tensor: BTreeSet<String>,
}

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
    for (cell, reads, strong, of_whole) in accesses.chain(copies.keys().map(|cell| (cell, true, true, true))) {
        let Object::Array(n) = cell.object else { continue };
        let of = found.entry(n).or_insert(ArrayUse { width: cell.bytes, is_read: false, is_strong: false, is_float: true });
        of.width = of.width.min(cell.bytes);
        of.is_read |= reads;
        of.is_strong |= strong;
        of.is_float &= !of_whole && matches!(cell.bytes, 4 | 8);
    }
    found
}

impl Executed {
    /// Executes a kernel; `asked` are bytes that a condition names. It ends early once `is_over`.
    ///
    /// # Errors
    /// Why it is no litmus test.
    pub fn new(
        prepared: &PreparedModule<'_>,
        layout: &Layout,
        kernel: usize,
        launch: Launch,
        asked: &[(Object, u64)],
        is_over: &dyn Fn() -> bool,
    ) -> Result<Self, String> {
        let mut facts = LaunchFacts { shared: asked.iter().copied().collect(), ..LaunchFacts::default() };
        let mut settled = None;
        let mut written = BTreeSet::new();
        let mut arrays = BTreeMap::new();
        let mut rounds = 0;
        let mut sharing = Sharing::default();
        loop {
            if rounds >= MAX_ROUNDS + 2 * facts.exchanges.len() + MAX_VALUES * facts.draws.len().min(1) {
                let Some(bounded) = sharing.bounded() else { break };
                (facts, rounds) = (bounded, 0);
            }
            rounds += 1;
            let mut threads = Vec::new();
            let mut uses: BTreeMap<MemoryCell, (BTreeSet<u32>, Use)> = BTreeMap::new();
            let mut copies: BTreeMap<MemoryCell, CopyUse> = BTreeMap::new();
            let mut parts: BTreeSet<MemoryCell> = BTreeSet::new();
            let mut cached: BTreeSet<(Object, u64)> = BTreeSet::new();
            let mut used: BTreeMap<MemoryCell, Vec<ThreadCellUse>> = BTreeMap::new();
            let mut next = LaunchFacts { exchanges: ExchangesOfWarps::new(), ..facts.clone() };
            for number in 0..launch.total() {
                let (block, thread) = (number / launch.threads, number % launch.threads);
                let done = FollowedThread::new(prepared, layout, &facts, launch, (block, thread), is_over).run(kernel);
                if is_over() {
                    return Err("the time was up, or the question was stopped, before its threads were executed".to_owned());
                }
                for (cell, found) in &done.uses {
                    let (by, of) = uses.entry(*cell).or_default();
                    by.insert(number);
                    of.writes |= found.writes;
                    of.forced |= found.forced;
                    of.reads |= found.reads;
                    of.strong |= found.strong;
                    (0..2).for_each(|n| of.of_floats[n] |= found.of_floats[n]);
                    if !facts.cells.is_empty() {
                        let (writes, reads, strong) = (found.writes, found.reads, found.strong);
                        let of = ThreadCellUse { number, epochs: found.epochs.clone(), writes, reads, strong };
                        used.entry(*cell).or_default().push(of);
                    }
                }
                for (range, found) in &done.copies {
                    let of = copies.entry(*range).or_default();
                    of.writes |= found.writes;
                    of.count += found.count;
                }
                parts.extend(done.parts.iter().copied());
                cached.extend(done.cached.iter().copied());
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
                        (Some(of), Some(values)) => values.iter().for_each(|(value, writer)| add_writer(of, *value, *writer)),
                        (of, _) => *of = None,
                    }
                }
                for (key, lanes) in &done.exchanges {
                    next.exchanges.entry(*key).or_default().extend(lanes.iter().map(|(lane, brought)| (*lane, *brought)));
                }
                threads.push(done);
            }
            written = uses
                .iter()
                .filter(|(cell, (_, of))| of.writes && matches!(cell.object, Object::Array(_)))
                .map(|(cell, _)| *cell)
                .collect();
            arrays = array_uses(&uses, &copies);
            // Bytes that two threads use, and one writes; then whatever is used together with them.
            let mut by_byte: BTreeMap<(Object, u64), (BTreeSet<u32>, bool)> = BTreeMap::new();
            for (cell, (by, of)) in &uses {
                for byte in cell.offset..cell.offset + cell.bytes {
                    let (all, writes) = by_byte.entry((cell.object, byte)).or_default();
                    all.extend(by.iter().copied());
                    *writes |= of.writes;
                    if of.forced {
                        next.shared.insert((cell.object, byte));
                    }
                }
            }
            next.overwritten.extend(cached.into_iter().filter(|byte| by_byte.get(byte).is_some_and(|(_, writes)| *writes)));
            // What asynchronous operations access is accessed by nobody else's program order.
            for (range, found) in &copies {
                let bytes = (range.object, range.offset)..(range.object, range.offset + range.bytes);
                for (_, (all, writes)) in by_byte.range_mut(bytes) {
                    all.insert(u32::MAX);
                    *writes |= found.writes;
                }
            }
            next.shared.extend(both_copied(&copies));
            next.cells = match copies.is_empty() {
                true => BTreeSet::new(),
                false => {
                    let objects: BTreeSet<Object> = copies.keys().map(|range| range.object).collect();
                    let is_of = |cell: &&MemoryCell| objects.contains(&cell.object);
                    uses.keys().filter(is_of).copied().chain(parts).chain(copies.keys().copied()).collect()
                }
            };
            next.alike = alike(&used, &uses, &copies);
            next.shared.extend(by_byte.iter().filter(|(_, (by, writes))| by.len() > 1 && *writes).map(|(byte, _)| *byte));
            loop {
                let before = next.shared.len();
                for cell in uses.keys() {
                    let bytes = || (cell.offset..cell.offset + cell.bytes).map(|byte| (cell.object, byte));
                    if bytes().any(|byte| next.shared.contains(&byte)) {
                        next.shared.extend(bytes());
                    }
                }
                if next.shared.len() == before {
                    break;
                }
            }
            sharing.round(rounds, &facts, &mut next, copies.is_empty());
            // What a thread read before it was known that others write there is not what it reads.
            if next.shared != facts.shared || next.beyond != facts.beyond {
                next.opaque.clear();
            }
            bound_values(&facts, &mut next);
            let of_threads: Vec<&DrawCounts> = threads.iter().map(|done| &done.draws).collect();
            let is_alone = |cell: &MemoryCell| copies.is_empty() && is_drawn_alone(cell, threads.iter().map(|done| &done.uses));
            learn_draws(&mut next.draws, &of_threads, &is_alone);
            if next == facts {
                if facts.are_settled || facts.exchanges.is_empty() {
                    settled = Some(threads);
                    break;
                }
                // Once more, to find who waits for one that never comes.
                next.are_settled = true;
            } else {
                next.are_settled = false;
            }
            facts = next;
        }
        let mut threads =
            settled.ok_or_else(|| "what its threads share changes with every round in which they are executed".to_owned())?;
        let mut omissions = with_waits_beyond(&threads);
        let mut suppositions = BTreeSet::new();
        let mut cells = BTreeSet::new();
        let mut visited: FxHashMap<Origin, u32> = FxHashMap::default();
        for (number, thread) in threads.iter().enumerate() {
            let [place, ..] = coordinates(number as u32 % launch.threads.max(1), launch.block);
            for origin in &thread.visited {
                visited.entry(*origin).and_modify(|highest| *highest = (*highest).max(place)).or_insert(place);
            }
            suppositions.extend(thread.suppositions.iter().cloned());
            for (piece, _) in &thread.code {
                cells.extend(piece.cells());
            }
        }
        let mut codes: Vec<Vec<Line>> = threads.iter_mut().map(|thread| std::mem::take(&mut thread.code)).collect();
        let together = with_last_rounds_together(launch, &mut codes);
        for (thread, code) in threads.iter().zip(&mut codes) {
            let is_asked =
                |origin| thread.omissions.iter().any(|o| o.origin == Some(origin) && o.why == OmissionReason::OpaqueSwap);
            let settled = without_retries(code, &is_asked);
            let is_settled = |o: &Omission| {
                matches!(o.why, OmissionReason::OpaqueSwap | OmissionReason::OpaqueGuard)
                    && o.origin.is_some_and(|of| settled.contains(&of))
            };
            omissions.extend(thread.omissions.iter().filter(|o| !is_settled(o)).cloned());
        }
        for (number, (thread, code)) in threads.iter_mut().zip(codes).enumerate() {
            let taken = together.get(&number);
            if taken.is_some() {
                thread.barriers = barriers(&code);
            }
            // The one exchange of a round is what tells, or a round does not stand for all.
            let is_told = |origin: &Origin, count: u64| {
                let cell = taken.and_then(|all| all.get(origin));
                count == 1 && cell.is_some_and(|cell| matches!(cell.object, Object::Exchange(..)))
            };
            for (&origin, _) in thread.rounds.iter().filter(|(origin, count)| !is_told(origin, **count)) {
                let why = "threads of a warp, or of a block, exchange values in a loop whose rounds depend on memory";
                omissions.insert(Omission::guessed(Some(origin), why));
            }
            thread.code = code;
        }
        let skipped = threads.iter().map(|t| t.skipped.clone()).collect();
        let barriers = threads.iter().map(|t| t.barriers.clone()).collect();
        let mut trails = Vec::with_capacity(threads.len());
        let (mut marks, mut waiting) = (Vec::with_capacity(threads.len()), Vec::with_capacity(threads.len()));
        for thread in threads {
            trails.push(thread.trail);
            marks.push(thread.marks);
            waiting.push(thread.code);
        }
        let code = settled_code(&waiting, launch, layout);
        if is_over() {
            return Err("the time was up, or the question was stopped, before its threads were executed".to_owned());
        }
        let mut executed = Self {
            launch,
            threads: code,
            waiting,
            marks,
            trails,
            barriers,
            skipped,
            omissions,
            suppositions,
            facts,
            written,
            arrays,
            visited,
            names: BTreeMap::new(),
            initial: Vec::new(),
            mbarriers: BTreeSet::new(),
            in_shared: BTreeSet::new(),
            in_tensor: BTreeSet::new(),
        };
        executed.name(prepared, layout, &cells, asked);
        let of_mbarrier = |piece: &CodePiece| match piece {
            CodePiece::Mbarrier(MbarrierPiece { cell, .. }) | CodePiece::Issue(Issue { mbarrier: Some(cell), .. }) => Some(*cell),
            _ => None,
        };
        let mbarriers: BTreeSet<MemoryCell> = executed.waiting.iter().flatten().filter_map(|(p, _)| of_mbarrier(p)).collect();
        executed.mbarriers = mbarriers.into_iter().map(|cell| executed.named(cell).to_owned()).collect();
        Ok(executed)
    }

    /// Gives names to what is shared: bytes that overlap are one location.
    fn name(&mut self, prepared: &PreparedModule<'_>, layout: &Layout, cells: &BTreeSet<MemoryCell>, asked: &[(Object, u64)]) {
        let mut all: Vec<MemoryCell> = cells.iter().copied().collect();
        // An element that is asked about and that no thread accesses has a name all the same.
        for &(object, offset) in asked.iter().filter(|(_, offset)| offset % ELEMENT == 0) {
            let element = MemoryCell { object, offset, bytes: ELEMENT };
            if !cells.iter().any(|cell| cell.overlaps(&element)) {
                all.push(element);
            }
        }
        all.sort_by_key(|c| (c.object, c.offset, std::cmp::Reverse(c.bytes)));
        all.dedup();
        let mut group: Option<(Object, u64, u64, String)> = None;
        for cell in all {
            let end = cell.offset + cell.bytes;
            let inside = group.as_ref().is_some_and(|(object, _, until, _)| *object == cell.object && cell.offset < *until);
            match &mut group {
                Some((_, start, until, name)) if inside => {
                    *until = (*until).max(end);
                    let name = if cell.offset == *start { name.clone() } else { format!("{name}+{}", cell.offset - *start) };
                    self.names.insert(cell, name);
                }
                _ => {
                    let base = clean(&layout.name(prepared.module, cell.object));
                    let (_, size) = layout.extent(cell.object);
                    let name = match cell.offset {
                        0 if size == Some(cell.bytes) => base,
                        offset if offset % cell.bytes == 0 && cell.bytes == 4 => format!("{base}_{}", offset / 4),
                        offset => format!("{base}_byte{offset}"),
                    };
                    let value = layout.initial(cell.object, cell.offset, cell.bytes.min(8)).unwrap_or(0);
                    self.initial.push((name.clone(), value as i64));
                    if matches!(cell.object, Object::Shared(..) | Object::Validity(..) | Object::Elsewhere(true, _)) {
                        self.in_shared.insert(name.clone());
                    }
                    if matches!(cell.object, Object::Tensor(_)) {
                        self.in_tensor.insert(name.clone());
                    }
                    self.names.insert(cell, name.clone());
                    group = Some((cell.object, cell.offset, end, name));
                }
            }
        }
    }

    /// An mbarrier that waits for more arrivals in a phase than ever come, and how many: the kernel is written for more threads, or it is wrong.
    pub fn short_of_arrivals(&self) -> Option<(Origin, u64, u64)> {
        let mut come: BTreeMap<MemoryCell, u64> = BTreeMap::new();
        let mut awaited: Vec<(Origin, MemoryCell, u64)> = Vec::new();
        for (piece, origin) in self.threads.iter().flatten() {
            let CodePiece::Mbarrier(piece) = piece else { continue };
            let count = piece.operands.parse().unwrap_or(1);
            match (piece.how, origin) {
                (MbarrierUse::Initialise, Some(origin)) if piece.operation == "mbarrier.init" => {
                    awaited.push((*origin, piece.cell, count));
                }
                (MbarrierUse::Change, _) if piece.operation.contains("expect_tx") => *come.entry(piece.cell).or_default() += 1,
                (MbarrierUse::Change, _) => *come.entry(piece.cell).or_default() += count,
                _ => {}
            }
        }
        awaited.into_iter().find_map(|(origin, cell, count)| {
            let come = come.get(&cell).copied().unwrap_or(0);
            (come < count).then_some((origin, count, come))
        })
    }

    /// Where its threads would go beyond what is followed of what they share.
    pub fn beyond(&self) -> BTreeSet<Omission> {
        cut_beyond(self.marks.iter().flatten()).collect()
    }

    /// Are there asynchronous operations, or mbarriers?
    pub fn is_asynchronous(&self) -> bool {
        let is_one = |p: &CodePiece| matches!(p, CodePiece::Issue(_) | CodePiece::Mbarrier(_) | CodePiece::Group(_));
        self.threads.iter().flatten().any(|(p, _)| is_one(p))
    }

    /// Do asynchronous operations write shared memory of which it is not known where it is, or how much of it?
    pub fn brings_unknown(&self) -> bool {
        let is_unknown = |p: &CodePiece| match p {
            CodePiece::Issue(issue) => {
                let is_zeros = issue.from().is_some_and(|from| from.object == Object::Zeros);
                matches!(issue.to.object, Object::Elsewhere(true, _)) || is_zeros && matches!(issue.to.object, Object::Shared(..))
            }
            _ => false,
        };
        self.threads.iter().flatten().any(|(p, _)| is_unknown(p))
    }

    /// The code of the threads, where one has other code, as tests have it.
    pub fn with_code(&self, layout: &Layout, thread: usize, code: Vec<Line>) -> Vec<Vec<Line>> {
        let mut all = self.waiting.clone();
        all[thread] = tidy(code);
        settled_code(&all, self.launch, layout)
    }

    /// Do all threads come to their ends without going round a loop, and without anything that is asynchronous?
    pub fn goes_straight(&self) -> bool {
        let is_asynchronous = |(piece, _): &Line| {
            matches!(piece, CodePiece::Mbarrier(_) | CodePiece::Issue(_) | CodePiece::Group(_) | CodePiece::ClusterBarrier(_))
        };
        self.waiting.iter().all(|code| !code.iter().any(is_asynchronous) && !has_loop(code))
    }

    /// The same where of these stores one lane of each warp has those to a place.
    pub fn with_one_lane_each(&self, stores: &BTreeSet<Origin>, lane: LaneChoice) -> Self {
        let mut lean = self.clone();
        let threads = self.launch.threads.max(1) as usize;
        let store = |thread: usize, (piece, origin): &Line| match (piece, origin) {
            (CodePiece::Write { cell, .. }, Some(origin)) if stores.contains(origin) => {
                Some((thread / threads, thread % threads / 32, *origin, *cell))
            }
            _ => None,
        };
        let mut chosen: BTreeMap<(usize, usize, Origin, MemoryCell), usize> = BTreeMap::new();
        for (thread, code) in self.threads.iter().enumerate() {
            for store in code.iter().filter_map(|line| store(thread, line)) {
                let of = chosen.entry(store).or_insert(thread);
                *of = if lane == LaneChoice::Last { thread } else { *of };
            }
        }
        for (thread, code) in lean.threads.iter_mut().enumerate() {
            code.retain(|line| store(thread, line).is_none_or(|store| chosen.get(&store) == Some(&thread)));
        }
        lean
    }

    /// The threads, prepared for slices; the values of some places are asked about.
    pub fn slicer(&self, asked: &dyn Fn(MemoryCell) -> bool) -> Slicer<'_> {
        Slicer::new(self.launch, &self.threads, &self.barriers, asked)
    }

    /// The location at a byte, if the test has one that starts there.
    pub fn location(&self, object: Object, offset: u64) -> Option<&str> {
        self.names.iter().find(|(cell, _)| cell.object == object && cell.offset == offset).map(|(_, name)| name.as_str())
    }

    /// The cells of the whole test, in order.
    pub fn cells(&self) -> impl Iterator<Item = MemoryCell> + '_ {
        self.names.keys().copied()
    }

    /// Empty for one that the program does not name.
    pub fn named(&self, cell: MemoryCell) -> &str {
        self.names.get(&cell).map_or("", String::as_str)
    }

    /// The registers that say that a thread stopped for a reason.
    pub fn stops(&self, kind: MarkKind) -> Vec<(usize, &Mark)> {
        let all = self.marks.iter().enumerate().flat_map(|(t, marks)| marks.iter().map(move |m| (t, m)));
        all.filter(|(_, m)| m.kind == kind).collect()
    }

    /// Where a thread leaves an array whatever it reads: nothing decides before whether it comes there.
    pub fn surely_outside(&self) -> Option<Origin> {
        let of = |(thread, code): (usize, &Vec<Line>)| {
            let is_end = |text: &str| MarkKind::stops_at(text);
            let before = code.iter().find(|(piece, _)| match piece {
                CodePiece::Label(_) | CodePiece::Jump(..) | CodePiece::End => true,
                CodePiece::Other(text) => is_end(text),
                _ => false,
            });
            let (CodePiece::Other(text), _) = before? else { return None };
            let of_mark = |m: &&Mark| m.kind == MarkKind::Outside && *text == format!("mov {}, {}", m.kind.register(), m.number);
            self.marks[thread].iter().find(of_mark).map(|m| m.origin)
        };
        self.threads.iter().enumerate().find_map(of)
    }

    /// How many accesses, fences and barriers the test has, each counted once.
    pub fn size(&self) -> usize {
        let counts = |p: &CodePiece| match p {
            CodePiece::Read { .. } | CodePiece::Write { .. } | CodePiece::Mbarrier(_) | CodePiece::Issue(_) => 1,
            CodePiece::Barrier(_) | CodePiece::ClusterBarrier(_) | CodePiece::Group(_) => 1,
            CodePiece::Other(text) => usize::from(text.starts_with("fence")),
            _ => 0,
        };
        self.threads.iter().flatten().map(|(p, _)| counts(p)).sum()
    }
}

/// The code of threads as tests have it: who goes round for ever ends, and exchanges in loops that wait are compare-and-swaps.
fn settled_code(waiting: &[Vec<Line>], launch: Launch, layout: &Layout) -> Vec<Vec<Line>> {
    let mut code: Vec<Vec<Line>> = waiting.iter().map(|code| ended(code)).collect();
    exchanges_that_wait(&mut code, launch.blocks == 1, &|cell| match cell.object {
        // Shared memory holds nothing that is known at the start: litmus tests have it as zeros.
        Object::Shared(..) => Some(0),
        _ => layout.initial(cell.object, cell.offset, cell.bytes.min(8)).map(|n| n as i64),
    });
    code
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

/// Cells that are used as another one is, by the same threads between the same steps that order something, and by the same asynchronous operations: whether
/// these race with one is seen at the other. The first of them stands for the others.
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
        let covering: Vec<usize> =
            copies.keys().enumerate().filter(|(_, range)| range.overlaps(cell)).map(|(number, _)| number).collect();
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
            found.extend((range.offset..range.offset + range.bytes).map(|byte| (range.object, byte)));
        }
        for (other, and) in all[n + 1..].iter().take_while(|(other, _)| range.overlaps(other) || other.offset == range.offset) {
            if of.writes || and.writes {
                let until = (range.offset + range.bytes).min(other.offset + other.bytes);
                found.extend((other.offset..until).map(|byte| (range.object, byte)));
            }
        }
    }
    found
}

/// How what threads share grows, round by round. A table that is searched slot by slot grows by a slot in each round, up to its last one, though few threads
/// need few of them.
///
/// Where it has not come to an end, it is bounded: the bytes that were shared after some rounds stay what is shared, and a thread ends, with a mark, in front
/// of its first access to any other byte that would be. Each access of what is left is to bytes that are shared, or that one thread alone uses, or nobody writes,
/// as in any other launch; and whether a thread comes to a mark is asked of the engines. If none does, nothing was left out. If one does in an
/// execution of the kernel, take what is ordered behind no access that was cut off: the threads go on from there, each read behind the last write, to
/// their ends or to a mark. That is an execution of what is left, with a mark, provided that nobody waits ([`with_waits_beyond`]).
#[derive(Default)]
struct Sharing {
    early: Option<LaunchFacts>,
    grows: bool,
}

impl Sharing {
    /// Takes in a round. Where sharing is bounded what is new goes beyond.
    fn round(&mut self, rounds: usize, before: &LaunchFacts, next: &mut LaunchFacts, can_be_bounded: bool) {
        if let Some(beyond) = &mut next.beyond {
            beyond.extend(next.shared.difference(&before.shared).copied());
            next.shared.clone_from(&before.shared);
            return;
        }
        self.grows = can_be_bounded && next.mbarriers.cells.is_empty() && next.shared != before.shared;
        if rounds == SHARING_ROUNDS {
            self.early = Some(before.clone());
        }
    }

    /// What was known when some places were shared, from where on no more are; nothing where something else changes with every round.
    fn bounded(&mut self) -> Option<LaunchFacts> {
        let early = self.early.take().filter(|_| self.grows)?;
        Some(LaunchFacts { beyond: Some(FxHashSet::default()), are_settled: false, ..early })
    }
}

/// Where a thread that is cut off lets others wait, none of their executions ends, and none says that the thread comes to its mark: nobody knows then.
/// (Whoever ends holds up nobody at a barrier of the whole block, or of a warp.)
fn with_waits_beyond(threads: &[Specialised]) -> BTreeSet<Omission> {
    let waits = |piece: &CodePiece| match piece {
        CodePiece::Barrier(text) => instance(text).is_none() && !is_for_all(text),
        CodePiece::ClusterBarrier(_) | CodePiece::Mbarrier(_) | CodePiece::Group(_) => true,
        _ => false,
    };
    if !threads.iter().any(|thread| has_loop(&thread.code) || thread.code.iter().any(|(piece, _)| waits(piece))) {
        return BTreeSet::new();
    }
    cut_beyond(threads.iter().flat_map(|thread| &thread.marks)).collect()
}

/// The places at which threads would go beyond what is followed of what they share.
fn cut_beyond<'m>(marks: impl Iterator<Item = &'m Mark>) -> impl Iterator<Item = Omission> {
    marks
        .filter(|mark| mark.kind == MarkKind::Cut && mark.what == BEYOND)
        .map(|mark| Omission::guessed(Some(mark.origin), BEYOND))
}

/// Gives up the values of cells that are too many, that become more round by round, or of which memory is accessed in another width as well.
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
        // In order of where they begin: those that overlap follow at once, with shorter ones between.
        for other in cells[n + 1..].iter().take_while(|other| cell.overlaps(other)) {
            facts.values.insert(*cell, None);
            facts.values.insert(*other, None);
        }
    }
}
