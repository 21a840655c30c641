//! The threads that a search works with.

use margay_models::diagnostic::Diagnostic;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of so many threads; one, where none are asked for.
///
/// # Errors
/// The system does not give so many.
pub fn pool(jobs: usize) -> Result<ThreadPool, Vec<Diagnostic>> {
    let pool = ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    pool.map_err(|e| vec![Diagnostic::error(format!("cannot start {jobs} threads: {e}"))])
}
