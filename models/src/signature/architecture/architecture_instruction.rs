//! An instruction of an architecture, as its text describes it.

use crate::signature::Operation;

/// The most instructions of one architecture.
pub const MAX_INSTRUCTIONS: usize = 256;

/// What the result of a store-conditional carries: an instruction that depends on the result
/// depends on this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusDependency {
    /// On nothing (AArch64: "Rs" of a store-exclusive).
    Nothing,
    /// On the load-reserved and on what the registers depend on that the instruction reads, whether
    /// it stores or not.
    Pair,
    /// If it stores, on the store itself and on what the registers depend on that the instruction
    /// reads; else on nothing (RISC-V).
    Store,
}

pub(super) struct ArchitectureInstruction {
    pub(super) mnemonic: &'static str,
    pub(super) operation: Operation,
    pub(super) bits: u32,
    /// Does it take a scope, written behind the mnemonic?
    pub(super) scoped: bool,
    /// Is it half of a pair of a load-reserved and a store-conditional?
    pub(super) half: bool,
    /// What depends on the result of a store-conditional depends on this.
    pub(super) status: StatusDependency,
    /// Is it in tests only, so that no search and no mapping tries it?
    pub(super) test_only: bool,
    /// The names of its tags, joined by points; of its halves likewise, for a read-modify-write.
    pub(super) names: [(u32, &'static str); 3],
}
