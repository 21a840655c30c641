//! The sites of a column of instructions.

use margay_models::execution::{Order, Proxy, Scope};

use super::{Fixed, SiteKind, Strength, TestRewriting, text};
use crate::test::{
    Access, AccessOrder, AtomInstruction, ClusterBarrier, Dialect, FenceOrder, Guard, MembarLevel,
    Operation, TestInstruction, ThreadId,
};

/// The instructions with the strengths chosen.
pub(super) fn rewrite(
    body: &[TestInstruction],
    thread: ThreadId,
    dialect: Dialect,
    rewriting: &mut TestRewriting<'_>,
) -> Vec<TestInstruction> {
    let mut out: Vec<TestInstruction> = Vec::new();
    for instruction in body {
        let mut instruction = instruction.clone();
        gap(thread, dialect, None, rewriting, &mut out);
        if let Some(guard) =
            instruction.guard.as_ref().filter(|_| instruction.operation.memory().is_some())
        {
            // One that is executed when the access is.
            gap(thread, dialect, Some(guard), rewriting, &mut out);
        }
        if let Some((kind, now)) = strength(&instruction.operation, dialect) {
            if kind == SiteKind::Fence && rewriting.marks {
                instruction.place = rewriting.place(rewriting.count);
            }
            if let Some(chosen) = rewriting.site(thread, kind, Some(now), Fixed::Nothing) {
                match dialect {
                    Dialect::Text(architecture) => {
                        text::set(architecture, &mut instruction.operation, kind, chosen)
                    }
                    _ => set(&mut instruction.operation, chosen),
                }
            }
        }
        out.push(instruction);
    }
    gap(thread, dialect, None, rewriting, &mut out);
    out
}

/// A place between two instructions.
fn gap(
    thread: ThreadId,
    dialect: Dialect,
    guard: Option<&Guard>,
    rewriting: &mut TestRewriting<'_>,
    out: &mut Vec<TestInstruction>,
) {
    for (kind, strength, place) in rewriting.gap(thread, guard.is_some()) {
        let operation = match kind {
            SiteKind::ProxySlot(kind) => Operation::ProxyFence(kind),
            _ => fence(strength, dialect),
        };
        out.push(TestInstruction { guard: guard.cloned(), operation, place });
    }
}

fn fence(strength: Strength, dialect: Dialect) -> Operation {
    match dialect {
        Dialect::Generic => Operation::Fence { order: None, scope: None },
        Dialect::Text(architecture) => {
            let mut fence = Operation::Fence { order: None, scope: None };
            text::set(architecture, &mut fence, SiteKind::Slot(0), strength);
            fence
        }
        Dialect::GpuPtx => Operation::Membar(level(strength.scope)),
        Dialect::Ptx | Dialect::C => Operation::Fence {
            order: Some(fence_order(strength.order)),
            scope: Some(strength.scope),
        },
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
        // There is one kind of fence, and nothing else to be said.
        Dialect::Generic => {
            let fence = matches!(operation, Operation::Fence { .. } | Operation::Membar(_));
            return fence.then_some((SiteKind::Fence, GENERIC_FENCE));
        }
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
        Operation::Atom(AtomInstruction { access, destination, .. }) => {
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
        Operation::Membar(level) => {
            Some((SiteKind::Fence, Strength { order: Order::Sc, scope: level.scope() }))
        }
        Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed }) => {
            let order = if *relaxed { Order::Rlx } else { Order::Rel };
            Some((SiteKind::Arrival, Strength { order, scope: Scope::Cluster }))
        }
        _ => None,
    }
}

/// The operation, as strong as both it and another one of its kind in PTX are; `None` where they
/// are not of one kind.
pub fn joined(operation: &Operation, other: &Operation) -> Option<Operation> {
    let ((kind, one), (of_other, two)) =
        (strength(operation, Dialect::Ptx)?, strength(other, Dialect::Ptx)?);
    (kind == of_other).then(|| {
        let mut both = operation.clone();
        set(&mut both, one.join(two));
        both
    })
}

/// The fence of tests without orders and scopes.
pub(super) const GENERIC_FENCE: Strength = Strength { order: Order::Sc, scope: Scope::Sys };

/// How strong an access is; `None` where no qualifier says it: memory-mapped input and output, and
/// other proxies than the generic one.
fn of(access: &Access, default: Order) -> Option<Strength> {
    if access.proxy != Proxy::Generic {
        return None;
    }
    let order = match access.order {
        None => default,
        Some(AccessOrder::Weak) => Order::Plain,
        Some(AccessOrder::Relaxed) => Order::Rlx,
        Some(AccessOrder::Acquire) => Order::Acq,
        Some(AccessOrder::Release) => Order::Rel,
        Some(AccessOrder::AcqRel) => Order::AcqRel,
        // 8.4.2: "equivalent to a relaxed memory operation with system-scope".
        Some(AccessOrder::Volatile) => {
            return Some(Strength { order: Order::Rlx, scope: Scope::Sys });
        }
        Some(AccessOrder::Mmio | AccessOrder::Text(_)) => return None,
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
        | Operation::Atom(AtomInstruction { access, .. }) => {
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
        Operation::ClusterBarrier(ClusterBarrier::Arrive { relaxed }) => {
            *relaxed = strength.order == Order::Rlx
        }
        _ => {}
    }
}
