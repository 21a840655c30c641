//! From an instruction to its effect.

mod arithmetic;
mod memory;

use super::meaning::{opaque, unknown};
use super::operand::{register, target, window};
use super::{Effect, Meeting};
use crate::asynchronous;
use crate::exchange::exchange;
use crate::tensor;
use crate::tree::{Instruction, Operand};

/// `None` where the operands are not those that are known.
pub(super) fn effect(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let has = |q: &str| i.has(q);
    match i.opcode.as_str() {
        "cvta" => {
            let window = window(i)?;
            let (to, address) = (register(get(0)?)?, get(1)?);
            Some(Effect::ConvertAddress { window, to_space: has("to"), to, address })
        }
        "isspacep" => Some(Effect::IsSpace {
            window: window(i)?,
            of_cluster: has("shared::cluster"),
            to: register(get(0)?)?,
            address: get(1)?,
        }),
        // Products of matrices that are in registers of a warp.
        "mma" | "movmatrix" => opaque(i),
        "wmma" if has("mma") => opaque(i),
        "wmma" if has("load") => unseen(
            i,
            "which part of a matrix a thread reads is not known: what is read is not looked at",
        ),
        "wmma" => unseen(
            i,
            "which part of a matrix a thread writes is not known: what is written is not looked at",
        ),
        "ldmatrix" | "stmatrix" => memory::matrix(i),
        "ld" | "ldu" => memory::load(i),
        "st" | "red" if has("async") || has("bulk") => asynchronous::store(i),
        "st" => memory::store(i),
        "atom" | "red" => memory::modify(i),
        "multimem" if has("ld_reduce") => memory::load(i),
        "multimem" if has("st") => memory::store(i),
        "multimem" if has("red") => memory::modify(i),
        "membar" | "fence" => memory::fence(i),
        "bar" | "barrier" if has("warp") => Some(Effect::WarpBarrier(get(0)?)),
        "barrier" if has("cluster") => asynchronous::cluster(i),
        "mapa" | "getctarank" => asynchronous::cluster(i),
        "bar" | "barrier" => barrier(i),
        "bra" => match get(0)? {
            Operand::Label(label) => Some(Effect::Jump(*label)),
            _ => None,
        },
        "brx" => unknown("a jump by a table"),
        "call" => call(i),
        "ret" => Some(Effect::Return),
        "exit" => Some(Effect::Exit),
        // A breakpoint "suspends execution" (PTX ISA 9.7.20, `brkpt`): where no debugger goes on
        // with it the kernel ends there.
        "trap" | "brkpt" => Some(Effect::Trap),
        "createpolicy" => opaque(i),
        "griddepcontrol" => Some(Effect::OtherLaunches),
        // "Semantically, this behaves like a weak write of an unstable indeterminate value" (PTX
        // ISA 9.7.9, `discard`).
        "discard" => unknown("it leaves any values in memory, and that is not modelled"),
        "nanosleep" | "prefetch" | "prefetchu" | "applypriority" | "pmevent" | "setmaxnreg" => {
            Some(Effect::Nothing)
        }
        "vote" | "shfl" | "match" | "redux" | "elect" => exchange(i),
        "activemask" => Some(Effect::ActiveMask(register(get(0)?)?)),
        "mbarrier" => asynchronous::mbarrier(i),
        "cp" => asynchronous::copy(i),
        "tensormap" => asynchronous::tensormap(i),
        "tcgen05" => tensor::tcgen05(i),
        "clusterlaunchcontrol" => {
            unknown("asynchronous operations of this kind are not modelled (PTX ISA 8.9.1.1)")
        }
        "wgmma" => tensor::wgmma(i),
        "tex" | "tld4" | "suld" => {
            unseen(i, "what is read through textures and surfaces is not modelled (PTX ISA 8.1)")
        }
        "txq" | "suq" => opaque(i),
        "sust" | "sured" => {
            unseen(i, "what is written through surfaces is not modelled (PTX ISA 8.1)")
        }
        "alloca" | "stacksave" | "stackrestore" => {
            unknown("stacks of a size that is computed are not modelled")
        }
        _ => arithmetic::arithmetic(i),
    }
}

/// `bar`, `barrier`
fn barrier(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    match (i.has("red"), i.has("arrive")) {
        (true, _) => {
            let (count, predicate) = match i.operands.len() {
                3 => (None, get(2)?),
                _ => (Some(get(2)?), get(3)?),
            };
            Some(Effect::BarrierReduce { to: target(get(0)?)?, barrier: get(1)?, count, predicate })
        }
        (_, true) => Some(Effect::Barrier(Meeting::Arrive, get(0)?, get(1))),
        _ => Some(Effect::Barrier(Meeting::Sync, get(0)?, get(1))),
    }
}

/// `call`
fn call(i: &Instruction) -> Option<Effect<'_>> {
    let (results, rest): (&[Operand], &[Operand]) = match i.operands.first()? {
        Operand::List(results) => (results, &i.operands[1..]),
        _ => (&[], &i.operands),
    };
    let (function, address) = match rest.first()? {
        Operand::Name(name) => (Some(name.as_str()), None),
        other => (None, Some(other)),
    };
    let arguments: &[Operand] = match rest.get(1) {
        Some(Operand::List(arguments)) => arguments,
        _ => &[],
    };
    Some(Effect::Call { function, address, results, arguments })
}

/// An access that is not looked at: what is behind the destinations in its operands is read.
fn unseen<'i>(i: &'i Instruction, why: &'static str) -> Option<Effect<'i>> {
    let to = match i.operands.first()? {
        Operand::Vector(all) => all.iter().filter_map(register).collect(),
        other => register(other).into_iter().collect(),
    };
    Some(Effect::Unseen { why, to })
}
