//! All paths of all threads in one: events that paths have in common are one event.
//!
//! Within a thread two paths are the same up to the first step that differs, and what an event depends on is before it. So the
//! paths of a thread are a tree of events: an event is there if a path through it is taken. Thread order, dependencies,
//! read-modify-writes and barrier rounds of an event are the same on all of these.

use margay_models::execution::{EventData, Scope};
use rustc_hash::FxHashMap;

use super::path::PathEvent;
use super::symbol::{Binary, Node, Symbol, Symbols, Unary};
use super::{Error, Unfolding};

/// What a value is, over merged events; operands come before what is computed from them, and equal values are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Number(i64),
    /// What a read returns, by its number among the merged events.
    Read(usize),
    Unary(Unary, ValueId),
    Binary(Binary, ValueId, ValueId),
}

/// An index into [`Merged::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// The event before it in its thread.
    pub parent: Option<usize>,
    /// What a write writes.
    pub value: Option<ValueId>,
    /// The reads that its address, its data and its execution depend on; what was done before the instruction that issued it, and the events
    /// whose completion it waits for.
    pub depends: [Vec<usize>; 5],
    /// The read of the read-modify-write that it is the write of.
    pub modifies: Option<usize>,
    /// Is it on every path of its thread?
    pub always: bool,
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
    /// For each thread its paths, in the order of the unfolding.
    pub paths: Vec<Vec<MergedPath>>,
    pub values: Vec<Value>,
    /// Combinations of paths in which a thread waits at a barrier for ever: for each thread the paths in them.
    pub unmet: Vec<Vec<Vec<usize>>>,
    known: FxHashMap<Value, ValueId>,
}

impl Merged {
    /// Merges the paths of an unfolding.
    ///
    /// # Errors
    /// The threads come to barriers in too many ways.
    pub fn new(unfolding: &Unfolding) -> Result<Self, Error> {
        let mut merged = Self { unmet: unfolding.unmet()?, ..Self::default() };
        for (t, paths) in unfolding.paths.iter().enumerate() {
            // The events behind each event (none: the first ones), and the number of paths through each.
            let mut behind: FxHashMap<Option<usize>, Vec<(&PathEvent, usize)>> = FxHashMap::default();
            let mut through: FxHashMap<usize, usize> = FxHashMap::default();
            let mut merged_paths = Vec::with_capacity(paths.len());
            for path in paths {
                let mut computed = FxHashMap::default();
                let mut events: Vec<usize> = Vec::with_capacity(path.events.len());
                for e in &path.events {
                    let parent = events.last().copied();
                    let siblings = behind.entry(parent).or_default();
                    let known = siblings.iter().find(|(of, _)| *of == e).map(|&(_, event)| event);
                    let event = known.unwrap_or_else(|| {
                        siblings.push((e, merged.events.len()));
                        let value = e.value.map(|s| merged.value(&unfolding.symbols[t], s, &events, &mut computed));
                        let reads = |mask: u64| (0..64).filter(|p| mask >> p & 1 == 1).map(|p| events[p]).collect();
                        merged.events.push(MergedEvent {
                            data: EventData { thread: Some(t as u8), ..e.data.clone() },
                            parent,
                            value,
                            depends: [e.address_reads, e.data_reads, e.control_reads, e.issued_after, e.completes].map(reads),
                            modifies: e.modifies.map(|read| events[usize::from(read)]),
                            always: false,
                        });
                        merged.events.len() - 1
                    });
                    *through.entry(event).or_default() += 1;
                    events.push(event);
                }
                let mut value = |s: Symbol| merged.value(&unfolding.symbols[t], s, &events, &mut computed);
                let suppositions = path.suppositions.iter().map(|&(s, holds)| (value(s), holds)).collect();
                let registers = path.registers.iter().map(|(name, s)| (name.clone(), value(*s))).collect();
                merged_paths.push(MergedPath { events, suppositions, registers });
            }
            for (event, paths_through) in through {
                merged.events[event].always = paths_through == paths.len();
            }
            merged.paths.push(merged_paths);
        }
        for (l, initial) in unfolding.shared.initial_writes() {
            let value = Some(merged.add(Value::Number(initial)));
            let data = unfolding.shared.initial_event(l, initial);
            let depends = std::array::from_fn(|_| Vec::new());
            merged.events.push(MergedEvent { data, parent: None, value, depends, modifies: None, always: true });
        }
        Ok(merged)
    }

    fn add(&mut self, value: Value) -> ValueId {
        *self.known.entry(value).or_insert_with(|| {
            self.values.push(value);
            ValueId((self.values.len() - 1) as u32)
        })
    }

    /// A symbolic value of a path, whose events are given.
    fn value(&mut self, symbols: &Symbols, symbol: Symbol, events: &[usize], known: &mut FxHashMap<Symbol, ValueId>) -> ValueId {
        if let Some(&value) = known.get(&symbol) {
            return value;
        }
        let value = match symbols.node(symbol) {
            Node::Constant(n) => Value::Number(n),
            Node::Read(position) => Value::Read(events[usize::from(position)]),
            Node::Unary(operator, a) => Value::Unary(operator, self.value(symbols, a, events, known)),
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.value(symbols, a, events, known), self.value(symbols, b, events, known));
                Value::Binary(operator, a, b)
            }
        };
        let value = self.add(value);
        known.insert(symbol, value);
        value
    }

    /// Is the first event before the second one in their thread, on every path with the second one?
    pub fn precedes(&self, a: usize, b: usize) -> bool {
        let mut at = self.events[b].parent;
        // Parents have smaller numbers.
        while let Some(e) = at.filter(|&e| e > a) {
            at = self.events[e].parent;
        }
        at == Some(a)
    }

    /// Can both be in one execution?
    pub fn coexist(&self, a: usize, b: usize) -> bool {
        let (s, t) = (self.events[a].data.thread, self.events[b].data.thread);
        s.is_none() || s != t || a == b || self.precedes(a, b) || self.precedes(b, a)
    }

    /// How many events like this one, for barriers, come before it in its thread.
    pub fn barrier_round(&self, event: usize) -> usize {
        let of = |e: usize| (self.events[e].data.kind, self.events[e].data.barrier, self.events[e].data.scope);
        let mut round = 0;
        let mut at = self.events[event].parent;
        while let Some(e) = at {
            round += usize::from(of(e) == of(event));
            at = self.events[e].parent;
        }
        round
    }

    /// The level of a barrier event: that of a warp, a cluster, the system (of launches), or a cta.
    pub fn barrier_level(&self, event: usize) -> Scope {
        self.events[event].data.scope.filter(|&scope| scope != Scope::Gpu).unwrap_or(Scope::Cta)
    }
}
