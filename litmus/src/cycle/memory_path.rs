//! How an access of a test in the form of 2015 goes to memory.

use super::edge::Direction;
use crate::test::{CacheOperator, Space};

/// How an access goes to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPath {
    /// The cache operator; a read-modify-write has none.
    pub cache: CacheOperator,
    /// Where the location is.
    pub space: Space,
}

impl MemoryPath {
    /// May an access have this cache operator? (`.cs` and `.lu` are hints about the future of a
    /// line, and `.wb` of a store is the default.)
    pub fn has(direction: Direction, cache: CacheOperator) -> bool {
        match direction {
            Direction::R => {
                matches!(cache, CacheOperator::Ca | CacheOperator::Cg | CacheOperator::Cv)
            }
            Direction::W => {
                matches!(cache, CacheOperator::Wb | CacheOperator::Cg | CacheOperator::Wt)
            }
        }
    }
}
