//! Which rows are plainly to blame: those whose lowering has less than the order and the scope of
//! the operation ask for.

use margay_models::execution::{Order, Scope};
use margay_models::signature::Operation;

use crate::language::{Lowering, LoweringStep, Mapping, Row, ScopePattern, StepScope};

/// Does a lowering lack an order or a scope that its operation has? `false` where that cannot be
/// told from the row alone: an instruction of an architecture that is a text has its meaning from
/// the model.
pub fn lacks(mapping: &Mapping, row: &Row, lowering: &Lowering) -> bool {
    let (operation, order) = (row.construct.operation, row.construct.order);
    if mapping.target.signature.tabular().is_some() {
        return operation == Operation::Fence && lowering.steps.is_empty();
    }
    let access = lowering.access();
    let reaches = |step: &LoweringStep| match step.scope {
        StepScope::Same | StepScope::Named(Scope::Sys) => true,
        StepScope::Named(scope) => matches!(row.scope, ScopePattern::Named(own) if scope >= own),
        StepScope::None => step.volatile,
    };
    let weak = access.is_some_and(|at| {
        let step = &lowering.steps[at];
        order != Order::Plain && !(reaches(step) && (step.volatile || step.order != Order::Plain))
    });
    // Is there an instruction with such an order: at the access or behind it, at the access or
    // before it, anywhere?
    let has = |orders: &[Order], side: &dyn Fn(usize, usize) -> bool| {
        let mut steps = lowering.steps.iter().enumerate();
        steps.any(|(i, step)| {
            orders.contains(&step.order) && reaches(step) && access.is_none_or(|at| side(i, at))
        })
    };
    let reads =
        operation != Operation::Write && [Order::Acq, Order::AcqRel, Order::Sc].contains(&order);
    let writes =
        operation != Operation::Read && [Order::Rel, Order::AcqRel, Order::Sc].contains(&order);
    weak || reads && !has(&[Order::Acq, Order::AcqRel, Order::Sc], &|i, at| i >= at)
        || writes && !has(&[Order::Rel, Order::AcqRel, Order::Sc], &|i, at| i <= at)
        || order == Order::Sc && !has(&[Order::Sc], &|_, _| true)
}
