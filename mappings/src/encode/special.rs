//! What PTX has beside loads, stores, read-modify-writes and memory fences, as far as two models of
//! PTX are compared on it: barriers of a cta, proxy fences, accesses through other proxies and by
//! other addresses, reductions, volatile and mmio operations. Each is a set of events; barriers and
//! proxy fences are events of their own, the others are operations that are marked.

use margay_models::execution::Proxy;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpecialRelation {
    /// An arrival at the barrier of the cta: a `bar.arrive`, or the first half of a `bar.sync`.
    Arrival,
    /// A wait at the barrier of the cta: the second half of a `bar.sync`.
    Wait,
    /// `fence.proxy`.
    ProxyFence(Proxy),
    /// A weak load or store through a proxy that is not the generic one.
    Through(Proxy),
    /// An access by the second address of its location.
    Alias,
    /// A read-modify-write that returns nothing; of both halves the read.
    Red,
    /// `.volatile`: relaxed at system scope (PTX ISA 8.4.2).
    Volatile,
    /// `.mmio`: strong (PTX ISA 8.4.1), here of system scope.
    Mmio,
}

impl SpecialRelation {
    /// Is it an event of its own, no marked operation?
    pub fn is_event(self) -> bool {
        matches!(self, Self::Arrival | Self::Wait | Self::ProxyFence(_))
    }

    /// As Rust spells the variant, in small letters.
    pub(super) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}
