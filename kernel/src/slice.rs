//! What of a launch a question depends on: the other accesses, and threads that are left with none, are taken out before an engine is asked.
//!
//! Taken out are weak accesses to places whose values reach no branch and nothing that is asked about, and threads that then access nothing. A
//! weak access is in no pattern that synchronises (PTX ISA 8.7), so causality between the others stays as it is, and every execution of the
//! program is one of the slice once these events are gone: what no execution of the slice shows, none of the program does. The other way round,
//! an execution of the slice becomes one of the program if the accesses are put back in an order that extends causality, each read behind the
//! last write in front of it.
//!
//! A data race is one of two threads at one place. So it is asked place by place and pair by pair, with the accesses of the others to that place
//! taken out as well; slices that differ in names alone are asked about once.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::access::{Strength, access, accesses, fenced, is_conditional, is_mbarrier, is_modification, writes};
use crate::counted::{COUNTED, CountedBarriers, as_meetings, counted_barriers};
use crate::exchange::{IS_THERE, fetched};
use crate::idle::{
    without_idle_arrivals, without_idle_barriers, without_idle_fences, without_idle_groups, without_idle_proxies,
    without_idle_threads, without_last_barriers, without_last_groups, without_last_waits, without_readers,
};
use crate::initial::{initial_mbarriers, with_initial_mbarriers};
use crate::launch::Launch;
use crate::layout::Object;
use crate::meeting::{Barriers, Sequence, come_through, instance, with_waits_of_clusters};
use crate::narrow::narrowed;
use crate::phase::Phases;
use crate::residue::{CodePiece, Issue, Line, MbarrierPiece, MbarrierUse, MemoryCell, is_inner, tidy, words};
use crate::twins::without_twins;

/// The number of the first instance of a barrier in a test: smaller ones are the barriers of a block (PTX ISA 9.7.13.1).
const FIRST_INSTANCE: usize = 16;

mod rivals;

pub(crate) use self::rivals::Rivals;
use self::rivals::Share;

/// Some of the threads of a launch, with some of their code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Slice {
    /// The threads of the launch that are in it, ascending.
    pub members: Vec<usize>,
    /// The code of each.
    pub code: Vec<Vec<Line>>,
    /// Mbarriers that are there at the start, and how many arrivals they wait for.
    pub mbarriers: BTreeMap<MemoryCell, u64>,
    /// Places that have a name of their own in its test, and hold a value of their own at the start.
    pub named: BTreeMap<MemoryCell, (String, i64)>,
}

impl Slice {
    /// All threads with all their code.
    pub fn whole(code: &[Vec<Line>]) -> Self {
        let mut slice = Self { members: (0..code.len()).collect(), code: code.to_vec(), ..Self::default() };
        slice.count_warps(code);
        slice
    }

    /// A barrier of a warp waits for those of its threads that are there, and come to it; `code` is that of all threads. One at which as many threads
    /// meet as it counts says how many of them are there. Instances are numbered anew.
    fn count_warps(&mut self, code: &[Vec<Line>]) {
        let users = |all: &[Vec<Line>]| {
            let mut users: BTreeMap<String, usize> = BTreeMap::new();
            for code in all {
                let of: BTreeSet<&str> = code
                    .iter()
                    .filter_map(|(p, _)| if let CodePiece::Barrier(text) = p { Some(instance(text)?.0) } else { None })
                    .collect();
                of.into_iter().for_each(|i| *users.entry(i.to_owned()).or_default() += 1);
            }
            users
        };
        let (before, now) = (users(code), users(&self.code));
        for code in &mut self.code {
            code.retain_mut(|(piece, _)| {
                let CodePiece::Barrier(text) = piece else { return true };
                let Some((of, count)) = instance(text) else { return true };
                let users = now.get(of).copied().unwrap_or(0);
                let count = count.saturating_sub(before.get(of).copied().unwrap_or(0) - users);
                let number = FIRST_INSTANCE + now.keys().position(|known| known == of).unwrap_or(0);
                let is_counted = of.parse().is_ok_and(|of: u64| of >= COUNTED);
                *text = format!("bar.cta.sync {number}, 0, {}", if is_counted { count } else { 0 });
                if is_counted { count > 1 } else { users > 1 }
            });
        }
    }

    /// Do lanes exchange values beside fences? A test has an exchange as a strong write and reads of it, so that with fences around it is a pattern that
    /// synchronises, as the instruction is not (PTX ISA 9.7.9.6 and 9.7.13 say of none that it orders memory).
    pub fn orders_by_exchanges(&self) -> bool {
        let exchanges = |p: &CodePiece, writes: bool| match p {
            CodePiece::Read { cell, .. } => !writes && matches!(cell.object, Object::Exchange(..)),
            CodePiece::Write { cell, .. } => writes && matches!(cell.object, Object::Exchange(..)),
            _ => false,
        };
        let fenced = |code: &Vec<Line>| code.iter().any(|(p, _)| is_fence(p));
        let some = |writes| self.code.iter().any(|code| fenced(code) && code.iter().any(|(p, _)| exchanges(p, writes)));
        some(true) && some(false)
    }

    /// The same without fences where lanes exchange values: less is ordered in it.
    pub fn without_fences(&self) -> Self {
        let mut less = self.clone();
        less.code.iter_mut().for_each(|code| code.retain(|(p, _)| !is_fence(p)));
        less
    }

    /// The number that a thread of the launch has in it.
    pub fn number(&self, thread: usize) -> Option<usize> {
        self.members.binary_search(&thread).ok()
    }
}

/// What a slice is asked about, beside what decides which way threads go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SliceFocus {
    Nothing,
    /// A data race of these.
    Race(Rivals),
    /// What a thread reads at a place.
    Reader {
        place: usize,
        thread: usize,
    },
}

impl SliceFocus {
    /// Is an access of a thread to a place part of the question?
    fn has(self, place: usize, thread: usize, writes: bool) -> bool {
        match self {
            Self::Nothing => false,
            Self::Race(rivals) => rivals.place == place && rivals.threads.contains(&thread),
            Self::Reader { place: at, thread: reader } => at == place && (writes || reader == thread),
        }
    }

    /// Is the question about a thread?
    fn is_of(self, thread: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Race(rivals) => rivals.threads.contains(&thread),
            Self::Reader { thread: reader, .. } => reader == thread,
        }
    }

    /// Is the question about a place?
    fn is_at(self, place: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Race(Rivals { place: at, .. }) | Self::Reader { place: at, .. } => at == place,
        }
    }
}

/// The launch, prepared for slices.
pub(crate) struct Slicer<'a> {
    launch: Launch,
    code: Cow<'a, [Vec<Line>]>,
    /// Bytes that overlap are of one place; each cell's place.
    places: BTreeMap<MemoryCell, usize>,
    /// For each place and thread how it is accessed.
    shares: Vec<BTreeMap<usize, Share>>,
    /// Is a place accessed in more than one width?
    mixed: Vec<bool>,
    /// Places whose values reach a branch, an address, or what is asked.
    relevant: Vec<bool>,
    /// Places through which lanes of a warp exchange values.
    lanes: Vec<bool>,
    /// Places that some access is strong to.
    strong: Vec<bool>,
    /// Places that something writes by which threads may synchronise: a strong write, or what is asynchronous.
    signals: Vec<bool>,
    /// Is there anything by which threads synchronise at memory: a fence, an order stronger than relaxed, an asynchronous operation? Else strong
    /// accesses order no others, as weak ones.
    synchronizes: bool,
    /// Places that are mbarriers.
    mbarriers: Vec<bool>,
    /// Mbarriers that are initialised before anybody uses them.
    initial: BTreeSet<MemoryCell>,
    /// For each thread the registers whose values do.
    registers: Vec<FxHashSet<String>>,
    /// For each thread the registers of the loops that wait for what a lane brings, also where its value matters to nobody.
    awaited: Vec<FxHashSet<String>>,
    /// For each block: do all of its threads come to the same barriers, whatever happens?
    uniform: Vec<bool>,
    /// Where there are asynchronous operations, a number for each thread: those of one number are lanes of one warp that do the same where something
    /// is ordered or decided.
    alike: Vec<usize>,
    /// Where there are asynchronous operations, for each thread the places that it accesses, each time with the steps in front of that that order or
    /// decide something, and the number of the piece of its code.
    visits: Vec<BTreeMap<usize, Vec<(usize, usize)>>>,
    /// What [`Self::rivals`] gives.
    rivals: OnceCell<Vec<Rivals>>,
}

impl<'a> Slicer<'a> {
    /// Prepares a launch. What reaches a register that is asked about, or a place of `asked`, is kept.
    pub fn new(launch: Launch, code: &'a [Vec<Line>], barriers: &[Barriers], asked: &dyn Fn(MemoryCell) -> bool) -> Self {
        let counted = counted_barriers(launch, code);
        let code = if counted.is_empty() { Cow::Borrowed(code) } else { Cow::Owned(as_meetings(launch, code, &counted)) };
        let places = places(&code);
        let count = places.values().max().map_or(0, |&n| n + 1);
        let mut slicer = Self {
            launch,
            shares: vec![BTreeMap::new(); count],
            mixed: vec![false; count],
            relevant: vec![false; count],
            lanes: vec![false; count],
            strong: vec![false; count],
            signals: vec![false; count],
            synchronizes: code.iter().flatten().any(|(piece, _)| synchronizes(piece)),
            mbarriers: vec![false; count],
            initial: BTreeSet::new(),
            registers: vec![FxHashSet::default(); code.len()],
            awaited: vec![FxHashSet::default(); code.len()],
            uniform: uniform(launch, &code, barriers, &counted),
            places,
            alike: Vec::new(),
            visits: Vec::new(),
            rivals: OnceCell::new(),
            code: code.clone(),
        };
        let mut widths: Vec<Option<MemoryCell>> = vec![None; count];
        for (thread, code) in code.iter().enumerate() {
            for (piece, cell, strength) in code.iter().flat_map(|(p, _)| accesses(p).into_iter().map(move |(c, s)| (p, c, s))) {
                let place = slicer.places[&cell];
                slicer.mixed[place] |= *widths[place].get_or_insert(cell) != cell;
                slicer.lanes[place] |= matches!(cell.object, Object::Exchange(..));
                slicer.mbarriers[place] |= is_mbarrier(piece, cell);
                slicer.strong[place] |= strength != Strength::Weak;
                let is_asynchronous = matches!(piece, CodePiece::Issue(_) | CodePiece::Mbarrier(_));
                slicer.signals[place] |= writes(piece, cell) && (strength != Strength::Weak || is_asynchronous);
                slicer.relevant[place] |= asked(cell) || is_conditional(piece);
                let share = slicer.shares[place].entry(thread).or_default();
                share.reads |= matches!(piece, CodePiece::Read { .. }) || is_modification(piece);
                share.writes |= writes(piece, cell);
                share.is_asynchronous |= matches!(piece, CodePiece::Issue(issue) if issue.mbarrier != Some(cell));
                share.widest_weak |= strength == Strength::Weak;
                share.cta_only |= strength == Strength::Block;
            }
        }
        slicer.initial = initial_mbarriers(&code, &|thread| slicer.block(thread), &slicer.uniform);
        slicer.flow();
        slicer.alike = slicer.alike_lanes();
        if !slicer.alike.is_empty() {
            slicer.visits = slicer.visits_of_places();
        }
        slicer
    }

    /// Which accesses barriers keep apart.
    pub fn phases(&self) -> Phases {
        Phases::of(&self.code, &|thread| self.is_uniform(self.block(thread)), &|cell| self.places[&cell])
    }

    /// Are two threads of one block?
    pub fn share_a_block(&self, [a, b]: [usize; 2]) -> bool {
        self.block(a) == self.block(b)
    }

    /// Do all threads of each block come to the same barriers, whatever happens?
    pub fn all_meet(&self) -> bool {
        self.uniform.iter().all(|uniform| *uniform)
    }

    /// The cells whose values reach a branch or an address.
    pub fn relevant(&self) -> BTreeSet<MemoryCell> {
        self.places.iter().filter(|(_, place)| self.relevant[**place]).map(|(cell, _)| *cell).collect()
    }

    /// Which registers and places have values that matter.
    fn flow(&mut self) {
        for (thread, code) in self.code.iter().enumerate() {
            for (at, (piece, _)) in code.iter().enumerate() {
                match piece {
                    CodePiece::Jump(Some((register, _)), _) => match fetched(code, at) {
                        Some(value) => self.awaited[thread].extend([value.to_owned(), register.clone()]),
                        None => {
                            self.registers[thread].insert(register.clone());
                        }
                    },
                    // An mbarrier decides who goes on.
                    CodePiece::Mbarrier(_) => {
                        self.registers[thread].extend(piece.reads().into_iter().filter(|r| is_register(r)).map(str::to_owned));
                    }
                    CodePiece::Other(_) | CodePiece::Read { .. } | CodePiece::Write { .. } => {
                        let named = piece.writes().filter(|to| !is_inner(to)).map(str::to_owned);
                        self.registers[thread].extend(named);
                    }
                    _ => {}
                }
            }
        }
        loop {
            let mut changed = false;
            for (thread, code) in self.code.iter().enumerate() {
                for (at, (piece, _)) in code.iter().enumerate() {
                    // Where the value of a lane matters it is waited for.
                    if let CodePiece::Jump(Some((register, _)), _) = piece
                        && fetched(code, at).is_some_and(|value| self.registers[thread].contains(value))
                    {
                        changed |= self.registers[thread].insert(register.clone());
                    }
                    let cell = access(piece).map(|(cell, _)| self.places[&cell]);
                    let result = piece.writes().is_some_and(|to| self.registers[thread].contains(to));
                    if let (true, Some(place)) = (result, cell) {
                        changed |= !std::mem::replace(&mut self.relevant[place], true);
                    }
                    if let CodePiece::Issue(issue) = piece
                        && let Some(from) = issue.from()
                        && self.relevant[self.places[&issue.to]]
                    {
                        changed |= !std::mem::replace(&mut self.relevant[self.places[&from]], true);
                    }
                    let reads = match piece {
                        CodePiece::Other(_) => result,
                        CodePiece::Issue(_) => true,
                        CodePiece::Write { .. } => cell.is_some_and(|place| self.relevant[place]),
                        _ => false,
                    };
                    if reads {
                        for register in piece.reads() {
                            if is_register(register) && !self.registers[thread].contains(register) {
                                self.registers[thread].insert(register.to_owned());
                                changed = true;
                            }
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// What decides which way threads go, and what they leave where it is asked.
    pub fn base(&self) -> Slice {
        self.slice(SliceFocus::Nothing)
    }

    /// The accesses of two threads to a place, and what they depend on.
    pub fn of(&self, rivals: Rivals) -> Slice {
        self.slice(SliceFocus::Race(rivals))
    }

    /// What is written to a cell, what a thread reads there, and what they depend on; nothing where no test can say it: where the cell is accessed in
    /// two widths, is an mbarrier, or none of memory.
    pub fn of_reader(&self, cell: MemoryCell, thread: usize) -> Option<Slice> {
        let place = *self.places.get(&cell)?;
        let is_plain = !self.mixed[place] && !self.mbarriers[place] && !self.lanes[place];
        is_plain.then(|| self.slice(SliceFocus::Reader { place, thread }))
    }

    /// Do all threads of a block come to the same barriers?
    pub fn is_uniform(&self, block: usize) -> bool {
        self.uniform.get(block) == Some(&true)
    }

    /// Is a place accessed in two widths?
    pub fn is_mixed(&self, place: usize) -> bool {
        self.mixed[place]
    }

    /// Do values of a place decide which way threads go?
    pub fn is_relevant(&self, place: usize) -> bool {
        self.relevant[place]
    }

    /// Is a cell of a place?
    pub fn is_at(&self, cell: MemoryCell, place: usize) -> bool {
        self.places.get(&cell) == Some(&place)
    }

    /// Is some access of two threads to a place strong for the threads of their block alone, and are they of two blocks?
    pub fn is_out_of_scope(&self, place: usize, [a, b]: [usize; 2]) -> bool {
        let of_block = |thread| self.shares[place].get(&thread).is_some_and(|share| share.cta_only);
        self.block(a) != self.block(b) && (of_block(a) || of_block(b))
    }

    /// How a thread accesses each cell of a place: does it write, and is some access weak?
    pub fn cells_at(&self, place: usize, thread: usize) -> BTreeMap<MemoryCell, (bool, bool)> {
        let mut found: BTreeMap<MemoryCell, (bool, bool)> = BTreeMap::new();
        for (piece, _) in &self.code[thread] {
            for (cell, strength) in accesses(piece).into_iter().filter(|(cell, _)| self.is_at(*cell, place)) {
                let of = found.entry(cell).or_default();
                of.0 |= writes(piece, cell);
                of.1 |= strength == Strength::Weak;
            }
        }
        found
    }

    /// Is a place an mbarrier?
    pub fn is_mbarrier(&self, place: usize) -> bool {
        self.mbarriers[place]
    }

    /// Can no access of a round of a loop race? Then rounds that only wait need not be looked at for races. Races of mbarriers, which are those
    /// with their initialisation, are left out where they are not what is asked about.
    pub fn waits_are_strong(&self, with_mbarriers: bool) -> bool {
        let mut exposed: BTreeSet<usize> = BTreeSet::new();
        for rivals in self.rivals() {
            if with_mbarriers || !self.mbarriers[rivals.place] {
                exposed.insert(rivals.place);
            }
        }
        self.code.iter().all(|code| {
            let labels: BTreeMap<u32, usize> = code
                .iter()
                .enumerate()
                .filter_map(|(at, (p, _))| if let CodePiece::Label(l) = p { Some((*l, at)) } else { None })
                .collect();
            code.iter().enumerate().all(|(at, (piece, _))| {
                let CodePiece::Jump(_, to) = piece else { return true };
                let Some(&head) = labels.get(to).filter(|&&head| head < at) else { return true };
                let mut all = code[head..at].iter().flat_map(|(p, _)| accesses(p));
                all.all(|(cell, _)| !exposed.contains(&self.places[&cell]))
            })
        })
    }

    /// The same with 0 in place of every number that is written where values decide nothing: slices that are the same then race alike.
    pub fn without_values(&self, slice: &Slice) -> Slice {
        let mut same = slice.clone();
        for (piece, _) in same.code.iter_mut().flatten() {
            if let CodePiece::Write { operation, cell, operands, .. } = piece
                && writes_a_value(operation)
                && self.places.get(cell).is_some_and(|&place| !self.relevant[place])
            {
                *operands = vec!["0"; operands.split(", ").count()].join(", ");
            }
        }
        same
    }

    /// The same with fewer mbarriers, if that is less, those with the fewest first: what does not race in one of them does not race with all.
    pub fn narrowed(&self, slice: &Slice, rivals: Rivals) -> Vec<Slice> {
        let threads = rivals.threads.map(|thread| slice.number(thread));
        narrowed(slice, threads, &|cell| self.places.get(&cell) == Some(&rivals.place))
    }

    /// The same with copies that nobody asks about as nothing but what they tell their mbarriers of, at once; nothing where there are none. What such a
    /// program does, and where it races, the one with the copies does, too: each may be complete when it is issued.
    pub fn lean(&self, slice: &Slice, rivals: Option<Rivals>) -> Option<Slice> {
        let focus = rivals.map_or(SliceFocus::Nothing, SliceFocus::Race);
        let mut lean = slice.clone();
        let mut changed = false;
        for (code, thread) in lean.code.iter_mut().zip(&slice.members) {
            for (piece, _) in code {
                let CodePiece::Issue(issue) = piece else { continue };
                let Some(cell) = issue.mbarrier.filter(|_| !self.is_asked(*thread, issue, focus)) else { continue };
                let (operation, operands) = ("mbarrier.complete_tx.relaxed.cluster".to_owned(), issue.bytes.to_string());
                *piece = CodePiece::Mbarrier(MbarrierPiece { operation, to: None, cell, operands, how: MbarrierUse::Change });
                changed = true;
            }
        }
        changed.then_some(lean)
    }

    /// The block of a thread.
    pub fn block(&self, thread: usize) -> usize {
        thread / self.launch.threads.max(1) as usize
    }

    /// The same as [`Self::of`] with the threads that only read, and the waits in exchanges of warps.
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
                    let lines = self.code[thread].iter().filter_map(|line| self.kept(thread, line, (focus, waits))).collect();
                    let lines = without_idle_groups(without_idle_arrivals(lines));
                    let lines =
                        if matches!(focus, SliceFocus::Race(_)) { without_last_waits(without_last_groups(lines)) } else { lines };
                    (thread, without_idle_fences(tidy(self.with_sums(thread, lines, focus))))
                })
                .collect();
            // Where an mbarrier is asked about, its waits are.
            if *is_uniform && matches!(focus, SliceFocus::Race(rivals) if !self.mbarriers[rivals.place]) {
                while without_last_barriers(&mut kept) {
                    for (_, code) in &mut kept {
                        *code = without_idle_fences(tidy(without_last_waits(without_last_groups(std::mem::take(code)))));
                    }
                }
            }
            if *is_uniform && !waits {
                without_readers(&mut kept, &|thread| focus.is_of(thread), &|cell| self.may_signal(cell));
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
        slice.count_warps(&self.code);
        slice
    }

    /// May a thread that reads a cell by a strong operation be told something by that? It is where it sees a strong write (PTX ISA 8.9.5, observation).
    fn may_signal(&self, cell: MemoryCell) -> bool {
        self.synchronizes && self.signals[self.places[&cell]]
    }

    /// Is an asynchronous operation one of those that are asked about, or on which they depend?
    fn is_asked(&self, thread: usize, issue: &Issue, focus: SliceFocus) -> bool {
        let to = self.places[&issue.to];
        let of = |cell: MemoryCell, writes: bool| focus.has(self.places[&cell], thread, writes);
        of(issue.to, true)
            || issue.from().is_some_and(|from| of(from, false))
            || issue.maps.iter().any(|&map| of(map, false))
            || self.relevant[to]
            || self.strong[to]
    }

    /// Of cells that nobody asks about, of copies that follow each other, one is left: for whoever waits its bytes are those of all.
    fn with_sums(&self, thread: usize, code: Vec<Line>, focus: SliceFocus) -> Vec<Line> {
        let mut found: Vec<Line> = Vec::with_capacity(code.len());
        let mut sum: Option<usize> = None;
        for (piece, origin) in code {
            if let CodePiece::Issue(issue) = &piece
                && !self.is_asked(thread, issue, focus)
            {
                let is_same = |(p, _): &Line| matches!(p, CodePiece::Issue(of) if of.mbarrier == issue.mbarrier);
                match sum.filter(|&at| found[at..].iter().all(is_same)) {
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
            if let (CodePiece::Issue(issue), Some((CodePiece::Issue(last), _))) = (&piece, found.iter_mut().rev().find(plain))
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
        // An exchange of a warp orders nothing (9.7.9.6): who waits in one for another lane is of account only for who comes to an end.
        let is_awaited = |to: &str| waits && self.awaited[thread].contains(to);
        let result = piece.writes().is_some_and(|to| self.registers[thread].contains(to) || is_awaited(to));
        let Some((cell, strength)) = access(piece) else {
            let keep = match piece {
                CodePiece::Jump(Some((register, _)), _) => self.registers[thread].contains(register) || is_awaited(register),
                // Where a thread stops is asked about, and no part of a race.
                CodePiece::Other(_) if focus != SliceFocus::Nothing && piece.writes().is_some_and(|to| !is_inner(to)) => false,
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
            CodePiece::Read { .. } => strength != Strength::Weak && self.may_signal(cell) || result || is_rival,
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
            let constant = |word: &str| if is_register(word) { number.to_string() } else { word.to_owned() };
            *operands = operands.split(", ").map(constant).collect::<Vec<_>>().join(", ");
        }
        Some((piece, *origin))
    }
}

fn is_fence(piece: &CodePiece) -> bool {
    matches!(piece, CodePiece::Other(text) if text.starts_with("fence"))
}

/// May threads synchronise by a piece, or by what it accesses?
fn synchronizes(piece: &CodePiece) -> bool {
    match piece {
        CodePiece::Other(text) => text.starts_with("fence"),
        CodePiece::Read { operation, .. } | CodePiece::Write { operation, .. } => {
            operation.split(['.', ' ']).any(|word| matches!(word, "acquire" | "release" | "acq_rel" | "sc"))
        }
        CodePiece::Mbarrier(_) | CodePiece::Issue(_) | CodePiece::Group(_) | CodePiece::ClusterBarrier(_) => true,
        _ => false,
    }
}

/// For each block: do its threads come to the same barriers, all of the whole block or of a warp, and through them?
fn uniform(launch: Launch, code: &[Vec<Line>], barriers: &[Barriers], counted: &CountedBarriers) -> Vec<bool> {
    let threads = launch.threads.max(1) as usize;
    let of_block = |(block, all): (usize, &[Barriers])| {
        let fixed: Option<Vec<&Sequence>> = all.iter().map(|b| if let Barriers::Fixed(s) = b { Some(s) } else { None }).collect();
        fixed.is_some_and(|all| {
            let of = |s: &Sequence| {
                s.order
                    .iter()
                    .map(|(text, _)| text.clone())
                    .filter(|t| !t.contains(", 0, ") && !counted.contains(&(block, t.clone())))
                    .collect::<Vec<_>>()
            };
            let first = all.first().map(|s| of(s)).unwrap_or_default();
            first.iter().all(|text| !text.contains(", ")) && all.iter().all(|s| of(s) == first) && come_through(&all)
        })
    };
    // Where there is a barrier of the cluster, each thread waits there in the same order as the others.
    let in_order = |block: usize| {
        let code = &code[(block * threads).min(code.len())..((block + 1) * threads).min(code.len())];
        let has_clusters = code.iter().flatten().any(|(p, _)| matches!(p, CodePiece::ClusterBarrier(_)));
        !has_clusters || {
            let all: Option<Vec<Sequence>> = code.iter().map(|code| with_waits_of_clusters(code)).collect();
            all.is_some_and(|all| come_through(&all.iter().collect::<Vec<_>>()))
        }
    };
    barriers.chunks(threads).enumerate().map(|(block, all)| of_block((block, all)) && in_order(block)).collect()
}

/// Cells that overlap are of one place.
fn places(code: &[Vec<Line>]) -> BTreeMap<MemoryCell, usize> {
    let cells: BTreeSet<MemoryCell> = code.iter().flatten().flat_map(|(p, _)| p.cells()).collect();
    let mut sorted: Vec<MemoryCell> = cells.into_iter().collect();
    sorted.sort_by_key(|c| (c.object, c.offset, std::cmp::Reverse(c.bytes)));
    let mut found = BTreeMap::new();
    let mut open: Option<(Object, u64)> = None;
    let mut count = 0;
    for cell in sorted {
        let end = cell.offset + cell.bytes;
        match &mut open {
            Some((object, until)) if *object == cell.object && cell.offset < *until => *until = (*until).max(end),
            _ => {
                open = Some((cell.object, end));
                count += 1;
            }
        }
        found.insert(cell, count - 1);
    }
    found
}

fn is_register(word: &str) -> bool {
    words(word).next().is_some_and(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Is the operand of an operation what is written, or added? That of a fence is a size, and those of a compare-and-swap say whether it writes.
fn writes_a_value(operation: &str) -> bool {
    ["st.", "red.", "atom."].iter().any(|start| operation.starts_with(start)) && !operation.contains(".cas")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::ask::{KernelQuestion, reached};
    use crate::layout::Layout;
    use crate::passing::arguments;
    use crate::program::Executed;
    use crate::thread::PreparedModule;

    /// A barrier between two blocks of 33 threads: whatever thread writes, and whatever number, its races are those of one pair or another.
    #[test]
    fn slices_that_differ_in_what_is_written_are_one() {
        let text = include_str!("../../tests/kernels/grid.ptx");
        let module = margay_ptx::read(text).expect("it is read");
        let kernel = module.function("grid_barrier").expect("a kernel");
        let launch = "2x33".parse().expect("a launch");
        let (question, prepared) = (KernelQuestion::new(text, &module, kernel), PreparedModule::new(&module));
        let function = &module.functions[kernel];
        let (arguments, _) = arguments(&question, &prepared, function, launch).expect("arguments");
        let layout = Layout::new(&module, function, &reached(&prepared, kernel), &arguments, 1).expect("memory");
        let executed = Executed::new(&prepared, &layout, kernel, launch, &[], &|| false).expect("threads");
        let slicer = executed.slicer(&|_| false);
        let rivals = slicer.rivals();
        let shapes: BTreeSet<String> =
            rivals.iter().map(|&rivals| executed.shape(&slicer.without_values(&slicer.of(rivals)))).collect();
        assert!(rivals.len() >= 66 && shapes.len() <= 4, "{} pairs, {} tests", rivals.len(), shapes.len());
    }
}
