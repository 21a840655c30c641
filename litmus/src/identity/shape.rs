//! The shape of a test: which threads read and write which locations in which order, and the
//! outcome. Tests of one shape have the same classic name (MP, SB, IRIW), whatever their fences,
//! orders, scopes, dependencies and places.

use margay_models::execution::Kind;

use super::condition::{ConditionAtom, ConditionQuestion};
use super::values::last;
use super::{Canonical, Detail, IdentityForm};
use crate::test::{NumberComparison, Test, ThreadId};
use crate::unfold::{Path, PathEvent, SymbolNode, Symbols, UnfoldError};

/// A shape, and the threads of the test in its order.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Equal for tests of one shape, in whatever language.
    pub form: IdentityForm,
    /// The threads in canonical order.
    pub threads: Vec<ThreadId>,
}

impl Shape {
    /// The shape of a test. Of a thread that branches, the path that the outcome asks for counts.
    ///
    /// # Errors
    /// If the test cannot be unfolded.
    pub fn of(test: &Test) -> Result<Self, UnfoldError> {
        let Canonical { form, threads } = Canonical::with(test, Detail::Shape)?;
        Ok(Self { form, threads })
    }
}

/// The path with the outcome: the longest one of those that may have it.
pub(super) fn path<'a>(
    paths: &'a [Path],
    symbols: &Symbols,
    question: &ConditionQuestion,
    thread: usize,
) -> Option<&'a Path> {
    let possible = paths.iter().filter(|path| may_have(path, symbols, question, thread));
    // The first of several of one length: paths are in the order of the text.
    possible.rev().max_by_key(|path| path.events.len())
}

fn of_thread(question: &ConditionQuestion, thread: usize) -> impl Iterator<Item = &ConditionAtom> {
    question
        .atoms
        .iter()
        .filter(move |a| a.thread == thread && a.comparison == NumberComparison::Equal)
}

/// Is the outcome not at odds with what the path supposes of the values read?
fn may_have(path: &Path, symbols: &Symbols, question: &ConditionQuestion, thread: usize) -> bool {
    let mut known: Vec<(u16, i64)> = Vec::new();
    for atom in of_thread(question, thread) {
        match last(path, &atom.register).map(|s| symbols.node(s)) {
            Some(SymbolNode::Read(position)) => known.push((position, atom.value)),
            Some(SymbolNode::Constant(n)) if n != atom.value => return false,
            _ => {}
        }
    }
    let read = |position: u16| known.iter().find(|(p, _)| *p == position).map(|(_, n)| *n);
    path.suppositions
        .iter()
        .all(|&(symbol, holds)| symbols.evaluate(symbol, &read).is_none_or(|n| (n != 0) == holds))
}

/// Which events count: reads and writes, but no read of a read-modify-write of which nothing is
/// asked.
pub(super) fn events(
    path: &Path,
    symbols: &Symbols,
    question: &ConditionQuestion,
    thread: usize,
) -> Vec<bool> {
    let asked = |position: usize| {
        let node = |atom: &ConditionAtom| last(path, &atom.register).map(|s| symbols.node(s));
        of_thread(question, thread)
            .any(|atom| node(atom) == Some(SymbolNode::Read(position as u16)))
    };
    let half = |position: usize| path.events.iter().any(|e| e.modifies == Some(position as u16));
    let counts = |(position, e): (usize, &PathEvent)| match e.data.kind {
        Kind::Write => true,
        Kind::Read => !half(position) || asked(position),
        _ => false,
    };
    path.events.iter().enumerate().map(counts).collect()
}
