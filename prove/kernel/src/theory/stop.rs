//! What ends a search: a flag that somebody else raises, or a moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A flag and a moment, either of which ends a search.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    /// The search ends when it becomes true.
    pub flag: Option<Arc<AtomicBool>>,
    /// The search ends then.
    pub deadline: Option<Instant>,
}

impl StopSignal {
    /// Is the search to end?
    pub fn is_raised(&self) -> bool {
        self.flag.as_ref().is_some_and(|f| f.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// A stop that comes earlier: what begins now has half of the time that is left. The other half
    /// is for what must follow.
    #[must_use]
    pub fn half_way(&self) -> Self {
        let half = |deadline: Instant| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now) / 2
        };
        Self { flag: self.flag.clone(), deadline: self.deadline.map(half) }
    }
}
