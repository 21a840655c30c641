//! Least fixpoints of mutually recursive definitions: the check that they are monotone, and what they depend on.

use std::fmt;

use rustc_hash::FxHashSet;

use super::{Expr, ExprNode, Formula, FormulaNode, Group, Logic, Recursion};

/// A recursive definition uses itself where a larger value could make it smaller, so it may have no least solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotMonotone {
    /// The definition.
    pub definition: Recursion,
    /// The relation under definition that occurs negatively in its body.
    pub occurs: Recursion,
}

impl fmt::Display for NotMonotone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a recursive definition is not monotone")
    }
}

impl std::error::Error for NotMonotone {}

impl Logic {
    /// The least relations for which each one equals its body.
    ///
    /// # Errors
    /// [`NotMonotone`] if one of them occurs in a body under an odd number of complements.
    ///
    /// # Panics
    /// If a body has another arity than its relation.
    pub fn fixpoint(&mut self, definitions: &[(Recursion, Expr)]) -> Result<Vec<Expr>, NotMonotone> {
        for &(recursion, body) in definitions {
            let (wanted, found) = (self.recursion_arity(recursion), self.arity(body));
            assert_eq!(wanted, found, "a recursive relation of arity {wanted} with a body of arity {found}");
            let mut seen = FxHashSet::default();
            if let Some(occurs) = self.negative_occurrence(body, true, definitions, &mut seen) {
                return Err(NotMonotone { definition: recursion, occurs });
            }
        }
        let group = Group(self.groups.len() as u32);
        self.groups.push(definitions.to_vec());
        Ok((0..definitions.len())
            .map(|i| {
                let arity = self.recursion_arity(definitions[i].0);
                self.intern(ExprNode::Fixpoint(group, i), arity)
            })
            .collect())
    }

    /// A relation of the group that occurs negatively (for `positive` occurrences of the expression itself).
    fn negative_occurrence(
        &self,
        expr: Expr,
        positive: bool,
        group: &[(Recursion, Expr)],
        seen: &mut FxHashSet<(Expr, bool)>,
    ) -> Option<Recursion> {
        use ExprNode as N;
        if !self.expr_facts(expr).open || !seen.insert((expr, positive)) {
            return None;
        }
        let mut go = |e: &Expr, positive: bool| self.negative_occurrence(*e, positive, group, seen);
        match self.expr(expr) {
            N::Recursion(r) => (!positive && group.iter().any(|(x, _)| x == r)).then_some(*r),
            N::Relation(_) | N::Constant(_) | N::Empty(_) | N::Universe | N::Identity | N::Variable(_) => None,
            N::Union(a, b)
            | N::Intersection(a, b)
            | N::Join(a, b)
            | N::Product(a, b)
            | N::RestrictDomain(a, b)
            | N::RestrictRange(a, b) => go(a, positive).or_else(|| go(b, positive)),
            N::Transpose(a) | N::Closure(a) | N::Domain(a) | N::Range(a) | N::Diagonal(a) => go(a, positive),
            N::Difference(a, b) => go(a, positive).or_else(|| go(b, !positive)),
            N::Override(a, b) => go(a, positive).or_else(|| go(b, positive)).or_else(|| go(b, !positive)),
            N::IfThenElse(f, a, b) => {
                let (f, a, b) = (*f, *a, *b);
                go(&a, positive).or_else(|| go(&b, positive)).or_else(|| self.recursion_in_formula(f, group))
            }
            N::Comprehension(declarations, body) => {
                let body = *body;
                let domains: Vec<Expr> = declarations.iter().map(|&(_, e)| e).collect();
                domains.iter().find_map(|e| go(e, positive)).or_else(|| self.recursion_in_formula(body, group))
            }
            N::Fixpoint(inner, _) => {
                let bodies: Vec<Expr> = self.group(*inner).iter().map(|&(_, e)| e).collect();
                bodies.iter().find_map(|e| go(e, positive))
            }
        }
    }

    /// A relation of the group anywhere in a formula: inside of formulas recursion is not supported, whatever the polarity.
    fn recursion_in_formula(&self, formula: Formula, group: &[(Recursion, Expr)]) -> Option<Recursion> {
        let mut found = None;
        self.visit_formula(formula, &mut FxHashSet::default(), &mut |node| {
            if let ExprNode::Recursion(r) = node
                && group.iter().any(|(x, _)| x == r)
            {
                found = Some(*r);
            }
        });
        found
    }

    /// Does an expression depend on a variable, or on a recursion that the group does not define?
    pub(super) fn depends_outside(&self, expr: Expr, group: Group) -> bool {
        let mut outside = false;
        self.visit_expr(expr, &mut FxHashSet::default(), &mut |node| match node {
            ExprNode::Variable(_) => outside = true,
            ExprNode::Recursion(r) => {
                let bound = |g: Group| self.group(g).iter().any(|(x, _)| x == r);
                // Groups that are nested in this one bind their own.
                outside |= !(0..=group.0).any(|g| bound(Group(g)));
            }
            _ => {}
        });
        outside
    }

    fn visit_expr(&self, expr: Expr, seen: &mut FxHashSet<Expr>, visit: &mut dyn FnMut(&ExprNode)) {
        use ExprNode as N;
        if !self.expr_facts(expr).open || !seen.insert(expr) {
            return;
        }
        let node = self.expr(expr);
        visit(node);
        match node {
            N::Relation(_) | N::Constant(_) | N::Empty(_) | N::Universe | N::Identity | N::Variable(_) | N::Recursion(_) => {}
            N::Union(a, b)
            | N::Intersection(a, b)
            | N::Difference(a, b)
            | N::Join(a, b)
            | N::Product(a, b)
            | N::Override(a, b)
            | N::RestrictDomain(a, b)
            | N::RestrictRange(a, b) => {
                self.visit_expr(*a, seen, visit);
                self.visit_expr(*b, seen, visit);
            }
            N::Transpose(a) | N::Closure(a) | N::Domain(a) | N::Range(a) | N::Diagonal(a) => self.visit_expr(*a, seen, visit),
            N::IfThenElse(f, a, b) => {
                self.visit_formula(*f, seen, visit);
                self.visit_expr(*a, seen, visit);
                self.visit_expr(*b, seen, visit);
            }
            N::Comprehension(declarations, body) => {
                for (_, e) in declarations {
                    self.visit_expr(*e, seen, visit);
                }
                self.visit_formula(*body, seen, visit);
            }
            N::Fixpoint(group, _) => {
                for (_, e) in self.group(*group) {
                    self.visit_expr(*e, seen, visit);
                }
            }
        }
    }

    fn visit_formula(&self, formula: Formula, seen: &mut FxHashSet<Expr>, visit: &mut dyn FnMut(&ExprNode)) {
        use FormulaNode as N;
        match self.formula(formula) {
            N::Truth(_) => {}
            N::Subset(a, b) | N::Equal(a, b) | N::CompareCardinality(a, _, b) => {
                self.visit_expr(*a, seen, visit);
                self.visit_expr(*b, seen, visit);
            }
            N::Some(e) | N::One(e) | N::Lone(e) | N::Cardinality(e, ..) | N::Acyclic(e) => self.visit_expr(*e, seen, visit),
            N::Not(f) => self.visit_formula(*f, seen, visit),
            N::And(list) | N::Or(list) => {
                for f in list {
                    self.visit_formula(*f, seen, visit);
                }
            }
            N::Iff(a, b) => {
                self.visit_formula(*a, seen, visit);
                self.visit_formula(*b, seen, visit);
            }
            N::ForAll(declarations, body) | N::Exists(declarations, body) => {
                for (_, e) in declarations {
                    self.visit_expr(*e, seen, visit);
                }
                self.visit_formula(*body, seen, visit);
            }
        }
    }
}
