//! The atoms of one search problem: source events, one initial write for each possible location,
//! the slots around each event that the mapping may fill with fences, and threads.
//!
//! Events of the source *are* the accesses of the target: reads-from, locations and RMW pairs need
//! no second copy (docs/encoding.md). Only the fences that a lowering adds are atoms of their own.

use margay_solver::{Atom, TupleSet, Universe};

use super::shape::ThreadShape;

/// Which slots the mapping needs around each event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventSlots {
    /// Before the access.
    pub before: usize,
    /// After the access (or after the first fence of a fence row).
    pub after: usize,
}

/// An atom, by what it stands for. Events are numbered thread by thread in program order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AtomPlace {
    /// A source event; in the target, its access.
    Event(usize),
    /// The initial write of the location whose first event (in the numbering) is this one.
    Init(usize),
    /// The `k`-th slot before an event.
    Before(usize, usize),
    /// The `k`-th slot after an event.
    After(usize, usize),
    Thread(usize),
}

/// The universe of one shape.
#[derive(Debug, Clone)]
pub struct Atoms {
    pub shape: ThreadShape,
    /// The slots of each event.
    pub slots: EventSlots,
    /// The thread of each event.
    pub thread: Vec<usize>,
    /// Does the solver choose the threads? Then the shape only says how many there may be.
    pub chosen: bool,
}

impl Atoms {
    pub fn new(shape: &ThreadShape, slots: EventSlots) -> Self {
        Self { shape: shape.clone(), slots, thread: shape.thread_of_events(), chosen: false }
    }

    /// The atoms for so many events in threads that the solver chooses.
    pub fn in_chosen_threads(events: usize, slots: EventSlots) -> Self {
        Self { chosen: true, ..Self::new(&ThreadShape::apart(events), slots) }
    }

    /// The number of source events.
    pub fn events(&self) -> usize {
        self.thread.len()
    }

    /// The pairs of source events in the order of their numbers.
    pub fn ascending(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let n = self.events();
        (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
    }

    /// May two source events be of one thread? In threads that the solver chooses, program order is
    /// at most the numbering.
    pub fn may_share_thread(&self, a: usize, b: usize) -> bool {
        self.chosen || self.thread[a] == self.thread[b]
    }

    pub fn atom(&self, place: AtomPlace) -> Atom {
        let n = self.events();
        let index = match place {
            AtomPlace::Event(e) => e,
            AtomPlace::Init(e) => n + e,
            AtomPlace::Before(e, k) => 2 * n + k * n + e,
            AtomPlace::After(e, k) => 2 * n + (self.slots.before + k) * n + e,
            AtomPlace::Thread(t) => 2 * n + (self.slots.before + self.slots.after) * n + t,
        };
        Atom(index as u32)
    }

    /// The inverse of [`Atoms::atom`].
    pub fn place(&self, atom: Atom) -> AtomPlace {
        let n = self.events();
        let index = atom.0 as usize;
        let (block, e) = (index / n, index % n);
        match block {
            0 => AtomPlace::Event(e),
            1 => AtomPlace::Init(e),
            b if b < 2 + self.slots.before => AtomPlace::Before(e, b - 2),
            b if b < 2 + self.slots.before + self.slots.after => {
                AtomPlace::After(e, b - 2 - self.slots.before)
            }
            _ => AtomPlace::Thread(index - (2 + self.slots.before + self.slots.after) * n),
        }
    }

    /// All atoms, named for printing.
    pub fn universe(&self) -> Universe {
        let total =
            (2 + self.slots.before + self.slots.after) * self.events() + self.shape.threads();
        Universe::new((0..total).map(|i| match self.place(Atom(i as u32)) {
            AtomPlace::Event(e) => format!("e{e}"),
            AtomPlace::Init(e) => format!("i{e}"),
            AtomPlace::Before(e, k) => format!("e{e}.before{k}"),
            AtomPlace::After(e, k) => format!("e{e}.after{k}"),
            AtomPlace::Thread(t) => format!("T{t}"),
        }))
    }

    /// The places that belong to an event in the target, in program order.
    pub fn target_places(&self, event: usize) -> impl Iterator<Item = AtomPlace> + use<> {
        let EventSlots { before, after } = self.slots;
        (0..before)
            .map(move |k| AtomPlace::Before(event, k))
            .chain(std::iter::once(AtomPlace::Event(event)))
            .chain((0..after).map(move |k| AtomPlace::After(event, k)))
    }

    /// Every target place with its thread, in program order thread by thread.
    pub fn all_target_places(&self) -> Vec<(AtomPlace, usize)> {
        (0..self.events())
            .flat_map(|e| self.target_places(e).map(move |p| (p, e)))
            .map(|(p, e)| (p, self.thread[e]))
            .collect()
    }

    /// Every event and slot in every thread that it can be in, where the solver chooses: a thread's
    /// first event names it.
    pub fn any_thread(&self) -> TupleSet {
        let places = (0..self.events()).flat_map(|e| self.target_places(e).map(move |p| (p, e)));
        self.pairs(places.flat_map(|(p, e)| (0..=e).map(move |t| (p, AtomPlace::Thread(t)))))
    }

    pub fn set(&self, places: impl IntoIterator<Item = AtomPlace>) -> TupleSet {
        TupleSet::from_tuples(1, places.into_iter().map(|p| [self.atom(p)]))
    }

    /// A binary relation over atoms.
    pub fn pairs(&self, pairs: impl IntoIterator<Item = (AtomPlace, AtomPlace)>) -> TupleSet {
        TupleSet::from_tuples(2, pairs.into_iter().map(|(a, b)| [self.atom(a), self.atom(b)]))
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomPlace, Atoms, EventSlots};
    use crate::encode::shape::ThreadShape;
    use margay_solver::Atom;

    #[test]
    fn places_and_atoms_are_inverse() {
        for slots in [
            EventSlots::default(),
            EventSlots { before: 1, after: 0 },
            EventSlots { before: 2, after: 1 },
        ] {
            for shape in ThreadShape::all(5) {
                let atoms = Atoms::new(&shape, slots);
                let universe = atoms.universe();
                for i in 0..universe.len() as u32 {
                    assert_eq!(atoms.atom(atoms.place(Atom(i))), Atom(i));
                }
                assert!(matches!(
                    atoms.place(Atom(universe.len() as u32 - 1)),
                    AtomPlace::Thread(_)
                ));
            }
        }
    }
}
