//! One way through a thread: its events, and what it supposes of the values read.

use margay_models::execution::EventData;

use super::stop::Stop;
use super::symbol::Symbol;
use crate::test::{Integer, Place};

/// An event of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathEvent {
    /// What is known of it.
    pub data: EventData,
    /// The value that a write writes.
    pub value: Option<Symbol>,
    /// Reads that its address, its value and its execution depend on, by position.
    pub address_reads: u64,
    pub data_reads: u64,
    pub control_reads: u64,
    /// Of an event of an asynchronous operation: what the thread did before it, by position.
    pub issued_after: u64,
    /// The events of asynchronous operations whose completion it waits for, by position.
    pub completes: u64,
    /// The position of the read of the read-modify-write that it is the write of.
    pub modifies: Option<u8>,
    /// How wide the access is, where the program says it.
    pub bits: Option<u8>,
    /// Where it came from: in the text, and the step of the thread's code.
    pub place: Place,
    pub step: usize,
    /// How often each loop around it was gone round before, by the loop's head; those that were not are left out.
    pub rounds: Vec<(usize, usize)>,
}

/// One way through a thread.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub events: Vec<PathEvent>,
    /// Values that must be different from 0 (true) or 0 (false).
    pub suppositions: Vec<(Symbol, bool)>,
    /// For each named register its value at the end.
    pub registers: Vec<(String, Symbol)>,
    /// Where the thread stops, if it does not come to its end.
    pub stop: Option<Stop>,
}

/// A value and the reads that it depends on, by the positions of their events on the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dependent {
    pub symbol: Symbol,
    pub reads: u64,
    /// A type that the value is known to be of: converting it to that changes nothing.
    pub known: Option<Integer>,
}

impl Dependent {
    /// A value that depends on reads, and of which no more is known.
    pub(super) fn new(symbol: Symbol, reads: u64) -> Self {
        Self { symbol, reads, known: None }
    }
}
