//! What of a launch a question depends on: the other accesses, and threads that are left with none,
//! are taken out before an engine is asked.
//!
//! Taken out are weak accesses to places whose values reach no branch and nothing that is asked
//! about, and threads that then access nothing. A weak access is in no pattern that synchronises
//! (PTX ISA 8.7), so causality between the others stays as it is, and every execution of the
//! program is one of the slice once these events are gone: what no execution of the slice shows,
//! none of the program does. The other way round, an execution of the slice becomes one of the
//! program if the accesses are put back in an order that extends causality, each read behind the
//! last write in front of it.
//!
//! A data race is one of two threads at one place. So it is asked place by place and pair by pair,
//! with the accesses of the others to that place taken out as well; slices that differ in names
//! alone are asked about once.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::access::{
    AccessStrength, accesses, is_conditional, is_mbarrier, is_modification, writes,
};
use crate::counted::{as_meetings, counted_barriers};
use crate::initial::initial_mbarriers;
use crate::launch::Launch;
use crate::layout::Object;
use crate::meeting::Barriers;
use crate::phase::Phases;
use crate::residue::{CodePiece, Line, MemoryCell, words};

mod focus;
mod lesser;
mod part;
mod relevance;
mod rivals;
mod stays;
mod uniform;

pub(crate) use self::part::Slice;
pub(crate) use self::rivals::Rivals;
use self::rivals::Share;
use self::uniform::uniform;

/// The launch, prepared for slices.
pub(crate) struct Slicer<'a> {
    launch: Launch,
    code: Cow<'a, [Vec<Line>]>,
    /// Bytes that overlap are of one place; each cell's place.
    places: BTreeMap<MemoryCell, usize>,
    /// For each place and thread how it is accessed.
    shares: Vec<BTreeMap<usize, Share>>,
    /// For each place the bytes that are accessed there first.
    cells: Vec<Option<MemoryCell>>,
    /// Is a place accessed in more than one width?
    mixed: Vec<bool>,
    /// Places whose values reach a branch, an address, or what is asked.
    relevant: Vec<bool>,
    /// Places through which lanes of a warp exchange values.
    lanes: Vec<bool>,
    /// Places that some access is strong to.
    strong: Vec<bool>,
    /// Places that something writes by which threads may synchronise: a strong write, or what is
    /// asynchronous.
    signals: Vec<bool>,
    /// Is there anything by which threads synchronise at memory: a fence, an order stronger than
    /// relaxed, an asynchronous operation? Else strong accesses order no others, as weak ones.
    synchronizes: bool,
    /// Places that are mbarriers.
    mbarriers: Vec<bool>,
    /// Mbarriers that are initialised before anybody uses them.
    initial: BTreeSet<MemoryCell>,
    /// Mbarriers that are told of fewer bytes than copies bring: a phase of one may be complete
    /// before they all are.
    untold: BTreeSet<MemoryCell>,
    /// For each thread the registers whose values do.
    registers: Vec<FxHashSet<String>>,
    /// For each thread the registers of the loops that wait for what a lane brings, also where its
    /// value matters to nobody.
    awaited: Vec<FxHashSet<String>>,
    /// For each block: do all of its threads come to the same barriers, whatever happens?
    uniform: Vec<bool>,
    /// Where there are asynchronous operations, a number for each thread: those of one number are
    /// lanes of one warp that do the same where something is ordered or decided.
    alike: Vec<usize>,
    /// Where there are asynchronous operations, for each thread the places that it accesses, each
    /// time with the steps in front of that that order or decide something, and the number of the
    /// piece of its code.
    visits: Vec<BTreeMap<usize, Vec<(usize, usize)>>>,
    /// What [`Self::rivals`] gives.
    rivals: OnceCell<Vec<Rivals>>,
}

impl<'a> Slicer<'a> {
    /// Prepares a launch. What reaches a register that is asked about, or a place of `asked`, is
    /// kept.
    pub fn new(
        launch: Launch,
        code: &'a [Vec<Line>],
        barriers: &[Barriers],
        asked: &dyn Fn(MemoryCell) -> bool,
    ) -> Self {
        let counted = counted_barriers(launch, code);
        let code = if counted.is_empty() {
            Cow::Borrowed(code)
        } else {
            Cow::Owned(as_meetings(launch, code, &counted))
        };
        let places = places(&code);
        let count = places.values().max().map_or(0, |&n| n + 1);
        let mut slicer = Self {
            launch,
            shares: vec![BTreeMap::new(); count],
            cells: vec![None; count],
            mixed: vec![false; count],
            relevant: vec![false; count],
            lanes: vec![false; count],
            strong: vec![false; count],
            signals: vec![false; count],
            synchronizes: code.iter().flatten().any(|(piece, _)| synchronizes(piece)),
            mbarriers: vec![false; count],
            initial: BTreeSet::new(),
            untold: told_of_too_few(&code),
            registers: vec![FxHashSet::default(); code.len()],
            awaited: vec![FxHashSet::default(); code.len()],
            uniform: uniform(launch, &code, barriers, &counted),
            places,
            alike: Vec::new(),
            visits: Vec::new(),
            rivals: OnceCell::new(),
            code: code.clone(),
        };
        for (thread, code) in code.iter().enumerate() {
            for (piece, cell, strength) in
                code.iter().flat_map(|(p, _)| accesses(p).into_iter().map(move |(c, s)| (p, c, s)))
            {
                let place = slicer.places[&cell];
                slicer.mixed[place] |= *slicer.cells[place].get_or_insert(cell) != cell;
                slicer.lanes[place] |= matches!(cell.object, Object::Exchange(..));
                slicer.mbarriers[place] |= is_mbarrier(piece, cell);
                slicer.strong[place] |= strength != AccessStrength::Weak;
                let is_asynchronous = matches!(piece, CodePiece::Issue(_) | CodePiece::Mbarrier(_));
                slicer.signals[place] |=
                    writes(piece, cell) && (strength != AccessStrength::Weak || is_asynchronous);
                slicer.relevant[place] |= asked(cell) || is_conditional(piece);
                let share = slicer.shares[place].entry(thread).or_default();
                share.reads |= matches!(piece, CodePiece::Read { .. }) || is_modification(piece);
                share.writes |= writes(piece, cell);
                share.is_asynchronous |=
                    matches!(piece, CodePiece::Issue(issue) if issue.mbarrier != Some(cell));
                share.widest_weak |= strength == AccessStrength::Weak;
                share.cta_only |= strength == AccessStrength::Block;
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
        Phases::of(&self.code, &|thread| self.is_uniform(self.block(thread)), &|cell| {
            self.places[&cell]
        })
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
        self.places
            .iter()
            .filter(|(_, place)| self.relevant[**place])
            .map(|(cell, _)| *cell)
            .collect()
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

    /// The bytes of a place that is accessed in one width.
    pub fn cell_at(&self, place: usize) -> Option<MemoryCell> {
        self.cells[place].filter(|_| !self.mixed[place])
    }

    pub fn is_at(&self, cell: MemoryCell, place: usize) -> bool {
        self.places.get(&cell) == Some(&place)
    }

    /// Is some access of two threads to a place strong for the threads of their block alone, and
    /// are they of two blocks?
    pub fn is_out_of_scope(&self, place: usize, [a, b]: [usize; 2]) -> bool {
        let of_block = |thread| self.shares[place].get(&thread).is_some_and(|share| share.cta_only);
        self.block(a) != self.block(b) && (of_block(a) || of_block(b))
    }

    /// How a thread accesses each cell of a place: does it write, and is some access weak?
    pub fn cells_at(&self, place: usize, thread: usize) -> BTreeMap<MemoryCell, (bool, bool)> {
        let mut found: BTreeMap<MemoryCell, (bool, bool)> = BTreeMap::new();
        for (piece, _) in &self.code[thread] {
            for (cell, strength) in
                accesses(piece).into_iter().filter(|(cell, _)| self.is_at(*cell, place))
            {
                let of = found.entry(cell).or_default();
                of.0 |= writes(piece, cell);
                of.1 |= strength == AccessStrength::Weak;
            }
        }
        found
    }

    pub fn is_mbarrier(&self, place: usize) -> bool {
        self.mbarriers[place]
    }

    /// Can no access of a round of a loop race? Then rounds that only wait need not be looked at
    /// for races. Races of mbarriers, which are those with their initialisation, are left out where
    /// they are not what is asked about.
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
                .filter_map(
                    |(at, (p, _))| if let CodePiece::Label(l) = p { Some((*l, at)) } else { None },
                )
                .collect();
            code.iter().enumerate().all(|(at, (piece, _))| {
                let CodePiece::Jump(_, to) = piece else { return true };
                let Some(&head) = labels.get(to).filter(|&&head| head < at) else { return true };
                let mut all = code[head..at].iter().flat_map(|(p, _)| accesses(p));
                all.all(|(cell, _)| !exposed.contains(&self.places[&cell]))
            })
        })
    }

    /// Threads are numbered block by block.
    pub fn block(&self, thread: usize) -> usize {
        thread / self.launch.threads.max(1) as usize
    }
}

/// May threads synchronise by a piece, or by what it accesses?
fn synchronizes(piece: &CodePiece) -> bool {
    match piece {
        CodePiece::Other(text) => text.starts_with("fence"),
        CodePiece::Read { operation, .. } | CodePiece::Write { operation, .. } => operation
            .split(['.', ' '])
            .any(|word| matches!(word, "acquire" | "release" | "acq_rel" | "sc")),
        CodePiece::Mbarrier(_)
        | CodePiece::Issue(_)
        | CodePiece::Group(_)
        | CodePiece::ClusterBarrier(_) => true,
        _ => false,
    }
}

/// Mbarriers that are told of fewer bytes than copies bring, where all of these are numbers.
fn told_of_too_few(code: &[Vec<Line>]) -> BTreeSet<MemoryCell> {
    let mut told: BTreeMap<MemoryCell, Option<u64>> = BTreeMap::new();
    let mut brought: BTreeMap<MemoryCell, u64> = BTreeMap::new();
    for (piece, _) in code.iter().flatten() {
        match piece {
            CodePiece::Mbarrier(of) if of.operation.contains("expect_tx") => {
                let all = told.entry(of.cell).or_insert(Some(0));
                *all = all.zip(of.operands.parse().ok()).map(|(all, more): (u64, u64)| all + more);
            }
            CodePiece::Issue(issue) => {
                if let Some(of) = issue.mbarrier {
                    *brought.entry(of).or_default() += issue.bytes;
                }
            }
            _ => {}
        }
    }
    let is_too_few = |(cell, bytes): (MemoryCell, u64)| {
        told.get(&cell).copied().unwrap_or(Some(0)).is_some_and(|told| told < bytes).then_some(cell)
    };
    brought.into_iter().filter_map(is_too_few).collect()
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
            Some((object, until)) if *object == cell.object && cell.offset < *until => {
                *until = (*until).max(end)
            }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::layout::Layout;
    use crate::passing::arguments;
    use crate::program::Executed;
    use crate::question::KernelQuestion;
    use crate::reached::reached;
    use crate::thread::PreparedModule;

    /// A barrier between two blocks of 33 threads: whatever thread writes, and whatever number, its
    /// races are those of one pair or another.
    #[test]
    fn slices_that_differ_in_what_is_written_are_one() {
        let text = include_str!("../../tests/kernels/grid.ptx");
        let module = margay_ptx::read(text).expect("it is read");
        let kernel = module.function("grid_barrier").expect("a kernel");
        let launch = "2x33".parse().expect("a launch");
        let (question, prepared) =
            (KernelQuestion::new(text, &module, kernel), PreparedModule::new(&module));
        let function = &module.functions[kernel];
        let (arguments, _) = arguments(&question, &prepared, function, launch).expect("arguments");
        let layout = Layout::new(&module, function, &reached(&prepared, kernel), &arguments, 1)
            .expect("memory");
        let executed =
            Executed::new(&prepared, &layout, kernel, launch, &[], &|| false).expect("threads");
        let slicer = executed.slicer(&|_| false);
        let rivals = slicer.rivals();
        let shapes: BTreeSet<String> = rivals
            .iter()
            .map(|&rivals| {
                executed
                    .shape(&slicer.without_values(&slicer.of(rivals)), slicer.cell_at(rivals.place))
            })
            .collect();
        assert!(
            rivals.len() >= 66 && shapes.len() <= 4,
            "{} pairs, {} tests",
            rivals.len(),
            shapes.len()
        );
    }
}
