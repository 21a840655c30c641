//! Why a theorem is not written.

use std::fmt;

use margay_theorem::argument::UnreadStep;

/// Why a theorem is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RocqFailure {
    /// The writer was stopped.
    Ended,
    /// The theory cannot read a step of the argument.
    Unread(UnreadStep),
    /// The argument is right, and there is no form for Rocq yet.
    Formless(RocqLimitation),
    /// The setting, the argument and its refutations do not go together: the checker of arguments
    /// would refuse them, or the writer goes through them in another order than it.
    Mismatch(RocqMismatch),
}

/// What has no form for Rocq yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RocqLimitation {
    /// An induction over relations that refer to each other.
    SeveralRelations,
    /// A set that refers to itself: its name.
    RecursiveSet(String),
    /// A relation that refers to itself elsewhere than at the end of a sequence: its name.
    RecursionWithin(String),
    /// What must exist depends on whether two events are the same.
    GuardOfEquality,
}

/// Where the writer and what it writes disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RocqMismatch {
    /// An obligation, or a relation by a lemma, was opened to other pieces than were refuted: the
    /// obligation's words.
    OpenedInTwoWays(Option<String>),
    /// The definition of a symbol is expected, and its meaning is none: its name.
    NoDefinition(String),
    /// No hypothesis says a fact: the name of its reason.
    UnsaidFact(String),
    /// No check that is supposed says a fact: the name of the check.
    UnsaidCheck(String),
    /// Anything else, as a sentence.
    Other(&'static str),
}

impl From<RocqLimitation> for RocqFailure {
    fn from(limitation: RocqLimitation) -> Self {
        Self::Formless(limitation)
    }
}

impl From<RocqMismatch> for RocqFailure {
    fn from(mismatch: RocqMismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

impl From<UnreadStep> for RocqFailure {
    fn from(why: UnreadStep) -> Self {
        Self::Unread(why)
    }
}

impl RocqFailure {
    /// A disagreement that a sentence says.
    pub(crate) fn mismatch(what: &'static str) -> Self {
        Self::Mismatch(RocqMismatch::Other(what))
    }
}

impl fmt::Display for RocqFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("a limit was reached before it was written"),
            Self::Unread(why) => why.fmt(f),
            Self::Formless(what) => what.fmt(f),
            Self::Mismatch(what) => what.fmt(f),
        }
    }
}

impl fmt::Display for RocqLimitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralRelations => f.write_str(
                "an induction over several relations at once is not written for Rocq yet",
            ),
            Self::RecursiveSet(name) => {
                write!(f, "`{name}` is a recursive set, which is not written for Rocq yet")
            }
            Self::RecursionWithin(name) => write!(
                f,
                "`{name}` refers to itself within an expression, which is not written for Rocq yet"
            ),
            Self::GuardOfEquality => {
                f.write_str("an existence depends on whether events are equal")
            }
        }
    }
}

impl fmt::Display for RocqMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenedInTwoWays(Some(what)) => write!(f, "`{what}` was opened in two ways"),
            Self::OpenedInTwoWays(None) => f.write_str("a relation was opened in two ways"),
            Self::NoDefinition(name) => write!(f, "`{name}` is no definition"),
            Self::UnsaidFact(name) => write!(f, "nothing says what is known by `{name}`"),
            Self::UnsaidCheck(name) => write!(f, "no check says what is known by `{name}`"),
            Self::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for RocqFailure {}
