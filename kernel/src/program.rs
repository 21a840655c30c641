//! A launch as a litmus test: its threads executed until nothing new is learnt of what they share,
//! and written down with where each line came from.

mod rounds;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::rounds::ArrayUse;
use self::rounds::{OUT_OF_TIME, SettledLaunch, execute_until_settled};
pub(crate) use self::written::{Written, clean};
use crate::collective::{LoopsTogether, with_last_rounds_together};
use crate::condition::ELEMENT;
use crate::launch::{Launch, coordinates};
use crate::layout::{Layout, Object};
use crate::mark::{Mark, MarkKind};
use crate::meeting::{Barriers, barriers, instance, is_for_all};
use crate::omission::{Omission, OmissionReason};
use crate::residue::{
    CodePiece, Issue, Line, MbarrierPiece, MbarrierUse, MemoryCell, Origin, has_loop, tidy,
};
use crate::retries::without_retries;
use crate::slice::Slicer;
use crate::thread::{BEYOND, LaunchFacts, PreparedModule, Specialised, ValueTrail};
use crate::waiting::{ended, exchanges_that_wait};

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
    /// The code that each thread leaves; it ends where it goes round a loop for ever that reads
    /// nothing.
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
    /// For each thread the instructions that it comes to.
    pub visits: Vec<FxHashSet<Origin>>,
    names: BTreeMap<MemoryCell, String>,
    initial: Vec<(String, i64)>,
    /// The locations that are mbarriers.
    mbarriers: BTreeSet<String>,
    /// Those in shared memory.
    in_shared: BTreeSet<String>,
    /// Those in tensor memory.
    in_tensor: BTreeSet<String>,
}

/// `ld.volatile.u32`, `ld.relaxed.cta.u32` as `ld.weak.u32`.
fn weakened(operation: &str) -> String {
    const ORDERS: [&str; 8] =
        ["volatile", "relaxed", "mmio", "cta", "cluster", "gpu", "sys", "weak"];
    let mut words = operation.split('.');
    let first = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.filter(|word| !ORDERS.contains(word)).collect();
    format!("{first}.weak.{}", rest.join("."))
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
        let SettledLaunch { mut threads, facts, written, arrays } =
            execute_until_settled(prepared, layout, kernel, launch, asked, is_over)?;
        let mut omissions = with_waits_beyond(&threads);
        let mut suppositions = BTreeSet::new();
        let mut cells = BTreeSet::new();
        let mut visited: FxHashMap<Origin, u32> = FxHashMap::default();
        for (number, thread) in threads.iter().enumerate() {
            let [place, ..] = coordinates(number as u32 % launch.threads.max(1), launch.block);
            for origin in &thread.visited {
                visited
                    .entry(*origin)
                    .and_modify(|highest| *highest = (*highest).max(place))
                    .or_insert(place);
            }
            suppositions.extend(thread.suppositions.iter().cloned());
            for (piece, _) in &thread.code {
                cells.extend(piece.cells());
            }
        }
        let mut codes: Vec<Vec<Line>> =
            threads.iter_mut().map(|thread| std::mem::take(&mut thread.code)).collect();
        let together = with_last_rounds_together(launch, &mut codes);
        omissions.extend(omissions_without_retries(&threads, &mut codes));
        omissions.extend(put_back(&mut threads, codes, &together));
        let skipped = threads.iter().map(|t| t.skipped.clone()).collect();
        let barriers = threads.iter().map(|t| t.barriers.clone()).collect();
        let (mut trails, mut visits) =
            (Vec::with_capacity(threads.len()), Vec::with_capacity(threads.len()));
        let (mut marks, mut waiting) =
            (Vec::with_capacity(threads.len()), Vec::with_capacity(threads.len()));
        for thread in threads {
            trails.push(thread.trail);
            visits.push(thread.visited);
            marks.push(thread.marks);
            waiting.push(thread.code);
        }
        let code = settled_code(&waiting, launch, layout);
        if is_over() {
            return Err(OUT_OF_TIME.to_owned());
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
            visits,
            names: BTreeMap::new(),
            initial: Vec::new(),
            mbarriers: BTreeSet::new(),
            in_shared: BTreeSet::new(),
            in_tensor: BTreeSet::new(),
        };
        executed.name(prepared, layout, &cells, asked);
        executed.name_mbarriers();
        Ok(executed)
    }

    /// Keeps the names of the locations that are mbarriers.
    fn name_mbarriers(&mut self) {
        let of_mbarrier = |piece: &CodePiece| match piece {
            CodePiece::Mbarrier(MbarrierPiece { cell, .. })
            | CodePiece::Issue(Issue { mbarrier: Some(cell), .. }) => Some(*cell),
            _ => None,
        };
        let mbarriers: BTreeSet<MemoryCell> =
            self.waiting.iter().flatten().filter_map(|(p, _)| of_mbarrier(p)).collect();
        self.mbarriers = mbarriers.into_iter().map(|cell| self.named(cell).to_owned()).collect();
    }

    /// Gives names to what is shared: bytes that overlap are one location.
    fn name(
        &mut self,
        prepared: &PreparedModule<'_>,
        layout: &Layout,
        cells: &BTreeSet<MemoryCell>,
        asked: &[(Object, u64)],
    ) {
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
            let inside = group.as_ref().is_some_and(|(object, _, until, _)| {
                *object == cell.object && cell.offset < *until
            });
            match &mut group {
                Some((_, start, until, name)) if inside => {
                    *until = (*until).max(end);
                    let name = if cell.offset == *start {
                        name.clone()
                    } else {
                        format!("{name}+{}", cell.offset - *start)
                    };
                    self.names.insert(cell, name);
                }
                _ => {
                    let base = clean(&layout.name(prepared.module, cell.object));
                    let (_, size) = layout.extent(cell.object);
                    let name = match cell.offset {
                        0 if size == Some(cell.bytes) => base,
                        offset if offset % cell.bytes == 0 && cell.bytes == 4 => {
                            format!("{base}_{}", offset / 4)
                        }
                        offset => format!("{base}_byte{offset}"),
                    };
                    let value =
                        layout.initial(cell.object, cell.offset, cell.bytes.min(8)).unwrap_or(0);
                    self.initial.push((name.clone(), value as i64));
                    if matches!(
                        cell.object,
                        Object::Shared(..) | Object::Validity(..) | Object::Elsewhere(true, _)
                    ) {
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

    /// An mbarrier that waits for more arrivals in a phase than ever come, and how many: the kernel
    /// is written for more threads, or it is wrong.
    pub fn short_of_arrivals(&self) -> Option<(Origin, u64, u64)> {
        let mut come: BTreeMap<MemoryCell, u64> = BTreeMap::new();
        let mut initialised: Vec<(Origin, MemoryCell, u64)> = Vec::new();
        let mut awaited: BTreeSet<MemoryCell> = BTreeSet::new();
        for (piece, origin) in self.threads.iter().flatten() {
            let CodePiece::Mbarrier(piece) = piece else { continue };
            let count = piece.operands.parse().unwrap_or(1);
            match (piece.how, origin) {
                (MbarrierUse::Initialise, Some(origin)) if piece.operation == "mbarrier.init" => {
                    initialised.push((*origin, piece.cell, count));
                }
                (MbarrierUse::Wait, _) => drop(awaited.insert(piece.cell)),
                (MbarrierUse::Change, _) if piece.operation.contains("expect_tx") => {
                    *come.entry(piece.cell).or_default() += 1
                }
                (MbarrierUse::Change, _) => *come.entry(piece.cell).or_default() += count,
                _ => {}
            }
        }
        initialised.into_iter().filter(|(_, cell, _)| awaited.contains(cell)).find_map(
            |(origin, cell, count)| {
                let come = come.get(&cell).copied().unwrap_or(0);
                (come < count).then_some((origin, count, come))
            },
        )
    }

    /// Where its threads would go beyond what is followed of what they share.
    pub fn beyond(&self) -> BTreeSet<Omission> {
        cut_beyond(self.marks.iter().flatten()).collect()
    }

    /// Are there asynchronous operations, or mbarriers?
    pub fn is_asynchronous(&self) -> bool {
        let is_one = |p: &CodePiece| {
            matches!(p, CodePiece::Issue(_) | CodePiece::Mbarrier(_) | CodePiece::Group(_))
        };
        self.threads.iter().flatten().any(|(p, _)| is_one(p))
    }

    /// Do asynchronous operations write shared memory of which it is not known where it is, or how
    /// much of it?
    pub fn brings_unknown(&self) -> bool {
        let is_unknown = |p: &CodePiece| match p {
            CodePiece::Issue(issue) => {
                let is_zeros = issue.from().is_some_and(|from| from.object == Object::Zeros);
                matches!(issue.to.object, Object::Elsewhere(true, _))
                    || is_zeros && matches!(issue.to.object, Object::Shared(..))
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

    /// Do all threads come to their ends without going round a loop, and without anything that is
    /// asynchronous?
    pub fn goes_straight(&self) -> bool {
        let is_asynchronous = |(piece, _): &Line| {
            matches!(
                piece,
                CodePiece::Mbarrier(_)
                    | CodePiece::Issue(_)
                    | CodePiece::Group(_)
                    | CodePiece::ClusterBarrier(_)
            )
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
            code.retain(|line| {
                store(thread, line).is_none_or(|store| chosen.get(&store) == Some(&thread))
            });
        }
        lean
    }

    /// The same, where all accesses to some cells are weak.
    pub fn with_weak_accesses(&self, cells: &BTreeSet<MemoryCell>) -> Self {
        let mut weaker = self.clone();
        for (piece, _) in weaker.threads.iter_mut().flatten() {
            if let CodePiece::Read { operation, cell, .. }
            | CodePiece::Write { operation, cell, .. } = piece
                && cells.contains(cell)
            {
                *operation = weakened(operation);
            }
        }
        weaker
    }

    /// The threads, prepared for slices; the values of some places are asked about.
    pub fn slicer(&self, asked: &dyn Fn(MemoryCell) -> bool) -> Slicer<'_> {
        Slicer::new(self.launch, &self.threads, &self.barriers, asked)
    }

    /// The location at a byte, if the test has one that starts there.
    pub fn location(&self, object: Object, offset: u64) -> Option<&str> {
        self.names
            .iter()
            .find(|(cell, _)| cell.object == object && cell.offset == offset)
            .map(|(_, name)| name.as_str())
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
        let all =
            self.marks.iter().enumerate().flat_map(|(t, marks)| marks.iter().map(move |m| (t, m)));
        all.filter(|(_, m)| m.kind == kind).collect()
    }

    /// Where a thread leaves an array whatever it reads: nothing decides before whether it comes
    /// there.
    pub fn surely_outside(&self) -> Option<Origin> {
        let of = |(thread, code): (usize, &Vec<Line>)| {
            let is_end = |text: &str| MarkKind::stops_at(text);
            let before = code.iter().find(|(piece, _)| match piece {
                CodePiece::Label(_) | CodePiece::Jump(..) | CodePiece::End => true,
                CodePiece::Other(text) => is_end(text),
                _ => false,
            });
            let (CodePiece::Other(text), _) = before? else { return None };
            let of_mark = |m: &&Mark| {
                m.kind == MarkKind::Outside
                    && *text == format!("mov {}, {}", m.kind.register(), m.number)
            };
            self.marks[thread].iter().find(of_mark).map(|m| m.origin)
        };
        self.threads.iter().enumerate().find_map(of)
    }

    /// How many accesses, fences and barriers the test has, each counted once.
    pub fn size(&self) -> usize {
        let counts = |p: &CodePiece| match p {
            CodePiece::Read { .. }
            | CodePiece::Write { .. }
            | CodePiece::Mbarrier(_)
            | CodePiece::Issue(_) => 1,
            CodePiece::Barrier(_) | CodePiece::ClusterBarrier(_) | CodePiece::Group(_) => 1,
            CodePiece::Other(text) => usize::from(text.starts_with("fence")),
            _ => 0,
        };
        self.threads.iter().flatten().map(|(p, _)| counts(p)).sum()
    }
}

/// The code of threads as tests have it: who goes round for ever ends, and exchanges in loops that
/// wait are compare-and-swaps.
fn settled_code(waiting: &[Vec<Line>], launch: Launch, layout: &Layout) -> Vec<Vec<Line>> {
    let mut code: Vec<Vec<Line>> = waiting.iter().map(|code| ended(code)).collect();
    exchanges_that_wait(&mut code, launch.blocks == 1, &|cell| match cell.object {
        // Shared memory holds nothing that is known at the start: litmus tests have it as zeros.
        Object::Shared(..) => Some(0),
        _ => layout.initial(cell.object, cell.offset, cell.bytes.min(8)).map(|n| n as i64),
    });
    code
}

/// Takes loops that only try again out of the code of threads; what the threads leave out that is
/// not settled by that.
fn omissions_without_retries(
    threads: &[Specialised],
    codes: &mut [Vec<Line>],
) -> BTreeSet<Omission> {
    let mut omissions = BTreeSet::new();
    for (thread, code) in threads.iter().zip(codes) {
        let is_asked = |origin| {
            thread
                .omissions
                .iter()
                .any(|o| o.origin == Some(origin) && o.why == OmissionReason::OpaqueSwap)
        };
        let settled = without_retries(code, &is_asked);
        let is_settled = |o: &Omission| {
            matches!(o.why, OmissionReason::OpaqueSwap | OmissionReason::OpaqueGuard)
                && o.origin.is_some_and(|of| settled.contains(&of))
        };
        omissions.extend(thread.omissions.iter().filter(|o| !is_settled(o)).cloned());
    }
    omissions
}

/// Gives threads their code back; what is guessed of loops whose threads exchange values.
fn put_back(
    threads: &mut [Specialised],
    codes: Vec<Vec<Line>>,
    together: &LoopsTogether,
) -> BTreeSet<Omission> {
    let mut omissions = BTreeSet::new();
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
        for (&origin, _) in thread.rounds.iter().filter(|(origin, count)| !is_told(origin, **count))
        {
            let why = "threads of a warp, or of a block, exchange values in a loop whose rounds depend on memory";
            omissions.insert(Omission::guessed(Some(origin), why));
        }
        thread.code = code;
    }
    omissions
}

/// Where a thread that is cut off lets others wait, none of their executions ends, and none says
/// that the thread comes to its mark: nobody knows then. (Whoever ends holds up nobody at a barrier
/// of the whole block, or of a warp.)
fn with_waits_beyond(threads: &[Specialised]) -> BTreeSet<Omission> {
    let waits = |piece: &CodePiece| match piece {
        CodePiece::Barrier(text) => instance(text).is_none() && !is_for_all(text),
        CodePiece::ClusterBarrier(_) | CodePiece::Mbarrier(_) | CodePiece::Group(_) => true,
        _ => false,
    };
    if !threads
        .iter()
        .any(|thread| has_loop(&thread.code) || thread.code.iter().any(|(piece, _)| waits(piece)))
    {
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
