//! The threads that a search works with, and the work that is divided among them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use margay_litmus::parallel::THREADS;
use margay_models::diagnostic::Diagnostic;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a search; where the platform has none, the one that asks.
pub struct SearchThreads(Option<ThreadPool>);

impl SearchThreads {
    /// Does this on the threads: what it divides is divided among them.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(threads) => threads.install(work),
            None => work(),
        }
    }

    /// Does this for each of so many things, first ones first, and returns what comes out in their
    /// order.
    pub fn each<R: Send>(&self, things: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let start = Instant::now();
        let (next, busy, all) =
            (AtomicUsize::new(0), Mutex::new(0.0), Mutex::new(Vec::with_capacity(things)));
        self.install(|| {
            (0..self.size()).into_par_iter().with_max_len(1).for_each(|_| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= things {
                        break;
                    }
                    let done = work(index);
                    all.lock().unwrap_or_else(PoisonError::into_inner).push((index, done));
                }
                *busy.lock().unwrap_or_else(PoisonError::into_inner) +=
                    start.elapsed().as_secs_f64();
            });
        });
        let (wall, busy) = (
            start.elapsed().as_secs_f64(),
            busy.into_inner().unwrap_or_else(PoisonError::into_inner),
        );
        let share = 100.0 * busy / (wall * self.size() as f64).max(f64::MIN_POSITIVE);
        tracing::info!("{things} cases: {wall:.2} s, workers were busy {share:.1} % of it");
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_by_key(|&(index, _)| index);
        all.into_iter().map(|(_, done)| done).collect()
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, ThreadPool::current_num_threads)
    }
}

/// A pool of so many threads; one, where none are asked for.
///
/// # Errors
/// The system does not give so many.
pub fn pool(jobs: usize) -> Result<SearchThreads, Vec<Diagnostic>> {
    if !THREADS {
        return Ok(SearchThreads(None));
    }
    let pool = ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    let pool =
        pool.map_err(|e| vec![Diagnostic::error(format!("cannot start {jobs} threads: {e}"))])?;
    Ok(SearchThreads(Some(pool)))
}
