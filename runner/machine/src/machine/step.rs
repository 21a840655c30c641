//! A turn of a thread: what its steps do with registers, and whom they hand to where they access
//! memory, wait or call.

use super::{KernelMachine, Turn, WARP};
use crate::address::call_address;
use crate::code::{DecodedStep, GuardedStep, LaneMask, NONE, SpecialRegister, StepOperand};
use crate::fault::{Fault, FaultKind};
use crate::order::{MemoryOrdering, Ordering, Who};

/// A thread that asks who is with it goes on at once this rarely: warps stay together more often
/// than threads that are chosen one by one.
const ALONE_ONE_IN: u32 = 8;

/// Where a load that waits is needed, it is done one time in so many: else the thread stands still
/// for a turn.
const DONE_ONE_IN: u32 = 4;

impl<O: MemoryOrdering> KernelMachine<'_, '_, O> {
    /// The value of a special register.
    fn special(&self, who: Who, special: SpecialRegister) -> u64 {
        let number = self.threads[who.thread].number;
        let lane = number % WARP;
        u64::from(match special {
            SpecialRegister::Thread(d) => {
                Self::position(number, self.launch.threads)[usize::from(d)]
            }
            SpecialRegister::Threads(d) => self.launch.threads[usize::from(d)],
            SpecialRegister::Block(d) => {
                Self::position(self.blocks[who.block].number, self.launch.blocks)[usize::from(d)]
            }
            SpecialRegister::Blocks(d) => self.launch.blocks[usize::from(d)],
            SpecialRegister::Lane => lane,
            SpecialRegister::Warp => number / WARP,
            SpecialRegister::Lanes(LaneMask::Equal) => 1 << lane,
            SpecialRegister::Lanes(LaneMask::Less) => (1 << lane) - 1,
            SpecialRegister::Lanes(LaneMask::LessOrEqual) => ((2u64 << lane) - 1) as u32,
            SpecialRegister::Lanes(LaneMask::Greater) => !((2u64 << lane) - 1) as u32,
            SpecialRegister::Lanes(LaneMask::GreaterOrEqual) => !((1 << lane) - 1),
            SpecialRegister::Clock => return self.steps,
            SpecialRegister::SharedSize => self.launch.dynamic_shared,
        })
    }

    #[inline]
    pub(super) fn value(&self, who: Who, source: StepOperand) -> u64 {
        match source {
            StepOperand::Register(r) => self.register(who.thread, r),
            StepOperand::Constant(n) => n,
            StepOperand::Not(r) => self.register(who.thread, r) & 1 ^ 1,
            StepOperand::Frame(address) => {
                call_address(self.threads[who.thread].calls.len()).wrapping_add(address)
            }
            StepOperand::Special(special) => self.special(who, special),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, who: Who, to: u32, value: u64) {
        if to != NONE {
            *self.register_mut(who.thread, to) = value;
        }
    }

    /// A thread goes on for so many steps, or until it stands.
    pub(super) fn turn(&mut self, who: Who, steps: u64) -> Result<Turn, Fault> {
        let program = self.program;
        let mut left = steps;
        while left > 0 {
            left -= 1;
            if O::PUTS_OFF && !self.threads[who.thread].late.is_empty() {
                let at = self.threads[who.thread].at;
                if self.threads[who.thread].late.iter().any(|late| late.until <= at)
                    && self.rng.u32(..DONE_ONE_IN) != 0
                {
                    return Ok(Turn::Over);
                }
                self.load_late(who, |late| late.until <= at);
            }
            self.steps += 1;
            let thread = &self.threads[who.thread];
            let code = &program.codes[thread.code as usize];
            let Some(GuardedStep { guard, negated, step }) = code.steps.get(thread.at as usize)
            else {
                // The end of a function is a return.
                if self.leave_call(who) {
                    continue;
                }
                return Ok(self.end(who));
            };
            if *guard != NONE && (self.register(who.thread, *guard) & 1 == 1) == *negated {
                self.threads[who.thread].at += 1;
                continue;
            }
            match step {
                DecodedStep::Jump(to) => {
                    self.threads[who.thread].at = *to;
                    continue;
                }
                DecodedStep::Value(step) => self.compute(who, step)?,
                DecodedStep::Load(access, to, until) => self.load(who, access, to, *until)?,
                DecodedStep::Store(access, values) => self.store(who, access, values)?,
                DecodedStep::Modify(access, update, to, operands, count) => {
                    self.modify(who, access, *update, *to, &operands[..usize::from(*count)])?
                }
                DecodedStep::Fence(order, scope) => {
                    // Else what stands in front of it would take place in the same turn as all that
                    // waits before it.
                    if O::PUTS_OFF && self.rng.bool() {
                        return Ok(Turn::Over);
                    }
                    self.ordering.fence(
                        &mut self.memories,
                        who,
                        Ordering { order: *order, scope: *scope },
                    );
                }
                DecodedStep::Meet(meeting) => {
                    if self.come_to(who, meeting)? {
                        return Ok(Turn::Stands);
                    }
                    continue;
                }
                DecodedStep::ActiveMask(_) => {
                    if self.rng.u32(..ALONE_ONE_IN) != 0 {
                        return Ok(Turn::Over);
                    }
                    self.go_together(who.thread);
                    continue;
                }
                DecodedStep::Call(call) => {
                    if !self.call(who, call) {
                        let what = "calls that are too deep, or take too much memory".into();
                        return Err(self.fault(who.thread, FaultKind::Unknown(what)));
                    }
                    continue;
                }
                DecodedStep::Print(results) => self.print(who, results),
                DecodedStep::Return => {
                    if self.leave_call(who) {
                        continue;
                    }
                    return Ok(self.end(who));
                }
                DecodedStep::Exit => return Ok(self.end(who)),
                DecodedStep::Trap(what) => {
                    return Err(self.fault(who.thread, FaultKind::Trap(what)));
                }
                DecodedStep::Nothing => {}
                DecodedStep::Unknown(why) => {
                    return Err(self.fault(who.thread, FaultKind::Unknown(why.clone())));
                }
            }
            self.threads[who.thread].at += 1;
        }
        Ok(Turn::Over)
    }
}
