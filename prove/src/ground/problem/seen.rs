//! Which instances a problem has.

use super::triggers::Which;
use margay_theorem::logic::{EventAtom, EventTerm};
use rustc_hash::FxHashSet;

/// The instances that were added. A search asks again and again for what it has, so the question is
/// to cost little: where a clause has few variables, as almost all have, the events are one number.
#[derive(Debug, Default)]
pub(super) struct SeenInstances {
    few: FxHashSet<(Which, u128)>,
    many: FxHashSet<(Which, Vec<EventTerm>)>,
    congruences: FxHashSet<(EventAtom, [EventAtom; 2])>,
}

/// The events as one number, if that has room for them.
fn packed(at: &[EventTerm]) -> Option<u128> {
    (at.len() <= 16).then(|| at.iter().fold(0, |all, event| all << 8 | event.index() as u128))
}

impl SeenInstances {
    /// Is the instance of a clause at these events there?
    pub(super) fn has(&self, which: Which, at: &[EventTerm]) -> bool {
        match packed(at) {
            Some(events) => self.few.contains(&(which, events)),
            None => self.many.contains(&(which, at.to_vec())),
        }
    }

    /// Adds the instance of a clause at these events; false if it is there.
    pub(super) fn insert(&mut self, which: Which, at: &[EventTerm]) -> bool {
        match packed(at) {
            Some(events) => self.few.insert((which, events)),
            None => self.many.insert((which, at.to_vec())),
        }
    }

    /// Adds what equal events have in common; false if it is there.
    pub(super) fn insert_congruence(&mut self, equality: EventAtom, atoms: [EventAtom; 2]) -> bool {
        self.congruences.insert((equality, atoms))
    }
}
