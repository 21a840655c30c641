//! The values of executions whose sets are more than a word: a table as [`super::NodeTable`] has,
//! and the operators for its rows.
//!
//! What pays off here is another matter than in a word. Most values are empty and take no room;
//! rows of a relation are often equal (the same place, the same scope), and what is made of them
//! is; closures go by components, each behind what it leads to.

use rustc_hash::FxHashMap;

use super::plan::NodeOperation;
use crate::bits::width;
use crate::execution::Execution;
use crate::model::{CheckKind, ExprId, Node};

/// The values of all nodes: for each node a row of words for each event, of a set one row, and no
/// words where there is nothing in it.
#[derive(Debug, Clone, Default)]
pub struct WideTable {
    events: usize,
    /// `[node][word]`
    values: Vec<Vec<u64>>,
}

impl WideTable {
    /// Makes room for so many nodes over so many events, all of them empty.
    pub fn resize(&mut self, nodes: usize, events: usize) {
        self.events = events;
        self.values.clear();
        self.values.resize(nodes, Vec::new());
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.events
    }

    /// The words of a node.
    pub fn rows(&self, id: ExprId) -> &[u64] {
        &self.values[id.index()]
    }

    /// Gives a node its words.
    pub fn fill(&mut self, id: ExprId, words: Vec<u64>) {
        self.values[id.index()] =
            if words.iter().all(|&word| word == 0) { Vec::new() } else { words };
    }

    /// Makes a node empty.
    pub fn clear(&mut self, id: ExprId) {
        self.values[id.index()] = Vec::new();
    }

    /// Gives a node the words of another one. Did they change?
    pub fn copy(&mut self, to: ExprId, from: ExprId) -> bool {
        let changed = self.values[to.index()] != self.values[from.index()];
        if changed {
            self.values[to.index()] = self.values[from.index()].clone();
        }
        changed
    }

    /// Fills a node that is a base set or a base relation.
    pub fn base(&mut self, operation: &NodeOperation, execution: &Execution) {
        let words = match operation.node {
            Node::Set(set) => {
                let mut words = execution.base_set(set).as_row().words().to_vec();
                words.resize(width(self.events), 0);
                words
            }
            Node::Relation(relation) => execution.base_relation(relation).into_words(),
            _ => return,
        };
        self.fill(operation.to, words);
    }

    /// Computes a node from its operands.
    pub fn apply(&mut self, operation: &NodeOperation) {
        let &NodeOperation { to, node, is_set } = operation;
        let over = RowShape { events: self.events, width: width(self.events) };
        let rows = |id: ExprId| self.rows(id);
        let words = match node {
            Node::Set(_) | Node::Relation(_) | Node::Definition(_) => return,
            Node::Empty(_) => Vec::new(),
            Node::Union(a, b) if rows(a).is_empty() => rows(b).to_vec(),
            Node::Union(a, b) if rows(b).is_empty() => rows(a).to_vec(),
            Node::Union(a, b) => combine(rows(a), rows(b), |a, b| a | b),
            Node::Intersection(a, b) => combine(rows(a), rows(b), |a, b| a & b),
            Node::Difference(a, b) if rows(b).is_empty() => rows(a).to_vec(),
            Node::Difference(a, b) => combine(rows(a), rows(b), |a, b| a & !b),
            Node::Complement(a) if rows(a).is_empty() => over.all(is_set),
            Node::Complement(a) => combine(&over.all(is_set), rows(a), |all, a| all & !a),
            Node::Sequence(a, b) => over.sequence(rows(a), rows(b)),
            Node::Product(a, b) => over.product(rows(a), rows(b)),
            Node::Diagonal(a) => over.diagonal(rows(a)),
            Node::Inverse(a) => over.inverse(rows(a)),
            Node::Closure(a) => over.closure(rows(a)),
            Node::ReflexiveClosure(a) => over.with_identity(over.closure(rows(a))),
            Node::Optional(a) => over.with_identity(rows(a).to_vec()),
            Node::Domain(a) => over.domain(rows(a)),
            Node::Range(a) => over.range(rows(a)),
        };
        self.fill(to, words);
    }

    /// Has a node the property that a check asks for?
    pub fn has(&self, kind: CheckKind, id: ExprId) -> bool {
        let over = RowShape { events: self.events, width: width(self.events) };
        let rows = self.rows(id);
        match kind {
            CheckKind::Empty => rows.is_empty(),
            CheckKind::Irreflexive => {
                rows.is_empty() || (0..self.events).all(|e| !over.has(rows, e, e))
            }
            CheckKind::Acyclic => {
                let alone = |component: &Vec<usize>| {
                    component.len() == 1 && !over.has(rows, component[0], component[0])
                };
                rows.is_empty() || over.components(rows).iter().all(alone)
            }
        }
    }
}

/// What operators do word by word; nothing where one of the two has nothing.
fn combine(a: &[u64], b: &[u64], word: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| word(a, b)).collect()
}

fn members(row: &[u64]) -> impl Iterator<Item = usize> {
    row.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let e = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                e
            })
        })
    })
}

/// The shape of rows: how many there are, and how many words each has.
#[derive(Debug, Clone, Copy)]
struct RowShape {
    events: usize,
    width: usize,
}

impl RowShape {
    fn row(self, rows: &[u64], e: usize) -> &[u64] {
        &rows[e * self.width..(e + 1) * self.width]
    }

    fn row_mut(self, rows: &mut [u64], e: usize) -> &mut [u64] {
        &mut rows[e * self.width..(e + 1) * self.width]
    }

    fn has(self, rows: &[u64], a: usize, b: usize) -> bool {
        rows[a * self.width + b / 64] >> (b % 64) & 1 == 1
    }

    fn insert(self, rows: &mut [u64], a: usize, b: usize) {
        rows[a * self.width + b / 64] |= 1 << (b % 64);
    }

    fn nothing(self) -> Vec<u64> {
        vec![0; self.events * self.width]
    }

    /// All events, or all pairs.
    fn all(self, is_set: bool) -> Vec<u64> {
        let mut row = vec![u64::MAX; self.width];
        if let Some(last) = row.last_mut()
            && !self.events.is_multiple_of(64)
        {
            *last = (1 << (self.events % 64)) - 1;
        }
        row.repeat(if is_set { 1 } else { self.events })
    }

    fn sequence(self, r: &[u64], s: &[u64]) -> Vec<u64> {
        if r.is_empty() || s.is_empty() {
            return Vec::new();
        }
        let mut out = self.nothing();
        let mut known: FxHashMap<&[u64], usize> = FxHashMap::default();
        for e in 0..self.events {
            let row = self.row(r, e);
            if row.iter().all(|&word| word == 0) {
                continue;
            }
            if let Some(&same) = known.get(row) {
                out.copy_within(same * self.width..(same + 1) * self.width, e * self.width);
                continue;
            }
            known.insert(row, e);
            let to = self.row_mut(&mut out, e);
            for via in members(row) {
                add(to, self.row(s, via));
            }
        }
        out
    }

    fn product(self, a: &[u64], b: &[u64]) -> Vec<u64> {
        if a.is_empty() || b.is_empty() {
            return Vec::new();
        }
        let mut out = self.nothing();
        members(a).for_each(|e| self.row_mut(&mut out, e).copy_from_slice(b));
        out
    }

    fn diagonal(self, a: &[u64]) -> Vec<u64> {
        if a.is_empty() {
            return Vec::new();
        }
        let mut out = self.nothing();
        members(a).for_each(|e| self.insert(&mut out, e, e));
        out
    }

    fn inverse(self, r: &[u64]) -> Vec<u64> {
        if r.is_empty() {
            return Vec::new();
        }
        let mut out = self.nothing();
        for a in 0..self.events {
            members(self.row(r, a)).for_each(|b| self.insert(&mut out, b, a));
        }
        out
    }

    fn with_identity(self, mut rows: Vec<u64>) -> Vec<u64> {
        if rows.is_empty() {
            rows = self.nothing();
        }
        (0..self.events).for_each(|e| self.insert(&mut rows, e, e));
        rows
    }

    fn domain(self, r: &[u64]) -> Vec<u64> {
        let mut set = vec![0; self.width];
        if !r.is_empty() {
            let begins = |e: &usize| self.row(r, *e).iter().any(|&word| word != 0);
            (0..self.events).filter(begins).for_each(|e| self.insert(&mut set, 0, e));
        }
        set
    }

    fn range(self, r: &[u64]) -> Vec<u64> {
        let mut set = vec![0; self.width];
        r.chunks_exact(self.width).for_each(|row| add(&mut set, row));
        set
    }

    /// The transitive closure: component by component, each behind those that it leads to.
    fn closure(self, r: &[u64]) -> Vec<u64> {
        if r.is_empty() {
            return Vec::new();
        }
        let mut out = self.nothing();
        let mut reached = vec![0; self.width];
        for component in self.components(r) {
            reached.fill(0);
            if component.len() > 1 {
                component.iter().for_each(|&e| self.insert(&mut reached, 0, e));
            }
            for &from in &component {
                for to in members(self.row(r, from)) {
                    // What is reached brought all that it leads to with it.
                    if !self.has(&reached, 0, to) {
                        self.insert(&mut reached, 0, to);
                        add(&mut reached, self.row(&out, to));
                    }
                }
            }
            component.iter().for_each(|&e| self.row_mut(&mut out, e).copy_from_slice(&reached));
        }
        out
    }

    /// The strongly connected components, each behind all that it leads to (Tarjan 1972, without
    /// recursion).
    fn components(self, r: &[u64]) -> Vec<Vec<usize>> {
        const NEW: usize = usize::MAX;
        let mut found = Vec::new();
        // When an event was come to; the earliest on the stack that it is known to lead to.
        let (mut number, mut low) = (vec![NEW; self.events], vec![NEW; self.events]);
        let (mut stack, mut on_stack) = (Vec::new(), vec![false; self.events]);
        let mut next = 0;
        for root in 0..self.events {
            // Events on the way, each with the word of its row that is looked at and what is left
            // of that.
            let mut way: Vec<(usize, usize, u64)> = Vec::new();
            if number[root] == NEW {
                way.push((root, 0, self.row(r, root)[0]));
            }
            while let Some(&mut (e, ref mut at, ref mut rest)) = way.last_mut() {
                if number[e] == NEW {
                    (number[e], low[e]) = (next, next);
                    next += 1;
                    stack.push(e);
                    on_stack[e] = true;
                }
                while *rest == 0 && *at + 1 < self.width {
                    *at += 1;
                    *rest = self.row(r, e)[*at];
                }
                if *rest != 0 {
                    let to = *at * 64 + rest.trailing_zeros() as usize;
                    *rest &= *rest - 1;
                    if number[to] == NEW {
                        way.push((to, 0, self.row(r, to)[0]));
                    } else if on_stack[to] {
                        low[e] = low[e].min(number[to]);
                    }
                    continue;
                }
                way.pop();
                if let Some(&(before, ..)) = way.last() {
                    low[before] = low[before].min(low[e]);
                }
                if low[e] == number[e] {
                    let first = stack.iter().rposition(|&other| other == e).unwrap_or_default();
                    let component = stack.split_off(first);
                    component.iter().for_each(|&member| on_stack[member] = false);
                    found.push(component);
                }
            }
        }
        found
    }
}

/// `to |= row`
fn add(to: &mut [u64], row: &[u64]) {
    to.iter_mut().zip(row).for_each(|(to, word)| *to |= word);
}
