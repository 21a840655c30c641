//! How the text of a thread of a test is written.

/// How the accesses of a thread are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Writing {
    /// One after the other.
    Plain,
    /// With an instruction between each two that accesses nothing, but that the assembler moves
    /// nothing across.
    Apart,
}
