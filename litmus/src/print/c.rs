//! Scoped C as text.

use margay_models::execution::{Placement, Scope};

use super::source::Source;
use super::{braces, initial, locations};
use crate::test::{
    AtomicCall, AtomicFunction, BinaryOperator, Body, CMemoryOrder, CParameter, CScope,
    ExpectedPlace, Expression, Statement, StatementKind, Test, ThreadId,
};

/// One line of a C thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CLine {
    /// The text, indented.
    pub text: String,
    /// The statement that the line is of, counted in order of appearance; `None` for lines with a
    /// brace only.
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
    for (t, thread) in test.threads.iter().enumerate() {
        out.push_str(&format!("\n{} {{\n", head(test, ThreadId(t as u16))));
        if let Body::Statements(statements) = &thread.body {
            for line in statement_lines(statements) {
                out.push_str(&format!("  {}\n", line.text));
            }
        }
        out.push_str("}\n");
    }
    out.push('\n');
}

/// The head of a thread: its name, where it runs, its parameters.
pub(super) fn head(test: &Test, t: ThreadId) -> String {
    let clusters = test.threads.iter().filter_map(|t| t.placement).any(|p| p.cluster != p.cta);
    let Some(thread) = test.threads.get(t.index()) else { return t.to_string() };
    let place = match thread.placement {
        Some(Placement { gpu, cluster, cta, .. }) if clusters => {
            format!("@wg {cta},cluster {cluster},dev {gpu}")
        }
        Some(Placement { gpu, cta, .. }) => format!("@wg {cta},dev {gpu}"),
        None => String::new(),
    };
    let parameter = |p: &CParameter| {
        let space = p.space.map_or(String::new(), |s| format!("{} ", s.name()));
        format!("{space}{}* {}", p.ty.name(), p.name)
    };
    let parameters: Vec<String> = thread.parameters.iter().map(parameter).collect();
    format!("{t}{place} ({})", parameters.join(", "))
}

pub fn statement_lines(statements: &[Statement]) -> Vec<CLine> {
    lines(statements, AtomicSpelling::OpenCl)
}

pub(super) fn lines(statements: &[Statement], spelling: AtomicSpelling<'_>) -> Vec<CLine> {
    let mut lines = Vec::new();
    let mut count = 0;
    spelling.block(statements, 0, &mut count, &mut lines);
    lines
}

/// How atomic operations are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum AtomicSpelling<'a> {
    /// `atomic_load_explicit(x, memory_order_acquire, memory_scope_device)`, as herd's C and OpenCL
    /// have it.
    OpenCl,
    /// `cuda::atomic_ref<int,
    /// cuda::thread_scope_device>(*x).load(cuda::std::memory_order_acquire)`; variables are
    /// declared apart.
    Cuda,
    /// As the source of a thread has them.
    Source(&'a Source<'a>),
}

impl AtomicSpelling<'_> {
    /// Are all variables declared before the statements?
    fn declares_apart(self) -> bool {
        matches!(self, Self::Cuda)
    }

    fn block(
        self,
        statements: &[Statement],
        depth: usize,
        count: &mut usize,
        lines: &mut Vec<CLine>,
    ) {
        let indented = |text: String| format!("{}{text}", "  ".repeat(depth));
        let brace = |text: &str| CLine { text: indented(text.to_string()), statement: None };
        for s in statements {
            let here = Some(*count);
            *count += 1;
            if matches!(s.kind, StatementKind::Assign { value: None, .. }) && self.declares_apart()
            {
                // All variables are declared before.
                continue;
            }
            let mut line =
                |text: String| lines.push(CLine { text: indented(text), statement: here });
            match &s.kind {
                StatementKind::Assign { .. }
                | StatementKind::Store { .. }
                | StatementKind::Update { .. }
                | StatementKind::Evaluate(_)
                | StatementKind::Fence { .. }
                | StatementKind::Break
                | StatementKind::Continue
                | StatementKind::Return => {
                    let written =
                        if let Self::Source(source) = self { source.unchanged(s) } else { None };
                    line(written.unwrap_or_else(|| format!("{};", self.simple(&s.kind))));
                }
                StatementKind::If { condition, then, otherwise } => {
                    line(format!("if ({}) {{", self.expression(condition)));
                    self.block(then, depth + 1, count, lines);
                    if !otherwise.is_empty() {
                        lines.push(brace("} else {"));
                        self.block(otherwise, depth + 1, count, lines);
                    }
                    lines.push(brace("}"));
                }
                StatementKind::While { condition, body } => {
                    line(format!("while ({}) {{", self.expression(condition)));
                    self.block(body, depth + 1, count, lines);
                    lines.push(brace("}"));
                }
                StatementKind::DoWhile { body, condition } => {
                    line("do {".to_string());
                    self.block(body, depth + 1, count, lines);
                    lines.push(brace(&format!("}} while ({});", self.expression(condition))));
                }
                StatementKind::For { before, condition, after, body } => {
                    // One `int` declares all that follow it.
                    let declares = before.first().and_then(|s| match s.kind {
                        StatementKind::Assign { declares, .. } => declares,
                        _ => None,
                    });
                    let before: Vec<String> =
                        before.iter().map(|s| self.without_int(&s.kind)).collect();
                    let after: Vec<String> = after.iter().map(|s| self.simple(&s.kind)).collect();
                    let space =
                        |text: String| if text.is_empty() { text } else { format!(" {text}") };
                    line(format!(
                        "for ({}{};{};{}) {{",
                        declares
                            .filter(|_| !self.declares_apart())
                            .map_or(String::new(), |ty| format!("{} ", ty.name())),
                        before.join(", "),
                        space(condition.as_ref().map_or(String::new(), |e| self.expression(e))),
                        space(after.join(", ")),
                    ));
                    self.block(body, depth + 1, count, lines);
                    lines.push(brace("}"));
                }
            }
        }
    }

    /// A statement that is no block, without its semicolon.
    fn simple(self, kind: &StatementKind) -> String {
        match kind {
            StatementKind::Assign { declares: Some(_), value: None, .. }
                if self.declares_apart() =>
            {
                String::new()
            }
            StatementKind::Assign { declares: Some(ty), .. } if !self.declares_apart() => {
                format!("{} {}", ty.name(), self.without_int(kind))
            }
            StatementKind::Break => "break".to_string(),
            StatementKind::Continue => "continue".to_string(),
            StatementKind::Return => "return".to_string(),
            _ => self.without_int(kind),
        }
    }

    /// An assignment, store, call or fence; a declaration without its type.
    fn without_int(self, kind: &StatementKind) -> String {
        match kind {
            StatementKind::Assign { name, value: Some(value), .. } => {
                format!("{name} = {}", self.expression(value))
            }
            StatementKind::Assign { name, value: None, .. } => name.clone(),
            StatementKind::Store { address, value } => {
                format!("*{} = {}", self.operand(address), self.expression(value))
            }
            StatementKind::Update { target, operator, value } => {
                format!(
                    "{} {}= {}",
                    self.expression(target),
                    operator.symbol(),
                    self.expression(value)
                )
            }
            StatementKind::Evaluate(e) => self.expression(e),
            StatementKind::Fence { order, scope } => match self {
                Self::OpenCl => format!(
                    "atomic_thread_fence({}{})",
                    self.memory_order(*order),
                    scope_argument(*scope)
                ),
                Self::Cuda => format!(
                    "cuda::atomic_thread_fence({}, {})",
                    self.memory_order(*order),
                    thread_scope(*scope)
                ),
                Self::Source(source) => source.fence(*order, *scope),
            },
            // Blocks and jumps are no parts of a `for` head; the reader makes none there.
            _ => String::new(),
        }
    }

    /// An expression, every operator's operands in parentheses if they have operators themselves.
    fn expression(self, e: &Expression) -> String {
        match e {
            Expression::Integer(n) => n.to_string(),
            Expression::Name(name) => name.clone(),
            Expression::Dereference(e) => match &**e {
                Expression::Binary(BinaryOperator::Subscript, a, b) => {
                    format!("{}[{}]", self.operand(a), self.expression(b))
                }
                e => format!("*{}", self.operand(e)),
            },
            Expression::Binary(BinaryOperator::Subscript, a, b) => {
                format!("&{}[{}]", self.operand(a), self.expression(b))
            }
            Expression::Unary(operator, e) => match **e {
                // `-1` would read back as a number.
                Expression::Integer(_) => format!("{}({})", operator.symbol(), self.expression(e)),
                _ => format!("{}{}", operator.symbol(), self.operand(e)),
            },
            Expression::Cast(to, e) => format!("({}){}", to.name(), self.operand(e)),
            Expression::Binary(operator, a, b) => {
                format!("{} {} {}", self.operand(a), operator.symbol(), self.operand(b))
            }
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                format!(
                    "{} ? {} : {}",
                    self.operand(condition),
                    self.operand(then),
                    self.operand(otherwise)
                )
            }
            Expression::Atomic(call) => self.atomic(call),
        }
    }

    fn operand(self, e: &Expression) -> String {
        match e {
            Expression::Name(_) | Expression::Atomic(_) => self.expression(e),
            Expression::Integer(n) if *n >= 0 => self.expression(e),
            _ => format!("({})", self.expression(e)),
        }
    }

    fn memory_order(self, order: CMemoryOrder) -> String {
        match self {
            Self::OpenCl => format!("memory_order_{}", order.name()),
            Self::Cuda => format!("cuda::std::memory_order_{}", order.name()),
            Self::Source(source) => source.order(order),
        }
    }

    /// `atomicCAS(x, 0, 1)`, with `_block` or `_system` where the scope is not that of the device.
    fn built_in(self, call: &AtomicCall) -> String {
        let name = match call.function {
            AtomicFunction::Increment(_) => "atomicInc",
            AtomicFunction::Decrement(_) => "atomicDec",
            _ => "atomicCAS",
        };
        let suffix = match CScope::of_events(call.scope) {
            Some(Scope::Cta) => "_block",
            Some(Scope::Sys) => "_system",
            _ => "",
        };
        let operands = call.function.operands().into_iter().map(|e| self.expression(e));
        let arguments: Vec<String> =
            std::iter::once(self.expression(&call.address)).chain(operands).collect();
        format!("{name}{suffix}({})", arguments.join(", "))
    }

    fn atomic(self, call: &AtomicCall) -> String {
        let (name, arguments) = match &call.function {
            AtomicFunction::Load => ("load".to_string(), Vec::new()),
            AtomicFunction::Store(value) => ("store".to_string(), vec![self.expression(value)]),
            AtomicFunction::Exchange(value) => {
                ("exchange".to_string(), vec![self.expression(value)])
            }
            AtomicFunction::Fetch(operator, value) => {
                let name = match operator {
                    BinaryOperator::Subtract => "sub",
                    BinaryOperator::And => "and",
                    BinaryOperator::Or => "or",
                    BinaryOperator::Xor => "xor",
                    _ => "add",
                };
                (format!("fetch_{name}"), vec![self.expression(value)])
            }
            AtomicFunction::FetchMin(value) => {
                ("fetch_min".to_string(), vec![self.expression(value)])
            }
            AtomicFunction::FetchMax(value) => {
                ("fetch_max".to_string(), vec![self.expression(value)])
            }
            AtomicFunction::CompareExchange { weak, expected, desired, .. } => {
                let name = if *weak { "compare_exchange_weak" } else { "compare_exchange_strong" };
                // Methods take a reference, functions a pointer.
                let is_method = match self {
                    Self::Cuda => true,
                    Self::OpenCl => call.object_first,
                    Self::Source(source) => source.has_methods(),
                };
                let expected = match (expected, is_method) {
                    (ExpectedPlace::Variable(name), true) => name.clone(),
                    (ExpectedPlace::Variable(name), false) => format!("&{name}"),
                    (ExpectedPlace::Memory(e), true) => format!("*{}", self.operand(e)),
                    (ExpectedPlace::Memory(e), false) => self.expression(e),
                };
                (name.to_string(), vec![expected, self.expression(desired)])
            }
            AtomicFunction::CompareAndSwap { .. }
            | AtomicFunction::Increment(_)
            | AtomicFunction::Decrement(_) => {
                return self.built_in(call);
            }
        };
        let failure = match &call.function {
            AtomicFunction::CompareExchange { failure: Some(failure), .. } => {
                Some(self.memory_order(*failure))
            }
            _ => None,
        };
        let order = self.memory_order(call.order.unwrap_or(CMemoryOrder::SeqCst));
        let object = match self {
            Self::Cuda => Some(format!(
                "cuda::atomic_ref<int, {}>(*{}).",
                thread_scope(call.scope),
                self.operand(&call.address)
            )),
            Self::Source(source) if source.is_built_in(call) => {
                let built_in = source.built_in(call, &name);
                let all: Vec<String> =
                    std::iter::once(self.expression(&call.address)).chain(arguments).collect();
                return format!("{built_in}({})", all.join(", "));
            }
            Self::Source(source) if source.has_methods() => {
                Some(source.object(call, &self.operand(&call.address)))
            }
            Self::OpenCl if call.object_first => Some(match call.scope {
                Some(_) => format!(
                    "cuda::atomic_ref<int, {}>(*{}).",
                    thread_scope(call.scope),
                    self.operand(&call.address)
                ),
                None => format!("({})->", self.expression(&call.address)),
            }),
            Self::OpenCl | Self::Source(_) => None,
        };
        if let Some(object) = object {
            let is_written = !(call.object_first && call.order.is_none());
            let all: Vec<String> =
                arguments.into_iter().chain(is_written.then_some(order)).chain(failure).collect();
            return format!("{object}{name}({})", all.join(", "));
        }
        let arguments: Vec<String> =
            std::iter::once(self.expression(&call.address)).chain(arguments).collect();
        let arguments = arguments.join(", ");
        if call.order.is_none() && call.scope.is_none() {
            return format!("atomic_{name}({arguments})");
        }
        let failure = failure.map_or_else(String::new, |f| format!(", {f}"));
        format!(
            "atomic_{name}_explicit({arguments}, {order}{failure}{})",
            scope_argument(call.scope)
        )
    }
}

/// OpenCL's names (OpenCL C 6.15.12.2), and `cluster`, which it lacks.
fn scope_argument(scope: Option<CScope>) -> String {
    scope.map_or_else(String::new, |scope| format!(", memory_scope_{}", opencl_scope(scope)))
}

/// OpenCL's name of a scope.
pub(super) fn opencl_scope(scope: CScope) -> &'static str {
    match scope {
        CScope::WorkItem => "work_item",
        CScope::Threads(Scope::Warp | Scope::Cta) => "work_group",
        CScope::Threads(Scope::Cluster) => "cluster",
        CScope::Threads(Scope::Gpu) => "device",
        CScope::Threads(Scope::Sys) => "all_svm_devices",
    }
}

/// libcu++'s names (cuda::thread_scope). It has none for clusters: [`super::cuda`] refuses those.
pub(super) fn thread_scope(scope: Option<CScope>) -> &'static str {
    match scope {
        Some(CScope::WorkItem) => "cuda::thread_scope_thread",
        Some(CScope::Threads(Scope::Warp | Scope::Cta)) => "cuda::thread_scope_block",
        Some(CScope::Threads(Scope::Cluster | Scope::Gpu)) => "cuda::thread_scope_device",
        Some(CScope::Threads(Scope::Sys)) | None => "cuda::thread_scope_system",
    }
}
