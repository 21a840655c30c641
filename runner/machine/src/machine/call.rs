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
        let values: Vec<(u64, u32, u32)> = call.values_in.iter().map(|&(s, at, bytes)| (self.value(who, s), at, bytes)).collect();
        let registers: Vec<(u64, u32)> = call.registers_in.iter().map(|&(s, to)| (self.value(who, s), to)).collect();
        let thread = &mut self.threads[who.thread];
        self.called_bytes += callee.bytes();
        if thread.calls.len() >= MAX_DEPTH || self.called_bytes > MAX_BYTES {
            return false;
        }
        thread.calls.push(CallFrame { code: thread.code, at: thread.at, registers: thread.base, memory: thread.frame });
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

    /// Back to the caller; `false` at the end of the kernel.
    pub(super) fn leave_call(&mut self, who: Who) -> bool {
        let program = self.program;
        let thread = &mut self.threads[who.thread];
        let Some(back) = thread.calls.pop() else { return false };
        if let DecodedStep::Call(call) = &program.codes[back.code as usize].steps[back.at as usize].step {
            for &(from, to, bytes) in &call.bytes_out {
                let from = (thread.frame + from) as usize;
                thread.stack.copy_within(from..from + bytes as usize, (back.memory + to) as usize);
            }
            for &(from, to) in &call.registers_out {
                thread.registers[(back.registers + to) as usize] = thread.registers[(thread.base + from) as usize];
            }
        }
        self.called_bytes -= program.codes[thread.code as usize].bytes();
        thread.registers.truncate(thread.base as usize);
        thread.stack.truncate(thread.frame as usize);
        (thread.code, thread.at, thread.base, thread.frame) = (back.code, back.at + 1, back.registers, back.memory);
        true
    }
}
