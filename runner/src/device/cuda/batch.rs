//! How many launches are queued before it is asked whether they have ended: many short ones, so
//! that the GPU never waits for the host, and few long ones, so that Ctrl-C and the watchdog do not
//! wait for many.

use std::time::{Duration, Instant};

const MOST: u32 = 256;

/// As many are queued as take about so long.
const TIME: Duration = Duration::from_millis(20);

/// The launches that are queued together.
#[derive(Debug)]
pub(super) struct Batch {
    size: u32,
    queued: u32,
    began: Option<Instant>,
}

impl Default for Batch {
    /// One: how long a launch takes is not known yet.
    fn default() -> Self {
        Self { size: 1, queued: 0, began: None }
    }
}

impl Batch {
    /// Another launch is queued.
    pub(super) fn begin(&mut self) {
        self.began.get_or_insert_with(Instant::now);
        self.queued += 1;
    }

    /// Is it time to wait for them?
    pub(super) fn is_full(&self) -> bool {
        self.queued >= self.size
    }

    /// Nothing is queued, so that a new batch can begin, or the run end.
    pub(super) fn is_empty(&self) -> bool {
        self.queued == 0
    }

    /// All have ended.
    pub(super) fn ended(&mut self) {
        let took = self.began.take().map_or(TIME, |began| began.elapsed());
        self.size = next(self.size, took);
        self.queued = 0;
    }
}

/// The size of the next batch after one that took so long.
fn next(size: u32, took: Duration) -> u32 {
    if took < TIME / 2 {
        (size * 2).min(MOST)
    } else if took > TIME * 2 {
        (size / 2).max(1)
    } else {
        size
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Batch, MOST, TIME, next};

    /// The size that batches come to, when each launch takes so long.
    fn settles(launch: Duration) -> u32 {
        (0..32).fold(1, |size, _| next(size, launch * size))
    }

    #[test]
    fn short_launches_are_queued_together_and_long_ones_alone() {
        assert_eq!(settles(Duration::from_micros(20)), MOST);
        let middling = settles(Duration::from_millis(1));
        assert!(
            (TIME / 2..=TIME * 2).contains(&(Duration::from_millis(1) * middling)),
            "{middling}"
        );
        assert_eq!(settles(Duration::from_secs(1)), 1);
        assert_eq!(
            next(64, Duration::from_secs(1)),
            32,
            "when launches become longer, fewer are queued"
        );
    }

    #[test]
    fn every_launch_is_in_a_batch() {
        let mut batch = Batch::default();
        assert!(batch.is_empty() && !batch.is_full());
        batch.begin();
        assert!(batch.is_full() && !batch.is_empty());
        batch.ended();
        assert!(batch.is_empty() && !batch.is_full());
    }
}
