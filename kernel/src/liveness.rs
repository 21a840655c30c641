//! Which registers may be read from an instruction on before they are written: the others are
//! forgotten where paths meet.

use margay_ptx::effect::Effect;
use margay_ptx::{Function, Instruction, Operand, RegisterId};
use rustc_hash::FxHashMap;

/// For each instruction that is jumped to the registers that are live there, as bits.
pub(crate) struct Liveness(FxHashMap<usize, Vec<u64>>);

impl Liveness {
    pub fn new(function: &Function, effects: &[Effect<'_>]) -> Self {
        let body = function.body.as_deref().unwrap_or(&[]);
        let words = function.registers.len().div_ceil(64);
        let targets =
            effects.iter().filter_map(|e| if let Effect::Jump(to) = e { Some(*to) } else { None });
        let mut live: FxHashMap<usize, Vec<u64>> = targets.map(|to| (to, vec![0; words])).collect();
        let read: Vec<Vec<RegisterId>> =
            body.iter().zip(effects).map(|(i, e)| reads(i, e)).collect();
        // What is computed for nobody needs nothing: a pause that grows from round to round is none
        // of a loop's state.
        let computed: Vec<Option<Vec<RegisterId>>> =
            effects.iter().map(|e| is_computed(e).then(|| writes(e))).collect();
        let written: Vec<Vec<RegisterId>> = effects
            .iter()
            .zip(body)
            .map(|(e, i)| if i.guard.is_some() { Vec::new() } else { writes(e) })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            let mut now = vec![0u64; words];
            for at in (0..body.len()).rev() {
                let guarded = body[at].guard.is_some();
                match &effects[at] {
                    Effect::Jump(to) => {
                        if !guarded {
                            now.fill(0);
                        }
                        if let Some(there) = live.get(to) {
                            now.iter_mut().zip(there).for_each(|(a, b)| *a |= b);
                        }
                    }
                    Effect::Return | Effect::Exit | Effect::Trap if !guarded => now.fill(0),
                    _ => {}
                }
                let is_idle = computed[at].as_ref().is_some_and(|to| {
                    to.iter().all(|r| now[r.0 as usize / 64] >> (r.0 % 64) & 1 == 0)
                });
                if !is_idle {
                    written[at].iter().for_each(|r| now[r.0 as usize / 64] &= !(1 << (r.0 % 64)));
                    read[at].iter().for_each(|r| now[r.0 as usize / 64] |= 1 << (r.0 % 64));
                }
                if let Some(there) = live.get_mut(&at) {
                    for (old, new) in there.iter_mut().zip(&now) {
                        changed |= new & !*old != 0;
                        *old |= new;
                    }
                }
            }
        }
        Self(live)
    }

    /// Is the instruction jumped to?
    pub fn is_target(&self, at: usize) -> bool {
        self.0.contains_key(&at)
    }

    /// May a register be read from there on? Yes where nothing is known.
    pub fn is_live(&self, at: usize, register: RegisterId) -> bool {
        self.0
            .get(&at)
            .is_none_or(|live| live[register.0 as usize / 64] >> (register.0 % 64) & 1 == 1)
    }
}

/// Does an instruction nothing but compute registers?
fn is_computed(effect: &Effect<'_>) -> bool {
    matches!(
        effect,
        Effect::Compute { .. }
            | Effect::SetPredicate { .. }
            | Effect::Opaque { .. }
            | Effect::Pack { .. }
            | Effect::Unpack { .. }
            | Effect::ConvertAddress { .. }
    )
}

fn writes(effect: &Effect<'_>) -> Vec<RegisterId> {
    match effect {
        Effect::Compute { to, .. } | Effect::Carry { to, .. } => to.iter().copied().collect(),
        Effect::SetPredicate { to, .. } => to.iter().flatten().copied().collect(),
        Effect::Opaque { to, .. } => to.clone(),
        Effect::Pack { to, .. }
        | Effect::IsSpace { to, .. }
        | Effect::ConvertAddress { to, .. } => vec![*to],
        Effect::Unpack { parts, .. } => parts.iter().flatten().copied().collect(),
        Effect::Load { to, .. } => to.iter().flatten().copied().collect(),
        Effect::Modify { to, .. } => to.iter().flatten().copied().collect(),
        Effect::Exchange { to, .. } => to.iter().flatten().copied().collect(),
        Effect::ActiveMask(to) => vec![*to],
        Effect::BarrierReduce { to, .. } => to.iter().copied().collect(),
        Effect::Matrix { to, .. } => to.clone(),
        Effect::Async(effect) => effect.result().into_iter().collect(),
        Effect::Cluster(effect) => effect.result().into_iter().collect(),
        Effect::Unseen { to, .. } => to.clone(),
        Effect::Tensor(effect) => effect.results().to_vec(),
        Effect::Call { results, .. } => results
            .iter()
            .filter_map(|r| if let Operand::Register(r) = r { Some(*r) } else { None })
            .collect(),
        _ => Vec::new(),
    }
}

/// The registers that an instruction reads. A register that it writes as well is read if it stands
/// among its sources.
pub(crate) fn reads(i: &Instruction, effect: &Effect<'_>) -> Vec<RegisterId> {
    fn of(operand: &Operand, found: &mut Vec<RegisterId>) {
        match operand {
            Operand::Register(r) | Operand::Not(r) => found.push(*r),
            Operand::Address(base, _) => of(base, found),
            Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|o| of(o, found)),
            Operand::Pair(a, b) => {
                of(a, found);
                of(b, found);
            }
            _ => {}
        }
    }
    let mut found: Vec<RegisterId> = i.guard.iter().map(|(r, _)| *r).collect();
    let first_is_written = match effect {
        Effect::Store { .. }
        | Effect::Fence(..)
        | Effect::Barrier(..)
        | Effect::WarpBarrier(_)
        | Effect::Unknown(_) => false,
        Effect::Modify { to, .. } => to.is_some(),
        Effect::Async(effect) => effect.result().is_some(),
        Effect::Cluster(effect) => effect.result().is_some(),
        Effect::Unseen { to, .. } | Effect::Matrix { to, .. } => !to.is_empty(),
        Effect::Tensor(effect) => !effect.results().is_empty(),
        Effect::Call { results, .. } => !results.is_empty(),
        _ => true,
    };
    i.operands.iter().skip(usize::from(first_is_written)).for_each(|o| of(o, &mut found));
    found
}
