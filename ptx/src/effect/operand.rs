//! Operands and qualifiers of an instruction, as effects have them.

use super::access::{MemoryScope, Window};
use super::function::Update;
use crate::tree::{Instruction, Operand, RegisterId};

pub(crate) fn register(operand: &Operand) -> Option<RegisterId> {
    if let Operand::Register(register) = operand { Some(*register) } else { None }
}

/// A register, or nothing for `_`.
pub(crate) fn target(operand: &Operand) -> Option<Option<RegisterId>> {
    match operand {
        Operand::Register(register) => Some(Some(*register)),
        Operand::Sink => Some(None),
        _ => None,
    }
}

pub(crate) fn update(name: &str) -> Option<Update> {
    Some(match name {
        "exch" => Update::Exchange,
        "cas" => Update::CompareAndSwap,
        "add" => Update::Add,
        "and" => Update::And,
        "or" => Update::Or,
        "xor" => Update::Xor,
        "inc" => Update::Increment,
        "dec" => Update::Decrement,
        "min" => Update::Min,
        "max" => Update::Max,
        _ => return None,
    })
}

pub(crate) fn window(i: &Instruction) -> Option<Window> {
    i.qualifiers.iter().find_map(|q| {
        Some(match q.split("::").next()? {
            "global" => Window::Global,
            "shared" => Window::Shared,
            "const" => Window::Constant,
            "local" => Window::Local,
            "param" => Window::Parameter,
            _ => return None,
        })
    })
}

pub(crate) fn scope(i: &Instruction) -> Option<MemoryScope> {
    i.qualifiers.iter().find_map(|q| {
        Some(match q.as_str() {
            "cta" => MemoryScope::Cta,
            "cluster" => MemoryScope::Cluster,
            "gpu" | "gl" => MemoryScope::Gpu,
            "sys" => MemoryScope::Sys,
            _ => return None,
        })
    })
}
