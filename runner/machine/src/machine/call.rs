//! Calls of functions: what the callee gets, and what comes back.

use super::KernelMachine;
use crate::code::{Call, DecodedStep};
use crate::memory;
use crate::order::{MemoryOrdering, Who};
use crate::schedule::MAX_BYTES;

/// How deep calls may be.
const MAX_DEPTH: usize = 256;

/// A call that is under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallFrame {
    pub(super) code: u32,
    at: u32,
    registers: u32,
    pub(super) memory: u32,
}

impl<O: MemoryOrdering> KernelMachine<'_, '_, O> {
    /// Calls a function; `false` if calls are too deep then, or take too much memory.
    pub(super) fn call(&mut self, who: Who, call: &Call) -> bool {
        let callee = &self.program.codes[call.function as usize];
        let values: Vec<(u64, u32, u32)> =
            call.values_in.iter().map(|&(s, at, bytes)| (self.value(who, s), at, bytes)).collect();
        let registers: Vec<(u64, u32)> =
            call.registers_in.iter().map(|&(s, to)| (self.value(who, s), to)).collect();
        let thread = &mut self.threads[who.thread];
        self.called_bytes += callee.bytes();
        if thread.calls.len() >= MAX_DEPTH || self.called_bytes > MAX_BYTES {
            return false;
        }
        thread.calls.push(CallFrame {
            code: thread.code,
            at: thread.at,
            registers: thread.base,
            memory: thread.frame,
        });
        let (base, frame) = (thread.registers.len() as u32, thread.stack.len() as u32);
        thread.registers.resize(base as usize + callee.registers as usize, 0);
        thread.stack.resize(frame as usize + callee.variables.bytes as usize, self.unwritten);
        for &(from, to, bytes) in &call.bytes_in {
            let from = (thread.frame + from) as usize;
            thread.stack.copy_within(from..from + bytes as usize, (frame + to) as usize);
        }
        for (value, at, bytes) in values {
            memory::write(&mut thread.stack, (frame + at) as usize, bytes as usize, value);
        }
        for (value, to) in registers {
            thread.registers[(base + to) as usize] = value;
        }
        (thread.code, thread.at, thread.base, thread.frame) = (call.function, 0, base, frame);
        true
    }

    /// Nothing is printed; what comes back of it, in memory of the caller, is zero.
    pub(super) fn print(&mut self, who: Who, results: &[(u32, u32)]) {
        let thread = &mut self.threads[who.thread];
        for (at, bytes) in results {
            memory::write(&mut thread.stack, (thread.frame + at) as usize, *bytes as usize, 0);
        }
    }

    /// Back to the caller; `false` at the end of the kernel.
    pub(super) fn leave_call(&mut self, who: Who) -> bool {
        let program = self.program;
        let thread = &mut self.threads[who.thread];
        let Some(back) = thread.calls.pop() else { return false };
        let (callee, base, frame) = (thread.code, thread.base, thread.frame);
        (thread.code, thread.at, thread.base, thread.frame) =
            (back.code, back.at + 1, back.registers, back.memory);
        if let DecodedStep::Call(call) =
            &program.codes[back.code as usize].steps[back.at as usize].step
        {
            for &(from, to, bytes) in &call.bytes_out {
                let from = (frame + from) as usize;
                thread.stack.copy_within(from..from + bytes as usize, (back.memory + to) as usize);
            }
            for &(from, to) in &call.registers_out {
                let value = self.threads[who.thread].registers[(base + from) as usize];
                *self.register_mut(who.thread, to) = value;
            }
        }
        self.called_bytes -= program.codes[callee as usize].bytes();
        let thread = &mut self.threads[who.thread];
        thread.registers.truncate(base as usize);
        thread.stack.truncate(frame as usize);
        true
    }
}
