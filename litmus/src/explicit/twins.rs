//! Threads with one program in places that no scope tells apart, of which the goal asks nothing or
//! the same: any exchange of them makes an execution of an execution. So of the ways to give them
//! paths one is enough for each choice of numbers, and where a read may read from one of several
//! whose events are all undecided, the first of them is enough. Without it the search refutes the
//! same thing for every order of the threads: 8! orders for a lock of 8.

use margay_models::bits::Event;
use margay_models::execution::{EventData, Scope};

use crate::unfold::{Path, PathEvent, Skeleton, Unfolding};

/// From so many threads on their exchanges are left out: of two the half is saved at most, and
/// their executions are all counted.
const FEWEST: usize = 3;

/// Classes of threads that can be exchanged.
#[derive(Debug, Clone, Default)]
pub(super) struct Twins {
    /// For each thread the number of its class; `None` where it is alone.
    class: Vec<Option<usize>>,
}

impl Twins {
    /// Those of an unfolded test.
    pub fn new(unfolding: &Unfolding) -> Self {
        let count = unfolding.threads().len();
        if count < FEWEST {
            return Self { class: vec![None; count] };
        }
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for t in 0..count {
            // With each of the class, so that any of its permutations is an exchange of two at a
            // time.
            let of =
                classes.iter_mut().find(|class| class.iter().all(|&s| are_twins(unfolding, s, t)));
            match of {
                Some(class) => class.push(t),
                None => classes.push(vec![t]),
            }
        }
        let mut class = vec![None; count];
        for (n, members) in
            classes.iter().enumerate().filter(|(_, members)| members.len() >= FEWEST)
        {
            members.iter().for_each(|&t| class[t] = Some(n));
        }
        Self { class }
    }

    /// Is a choice of paths the one of its kind that is looked at first?
    pub fn is_first(&self, chosen: &[usize]) -> bool {
        let mut last: Vec<(usize, usize)> = Vec::new();
        for (class, &path) in self.class.iter().zip(chosen) {
            let Some(class) = *class else { continue };
            match last.iter_mut().find(|(of, _)| *of == class) {
                Some((_, before)) if *before < path => return false,
                Some((_, before)) => *before = path,
                None => last.push((class, path)),
            }
        }
        true
    }

    /// For each thread the class of those that take the same path.
    pub fn on(&self, chosen: &[usize]) -> Vec<Option<(usize, usize)>> {
        self.class
            .iter()
            .zip(chosen)
            .map(|(class, &path)| class.map(|class| (class, path)))
            .collect()
    }
}

/// Among the writes that may be chosen: those that are exchanged with none before them. A thread is
/// undecided where none of its reads has a source, no read has one of its writes, and none of its
/// events was decided about otherwise.
pub(super) fn unlike(
    skeleton: &Skeleton,
    classes: &[Option<(usize, usize)>],
    (source, others): (&[Option<Event>], &[Event]),
    candidates: impl Iterator<Item = Event>,
) -> Vec<Event> {
    if classes.iter().all(Option::is_none) {
        return candidates.collect();
    }
    let mut decided = vec![false; classes.len()];
    let mut decide = |event: Event| {
        if let Some((thread, _)) = skeleton.position(event) {
            decided[thread.index()] = true;
        }
    };
    others.iter().for_each(|&event| decide(event));
    for (of, from) in source.iter().enumerate().filter_map(|(of, from)| Some((of, (*from)?))) {
        decide(Event::from(of));
        decide(from);
    }
    let mut seen: Vec<((usize, usize), usize)> = Vec::new();
    candidates
        .filter(|&write| {
            let Some((thread, position)) = skeleton.position(write) else { return true };
            let Some(class) = classes[thread.index()].filter(|_| !decided[thread.index()]) else {
                return true;
            };
            let is_new = !seen.contains(&(class, position));
            seen.push((class, position));
            is_new
        })
        .collect()
}

fn are_twins(unfolding: &Unfolding, s: usize, t: usize) -> bool {
    let place = |t: usize| unfolding.threads()[t];
    let others = (0..unfolding.threads().len()).filter(|&u| u != s && u != t);
    let same_neighbours = others.into_iter().all(|u| {
        Scope::LEVELS
            .iter()
            .all(|&scope| place(s).shares(scope, place(u)) == place(t).shares(scope, place(u)))
    });
    let ((paths, symbols), (others, of_others)) = (unfolding.thread(s), unfolding.thread(t));
    same_neighbours
        && symbols == of_others
        && paths.len() == others.len()
        && paths.iter().zip(others).all(|(a, b)| is_same_path(a, b))
        && unfolding.asked().is_alike(s, t)
}

fn is_same_path(a: &Path, b: &Path) -> bool {
    let same = |(a, b): (&PathEvent, &PathEvent)| {
        EventData { thread: None, ..a.data.clone() } == EventData { thread: None, ..b.data.clone() }
            && (a.value, a.modifies, a.bits) == (b.value, b.modifies, b.bits)
            && (a.address_reads, a.data_reads, a.control_reads)
                == (b.address_reads, b.data_reads, b.control_reads)
    };
    a.events.len() == b.events.len()
        && a.events.iter().zip(&b.events).all(same)
        && a.suppositions == b.suppositions
        && a.registers == b.registers
}
