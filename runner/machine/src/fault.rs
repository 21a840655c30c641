//! What goes wrong in a run.

use margay_ptx::SourceLine;

/// Why a kernel did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    pub function: String,
    /// From `.loc`; `None` where the PTX says none.
    pub line: Option<SourceLine>,
    /// Where the instruction stands in the text, in bytes.
    pub at: usize,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    /// How many instructions all threads had executed by then.
    pub steps: u64,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// An address that is in no array.
    Outside {
        address: u64,
        /// Which array it is the nearest to, in words.
        near: Option<String>,
    },
    /// An address that is no multiple of the access's size.
    Misaligned(u64),
    /// The kernel stopped itself.
    Trap(&'static str),
    /// Threads wait at a barrier, or for what others of their warp bring, and no other comes.
    BarrierNeverMet,
    /// A thread meets others of its warp, at a barrier or to exchange something, and the mask does
    /// not name it.
    NotOfMask,
    /// It had not ended after so many instructions.
    NoEnd(u64),
    /// An instruction that this machine does not have.
    Unknown(Box<str>),
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Outside { near: Some(near), .. } => {
                write!(f, "an access outside of every array ({near})")
            }
            Self::Outside { address, near: None } => {
                write!(f, "an access to {address:#x}, which is in no array")
            }
            Self::Misaligned(address) => {
                write!(f, "an access to {address:#x}, which is no multiple of its size")
            }
            Self::Trap(what) => write!(f, "{what}"),
            Self::BarrierNeverMet => {
                write!(f, "threads wait at a barrier to which no other thread comes")
            }
            Self::NotOfMask => {
                write!(f, "a barrier or an exchange of a warp whose mask does not name the thread")
            }
            Self::NoEnd(steps) => write!(f, "it had not ended after {steps} instructions"),
            Self::Unknown(what) => write!(f, "{what}: this machine does not have it"),
        }
    }
}
