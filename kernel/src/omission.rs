//! What of a kernel was not looked at, or only in part, and why.

use std::fmt;

use crate::residue::Origin;

/// Why something of a kernel was not looked at, or only in part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Omission {
    /// Where it is in the kernel; nothing where it is of no instruction.
    pub origin: Option<Origin>,
    pub why: OmissionReason,
    /// Was a thread not followed, or one of several ways taken without knowing which? Then what is
    /// found may not be so.
    pub guessed: bool,
}

impl Omission {
    /// What is found is so all the same.
    pub(crate) fn in_part(origin: Option<Origin>, why: impl Into<OmissionReason>) -> Self {
        Self { origin, why: why.into(), guessed: false }
    }

    /// A thread is not followed, or one of several ways is taken without knowing which.
    pub(crate) fn guessed(origin: Option<Origin>, why: impl Into<OmissionReason>) -> Self {
        Self { origin, why: why.into(), guessed: true }
    }
}

/// What it is, as far as anything depends on that.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OmissionReason {
    /// A compare-and-swap compares what is not interpreted.
    OpaqueSwap,
    /// So does a guard.
    OpaqueGuard,
    /// The address of one of several arrays depends on it.
    OpaqueChoice,
    /// An address that is made of a number that was chosen for a parameter is no multiple of so
    /// many bytes.
    Unaligned(u64),
    /// Anything else, in words.
    Other(String),
}

impl From<&str> for OmissionReason {
    fn from(why: &str) -> Self {
        Self::Other(why.to_owned())
    }
}

impl From<String> for OmissionReason {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

impl fmt::Display for OmissionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::OpaqueSwap => "whether a compare-and-swap succeeds",
            Self::OpaqueGuard => "whether it is executed",
            Self::OpaqueChoice => "which address is chosen",
            Self::Unaligned(bytes) => {
                return write!(
                    f,
                    "an address is no multiple of the {bytes} bytes that are accessed, and is made of a number that was chosen for a parameter (`--arg N=NUMBER` \
                     says what it is)"
                );
            }
            Self::Other(why) => return f.write_str(why),
        };
        let of = "(floating point, a special register, or a parameter that is not known)";
        write!(f, "{what} depends on arithmetic that is not interpreted {of}")
    }
}
