//! Which paths of the threads of a cta or cluster come to its barriers together: an execution in which a thread waits at a barrier for
//! another that never comes does not end.
//!
//! A wait is over when every thread that takes part has arrived as often as the one that waits, that arrival included. The threads that
//! take part are those of the cta or cluster that come to the barrier on some path: the test need not have all threads of a cta. That no
//! execution ends is asked of the other reading as well, in which it has (`as_whole`): a barrier without a count is for all of them. Where
//! the barrier has no count of threads, one that is at its end holds nobody up: `bar.sync` waits for all threads that have not exited
//! (Volta tuning guide, 1.4.1.2; for clusters PTX ISA, `barrier.cluster`; for lanes of a warp CUDA's guide, `__syncwarp`: all that have not exited). Where it has
//! one, that number must come.

use margay_models::execution::{Kind, Scope};

use super::path::Path;
use super::stop::Cause;
use super::{Error, Unfolding};

/// The largest number of combinations of ways through barriers.
const MAX_COMBINATIONS: usize = 1 << 16;

/// A barrier: its number, and whose it is.
type Barrier = (u16, Scope);

/// What a path does at barriers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Way {
    /// Arrivals (false) and waits (true).
    steps: Vec<(Barrier, bool)>,
    /// The barrier at which the path stops, waiting.
    stops: Option<Barrier>,
    /// Does the thread come to its end?
    ends: bool,
}

impl Way {
    fn of(path: &Path) -> Self {
        let steps = path.events.iter().filter_map(|e| {
            let barrier = (e.data.barrier?, e.data.scope.unwrap_or(Scope::Cta));
            Some((barrier, e.data.kind == Kind::BarrierWait))
        });
        let stops = path.stop.filter(|s| s.cause == Cause::Barrier).and_then(|s| s.barrier);
        Self { steps: steps.collect(), stops, ends: path.stop.is_none() }
    }
}

impl Unfolding {
    /// Does a wait of these paths never come to its end, or does a path stop at one that does?
    pub(crate) fn is_unmet(&self, chosen: &[usize]) -> bool {
        self.meets && {
            let ways: Vec<Way> = chosen.iter().zip(&self.paths).map(|(&p, paths)| Way::of(&paths[p])).collect();
            !self.meet(&ways.iter().collect::<Vec<_>>())
        }
    }

    /// Combinations of paths that cannot be, because a thread would wait at a barrier for ever: for each thread the paths in them.
    pub(crate) fn unmet(&self) -> Result<Vec<Vec<Vec<usize>>>, Error> {
        let comes = |path: &Path| path.events.iter().any(|e| e.data.barrier.is_some());
        let stops = |path: &Path| path.stop.is_some_and(|s| s.cause == Cause::Barrier);
        if !self.meets || !self.paths.iter().flatten().any(|path| comes(path) || stops(path)) {
            return Ok(Vec::new());
        }
        let mut classes: Vec<Vec<(Way, Vec<usize>)>> = Vec::with_capacity(self.paths.len());
        for paths in &self.paths {
            let mut of_thread: Vec<(Way, Vec<usize>)> = Vec::new();
            for (p, path) in paths.iter().enumerate() {
                let way = Way::of(path);
                match of_thread.iter_mut().find(|(known, _)| *known == way) {
                    Some((_, paths)) => paths.push(p),
                    None => of_thread.push((way, vec![p])),
                }
            }
            classes.push(of_thread);
        }
        let combinations = classes.iter().map(Vec::len).fold(1, usize::saturating_mul);
        if combinations > MAX_COMBINATIONS {
            return Err(Error::new(format!("the threads come to barriers in more than {MAX_COMBINATIONS} ways")));
        }
        let mut found = Vec::new();
        for mut number in 0..combinations {
            let chosen: Vec<&(Way, Vec<usize>)> = classes
                .iter()
                .map(|of_thread| {
                    let one = &of_thread[number % of_thread.len()];
                    number /= of_thread.len();
                    one
                })
                .collect();
            if !self.meet(&chosen.iter().map(|(way, _)| way).collect::<Vec<_>>()) {
                found.push(chosen.iter().map(|(_, paths)| paths.clone()).collect());
            }
        }
        Ok(found)
    }

    /// Does every thread get past the waits on its way, and none past the one at which it stops?
    fn meet(&self, ways: &[&Way]) -> bool {
        let mut at = vec![0; ways.len()];
        loop {
            let mut moved = false;
            for t in 0..ways.len() {
                while let Some(&(barrier, waits)) = ways[t].steps.get(at[t]) {
                    if waits && !self.is_complete(ways, &at, t, barrier) {
                        break;
                    }
                    at[t] += 1;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        let passed = (0..ways.len()).all(|t| at[t] == ways[t].steps.len());
        passed && (0..ways.len()).all(|t| ways[t].stops.is_none_or(|barrier| !self.is_complete(ways, &at, t, barrier)))
    }

    /// Is the next wait of a thread at a barrier over, when the threads have come so far?
    fn is_complete(&self, ways: &[&Way], at: &[usize], thread: usize, barrier: Barrier) -> bool {
        let count = |t: usize, waits: bool| ways[t].steps[..at[t]].iter().filter(|&&s| s == (barrier, waits)).count();
        let needed = count(thread, true) + 1;
        let threads = &self.shared.threads;
        (0..ways.len()).filter(|&t| t != thread && threads[thread].shares(barrier.1, threads[t])).all(|t| {
            if barrier.1 == Scope::Sys {
                // A launch starts and ends once, and whoever is to begin it may never come.
                return !self.arrives_at(t, barrier) || count(t, false) > 0;
            }
            let is_over = at[t] == ways[t].steps.len() && ways[t].ends;
            match self.shared.counted.iter().find(|c| c.barrier == barrier.0 && c.threads.contains(&thread)) {
                Some(counted) if barrier.1 == Scope::Cta => {
                    !counted.threads.contains(&t) || is_over && !counted.needs_all || count(t, false) >= needed
                }
                _ => is_over || !(self.as_whole || self.comes_to(t, barrier)) || count(t, false) >= needed,
            }
        })
    }

    /// Does a thread arrive at a barrier on some path?
    fn arrives_at(&self, thread: usize, barrier: Barrier) -> bool {
        let events = self.paths[thread].iter().chain(&self.stopped[thread]).flat_map(|path| &path.events);
        let is_there =
            |e: &margay_models::execution::EventData| e.barrier == Some(barrier.0) && e.scope.unwrap_or(Scope::Cta) == barrier.1;
        events.into_iter().any(|e| is_there(&e.data) && e.data.kind == Kind::BarrierArrive)
    }

    /// Does a thread come to a barrier on some path?
    fn comes_to(&self, thread: usize, barrier: Barrier) -> bool {
        let events = self.paths[thread].iter().chain(&self.stopped[thread]).flat_map(|path| &path.events);
        events.into_iter().any(|e| e.data.barrier == Some(barrier.0) && e.data.scope.unwrap_or(Scope::Cta) == barrier.1)
    }
}
