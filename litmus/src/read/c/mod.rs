//! Threads in scoped C: herd's C with OpenCL's scopes, and the CUDA spelling of the same
//! operations.

mod atomic;
mod expression;
mod names;
mod plain;
mod refused;
mod spaces;
mod statement;
mod types;

use std::collections::BTreeMap;

use margay_models::diagnostic::{Diagnostic, Span};

use super::condition;
use super::cursor::{Cursor, MAX_COUNT};
use super::head::InitialState;
use super::table::placement;
use crate::test::{
    Body, CScope, Expression, LocationDeclaration, Place, Thread, ThreadId, element,
};
pub(super) use plain::of_atomics;
pub(super) use spaces::{Flags, check as check_spaces};

/// What may stand before the name of a thread.
const HEAD: [&str; 7] =
    ["__global__", "__device__", "__kernel", "kernel", "static", "inline", "void"];

/// The reader of one thread.
struct CReader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    /// `cuda::atomic_ref<int, cuda::thread_scope_device> a(*x);`: the name, the pointer, the scope.
    references: BTreeMap<String, (Expression, Option<CScope>)>,
    /// Scopes of parameters whose type carries one:
    /// `cuda::atomic<int, cuda::thread_scope_block>* x`.
    scopes: BTreeMap<String, Option<CScope>>,
    /// Operators in the expression that is being read.
    operators: usize,
    /// Loops around the statement that is being read.
    loops: usize,
    /// The names of locations.
    locations: Vec<String>,
    /// Local variables that are pointers.
    pointers: Vec<String>,
    /// OpenCL's fences, with the memory that they are of.
    fences: Vec<(spaces::Flags, Span)>,
    /// What is probably not meant.
    warnings: Vec<Diagnostic>,
}

/// Reads `P0@wg 0,dev 0 (atomic_int* x) { .. }` and so on, up to the tail. Locations that only
/// parameters name are added; `spaces` takes the fences that say which memory they are of.
pub(super) fn threads(
    cursor: &mut Cursor<'_>,
    state: &mut InitialState,
    spaces: &mut Vec<(Flags, Span)>,
    errors: &mut Vec<Diagnostic>,
) -> Result<Vec<Thread>, Diagnostic> {
    let (mut threads, mut fences): (Vec<Thread>, _) = (Vec::new(), Vec::new());
    while !condition::starts_here(cursor) && !cursor.at_end() || threads.is_empty() {
        let start = cursor.span();
        // A kernel as CUDA and OpenCL write it.
        while cursor.peek_word().is_some_and(|word| HEAD.contains(&word)) {
            cursor.advance();
        }
        let id = cursor
            .thread_at(0)
            .filter(|_| cursor.peek_word().is_some())
            .ok_or_else(|| cursor.expected("a thread, e.g. `P0@wg 0,dev 0 (atomic_int* x) {`"))?;
        cursor.advance();
        if id.index() != threads.len() {
            let expected = ThreadId(threads.len() as u16);
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
        let mut reader = CReader {
            cursor,
            references: BTreeMap::new(),
            scopes: BTreeMap::new(),
            operators: 0,
            loops: 0,
            locations: state.locations.iter().map(|l| array(&l.name).to_string()).collect(),
            pointers: Vec::new(),
            fences: Vec::new(),
            warnings: Vec::new(),
        };
        let parameters = reader.parameters()?;
        reader.locations.extend(parameters.iter().map(|(p, _)| p.name.clone()));
        let place = Place(start.to(reader.cursor.previous()));
        for (parameter, span) in &parameters {
            if !state.declares(&parameter.name) {
                let name = parameter.name.clone();
                state.locations.push(LocationDeclaration {
                    width: crate::test::AssemblyWidth::default(),
                    name,
                    value: None,
                    alias: None,
                    space: None,
                    mbarrier: false,
                    place: Place(*span),
                });
            }
        }
        let statements = reader.block()?;
        fences.append(&mut reader.fences);
        errors.append(&mut reader.warnings);
        let parameters = parameters.into_iter().map(|(p, _)| p).collect();
        threads.push(Thread { placement, parameters, body: Body::Statements(statements), place });
    }
    if state.locations.len() > MAX_COUNT {
        errors.push(cursor.error(
            format!("more than {MAX_COUNT} locations"),
            cursor.previous(),
            "too many",
        ));
    }
    spaces.extend(fences);
    Ok(threads)
}

/// The array that an element is of; other names are themselves.
fn array(name: &str) -> &str {
    element(name).map_or(name, |(array, _)| array)
}

impl<'a> CReader<'_, 'a> {
    fn is_location(&self, name: &str) -> bool {
        self.locations.iter().any(|l| l == name)
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
