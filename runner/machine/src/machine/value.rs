//! What a thread computes: registers from registers.

use margay_ptx::effect::{Computation, Window};
use margay_ptx::{ScalarKind, ScalarType};

use super::KernelMachine;
use crate::code::{StepOperand, ValueStep};
use crate::fault::{Fault, FaultKind};
use crate::order::{MemoryOrdering, Who};

impl<O: MemoryOrdering> KernelMachine<'_, '_, O> {
    /// Numbers and predicates.
    #[inline]
    pub(super) fn compute(&mut self, who: Who, step: &ValueStep) -> Result<(), Fault> {
        match step {
            ValueStep::Move(to, a) => {
                let v = self.value(who, *a);
                self.set(who, *to, v);
            }
            ValueStep::Add32(to, a, b) => {
                let v = (self.value(who, *a) as u32).wrapping_add(self.value(who, *b) as u32);
                self.set(who, *to, u64::from(v));
            }
            ValueStep::Add64(to, a, b) => {
                let v = self.value(who, *a).wrapping_add(self.value(who, *b));
                self.set(who, *to, v);
            }
            ValueStep::MultiplyAdd32(to, a, b, c) => {
                let product = (self.value(who, *a) as u32).wrapping_mul(self.value(who, *b) as u32);
                let v = product.wrapping_add(self.value(who, *c) as u32);
                self.set(who, *to, u64::from(v));
            }
            ValueStep::Compare(relation, ty, to, a, b) => {
                let operands = [self.value(who, *a), self.value(who, *b)];
                let v = Computation::Compare(*relation).value(*ty, &operands).unwrap_or(0);
                self.set(who, *to, v);
            }
            ValueStep::Compute(function, ty, to, sources, count) => {
                let mut operands = [0; 4];
                for (o, s) in operands.iter_mut().zip(&sources[..usize::from(*count)]) {
                    *o = self.value(who, *s);
                }
                // What the ISA leaves open, as a quotient by zero, is all ones here, as on GPUs.
                let v = function
                    .value(*ty, &operands[..usize::from(*count)])
                    .unwrap_or(ty.cut(u64::MAX));
                self.set(who, *to, v);
            }
            ValueStep::Carry(carry) => {
                let operands = carry.operands.map(|s| self.value(who, s));
                let before = self.value(who, carry.taken);
                let [v, left] =
                    carry.function.carried(carry.ty, &operands[..usize::from(carry.count)], before);
                self.set(who, carry.to, v);
                self.set(who, carry.left, left);
            }
            ValueStep::SetPredicate(set) => {
                let operands = set.operands.map(|s| self.value(who, s));
                let v = Computation::Compare(set.relation).value(set.ty, &operands).unwrap_or(0);
                self.predicates(who, v, set.to, set.with);
            }
            ValueStep::Float(function, ty, to, sources, count) => {
                let operands = sources.map(|s| self.value(who, s));
                let Some(v) = function.value(*ty, &operands[..usize::from(*count)]) else {
                    return Err(self.fault(
                        who.thread,
                        FaultKind::Unknown("floating-point arithmetic of this kind".into()),
                    ));
                };
                self.set(who, *to, v);
            }
            ValueStep::FloatPredicate(set) => {
                let operands = set.operands.map(|s| self.value(who, s));
                let v = set.function.value(set.ty, &operands).unwrap_or(0);
                self.predicates(who, v, set.to, set.with);
            }
            ValueStep::Pack(to, parts, width) => self.pack(who, *to, parts, *width),
            ValueStep::Unpack(parts, from, width) => self.unpack(who, parts, *from, *width),
            ValueStep::IsSpace(window, to, address) => {
                let is = match self.value(who, *address) >> 56 {
                    0 => *window == Window::Global,
                    1 => *window == Window::Shared,
                    _ => matches!(window, Window::Local | Window::Parameter),
                };
                self.set(who, *to, u64::from(is));
            }
            ValueStep::ToGeneric(by, to, address) => {
                let v = self.value(who, *address);
                self.set(who, *to, v.wrapping_add(*by));
            }
            ValueStep::FromGeneric(by, to, address) => {
                let v = self.value(who, *address);
                self.set(who, *to, v.wrapping_sub(*by));
            }
        }
        Ok(())
    }

    /// Parts of one value, the lowest first.
    fn pack(&mut self, who: Who, to: u32, parts: &[StepOperand], width: u16) {
        let part = ScalarType { kind: ScalarKind::Unsigned, bits: width };
        let all = parts
            .iter()
            .enumerate()
            .map(|(n, s)| part.cut(self.value(who, *s)) << (usize::from(width) * n));
        let v = all.fold(0, |all, part| all | part);
        self.set(who, to, v);
    }

    fn unpack(&mut self, who: Who, parts: &[u32], from: StepOperand, width: u16) {
        let part = ScalarType { kind: ScalarKind::Unsigned, bits: width };
        let v = self.value(who, from);
        for (n, to) in parts.iter().enumerate() {
            self.set(who, *to, part.cut(v >> (usize::from(width) * n)));
        }
    }

    fn predicates(
        &mut self,
        who: Who,
        value: u64,
        to: [u32; 2],
        with: Option<(Computation, StepOperand)>,
    ) {
        let predicate = ScalarType { kind: ScalarKind::Predicate, bits: 1 };
        let with = with.map(|(function, source)| (function, self.value(who, source)));
        for (to, value) in to.into_iter().zip([value, value ^ 1]) {
            let value = with.map_or(value, |(function, with)| {
                function.value(predicate, &[value, with]).unwrap_or(0)
            });
            self.set(who, to, value);
        }
    }
}
