//! How an access or a fence goes to memory.

use crate::tree::ScalarType;

/// The order of an access or a fence (PTX ISA 8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// `.weak`
    Weak,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
    /// `.sc`
    Sc,
    /// `.volatile`
    Volatile,
    /// `.mmio`
    Mmio,
}

/// A scope (PTX ISA 8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryScope {
    /// `.cta`
    Cta,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Gpu,
    /// `.sys`
    Sys,
}

/// Where an access goes by its instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    /// Any space: the address says which.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.const`
    Constant,
    /// `.local`
    Local,
    /// `.param`
    Parameter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    pub order: MemoryOrder,
    /// Its scope, where it has one.
    pub scope: Option<MemoryScope>,
    /// Its state space.
    pub window: Window,
    /// The type of an element.
    pub ty: ScalarType,
    /// `.nc` and its kin: through a cache of what nobody writes.
    pub read_only: bool,
    /// `multimem`: of what the address points to, one place in the memory of each of several
    /// devices.
    pub multimem: bool,
}
