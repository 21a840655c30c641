//! Threads that do the same, each perhaps with a location or a number of its own, are
//! interchangeable: exchanging them, and renaming what is theirs, makes an execution of an
//! execution. Of all these one is enough: that in which the events that are there, and the values
//! read, are in lexicographic order. Without it the solver refutes the same thing for every order
//! of the threads: that one of 8 atomic additions is lost took it 13.2 s, and takes 0.19 s with it.

use margay_solver::Literal;

use super::problem::Problem;
use super::renaming::{MergedTest, Renaming};
use crate::unfold::Unfolding;

/// Up to how many threads each is compared with each. That takes the square of their number, and as
/// much for each as the test is long.
const FEW_THREADS: usize = 64;

/// How many events are looked at in all comparisons where there are more.
const MAX_LOOKED_AT: usize = 1 << 17;

impl Problem<'_> {
    /// Puts interchangeable threads in order.
    pub(super) fn break_symmetry(&mut self, unfolding: &Unfolding) {
        let threads = self.facts.merged.paths.len();
        let test = MergedTest { unfolding, merged: self.facts.merged, domains: self.domains };
        let mut left = if threads <= FEW_THREADS {
            usize::MAX
        } else {
            MAX_LOOKED_AT / self.facts.merged.events.len().max(1)
        };
        let mut exchange = |s: usize, t: usize| {
            left = left.checked_sub(1)?;
            let mut others: Vec<usize> = (0..threads).collect();
            others.swap(s, t);
            Renaming::of(test, test, &others)
        };
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for t in 0..threads {
            let found = classes.iter_mut().find_map(|class| {
                let last = *class.last()?;
                Some((exchange(last, t)?, class))
            });
            let Some((renaming, class)) = found else {
                classes.push(vec![t]);
                continue;
            };
            self.put_in_order((class.last().copied().unwrap_or(t), t), &renaming);
            // Where others have names that are exchanged as well, an order of neighbours says less
            // than one of all.
            if renaming.moves_names() {
                for &s in &class[..class.len() - 1] {
                    exchange(s, t)
                        .into_iter()
                        .for_each(|renaming| self.put_in_order((s, t), &renaming));
                }
            }
            class.push(t);
        }
    }

    /// An execution does not come behind the one that an exchange of two threads makes of it.
    fn put_in_order(&mut self, (s, t): (usize, usize), renaming: &Renaming) {
        let merged = self.facts.merged;
        let Some(events) = renaming.events(merged, merged) else { return };
        let mut pairs: Vec<[Literal; 2]> = Vec::new();
        // What the second does is known once the first does the same.
        for thread in (0..merged.paths.len()).filter(|&thread| thread != t) {
            if thread != s && !renaming.moves_names() {
                continue;
            }
            for (e, event) in merged.events.iter().enumerate() {
                if event.data.thread != Some(thread as u16) {
                    continue;
                }
                pairs.push([self.present[e], self.present[events[e]]]);
                let there = self.returned(events[e]);
                for (value, literal) in self.returned(e) {
                    let image = there.binary_search_by_key(&renaming.number(value), |&(v, _)| v);
                    let Ok(image) = image else { return };
                    pairs.push([literal, there[image].1]);
                }
            }
        }
        self.session.add_lexicographic(&pairs);
    }
}
