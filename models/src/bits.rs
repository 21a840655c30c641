//! Sets of events and binary relations over events as machine words: the data of the judge.
//!
//! An execution has at most [`MAX_EVENTS`] events, so that a set is one word and a relation one word for each event.

use std::fmt;

/// The largest number of events (initial writes included) of one execution.
pub const MAX_EVENTS: usize = 64;

/// An event of one execution: its index in [`crate::execution::Execution::events`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event(pub u8);

impl Event {
    /// The index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl From<usize> for Event {
    fn from(index: usize) -> Self {
        debug_assert!(index < MAX_EVENTS);
        Event(index as u8)
    }
}

/// A set of events, bit `i` for event `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EventSet(pub u64);

impl EventSet {
    /// No event.
    pub const EMPTY: EventSet = EventSet(0);

    /// The first `n` events.
    pub fn first(n: usize) -> Self {
        if n >= 64 { EventSet(u64::MAX) } else { EventSet((1 << n) - 1) }
    }

    /// Is the event in the set?
    pub fn contains(self, e: Event) -> bool {
        self.0 >> e.0 & 1 == 1
    }

    /// Puts an event in.
    pub fn insert(&mut self, e: Event) {
        self.0 |= 1 << e.0;
    }

    /// Takes an event out.
    pub fn remove(&mut self, e: Event) {
        self.0 &= !(1 << e.0);
    }

    /// Is there no event?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of events.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The events, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Event> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let e = rest.trailing_zeros() as u8;
                rest &= rest - 1;
                Event(e)
            })
        })
    }
}

impl FromIterator<Event> for EventSet {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        let mut set = EventSet::EMPTY;
        for e in events {
            set.insert(e);
        }
        set
    }
}

impl fmt::Debug for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|e| e.0)).finish()
    }
}

/// A binary relation over the events `0..n`: row `a` is the set of the `b` with `(a, b)` in the relation.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct BitMatrix {
    /// One set of successors for each event.
    rows: Vec<EventSet>,
}

impl BitMatrix {
    /// The empty relation over `n` events.
    pub fn new(n: usize) -> Self {
        debug_assert!(n <= MAX_EVENTS);
        Self { rows: vec![EventSet::EMPTY; n] }
    }

    /// From pairs, over `n` events.
    pub fn from_pairs(n: usize, pairs: impl IntoIterator<Item = (Event, Event)>) -> Self {
        let mut m = Self::new(n);
        for (a, b) in pairs {
            m.insert(a, b);
        }
        m
    }

    /// The number of events it ranges over.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// Is the pair in the relation?
    pub fn contains(&self, a: Event, b: Event) -> bool {
        self.rows[a.index()].contains(b)
    }

    /// Puts a pair in.
    pub fn insert(&mut self, a: Event, b: Event) {
        self.rows[a.index()].insert(b);
    }

    /// Takes a pair out.
    pub fn remove(&mut self, a: Event, b: Event) {
        self.rows[a.index()].remove(b);
    }

    /// The successors of an event.
    pub fn row(&self, a: Event) -> EventSet {
        self.rows[a.index()]
    }

    /// The successors of an event, to change.
    pub fn row_mut(&mut self, a: Event) -> &mut EventSet {
        &mut self.rows[a.index()]
    }

    /// The predecessors of an event.
    pub fn column(&self, b: Event) -> EventSet {
        (0..self.rows.len()).map(Event::from).filter(|&a| self.contains(a, b)).collect()
    }

    /// Is there no pair?
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|r| r.is_empty())
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|r| r.len()).sum()
    }

    /// The pairs, in ascending order.
    pub fn pairs(&self) -> impl Iterator<Item = (Event, Event)> + '_ {
        self.rows.iter().enumerate().flat_map(|(a, row)| row.iter().map(move |b| (Event::from(a), b)))
    }
}

impl fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs().map(|(a, b)| (a.0, b.0))).finish()
    }
}
