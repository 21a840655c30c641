//! The nodes of the logic, each with the notation that it stands for.

use super::{Constant, Expr, FixpointGroup, Formula, QuantifiedVariable, Recursion, Relation};

/// An expression: a relation of some arity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExprNode {
    /// A declared relation.
    Relation(Relation),
    /// A constant set of tuples.
    #[allow(private_interfaces)]
    Constant(Constant),
    /// `none`, of some arity.
    Empty(usize),
    /// `univ`: every atom.
    Universe,
    /// `iden`: every atom with itself.
    Identity,
    /// The atom that a variable stands for.
    Variable(QuantifiedVariable),
    /// The current value of a relation under definition.
    Recursion(Recursion),
    /// `a + b`
    Union(Expr, Expr),
    /// `a & b`
    Intersection(Expr, Expr),
    /// `a - b`
    Difference(Expr, Expr),
    /// `a . b`: relational join over the last column of `a` and the first of `b`.
    Join(Expr, Expr),
    /// `a -> b`
    Product(Expr, Expr),
    /// `~a`
    Transpose(Expr),
    /// `^a`
    Closure(Expr),
    /// `a ++ b`: `b`, and what `a` has for first columns that `b` has not.
    Override(Expr, Expr),
    /// `s <: r`: the tuples of `r` that begin in `s`.
    RestrictDomain(Expr, Expr),
    /// `r :> s`: the tuples of `r` that end in `s`.
    RestrictRange(Expr, Expr),
    /// The first columns.
    Domain(Expr),
    /// The last columns.
    Range(Expr),
    /// `iden & (s -> s)`
    Diagonal(Expr),
    /// `f => a else b`
    IfThenElse(Formula, Expr, Expr),
    /// `{ v1: e1, v2: e2, ... | f }`
    Comprehension(Vec<(QuantifiedVariable, Expr)>, Formula),
    /// One of the least relations that a group of definitions has in common.
    #[allow(private_interfaces)]
    Fixpoint(FixpointGroup, usize),
}

/// How a cardinality is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CardinalityComparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

impl CardinalityComparison {
    /// Does `a` compare so with `b`?
    pub fn holds(self, a: usize, b: usize) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Equal => a == b,
            Self::AtLeast => a >= b,
            Self::Greater => a > b,
        }
    }
}

/// The outermost connective of a formula, with the handles of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FormulaNode {
    /// A constant.
    Truth(bool),
    /// `a in b`
    Subset(Expr, Expr),
    /// `a = b`
    Equal(Expr, Expr),
    /// `some e`
    Some(Expr),
    /// `one e`
    One(Expr),
    /// `lone e`
    Lone(Expr),
    /// `no (iden & ^r)`
    Acyclic(Expr),
    /// `#a` compared with a number.
    Cardinality(Expr, CardinalityComparison, usize),
    /// `#a` compared with `#b`.
    CompareCardinality(Expr, CardinalityComparison, Expr),
    /// `not f`
    Not(Formula),
    /// All of them (at least two).
    And(Vec<Formula>),
    /// Any of them (at least two).
    Or(Vec<Formula>),
    /// `f <=> g`
    Iff(Formula, Formula),
    /// `all v1: e1, ... | f`
    ForAll(Vec<(QuantifiedVariable, Expr)>, Formula),
    /// `some v1: e1, ... | f`
    Exists(Vec<(QuantifiedVariable, Expr)>, Formula),
}
