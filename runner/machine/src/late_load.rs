//! Loads that are done after what stands behind them: they wait for the first instruction that
//! needs them, as in processors that go on without the value. So a store takes place before a load
//! in front of it (load buffering).

use margay_ptx::effect::MemoryOrder;
use margay_ptx::{Instruction, Operand, RegisterId};

use crate::code::{DecodedStep, GuardedStep, MeetingStep};
use crate::order::MachineCell;

/// For so many steps a load waits at most.
const MOST_STEPS: usize = 64;

/// A load that a thread has come to and not done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LateLoad {
    /// The number of its step in the function.
    pub at: u32,
    /// It is done before this step.
    pub until: u32,
    /// Where it reads, and how many bytes.
    pub cell: MachineCell,
    pub bytes: usize,
}

impl LateLoad {
    /// Does it read bytes of this cell?
    pub fn overlaps(&self, cell: MachineCell, bytes: usize) -> bool {
        self.cell.overlaps(self.bytes, cell, bytes)
    }
}

/// Accesses with this order are ordered with nothing else of their thread but by fences.
fn is_free(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Weak | MemoryOrder::Relaxed | MemoryOrder::Volatile)
}

/// May a load wait while this is done? Only what orders nothing, and comes back to the next
/// instruction.
fn is_passed(step: &DecodedStep) -> bool {
    match step {
        DecodedStep::Load(access, ..)
        | DecodedStep::Store(access, _)
        | DecodedStep::Modify(access, ..) => is_free(access.order),
        DecodedStep::Value(_)
        | DecodedStep::Nothing
        | DecodedStep::Meet(MeetingStep::Exchange(_)) => true,
        _ => false,
    }
}

/// Does the instruction name one of these registers?
fn names(instruction: &Instruction, registers: &[u32]) -> bool {
    let is_one = |r: RegisterId| registers.contains(&r.0);
    instruction.guard.is_some_and(|(r, _)| is_one(r))
        || instruction.operands.iter().flat_map(Operand::parts).any(|part| match part {
            Operand::Register(r) | Operand::Not(r) => is_one(*r),
            _ => false,
        })
}

/// Says of each load of a function until which step it may wait.
pub(crate) fn put_off(steps: &mut [GuardedStep], body: &[Instruction]) {
    for at in 0..steps.len() {
        let DecodedStep::Load(access, to, _) = &steps[at].step else { continue };
        if !is_free(access.order) {
            continue;
        }
        let behind = steps.iter().zip(body).skip(at + 1).take(MOST_STEPS);
        let passed = behind
            .take_while(|(step, instruction)| is_passed(&step.step) && !names(instruction, to))
            .count();
        if let DecodedStep::Load(_, _, until) = &mut steps[at].step {
            *until = (at + 1 + passed) as u32;
        }
    }
}
