//! Accesses: where they go, to memory that threads share or to the thread's own, and loads that
//! were put off.

use margay_ptx::ScalarKind;
use margay_ptx::effect::{Update, Window};
use margay_ptx::float::FloatFunction;

use super::KernelMachine;
use crate::address::{FRAME_WINDOWS, SHARED_WINDOWS, call_of};
use crate::code::{DecodedFunction, DecodedStep, MOST_ELEMENTS, MachineAccess, StepOperand};
use crate::fault::{Fault, FaultKind};
use crate::late_load::LateLoad;
use crate::memory;
use crate::order::{MachineCell, MemoryOrdering, Ordering, Who};

/// Where an access goes.
#[derive(Debug, Clone, Copy)]
enum AccessedPlace {
    /// To memory that threads share.
    InMemory(MachineCell),
    /// To the thread's own, at this byte of its stack.
    OnStack(usize),
}

impl<'p, O: MemoryOrdering> KernelMachine<'p, '_, O> {
    /// Where an access goes that is aligned and inside of something; `bytes` are those of all its
    /// elements.
    #[inline]
    fn place(
        &self,
        who: Who,
        access: &MachineAccess,
        address: u64,
        bytes: u64,
    ) -> Result<AccessedPlace, Fault> {
        let fault = |kind| Err(self.fault(who.thread, kind));
        if !address.is_multiple_of(bytes) {
            return fault(FaultKind::Misaligned(address));
        }
        let window = match (access.window, address >> 56) {
            (Window::Generic, 0) => Window::Global,
            (Window::Generic, 1) => Window::Shared,
            (Window::Generic, _) => Window::Local,
            (window, _) => window,
        };
        let outside = |near: Option<String>| fault(FaultKind::Outside { address, near });
        match window {
            Window::Shared => match SHARED_WINDOWS.place(&self.shared, address, bytes) {
                Some(at) => Ok(AccessedPlace::InMemory(MachineCell::Shared(at))),
                None => outside(SHARED_WINDOWS.nearest(&self.shared, address)),
            },
            Window::Local | Window::Parameter => {
                let Some((frame, code)) = self.frame(who, address) else { return outside(None) };
                match FRAME_WINDOWS.place(&code.variables.rooms, address, bytes) {
                    Some(at) => Ok(AccessedPlace::OnStack(frame as usize + at)),
                    None => outside(FRAME_WINDOWS.nearest(&code.variables.rooms, address)),
                }
            }
            _ => match self.memories.global.place(address, bytes) {
                Some(at) => Ok(AccessedPlace::InMemory(MachineCell::Global(at))),
                None => outside(self.memories.global.nearest(address)),
            },
        }
    }

    /// The call whose memory an address is in, if it has not ended: where its memory begins, and
    /// its function.
    #[inline]
    fn frame(&self, who: Who, address: u64) -> Option<(u32, &'p DecodedFunction)> {
        let thread = &self.threads[who.thread];
        let depth = call_of(address);
        let (frame, code) = match thread.calls.get(depth) {
            Some(call) => (call.memory, call.code),
            None if depth == thread.calls.len() => (thread.frame, thread.code),
            None => return None,
        };
        Some((frame, &self.program.codes[code as usize]))
    }

    /// Loads elements into registers, or puts that off until the instruction `until`.
    #[inline]
    pub(super) fn load(
        &mut self,
        who: Who,
        access: &MachineAccess,
        to: &[u32],
        until: u32,
    ) -> Result<(), Fault> {
        let address = self.value(who, access.base).wrapping_add_signed(access.offset);
        let bytes = access.bytes() as usize * to.len();
        match self.place(who, access, address, bytes as u64)? {
            AccessedPlace::InMemory(cell) => {
                if O::PUTS_OFF {
                    self.load_late_before(who, cell, bytes, O::passes_loads(&self.ordering));
                    self.load_late_of_met(who);
                    let at = self.threads[who.thread].at;
                    if until > at + 1 && self.ordering.puts_off() {
                        self.threads[who.thread].late.push(LateLoad { at, until, cell, bytes });
                        return Ok(());
                    }
                }
                self.load_shared(who, access, to, cell);
            }
            AccessedPlace::OnStack(at) => {
                let bytes = access.bytes() as usize;
                for (n, &register) in to.iter().enumerate() {
                    let value =
                        memory::read(&self.threads[who.thread].stack, at + n * bytes, bytes);
                    self.set(who, register, access.widened(value));
                }
            }
        }
        Ok(())
    }

    /// Loads from memory that threads share.
    #[inline]
    fn load_shared(&mut self, who: Who, access: &MachineAccess, to: &[u32], cell: MachineCell) {
        let bytes = access.bytes() as usize;
        let ordering = Ordering { order: access.order, scope: access.scope };
        for (n, &register) in to.iter().enumerate() {
            let value = self.ordering.load(
                &mut self.memories,
                who,
                cell.behind(n * bytes),
                bytes,
                ordering,
            );
            self.set(who, register, access.widened(value));
        }
    }

    /// Does the loads of a thread that were put off and must be done now.
    #[cold]
    pub(super) fn load_late(&mut self, who: Who, must: impl Fn(&LateLoad) -> bool) {
        let program = self.program;
        let late = std::mem::take(&mut self.threads[who.thread].late);
        let (now, later): (Vec<LateLoad>, Vec<LateLoad>) = late.into_iter().partition(must);
        self.threads[who.thread].late = later;
        let steps = &program.codes[self.threads[who.thread].code as usize].steps;
        for load in now {
            if let DecodedStep::Load(access, to, _) = &steps[load.at as usize].step {
                self.load_shared(who, access, to, load.cell);
            }
        }
    }

    /// Before an access: loads of the same bytes that were put off, and others if they do not wait
    /// for it.
    #[inline]
    fn load_late_before(&mut self, who: Who, cell: MachineCell, bytes: usize, others_wait: bool) {
        if O::PUTS_OFF && !self.threads[who.thread].late.is_empty() {
            self.load_late(who, |late| !others_wait || late.overlaps(cell, bytes));
        }
    }

    /// Before a load: those that lanes put off before they met its thread, where loads do not pass
    /// loads.
    #[inline]
    fn load_late_of_met(&mut self, who: Who) {
        let met = std::mem::take(&mut self.threads[who.thread].met);
        if met != 0 {
            let (first, lanes) = self.warp(who.thread);
            for lane in (0..lanes).filter(|lane| met >> lane & 1 == 1) {
                self.load_late(Who { thread: first + lane, ..who }, |_| true);
            }
        }
    }

    #[inline]
    pub(super) fn store(
        &mut self,
        who: Who,
        access: &MachineAccess,
        values: &[StepOperand],
    ) -> Result<(), Fault> {
        let address = self.value(who, access.base).wrapping_add_signed(access.offset);
        let bytes = access.bytes() as usize;
        let ordering = Ordering { order: access.order, scope: access.scope };
        let place = self.place(who, access, address, (bytes * values.len()) as u64)?;
        if let AccessedPlace::InMemory(cell) = place {
            self.load_late_before(who, cell, bytes * values.len(), true);
        }
        let mut elements = [0; MOST_ELEMENTS];
        for (element, &source) in elements.iter_mut().zip(values) {
            *element = access.ty.cut(self.value(who, source));
        }
        let elements = &elements[..values.len().min(MOST_ELEMENTS)];
        match place {
            AccessedPlace::InMemory(cell) => {
                self.ordering.store(&mut self.memories, who, cell, bytes, elements, ordering)
            }
            AccessedPlace::OnStack(at) => {
                for (n, &value) in elements.iter().enumerate() {
                    memory::write(
                        &mut self.threads[who.thread].stack,
                        at + n * bytes,
                        bytes,
                        value,
                    );
                }
            }
        }
        Ok(())
    }

    pub(super) fn modify(
        &mut self,
        who: Who,
        access: &MachineAccess,
        update: Update,
        to: u32,
        operands: &[StepOperand],
    ) -> Result<(), Fault> {
        let address = self.value(who, access.base).wrapping_add_signed(access.offset);
        let bytes = access.bytes() as usize;
        let mut values = [0; 2];
        for (v, s) in values.iter_mut().zip(operands) {
            *v = self.value(who, *s);
        }
        let values = &values[..operands.len()];
        let ty = access.ty;
        let mut new = |old: u64| {
            if update == Update::CompareAndSwap && ty.cut(values[0]) != ty.cut(old) {
                return None;
            }
            let value = match (ty.kind, update) {
                (ScalarKind::Float, Update::Add) => FloatFunction::Add.value(ty, &[old, values[0]]),
                (ScalarKind::Float, Update::Min) => FloatFunction::Min.value(ty, &[old, values[0]]),
                (ScalarKind::Float, Update::Max) => FloatFunction::Max.value(ty, &[old, values[0]]),
                _ => update.value(ty, old, values),
            };
            Some(value.unwrap_or(old))
        };
        let old = match self.place(who, access, address, bytes as u64)? {
            AccessedPlace::InMemory(cell) => {
                self.load_late_before(who, cell, bytes, true);
                let ordering = Ordering { order: access.order, scope: access.scope };
                self.ordering.modify(&mut self.memories, who, cell, bytes, ordering, &mut new)
            }
            AccessedPlace::OnStack(at) => {
                let stack = &mut self.threads[who.thread].stack;
                let old = memory::read(stack, at, bytes);
                if let Some(new) = new(old) {
                    memory::write(stack, at, bytes, new);
                }
                old
            }
        };
        self.set(who, to, old);
        Ok(())
    }
}
