//! The state of the machine, and the same as bytes for the set of states that were visited.

use super::code::Prepared;

/// What of a view of a location is not settled (thesis, Table 4.1).
pub(super) const BORROWED: u8 = 1;
/// Not yet shared within the cta: the flag LS is false.
pub(super) const LOCAL: u8 = 2;
/// Not yet shared with other ctas: the flag GS is false.
pub(super) const GLOBAL: u8 = 4;

/// How many operations of a thread are issued and not yet done, at most.
pub(super) const WINDOW: usize = 16;

/// An operation that was issued: in the queue of its location, or in the load pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PendingOperation {
    /// Its number in the thread's code.
    pub operation: u16,
    /// The location; 255 for fences.
    pub location: u8,
    /// What is written, if it is known without a read; else the operand.
    pub value: i64,
    /// The new value of a compare-and-swap.
    pub replacement: i64,
}

/// A thread's or cta's copy of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LocationCopy {
    pub data: i64,
    pub flags: u8,
}

/// A state. Threads, registers, views and locations are laid out one after the other.
#[derive(Debug, Clone)]
pub(super) struct MachineState {
    pub pc: Vec<u16>,
    pub registers: Vec<i64>,
    pub pending: Vec<[PendingOperation; WINDOW]>,
    pub length: Vec<u8>,
    pub cells: Vec<LocationCopy>,
    /// How often each thread has arrived at each barrier.
    pub arrived: Vec<u8>,
}

impl MachineState {
    /// The state before anything has run.
    pub(super) fn initial(prepared: &Prepared, views: usize) -> Self {
        let threads = prepared.threads.len();
        let copy = prepared.initial.iter().map(|&data| LocationCopy { data, flags: 0 });
        Self {
            pc: vec![0; threads],
            registers: prepared.threads.iter().flat_map(|t| t.initial.iter().copied()).collect(),
            pending: vec![[PendingOperation::default(); WINDOW]; threads],
            length: vec![0; threads],
            cells: (0..views).flat_map(|_| copy.clone()).collect(),
            arrived: vec![0; threads * prepared.barriers.len()],
        }
    }

    /// Becomes another state of the same test, without allocation.
    pub(super) fn copy_from(&mut self, other: &MachineState) {
        self.pc.copy_from_slice(&other.pc);
        self.registers.copy_from_slice(&other.registers);
        for (t, &n) in other.length.iter().enumerate() {
            let n = usize::from(n);
            self.pending[t][..n].copy_from_slice(&other.pending[t][..n]);
        }
        self.length.copy_from_slice(&other.length);
        self.cells.copy_from_slice(&other.cells);
        self.arrived.copy_from_slice(&other.arrived);
    }

    /// The state as bytes: equal states, and only they, have equal bytes.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.clear();
        for &pc in &self.pc {
            out.extend_from_slice(&pc.to_le_bytes());
        }
        for &r in &self.registers {
            number(r, out);
        }
        for (pending, &n) in self.pending.iter().zip(&self.length) {
            out.push(n);
            for p in &pending[..usize::from(n)] {
                out.extend_from_slice(&p.operation.to_le_bytes());
                out.push(p.location);
                number(p.value, out);
                number(p.replacement, out);
            }
        }
        for cell in &self.cells {
            out.push(cell.flags);
            number(cell.data, out);
        }
        out.extend_from_slice(&self.arrived);
    }
}

/// Small numbers take one byte.
fn number(n: i64, out: &mut Vec<u8>) {
    match u8::try_from(n) {
        Ok(small) if small < 255 => out.push(small),
        _ => {
            out.push(255);
            out.extend_from_slice(&n.to_le_bytes());
        }
    }
}
