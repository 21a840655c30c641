//! Places at which a thread stops before its end, and why.

use crate::residue::{MemoryCell, Origin};

/// A place at which a thread stops before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub kind: MarkKind,
    pub origin: Origin,
    /// What its register holds then.
    pub number: i64,
    pub what: String,
    /// What it accesses there, where that is asked.
    pub cell: Option<MemoryCell>,
}

/// Why a thread stops before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkKind {
    /// `trap`, or an assertion that fails.
    Trap,
    /// An address outside of every array.
    Outside,
    /// An address that is no multiple of what its access asks for.
    Misaligned,
    /// An mbarrier where none is, or data where one is.
    Mbarrier,
    /// It was not followed any further.
    Cut,
    /// It does not stop: it reads as if nobody wrote it (`ld.global.nc`) what the kernel writes.
    Cached,
    /// It does not stop: it writes what is read as if nobody wrote it.
    Overwritten,
}

impl MarkKind {
    /// The register that says so.
    pub(crate) fn register(self) -> &'static str {
        match self {
            Self::Trap => "trapped",
            Self::Outside => "outside",
            Self::Misaligned => "misaligned",
            Self::Mbarrier => "misused",
            Self::Cut => "cut",
            Self::Cached => "cached",
            Self::Overwritten => "overwritten",
        }
    }

    /// Does a piece of code say that its thread stops there?
    pub(crate) fn stops_at(text: &str) -> bool {
        let Some((register, _)) = text.strip_prefix("mov ").and_then(|rest| rest.split_once(", "))
        else {
            return false;
        };
        [Self::Trap, Self::Outside, Self::Misaligned, Self::Mbarrier, Self::Cut]
            .iter()
            .any(|kind| kind.register() == register)
    }
}
