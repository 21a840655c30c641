//! The states of a thread that its code goes back to, each with a label.

use super::state::{FollowedThread, MeetingCounts, State};
use super::{Key, KnownValue};
use crate::residue::Origin;

/// A state without how often the thread has met others of its warp, and that.
pub(super) fn without_meetings(state: &State) -> (State, MeetingCounts) {
    let mut around = state.clone();
    let mut met = MeetingCounts::new();
    around.known.retain(|key, known| match (key, known) {
        (Key::Met(mask), KnownValue::Bits(count)) => {
            met.insert(*mask, *count);
            false
        }
        _ => true,
    });
    (around, met)
}

impl FollowedThread<'_, '_> {
    /// The label of a state, and whether it is new. What is not read any more is forgotten.
    pub(super) fn label(&mut self, state: &State) -> (u32, bool) {
        let key = self.read_on(state);
        let next = self.labels.len() as u32;
        if self.prepared.has_exchanges && !self.labels.contains_key(&key) {
            let (around, met) = without_meetings(&key);
            self.heads.entry(around).or_default().push((met, next));
        }
        match self.labels.entry(key) {
            std::collections::hash_map::Entry::Occupied(found) => (*found.get(), false),
            std::collections::hash_map::Entry::Vacant(free) => (*free.insert(next), true),
        }
    }

    /// Registers that nothing reads any more are left out, so that states that differ in them alone
    /// count as one.
    pub(super) fn read_on(&self, state: &State) -> State {
        let live = &self.prepared.liveness[state.function];
        let depth = state.calls.len() as u16;
        let mut key = state.clone();
        key.known.retain(
            |k, _| !matches!(k, Key::Register(d, r) if *d == depth && !live.is_live(state.at, *r)),
        );
        key
    }

    /// The label of the loop that a jump back goes round once more, where all that has changed is
    /// how often the thread has met others of its warp: its exchanges are those of every round.
    pub(super) fn head_of_round(&mut self, state: &State, from: Origin) -> Option<u32> {
        if !self.prepared.has_exchanges {
            return None;
        }
        let (around, met) = without_meetings(&self.read_on(state));
        let [(before, label)] = self.heads.get(&around)?.as_slice() else { return None };
        let (before, label) = (before.clone(), *label);
        let earlier = |mask: &u32| before.get(mask).copied().unwrap_or(0);
        if met.iter().all(|(mask, count)| *count == earlier(mask))
            || met.iter().any(|(mask, count)| *count < earlier(mask))
        {
            return None;
        }
        let count: u64 = met.iter().map(|(mask, count)| count - earlier(mask)).sum();
        self.rounds.entry(from).and_modify(|most| *most = (*most).max(count)).or_insert(count);
        Some(label)
    }

    /// The label of a state that a jump from an instruction leads to, which is followed later.
    pub(super) fn jumped_to(&mut self, state: State, from: usize) -> u32 {
        let origin = Origin { function: state.function, instruction: from };
        let again = if state.at <= from { self.head_of_round(&state, origin) } else { None };
        again.unwrap_or_else(|| self.later(state))
    }

    /// The label of a state that is followed later.
    pub(super) fn later(&mut self, state: State) -> u32 {
        let (label, new) = self.label(&state);
        if new {
            self.todo.push((label, state));
        }
        label
    }
}
