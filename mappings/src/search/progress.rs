//! What a search tells while it goes on.

use std::sync::atomic::{AtomicUsize, Ordering};

use margay_models::diagnostic::Diagnostic;

use crate::encode::shape::ThreadShape;

/// Told what a search is doing. Methods are called from several threads.
pub trait Progress: Sync {
    /// A bound begins: so many thread shapes are to be decided for these axioms.
    fn bound(&self, events: usize, shapes: usize, axioms: &[String]) {
        let _ = (events, shapes, axioms);
    }

    /// A thread shape was decided for all axioms; so many of the bound are done.
    fn shape(&self, shape: &str, done: usize) {
        let _ = (shape, done);
    }

    /// Of the seconds of one core that the cases of a bound are predicted to take, those of the
    /// cases that are done; so many threads work.
    fn cost(&self, done: f64, of: f64, workers: usize) {
        let _ = (done, of, workers);
    }

    /// Of a bound's cases that are solved elsewhere, so many are done of so many.
    fn cases(&self, done: usize, of: usize) {
        let _ = (done, of);
    }

    /// A counterexample exists, and the smallest one is being chosen.
    fn choosing(&self, axiom: &str, events: usize) {
        let _ = (axiom, events);
    }

    /// Changes of rows are tried on the counterexamples that are known, and nothing is searched: so
    /// many changes, so many counterexamples.
    fn changes(&self, tried: usize, counterexamples: usize) {
        let _ = (tried, counterexamples);
    }

    /// Something is not as it should be, and the check goes on.
    fn warning(&self, what: &Diagnostic) {
        let _ = what;
    }
}

/// No progress display.
pub struct Silent;

impl Progress for Silent {}

/// Counts the cases of a bound that are done, and tells each.
pub struct Done<'a> {
    /// Who is told.
    pub progress: &'a dyn Progress,
    count: AtomicUsize,
}

impl<'a> Done<'a> {
    /// None is done yet.
    pub fn new(progress: &'a dyn Progress) -> Self {
        Self { progress, count: AtomicUsize::new(0) }
    }

    /// Tells that so many cases of so many events begin, for the questions of these names.
    pub fn begin(
        progress: &'a dyn Progress,
        (events, cases): (usize, usize),
        questions: &[String],
    ) -> Self {
        progress.bound(events, cases, questions);
        Self::new(progress)
    }

    /// One more is done, of this shape.
    pub fn shape(&self, shape: &ThreadShape) {
        self.progress.shape(&shape.to_string(), self.count.fetch_add(1, Ordering::Relaxed) + 1);
    }
}
