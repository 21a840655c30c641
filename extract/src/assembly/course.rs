//! What a trial of a function begins with, and what it did.

use margay_models::signature::Tags;

/// What a trial begins with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrialSetting {
    /// Where the object lies.
    pub(crate) object: u64,
    /// How wide it is in bits.
    pub(crate) bits: u32,
    /// What it holds, the value that is given, and the one that is expected.
    pub(crate) old: u64,
    pub(crate) value: u64,
    pub(crate) expected: u64,
    /// What other threads may write to it.
    pub(crate) others: [u64; 2],
    /// Bits that may be anything: those above a narrow parameter, and what a text calls so.
    pub(crate) open: u64,
}

/// What is known of the memory of a function.
#[derive(Debug, Clone, Copy)]
pub struct TrialLayout {
    /// Has an object of 8 or 16 bits a word of 32 bits to itself? Else it may stand anywhere in
    /// one, beside others.
    pub own_word: bool,
    /// Does it store through its second parameter what was in the object?
    pub value: bool,
    /// Through its third one whether a compare-exchange succeeded?
    pub success: bool,
}

/// What a trial did.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deed {
    pub(super) kind: DeedKind,
    /// The instruction.
    pub(super) at: usize,
}

/// An access of the object, a fence, or a branch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DeedKind {
    Read {
        tags: Tags,
        bits: u32,
        number: u32,
        read: Option<u64>,
    },
    Write {
        tags: Tags,
        bits: u32,
        written: Option<u64>,
    },
    /// `written` is none if it compared and failed.
    Rmw {
        tags: Tags,
        bits: u32,
        number: u32,
        read: Option<u64>,
        written: Option<Option<u64>>,
    },
    Reserve {
        tags: Tags,
        bits: u32,
        number: u32,
        read: Option<u64>,
    },
    /// A store-conditional; `written` is none if it failed.
    Conditional {
        tags: Tags,
        bits: u32,
        written: Option<Option<u64>>,
    },
    Fence(Tags),
    /// A branch that depends on these reads.
    Branch {
        from: u32,
    },
}

/// What became of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    pub(super) deeds: Vec<Deed>,
    /// What was stored through the second and third parameter.
    pub(super) result: Option<u64>,
    pub(super) flag: Option<u64>,
    /// Did the function change what lies beside the object?
    pub(super) harms: bool,
    /// What was chosen, and among how many.
    pub(super) choices: Vec<(u8, u8)>,
    /// Branches, and which way each went.
    pub(super) branches: Vec<(usize, bool)>,
    /// How many instructions were carried out.
    pub(super) steps: usize,
    /// Why it is no path.
    pub(super) trouble: Option<String>,
}
