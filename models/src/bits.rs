//! Sets of events and binary relations over events as machine words: the data of the judge.
//!
//! An execution of up to [`WORD_EVENTS`] events has sets of one word and relations of one word for
//! each event: [`EventWord`] is for those who take no larger ones. [`EventSet`] and [`BitMatrix`]
//! take any, in as many words as it needs.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// How many events (initial writes included) an execution may have of which a set is one word.
pub const WORD_EVENTS: usize = 64;

/// The largest number of events (initial writes included) of one execution. A relation over so many
/// takes 8 MiB.
pub const MAX_EVENTS: usize = 8192;

/// An event of one execution: its index in [`crate::execution::Execution::events`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event(pub u16);

impl Event {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl From<usize> for Event {
    fn from(index: usize) -> Self {
        debug_assert!(index < MAX_EVENTS);
        Event(index as u16)
    }
}

/// How many words a set of `n` events takes.
pub(crate) fn width(n: usize) -> usize {
    n.div_ceil(64)
}

/// The members of words, in ascending order.
fn members(words: &[u64]) -> impl Iterator<Item = Event> {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let e = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Event(e as u16)
            })
        })
    })
}

/// A set of events of an execution with at most [`WORD_EVENTS`], bit `i` for event `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EventWord(pub u64);

impl EventWord {
    /// The first `n` events.
    pub fn first(n: usize) -> Self {
        if n >= WORD_EVENTS { EventWord(u64::MAX) } else { EventWord((1 << n) - 1) }
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

    /// The events, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Event> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let e = rest.trailing_zeros() as u16;
                rest &= rest - 1;
                Event(e)
            })
        })
    }
}

impl FromIterator<Event> for EventWord {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        let mut set = EventWord(0);
        for e in events {
            set.insert(e);
        }
        set
    }
}

impl fmt::Debug for EventWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|e| e.0)).finish()
    }
}

/// A set of events, bit `i % 64` of word `i / 64` for event `i`.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct EventSet {
    /// The last word is not 0, so that equal sets have equal words.
    words: Vec<u64>,
}

impl EventSet {
    /// No event.
    pub const EMPTY: EventSet = EventSet { words: Vec::new() };

    /// The set of these words.
    fn of_words(mut words: Vec<u64>) -> Self {
        let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        words.truncate(used);
        Self { words }
    }

    /// The first `n` events.
    pub fn first(n: usize) -> Self {
        (0..n).map(Event::from).collect()
    }

    pub fn contains(&self, e: Event) -> bool {
        self.as_row().contains(e)
    }

    /// Puts an event in.
    pub fn insert(&mut self, e: Event) {
        let at = e.index() / 64;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (e.0 % 64);
    }

    /// Takes an event out.
    pub fn remove(&mut self, e: Event) {
        if let Some(word) = self.words.get_mut(e.index() / 64) {
            *word &= !(1 << (e.0 % 64));
            *self = Self::of_words(std::mem::take(&mut self.words));
        }
    }

    /// Is there no event?
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.as_row().len()
    }

    /// The events, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Event> + use<'_> {
        members(&self.words)
    }

    /// The same as the row of a relation has it.
    pub fn as_row(&self) -> EventRow<'_> {
        EventRow(&self.words)
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

impl BitOr for &EventSet {
    type Output = EventSet;

    /// The events of either set.
    fn bitor(self, other: &EventSet) -> EventSet {
        let mut all = self.clone();
        all |= other;
        all
    }
}

impl BitOrAssign<&EventSet> for EventSet {
    fn bitor_assign(&mut self, other: &EventSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(to, word)| *to |= word);
    }
}

impl BitAnd for &EventSet {
    type Output = EventSet;

    /// The events of both sets.
    fn bitand(self, other: &EventSet) -> EventSet {
        EventSet::of_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }
}

impl Sub for &EventSet {
    type Output = EventSet;

    /// The events of the first set that are not in the second.
    fn sub(self, other: &EventSet) -> EventSet {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        EventSet::of_words(self.words.iter().zip(others).map(|(a, b)| a & !b).collect())
    }
}

/// The successors of an event in a relation: a set of events that somebody else holds.
#[derive(Clone, Copy)]
pub struct EventRow<'a>(&'a [u64]);

impl<'a> EventRow<'a> {
    /// Is the event in the set?
    pub fn contains(self, e: Event) -> bool {
        self.0.get(e.index() / 64).is_some_and(|word| word >> (e.0 % 64) & 1 == 1)
    }

    /// Is there no event?
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Have the two sets an event in common?
    pub fn meets(self, other: EventRow<'_>) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// The number of events.
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The events, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Event> + use<'a> {
        members(self.0)
    }

    /// The set as a word, of an execution with at most [`WORD_EVENTS`] events.
    pub fn word(self) -> u64 {
        debug_assert!(self.0.len() <= 1, "a set of more events than a word has bits");
        self.0.first().copied().unwrap_or(0)
    }

    pub(crate) fn words(self) -> &'a [u64] {
        self.0
    }

    /// A set of its own.
    pub fn to_set(self) -> EventSet {
        EventSet::of_words(self.0.to_vec())
    }
}

impl fmt::Debug for EventRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|e| e.0)).finish()
    }
}

/// The rows of a relation over some events, or of a set (one row), as whoever computes them keeps
/// them. Without words there is nothing in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventRows<'a> {
    events: usize,
    words: &'a [u64],
}

impl<'a> EventRows<'a> {
    /// Rows over so many events.
    pub(crate) fn new(events: usize, words: &'a [u64]) -> Self {
        Self { events, words }
    }

    /// The number of events.
    pub(crate) fn events(self) -> usize {
        self.events
    }

    /// The row of an event; of a set the first one.
    pub(crate) fn row(self, at: usize) -> EventRow<'a> {
        let width = width(self.events);
        EventRow(self.words.get(at * width..(at + 1) * width).unwrap_or_default())
    }

    /// Is the pair in the relation?
    pub(crate) fn contains(self, from: usize, to: usize) -> bool {
        self.row(from).contains(Event(to as u16))
    }

    /// The same as a relation.
    pub(crate) fn to_matrix(self) -> BitMatrix {
        let mut matrix = BitMatrix::new(self.events);
        matrix.words[..self.words.len()].copy_from_slice(self.words);
        matrix
    }
}

/// A binary relation over the events `0..n`: row `a` is the set of the `b` with `(a, b)` in the
/// relation.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct BitMatrix {
    events: usize,
    /// A row for each event, each of [`width`] words.
    words: Vec<u64>,
}

impl BitMatrix {
    /// The empty relation over `n` events.
    pub fn new(n: usize) -> Self {
        debug_assert!(n <= MAX_EVENTS);
        Self { events: n, words: vec![0; n * width(n)] }
    }

    /// From pairs, over `n` events.
    pub fn from_pairs(n: usize, pairs: impl IntoIterator<Item = (Event, Event)>) -> Self {
        let mut m = Self::new(n);
        for (a, b) in pairs {
            m.insert(a, b);
        }
        m
    }

    /// From the successors of each event, of at most [`WORD_EVENTS`].
    pub fn from_words(rows: &[u64]) -> Self {
        debug_assert!(rows.len() <= WORD_EVENTS);
        Self { events: rows.len(), words: rows.to_vec() }
    }

    /// The number of events it ranges over.
    pub fn size(&self) -> usize {
        self.events
    }

    /// The word that has the bit of a pair, and the bit.
    fn at(&self, a: Event, b: Event) -> (usize, u64) {
        debug_assert!(b.index() / 64 < width(self.events));
        (a.index() * width(self.events) + b.index() / 64, 1 << (b.0 % 64))
    }

    /// Is the pair in the relation?
    pub fn contains(&self, a: Event, b: Event) -> bool {
        let (at, bit) = self.at(a, b);
        self.words[at] & bit != 0
    }

    /// Puts a pair in.
    pub fn insert(&mut self, a: Event, b: Event) {
        let (at, bit) = self.at(a, b);
        self.words[at] |= bit;
    }

    /// Takes a pair out.
    pub fn remove(&mut self, a: Event, b: Event) {
        let (at, bit) = self.at(a, b);
        self.words[at] &= !bit;
    }

    /// Puts pairs of one event with others in.
    pub fn insert_all(&mut self, a: Event, later: EventRow<'_>) {
        let width = width(self.events);
        let row = &mut self.words[a.index() * width..(a.index() + 1) * width];
        row.iter_mut().zip(later.0).for_each(|(to, word)| *to |= word);
    }

    /// Takes pairs of one event with others out.
    pub fn remove_all(&mut self, a: Event, later: EventRow<'_>) {
        let width = width(self.events);
        let row = &mut self.words[a.index() * width..(a.index() + 1) * width];
        row.iter_mut().zip(later.0).for_each(|(to, word)| *to &= !word);
    }

    /// The successors of an event.
    pub fn row(&self, a: Event) -> EventRow<'_> {
        let width = width(self.events);
        EventRow(&self.words[a.index() * width..(a.index() + 1) * width])
    }

    /// The predecessors of an event.
    pub fn column(&self, b: Event) -> EventSet {
        (0..self.events).map(Event::from).filter(|&a| self.contains(a, b)).collect()
    }

    /// The predecessors of an event as a word, of an execution with at most [`WORD_EVENTS`] events.
    pub fn column_word(&self, b: Event) -> u64 {
        debug_assert!(self.events <= WORD_EVENTS);
        self.words.iter().enumerate().fold(0, |set, (a, row)| set | (row >> b.0 & 1) << a)
    }

    /// All rows.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// All rows, without the rest.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Is there no pair?
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        EventRow(&self.words).len()
    }

    /// The pairs, in ascending order.
    pub fn pairs(&self) -> impl Iterator<Item = (Event, Event)> + '_ {
        (0..self.events).map(Event::from).flat_map(|a| self.row(a).iter().map(move |b| (a, b)))
    }
}

impl fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs().map(|(a, b)| (a.0, b.0))).finish()
    }
}
