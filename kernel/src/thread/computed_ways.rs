//! Two ways that only compute, and come together again. Where arithmetic that nobody interprets says which of them a thread goes, as in `erff` as nvcc compiles it,
//! that is known of both: no memory is accessed, nobody is met, and the registers that either way writes hold what nobody interprets.

use margay_ptx::effect::Effect;
use margay_ptx::{Instruction, Operand, RegisterId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What stands between a jump that is taken or not and the place where both ways come together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComputedWays {
    /// The number of the instruction at which they do.
    pub join: usize,
    /// The registers that they read, and those that they write.
    pub reads: Vec<RegisterId>,
    pub writes: Vec<RegisterId>,
}

/// Those of each guarded jump of a function that has them, by the number of its instruction.
pub(super) fn computed_ways(body: &[Instruction], effects: &[Effect<'_>]) -> FxHashMap<usize, ComputedWays> {
    let of = |(at, (instruction, effect)): (usize, (&Instruction, &Effect<'_>))| {
        let Effect::Jump(to) = effect else { return None };
        instruction.guard?;
        Some((at, ways_from(at, *to, (body, effects))?))
    };
    body.iter().zip(effects).enumerate().filter_map(of).collect()
}

/// All ways go forward, so that they are together where the farthest jump of those before goes to.
fn ways_from(at: usize, to: usize, (body, effects): (&[Instruction], &[Effect<'_>])) -> Option<ComputedWays> {
    let mut join = to;
    let (mut reads, mut writes): (FxHashSet<RegisterId>, FxHashSet<RegisterId>) = Default::default();
    let mut next = at + 1;
    while next < join {
        let (instruction, effect) = (body.get(next)?, effects.get(next)?);
        reads.extend(instruction.guard.map(|(register, _)| register));
        let (written, operands): (Vec<RegisterId>, &Vec<&Operand>) = match effect {
            Effect::Jump(to) if *to > next => {
                join = join.max(*to);
                next += 1;
                continue;
            }
            Effect::Compute { to, operands, .. } => (to.iter().copied().collect(), operands),
            Effect::Opaque { to, operands } => (to.clone(), operands),
            Effect::SetPredicate { to, operands, with, .. } => {
                let with = with.iter().map(|(_, operand)| *operand);
                (to.iter().flatten().copied().collect(), &operands.iter().copied().chain(with).collect())
            }
            Effect::Nothing => {
                next += 1;
                continue;
            }
            _ => return None,
        };
        writes.extend(written);
        reads.extend(operands.iter().filter_map(|o| if let Operand::Register(register) = o { Some(*register) } else { None }));
        next += 1;
    }
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
    Some(ComputedWays { join, reads: sorted(reads), writes: sorted(writes) })
}
