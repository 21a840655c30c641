//! Maps by the ids of clauses.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Values by id.
pub(crate) type IdMap<V> = HashMap<u64, V, BuildHasherDefault<IdHasher>>;

pub(crate) type IdSet = HashSet<u64, BuildHasherDefault<IdHasher>>;

/// Hashes an id by one multiplication, since the map is asked for every hint. Measured with 66
/// proofs of 76.8 MB (`margay check rc11-to-ptx --level execution --without R.SC,W.SC,RMW.SC
/// --bound 8`): 0.76 s for all; with the hasher of std 0.94 s, and with that of the crate
/// rustc-hash 0.78 s.
///
/// A proof may be made so that its ids have few hashes. It takes long to check then, and is not
/// accepted for it.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

/// 2^64 divided by the golden ratio, odd (Knuth, *The Art of Computer Programming*, volume 3,
/// section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = (self.0 ^ id).wrapping_mul(GOLDEN);
    }

    /// A map takes its place from the low bits. Only the high ones of a product depend on the whole
    /// id.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
