//! How much of a bound's work is done, and how long the rest will take: from what its cases are
//! predicted to cost, which is what those of smaller bounds have cost (`margay case list`).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;

/// From this part of the work on, the time that it took says more than the prediction.
const TELLING: f64 = 0.05;

/// What is known of the work of a bound; clones are of the same work.
#[derive(Debug, Clone, Default)]
pub(super) struct Estimate(Arc<Mutex<Option<EstimateBasis>>>);

#[derive(Debug, Clone, Copy)]
struct EstimateBasis {
    since: Instant,
    /// Predicted seconds of one core.
    done: f64,
    all: f64,
    workers: usize,
}

impl Estimate {
    /// Nothing is known of what begins now.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Of so many predicted seconds of one core so many are done; 0 where nothing is predicted.
    pub(super) fn know(&self, done: f64, all: f64, workers: usize) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = known.map_or_else(Instant::now, |known| known.since);
        *known = (all > 0.0).then_some(EstimateBasis { since, done, all, workers });
    }

    /// `, 43 %, about 2 minutes left`, or nothing.
    pub(super) fn words(&self) -> String {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.map_or(String::new(), |known| {
            words(known.done, known.all, known.workers, known.since.elapsed())
        })
    }
}

fn words(done: f64, all: f64, workers: usize, elapsed: Duration) -> String {
    let part = (done / all).clamp(0.0, 1.0);
    let percent = (part * 100.0).floor().min(99.0);
    let elapsed = elapsed.as_secs_f64();
    let left = match part < TELLING {
        true => (all - done) / workers.max(1) as f64 - elapsed,
        false => elapsed * (1.0 - part) / part,
    };
    let left = Duration::try_from_secs_f64(left.max(0.0).round()).unwrap_or_default();
    match left.is_zero() {
        true => format!(", {percent} %"),
        false => format!(", {percent} %, about {} left", HumanDuration(left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_predicted_and_then_measured() {
        let at = |done, elapsed| words(done, 200.0, 2, Duration::from_secs(elapsed));
        assert_eq!(at(0.0, 0), ", 0 %, about 2 minutes left");
        assert_eq!(at(0.0, 60), ", 0 %, about 40 seconds left");
        // The prediction was wrong, and nothing is known any more.
        assert_eq!(at(0.0, 500), ", 0 %");
        // This machine is slower than the prediction.
        assert_eq!(at(100.0, 300), ", 50 %, about 5 minutes left");
        assert_eq!(at(200.0, 300), ", 99 %");
        let estimate = Estimate::default();
        assert_eq!(estimate.words(), "");
        estimate.know(1.0, 0.0, 2);
        assert_eq!(estimate.words(), "", "nothing is predicted");
        estimate.know(0.0, 100.0, 1);
        assert_eq!(estimate.clone().words(), ", 0 %, about 2 minutes left");
        estimate.forget();
        assert_eq!(estimate.words(), "");
    }
}
