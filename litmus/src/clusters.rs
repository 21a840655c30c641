//! Clusters: a level of threads between cta and gpu that PTX ISA 7.8 brought. Tests that use it say
//! nothing to older models.

use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::execution::Scope;
use margay_models::model::Model;

use std::sync::Arc;

use crate::test::{
    AtomicCall, Body, CScope, Dialect, Expression, Operation, Place, Statement, StatementKind, Test,
};

/// The error of a test that uses what the model does not know: a cluster scope or barrier. Where
/// threads are placed may name clusters that nothing speaks of.
pub fn mismatch(test: &Test, model: &Model, file: &Arc<SourceFile>) -> Option<Diagnostic> {
    let older = Dialect::of(model.signature) == Dialect::Ptx && !model.knows_clusters();
    let (place, what) = older.then(|| first_use(test))??;
    let error = Diagnostic::error(format!("{what}, but `{}` has no clusters", model.name))
        .at(file, place.0, "here");
    Some(error.help("clusters came with PTX ISA 7.8: use `ptx-8`, or the scope `gpu` or `cta`"))
}

impl Test {
    /// Does the test say anything about clusters? Not every model has them.
    pub fn uses_clusters(&self) -> bool {
        let placed = self.threads.iter().filter_map(|t| t.placement).any(|p| p.cluster != p.cta);
        placed || first_use(self).is_some()
    }
}

/// The first use of the cluster scope or of a cluster barrier, and what it is.
pub fn first_use(test: &Test) -> Option<(Place, &'static str)> {
    test.threads.iter().find_map(|thread| match &thread.body {
        Body::Instructions(instructions) => instructions.iter().find_map(|i| {
            let cluster = match &i.operation {
                Operation::Fence { scope, .. } => *scope == Some(Scope::Cluster),
                Operation::ClusterBarrier(_) => {
                    return Some((i.place, "this is a barrier of a cluster"));
                }
                other => {
                    other.memory().is_some_and(|(access, _)| access.scope == Some(Scope::Cluster))
                }
            };
            cluster.then_some((i.place, SCOPE))
        }),
        Body::Statements(statements) => in_statements(statements).map(|place| (place, SCOPE)),
    })
}

const SCOPE: &str = "the scope is `cluster`";

const CLUSTER: CScope = CScope::Threads(Scope::Cluster);

fn in_statements(statements: &[Statement]) -> Option<Place> {
    statements.iter().find_map(|s| {
        let here = |found: bool| found.then_some(s.place);
        match &s.kind {
            StatementKind::Assign { value, .. } => here(value.as_ref().is_some_and(in_expression)),
            StatementKind::Store { address, value } => {
                here(in_expression(address) || in_expression(value))
            }
            StatementKind::Update { target, value, .. } => {
                here(in_expression(target) || in_expression(value))
            }
            StatementKind::Evaluate(e) => here(in_expression(e)),
            StatementKind::Fence { scope, .. } => here(*scope == Some(CLUSTER)),
            StatementKind::If { condition, then, otherwise } => here(in_expression(condition))
                .or_else(|| in_statements(then))
                .or_else(|| in_statements(otherwise)),
            StatementKind::While { condition, body }
            | StatementKind::DoWhile { body, condition } => {
                here(in_expression(condition)).or_else(|| in_statements(body))
            }
            StatementKind::For { before, condition, after, body } => in_statements(before)
                .or_else(|| here(condition.as_ref().is_some_and(in_expression)))
                .or_else(|| in_statements(body))
                .or_else(|| in_statements(after)),
            StatementKind::Break | StatementKind::Continue | StatementKind::Return => None,
        }
    })
}

fn in_expression(e: &Expression) -> bool {
    match e {
        Expression::Integer(_) | Expression::Name(_) => false,
        Expression::Dereference(e) | Expression::Unary(_, e) | Expression::Cast(_, e) => {
            in_expression(e)
        }
        Expression::Binary(_, a, b) => in_expression(a) || in_expression(b),
        Expression::Conditional(parts) => parts.iter().any(in_expression),
        Expression::Atomic(call) => in_call(call),
    }
}

fn in_call(call: &AtomicCall) -> bool {
    call.scope == Some(CLUSTER)
        || in_expression(&call.address)
        || call.function.operands().into_iter().any(in_expression)
}
