//! What a slice is asked about, beside what decides which way threads go.

use super::Rivals;

/// What a slice is asked about, beside what decides which way threads go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SliceFocus {
    Nothing,
    /// A data race of these.
    Race(Rivals),
    /// What a thread reads at a place.
    Reader {
        place: usize,
        thread: usize,
    },
}

impl SliceFocus {
    /// Is an access of a thread to a place part of the question?
    pub fn has(self, place: usize, thread: usize, writes: bool) -> bool {
        match self {
            Self::Nothing => false,
            Self::Race(rivals) => rivals.place == place && rivals.threads.contains(&thread),
            Self::Reader { place: at, thread: reader } => {
                at == place && (writes || reader == thread)
            }
        }
    }

    /// Is the question about a thread?
    pub fn is_of(self, thread: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Race(rivals) => rivals.threads.contains(&thread),
            Self::Reader { thread: reader, .. } => reader == thread,
        }
    }

    /// Is the question about a place?
    pub fn is_at(self, place: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Race(Rivals { place: at, .. }) | Self::Reader { place: at, .. } => at == place,
        }
    }
}
