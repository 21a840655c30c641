//! Counters: memory that threads only ever add one number to, and draw from
//! (`i = atomicAdd(&next, 1)`).
//!
//! What a draw returns is then the number at the start and one step more for each draw before it:
//! read-modify-writes that are strong for each other stand in one order, each reads what the last
//! one wrote, and a thread's own stand in its order (PTX ISA 8.10.1, coherence; 8.10.3, atomicity).
//! So a thread that has drawn k times gets a number k steps up at least, and below as many steps as
//! the launch has draws. Where these are few, each is a way of its own, so that a loop that draws
//! its work ends where its work does.
//!
//! How many draws there are is counted on the ways that are followed, from round to round until
//! nothing is added. No execution has more: take the first draw in the order that returns a number
//! which was not followed. All before it were followed, so that with it they are as many as were
//! counted, at most, and its number is one of those that were.
//!
//! Threads that draw in a loop draw what is there together, and each once more: so often each alone
//! may draw that the sum is several times what is drawn. Where it is too large, ways are told apart
//! by the number that was drawn last. Each draw is the last one of its thread, or has a number
//! behind which its thread draws again: so there are no more than there are such numbers and
//! threads that draw. The argument is the same: all draws before the first one that was not
//! followed were.

use std::collections::BTreeMap;

use margay_ptx::RegisterId;
use margay_ptx::effect::{MemoryAccess, MemoryScope, Update};
use rustc_hash::FxHashSet;

use super::draw_counts::{DrawCount, DrawCounts};
use super::facts::{MAX_VALUES, Uses};
use super::value::{Key, KnownValue, Value, ValueWay};
use super::{FollowedThread, State};
use crate::layout::Object;
use crate::residue::MemoryCell;

/// Takes in how often the threads draw: what one draws is added to what the others do, and is never
/// less than it was.
pub(crate) fn learn_draws(
    known: &mut DrawCounts,
    of_threads: &[&DrawCounts],
    is_counter: &dyn Fn(&MemoryCell) -> bool,
) {
    let mut sums: BTreeMap<MemoryCell, (Option<DrawCount>, u64)> = BTreeMap::new();
    for (cell, of) in of_threads.iter().flat_map(|counts| counts.iter()) {
        let (sum, threads) =
            sums.entry(*cell).or_insert_with(|| (of.map(|of| DrawCount { draws: 0, ..of }), 0));
        *threads += 1;
        match (&mut *sum, of) {
            (Some(all), Some(one)) if all.step == one.step => {
                all.draws += one.draws;
                all.again |= one.again;
                all.by_number &= one.by_number;
            }
            _ => *sum = None,
        }
    }
    for (cell, (sum, threads)) in sums {
        let is_by_number = known.get(&cell).is_some_and(|of| of.is_some_and(|of| of.by_number));
        let sum =
            sum.filter(|_| is_counter(&cell)).and_then(|of| match (is_by_number, of.by_number) {
                (true, false) => None,
                (true, true) => {
                    Some(DrawCount { draws: u64::from(of.again.count_ones()) + threads, ..of })
                }
                (false, _) if of.draws > MAX_VALUES as u64 => {
                    Some(DrawCount { draws: 0, by_number: true, again: 0, ..of })
                }
                (false, _) => Some(of),
            });
        let sum = sum.filter(|of| of.draws <= MAX_VALUES as u64);
        let of = known.entry(cell).or_insert(sum);
        *of = match (*of, sum) {
            (Some(before), Some(now))
                if before.step == now.step && before.by_number == now.by_number =>
            {
                Some(DrawCount {
                    draws: before.draws.max(now.draws),
                    again: before.again | now.again,
                    ..now
                })
            }
            (Some(before), Some(now)) if before.step == now.step && now.by_number => Some(now),
            _ => None,
        };
    }
}

/// Does nothing but draws write a cell, and what overlaps it?
pub(crate) fn is_drawn_alone<'u>(
    cell: &MemoryCell,
    mut uses: impl Iterator<Item = &'u Uses>,
) -> bool {
    uses.all(|uses| {
        let mut near = uses.iter().filter(|(other, _)| other.overlaps(cell));
        near.all(|(other, of)| other == cell && of.writes_counted == of.draws)
    })
}

impl FollowedThread<'_, '_> {
    /// The numbers that a draw may return, each with what is known behind it, where the thread's
    /// way hangs on it and they are few; the draw is counted.
    pub(super) fn drawn(
        &mut self,
        state: &mut State,
        (cell, access, update): (MemoryCell, MemoryAccess, Update),
        values: &[Value],
        register: Option<RegisterId>,
    ) -> Option<Vec<ValueWay>> {
        let is_for_all = match access.scope {
            Some(MemoryScope::Gpu | MemoryScope::Sys) => true,
            Some(MemoryScope::Cta | MemoryScope::Cluster) => self.launch.blocks == 1,
            None => false,
        };
        let step = values.first().and_then(Value::bits).map(|bits| access.ty.cut(bits));
        let Some(step) = step.filter(|step| *step > 0 && update == Update::Add && is_for_all)
        else {
            self.draws.insert(cell, None);
            return None;
        };
        let known = match self.facts.draws.get(&cell) {
            Some(None) => return None,
            Some(Some(known)) => Some(*known),
            // Who only adds draws nothing, and a counter is one where some thread's way hangs on
            // what it draws.
            None if register.is_none_or(|register| !self.hangs_on(state, register)) => return None,
            None => None,
        };
        let first = self.layout.initial(cell.object, cell.offset, cell.bytes.min(8));
        let highest =
            first.and_then(|first| first.checked_add(step.checked_mul(MAX_VALUES as u64 + 1)?));
        let fits = matches!(cell.object, Object::Array(_))
            && highest.is_some_and(|highest| access.ty.cut(highest) == highest);
        let (Some(first), true) = (first, fits) else {
            self.draws.insert(cell, None);
            return None;
        };
        let key = Key::Drawn(cell);
        let before = state
            .known
            .get(&key)
            .map_or(0, |known| if let KnownValue::Bits(n) = known { *n } else { 0 });
        if before >= MAX_VALUES as u64 {
            self.draws.insert(cell, None);
            return None;
        }
        let is_followed = register.is_some_and(|register| self.hangs_on(state, register));
        let by_number = known.is_some_and(|known| known.by_number);
        let mut of =
            DrawCount { step, draws: before + 1, by_number: by_number && is_followed, again: 0 };
        match by_number {
            true => of.again = before.checked_sub(1).map_or(0, |last| 1 << last),
            false => {
                state.known.insert(key, KnownValue::Bits(before + 1));
            }
        }
        let all = self.draws.entry(cell).or_insert(Some(of));
        *all = all.filter(|all| all.step == step).map(|all| DrawCount {
            draws: all.draws.max(of.draws),
            by_number: all.by_number && of.by_number,
            again: all.again | of.again,
            ..all
        });
        let count = known.map_or(0, |known| known.draws).max(before + 1);
        is_followed.then(|| {
            let drawn =
                |n: u64| (first + n * step, by_number.then_some((key, KnownValue::Bits(n + 1))));
            (before..count).map(drawn).collect()
        })
    }

    /// Is a register one that an address is made of, one that the rest of the block is told, or, in
    /// a loop, one that is compared?
    fn hangs_on(&self, state: &State, register: RegisterId) -> bool {
        let compared = || {
            self.prepared.is_in_loop(state.function, state.at)
                && self.prepared.compared[state.function].contains(&register)
        };
        let of_function = |all: &[FxHashSet<RegisterId>]| all[state.function].contains(&register);
        of_function(&self.prepared.addressing)
            || of_function(&self.prepared.handed_on)
            || compared()
    }
}
