//! Do the cases cover a bound? An argument of its own, which does not ask how shapes were listed.

use std::collections::BTreeSet;
use std::fmt;

/// The largest number of events for which every partition is gone through (4,213,597 of 12 events).
const MAX_EVENTS: usize = 13;

/// A bound whose partitions are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyPartitions;

impl fmt::Display for TooManyPartitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partitions of more than {MAX_EVENTS} events are not gone through")
    }
}

/// Every execution puts each of its events into a thread: a partition of the set of events. Goes
/// through all partitions, as restricted growth strings (Knuth, The Art of Computer Programming,
/// volume 4A, section 7.2.1.5), and looks for the sizes of the parts, largest first, among the
/// cases; the sizes that are not there, if any. Threads that differ by their names alone are one
/// case.
///
/// # Errors
/// The bound is too large for that.
pub fn uncovered(
    events: usize,
    cases: &BTreeSet<Vec<usize>>,
) -> Result<Option<Vec<usize>>, TooManyPartitions> {
    if events > MAX_EVENTS {
        return Err(TooManyPartitions);
    }
    fn walk(
        left: usize,
        sizes: &mut Vec<usize>,
        cases: &BTreeSet<Vec<usize>>,
    ) -> Option<Vec<usize>> {
        if left == 0 {
            let mut sorted = sizes.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            return (!cases.contains(&sorted)).then_some(sorted);
        }
        // The next event is in the thread of an earlier one, or in a new thread.
        for thread in 0..=sizes.len() {
            if thread == sizes.len() {
                sizes.push(0);
            }
            sizes[thread] += 1;
            let missing = walk(left - 1, sizes, cases);
            sizes[thread] -= 1;
            if sizes[thread] == 0 {
                sizes.pop();
            }
            if missing.is_some() {
                return missing;
            }
        }
        None
    }
    Ok(walk(events, &mut Vec::new(), cases))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::uncovered;
    use crate::encode::shape::ThreadShape;

    #[test]
    fn every_shape_is_needed_and_all_are_enough() {
        for events in 1..=8 {
            let all: BTreeSet<Vec<usize>> =
                ThreadShape::all(events).iter().map(|s| s.sizes().to_vec()).collect();
            assert_eq!(uncovered(events, &all), Ok(None));
            for shape in &all {
                let mut fewer = all.clone();
                fewer.remove(shape);
                assert_eq!(uncovered(events, &fewer), Ok(Some(shape.clone())));
            }
        }
        assert_eq!(
            uncovered(3, &BTreeSet::from([vec![3], vec![1, 2], vec![1, 1, 1]])),
            Ok(Some(vec![2, 1]))
        );
        assert!(uncovered(20, &BTreeSet::new()).is_err());
    }
}
