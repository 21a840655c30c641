//! Threads in scoped C: herd's C with OpenCL's scopes, and the CUDA spelling of the same operations.

mod atomic;
mod expression;
mod names;
mod statement;

use std::collections::BTreeMap;

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Scope;

use super::condition;
use super::cursor::{Cursor, MAX_COUNT};
use super::head::State;
use super::table::placement;
use crate::test::{Body, CType, Expression, LocationDeclaration, Parameter, Place, Thread, ThreadId};

/// The reader of one thread.
struct Reader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    /// `cuda::atomic_ref<int, cuda::thread_scope_device> a(*x);`: the name, the pointer, the scope.
    references: BTreeMap<String, (Expression, Option<Scope>)>,
    /// Scopes of parameters whose type carries one: `cuda::atomic<int, cuda::thread_scope_block>* x`.
    scopes: BTreeMap<String, Option<Scope>>,
    /// Operators in the expression that is being read.
    operators: usize,
    /// Loops around the statement that is being read.
    loops: usize,
}

/// Reads `P0@wg 0,dev 0 (atomic_int* x) { .. }` and so on, up to the tail. Locations that only parameters name are added.
pub(super) fn threads(
    cursor: &mut Cursor<'_>,
    state: &mut State,
    errors: &mut Vec<Diagnostic>,
) -> Result<Vec<Thread>, Diagnostic> {
    let mut threads: Vec<Thread> = Vec::new();
    while !condition::starts_here(cursor) && !cursor.at_end() || threads.is_empty() {
        let start = cursor.span();
        let id = cursor
            .thread_at(0)
            .filter(|_| cursor.peek_word().is_some())
            .ok_or_else(|| cursor.expected("a thread, e.g. `P0@wg 0,dev 0 (atomic_int* x) {`"))?;
        cursor.advance();
        if id.index() != threads.len() {
            let expected = ThreadId(threads.len() as u8);
            return Err(cursor.error(
                format!("the threads must be {expected} and so on, in this order"),
                start,
                format!("expected {expected}"),
            ));
        }
        if threads.len() >= MAX_COUNT {
            return Err(cursor.error(format!("more than {MAX_COUNT} threads"), start, "too many"));
        }
        let placement = if cursor.is('@') { Some(placement(cursor)?) } else { None };
        let mut reader = Reader { cursor, references: BTreeMap::new(), scopes: BTreeMap::new(), operators: 0, loops: 0 };
        let parameters = reader.parameters()?;
        let place = Place(start.to(reader.cursor.previous()));
        for (parameter, span) in &parameters {
            if !state.declares(&parameter.name) {
                let name = parameter.name.clone();
                state.locations.push(LocationDeclaration { name, value: None, alias: None, space: None, place: Place(*span) });
            }
        }
        let statements = reader.block()?;
        let parameters = parameters.into_iter().map(|(p, _)| p).collect();
        threads.push(Thread { placement, parameters, body: Body::Statements(statements), place });
    }
    if state.locations.len() > MAX_COUNT {
        errors.push(cursor.error(format!("more than {MAX_COUNT} locations"), cursor.previous(), "too many"));
    }
    Ok(threads)
}

/// Words before a type that change nothing here.
const QUALIFIERS: [&str; 16] = [
    "global",
    "__global",
    "local",
    "__local",
    "__shared__",
    "__device__",
    "volatile",
    "const",
    "static",
    "restrict",
    "__restrict__",
    "struct",
    "unsigned",
    "signed",
    "private",
    "generic",
];

/// Types of integers.
pub(super) const INTEGERS: [&str; 22] = [
    "int",
    "long",
    "short",
    "char",
    "bool",
    "_Bool",
    "auto",
    "intptr_t",
    "uintptr_t",
    "size_t",
    "uint",
    "ulong",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "unsigned",
    "signed",
];

impl<'a> Reader<'_, 'a> {
    /// `(atomic_int* x, int* y)`
    fn parameters(&mut self) -> Result<Vec<(Parameter, Span)>, Diagnostic> {
        let mut parameters: Vec<(Parameter, Span)> = Vec::new();
        self.cursor.expect('(')?;
        if self.cursor.eat_word("void") {
            self.cursor.expect(')')?;
            return Ok(parameters);
        }
        while !self.cursor.eat(')') {
            let (ty, scope) = self.pointed_type()?;
            if !self.cursor.eat('*') && !self.cursor.eat('&') {
                return Err(self.cursor.expected("`*`: parameters are pointers to locations"));
            }
            while self.cursor.peek_word().is_some_and(|w| QUALIFIERS.contains(&w)) {
                self.cursor.advance();
            }
            let (name, span) = self.cursor.word("the name of a location")?;
            if parameters.iter().any(|(p, _)| p.name == name) {
                return Err(self.cursor.error(format!("parameter `{name}` is declared twice"), span, "the second one"));
            }
            self.scopes.insert(name.to_string(), scope);
            parameters.push((Parameter { ty, name: name.to_string() }, span));
            if !self.cursor.eat(',') && !self.cursor.is(')') {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
        Ok(parameters)
    }

    /// `int`, `atomic_int`, `_Atomic int`, `std::atomic<int>`, `cuda::atomic<int, cuda::thread_scope_block>`
    fn pointed_type(&mut self) -> Result<(CType, Option<Scope>), Diagnostic> {
        let mut atomic = false;
        let mut plain = false;
        let mut scope = None;
        loop {
            let Some(word) = self.cursor.peek_word() else {
                return if plain || atomic { Ok((kind(atomic), scope)) } else { Err(self.cursor.expected("a type")) };
            };
            if QUALIFIERS.contains(&word) {
                plain |= matches!(word, "unsigned" | "signed");
                self.cursor.advance();
            } else if word == "_Atomic" {
                atomic = true;
                self.cursor.advance();
                if self.cursor.eat('(') {
                    self.pointed_type()?;
                    self.cursor.expect(')')?;
                }
            } else if INTEGERS.contains(&word) {
                plain = true;
                self.cursor.advance();
            } else if word.starts_with("atomic_") {
                atomic = true;
                self.cursor.advance();
            } else {
                let (name, span) = self.path("a type")?;
                if name != "atomic" {
                    return Err(self.cursor.unknown("type", name, span, ["int", "atomic_int", "atomic"]));
                }
                atomic = true;
                scope = self.template_arguments()?;
            }
        }
    }

    /// `<int, cuda::thread_scope_device>`; gives the scope.
    fn template_arguments(&mut self) -> Result<Option<Scope>, Diagnostic> {
        self.cursor.expect('<')?;
        let mut scope = None;
        while !self.cursor.eat('>') {
            if self.cursor.peek_word().is_some_and(|w| INTEGERS.contains(&w) || QUALIFIERS.contains(&w)) {
                self.cursor.advance();
                continue;
            }
            if self.cursor.eat(',') {
                continue;
            }
            let (name, span) = self.path("a type or a thread scope")?;
            scope = Some(self.scope(name, span)?);
        }
        Ok(scope)
    }

    /// `cuda::std::atomic`: the last word, with the place of all.
    fn path(&mut self, what: &str) -> Result<(&'a str, Span), Diagnostic> {
        let (mut name, mut span) = self.cursor.word(what)?;
        while self.cursor.eat_all("::") {
            let (last, place) = self.cursor.word("a name")?;
            (name, span) = (last, span.to(place));
        }
        Ok((name, span))
    }
}

fn kind(atomic: bool) -> CType {
    if atomic { CType::AtomicInt } else { CType::Int }
}
