//! Plain accesses to atomic objects. `*x` of an `atomic_int* x` is a seq_cst access in C (C11
//! 6.5.16.2p3, 6.2.6.1p9) and C++; herd7 and the tests that are written for it take it for a plain
//! one, and so does Margay. Whoever means the other one is told.

use margay_models::diagnostic::{Diagnostic, SourceFile};

use crate::test::{
    Body, CParameter, Evaluations, Expression, Place, Sequencing, Statement, StatementKind, Thread,
};

/// A warning at the first one in a test, if there is one.
pub(in crate::read) fn of_atomics(
    threads: &[Thread],
    file: &std::sync::Arc<SourceFile>,
) -> Option<Diagnostic> {
    let (place, name) = threads.iter().find_map(|thread| match &thread.body {
        Body::Statements(statements) => {
            statements.iter().find_map(|s| in_statement(s, &thread.parameters))
        }
        Body::Instructions(_) => None,
    })?;
    let warning = Diagnostic::warning(format!(
        "`*{name}` is read as a plain access, and `{name}` points to an atomic object"
    ));
    Some(warning.at(file, place.0, "plain, as herd7 has it").help(format!(
        "in C and C++ it is a seq_cst access: write `atomic_load({name})` or `atomic_store({name}, ..)` for that, or `int* {name}` for a plain object"
    )))
}

/// The first plain access of a statement to an atomic parameter: where, and which.
fn in_statement<'s>(
    statement: &'s Statement,
    parameters: &[CParameter],
) -> Option<(Place, &'s str)> {
    let atomic = |e: &'s Expression| match e {
        Expression::Name(name) => parameters
            .iter()
            .any(|p| p.ty.atomic && p.name == *name)
            .then_some((statement.place, &**name)),
        _ => None,
    };
    let loads = |e: &'s Expression| {
        let all = Evaluations::of_expression(Sequencing::C11, e);
        let mut parts = all.all().iter().map(|evaluation| evaluation.part);
        parts.find_map(|part| {
            if let Expression::Dereference(pointer) = part { atomic(pointer) } else { None }
        })
    };
    let in_all =
        |statements: &'s [Statement]| statements.iter().find_map(|s| in_statement(s, parameters));
    match &statement.kind {
        StatementKind::Assign { value, .. } => value.as_ref().and_then(loads),
        StatementKind::Store { address, value } => {
            atomic(address).or_else(|| loads(address)).or_else(|| loads(value))
        }
        StatementKind::Update { target, value, .. } => loads(target).or_else(|| loads(value)),
        StatementKind::Evaluate(e) => loads(e),
        StatementKind::If { condition, then, otherwise } => {
            loads(condition).or_else(|| in_all(then)).or_else(|| in_all(otherwise))
        }
        StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
            loads(condition).or_else(|| in_all(body))
        }
        StatementKind::For { before, condition, after, body } => {
            let header = in_all(before).or_else(|| condition.as_ref().and_then(loads));
            header.or_else(|| in_all(after)).or_else(|| in_all(body))
        }
        StatementKind::Fence { .. }
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Return => None,
    }
}
