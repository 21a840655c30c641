//! The sites of a column of instructions.

use margay_models::execution::{Order, Scope};

use super::{Site, SiteKind, Strength, text};
use crate::test::{Access, AccessOrder, Atom, Dialect, FenceOrder, Instruction, MembarLevel, Operation, ThreadId};

/// The instructions with the strengths chosen.
pub(super) fn rewrite(
    body: &[Instruction],
    thread: ThreadId,
    dialect: Dialect,
    choose: &mut dyn FnMut(&Site) -> Option<Strength>,
) -> Vec<Instruction> {
    let mut out: Vec<Instruction> = Vec::new();
    // Is there an access before, and no fence after it?
    let mut open = false;
    for instruction in body {
        let mut instruction = instruction.clone();
        if is_access(&instruction.operation) {
            if open && let Some(strength) = choose(&Site { thread, kind: SiteKind::Slot, now: None }) {
                let operation = fence(strength, dialect);
                // Executed when the access is.
                out.push(Instruction { guard: instruction.guard.clone(), operation, place: instruction.place });
            }
            open = true;
        }
        // Of a machine that is a text another fence may say what this one does not.
        let closes = match dialect {
            Dialect::Text(_) => text::is_full_fence(&instruction.operation),
            _ => matches!(instruction.operation, Operation::Fence { .. } | Operation::Membar(_)),
        };
        if closes {
            open = false;
        }
        if let Some((kind, now)) = strength(&instruction.operation, dialect)
            && let Some(chosen) = choose(&Site { thread, kind, now: Some(now) })
        {
            match dialect {
                Dialect::Text(architecture) => text::set(architecture, &mut instruction.operation, kind, chosen),
                _ => set(&mut instruction.operation, chosen),
            }
        }
        out.push(instruction);
    }
    out
}

fn is_access(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Load { .. }
            | Operation::Store { .. }
            | Operation::VectorLoad { .. }
            | Operation::VectorStore { .. }
            | Operation::Atom { .. }
    )
}

fn fence(strength: Strength, dialect: Dialect) -> Operation {
    match dialect {
        Dialect::Generic => Operation::Fence { order: None, scope: None },
        Dialect::Text(architecture) => {
            let mut fence = Operation::Fence { order: None, scope: None };
            text::set(architecture, &mut fence, SiteKind::Slot, strength);
            fence
        }
        Dialect::GpuPtx => Operation::Membar(level(strength.scope)),
        Dialect::Ptx | Dialect::C => Operation::Fence { order: Some(fence_order(strength.order)), scope: Some(strength.scope) },
    }
}

fn level(scope: Scope) -> MembarLevel {
    match scope {
        Scope::Warp | Scope::Cta => MembarLevel::Cta,
        Scope::Cluster | Scope::Gpu => MembarLevel::Gl,
        Scope::Sys => MembarLevel::Sys,
    }
}

fn fence_order(order: Order) -> FenceOrder {
    match order {
        Order::Acq => FenceOrder::Acquire,
        Order::Rel => FenceOrder::Release,
        Order::Sc => FenceOrder::Sc,
        Order::Plain | Order::Rlx | Order::AcqRel | Order::Tagged(_) => FenceOrder::AcqRel,
    }
}

/// What an instruction is, and how strong; `None` for what cannot be stronger.
fn strength(operation: &Operation, dialect: Dialect) -> Option<(SiteKind, Strength)> {
    match dialect {
        Dialect::Generic => return None,
        Dialect::Text(_) => return text::strength(operation),
        Dialect::Ptx | Dialect::GpuPtx | Dialect::C => {}
    }
    match operation {
        Operation::Load { access, .. } | Operation::VectorLoad { access, .. } => {
            Some((SiteKind::Load, of(access, Order::Plain)?))
        }
        Operation::Store { access, .. } | Operation::VectorStore { access, .. } => {
            Some((SiteKind::Store, of(access, Order::Plain)?))
        }
        Operation::Atom(Atom { access, destination, .. }) => {
            let kind = if destination.is_some() { SiteKind::Rmw } else { SiteKind::Reduction };
            Some((kind, of(access, Order::Rlx)?))
        }
        Operation::Fence { order, scope } => {
            let order = match order {
                Some(FenceOrder::Acquire) => Order::Acq,
                Some(FenceOrder::Release) => Order::Rel,
                Some(FenceOrder::Sc) => Order::Sc,
                Some(FenceOrder::AcqRel | FenceOrder::Text(_)) | None => Order::AcqRel,
            };
            Some((SiteKind::Fence, Strength { order, scope: scope.unwrap_or(Scope::Sys) }))
        }
        Operation::Membar(level) => Some((SiteKind::Fence, Strength { order: Order::Sc, scope: level.scope() })),
        _ => None,
    }
}

/// How strong an access is; `None` where its order is not of this kind (`.volatile`, `.mmio`, another proxy).
fn of(access: &Access, default: Order) -> Option<Strength> {
    if access.proxy != margay_models::execution::Proxy::Generic {
        return None;
    }
    let order = match access.order {
        None => default,
        Some(AccessOrder::Weak) => Order::Plain,
        Some(AccessOrder::Relaxed) => Order::Rlx,
        Some(AccessOrder::Acquire) => Order::Acq,
        Some(AccessOrder::Release) => Order::Rel,
        Some(AccessOrder::AcqRel) => Order::AcqRel,
        Some(AccessOrder::Volatile | AccessOrder::Mmio | AccessOrder::Text(_)) => return None,
    };
    let scope = if order == Order::Plain { Scope::Cta } else { access.scope.unwrap_or(Scope::Gpu) };
    Some(Strength { order, scope })
}

fn set(operation: &mut Operation, strength: Strength) {
    match operation {
        Operation::Load { access, .. }
        | Operation::Store { access, .. }
        | Operation::VectorLoad { access, .. }
        | Operation::VectorStore { access, .. }
        | Operation::Atom(Atom { access, .. }) => {
            access.order = Some(match strength.order {
                Order::Plain | Order::Tagged(_) => AccessOrder::Weak,
                Order::Rlx => AccessOrder::Relaxed,
                Order::Acq => AccessOrder::Acquire,
                Order::Rel => AccessOrder::Release,
                Order::AcqRel | Order::Sc => AccessOrder::AcqRel,
            });
            access.scope = Some(strength.scope);
            // Hints to caches belong to weak accesses.
            access.cache = None;
        }
        Operation::Fence { order, scope } => {
            *order = Some(fence_order(strength.order));
            *scope = Some(strength.scope);
        }
        Operation::Membar(of) => *of = level(strength.scope),
        _ => {}
    }
}
