//! Memory: allocations of the device, and the shared memory of each cta.

use std::collections::HashMap;

/// Where shared memory begins in the generic address space; allocations are far above.
const SHARED: u64 = 0x1000;

/// The addresses that `mapa` makes: the mark, the cta, and the address in its shared memory.
const MAPPED: u64 = 1 << 63;

/// The memory of a device.
#[derive(Default)]
pub struct Memory {
    allocations: Vec<(u64, Vec<u8>)>,
    shared: Vec<Vec<u8>>,
    /// The cta that stored last at an address.
    writers: HashMap<u64, u32>,
}

impl Memory {
    /// So many bytes, filled with what no test writes; their address.
    pub fn allocate(&mut self, bytes: u64, fill: u8) -> u64 {
        let address = 0x1_0000_0000 * (self.allocations.len() as u64 + 1);
        self.allocations.push((address, vec![fill; bytes as usize]));
        address
    }

    /// A launch begins: each of so many ctas has so many bytes of shared memory, in which anything
    /// may be.
    pub fn begin(&mut self, ctas: u32, shared: u32) {
        self.shared = vec![vec![0xA5; shared as usize]; ctas as usize];
    }

    /// The address of shared memory.
    pub fn shared() -> u64 {
        SHARED
    }

    /// The address for other ctas of what has an address in the shared memory of a cta.
    pub fn mapped(cta: u32, address: u64) -> u64 {
        assert!(address < 1 << 32, "{address:#x} is no address of shared memory");
        MAPPED | u64::from(cta) << 32 | address
    }

    fn bytes(&mut self, cta: u32, address: u64, bytes: usize) -> &mut [u8] {
        let (cta, address) = if address & MAPPED == 0 {
            (cta, address)
        } else {
            ((address >> 32) as u32 & 0xFFFF, address & 0xFFFF_FFFF)
        };
        assert!(
            address.is_multiple_of(bytes as u64),
            "{address:#x} is not aligned to {bytes} bytes"
        );
        let (start, all) = if address < 0x1_0000_0000 {
            (SHARED, &mut self.shared[cta as usize])
        } else {
            let found = self.allocations.iter_mut().rev().find(|(start, _)| *start <= address);
            found.map(|(start, all)| (*start, all)).expect("an allocation")
        };
        let at = (address - start) as usize;
        assert!(
            at + bytes <= all.len(),
            "{address:#x} is {} bytes behind the end",
            at + bytes - all.len()
        );
        &mut all[at..at + bytes]
    }

    /// Loads a number of so many bytes.
    pub fn load(&mut self, cta: u32, address: u64, bytes: usize) -> u64 {
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(self.bytes(cta, address, bytes));
        u64::from_le_bytes(word)
    }

    pub fn store(&mut self, cta: u32, address: u64, bytes: usize, value: u64) {
        self.writers.insert(address, cta);
        self.bytes(cta, address, bytes).copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// The cta that stored there last.
    #[allow(dead_code, reason = "each test file has its own copy of the emulator, and not all ask")]
    pub fn writer(&self, address: u64) -> Option<u32> {
        self.writers.get(&address).copied()
    }
}
