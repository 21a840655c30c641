//! Loads, stores, read-modify-writes and fences.

use crate::asynchronous;
use crate::effect::operand::{register, scope, target, update, window};
use crate::effect::unknown;
use crate::effect::{Effect, MemoryAccess, MemoryOrder, MemoryScope, Update, Window};
use crate::tree::{Instruction, Operand};

/// `ld`, `ldu`
pub(super) fn load(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let access = match access(i) {
        Ok(access) => access,
        Err(why) => return unknown(why),
    };
    if !has_its_elements(i, get(0)?) {
        return unknown(OTHER_ELEMENTS);
    }
    let to = match get(0)? {
        Operand::Vector(all) => all.iter().map(target).collect::<Option<_>>()?,
        other => vec![target(other)?],
    };
    let Operand::Address(base, offset) = get(1)? else { return None };
    Some(Effect::Load { access, to, base, offset: *offset })
}

/// `st`
pub(super) fn store(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let access = match access(i) {
        Ok(access) => access,
        Err(why) => return unknown(why),
    };
    if !has_its_elements(i, get(1)?) {
        return unknown(OTHER_ELEMENTS);
    }
    let values = match get(1)? {
        Operand::Vector(all) => all.iter().collect(),
        other => vec![other],
    };
    let Operand::Address(base, offset) = get(0)? else { return None };
    Some(Effect::Store { access, base, offset: *offset, values })
}

/// `atom`, `red`
pub(super) fn modify(i: &Instruction) -> Option<Effect<'_>> {
    let get = |n: usize| i.operands.get(n);
    let is_vector = i.qualifiers.iter().any(|q| matches!(q.as_str(), "v2" | "v4" | "v8"));
    if is_vector {
        return unknown("a vector of read-modify-writes");
    }
    let mut access = match access(i) {
        Ok(access) => access,
        Err(why) => return unknown(why),
    };
    if access.order == MemoryOrder::Weak {
        access.order = MemoryOrder::Relaxed;
    }
    // "`.sys` scope is assumed by default" (PTX ISA 9.7.9.14, `multimem.red`).
    access.scope.get_or_insert(if access.multimem { MemoryScope::Sys } else { MemoryScope::Gpu });
    let update = i.qualifiers.iter().find_map(|q| update(q))?;
    let first = usize::from(i.opcode == "atom");
    let to = if first == 1 { Some(target(get(0)?)?) } else { None };
    let Operand::Address(base, offset) = get(first)? else { return None };
    let rest: Vec<&Operand> = i.operands[first + 1..].iter().collect();
    (rest.len() == if update == Update::CompareAndSwap { 2 } else { 1 }).then_some(())?;
    Some(Effect::Modify { access, update, to, base, offset: *offset, operands: rest })
}

/// `ldmatrix`, `stmatrix`: the lanes whose addresses count access a row of 16 bytes each.
pub(super) fn matrix(i: &Instruction) -> Option<Effect<'_>> {
    let (registers, address) = match i.opcode.as_str() {
        "ldmatrix" => (i.operands.first()?, i.operands.get(1)?),
        _ => (i.operands.get(1)?, i.operands.first()?),
    };
    let Operand::Address(base, offset) = address else { return None };
    let count = match (i.has("x1"), i.has("x2")) {
        (true, _) => 1,
        (_, true) => 2,
        _ => 4,
    };
    let all = match registers {
        Operand::Vector(all) => all.iter().collect(),
        other => vec![other],
    };
    let is_store = i.opcode == "stmatrix";
    let to = if is_store { Vec::new() } else { all.into_iter().filter_map(register).collect() };
    Some(Effect::Matrix { is_store, lanes: 8 * count, to, base, offset: *offset })
}

/// What the qualifiers of an access say.
fn access(i: &Instruction) -> Result<MemoryAccess, &'static str> {
    let ty = i.ty().ok_or("an access without a type")?;
    if ty.bits > 64 {
        return Err("accesses of more than 64 bits are not modelled");
    }
    let orders = i.qualifiers.iter().filter_map(|q| {
        Some(match q.as_str() {
            "weak" => MemoryOrder::Weak,
            "relaxed" => MemoryOrder::Relaxed,
            "acquire" => MemoryOrder::Acquire,
            "release" => MemoryOrder::Release,
            "acq_rel" => MemoryOrder::AcqRel,
            "volatile" => MemoryOrder::Volatile,
            "mmio" => MemoryOrder::Mmio,
            _ => return None,
        })
    });
    let mut order = MemoryOrder::Weak;
    for found in orders {
        // `.mmio.relaxed` is one order.
        if order != MemoryOrder::Mmio {
            order = found;
        }
    }
    let window = window(i).unwrap_or(Window::Generic);
    let read_only = i.has("nc") || i.opcode == "ldu";
    Ok(MemoryAccess {
        order,
        scope: scope(i),
        window,
        ty,
        read_only,
        multimem: i.opcode == "multimem",
    })
}

/// `membar`, `fence`
pub(super) fn fence(i: &Instruction) -> Option<Effect<'_>> {
    let words = ["proxy", "mbarrier", "op_restrict", "sync_restrict", "tensormap"];
    if i.qualifiers.iter().any(|q| words.iter().any(|word| q.starts_with(word))) {
        return asynchronous::fence(i);
    }
    if i.opcode == "membar" {
        return Some(Effect::Fence(MemoryOrder::Sc, scope(i)?));
    }
    let has = |q: &str| i.has(q);
    let order = match (has("sc"), has("acquire"), has("release")) {
        (true, ..) => MemoryOrder::Sc,
        (_, true, _) => MemoryOrder::Acquire,
        (_, _, true) => MemoryOrder::Release,
        // Without an order a fence is `.acq_rel` (PTX ISA 9.7.13).
        _ => MemoryOrder::AcqRel,
    };
    Some(Effect::Fence(order, scope(i)?))
}

/// What is said of an access whose vector is not as long as its `.v2`, `.v4` or `.v8`.
const OTHER_ELEMENTS: &str = "it names more or fewer elements than its width has";

/// Has what is loaded or stored as many elements as the instruction says?
fn has_its_elements(i: &Instruction, operand: &Operand) -> bool {
    let said = i.qualifiers.iter().find_map(|q| match q.as_str() {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    let named = if let Operand::Vector(all) = operand { all.len() } else { 1 };
    named == said.unwrap_or(1)
}
