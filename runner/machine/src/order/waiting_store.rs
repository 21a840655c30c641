//! Stores that have not taken place, and who may see them in the order of fences.

use margay_ptx::effect::{MemoryOrder, MemoryScope};

use super::{MachineCell, Ordering};

/// Who may access what a store stores by an access that is morally strong with it (PTX ISA 8.7):
/// who sees it in the order of fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoreReach {
    /// Nobody but its thread: it is weak.
    Thread,
    Block,
    Device,
}

impl StoreReach {
    pub(super) fn of(ordering: Ordering) -> Self {
        match (ordering.order, ordering.scope) {
            (MemoryOrder::Weak, _) => Self::Thread,
            (_, MemoryScope::Cta) => Self::Block,
            _ => Self::Device,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct WaitingStore {
    pub(super) cell: MachineCell,
    pub(super) bytes: usize,
    pub(super) value: u64,
    pub(super) reach: StoreReach,
    /// Stores with a smaller number go before it.
    pub(super) epoch: u32,
    /// As far as other blocks see: in a thread's buffer how many device fences its thread had done
    /// before it.
    pub(super) device_epoch: u32,
    /// The turn in which it came into the buffer.
    pub(super) since: u64,
}

impl WaitingStore {
    pub(super) fn overlaps(&self, cell: MachineCell, bytes: usize) -> bool {
        self.cell.overlaps(self.bytes, cell, bytes)
    }

    /// Puts those of its bytes that are in a cell over a value of it.
    pub(super) fn over(&self, cell: MachineCell, bytes: usize, value: u64) -> u64 {
        let ((MachineCell::Global(a), MachineCell::Global(b))
        | (MachineCell::Shared(a), MachineCell::Shared(b))) = (self.cell, cell)
        else {
            return value;
        };
        (0..bytes).filter(|n| (a..a + self.bytes).contains(&(b + n))).fold(value, |all, n| {
            let byte = self.value >> (8 * (b + n - a)) & 0xff;
            all & !(0xff << (8 * n)) | byte << (8 * n)
        })
    }
}
