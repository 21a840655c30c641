//! The threads that a search works with.

use margay_litmus::parallel::THREADS;
use margay_models::diagnostic::Diagnostic;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a search; where the platform has none, the one that asks.
pub struct Pool(Option<ThreadPool>);

impl Pool {
    /// Does this on the threads: what it divides is divided among them.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(threads) => threads.install(work),
            None => work(),
        }
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
pub fn pool(jobs: usize) -> Result<Pool, Vec<Diagnostic>> {
    if !THREADS {
        return Ok(Pool(None));
    }
    let pool = ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    let pool = pool.map_err(|e| vec![Diagnostic::error(format!("cannot start {jobs} threads: {e}"))])?;
    Ok(Pool(Some(pool)))
}
