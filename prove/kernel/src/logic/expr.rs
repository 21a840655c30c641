//! Sets and relations as expressions over predicate symbols: what .cat expressions of both models,
//! lemmas and invariants become. There is one universe, all events of an execution; what a source
//! model calls "every event" is a set here.

use rustc_hash::FxHashMap;

use super::symbol::{Pred, TheorySymbols};

/// Larger expressions have no text: it could be longer than any memory.
const MOST_SHOWN: u64 = 1_000_000;

/// A node of [`Exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TheoryExprId(pub(crate) u32);

/// An expression. Sets and relations share the Boolean operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TheoryExpr {
    /// Nothing.
    Empty,
    /// Every event, or every pair of events.
    All,
    Symbol(Pred),
    /// `a | b`
    Union(TheoryExprId, TheoryExprId),
    /// `a & b`
    Intersection(TheoryExprId, TheoryExprId),
    /// `a \ b`
    Difference(TheoryExprId, TheoryExprId),
    /// `a; b`
    Sequence(TheoryExprId, TheoryExprId),
    /// `A * B`
    Product(TheoryExprId, TheoryExprId),
    /// `[A]`
    Diagonal(TheoryExprId),
    /// `r^-1`
    Inverse(TheoryExprId),
}

impl TheoryExpr {
    /// The same operator with other operands; a symbol or a constant is itself.
    pub fn with_parts(self, mut one: impl FnMut(TheoryExprId) -> TheoryExprId) -> Self {
        match self {
            TheoryExpr::Empty | TheoryExpr::All | TheoryExpr::Symbol(_) => self,
            TheoryExpr::Union(a, b) => TheoryExpr::Union(one(a), one(b)),
            TheoryExpr::Intersection(a, b) => TheoryExpr::Intersection(one(a), one(b)),
            TheoryExpr::Difference(a, b) => TheoryExpr::Difference(one(a), one(b)),
            TheoryExpr::Sequence(a, b) => TheoryExpr::Sequence(one(a), one(b)),
            TheoryExpr::Product(a, b) => TheoryExpr::Product(one(a), one(b)),
            TheoryExpr::Diagonal(a) => TheoryExpr::Diagonal(one(a)),
            TheoryExpr::Inverse(a) => TheoryExpr::Inverse(one(a)),
        }
    }
}

/// The arena of expressions; equal ones are one node.
#[derive(Debug, Clone, Default)]
pub struct Exprs {
    nodes: Vec<TheoryExpr>,
    /// How many operators each has, written out.
    operators: Vec<u64>,
    known: FxHashMap<TheoryExpr, TheoryExprId>,
}

impl Exprs {
    /// The node of an expression, simplified where algebra decides.
    pub fn make(&mut self, expr: TheoryExpr) -> TheoryExprId {
        let expr = match expr {
            TheoryExpr::Union(a, b) => match (self.get(a), self.get(b)) {
                (TheoryExpr::Empty, _) | (_, TheoryExpr::All) => return b,
                (_, TheoryExpr::Empty) | (TheoryExpr::All, _) => return a,
                _ if a == b => return a,
                _ => expr,
            },
            TheoryExpr::Intersection(a, b) => match (self.get(a), self.get(b)) {
                (TheoryExpr::Empty, _) | (_, TheoryExpr::All) => return a,
                (_, TheoryExpr::Empty) | (TheoryExpr::All, _) => return b,
                _ if a == b => return a,
                _ => expr,
            },
            TheoryExpr::Difference(a, b) => match (self.get(a), self.get(b)) {
                (TheoryExpr::Empty, _) | (_, TheoryExpr::Empty) => return a,
                (_, TheoryExpr::All) => TheoryExpr::Empty,
                _ if a == b => TheoryExpr::Empty,
                _ => expr,
            },
            TheoryExpr::Sequence(a, b) => match (self.get(a), self.get(b)) {
                (TheoryExpr::Empty, _) => return a,
                (_, TheoryExpr::Empty) => return b,
                (TheoryExpr::Symbol(Pred::EQUAL), _) => return b,
                (_, TheoryExpr::Symbol(Pred::EQUAL)) => return a,
                _ => {
                    // `r?; b` is `b | r; b`: sequences have names, and these stay few.
                    if let Some((diagonal, r)) = self.without_diagonal(a) {
                        let (short, long) = (self.sequence(diagonal, b), self.sequence(r, b));
                        return self.union(short, long);
                    }
                    if let Some((diagonal, r)) = self.without_diagonal(b) {
                        let (short, long) = (self.sequence(a, diagonal), self.sequence(a, r));
                        return self.union(short, long);
                    }
                    expr
                }
            },
            TheoryExpr::Product(a, b) => match (self.get(a), self.get(b)) {
                (TheoryExpr::Empty, _) | (_, TheoryExpr::Empty) => TheoryExpr::Empty,
                (TheoryExpr::All, TheoryExpr::All) => TheoryExpr::All,
                _ => expr,
            },
            TheoryExpr::Diagonal(a) => match self.get(a) {
                TheoryExpr::Empty => return a,
                TheoryExpr::All => TheoryExpr::Symbol(Pred::EQUAL),
                _ => expr,
            },
            TheoryExpr::Inverse(a) => match self.get(a) {
                TheoryExpr::Empty
                | TheoryExpr::All
                | TheoryExpr::Diagonal(_)
                | TheoryExpr::Symbol(Pred::EQUAL) => return a,
                TheoryExpr::Inverse(inner) => return inner,
                _ => expr,
            },
            TheoryExpr::Empty | TheoryExpr::All | TheoryExpr::Symbol(_) => expr,
        };
        *self.known.entry(expr).or_insert_with(|| {
            let mut operators = 1u64;
            expr.with_parts(|part| {
                operators = operators.saturating_add(self.operators[part.0 as usize]);
                part
            });
            self.nodes.push(expr);
            self.operators.push(operators);
            TheoryExprId(
                u32::try_from(self.nodes.len() - 1).expect("expressions are far fewer than 2^32"),
            )
        })
    }

    /// A union with a part of the identity as a member: that, and the rest.
    fn without_diagonal(&self, id: TheoryExprId) -> Option<(TheoryExprId, TheoryExprId)> {
        let is_diagonal = |e: TheoryExprId| {
            matches!(self.get(e), TheoryExpr::Symbol(Pred::EQUAL) | TheoryExpr::Diagonal(_))
        };
        match self.get(id) {
            TheoryExpr::Union(a, b) if is_diagonal(a) => Some((a, b)),
            TheoryExpr::Union(a, b) if is_diagonal(b) => Some((b, a)),
            _ => None,
        }
    }

    /// The expression of a node.
    pub fn get(&self, id: TheoryExprId) -> TheoryExpr {
        self.nodes[id.0 as usize]
    }

    /// How many operators, symbols and constants an expression has, written out: what stands in it
    /// twice counts twice.
    pub fn operators(&self, id: TheoryExprId) -> u64 {
        self.operators[id.0 as usize]
    }

    pub fn symbol(&mut self, pred: Pred) -> TheoryExprId {
        self.make(TheoryExpr::Symbol(pred))
    }

    /// `a | b`
    pub fn union(&mut self, a: TheoryExprId, b: TheoryExprId) -> TheoryExprId {
        self.make(TheoryExpr::Union(a, b))
    }

    /// Nothing where there are no parts.
    pub fn union_all(&mut self, parts: impl IntoIterator<Item = TheoryExprId>) -> TheoryExprId {
        let empty = self.make(TheoryExpr::Empty);
        parts.into_iter().fold(empty, |all, e| self.union(all, e))
    }

    /// `a & b`
    pub fn intersection(&mut self, a: TheoryExprId, b: TheoryExprId) -> TheoryExprId {
        self.make(TheoryExpr::Intersection(a, b))
    }

    /// `a; b`
    pub fn sequence(&mut self, a: TheoryExprId, b: TheoryExprId) -> TheoryExprId {
        self.make(TheoryExpr::Sequence(a, b))
    }

    /// `id`
    pub fn identity(&mut self) -> TheoryExprId {
        self.symbol(Pred::EQUAL)
    }

    /// The expression with one symbol in the place of another.
    pub fn renamed(&mut self, id: TheoryExprId, from: Pred, to: Pred) -> TheoryExprId {
        let expr = match self.get(id) {
            TheoryExpr::Symbol(p) if p == from => TheoryExpr::Symbol(to),
            other => other.with_parts(|e| self.renamed(e, from, to)),
        };
        self.make(expr)
    }

    /// The parts of nested sequences, left to right.
    pub fn sequence_parts(&self, id: TheoryExprId) -> Vec<TheoryExprId> {
        match self.get(id) {
            TheoryExpr::Sequence(a, b) => {
                [a, b].into_iter().flat_map(|part| self.sequence_parts(part)).collect()
            }
            _ => vec![id],
        }
    }

    /// The operands of nested unions, left to right.
    pub fn union_parts(&self, id: TheoryExprId) -> Vec<TheoryExprId> {
        match self.get(id) {
            TheoryExpr::Union(a, b) => {
                let mut parts = self.union_parts(a);
                parts.extend(self.union_parts(b));
                parts
            }
            _ => vec![id],
        }
    }

    /// The expression in the notation of .cat; of one that nobody could read how large it is.
    pub fn text(&self, symbols: &TheorySymbols, id: TheoryExprId) -> String {
        match self.operators(id) {
            0..=MOST_SHOWN => self.text_within(symbols, id, 0),
            more => format!("an expression of {more} operators"),
        }
    }

    /// The text, in parentheses if it is looser than `level`: 0 union, 1 sequence, 2 difference, 3
    /// intersection, 4 product, 5 tightest.
    fn text_within(&self, symbols: &TheorySymbols, id: TheoryExprId, level: u8) -> String {
        let sub = |e: TheoryExprId, level: u8| self.text_within(symbols, e, level);
        let (own, text) = match self.get(id) {
            TheoryExpr::Empty => (5, "0".to_owned()),
            TheoryExpr::All => (5, "_".to_owned()),
            TheoryExpr::Symbol(p) => {
                let name = symbols.name(p);
                // Names of sequences and closures are expressions themselves.
                if name.contains([' ', ';']) && level > 0 {
                    (5, format!("({name})"))
                } else {
                    (5, name.to_owned())
                }
            }
            TheoryExpr::Union(a, b) if self.get(b) == TheoryExpr::Symbol(Pred::EQUAL) => {
                (5, format!("{}?", sub(a, 5)))
            }
            TheoryExpr::Union(a, b) if self.get(a) == TheoryExpr::Symbol(Pred::EQUAL) => {
                (5, format!("{}?", sub(b, 5)))
            }
            TheoryExpr::Union(a, b) => (0, format!("{} | {}", sub(a, 0), sub(b, 0))),
            TheoryExpr::Sequence(a, b) => (1, format!("{}; {}", sub(a, 1), sub(b, 1))),
            TheoryExpr::Difference(a, b) => (2, format!("{} \\ {}", sub(a, 2), sub(b, 3))),
            TheoryExpr::Intersection(a, b) => (3, format!("{} & {}", sub(a, 3), sub(b, 3))),
            TheoryExpr::Product(a, b) => (4, format!("{} * {}", sub(a, 5), sub(b, 5))),
            TheoryExpr::Diagonal(a) => (5, format!("[{}]", sub(a, 0))),
            TheoryExpr::Inverse(a) => (5, format!("{}^-1", sub(a, 5))),
        };
        if own < level { format!("({text})") } else { text }
    }
}
