//! Sets and relations as expressions over predicate symbols: what .cat expressions of both models, lemmas and invariants become.
//! There is one universe, all events of an execution; what a source model calls "every event" is a set here.

use rustc_hash::FxHashMap;

use super::symbol::{Pred, TheorySymbols};

/// A node of [`Exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub(crate) u32);

/// An expression. Sets and relations share the Boolean operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expr {
    /// Nothing.
    Empty,
    /// Every event, or every pair of events.
    All,
    /// A symbol.
    Symbol(Pred),
    /// `a | b`
    Union(ExprId, ExprId),
    /// `a & b`
    Intersection(ExprId, ExprId),
    /// `a \ b`
    Difference(ExprId, ExprId),
    /// `a; b`
    Sequence(ExprId, ExprId),
    /// `A * B`
    Product(ExprId, ExprId),
    /// `[A]`
    Diagonal(ExprId),
    /// `r^-1`
    Inverse(ExprId),
}

impl Expr {
    /// The same operator with other operands; a symbol or a constant is itself.
    pub fn with_parts(self, mut one: impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Expr::Empty | Expr::All | Expr::Symbol(_) => self,
            Expr::Union(a, b) => Expr::Union(one(a), one(b)),
            Expr::Intersection(a, b) => Expr::Intersection(one(a), one(b)),
            Expr::Difference(a, b) => Expr::Difference(one(a), one(b)),
            Expr::Sequence(a, b) => Expr::Sequence(one(a), one(b)),
            Expr::Product(a, b) => Expr::Product(one(a), one(b)),
            Expr::Diagonal(a) => Expr::Diagonal(one(a)),
            Expr::Inverse(a) => Expr::Inverse(one(a)),
        }
    }
}

/// The arena of expressions; equal ones are one node.
#[derive(Debug, Clone, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    known: FxHashMap<Expr, ExprId>,
}

impl Exprs {
    /// The node of an expression, simplified where algebra decides.
    pub fn make(&mut self, expr: Expr) -> ExprId {
        let expr = match expr {
            Expr::Union(a, b) => match (self.get(a), self.get(b)) {
                (Expr::Empty, _) | (_, Expr::All) => return b,
                (_, Expr::Empty) | (Expr::All, _) => return a,
                _ if a == b => return a,
                _ => expr,
            },
            Expr::Intersection(a, b) => match (self.get(a), self.get(b)) {
                (Expr::Empty, _) | (_, Expr::All) => return a,
                (_, Expr::Empty) | (Expr::All, _) => return b,
                _ if a == b => return a,
                _ => expr,
            },
            Expr::Difference(a, b) => match (self.get(a), self.get(b)) {
                (Expr::Empty, _) | (_, Expr::Empty) => return a,
                (_, Expr::All) => Expr::Empty,
                _ if a == b => Expr::Empty,
                _ => expr,
            },
            Expr::Sequence(a, b) => match (self.get(a), self.get(b)) {
                (Expr::Empty, _) => return a,
                (_, Expr::Empty) => return b,
                (Expr::Symbol(Pred::EQUAL), _) => return b,
                (_, Expr::Symbol(Pred::EQUAL)) => return a,
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
            Expr::Product(a, b) => match (self.get(a), self.get(b)) {
                (Expr::Empty, _) | (_, Expr::Empty) => Expr::Empty,
                (Expr::All, Expr::All) => Expr::All,
                _ => expr,
            },
            Expr::Diagonal(a) => match self.get(a) {
                Expr::Empty => return a,
                Expr::All => Expr::Symbol(Pred::EQUAL),
                _ => expr,
            },
            Expr::Inverse(a) => match self.get(a) {
                Expr::Empty | Expr::All | Expr::Diagonal(_) | Expr::Symbol(Pred::EQUAL) => return a,
                Expr::Inverse(inner) => return inner,
                _ => expr,
            },
            Expr::Empty | Expr::All | Expr::Symbol(_) => expr,
        };
        *self.known.entry(expr).or_insert_with(|| {
            self.nodes.push(expr);
            ExprId(u32::try_from(self.nodes.len() - 1).expect("expressions are far fewer than 2^32"))
        })
    }

    /// A union with a part of the identity as a member: that, and the rest.
    fn without_diagonal(&self, id: ExprId) -> Option<(ExprId, ExprId)> {
        let is_diagonal = |e: ExprId| matches!(self.get(e), Expr::Symbol(Pred::EQUAL) | Expr::Diagonal(_));
        match self.get(id) {
            Expr::Union(a, b) if is_diagonal(a) => Some((a, b)),
            Expr::Union(a, b) if is_diagonal(b) => Some((b, a)),
            _ => None,
        }
    }

    /// The expression of a node.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.0 as usize]
    }

    /// The symbol as an expression.
    pub fn symbol(&mut self, pred: Pred) -> ExprId {
        self.make(Expr::Symbol(pred))
    }

    /// `a | b`
    pub fn union(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.make(Expr::Union(a, b))
    }

    /// The union of all.
    pub fn union_all(&mut self, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
        let empty = self.make(Expr::Empty);
        parts.into_iter().fold(empty, |all, e| self.union(all, e))
    }

    /// `a & b`
    pub fn intersection(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.make(Expr::Intersection(a, b))
    }

    /// `a; b`
    pub fn sequence(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.make(Expr::Sequence(a, b))
    }

    /// `id`
    pub fn identity(&mut self) -> ExprId {
        self.symbol(Pred::EQUAL)
    }

    /// The expression with one symbol in the place of another.
    pub fn renamed(&mut self, id: ExprId, from: Pred, to: Pred) -> ExprId {
        let expr = match self.get(id) {
            Expr::Symbol(p) if p == from => Expr::Symbol(to),
            other => other.with_parts(|e| self.renamed(e, from, to)),
        };
        self.make(expr)
    }

    /// The parts of nested sequences, left to right.
    pub fn sequence_parts(&self, id: ExprId) -> Vec<ExprId> {
        match self.get(id) {
            Expr::Sequence(a, b) => [a, b].into_iter().flat_map(|part| self.sequence_parts(part)).collect(),
            _ => vec![id],
        }
    }

    /// The operands of nested unions, left to right.
    pub fn union_parts(&self, id: ExprId) -> Vec<ExprId> {
        match self.get(id) {
            Expr::Union(a, b) => {
                let mut parts = self.union_parts(a);
                parts.extend(self.union_parts(b));
                parts
            }
            _ => vec![id],
        }
    }

    /// The expression in the notation of .cat.
    pub fn text(&self, symbols: &TheorySymbols, id: ExprId) -> String {
        self.text_within(symbols, id, 0)
    }

    /// The text, in parentheses if it is looser than `level`: 0 union, 1 sequence, 2 difference, 3 intersection, 4 product, 5 tightest.
    fn text_within(&self, symbols: &TheorySymbols, id: ExprId, level: u8) -> String {
        let sub = |e: ExprId, level: u8| self.text_within(symbols, e, level);
        let (own, text) = match self.get(id) {
            Expr::Empty => (5, "0".to_owned()),
            Expr::All => (5, "_".to_owned()),
            Expr::Symbol(p) => {
                let name = symbols.name(p);
                // Names of sequences and closures are expressions themselves.
                if name.contains([' ', ';']) && level > 0 { (5, format!("({name})")) } else { (5, name.to_owned()) }
            }
            Expr::Union(a, b) if self.get(b) == Expr::Symbol(Pred::EQUAL) => (5, format!("{}?", sub(a, 5))),
            Expr::Union(a, b) if self.get(a) == Expr::Symbol(Pred::EQUAL) => (5, format!("{}?", sub(b, 5))),
            Expr::Union(a, b) => (0, format!("{} | {}", sub(a, 0), sub(b, 0))),
            Expr::Sequence(a, b) => (1, format!("{}; {}", sub(a, 1), sub(b, 1))),
            Expr::Difference(a, b) => (2, format!("{} \\ {}", sub(a, 2), sub(b, 3))),
            Expr::Intersection(a, b) => (3, format!("{} & {}", sub(a, 3), sub(b, 3))),
            Expr::Product(a, b) => (4, format!("{} * {}", sub(a, 5), sub(b, 5))),
            Expr::Diagonal(a) => (5, format!("[{}]", sub(a, 0))),
            Expr::Inverse(a) => (5, format!("{}^-1", sub(a, 5))),
        };
        if own < level { format!("({text})") } else { text }
    }
}
