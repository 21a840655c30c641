//! A structure: a few events, and which of them are in each set and relation. Rows and columns of
//! relations are words of 128 bits.

use crate::logic::{EventAtom, Pred};

/// Which events are in which sets and relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    events: usize,
    /// For each symbol its row of each event: the events that it relates it to. A set is the
    /// diagonal of such a matrix.
    rows: Box<[u128]>,
    /// The same from the other side.
    columns: Box<[u128]>,
    /// For each symbol the events that are related to themselves: the members of a set.
    diagonals: Box<[u128]>,
    /// For each symbol how many pairs, or members, it has.
    sizes: Box<[u32]>,
}

impl Structure {
    /// Every set and relation is empty, and events are equal to themselves.
    pub fn new(symbols: usize, events: usize) -> Self {
        let zeros = |length: usize| vec![0; length].into_boxed_slice();
        let (rows, columns, diagonals) =
            (zeros(symbols * events), zeros(symbols * events), zeros(symbols));
        let mut new =
            Self { events, rows, columns, diagonals, sizes: vec![0; symbols].into_boxed_slice() };
        for e in 0..events {
            new.set(Pred::EQUAL, e, e);
        }
        new
    }

    /// Does it say anything of a symbol? Those that were made later it does not know.
    #[inline]
    pub fn has(&self, pred: Pred) -> bool {
        pred.index() * self.events < self.rows.len()
    }

    /// The number of events.
    #[inline]
    pub fn events(&self) -> usize {
        self.events
    }

    /// All events.
    #[inline]
    pub fn all(&self) -> u128 {
        if self.events == 128 { u128::MAX } else { (1 << self.events) - 1 }
    }

    /// What an event is related to.
    #[inline]
    pub fn row(&self, pred: Pred, event: usize) -> u128 {
        self.rows[pred.index() * self.events + event]
    }

    /// What is related to an event.
    #[inline]
    pub fn column(&self, pred: Pred, event: usize) -> u128 {
        self.columns[pred.index() * self.events + event]
    }

    /// The events that are related to themselves; the members of a set.
    #[inline]
    pub fn diagonal(&self, pred: Pred) -> u128 {
        self.diagonals[pred.index()]
    }

    /// The same with more events, of which nothing is said.
    pub fn with_events(&self, events: usize) -> Self {
        let symbols = self.diagonals.len();
        let mut new = Self::new(symbols, events);
        for s in 0..symbols {
            let (from, to) = (s * self.events, s * events);
            new.rows[to..to + self.events].copy_from_slice(&self.rows[from..from + self.events]);
            new.columns[to..to + self.events]
                .copy_from_slice(&self.columns[from..from + self.events]);
            new.diagonals[s] = self.diagonals[s];
            new.sizes[s] = self.sizes[s];
        }
        // The rows of the new events are there from the beginning: they are equal to themselves.
        new.sizes[Pred::EQUAL.index()] += (events - self.events) as u32;
        for e in self.events..events {
            new.diagonals[Pred::EQUAL.index()] |= 1 << e;
        }
        new
    }

    #[inline]
    fn flip(&mut self, pred: Pred, a: usize, b: usize) {
        self.rows[pred.index() * self.events + a] ^= 1 << b;
        self.columns[pred.index() * self.events + b] ^= 1 << a;
        self.diagonals[pred.index()] ^= u128::from(a == b) << a;
    }

    #[inline]
    fn set(&mut self, pred: Pred, a: usize, b: usize) {
        if self.row(pred, a) >> b & 1 == 0 {
            self.flip(pred, a, b);
            self.sizes[pred.index()] += 1;
        }
    }

    /// Is nothing in a set or relation?
    #[inline]
    pub fn is_empty(&self, pred: Pred) -> bool {
        self.sizes[pred.index()] == 0
    }

    /// Are events equal that are not the same?
    #[inline]
    pub fn has_equal_events(&self) -> bool {
        self.sizes[Pred::EQUAL.index()] as usize > self.events
    }

    /// Makes an atom true.
    #[inline]
    pub fn insert(&mut self, atom: EventAtom) {
        let [a, b] = atom.args.map(|t| t.index());
        self.set(atom.pred, a, b);
        if atom.pred == Pred::EQUAL {
            self.set(atom.pred, b, a);
        }
    }

    /// Makes a true atom false.
    #[inline]
    pub fn remove(&mut self, atom: EventAtom) {
        let [a, b] = atom.args.map(|t| t.index());
        self.flip(atom.pred, a, b);
        self.sizes[atom.pred.index()] -= 1;
        if atom.pred == Pred::EQUAL && a != b {
            self.flip(atom.pred, b, a);
            self.sizes[atom.pred.index()] -= 1;
        }
    }

    /// Is an atom true?
    #[inline]
    pub fn holds(&self, atom: EventAtom) -> bool {
        let [a, b] = atom.args.map(|t| t.index());
        self.row(atom.pred, a) >> b & 1 == 1
    }
}
