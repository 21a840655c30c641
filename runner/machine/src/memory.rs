//! Global memory: arrays, each in a window of its own.

use std::fmt;

use crate::address::{ArrayRoom, GLOBAL_WINDOWS};

/// Arrays begin at a multiple of so many bytes, and no two share any of them.
const GRANULE: u64 = 256;

/// The most bytes of all arrays together.
const MOST: u64 = 1 << 32;

const _: () = assert!(MOST < GLOBAL_WINDOWS.most_bytes());

/// What a memory does not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryRefusal {
    /// An array for which no room is left, and how many bytes are taken.
    Full { name: String, bytes: u64, taken: u64 },
    /// An array beside which there are as many as can be told apart.
    TooManyArrays { name: String },
    /// Bytes that are not all in one array.
    Outside { address: u64, bytes: u64 },
}

impl fmt::Display for MemoryRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { name, bytes, taken } => write!(
                f,
                "`{name}` has {bytes} bytes: there are {MOST} in all, and {taken} are taken"
            ),
            Self::TooManyArrays { name } => write!(
                f,
                "there are more than {} arrays of global memory, with `{name}`",
                GLOBAL_WINDOWS.most()
            ),
            Self::Outside { address, bytes } => {
                write!(f, "{bytes} bytes at {address:#x} are not in one array")
            }
        }
    }
}

impl std::error::Error for MemoryRefusal {}

/// The global memory of a device: arrays, far from each other.
#[derive(Debug, Clone, Default)]
pub struct GlobalMemory {
    bytes: Vec<u8>,
    rooms: Vec<ArrayRoom>,
}

impl GlobalMemory {
    /// A new array of zeros, and its address.
    ///
    /// # Errors
    /// All arrays together are larger than this memory: how large it is.
    pub fn allocate(&mut self, name: &str, bytes: u64) -> Result<u64, MemoryRefusal> {
        let start = self.bytes.len() as u64;
        let end = start.checked_add(bytes).filter(|end| *end <= MOST);
        let end =
            end.ok_or_else(|| MemoryRefusal::Full { name: name.to_owned(), bytes, taken: start })?;
        if self.rooms.len() >= GLOBAL_WINDOWS.most() {
            return Err(MemoryRefusal::TooManyArrays { name: name.to_owned() });
        }
        let address = GLOBAL_WINDOWS.address(self.rooms.len(), start);
        self.bytes.resize(end.next_multiple_of(GRANULE) as usize, 0);
        self.rooms.push(ArrayRoom { name: name.into(), start, bytes });
        Ok(address)
    }

    /// Where an access of so many bytes lies, if it is inside of one array.
    #[inline]
    pub(crate) fn place(&self, address: u64, bytes: u64) -> Option<usize> {
        match address >> 56 {
            0 => GLOBAL_WINDOWS.place(&self.rooms, address, bytes),
            _ => None,
        }
    }

    /// Which array an address is the nearest to, in words.
    pub(crate) fn nearest(&self, address: u64) -> Option<String> {
        GLOBAL_WINDOWS.nearest(&self.rooms, address)
    }

    pub(crate) fn get(&self, at: usize, bytes: usize) -> u64 {
        read(&self.bytes, at, bytes)
    }

    pub(crate) fn set(&mut self, at: usize, bytes: usize, value: u64) {
        write(&mut self.bytes, at, bytes, value);
    }

    /// The bytes of an array, or a part of it.
    ///
    /// # Errors
    /// They are not all in one array.
    pub fn read(&self, address: u64, bytes: u64) -> Result<&[u8], MemoryRefusal> {
        let at = self.place(address, bytes).ok_or(MemoryRefusal::Outside { address, bytes })?;
        Ok(&self.bytes[at..at + bytes as usize])
    }

    /// Puts bytes into an array.
    ///
    /// # Errors
    /// They are not all in one array.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryRefusal> {
        let length = bytes.len() as u64;
        let at =
            self.place(address, length).ok_or(MemoryRefusal::Outside { address, bytes: length })?;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

/// A number of up to eight bytes.
pub(crate) fn read(memory: &[u8], at: usize, bytes: usize) -> u64 {
    match bytes {
        4 => u64::from(u32::from_le_bytes(memory[at..at + 4].try_into().unwrap_or_default())),
        8 => u64::from_le_bytes(memory[at..at + 8].try_into().unwrap_or_default()),
        _ => (0..bytes).fold(0, |all, n| all | u64::from(memory[at + n]) << (8 * n)),
    }
}

/// Puts the lowest bytes of a number somewhere.
pub(crate) fn write(memory: &mut [u8], at: usize, bytes: usize, value: u64) {
    memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}
