//! The loop over numbers of events (iterative deepening): from one event upward, so that what is
//! found first is smallest.

use margay_models::diagnostic::Diagnostic;

use super::options::SearchOptions;
use super::progress::{Done, Progress};
use crate::encode::shape::ThreadShape;
use crate::pool::{SearchThreads, pool};

/// A search that is asked bound by bound.
pub trait Deepening {
    /// The questions that are to be asked at the next bound, by number. Without any the search has
    /// ended.
    fn open(&self) -> Vec<usize>;

    /// Asks them about the executions of one bound. What a limit or a fault leaves undecided it
    /// keeps, too.
    fn decide(&mut self, bound: &SearchBound<'_>);
}

pub struct SearchBound<'a> {
    /// The number of events.
    pub events: usize,
    /// The thread shapes of so many events, those of few threads first.
    pub shapes: &'a [ThreadShape],
    /// The questions that are asked.
    pub open: &'a [usize],
    /// The threads that solve.
    pub pool: &'a SearchThreads,
    /// Who is told of it.
    pub progress: &'a dyn Progress,
}

impl<'a> SearchBound<'a> {
    /// Tells that so many cases are to be decided for the questions of these names, and counts
    /// those that are done.
    pub fn begin(&self, cases: usize, questions: &[String]) -> Done<'a> {
        Done::begin(self.progress, (self.events, cases), questions)
    }
}

/// Asks bound by bound, up to the bound of the options, for as long as a question is open.
///
/// # Errors
/// The system does not give so many threads.
pub fn deepen(
    search: &mut impl Deepening,
    options: &SearchOptions,
    progress: &dyn Progress,
) -> Result<(), Vec<Diagnostic>> {
    let pool = pool(options.jobs)?;
    for events in 1..=options.bound {
        let open = search.open();
        if open.is_empty() {
            break;
        }
        search.decide(&SearchBound {
            events,
            shapes: &ThreadShape::all(events),
            open: &open,
            pool: &pool,
            progress,
        });
    }
    Ok(())
}

/// The size of what was searched: `1 event`, `4 events`.
pub fn counted_events(bound: usize) -> String {
    format!("{bound} {}", if bound == 1 { "event" } else { "events" })
}

#[cfg(test)]
mod tests {
    use super::super::{Progress, SearchOptions};
    use super::{Deepening, SearchBound, deepen};

    /// Each question is open up to a number of events of its own.
    struct UpTo {
        last: Vec<usize>,
        asked: Vec<(usize, Vec<usize>, usize)>,
    }

    impl Deepening for UpTo {
        fn open(&self) -> Vec<usize> {
            let next = self.asked.len() + 1;
            (0..self.last.len()).filter(|&q| next <= self.last[q]).collect()
        }

        fn decide(&mut self, bound: &SearchBound<'_>) {
            self.asked.push((bound.events, bound.open.to_vec(), bound.shapes.len()));
            let done = bound.begin(bound.shapes.len(), &[]);
            bound.shapes.iter().for_each(|shape| done.shape(shape));
        }
    }

    /// Keeps what it is told.
    #[derive(Default)]
    struct KeptProgress(std::sync::Mutex<Vec<String>>);

    impl Progress for KeptProgress {
        fn bound(&self, events: usize, shapes: usize, _: &[String]) {
            self.0.lock().expect("no thread panicked").push(format!("{events}: {shapes}"));
        }

        fn shape(&self, shape: &str, done: usize) {
            self.0.lock().expect("no thread panicked").push(format!("{shape} is {done}"));
        }
    }

    fn asked(last: &[usize], bound: usize) -> Vec<(usize, Vec<usize>, usize)> {
        let mut search = UpTo { last: last.to_vec(), asked: Vec::new() };
        deepen(
            &mut search,
            &SearchOptions { jobs: 1, ..SearchOptions::new(bound) },
            &KeptProgress::default(),
        )
        .expect("one thread");
        search.asked
    }

    #[test]
    fn bounds_ascend_until_no_question_is_open() {
        assert_eq!(asked(&[3, 1], 9), [(1, vec![0, 1], 1), (2, vec![0], 2), (3, vec![0], 3)]);
        assert_eq!(asked(&[9], 2), [(1, vec![0], 1), (2, vec![0], 2)]);
        assert_eq!(asked(&[], 9), []);
        assert_eq!(asked(&[1], 0), []);
    }

    #[test]
    fn shapes_are_counted_anew_at_each_bound() {
        let (mut search, kept) =
            (UpTo { last: vec![2], asked: Vec::new() }, KeptProgress::default());
        deepen(&mut search, &SearchOptions { jobs: 1, ..SearchOptions::new(2) }, &kept)
            .expect("one thread");
        let told = kept.0.into_inner().expect("no thread panicked");
        assert_eq!(told, ["1: 1", "1 is 1", "2: 2", "2 is 1", "1+1 is 2"]);
    }
}
