//! Which paths of the threads of a cta or cluster come to its barriers together: an execution in
//! which a thread waits at a barrier for another that never comes does not end.
//!
//! A wait is over when every thread that takes part has arrived as often as the one that waits,
//! that arrival included. The threads that take part are those of the cta or cluster that come to
//! the barrier on some path: the test need not have all threads of a cta. That no execution ends is
//! asked of the other reading as well, in which it has (`as_whole`): a barrier without a count is
//! for all of them. Where the barrier has no count of threads, one that is at its end holds nobody
//! up: `bar.sync` waits for all threads that have not exited (Volta tuning guide, 1.4.1.2; for
//! clusters PTX ISA, `barrier.cluster`; for lanes of a warp CUDA's guide, `__syncwarp`: all that
//! have not exited). Where it has one, that number must come.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use margay_models::execution::{Kind, Scope};

use super::path::{Path, PathEvent};
use super::stop::Cause;
use super::{UnfoldError, Unfolding};

/// The largest number of combinations of ways through barriers.
const MAX_COMBINATIONS: usize = 1 << 16;

/// A barrier: its number, and whose it is.
type Barrier = (u16, Scope);

/// How often a path waits at each barrier.
pub(super) type BarrierWaits = BTreeMap<Barrier, usize>;

/// What a path does at barriers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BarrierVisits {
    /// Arrivals (false) and waits (true).
    steps: Vec<(Barrier, bool)>,
    /// The barrier at which the path stops, waiting.
    stops: Option<Barrier>,
    /// Does the thread come to its end?
    ends: bool,
}

impl BarrierVisits {
    fn of(path: &Path) -> Self {
        let steps = path.events.iter().filter(|e| !e.is_end()).filter_map(|e| {
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
            let ways: Vec<BarrierVisits> = chosen
                .iter()
                .zip(&self.paths)
                .map(|(&p, paths)| BarrierVisits::of(&paths[p]))
                .collect();
            !self.meet(&ways.iter().collect::<Vec<_>>())
        }
    }

    /// Combinations of paths that cannot be, because a thread would wait at a barrier for ever: for
    /// each thread the paths in them.
    pub(crate) fn unmet(&self) -> Result<Vec<Vec<Vec<usize>>>, UnfoldError> {
        let comes = |path: &Path| path.events.iter().any(|e| e.data.barrier.is_some());
        let stops = |path: &Path| path.stop.is_some_and(|s| s.cause == Cause::Barrier);
        if !self.meets || !self.paths.iter().flatten().any(|path| comes(path) || stops(path)) {
            return Ok(Vec::new());
        }
        let mut classes: Vec<Vec<(BarrierVisits, Vec<usize>)>> =
            Vec::with_capacity(self.paths.len());
        for paths in &self.paths {
            let mut of_thread: Vec<(BarrierVisits, Vec<usize>)> = Vec::new();
            for (p, path) in paths.iter().enumerate() {
                let way = BarrierVisits::of(path);
                match of_thread.iter_mut().find(|(known, _)| *known == way) {
                    Some((_, paths)) => paths.push(p),
                    None => of_thread.push((way, vec![p])),
                }
            }
            classes.push(of_thread);
        }
        let mut found = Vec::new();
        // Most combinations cannot be because of two of their threads, whatever the others do.
        let mut apart: Vec<Vec<Vec<Vec<bool>>>> = Vec::with_capacity(classes.len());
        for u in 0..classes.len() {
            let of_pair = |t: usize| {
                let fails = |x: &BarrierVisits, y: &BarrierVisits| {
                    self.holds_up(t, x, u, y) || self.holds_up(u, y, t, x)
                };
                classes[t]
                    .iter()
                    .map(|(x, _)| classes[u].iter().map(|(y, _)| fails(x, y)).collect())
                    .collect()
            };
            apart.push((0..u).map(of_pair).collect());
        }
        let all = |t: usize| (0..self.paths[t].len()).collect::<Vec<_>>();
        for (u, of_thread) in apart.iter().enumerate() {
            for (t, of_pair) in of_thread.iter().enumerate() {
                for (y, (_, others)) in classes[u].iter().enumerate() {
                    let with: Vec<usize> = classes[t]
                        .iter()
                        .zip(of_pair)
                        .filter(|(_, fails)| fails[y])
                        .flat_map(|((_, p), _)| p.clone())
                        .collect();
                    if !with.is_empty() {
                        let paths = |n: usize| {
                            if n == t {
                                with.clone()
                            } else if n == u {
                                others.clone()
                            } else {
                                all(n)
                            }
                        };
                        found.push((0..classes.len()).map(paths).collect());
                    }
                }
            }
        }
        if !self.waits_in_circles(&classes) {
            // Then every thread gets past its waits where no two are apart, and what is left is one
            // that stops where all the others let it pass.
            for (t, of_thread) in classes.iter().enumerate() {
                for (way, paths) in of_thread {
                    let Some(barrier) = way.stops else { continue };
                    let needed = way.steps.iter().filter(|&&s| s == (barrier, true)).count() + 1;
                    let passing = |u: usize| {
                        let lets = |(way, _): &&(BarrierVisits, Vec<usize>)| {
                            self.lets_pass((u, way, way.steps.len()), t, barrier, needed)
                        };
                        classes[u]
                            .iter()
                            .filter(lets)
                            .flat_map(|(_, paths)| paths.clone())
                            .collect::<Vec<_>>()
                    };
                    let one: Vec<Vec<usize>> = (0..classes.len())
                        .map(|u| if u == t { paths.clone() } else { passing(u) })
                        .collect();
                    if one.iter().all(|paths| !paths.is_empty()) {
                        found.push(one);
                    }
                }
            }
            return Ok(found);
        }
        // What is left is looked at one by one.
        let mut open: Vec<Vec<usize>> = vec![Vec::new()];
        let mut looked_at = 0;
        while let Some(chosen) = open.pop() {
            looked_at += 1;
            if looked_at > MAX_COMBINATIONS {
                return Err(UnfoldError::new(format!(
                    "the threads come to barriers in more than {MAX_COMBINATIONS} ways"
                )));
            }
            let u = chosen.len();
            if u < classes.len() {
                let fits = |y: &usize| chosen.iter().enumerate().all(|(t, &x)| !apart[u][t][x][*y]);
                open.extend(
                    (0..classes[u].len())
                        .rev()
                        .filter(fits)
                        .map(|y| [chosen.as_slice(), &[y]].concat()),
                );
                continue;
            }
            let of = |(t, &x): (usize, &usize)| &classes[t][x];
            let ways: Vec<&BarrierVisits> =
                chosen.iter().enumerate().map(|chosen| &of(chosen).0).collect();
            if !self.meet(&ways) {
                found.push(chosen.iter().enumerate().map(|chosen| of(chosen).1.clone()).collect());
            }
        }
        Ok(found)
    }

    /// May threads wait for each other in a circle: is there no order in which all barriers can be
    /// passed?
    fn waits_in_circles(&self, classes: &[Vec<(BarrierVisits, Vec<usize>)>]) -> bool {
        // A barrier of those who share it, by the first of them, the how manieth time; and the end
        // of a thread.
        type BarrierTime = (Barrier, usize, usize);
        let threads = &self.shared.threads;
        let group = |t: usize, barrier: Barrier| {
            (0..t).find(|&u| threads[t].shares(barrier.1, threads[u])).unwrap_or(t)
        };
        let mut all: BTreeSet<BarrierTime> = BTreeSet::new();
        let mut ends: Vec<(usize, &BarrierVisits)> = Vec::new();
        let mut behind: BTreeSet<(BarrierTime, BarrierTime)> = BTreeSet::new();
        for (t, of_thread) in classes.iter().enumerate() {
            for (way, _) in of_thread {
                let mut waits: Vec<BarrierTime> = Vec::new();
                for (at, &(barrier, is_wait)) in way.steps.iter().enumerate() {
                    let number =
                        way.steps[..=at].iter().filter(|&&s| s == (barrier, is_wait)).count();
                    let meeting = (barrier, group(t, barrier), number);
                    all.insert(meeting);
                    behind.extend(waits.iter().map(|&wait| (wait, meeting)));
                    if is_wait {
                        waits.push(meeting);
                    }
                }
                if way.ends {
                    ends.push((t, way));
                }
            }
        }
        // A thread at its end lets others pass whom it does not meet.
        for (t, way) in ends {
            for &(barrier, of, number) in &all {
                let arrived = way.steps.iter().filter(|&&s| s == (barrier, false)).count();
                if of == group(t, barrier)
                    && arrived < number
                    && (self.as_whole || self.comes_to(t, barrier))
                {
                    let mut waits = BTreeMap::new();
                    for &(own, _) in way.steps.iter().filter(|(_, waits)| *waits) {
                        let n = waits.entry(own).and_modify(|n| *n += 1).or_insert(1);
                        behind.insert(((own, group(t, own), *n), (barrier, of, number)));
                    }
                }
            }
        }
        // What waits for nothing any more is passed, until nothing is left.
        while !all.is_empty() {
            let free: Vec<BarrierTime> = all
                .iter()
                .copied()
                .filter(|m| !behind.iter().any(|(before, then)| then == m && all.contains(before)))
                .collect();
            if free.is_empty() {
                return true;
            }
            free.iter().for_each(|m| _ = all.remove(m));
        }
        false
    }

    /// Does a thread that goes one way wait for another one, which never lets it pass on its own
    /// way?
    fn holds_up(
        &self,
        thread: usize,
        way: &BarrierVisits,
        other: usize,
        its: &BarrierVisits,
    ) -> bool {
        let waits = way.steps.iter().enumerate().filter(|(_, (_, waits))| *waits);
        waits.into_iter().any(|(at, &(barrier, _))| {
            let needed = way.steps[..at].iter().filter(|&&s| s == (barrier, true)).count() + 1;
            !self.lets_pass((other, its, its.steps.len()), thread, barrier, needed)
        })
    }

    /// Does every thread get past the waits on its way, and none past the one at which it stops?
    fn meet(&self, ways: &[&BarrierVisits]) -> bool {
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
        passed
            && (0..ways.len()).all(|t| {
                ways[t].stops.is_none_or(|barrier| !self.is_complete(ways, &at, t, barrier))
            })
    }

    /// Is the next wait of a thread at a barrier over, when the threads have come so far?
    fn is_complete(
        &self,
        ways: &[&BarrierVisits],
        at: &[usize],
        thread: usize,
        barrier: Barrier,
    ) -> bool {
        let needed =
            ways[thread].steps[..at[thread]].iter().filter(|&&s| s == (barrier, true)).count() + 1;
        (0..ways.len())
            .filter(|&t| t != thread)
            .all(|t| self.lets_pass((t, ways[t], at[t]), thread, barrier, needed))
    }

    /// Does a thread that has come so far on its way let another one pass, which waits at a barrier
    /// the how manieth time?
    fn lets_pass(
        &self,
        other: (usize, &BarrierVisits, usize),
        thread: usize,
        barrier: Barrier,
        needed: usize,
    ) -> bool {
        let takes_part = self.as_whole || self.comes_to(other.0, barrier);
        self.lets_pass_where(other, thread, barrier, (needed, takes_part))
    }

    /// The same where it is said whether a barrier without a count is for it, too.
    fn lets_pass_where(
        &self,
        (other, way, at): (usize, &BarrierVisits, usize),
        thread: usize,
        barrier: Barrier,
        (needed, takes_part): (usize, bool),
    ) -> bool {
        let threads = &self.shared.threads;
        if !threads[thread].shares(barrier.1, threads[other]) {
            return true;
        }
        let arrived = way.steps[..at].iter().filter(|&&s| s == (barrier, false)).count();
        if barrier.1 == Scope::Sys {
            // A launch starts and ends once, and whoever is to begin it may never come.
            return !self.arrives_at(other, barrier) || arrived > 0;
        }
        let is_over = at == way.steps.len() && way.ends;
        match self
            .shared
            .counted
            .iter()
            .find(|c| c.barrier == barrier.0 && c.threads.contains(&thread))
        {
            Some(counted) if barrier.1 == Scope::Cta => {
                !counted.threads.contains(&other)
                    || is_over && !counted.needs_all
                    || arrived >= needed
            }
            _ => is_over || !takes_part || arrived >= needed,
        }
    }

    /// The events of a thread's instructions, on all paths.
    fn instructions(&self, thread: usize) -> impl Iterator<Item = &PathEvent> {
        self.paths[thread]
            .iter()
            .chain(&self.stopped[thread])
            .flat_map(|path| &path.events)
            .filter(|e| !e.is_end())
    }

    /// For each thread how often it waits at barriers, by barrier, on each of its paths: what is
    /// the same on many paths is there once.
    pub(super) fn waits_at_barriers(&self) -> Vec<BTreeSet<BarrierWaits>> {
        let of_path = |path: &Path| {
            let mut waits = BarrierWaits::new();
            for (barrier, _) in BarrierVisits::of(path).steps.iter().filter(|(_, waits)| *waits) {
                *waits.entry(*barrier).or_default() += 1;
            }
            waits
        };
        self.paths
            .iter()
            .zip(&self.stopped)
            .map(|(paths, stopped)| {
                let waits: BTreeSet<BarrierWaits> =
                    paths.iter().chain(stopped).map(of_path).collect();
                waits.into_iter().filter(|waits| !waits.is_empty()).collect()
            })
            .collect()
    }

    /// The barriers at which a thread that ends on one of its paths lets others pass, which wait
    /// there once more than it has arrived. A barrier without a count waits for one that comes to
    /// no barrier as well. (Of one that comes to others a test may leave out that it comes to this
    /// one.)
    pub(super) fn passed_by_the_end(
        &self,
        thread: usize,
        path: &Path,
        waits: &[BTreeSet<BarrierWaits>],
    ) -> BTreeSet<Barrier> {
        let way = BarrierVisits::of(path);
        let mut found = BTreeSet::new();
        if !way.ends {
            return found;
        }
        let comes = OnceCell::new();
        let is_for_all = |barrier: Barrier| {
            matches!(barrier.1, Scope::Cta | Scope::Cluster)
                && !comes
                    .get_or_init(|| self.instructions(thread).any(|e| e.data.barrier.is_some()))
        };
        let others = waits.iter().enumerate().filter(|(other, _)| *other != thread);
        let waited = others.flat_map(|(other, ways)| {
            ways.iter().flatten().map(move |(&barrier, &needed)| (other, barrier, needed))
        });
        for (other, barrier, needed) in waited {
            let arrived = way.steps.iter().filter(|&&s| s == (barrier, false)).count();
            let lets = |ends| {
                let way = BarrierVisits { ends, ..way.clone() };
                let takes_part = self.comes_to(thread, barrier) || is_for_all(barrier);
                let at_its_end = (thread, &way, way.steps.len());
                self.lets_pass_where(at_its_end, other, barrier, (needed, takes_part))
            };
            if arrived < needed && !found.contains(&barrier) && lets(true) && !lets(false) {
                found.insert(barrier);
            }
        }
        found
    }

    /// Does a thread arrive at a barrier on some path?
    fn arrives_at(&self, thread: usize, barrier: Barrier) -> bool {
        let events = self.instructions(thread);
        let is_there = |e: &margay_models::execution::EventData| {
            e.barrier == Some(barrier.0) && e.scope.unwrap_or(Scope::Cta) == barrier.1
        };
        events.into_iter().any(|e| is_there(&e.data) && e.data.kind == Kind::BarrierArrive)
    }

    /// Does a thread come to a barrier on some path?
    fn comes_to(&self, thread: usize, barrier: Barrier) -> bool {
        self.instructions(thread).any(|e| {
            e.data.barrier == Some(barrier.0) && e.data.scope.unwrap_or(Scope::Cta) == barrier.1
        })
    }
}
