//! What this machine does not take.

use std::fmt;

use margay_ptx::ReadError;

use crate::address::SHARED_WINDOWS;
use crate::memory::MemoryRefusal;
use crate::variables::{MAX_FRAME, MAX_SHARED};

/// Why a module is not put into memory.
#[derive(Debug, Clone)]
pub enum ModuleRefusal {
    /// The text is no PTX.
    Unread(ReadError),
    /// Its addresses have 32 bits.
    NarrowAddresses,
    /// A variable without a size is of another module.
    OfAnotherModule { variable: String },
    /// Its variables do not fit into global memory.
    Memory(MemoryRefusal),
    /// A variable holds the address of something that has none.
    NoAddress { of: String },
    /// The variables of shared memory of a kernel take more than there is, with this one.
    Shared { variable: String, bytes: u64 },
    /// There are more variables of shared memory than can be told apart.
    TooManyShared,
    /// The variables of a call take more than a thread's own memory has.
    Frame { function: String },
}

impl From<MemoryRefusal> for ModuleRefusal {
    fn from(refusal: MemoryRefusal) -> Self {
        Self::Memory(refusal)
    }
}

impl fmt::Display for ModuleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(error) => error.fmt(f),
            Self::NarrowAddresses => f.write_str(
                "its addresses have 32 bits (`.address_size 32`, or none), which this machine does not have",
            ),
            Self::OfAnotherModule { variable } => {
                write!(f, "`{variable}` has no size: it is of another module")
            }
            Self::Memory(refusal) => refusal.fmt(f),
            Self::NoAddress { of } => write!(f, "`{of}` has no address"),
            Self::Shared { variable, bytes } => write!(
                f,
                "a kernel's variables of shared memory take more than {MAX_SHARED} bytes, with `{variable}` of {bytes}"
            ),
            Self::TooManyShared => write!(
                f,
                "there are more than {} variables of shared memory",
                SHARED_WINDOWS.most() - 1
            ),
            Self::Frame { function } => write!(
                f,
                "`{function}` takes more than {MAX_FRAME} bytes of a thread's own memory"
            ),
        }
    }
}

impl std::error::Error for ModuleRefusal {}
