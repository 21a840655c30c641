//! A thread of a test as text.

use crate::emit::registers::Registers;
use crate::sass::specification::SassAccessKind;

/// A thread, as text.
#[derive(Debug, Clone)]
pub(in crate::emit) struct ThreadBody {
    /// What comes before its first access: initial values, addresses.
    pub before: Vec<String>,
    pub lines: Vec<String>,
    /// What comes behind its last access.
    pub after: Vec<String>,
    pub registers: Registers,
    /// The registers of the kernel that take values from memory: all are used at the end.
    pub loaded: Vec<(String, bool)>,
    /// For each access what it is, and the register with what it brought.
    pub specification: Vec<(SassAccessKind, Option<(String, bool)>)>,
    /// Predicates and other registers for single instructions.
    pub temporaries: u32,
    /// Can the thread be given up?
    pub loops: bool,
    /// Has it instructions that suspend it, for no known time?
    pub suspends: bool,
    /// Does it end early?
    pub exits: bool,
    /// The locations that it names.
    pub locations: Vec<usize>,
}

impl ThreadBody {
    /// Without instructions.
    pub(in crate::emit) fn empty(registers: Registers) -> Self {
        Self {
            before: Vec::new(),
            lines: Vec::new(),
            after: Vec::new(),
            registers,
            loaded: Vec::new(),
            specification: Vec::new(),
            temporaries: 0,
            loops: false,
            suspends: false,
            exits: false,
            locations: Vec::new(),
        }
    }
}
