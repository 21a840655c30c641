//! A turn of a thread: what its steps do with registers, and whom they hand to where they access memory, wait or call.

use margay_ptx::effect::{Computation, Window};
use margay_ptx::{Kind, ScalarType};

use super::{KernelMachine, Turn, WARP};
use crate::address::call_address;
use crate::code::{DecodedStep, GuardedStep, LaneMask, NONE, SpecialRegister, StepOperand};
use crate::fault::{Fault, FaultKind};
use crate::memory;
use crate::order::{MemoryOrdering, Ordering, Who};

/// A thread that asks who is with it goes on at once this rarely: warps stay together more often than threads that are chosen one by one.
const ALONE_ONE_IN: u32 = 8;

/// Where a load that waits is needed, it is done one time in so many: else the thread stands still for a turn.
const DONE_ONE_IN: u32 = 4;

impl<O: MemoryOrdering> KernelMachine<'_, '_, O> {
    /// The value of a special register.
    fn special(&self, who: Who, special: SpecialRegister) -> u64 {
        let number = self.threads[who.thread].number;
        let lane = number % WARP;
        u64::from(match special {
            SpecialRegister::Thread(d) => Self::position(number, self.launch.threads)[usize::from(d)],
            SpecialRegister::Threads(d) => self.launch.threads[usize::from(d)],
            SpecialRegister::Block(d) => Self::position(self.blocks[who.block].number, self.launch.blocks)[usize::from(d)],
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
        let thread = &self.threads[who.thread];
        match source {
            StepOperand::Register(r) => thread.registers[(thread.base + r) as usize],
            StepOperand::Constant(n) => n,
            StepOperand::Not(r) => thread.registers[(thread.base + r) as usize] & 1 ^ 1,
            StepOperand::Frame(address) => call_address(thread.calls.len()).wrapping_add(address),
            StepOperand::Special(special) => self.special(who, special),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, who: Who, to: u32, value: u64) {
        if to != NONE {
            let thread = &mut self.threads[who.thread];
            let at = (thread.base + to) as usize;
            thread.registers[at] = value;
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
                if self.threads[who.thread].late.iter().any(|late| late.until <= at) && self.rng.u32(..DONE_ONE_IN) != 0 {
                    return Ok(Turn::Over);
                }
                self.load_late(who, |late| late.until <= at);
            }
            self.steps += 1;
            let thread = &mut self.threads[who.thread];
            let code = &program.codes[thread.code as usize];
            let Some(GuardedStep { guard, negated, step }) = code.steps.get(thread.at as usize) else {
                // The end of a function is a return.
                if self.leave_call(who) {
                    continue;
                }
                return Ok(self.end(who));
            };
            if *guard != NONE && (thread.registers[(thread.base + guard) as usize] & 1 == 1) == *negated {
                thread.at += 1;
                continue;
            }
            match step {
                DecodedStep::Jump(to) => {
                    thread.at = *to;
                    continue;
                }
                DecodedStep::Move(to, a) => {
                    let v = self.value(who, *a);
                    self.set(who, *to, v);
                }
                DecodedStep::Add32(to, a, b) => {
                    let v = (self.value(who, *a) as u32).wrapping_add(self.value(who, *b) as u32);
                    self.set(who, *to, u64::from(v));
                }
                DecodedStep::Add64(to, a, b) => {
                    let v = self.value(who, *a).wrapping_add(self.value(who, *b));
                    self.set(who, *to, v);
                }
                DecodedStep::MultiplyAdd32(to, a, b, c) => {
                    let product = (self.value(who, *a) as u32).wrapping_mul(self.value(who, *b) as u32);
                    let v = product.wrapping_add(self.value(who, *c) as u32);
                    self.set(who, *to, u64::from(v));
                }
                DecodedStep::Compare(relation, ty, to, a, b) => {
                    let operands = [self.value(who, *a), self.value(who, *b)];
                    let v = Computation::Compare(*relation).value(*ty, &operands).unwrap_or(0);
                    self.set(who, *to, v);
                }
                DecodedStep::Compute(function, ty, to, sources, count) => {
                    let mut operands = [0; 4];
                    for (o, s) in operands.iter_mut().zip(&sources[..usize::from(*count)]) {
                        *o = self.value(who, *s);
                    }
                    // What the ISA leaves open, as a quotient by zero, is all ones here, as on GPUs.
                    let v = function.value(*ty, &operands[..usize::from(*count)]).unwrap_or(ty.cut(u64::MAX));
                    self.set(who, *to, v);
                }
                DecodedStep::SetPredicate(set) => {
                    let operands = set.operands.map(|s| self.value(who, s));
                    let v = Computation::Compare(set.relation).value(set.ty, &operands).unwrap_or(0);
                    self.predicates(who, v, set.to, set.with);
                }
                DecodedStep::Float(function, ty, to, sources, count) => {
                    let operands = sources.map(|s| self.value(who, s));
                    let Some(v) = function.value(*ty, &operands[..usize::from(*count)]) else {
                        return Err(self.fault(who.thread, FaultKind::Unknown("floating-point arithmetic of this kind".into())));
                    };
                    self.set(who, *to, v);
                }
                DecodedStep::FloatPredicate(set) => {
                    let operands = set.operands.map(|s| self.value(who, s));
                    let v = set.function.value(set.ty, &operands).unwrap_or(0);
                    self.predicates(who, v, set.to, set.with);
                }
                DecodedStep::Pack(to, parts, width) => {
                    let part = ScalarType { kind: Kind::Unsigned, bits: *width };
                    let all = parts.iter().enumerate().map(|(n, s)| part.cut(self.value(who, *s)) << (usize::from(*width) * n));
                    let v = all.fold(0, |all, part| all | part);
                    self.set(who, *to, v);
                }
                DecodedStep::Unpack(parts, from, width) => {
                    let part = ScalarType { kind: Kind::Unsigned, bits: *width };
                    let v = self.value(who, *from);
                    for (n, to) in parts.iter().enumerate() {
                        self.set(who, *to, part.cut(v >> (usize::from(*width) * n)));
                    }
                }
                DecodedStep::IsSpace(window, to, address) => {
                    let is = match self.value(who, *address) >> 56 {
                        0 => *window == Window::Global,
                        1 => *window == Window::Shared,
                        _ => matches!(window, Window::Local | Window::Parameter),
                    };
                    self.set(who, *to, u64::from(is));
                }
                // A null pointer stays one.
                DecodedStep::ToGeneric(by, to, address) => {
                    let v = self.value(who, *address);
                    self.set(who, *to, v + by);
                }
                DecodedStep::FromGeneric(by, to, address) => {
                    let v = self.value(who, *address);
                    self.set(who, *to, v.wrapping_sub(*by));
                }
                DecodedStep::Load(access, to, until) => self.load(who, access, to, *until)?,
                DecodedStep::Store(access, values) => self.store(who, access, values)?,
                DecodedStep::Modify(access, update, to, operands, count) => {
                    self.modify(who, access, *update, *to, &operands[..usize::from(*count)])?
                }
                DecodedStep::Fence(order, scope) => {
                    self.ordering.fence(&mut self.memories, who, Ordering { order: *order, scope: *scope });
                }
                DecodedStep::Barrier(meeting, barrier, count) => {
                    if self.come_to_barrier(who, *meeting, *barrier, *count)? {
                        return Ok(Turn::Stands);
                    }
                    continue;
                }
                DecodedStep::BarrierReduce(reduction) => {
                    if self.come_to_reduction(who, reduction)? {
                        return Ok(Turn::Stands);
                    }
                    continue;
                }
                DecodedStep::WarpBarrier(mask) => {
                    if self.come_to_warp_barrier(who, *mask)? {
                        return Ok(Turn::Stands);
                    }
                    continue;
                }
                DecodedStep::Exchange(exchange) => {
                    if self.come_to_exchange(who, exchange)? {
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
                        return Err(
                            self.fault(who.thread, FaultKind::Unknown("calls that are too deep, or take too much memory".into()))
                        );
                    }
                    continue;
                }
                DecodedStep::Print(results) => {
                    let thread = &mut self.threads[who.thread];
                    for (at, bytes) in results {
                        memory::write(&mut thread.stack, (thread.frame + at) as usize, *bytes as usize, 0);
                    }
                }
                DecodedStep::Return => {
                    if self.leave_call(who) {
                        continue;
                    }
                    return Ok(self.end(who));
                }
                DecodedStep::Exit => return Ok(self.end(who)),
                DecodedStep::Trap(what) => return Err(self.fault(who.thread, FaultKind::Trap(what))),
                DecodedStep::Nothing => {}
                DecodedStep::Unknown(why) => return Err(self.fault(who.thread, FaultKind::Unknown(why.clone()))),
            }
            self.threads[who.thread].at += 1;
        }
        Ok(Turn::Over)
    }

    fn predicates(&mut self, who: Who, value: u64, to: [u32; 2], with: Option<(Computation, StepOperand)>) {
        let predicate = ScalarType { kind: Kind::Predicate, bits: 1 };
        let with = with.map(|(function, source)| (function, self.value(who, source)));
        for (to, value) in to.into_iter().zip([value, value ^ 1]) {
            let value = with.map_or(value, |(function, with)| function.value(predicate, &[value, with]).unwrap_or(0));
            self.set(who, to, value);
        }
    }
}
