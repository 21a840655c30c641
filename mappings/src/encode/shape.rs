//! Thread shapes: the ways to split a number of events among threads (docs/encoding.md). For one
//! shape program order is a constant, and shapes are independent problems.

use std::fmt;

/// The number of events of each thread, largest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadShape(Vec<usize>);

impl ThreadShape {
    /// Every partition of `events`: fewest threads first, then the largest first thread first.
    pub fn all(events: usize) -> Vec<ThreadShape> {
        fn extend(rest: usize, most: usize, prefix: &mut Vec<usize>, out: &mut Vec<ThreadShape>) {
            if rest == 0 {
                out.push(ThreadShape(prefix.clone()));
                return;
            }
            for part in (1..=rest.min(most)).rev() {
                prefix.push(part);
                extend(rest - part, part, prefix, out);
                prefix.pop();
            }
        }
        let mut out = Vec::new();
        extend(events, events, &mut Vec::new(), &mut out);
        out.sort_by_key(|s| s.0.len());
        out
    }

    /// The shape with threads of these sizes, if they are some, and largest first.
    pub fn of(sizes: &[usize]) -> Option<ThreadShape> {
        (!sizes.is_empty() && !sizes.contains(&0) && sizes.is_sorted_by(|a, b| a >= b))
            .then(|| ThreadShape(sizes.to_vec()))
    }

    /// Every event in a thread of its own.
    pub fn apart(events: usize) -> ThreadShape {
        ThreadShape(vec![1; events])
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.0.len()
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.0.iter().sum()
    }

    /// The number of events of each thread.
    pub fn sizes(&self) -> &[usize] {
        &self.0
    }

    /// The thread of each event, in the numbering of events thread by thread.
    pub fn thread_of_events(&self) -> Vec<usize> {
        self.0.iter().enumerate().flat_map(|(t, &size)| std::iter::repeat_n(t, size)).collect()
    }

    /// Events are numbered thread after thread. For the number of threads: the number of events.
    pub fn first_event(&self, thread: usize) -> usize {
        self.0[..thread].iter().sum()
    }
}

impl fmt::Display for ThreadShape {
    /// `3+2+1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, size) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            write!(f, "{size}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadShape;

    #[test]
    fn shapes_are_the_partitions() {
        // The partition numbers p(1)..p(10), OEIS A000041.
        for (n, count) in [1, 2, 3, 5, 7, 11, 15, 22, 30, 42].into_iter().enumerate() {
            let shapes = ThreadShape::all(n + 1);
            assert_eq!(shapes.len(), count);
            assert!(shapes.iter().all(|s| s.events() == n + 1));
            assert!(shapes.iter().all(|s| s.sizes().is_sorted_by(|a, b| a >= b)));
            assert!(shapes.is_sorted_by_key(ThreadShape::threads));
        }
    }
}
