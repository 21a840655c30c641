//! All paths of all threads in one: events that paths have in common are one event, which is there
//! if a path through it is taken.
//!
//! Paths are the same up to the first step that differs, and they may meet again behind it: the
//! same step in the same round, with the same value, is one event on all of them. Thread order,
//! dependencies, read-modify-writes and barrier rounds are those of the event, whatever path is
//! taken: an event that depends on a read of one path depends on nothing more on another one, where
//! that read is not there. Where that is not so, the paths have an event each.

use margay_models::execution::{EventData, Kind, Scope};
use rustc_hash::FxHashMap;

use super::path::{PathEvent, Positions};
use super::symbol::{Binary, Symbol, SymbolNode, Symbols, Unary};
use super::{UnfoldError, Unfolding};

/// Where in [`MergedEvent::depends`] the reads are that what it writes depends on.
pub(super) const DATA: usize = 1;

/// What a value is, over merged events; operands come before what is computed from them, and equal
/// values are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MergedValue {
    Number(i64),
    /// What a read returns, by its number among the merged events.
    Read(usize),
    Unary(Unary, ValueId),
    Binary(Binary, ValueId, ValueId),
}

/// An index into [`Merged::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ValueId(pub u32);

impl ValueId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event of one or several paths of a thread, or an initial write.
#[derive(Debug, Clone)]
pub(crate) struct MergedEvent {
    pub data: EventData,
    /// The events before it in its thread, on any path, and the paths through it.
    before: Bits,
    through: Bits,
    /// How many events like this one, for barriers, come before it in its thread.
    pub barrier_round: usize,
    /// What a write writes.
    pub value: Option<ValueId>,
    /// The reads that its address, its data and its execution depend on; what was done before the
    /// instruction that issued it, and the events whose completion it waits for.
    pub depends: [Vec<usize>; 5],
    /// The read of the read-modify-write that it is the write of.
    pub modifies: Option<usize>,
    /// Is it on every path of its thread?
    pub always: bool,
}

/// What an event of one path must have in common with one of another path to be the same.
#[derive(PartialEq, Eq, Hash)]
struct Likeness<'a> {
    data: &'a EventData,
    step: usize,
    rounds: &'a [(usize, usize)],
    barrier_round: usize,
    value: Option<ValueId>,
    modifies: Option<usize>,
}

/// A set of small numbers.
#[derive(Debug, Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn insert(&mut self, n: usize) {
        if self.0.len() <= n / 64 {
            self.0.resize(n / 64 + 1, 0);
        }
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn contains(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// One path of a thread.
#[derive(Debug, Clone)]
pub(crate) struct MergedPath {
    pub events: Vec<usize>,
    /// Values that must be different from 0 (true) or 0 (false).
    pub suppositions: Vec<(ValueId, bool)>,
    /// The registers at the end.
    pub registers: Vec<(String, ValueId)>,
}

/// The paths of all threads, merged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Merged {
    /// Threads one after the other, parents first; then the initial writes.
    pub events: Vec<MergedEvent>,
    /// For each thread its first event.
    firsts: Vec<usize>,
    /// For each thread its paths, in the order of the unfolding.
    pub paths: Vec<Vec<MergedPath>>,
    pub values: Vec<MergedValue>,
    /// Combinations of paths in which a thread waits at a barrier for ever: for each thread the
    /// paths in them.
    pub unmet: Vec<Vec<Vec<usize>>>,
    known: FxHashMap<MergedValue, ValueId>,
}

impl Merged {
    /// Merges the paths of an unfolding.
    ///
    /// # Errors
    /// The threads come to barriers in too many ways.
    pub fn new(unfolding: &Unfolding) -> Result<Self, UnfoldError> {
        let mut merged = Self { unmet: unfolding.unmet()?, ..Self::default() };
        for (t, paths) in unfolding.paths.iter().enumerate() {
            // Events that may be the same, by what they must have in common.
            let mut alike: FxHashMap<Likeness<'_>, Vec<usize>> = FxHashMap::default();
            let first = merged.events.len();
            let mut merged_paths = Vec::with_capacity(paths.len());
            for (number, path) in paths.iter().enumerate() {
                let mut computed = FxHashMap::default();
                let mut events: Vec<usize> = Vec::with_capacity(path.events.len());
                for e in &path.events {
                    let value = e
                        .value
                        .map(|s| merged.value(&unfolding.symbols[t], s, &events, &mut computed));
                    let reads =
                        |positions: Positions| positions.iter().map(|p| events[p]).collect();
                    let depends: [Vec<usize>; 5] = [
                        e.address_reads,
                        e.data_reads,
                        e.control_reads,
                        e.issued_after,
                        e.completes,
                    ]
                    .map(reads);
                    let modifies = e.modifies.map(|read| events[usize::from(read)]);
                    let so_far = &path.events[..events.len()];
                    let barrier = |e: &PathEvent| (e.data.kind, e.data.barrier, e.data.scope);
                    let is_at_barrier =
                        matches!(e.data.kind, Kind::BarrierArrive | Kind::BarrierWait);
                    let barrier_round = so_far
                        .iter()
                        .filter(|other| is_at_barrier && barrier(other) == barrier(e))
                        .count();
                    let likeness = Likeness {
                        data: &e.data,
                        step: e.step,
                        rounds: &e.rounds,
                        barrier_round,
                        value,
                        modifies,
                    };
                    let known = alike.entry(likeness).or_default();
                    let same = known
                        .iter()
                        .copied()
                        .find(|&event| merged.may_be(event, &events, &depends, first));
                    let event = same.unwrap_or_else(|| {
                        known.push(merged.events.len());
                        merged.events.push(MergedEvent {
                            data: EventData { thread: Some(t as u16), ..e.data.clone() },
                            before: Bits::default(),
                            through: Bits::default(),
                            barrier_round,
                            value,
                            depends: std::array::from_fn(|_| Vec::new()),
                            modifies,
                            always: false,
                        });
                        merged.events.len() - 1
                    });
                    let of = &mut merged.events[event];
                    of.through.insert(number);
                    events.iter().for_each(|&other| of.before.insert(other - first));
                    for (all, more) in of.depends.iter_mut().zip(depends) {
                        all.extend(more);
                        all.sort_unstable();
                        all.dedup();
                    }
                    events.push(event);
                }
                let mut value =
                    |s: Symbol| merged.value(&unfolding.symbols[t], s, &events, &mut computed);
                let suppositions =
                    path.suppositions.iter().map(|&(s, holds)| (value(s), holds)).collect();
                let registers =
                    path.registers.iter().map(|(name, s)| (name.clone(), value(*s))).collect();
                merged_paths.push(MergedPath { events, suppositions, registers });
            }
            for event in &mut merged.events[first..] {
                event.always = event.through.len() == paths.len();
            }
            merged.firsts.push(first);
            merged.paths.push(merged_paths);
        }
        for (l, initial) in unfolding.shared.initial_writes() {
            let value = Some(merged.add(MergedValue::Number(initial)));
            let data = unfolding.shared.initial_event(l, initial);
            let depends = std::array::from_fn(|_| Vec::new());
            let (before, through) = (Bits::default(), Bits::default());
            let of_no_thread = MergedEvent {
                data,
                before,
                through,
                barrier_round: 0,
                value,
                depends,
                modifies: None,
                always: true,
            };
            merged.events.push(of_no_thread);
        }
        Ok(merged)
    }

    fn add(&mut self, value: MergedValue) -> ValueId {
        *self.known.entry(value).or_insert_with(|| {
            self.values.push(value);
            ValueId((self.values.len() - 1) as u32)
        })
    }

    /// A symbolic value of a path, whose events are given.
    fn value(
        &mut self,
        symbols: &Symbols,
        symbol: Symbol,
        events: &[usize],
        known: &mut FxHashMap<Symbol, ValueId>,
    ) -> ValueId {
        if let Some(&value) = known.get(&symbol) {
            return value;
        }
        let value = match symbols.node(symbol) {
            SymbolNode::Constant(n) => MergedValue::Number(n),
            SymbolNode::Read(position) => MergedValue::Read(events[usize::from(position)]),
            SymbolNode::Unary(operator, a) => {
                MergedValue::Unary(operator, self.value(symbols, a, events, known))
            }
            SymbolNode::Binary(operator, a, b) => {
                let (a, b) =
                    (self.value(symbols, a, events, known), self.value(symbols, b, events, known));
                MergedValue::Binary(operator, a, b)
            }
        };
        let value = self.add(value);
        known.insert(symbol, value);
        value
    }

    /// Can an event of other paths be the next one of a path that has come through some events,
    /// with what it depends on there?
    fn may_be(
        &self,
        event: usize,
        so_far: &[usize],
        depends: &[Vec<usize>; 5],
        first: usize,
    ) -> bool {
        let of = &self.events[event];
        let in_order =
            so_far.iter().all(|&e| e != event && !self.events[e].before.contains(event - first));
        in_order
            && of.depends.iter().zip(depends).all(|(known, here)| {
                // What is known of it holds on this path, and what is new does so on the others,
                // where it is there.
                let holds_here = known.iter().all(|d| here.contains(d) || !so_far.contains(d));
                holds_here
                    && here
                        .iter()
                        .all(|d| known.contains(d) || !self.events[*d].through.meets(&of.through))
            })
    }

    /// Is the first event before the second one in their thread, on every path with both?
    pub fn precedes(&self, a: usize, b: usize) -> bool {
        let Some(thread) = self.events[b]
            .data
            .thread
            .filter(|_| self.events[a].data.thread == self.events[b].data.thread)
        else {
            return false;
        };
        let first = self.firsts[usize::from(thread)];
        a >= first && self.events[b].before.contains(a - first)
    }

    /// Can both be in one execution?
    pub fn coexist(&self, a: usize, b: usize) -> bool {
        let (s, t) = (self.events[a].data.thread, self.events[b].data.thread);
        s.is_none() || s != t || self.events[a].through.meets(&self.events[b].through)
    }

    /// How many events like this one, for barriers, come before it in its thread.
    pub fn barrier_round(&self, event: usize) -> usize {
        self.events[event].barrier_round
    }

    /// The level of a barrier event: that of a warp, a cluster, the system (of launches), or a cta.
    pub fn barrier_level(&self, event: usize) -> Scope {
        self.events[event].data.scope.filter(|&scope| scope != Scope::Gpu).unwrap_or(Scope::Cta)
    }
}
