//! Counters: memory that threads only ever add one number to, and draw from (`i = atomicAdd(&next, 1)`).
//!
//! What a draw returns is then the number at the start and one step more for each draw before it: read-modify-writes that are strong for each other stand
//! in one order, each reads what the last one wrote, and a thread's own stand in its order (PTX ISA 8.10.1, coherence; 8.10.3, atomicity). So a
//! thread that has drawn k times gets a number k steps up at least, and below as many steps as the launch has draws. Where these are few, each is a way of
//! its own, so that a loop that draws its work ends where its work does.
//!
//! How many draws there are is counted on the ways that are followed, from round to round until nothing is added. No execution has more: take the first
//! draw in the order that returns a number which was not followed. All before it were followed, so that with it they are as many as were counted, at most,
//! and its number is one of those that were.

use margay_ptx::RegisterId;
use margay_ptx::effect::{MemoryAccess, MemoryScope, Update};
use rustc_hash::FxHashSet;

use super::draw_counts::{DrawCount, DrawCounts};
use super::facts::{MAX_VALUES, Uses};
use super::value::{Key, KnownValue, Value};
use super::{FollowedThread, State};
use crate::layout::Object;
use crate::residue::MemoryCell;

/// Takes in how often the threads draw: what one draws is added to what the others do, and is never less than it was.
pub(crate) fn learn_draws(known: &mut DrawCounts, of_threads: &[&DrawCounts], is_counter: &dyn Fn(&MemoryCell) -> bool) {
    let mut sums = DrawCounts::new();
    for (cell, of) in of_threads.iter().flat_map(|counts| counts.iter()) {
        let sum = sums.entry(*cell).or_insert_with(|| of.map(|of| DrawCount { draws: 0, ..of }));
        match (&mut *sum, of) {
            (Some(all), Some(one)) if all.step == one.step => all.draws += one.draws,
            _ => *sum = None,
        }
    }
    for (cell, sum) in sums {
        let sum = sum.filter(|of| is_counter(&cell) && of.draws <= MAX_VALUES as u64);
        let of = known.entry(cell).or_insert(sum);
        *of = match (*of, sum) {
            (Some(before), Some(now)) if before.step == now.step => {
                Some(DrawCount { step: now.step, draws: before.draws.max(now.draws) })
            }
            _ => None,
        };
    }
}

/// Does nothing but draws write a cell, and what overlaps it?
pub(crate) fn is_drawn_alone<'u>(cell: &MemoryCell, mut uses: impl Iterator<Item = &'u Uses>) -> bool {
    uses.all(|uses| {
        let mut near = uses.iter().filter(|(other, _)| other.overlaps(cell));
        near.all(|(other, of)| other == cell && of.writes_counted == of.draws)
    })
}

impl FollowedThread<'_, '_> {
    /// The numbers that a draw may return, where the thread's way hangs on it and they are few; the draw is counted.
    pub(super) fn drawn(
        &mut self,
        state: &mut State,
        (cell, access, update): (MemoryCell, MemoryAccess, Update),
        values: &[Value],
        register: Option<RegisterId>,
    ) -> Option<Vec<u64>> {
        let is_for_all = match access.scope {
            Some(MemoryScope::Gpu | MemoryScope::Sys) => true,
            Some(MemoryScope::Cta | MemoryScope::Cluster) => self.launch.blocks == 1,
            None => false,
        };
        let step = values.first().and_then(Value::bits).map(|bits| access.ty.cut(bits));
        let Some(step) = step.filter(|step| *step > 0 && update == Update::Add && is_for_all) else {
            self.draws.insert(cell, None);
            return None;
        };
        let known = match self.facts.draws.get(&cell) {
            Some(None) => return None,
            Some(Some(known)) => Some(*known),
            // Who only adds draws nothing, and a counter is one where some thread's way hangs on what it draws.
            None if register.is_none_or(|register| !self.hangs_on(state, register)) => return None,
            None => None,
        };
        let first = self.layout.initial(cell.object, cell.offset, cell.bytes.min(8));
        let highest = first.and_then(|first| first.checked_add(step.checked_mul(MAX_VALUES as u64 + 1)?));
        let fits = matches!(cell.object, Object::Array(_)) && highest.is_some_and(|highest| access.ty.cut(highest) == highest);
        let (Some(first), true) = (first, fits) else {
            self.draws.insert(cell, None);
            return None;
        };
        let key = Key::Drawn(cell);
        let before = state.known.get(&key).map_or(0, |known| if let KnownValue::Bits(n) = known { *n } else { 0 });
        if before >= MAX_VALUES as u64 {
            self.draws.insert(cell, None);
            return None;
        }
        state.known.insert(key, KnownValue::Bits(before + 1));
        let of = self.draws.entry(cell).or_insert(Some(DrawCount { step, draws: 0 }));
        *of = of.filter(|of| of.step == step).map(|of| DrawCount { draws: of.draws.max(before + 1), ..of });
        let all = known.map_or(0, |known| known.draws).max(before + 1);
        register.filter(|register| self.hangs_on(state, *register))?;
        Some((before..all).map(|n| first + n * step).collect())
    }

    /// Is a register one that an address is made of, one that the rest of the block is told, or, in a loop, one that is compared?
    fn hangs_on(&self, state: &State, register: RegisterId) -> bool {
        let compared =
            || self.prepared.is_in_loop(state.function, state.at) && self.prepared.compared[state.function].contains(&register);
        let of_function = |all: &[FxHashSet<RegisterId>]| all[state.function].contains(&register);
        of_function(&self.prepared.addressing) || of_function(&self.prepared.handed_on) || compared()
    }
}
