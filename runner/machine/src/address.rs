//! Addresses: each variable and each array has a window of its own among those of its space, most
//! of which is nobody's, so that an access that leaves one meets no other. The lowest bits of an
//! address are those that the arrays of a space have side by side.

use std::sync::Arc;

/// The generic address of the first byte of shared memory, less its address there.
pub(crate) const SHARED: u64 = 1 << 56;

/// The same of memory of a thread: local memory, and parameters.
const STACK: u64 = 2 << 56;

/// Where the number of a call stands in an address of a thread's own memory.
const STACK_CALL: u32 = 44;

/// How the addresses of a space are divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddressWindows {
    /// The bits of an address within a window.
    inside: u32,
    /// The bits of an address that say the window, and those within.
    all: u32,
    /// The number of the first window. Null, and small numbers that are taken for addresses, are in
    /// none.
    first: u64,
}

/// Global memory. An index of 32 bits, times the largest element, stays in its window; the sum of
/// two addresses of the first thousand arrays is in none.
pub(crate) const GLOBAL_WINDOWS: AddressWindows =
    AddressWindows { inside: 36, all: 56, first: 1 << 10 };

/// Shared memory, whose addresses have 32 bits.
pub(crate) const SHARED_WINDOWS: AddressWindows = AddressWindows { inside: 20, all: 32, first: 1 };

/// The memory of a call.
pub(crate) const FRAME_WINDOWS: AddressWindows =
    AddressWindows { inside: 21, all: STACK_CALL, first: 1 };

/// A variable, or an array, among those of its space.
#[derive(Debug, Clone)]
pub(crate) struct ArrayRoom {
    pub name: Arc<str>,
    /// Its first byte, counted from the start of the memory that it is in; these are the lowest
    /// bits of its address, too.
    pub start: u64,
    pub bytes: u64,
}

impl AddressWindows {
    /// How many arrays there may be.
    pub const fn most(self) -> usize {
        ((1 << (self.all - self.inside)) - self.first) as usize
    }

    /// The most bytes of all arrays side by side: what is in front of an array, and what is behind
    /// it, is told apart by half a window.
    pub const fn most_bytes(self) -> u64 {
        1 << (self.inside - 1)
    }

    /// The address of an array, by its number.
    pub fn address(self, number: usize, start: u64) -> u64 {
        (self.first + number as u64) << self.inside | start
    }

    #[inline]
    fn divided(self, address: u64) -> (usize, u64) {
        let address = address & ((1 << self.all) - 1);
        (
            (address >> self.inside).wrapping_sub(self.first) as usize,
            address & ((1 << self.inside) - 1),
        )
    }

    /// Where bytes at an address are, if they are all in one array.
    #[inline]
    pub fn place(self, rooms: &[ArrayRoom], address: u64, bytes: u64) -> Option<usize> {
        let (number, at) = self.divided(address);
        let room = rooms.get(number)?;
        (room.start <= at && at + bytes <= room.start + room.bytes).then_some(at as usize)
    }

    /// Which array an address is the nearest to, in words.
    pub fn nearest(self, rooms: &[ArrayRoom], address: u64) -> Option<String> {
        let (number, at) = self.divided(address);
        let of = |behind: usize| {
            let room = rooms.get(number.wrapping_add(1).checked_sub(behind)?)?;
            let from = (at as i64 - room.start as i64) + ((behind as i64 - 1) << self.inside);
            let far = if from < 0 { -from } else { from - room.bytes as i64 };
            Some((far, from, room))
        };
        // The one whose window it is, the one behind it, or one some windows in front.
        let (_, from, room) = (0..8).filter_map(of).min_by_key(|(far, ..)| *far)?;
        let side = if from < 0 { "in front of" } else { "behind" };
        Some(format!(
            "{} bytes {side} the start of `{}`, which has {} bytes",
            from.unsigned_abs(),
            room.name,
            room.bytes
        ))
    }
}

/// The address of the memory of a call, by how many calls are around it.
#[inline]
pub(crate) fn call_address(depth: usize) -> u64 {
    STACK | (depth as u64) << STACK_CALL
}

/// How many calls are around the one in whose memory an address of a thread's own memory is.
#[inline]
pub(crate) fn call_of(address: u64) -> usize {
    ((address ^ STACK) >> STACK_CALL) as usize
}
