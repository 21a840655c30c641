//! What formulas are made of: the nodes below a node.

use rustc_hash::FxHashSet;

use super::{Expr, ExprNode, Formula, FormulaNode, Logic, Relation};
use crate::tuples::TupleSet;

/// A node of either kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// An expression.
    Expr(Expr),
    /// A formula.
    Formula(Formula),
}

impl Logic {
    /// The constants that occur in formulas.
    pub(crate) fn constants_of(&self, formulas: &[Formula]) -> Vec<&TupleSet> {
        let mut open: Vec<Node> = formulas.iter().map(|&f| Node::Formula(f)).collect();
        let mut seen: FxHashSet<Node> = FxHashSet::default();
        let mut constants = Vec::new();
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            if let Node::Expr(e) = node
                && let ExprNode::Constant(constant) = self.expr(e)
            {
                constants.push(self.constant_set(*constant));
            }
            self.below(node, &mut open);
        }
        constants
    }

    /// The relations that occur in a node, but for those below nodes that were visited before.
    pub(crate) fn relations_of(&self, root: Node, visited: &mut FxHashSet<Node>) -> Vec<Relation> {
        let (mut open, mut relations) = (vec![root], Vec::new());
        while let Some(node) = open.pop() {
            if !visited.insert(node) {
                continue;
            }
            if let Node::Expr(e) = node
                && let ExprNode::Relation(relation) = self.expr(e)
            {
                relations.push(*relation);
            }
            self.below(node, &mut open);
        }
        relations
    }

    /// Appends the nodes that a node is made of.
    pub(super) fn below(&self, node: Node, out: &mut Vec<Node>) {
        match node {
            Node::Expr(e) => self.below_expr(e, out),
            Node::Formula(f) => self.below_formula(f, out),
        }
    }

    fn below_expr(&self, expr: Expr, out: &mut Vec<Node>) {
        use ExprNode as N;
        match self.expr(expr) {
            N::Relation(_) | N::Constant(_) | N::Empty(_) | N::Universe | N::Identity | N::Variable(_) | N::Recursion(_) => {}
            N::Union(a, b)
            | N::Intersection(a, b)
            | N::Difference(a, b)
            | N::Join(a, b)
            | N::Product(a, b)
            | N::Override(a, b)
            | N::RestrictDomain(a, b)
            | N::RestrictRange(a, b) => out.extend([Node::Expr(*a), Node::Expr(*b)]),
            N::Transpose(a) | N::Closure(a) | N::Domain(a) | N::Range(a) | N::Diagonal(a) => out.push(Node::Expr(*a)),
            N::IfThenElse(f, a, b) => out.extend([Node::Formula(*f), Node::Expr(*a), Node::Expr(*b)]),
            N::Comprehension(declarations, body) => {
                out.extend(declarations.iter().map(|&(_, e)| Node::Expr(e)));
                out.push(Node::Formula(*body));
            }
            N::Fixpoint(group, _) => out.extend(self.group(*group).iter().map(|&(_, e)| Node::Expr(e))),
        }
    }

    fn below_formula(&self, formula: Formula, out: &mut Vec<Node>) {
        use FormulaNode as N;
        match self.formula(formula) {
            N::Truth(_) => {}
            N::Subset(a, b) | N::Equal(a, b) | N::CompareCardinality(a, _, b) => out.extend([Node::Expr(*a), Node::Expr(*b)]),
            N::Some(e) | N::One(e) | N::Lone(e) | N::Cardinality(e, ..) | N::Acyclic(e) => out.push(Node::Expr(*e)),
            N::Not(f) => out.push(Node::Formula(*f)),
            N::And(list) | N::Or(list) => out.extend(list.iter().map(|&f| Node::Formula(f))),
            N::Iff(a, b) => out.extend([Node::Formula(*a), Node::Formula(*b)]),
            N::ForAll(declarations, body) | N::Exists(declarations, body) => {
                out.extend(declarations.iter().map(|&(_, e)| Node::Expr(e)));
                out.push(Node::Formula(*body));
            }
        }
    }
}
