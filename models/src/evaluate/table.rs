//! A table of values: a row of words for each node and event, and how an operation fills the rows
//! of its node.

use super::operate;
use super::plan::NodeOperation;
use crate::bits::EventWord;
use crate::model::{ExprId, Node};

/// The values of all nodes over at most [`crate::bits::WORD_EVENTS`] events: for each node a word
/// for each event. A set uses the first word of its node.
#[derive(Debug, Clone, Default)]
pub struct NodeTable {
    events: usize,
    words: Vec<u64>,
}

impl NodeTable {
    /// Makes room for so many nodes over so many events. What is there stays if there is room
    /// already.
    pub fn resize(&mut self, nodes: usize, events: usize) {
        if self.events != events || self.words.is_empty() {
            self.events = events;
            self.words.clear();
            self.words.resize(nodes * events, 0);
        }
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.events
    }

    /// The words of a node.
    pub fn rows(&self, id: ExprId) -> &[u64] {
        let start = id.index() * self.events;
        &self.words[start..start + self.events]
    }

    /// The words of a node, to change.
    pub fn rows_mut(&mut self, id: ExprId) -> &mut [u64] {
        let start = id.index() * self.events;
        &mut self.words[start..start + self.events]
    }

    /// Gives a node the words of another one. Did they change?
    pub fn copy(&mut self, to: ExprId, from: ExprId) -> bool {
        let n = self.events;
        let mut changed = false;
        for i in 0..n {
            let value = self.words[from.index() * n + i];
            changed |= std::mem::replace(&mut self.words[to.index() * n + i], value) != value;
        }
        changed
    }

    /// Computes a node from its operands. What is subtracted or complemented is taken from
    /// `subtracted`, where that is another table.
    pub fn apply(&mut self, operation: &NodeOperation, subtracted: Option<&NodeTable>) {
        if self.events == 0 {
            return;
        }
        let &NodeOperation { to, node, is_set } = operation;
        let n = self.events;
        // A set is the first word only.
        let width = if is_set { 1 } else { n };
        let (before, rest) = self.words.split_at_mut(to.index() * n);
        let (target, behind) = rest.split_at_mut(n);
        let operands = NodeOperands { before, behind, events: n };
        let target = &mut target[..width];
        let rows = |id: ExprId| operands.rows(id);
        let set = |id: ExprId| operands.rows(id)[0];
        let less =
            |id: ExprId| subtracted.map_or_else(|| operands.rows(id), |table| table.rows(id));
        match node {
            Node::Set(_) | Node::Relation(_) | Node::Definition(_) => {}
            Node::Empty(_) => target.fill(0),
            Node::Union(a, b) => combine(target, rows(a), rows(b), |a, b| a | b),
            Node::Intersection(a, b) => combine(target, rows(a), rows(b), |a, b| a & b),
            Node::Difference(a, b) => combine(target, rows(a), less(b), |a, b| a & !b),
            Node::Complement(a) => {
                let all = EventWord::first(n).0;
                let a = less(a);
                combine(target, a, a, |a, _| all & !a);
            }
            Node::Sequence(a, b) => operate::sequence(target, rows(a), rows(b)),
            Node::Product(a, b) => operate::product(target, set(a), set(b)),
            Node::Diagonal(a) => operate::diagonal(target, set(a)),
            Node::Inverse(a) => operate::inverse(target, rows(a)),
            Node::Closure(a) => operate::closure(target, rows(a)),
            Node::ReflexiveClosure(a) => {
                operate::closure(target, rows(a));
                operate::add_identity(target);
            }
            Node::Optional(a) => {
                target.copy_from_slice(rows(a));
                operate::add_identity(target);
            }
            Node::Domain(a) => target[0] = operate::domain(rows(a)),
            Node::Range(a) => target[0] = operate::range(rows(a)),
        }
    }
}

fn combine(to: &mut [u64], a: &[u64], b: &[u64], word: impl Fn(u64, u64) -> u64) {
    for (to, (&a, &b)) in to.iter_mut().zip(a.iter().zip(b)) {
        *to = word(a, b);
    }
}

/// The words of every node but one.
struct NodeOperands<'a> {
    /// Those before it.
    before: &'a [u64],
    /// Those behind it.
    behind: &'a [u64],
    /// The number of events.
    events: usize,
}

impl NodeOperands<'_> {
    fn rows(&self, id: ExprId) -> &[u64] {
        let (n, start) = (self.events, id.index() * self.events);
        if start < self.before.len() {
            &self.before[start..start + n]
        } else {
            // The node between the two is none of its own operands.
            let start = start - self.before.len() - n;
            &self.behind[start..start + n]
        }
    }
}
