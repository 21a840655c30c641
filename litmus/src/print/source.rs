//! A changed test in the words of its source: C, C++ or CUDA. What did not change is shown as it
//! stands there.

use std::collections::BTreeMap;
use std::ops::Range;

use margay_models::diagnostic::SourceFile;
use margay_models::execution::Scope;

use super::c::{AtomicSpelling, head, lines, opencl_scope, thread_scope};
use super::language::{BUILT_IN, CLanguage, language};
use super::tail;
use crate::read;
use crate::test::{
    AtomicCall, AtomicFunction, BinaryOperator, Body, CMemoryOrder, CParameter, CScope, Dialect,
    Expression, Statement, StatementKind, Test, ThreadId,
};

/// A scope as programs of a language name it.
pub fn scope_word(language: CLanguage, scope: Scope) -> &'static str {
    match (language, scope) {
        (CLanguage::Cuda, Scope::Warp | Scope::Cta) => "block",
        (CLanguage::Cuda, Scope::Gpu) => "device",
        (CLanguage::Cuda, Scope::Sys) => "system",
        _ => opencl_scope(CScope::Threads(scope)),
    }
}

/// The text of a test, by which others that differ from it in some operations can be written.
#[derive(Debug)]
pub struct SourceText<'a> {
    test: &'a Test,
    text: &'a str,
    language: CLanguage,
    /// What stands before the name of a memory order: `cuda::std::memory_order_`.
    orders: String,
    /// The statements of the test that are no blocks, by where they stand.
    statements: BTreeMap<(usize, usize), &'a StatementKind>,
}

impl<'a> SourceText<'a> {
    /// Of a test that was read from the text.
    pub fn new(test: &'a Test, text: &'a str) -> Self {
        let language = if test.dialect == Dialect::C { language(text) } else { CLanguage::C };
        let mut all: Vec<&Statement> = Vec::new();
        for thread in &test.threads {
            if let Body::Statements(body) = &thread.body {
                collect(body, &mut all);
            }
        }
        // Declarations of several variables at once have one place.
        let alone =
            |s: &Statement| all.iter().filter(|o| o.place.0.start == s.place.0.start).count() == 1;
        let place = |s: &Statement| (s.place.0.start, s.place.0.end);
        let statements = all.iter().filter(|s| alone(s)).map(|s| (place(s), &s.kind)).collect();
        Self { test, text, language, orders: orders(text, language), statements }
    }

    pub fn language(&self) -> CLanguage {
        self.language
    }

    pub fn thread_lines(&self, test: &Test, thread: ThreadId) -> Vec<String> {
        match test.threads.get(thread.index()).map(|t| &t.body) {
            Some(Body::Statements(statements)) => {
                let source = Source::new(self, test, thread);
                lines(statements, AtomicSpelling::Source(&source))
                    .into_iter()
                    .map(|l| l.text)
                    .collect()
            }
            _ => test.thread_lines(thread),
        }
    }

    /// The head of a thread in C: its name, where it runs, its parameters.
    pub fn head(&self, test: &Test, thread: ThreadId) -> Option<String> {
        let (before, now) =
            (self.test.threads.get(thread.index())?, test.threads.get(thread.index())?);
        if !matches!(now.body, Body::Statements(_)) {
            return None;
        }
        let span = before.place.0;
        let written = self
            .text
            .get(span.start..span.end)
            .filter(|t| before.parameters == now.parameters && !t.is_empty());
        let Some(written) = written else { return Some(head(test, thread)) };
        let mut out = written.to_owned();
        // The scope in a type is that of all operations on the object.
        for (name, range) in type_scopes(written, &now.parameters).into_iter().rev() {
            let scope = test.threads.iter().find_map(|t| scope_of_calls(&t.body, name));
            if let Some(scope) =
                scope.map(|s| thread_scope(s).trim_start_matches("cuda::thread_scope_"))
                && self.language == CLanguage::Cuda
            {
                out.replace_range(range, scope);
            }
        }
        Some(words(&out))
    }

    /// The whole test. In a form that every test can be written in, if it does not read back as
    /// what it is.
    pub fn test(&self, test: &Test) -> String {
        let plain = test.to_string();
        if test.dialect != Dialect::C {
            return plain;
        }
        let before = test.threads.first().and_then(|t| self.text.get(..t.place.0.start));
        let Some(before) = before.filter(|before| !before.trim().is_empty()) else { return plain };
        let mut out = format!("{}\n", before.trim_end());
        for t in 0..test.threads.len() {
            let thread = ThreadId(t as u16);
            out.push_str(&format!("\n{} {{\n", self.head(test, thread).unwrap_or_default()));
            for line in self.thread_lines(test, thread) {
                out.push_str(&format!("  {line}\n"));
            }
            out.push_str("}\n");
        }
        out.push('\n');
        tail(test, &mut out);
        match read::test(&SourceFile::new("", out.clone())) {
            Ok(read) if read.test == *test => out,
            _ => plain,
        }
    }
}

/// The statements that are no blocks.
fn collect<'a>(body: &'a [Statement], all: &mut Vec<&'a Statement>) {
    for s in body {
        match &s.kind {
            StatementKind::If { then, otherwise, .. } => {
                collect(then, all);
                collect(otherwise, all);
            }
            StatementKind::While { body, .. }
            | StatementKind::DoWhile { body, .. }
            | StatementKind::For { body, .. } => collect(body, all),
            _ => all.push(s),
        }
    }
}

/// What stands before the name of a memory order, as the text has it, or else as the language does.
fn orders(text: &str, language: CLanguage) -> String {
    const WORD: &str = "memory_order";
    let written = text.find(WORD).and_then(|at| {
        let before = text[..at]
            .trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
        let after =
            ["_", "::"].into_iter().find(|sign| text[at + WORD.len()..].starts_with(sign))?;
        Some(format!("{}{after}", &text[before.len()..at + WORD.len()]))
    });
    let of_language = match language {
        CLanguage::C => "memory_order_",
        CLanguage::Cpp => "std::memory_order_",
        CLanguage::Cuda => "cuda::memory_order_",
    };
    written.unwrap_or_else(|| of_language.to_owned())
}

/// A text in one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where in the head of a thread the scope stands that the type of a parameter names.
fn type_scopes<'a>(head: &str, parameters: &'a [CParameter]) -> Vec<(&'a str, Range<usize>)> {
    const WORD: &str = "thread_scope_";
    let (mut found, mut start) = (Vec::new(), head.find('(').unwrap_or(0));
    for parameter in parameters {
        // The type stands before the name, and behind the parameter before.
        let is_name = |at: usize| {
            let after = head[at + parameter.name.len()..].chars().next();
            head[..at].ends_with(['*', '&', ' ']) && matches!(after, Some(',' | ')' | ' '))
        };
        let mut places =
            head[start..].match_indices(parameter.name.as_str()).map(|(at, _)| start + at);
        let Some(name) = places.find(|&at| is_name(at)) else { continue };
        if let Some(at) = head[start..name].rfind(WORD) {
            let scope = start + at + WORD.len();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = head[scope..].find(|c| !word(c)).unwrap_or(0);
            found.push((parameter.name.as_str(), scope..scope + length));
        }
        start = name + parameter.name.len();
    }
    found
}

/// The scope of the first operation on what a parameter points to.
fn scope_of_calls(body: &Body, parameter: &str) -> Option<Option<CScope>> {
    let mut found = None;
    if let Body::Statements(statements) = body {
        calls(statements, &mut |call| {
            if call.address == Expression::Name(parameter.to_owned()) && found.is_none() {
                found = Some(call.scope);
            }
        });
    }
    found
}

/// Sees every call of an atomic operation.
fn calls(statements: &[Statement], see: &mut dyn FnMut(&AtomicCall)) {
    let mut open: Vec<&Expression> = Vec::new();
    for s in statements {
        match &s.kind {
            StatementKind::Assign { value, .. } => open.extend(value),
            StatementKind::Store { address, value } => open.extend([address, value]),
            StatementKind::Update { target, value, .. } => open.extend([target, value]),
            StatementKind::Evaluate(e) => open.push(e),
            StatementKind::If { condition, then, otherwise } => {
                open.push(condition);
                calls(then, see);
                calls(otherwise, see);
            }
            StatementKind::While { condition, body }
            | StatementKind::DoWhile { body, condition } => {
                open.push(condition);
                calls(body, see);
            }
            StatementKind::For { before, condition, after, body } => {
                open.extend(condition);
                [before, after, body].into_iter().for_each(|statements| calls(statements, see));
            }
            StatementKind::Fence { .. }
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return => {}
        }
        while let Some(e) = open.pop() {
            match e {
                Expression::Integer(_) | Expression::Name(_) => {}
                Expression::Dereference(e) | Expression::Unary(_, e) | Expression::Cast(_, e) => {
                    open.push(e)
                }
                Expression::Binary(_, a, b) => open.extend([&**a, &**b]),
                Expression::Conditional(parts) => open.extend(parts.iter()),
                Expression::Atomic(call) => {
                    see(call);
                    open.push(&call.address);
                    open.extend(call.function.operands());
                }
            }
        }
    }
}

/// The source of one thread.
#[derive(Debug)]
pub(super) struct Source<'a> {
    of: &'a SourceText<'a>,
    parameters: &'a [CParameter],
    /// The parameters in whose types there is a scope:
    /// `cuda::atomic<int, cuda::thread_scope_block>* x`.
    scopes: Vec<&'a str>,
}

impl<'a> Source<'a> {
    fn new(of: &'a SourceText<'a>, test: &'a Test, thread: ThreadId) -> Self {
        let parameters = test.threads.get(thread.index()).map_or(&[][..], |t| &t.parameters);
        let span = of.test.threads.get(thread.index()).map(|t| t.place.0).unwrap_or_default();
        let head = of.text.get(span.start..span.end).unwrap_or_default();
        let scopes = type_scopes(head, parameters).into_iter().map(|(name, _)| name).collect();
        Self { of, parameters, scopes }
    }

    /// A statement that is no block, as the text has it, if it did not change.
    pub fn unchanged(&self, s: &Statement) -> Option<String> {
        let (start, end) = (s.place.0.start, s.place.0.end);
        let before =
            self.of.statements.get(&(start, end)).filter(|kind| ***kind == s.kind && start < end);
        let text = self.of.text.get(start..end).filter(|_| before.is_some())?;
        let text = words(text.trim_end_matches([';', ' ']));
        (!text.contains("//") && !text.contains("/*") && !text.contains(['{', ';']))
            .then(|| format!("{text};"))
    }

    /// A memory order.
    pub fn order(&self, order: CMemoryOrder) -> String {
        format!("{}{}", self.of.orders, order.name())
    }

    pub fn fence(&self, order: CMemoryOrder, scope: Option<CScope>) -> String {
        let fence = |namespace: &str, scope: String| {
            format!("{namespace}atomic_thread_fence({}{scope})", self.order(order))
        };
        match (self.of.language, scope) {
            (CLanguage::Cpp, None) => fence("std::", String::new()),
            (CLanguage::Cuda, None) => fence("cuda::", String::new()),
            (CLanguage::Cuda, Some(scope)) => {
                let short = match scope {
                    CScope::Threads(Scope::Cta) => Some("__threadfence_block()"),
                    CScope::Threads(Scope::Gpu) => Some("__threadfence()"),
                    CScope::Threads(Scope::Sys) => Some("__threadfence_system()"),
                    _ => None,
                };
                match short.filter(|_| {
                    order == CMemoryOrder::SeqCst && !self.of.text.contains("atomic_thread_fence")
                }) {
                    Some(short) => short.to_owned(),
                    None => fence("cuda::", format!(", {}", thread_scope(Some(scope)))),
                }
            }
            (CLanguage::C | CLanguage::Cpp, scope) => fence(
                "",
                scope.map_or_else(String::new, |s| format!(", memory_scope_{}", opencl_scope(s))),
            ),
        }
    }

    /// Are atomic operations methods?
    pub fn has_methods(&self) -> bool {
        self.of.language != CLanguage::C
    }

    /// The parameter whose memory a pointer points to.
    fn parameter(&self, pointer: &Expression) -> Option<&CParameter> {
        match pointer {
            Expression::Name(name) => self.parameters.iter().find(|p| p.name == *name),
            Expression::Binary(
                BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Subscript,
                a,
                _,
            ) => self.parameter(a),
            _ => None,
        }
    }

    /// Is the operation one of CUDA's built-in functions?
    pub fn is_built_in(&self, call: &AtomicCall) -> bool {
        let scope =
            matches!(call.scope, Some(CScope::Threads(Scope::Cta | Scope::Gpu | Scope::Sys)));
        let function = !matches!(
            call.function,
            AtomicFunction::Load
                | AtomicFunction::Store(_)
                | AtomicFunction::CompareExchange { .. }
        );
        let atomic = self.parameter(&call.address).is_some_and(|p| p.ty.atomic);
        self.of.language == CLanguage::Cuda
            && call.order == Some(CMemoryOrder::Relaxed)
            && scope
            && function
            && !atomic
    }

    /// The name of a built-in function.
    pub fn built_in(&self, call: &AtomicCall, operation: &str) -> String {
        let name = BUILT_IN
            .iter()
            .find(|(known, _)| *known == operation)
            .map_or(operation, |(_, name)| name);
        let suffix = match CScope::of_events(call.scope) {
            Some(Scope::Cta) => "_block",
            Some(Scope::Sys) => "_system",
            _ => "",
        };
        format!("{name}{suffix}")
    }

    /// What a method is called on, with the point or arrow behind it.
    pub fn object(&self, call: &AtomicCall, pointer: &str) -> String {
        let parameter = self.parameter(&call.address);
        let ty = parameter.map_or("int", |p| p.ty.integer.name());
        let is_atomic = parameter.is_some_and(|p| p.ty.atomic);
        if self.of.language == CLanguage::Cpp {
            return if is_atomic {
                format!("{pointer}->")
            } else {
                format!("std::atomic_ref<{ty}>(*{pointer}).")
            };
        }
        let scope = call.scope.map(|scope| thread_scope(Some(scope)));
        let declared = parameter.is_some_and(|p| self.scopes.contains(&p.name.as_str()));
        if is_atomic && (declared || scope.is_none()) {
            return format!("{pointer}->");
        }
        let scope = scope.map_or_else(String::new, |scope| format!(", {scope}"));
        format!("cuda::atomic_ref<{ty}{scope}>(*{pointer}).")
    }
}
