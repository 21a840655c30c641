//! What the instructions of an architecture that is a text can become: the others of their kind
//! that its text calls stronger, and fences between accesses. An instruction without a scope counts
//! as one of the narrowest scope.

use margay_models::execution::{Order, Placement, Scope};
use margay_models::signature::{self, Architecture, Construct};

use super::{Means, SiteKind, Strength};
use crate::test::{AccessOrder, FenceOrder, Operation, Test, ThreadId};

/// The operation that a site is, or can hold; `None` for reductions, of which there are none.
pub(super) fn operation(kind: SiteKind) -> Option<signature::Operation> {
    match kind {
        SiteKind::Load => Some(signature::Operation::Read),
        SiteKind::Store => Some(signature::Operation::Write),
        SiteKind::Rmw => Some(signature::Operation::Rmw),
        SiteKind::Fence | SiteKind::Slot(_) => Some(signature::Operation::Fence),
        SiteKind::Reduction | SiteKind::ProxySlot(_) | SiteKind::Arrival => None,
    }
}

/// Every strength that an instruction of a kind can have with these scopes, in the order of the
/// text.
pub(super) fn strengths(
    architecture: Architecture,
    kind: SiteKind,
    scopes: &[Scope],
) -> Vec<Strength> {
    let of_kind =
        architecture.constructs().into_iter().filter(|c| operation(kind) == Some(c.operation));
    of_kind
        .flat_map(|construct| {
            let scopes = if construct.has_scope(architecture) { scopes } else { &[Scope::Warp] };
            scopes.iter().map(move |&scope| Strength { order: construct.order, scope })
        })
        .collect()
}

/// What a site may become.
pub(super) fn options(
    test: &Test,
    architecture: Architecture,
    (kind, now): (SiteKind, Option<Strength>),
    means: Means,
) -> Vec<Strength> {
    let places: Vec<Placement> =
        (0..test.threads.len()).map(|t| test.placement(ThreadId(t as u16))).collect();
    let all = |s: &Scope| places.iter().all(|p| places.iter().all(|q| p.shares(*s, *q)));
    let widest = architecture.scopes(true).iter().copied().find(all).unwrap_or(Scope::Sys);
    // Wider scopes than that say no more.
    let there = now.map(|n| n.scope);
    let scopes: Vec<Scope> = architecture
        .scopes(true)
        .iter()
        .copied()
        .filter(|&s| s <= widest || Some(s) == there)
        .collect();
    let mut found = strengths(architecture, kind, &scopes);
    if let (Some(now), Some(operation)) = (now, operation(kind)) {
        let is_scoped = Construct { operation, order: now.order }.has_scope(architecture);
        found.retain(|s| {
            let scope_kept = s.scope == now.scope || !is_scoped;
            now.at_most(*s)
                && now != *s
                && (means.orders || s.order == now.order)
                && (means.scopes || scope_kept)
        });
    }
    found.sort_by_key(|s| (s.order.rank(), s.order.number(), s.scope));
    found
}

/// How strong an instruction is.
pub(super) fn strength(operation: &Operation) -> Option<(SiteKind, Strength)> {
    let (kind, order, scope) = match operation {
        Operation::Load { access, .. } => {
            (SiteKind::Load, access_order(access.order)?, access.scope)
        }
        Operation::Store { access, .. } => {
            (SiteKind::Store, access_order(access.order)?, access.scope)
        }
        Operation::Atom(atom) => {
            (SiteKind::Rmw, access_order(atom.access.order)?, atom.access.scope)
        }
        Operation::Fence { order: Some(FenceOrder::Text(tags)), scope } => {
            (SiteKind::Fence, tags.order(), *scope)
        }
        _ => return None,
    };
    Some((kind, Strength { order, scope: scope.unwrap_or(Scope::Warp) }))
}

fn access_order(order: Option<AccessOrder>) -> Option<Order> {
    match order {
        Some(AccessOrder::Text(tags)) => Some(tags.order()),
        _ => None,
    }
}

/// Makes an instruction so strong.
pub(super) fn set(
    architecture: Architecture,
    operation: &mut Operation,
    kind: SiteKind,
    strength: Strength,
) {
    let Some(of) = self::operation(kind) else { return };
    let construct = Construct { operation: of, order: strength.order };
    let tags = architecture.tags_of(construct);
    let its_scope = construct.has_scope(architecture).then_some(strength.scope);
    match operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => {
            (access.order, access.scope) = (Some(AccessOrder::Text(tags)), its_scope);
        }
        Operation::Atom(atom) => {
            (atom.access.order, atom.access.scope) = (Some(AccessOrder::Text(tags)), its_scope)
        }
        Operation::Fence { order, scope } => {
            (*order, *scope) = (Some(FenceOrder::Text(tags)), its_scope)
        }
        _ => {}
    }
}
