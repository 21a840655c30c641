//! The order of fences that an execution chooses.

use margay_models::execution::Order;
use margay_models::signature::Signature;
use margay_solver::{Expr, Formula, Logic};

/// The fences that the chosen order of fences relates (PTX: `fence.sc`), of the events of each
/// order.
pub fn ordered_fences(
    logic: &mut Logic,
    signature: Signature,
    fences: Expr,
    orders: &[(Order, Expr)],
) -> Expr {
    let ordered = orders
        .iter()
        .filter(|(order, _)| signature.is_order_of_ordered_fence(*order))
        .map(|&(_, events)| events);
    let ordered = logic.union_all(1, ordered.collect::<Vec<_>>());
    logic.intersection(ordered, fences)
}

/// Fence-SC order is a strict partial order over the fences that it relates, those of them that are
/// present (PTX ISA 8.9.3).
pub fn fence_order(logic: &mut Logic, order: Expr, strong: Expr, formulas: &mut Vec<Formula>) {
    let allowed = logic.product(strong, strong);
    formulas.push(logic.subset(order, allowed));
    let twice = logic.join(order, order);
    formulas.push(logic.subset(twice, order));
    let back = logic.transpose(order);
    let both = logic.intersection(order, back);
    formulas.push(logic.no(both));
}
