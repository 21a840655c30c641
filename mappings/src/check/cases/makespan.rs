//! How long cases take on many workers: each takes the next of a list when it is free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The time until the last of the cases is done, taken in this order by so many workers.
pub fn makespan(seconds: &[f64], workers: usize) -> f64 {
    // Whole nanoseconds have an order.
    let mut free: BinaryHeap<Reverse<u64>> = (0..workers.max(1)).map(|_| Reverse(0)).collect();
    let mut end = 0;
    for case in seconds {
        let Some(Reverse(at)) = free.pop() else { break };
        let done = at + (case * 1e9) as u64;
        end = end.max(done);
        free.push(Reverse(done));
    }
    end as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::makespan;

    #[test]
    fn known_schedules() {
        assert_eq!(makespan(&[], 3), 0.0);
        assert_eq!(makespan(&[3.0, 2.0, 2.0], 1), 7.0);
        assert_eq!(makespan(&[3.0, 2.0, 2.0], 2), 4.0);
        assert_eq!(makespan(&[2.0, 2.0, 3.0], 2), 5.0, "the largest last");
        assert_eq!(makespan(&[3.0, 2.0, 2.0], 9), 3.0);
    }

    proptest! {
        #[test]
        fn within_the_bounds_of_list_scheduling(seconds in prop::collection::vec(0.0..100.0_f64, 1..60), workers in 1_usize..20) {
            // Graham, Bounds on multiprocessing timing anomalies, 1969: at most the mean load and
            // one case more.
            let (sum, most) = (seconds.iter().sum::<f64>(), seconds.iter().copied().fold(0.0, f64::max));
            let time = makespan(&seconds, workers);
            let least = most.max(sum / workers as f64);
            prop_assert!(time >= least - 1e-6 && time <= sum / workers as f64 + most + 1e-6);
        }
    }
}
