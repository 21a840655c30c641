//! What names mean in the program: a location, an element of an array, or a register.

use margay_models::diagnostic::{Diagnostic, Span};

use super::super::barrier;
use super::super::head::InitialState;
use super::spoken::{Reading, Spoken};
use crate::test::{Dialect, ThreadId, element};

/// What names mean in the program.
pub(in crate::read) struct Names {
    pub(super) dialect: Dialect,
    pub(super) locations: Vec<String>,
    /// Registers of the initial state, with their threads.
    registers: Vec<(ThreadId, String)>,
    /// Registers that an instruction read so far writes, with their threads.
    written: Vec<(ThreadId, String)>,
    /// Locations that are used but not declared, with the first use.
    pub undeclared: Vec<(String, Span)>,
    /// Barriers as they are written, until all are read and say whose spelling it is.
    pub barriers: Vec<barrier::BarrierOperands>,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// What is known of a test in assembly.
    pub assembly: Option<Reading>,
}

impl Names {
    pub fn new(dialect: Dialect, state: &InitialState) -> Self {
        Self {
            dialect,
            locations: state.locations.iter().map(|l| l.name.clone()).collect(),
            registers: state.registers.iter().map(|r| (r.thread, r.name.clone())).collect(),
            written: Vec::new(),
            undeclared: Vec::new(),
            barriers: Vec::new(),
            warnings: Vec::new(),
            assembly: None,
        }
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Of what a compiler wrote: it has registers, and no location is declared.
    pub fn of_compiler(dialect: Dialect, spoken: Spoken) -> Self {
        let state = InitialState { locations: Vec::new(), registers: Vec::new() };
        Self { assembly: Some(Reading::new(spoken, &[])), ..Self::new(dialect, &state) }
    }

    /// Is what is read the output of a compiler?
    pub(super) fn is_compiled(&self) -> bool {
        self.assembly.as_ref().is_some_and(Reading::is_compiled)
    }

    /// More locations.
    pub fn add_locations(&mut self, names: Vec<String>) {
        self.locations.extend(names);
    }

    pub(super) fn is_location(&self, name: &str) -> bool {
        self.locations
            .iter()
            .any(|l| l == name || element(l).is_some_and(|(array, _)| array == name))
    }

    /// The location that a name means; that of an array is its first element.
    pub(super) fn location(&self, name: &str) -> String {
        let declared = self.locations.iter().any(|l| l == name);
        if !declared && self.is_location(name) { format!("{name}[0]") } else { name.to_string() }
    }

    /// A name in an address that is no declared location: a register if it is declared as one or
    /// looks like one (`r0`, `%p1`).
    pub(super) fn is_register(&self, name: &str, thread: ThreadId) -> bool {
        let looks_like_one = name.starts_with('%') || {
            let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            !digits.is_empty()
                && digits.len() < name.len()
                && digits.chars().all(|c| c.is_ascii_digit())
                && name.starts_with(['r', 'p', 't'])
        };
        let is_there = |(t, r): &(ThreadId, String)| *t == thread && r == name;
        looks_like_one || self.registers.iter().chain(&self.written).any(is_there)
    }

    /// An instruction writes a register.
    pub(super) fn writes(&mut self, name: &str, thread: ThreadId) {
        if !self.written.iter().any(|(t, r)| *t == thread && r == name) {
            self.written.push((thread, name.to_owned()));
        }
    }

    /// Names without a declaration that are taken as locations, though a thread writes a register
    /// of that name: each with its place. A loop may come back to an address that is written below
    /// it.
    pub fn registers_as_locations(&self) -> impl Iterator<Item = &(String, Span)> {
        self.undeclared
            .iter()
            .filter(|(name, _)| self.written.iter().any(|(_, register)| register == name))
    }
}
