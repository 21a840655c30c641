//! What formulas are made of: the nodes below a node.

use rustc_hash::FxHashSet;

use super::{Expr, ExprNode, Formula, FormulaNode, Logic, Relation};
use crate::tuples::TupleSet;

/// A node of either kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum VisitedNode {
    Expr(Expr),
    Formula(Formula),
}

impl Logic {
    /// The constants that occur in formulas.
    pub(crate) fn constants_of(&self, formulas: &[Formula]) -> Vec<&TupleSet> {
        let mut open: Vec<VisitedNode> =
            formulas.iter().map(|&f| VisitedNode::Formula(f)).collect();
        let mut seen: FxHashSet<VisitedNode> = FxHashSet::default();
        let mut constants = Vec::new();
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            if let VisitedNode::Expr(e) = node
                && let ExprNode::Constant(constant) = self.expr(e)
            {
                constants.push(self.constant_set(*constant));
            }
            self.below(node, &mut open);
        }
        constants
    }

    /// The relations that occur in a node, but for those below nodes that were visited before.
    pub(crate) fn relations_of(
        &self,
        root: VisitedNode,
        visited: &mut FxHashSet<VisitedNode>,
    ) -> Vec<Relation> {
        let (mut open, mut relations) = (vec![root], Vec::new());
        while let Some(node) = open.pop() {
            if !visited.insert(node) {
                continue;
            }
            if let VisitedNode::Expr(e) = node
                && let ExprNode::Relation(relation) = self.expr(e)
            {
                relations.push(*relation);
            }
            self.below(node, &mut open);
        }
        relations
    }

    /// Appends the nodes that a node is made of.
    pub(super) fn below(&self, node: VisitedNode, out: &mut Vec<VisitedNode>) {
        match node {
            VisitedNode::Expr(e) => self.below_expr(e, out),
            VisitedNode::Formula(f) => self.below_formula(f, out),
        }
    }

    fn below_expr(&self, expr: Expr, out: &mut Vec<VisitedNode>) {
        use ExprNode as N;
        match self.expr(expr) {
            N::Relation(_)
            | N::Constant(_)
            | N::Empty(_)
            | N::Universe
            | N::Identity
            | N::Variable(_)
            | N::Recursion(_) => {}
            N::Union(a, b)
            | N::Intersection(a, b)
            | N::Difference(a, b)
            | N::Join(a, b)
            | N::Product(a, b)
            | N::Override(a, b)
            | N::RestrictDomain(a, b)
            | N::RestrictRange(a, b) => out.extend([VisitedNode::Expr(*a), VisitedNode::Expr(*b)]),
            N::Transpose(a) | N::Closure(a) | N::Domain(a) | N::Range(a) | N::Diagonal(a) => {
                out.push(VisitedNode::Expr(*a))
            }
            N::IfThenElse(f, a, b) => {
                out.extend([VisitedNode::Formula(*f), VisitedNode::Expr(*a), VisitedNode::Expr(*b)])
            }
            N::Comprehension(declarations, body) => {
                out.extend(declarations.iter().map(|&(_, e)| VisitedNode::Expr(e)));
                out.push(VisitedNode::Formula(*body));
            }
            N::Fixpoint(group, _) => {
                out.extend(self.group(*group).iter().map(|&(_, e)| VisitedNode::Expr(e)))
            }
        }
    }

    fn below_formula(&self, formula: Formula, out: &mut Vec<VisitedNode>) {
        use FormulaNode as N;
        match self.formula(formula) {
            N::Truth(_) => {}
            N::Subset(a, b) | N::Equal(a, b) | N::CompareCardinality(a, _, b) => {
                out.extend([VisitedNode::Expr(*a), VisitedNode::Expr(*b)])
            }
            N::Some(e) | N::One(e) | N::Lone(e) | N::Cardinality(e, ..) | N::Acyclic(e) => {
                out.push(VisitedNode::Expr(*e))
            }
            N::Not(f) => out.push(VisitedNode::Formula(*f)),
            N::And(list) | N::Or(list) => out.extend(list.iter().map(|&f| VisitedNode::Formula(f))),
            N::Iff(a, b) => out.extend([VisitedNode::Formula(*a), VisitedNode::Formula(*b)]),
            N::ForAll(declarations, body) | N::Exists(declarations, body) => {
                out.extend(declarations.iter().map(|&(_, e)| VisitedNode::Expr(e)));
                out.push(VisitedNode::Formula(*body));
            }
        }
    }
}
