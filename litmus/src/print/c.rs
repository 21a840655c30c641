//! Scoped C as text.

use margay_models::execution::{Placement, Scope};

use super::{braces, initial, locations};
use crate::test::{
    AtomicCall, AtomicFunction, BinaryOperator, Body, Expression, MemoryOrder, Statement, StatementKind, Test, ThreadId,
};

/// One line of a C thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CLine {
    /// The text, indented.
    pub text: String,
    /// The statement that the line is of, counted in order of appearance; `None` for lines with a brace only.
    pub statement: Option<usize>,
}

/// Initial state and threads.
pub(super) fn program(test: &Test, out: &mut String) {
    let location = |l: &crate::test::LocationDeclaration| match &l.value {
        Some(value) => format!("[{}]={}", l.name, initial(value)),
        None => format!("[{}]", l.name),
    };
    let mut groups = vec![locations(test.locations.iter(), location)];
    groups.push(
        test.registers
            .iter()
            .map(|r| {
                let value = r.value.as_ref().map_or(String::new(), |v| format!("={}", initial(v)));
                format!("{}:{}{value}", r.thread.0, r.name)
            })
            .collect(),
    );
    out.push_str(&braces(&groups));
    out.push('\n');
    let clusters = test.threads.iter().filter_map(|t| t.placement).any(|p| p.cluster != p.cta);
    for (t, thread) in test.threads.iter().enumerate() {
        let place = match thread.placement {
            Some(Placement { gpu, cluster, cta }) if clusters => format!("@wg {cta},cluster {cluster},dev {gpu}"),
            Some(Placement { gpu, cta, .. }) => format!("@wg {cta},dev {gpu}"),
            None => String::new(),
        };
        let parameters: Vec<String> = thread.parameters.iter().map(|p| format!("{}* {}", p.ty.name(), p.name)).collect();
        out.push_str(&format!("\n{}{place} ({}) {{\n", ThreadId(t as u8), parameters.join(", ")));
        if let Body::Statements(statements) = &thread.body {
            for line in statement_lines(statements) {
                out.push_str(&format!("  {}\n", line.text));
            }
        }
        out.push_str("}\n");
    }
    out.push('\n');
}

/// The lines of statements.
pub fn statement_lines(statements: &[Statement]) -> Vec<CLine> {
    let mut lines = Vec::new();
    let mut count = 0;
    block(statements, 0, &mut count, &mut lines);
    lines
}

fn block(statements: &[Statement], depth: usize, count: &mut usize, lines: &mut Vec<CLine>) {
    let indented = |text: String| format!("{}{text}", "  ".repeat(depth));
    let brace = |text: &str| CLine { text: indented(text.to_string()), statement: None };
    for s in statements {
        let here = Some(*count);
        *count += 1;
        let mut line = |text: String| lines.push(CLine { text: indented(text), statement: here });
        match &s.kind {
            StatementKind::Assign { .. }
            | StatementKind::Store { .. }
            | StatementKind::Evaluate(_)
            | StatementKind::Fence { .. }
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return => line(format!("{};", simple(&s.kind))),
            StatementKind::If { condition, then, otherwise } => {
                line(format!("if ({}) {{", expression(condition)));
                block(then, depth + 1, count, lines);
                if !otherwise.is_empty() {
                    lines.push(brace("} else {"));
                    block(otherwise, depth + 1, count, lines);
                }
                lines.push(brace("}"));
            }
            StatementKind::While { condition, body } => {
                line(format!("while ({}) {{", expression(condition)));
                block(body, depth + 1, count, lines);
                lines.push(brace("}"));
            }
            StatementKind::DoWhile { body, condition } => {
                line("do {".to_string());
                block(body, depth + 1, count, lines);
                lines.push(brace(&format!("}} while ({});", expression(condition))));
            }
            StatementKind::For { before, condition, after, body } => {
                // One `int` declares all that follow it.
                let declares = before.first().is_some_and(|s| matches!(s.kind, StatementKind::Assign { declares: true, .. }));
                let before: Vec<String> = before.iter().map(|s| without_int(&s.kind)).collect();
                let after: Vec<String> = after.iter().map(|s| simple(&s.kind)).collect();
                let space = |text: String| if text.is_empty() { text } else { format!(" {text}") };
                line(format!(
                    "for ({}{};{};{}) {{",
                    if declares { "int " } else { "" },
                    before.join(", "),
                    space(condition.as_ref().map_or(String::new(), expression)),
                    space(after.join(", ")),
                ));
                block(body, depth + 1, count, lines);
                lines.push(brace("}"));
            }
        }
    }
}

/// A statement that is no block, without its semicolon.
fn simple(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Assign { declares: true, .. } => format!("int {}", without_int(kind)),
        StatementKind::Break => "break".to_string(),
        StatementKind::Continue => "continue".to_string(),
        StatementKind::Return => "return".to_string(),
        _ => without_int(kind),
    }
}

/// An assignment, store, call or fence; a declaration without its type.
fn without_int(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Assign { name, value: Some(value), .. } => format!("{name} = {}", expression(value)),
        StatementKind::Assign { name, value: None, .. } => name.clone(),
        StatementKind::Store { address, value } => format!("*{} = {}", operand(address), expression(value)),
        StatementKind::Evaluate(e) => expression(e),
        StatementKind::Fence { order, scope } => {
            format!("atomic_thread_fence({}{})", memory_order(*order), scope_argument(*scope))
        }
        // Blocks and jumps are no parts of a `for` head; the reader makes none there.
        _ => String::new(),
    }
}

/// An expression, every operator's operands in parentheses if they have operators themselves.
fn expression(e: &Expression) -> String {
    match e {
        Expression::Integer(n) => n.to_string(),
        Expression::Name(name) => name.clone(),
        Expression::Dereference(e) => format!("*{}", operand(e)),
        Expression::Unary(operator, e) => match **e {
            // `-1` would read back as a number.
            Expression::Integer(_) => format!("{}({})", operator.symbol(), expression(e)),
            _ => format!("{}{}", operator.symbol(), operand(e)),
        },
        Expression::Binary(operator, a, b) => format!("{} {} {}", operand(a), operator.symbol(), operand(b)),
        Expression::Atomic(call) => atomic(call),
    }
}

fn operand(e: &Expression) -> String {
    match e {
        Expression::Name(_) | Expression::Atomic(_) => expression(e),
        Expression::Integer(n) if *n >= 0 => expression(e),
        _ => format!("({})", expression(e)),
    }
}

fn memory_order(order: MemoryOrder) -> String {
    format!("memory_order_{}", order.name())
}

/// OpenCL's names (OpenCL C 6.15.12.2), and `cluster`, which it lacks.
fn scope_argument(scope: Option<Scope>) -> String {
    let name = match scope {
        None => return String::new(),
        Some(Scope::Cta) => "work_group",
        Some(Scope::Cluster) => "cluster",
        Some(Scope::Gpu) => "device",
        Some(Scope::Sys) => "all_svm_devices",
    };
    format!(", memory_scope_{name}")
}

fn atomic(call: &AtomicCall) -> String {
    let address = expression(&call.address);
    let (name, arguments) = match &call.function {
        AtomicFunction::Load => ("load".to_string(), vec![address]),
        AtomicFunction::Store(value) => ("store".to_string(), vec![address, expression(value)]),
        AtomicFunction::Exchange(value) => ("exchange".to_string(), vec![address, expression(value)]),
        AtomicFunction::Fetch(operator, value) => {
            let name = match operator {
                BinaryOperator::Subtract => "sub",
                BinaryOperator::And => "and",
                BinaryOperator::Or => "or",
                BinaryOperator::Xor => "xor",
                _ => "add",
            };
            (format!("fetch_{name}"), vec![address, expression(value)])
        }
        AtomicFunction::FetchMin(value) => ("fetch_min".to_string(), vec![address, expression(value)]),
        AtomicFunction::FetchMax(value) => ("fetch_max".to_string(), vec![address, expression(value)]),
        AtomicFunction::CompareExchange { weak, expected, desired, .. } => {
            let name = if *weak { "compare_exchange_weak" } else { "compare_exchange_strong" };
            (name.to_string(), vec![address, format!("&{expected}"), expression(desired)])
        }
    };
    let arguments = arguments.join(", ");
    let order = match (call.order, call.scope) {
        (None, None) => return format!("atomic_{name}({arguments})"),
        (order, _) => memory_order(order.unwrap_or(MemoryOrder::SeqCst)),
    };
    let failure = match &call.function {
        AtomicFunction::CompareExchange { failure: Some(failure), .. } => format!(", {}", memory_order(*failure)),
        _ => String::new(),
    };
    format!("atomic_{name}_explicit({arguments}, {order}{failure}{})", scope_argument(call.scope))
}
