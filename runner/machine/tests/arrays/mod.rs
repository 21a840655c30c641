//! Arrays of words that kernels of tests are given.

use margay_machine::MachineModule;

/// Puts arrays into memory; their addresses.
pub fn given(device: &mut MachineModule, arrays: &[Vec<u32>]) -> Vec<u64> {
    let of = |array: &Vec<u32>| {
        let address = device.memory.allocate("given", array.len() as u64 * 4).unwrap();
        let bytes: Vec<u8> = array.iter().flat_map(|word| word.to_le_bytes()).collect();
        device.memory.write(address, &bytes).unwrap();
        address
    };
    arrays.iter().map(of).collect()
}

/// So many words of memory.
pub fn words(device: &MachineModule, address: u64, count: usize) -> Vec<u32> {
    let bytes = device.memory.read(address, count as u64 * 4).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}
