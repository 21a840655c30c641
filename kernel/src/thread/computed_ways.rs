//! Two ways that only compute, and come together again. Where arithmetic that nobody interprets
//! says which of them a thread goes, as in `erff` as nvcc compiles it, that is known of both: no
//! memory is accessed, nobody is met, and the registers that either way writes hold what nobody
//! interprets. It is made of what the ways read, and of what the register held before where a way
//! does not write it.

use margay_ptx::effect::Effect;
use margay_ptx::{Instruction, RegisterId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::liveness::reads;

/// What stands between a jump that is taken or not and the place where both ways come together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComputedWays {
    /// The number of the instruction at which they do.
    pub join: usize,
    /// The registers that they read as they were before, and those that they write.
    pub reads: Vec<RegisterId>,
    pub writes: Vec<RegisterId>,
    /// Those of the latter that some way leaves as they were.
    pub kept: FxHashSet<RegisterId>,
}

/// Those of each guarded jump of a function that has them, by the number of its instruction.
pub(super) fn computed_ways(
    body: &[Instruction],
    effects: &[Effect<'_>],
) -> FxHashMap<usize, ComputedWays> {
    let of = |(at, (instruction, effect)): (usize, (&Instruction, &Effect<'_>))| {
        let Effect::Jump(to) = effect else { return None };
        instruction.guard?;
        Some((at, ways_from(at, *to, (body, effects))?))
    };
    body.iter().zip(effects).enumerate().filter_map(of).collect()
}

/// All ways go forward, so that they are together where the farthest jump of those before goes to.
fn ways_from(
    at: usize,
    to: usize,
    (body, effects): (&[Instruction], &[Effect<'_>]),
) -> Option<ComputedWays> {
    let mut join = to;
    let (mut all_read, mut all_written): (FxHashSet<RegisterId>, FxHashSet<RegisterId>) =
        Default::default();
    // What is written already on all ways to a place that is jumped to, and to the next
    // instruction, if a way leads there.
    let mut written_to: FxHashMap<usize, FxHashSet<RegisterId>> =
        [(to, FxHashSet::default())].into_iter().collect();
    let mut written: Option<FxHashSet<RegisterId>> = Some(FxHashSet::default());
    for next in at + 1.. {
        written = on_both(written, written_to.remove(&next));
        if next >= join {
            break;
        }
        let (instruction, effect) = (body.get(next)?, effects.get(next)?);
        let before = written.clone().unwrap_or_default();
        let is_old = |register: &RegisterId| !before.contains(register);
        all_read.extend(instruction.guard.map(|(register, _)| register).filter(is_old));
        let to: Vec<RegisterId> = match effect {
            Effect::Jump(to) if *to > next => {
                join = join.max(*to);
                let there = on_both(written_to.remove(to), written.clone());
                written_to.extend(there.map(|there| (*to, there)));
                written = written.filter(|_| instruction.guard.is_some());
                continue;
            }
            Effect::Compute { to, .. } => to.iter().copied().collect(),
            Effect::Opaque { to, .. } => to.clone(),
            Effect::SetPredicate { to, .. } => to.iter().flatten().copied().collect(),
            Effect::Nothing => continue,
            _ => return None,
        };
        all_read.extend(reads(instruction, effect).into_iter().filter(is_old));
        all_written.extend(&to);
        written = written.map(|written| match instruction.guard {
            Some(_) => written,
            None => written.into_iter().chain(to).collect(),
        });
    }
    let written = written.unwrap_or_default();
    // Nobody jumps in between from elsewhere.
    let goes_between = |(from, effect): (usize, &Effect<'_>)| matches!(effect, Effect::Jump(to) if (at + 1..join).contains(to) && !(at..join).contains(&from));
    if to <= at || join >= body.len() || effects.iter().enumerate().any(goes_between) {
        return None;
    }
    let sorted = |all: FxHashSet<RegisterId>| {
        let mut all: Vec<RegisterId> = all.into_iter().collect();
        all.sort_unstable();
        all
    };
    let kept = all_written.difference(&written).copied().collect();
    Some(ComputedWays { join, reads: sorted(all_read), writes: sorted(all_written), kept })
}

/// What is written on two ways, if both are ways.
fn on_both(
    one: Option<FxHashSet<RegisterId>>,
    other: Option<FxHashSet<RegisterId>>,
) -> Option<FxHashSet<RegisterId>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.intersection(&other).copied().collect()),
        (one, other) => one.or(other),
    }
}
