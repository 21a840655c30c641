//! How a kernel is run, and what comes of it.

/// How many blocks of how many threads, in three dimensions each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchSize {
    /// Blocks of the grid.
    pub blocks: [u32; 3],
    /// Threads of a block.
    pub threads: [u32; 3],
    /// Bytes of shared memory that the launch gives to each block.
    pub dynamic_shared: u32,
}

/// Which memory the machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    /// Each access takes place at once.
    SequentiallyConsistent,
    /// Stores wait, loads may take old values, and loads wait for what needs them.
    Weak,
    /// Only such pairs are reordered, whatever their scopes, and a store is there for all threads
    /// at once.
    Reordering(ReorderedPair),
}

impl MemoryKind {
    /// What an environment with this memory is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::SequentiallyConsistent => "in order",
            Self::Weak => "weak",
            Self::Reordering(ReorderedPair::StoreStore) => "store-store",
            Self::Reordering(ReorderedPair::StoreLoad) => "store-load",
            Self::Reordering(ReorderedPair::LoadLoad) => "load-load",
            Self::Reordering(ReorderedPair::LoadStore) => "load-store",
        }
    }
}

/// Two accesses of one thread to different locations, which take place the other way round. What
/// reads and writes at once is either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReorderedPair {
    /// A store waits for a later one.
    StoreStore,
    /// A store waits for a later load.
    StoreLoad,
    /// A load takes what was there before an earlier one was done.
    LoadLoad,
    /// A load waits for a later store.
    LoadStore,
}

/// Which of the ways that threads may run.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// The seed of all chance.
    pub seed: u64,
    pub memory: MemoryKind,
    /// How many blocks are there at once.
    pub places: u32,
    /// After so many instructions a run has no end.
    pub steps: u64,
}

/// A kernel ran to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// How many instructions all threads executed.
    pub steps: u64,
}

/// A warp has so many threads.
pub(crate) const WARP: u32 = 32;

pub(crate) const MAX_BYTES: u64 = 2 << 30;
