//! Global memory: arrays with nothing between them, so that an access that leaves one is found.

/// The address of the first byte. Null, and small numbers that are taken for addresses, are outside.
const BASE: u64 = 1 << 32;

/// The bytes that one entry of the table of ends speaks of; arrays begin at a multiple.
const GRANULE: u64 = 256;

/// The most bytes of all arrays together.
const MOST: u64 = 1 << 32;

/// The global memory of a device: arrays, one behind the other.
#[derive(Debug, Clone, Default)]
pub struct GlobalMemory {
    bytes: Vec<u8>,
    /// For each granule one past the last byte of its array, as a distance from the first byte of memory; 0 where nothing is.
    ends: Vec<u64>,
}

impl GlobalMemory {
    /// A new array of zeros, and its address.
    ///
    /// # Errors
    /// All arrays together are larger than this memory: how large it is.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64, String> {
        let start = self.bytes.len() as u64;
        let end = start.checked_add(bytes).filter(|end| *end <= MOST);
        let end = end.ok_or_else(|| format!("an array of {bytes} bytes: there are {} in all, and {start} are taken", MOST))?;
        // One granule behind it is nobody's.
        let next = end.next_multiple_of(GRANULE) + GRANULE;
        self.bytes.resize(next as usize, 0);
        self.ends.resize((next / GRANULE) as usize, 0);
        let last = end.div_ceil(GRANULE).max(start / GRANULE);
        self.ends[(start / GRANULE) as usize..last as usize].fill(end);
        Ok(BASE + start)
    }

    /// Where an access of so many bytes lies, if it is inside of one array.
    pub(crate) fn place(&self, address: u64, bytes: u64) -> Option<usize> {
        let at = address.checked_sub(BASE)?;
        let end = *self.ends.get((at / GRANULE) as usize)?;
        (at + bytes <= end).then_some(at as usize)
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
    pub fn read(&self, address: u64, bytes: u64) -> Result<&[u8], String> {
        let at = self.place(address, bytes).ok_or_else(|| outside(address, bytes))?;
        Ok(&self.bytes[at..at + bytes as usize])
    }

    /// Puts bytes into an array.
    ///
    /// # Errors
    /// They are not all in one array.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), String> {
        let at = self.place(address, bytes.len() as u64).ok_or_else(|| outside(address, bytes.len() as u64))?;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

fn outside(address: u64, bytes: u64) -> String {
    format!("{bytes} bytes at {address:#x} are not in one array")
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
