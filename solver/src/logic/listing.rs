//! Formulas as text, in Alloy's notation: one line for each shared node, so that the text is as
//! long as the graph and not as its unfolding.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::visit::VisitedNode;
use super::{
    CardinalityComparison, Expr, ExprNode, FixpointGroup, Formula, FormulaNode, Logic,
    QuantifiedVariable, Recursion,
};

impl Logic {
    /// The formulas and all that they are made of, a line for each node; what a line mentions comes
    /// before it.
    ///
    /// ```
    /// let mut logic = margay_solver::Logic::new();
    /// let (rf, co) = (logic.relation("rf", 2), logic.relation("co", 2));
    /// let [rf, co] = [rf, co].map(|r| logic.rel(r));
    /// let back = logic.transpose(rf);
    /// let reads_before = logic.join(back, co);
    /// let acyclic = logic.acyclic(reads_before);
    /// assert_eq!(logic.listing(&[acyclic]), "e2 = ~rf\ne3 = e2 . co\nf0: acyclic e3\n");
    /// ```
    pub fn listing(&self, formulas: &[Formula]) -> String {
        let mut out = String::new();
        let mut done: FxHashSet<VisitedNode> = FxHashSet::default();
        let mut open: Vec<(VisitedNode, bool)> =
            formulas.iter().rev().map(|&f| (VisitedNode::Formula(f), false)).collect();
        let mut below = Vec::new();
        while let Some((node, ready)) = open.pop() {
            if done.contains(&node) {
                continue;
            }
            if !ready {
                open.push((node, true));
                below.clear();
                self.below(node, &mut below);
                open.extend(below.drain(..).rev().map(|n| (n, false)));
                continue;
            }
            done.insert(node);
            // Writing to a string does not fail.
            let _ = match node {
                VisitedNode::Formula(f) => {
                    writeln!(out, "{}: {}", self.formula_name(f), self.formula_text(f))
                }
                VisitedNode::Expr(e) if self.is_leaf(e) => Ok(()),
                VisitedNode::Expr(e) => writeln!(out, "{} = {}", self.name(e), self.expr_text(e)),
            };
        }
        out
    }

    fn is_leaf(&self, e: Expr) -> bool {
        use ExprNode as N;
        matches!(
            self.expr(e),
            N::Relation(_)
                | N::Constant(_)
                | N::Empty(_)
                | N::Universe
                | N::Identity
                | N::Variable(_)
                | N::Recursion(_)
        )
    }

    /// How other lines call an expression.
    fn name(&self, e: Expr) -> String {
        if self.is_leaf(e) { self.expr_text(e) } else { format!("e{}", e.0) }
    }

    fn formula_name(&self, f: Formula) -> String {
        format!("f{}", f.0)
    }

    /// Variables and recursions may have equal names: numbers tell them apart.
    fn variable_text(&self, v: QuantifiedVariable) -> String {
        format!("{}_{}", self.variables[v.0 as usize], v.0)
    }

    fn recursion_text(&self, r: Recursion) -> String {
        format!("{}_{}", self.recursions[r.0 as usize].0, r.0)
    }

    fn declarations_text(&self, declarations: &[(QuantifiedVariable, Expr)]) -> String {
        let all: Vec<String> = declarations
            .iter()
            .map(|&(v, domain)| format!("{}: {}", self.variable_text(v), self.name(domain)))
            .collect();
        all.join(", ")
    }

    fn group_text(&self, group: FixpointGroup) -> String {
        let all: Vec<String> = self
            .group(group)
            .iter()
            .map(|&(r, body)| format!("{} = {}", self.recursion_text(r), self.name(body)))
            .collect();
        all.join(", ")
    }

    fn expr_text(&self, e: Expr) -> String {
        use ExprNode as N;
        let name = |e: &Expr| self.name(*e);
        match self.expr(e) {
            N::Relation(r) => self.relation_name(*r).to_owned(),
            N::Constant(c) => format!("{:?}", self.constant_set(*c)),
            N::Empty(arity) => format!("none/{arity}"),
            N::Universe => "univ".to_owned(),
            N::Identity => "iden".to_owned(),
            N::Variable(v) => self.variable_text(*v),
            N::Recursion(r) => self.recursion_text(*r),
            N::Union(a, b) => format!("{} + {}", name(a), name(b)),
            N::Intersection(a, b) => format!("{} & {}", name(a), name(b)),
            N::Difference(a, b) => format!("{} - {}", name(a), name(b)),
            N::Join(a, b) => format!("{} . {}", name(a), name(b)),
            N::Product(a, b) => format!("{} -> {}", name(a), name(b)),
            N::Transpose(a) => format!("~{}", name(a)),
            N::Closure(a) => format!("^{}", name(a)),
            N::Override(a, b) => format!("{} ++ {}", name(a), name(b)),
            N::RestrictDomain(s, r) => format!("{} <: {}", name(s), name(r)),
            N::RestrictRange(r, s) => format!("{} :> {}", name(r), name(s)),
            N::Domain(a) => format!("domain {}", name(a)),
            N::Range(a) => format!("range {}", name(a)),
            N::Diagonal(a) => format!("iden & ({0} -> {0})", name(a)),
            N::IfThenElse(f, a, b) => {
                format!("{} => {} else {}", self.formula_name(*f), name(a), name(b))
            }
            N::Comprehension(declarations, body) => {
                format!(
                    "{{ {} | {} }}",
                    self.declarations_text(declarations),
                    self.formula_name(*body)
                )
            }
            N::Fixpoint(group, index) => {
                let chosen = self
                    .group(*group)
                    .get(*index)
                    .map_or(String::new(), |&(r, _)| self.recursion_text(r));
                format!("least {chosen} where {}", self.group_text(*group))
            }
        }
    }

    fn formula_text(&self, f: Formula) -> String {
        use FormulaNode as N;
        let name = |e: &Expr| self.name(*e);
        let list = |all: &[Formula], with: &str| {
            all.iter().map(|&f| self.formula_name(f)).collect::<Vec<_>>().join(with)
        };
        let sign = |comparison: &CardinalityComparison| match comparison {
            CardinalityComparison::Less => "<",
            CardinalityComparison::AtMost => "<=",
            CardinalityComparison::Equal => "=",
            CardinalityComparison::AtLeast => ">=",
            CardinalityComparison::Greater => ">",
        };
        match self.formula(f) {
            N::Truth(value) => value.to_string(),
            N::Subset(a, b) => format!("{} in {}", name(a), name(b)),
            N::Equal(a, b) => format!("{} = {}", name(a), name(b)),
            N::Some(e) => format!("some {}", name(e)),
            N::One(e) => format!("one {}", name(e)),
            N::Lone(e) => format!("lone {}", name(e)),
            N::Acyclic(e) => format!("acyclic {}", name(e)),
            N::Cardinality(e, comparison, number) => {
                format!("#{} {} {number}", name(e), sign(comparison))
            }
            N::CompareCardinality(a, comparison, b) => {
                format!("#{} {} #{}", name(a), sign(comparison), name(b))
            }
            N::Not(f) => format!("not {}", self.formula_name(*f)),
            N::And(all) => list(all, " and "),
            N::Or(all) => list(all, " or "),
            N::Iff(a, b) => format!("{} <=> {}", self.formula_name(*a), self.formula_name(*b)),
            N::ForAll(declarations, body) => {
                format!(
                    "all {} | {}",
                    self.declarations_text(declarations),
                    self.formula_name(*body)
                )
            }
            N::Exists(declarations, body) => {
                format!(
                    "some {} | {}",
                    self.declarations_text(declarations),
                    self.formula_name(*body)
                )
            }
        }
    }
}
