//! Expressions to matrices.

use std::sync::Arc;

use super::{Polarity, Translator};
use crate::circuit::Bit;
use crate::logic::{Expr, ExprNode, Formula, Logic, QuantifiedVariable};
use crate::matrix::Matrix;
use crate::universe::Atom;

/// What is the same for all atoms of a comprehension.
#[derive(Clone, Copy)]
struct Comprehended<'a> {
    logic: &'a Logic,
    body: Formula,
    polarity: Polarity,
}

impl Translator {
    /// The value of an expression for an occurrence of a polarity.
    pub(super) fn translate_expr(&mut self, logic: &Logic, expr: Expr, polarity: Polarity) -> Arc<Matrix> {
        let facts = logic.expr_facts(expr);
        let polarity = if facts.sensitive && self.encoding.closures_by_polarity { polarity } else { polarity.both() };
        let frame = self.frame(logic, facts.free);
        if let Some(known) = self.frames[frame].exprs.get(&(expr, polarity)) {
            return known.clone();
        }
        if self.gives_up() {
            return Arc::default();
        }
        let value = self.compute_expr(logic, expr, polarity);
        // A bound relation is counted where it is made.
        self.cells += if matches!(logic.expr(expr), ExprNode::Relation(_)) { 0 } else { value.cells().len() };
        if self.outgrows(0) {
            return Arc::default();
        }
        self.frames[frame].exprs.insert((expr, polarity), value.clone());
        value
    }

    fn compute_expr(&mut self, logic: &Logic, expr: Expr, polarity: Polarity) -> Arc<Matrix> {
        use ExprNode as N;
        let n = self.n;
        let matrix = match logic.expr(expr) {
            N::Relation(relation) => {
                self.bounds.of(logic, *relation);
                return self.relation(*relation);
            }
            N::Constant(constant) => {
                let tuples = logic.constant_set(*constant);
                Matrix::from_sorted(tuples.iter().map(|t| (self.tuple_index(t), Bit::TRUE)))
            }
            N::Empty(_) => Matrix::new(),
            N::Universe => Matrix::from_sorted((0..n).map(|a| (a, Bit::TRUE))),
            N::Identity => Matrix::from_sorted((0..n).map(|a| (a * n + a, Bit::TRUE))),
            N::Variable(variable) => {
                let atom = self.variables.iter().rev().find(|(v, _)| v == variable).map(|&(_, a)| a);
                let atom = atom.unwrap_or_else(|| panic!("a variable is used outside of its quantifier"));
                Matrix::from_sorted([(u64::from(atom.0), Bit::TRUE)])
            }
            N::Recursion(recursion) => {
                let value = self.recursions.iter().rev().find(|(r, _)| r == recursion).map(|(_, m)| m.clone());
                return value.unwrap_or_else(|| panic!("a recursive relation is used outside of its fixpoint"));
            }
            N::Union(a, b) => {
                let (a, b) = (self.translate_expr(logic, *a, polarity), self.translate_expr(logic, *b, polarity));
                a.union(&b, &mut self.circuit)
            }
            N::Intersection(a, b) => {
                let (a, b) = (self.translate_expr(logic, *a, polarity), self.translate_expr(logic, *b, polarity));
                a.intersection(&b, &mut self.circuit)
            }
            N::Difference(a, b) => {
                let (a, b) = (self.translate_expr(logic, *a, polarity), self.translate_expr(logic, *b, polarity.flip()));
                a.difference(&b, &mut self.circuit)
            }
            N::Join(a, b) => {
                let tail = self.power(logic.arity(*b) - 1);
                let (a, b) = (self.translate_expr(logic, *a, polarity), self.translate_expr(logic, *b, polarity));
                a.join(&b, n, tail, &mut self.circuit)
            }
            N::Product(a, b) => {
                let tail = self.power(logic.arity(*b));
                self.power(logic.arity(expr));
                let (a, b) = (self.translate_expr(logic, *a, polarity), self.translate_expr(logic, *b, polarity));
                if self.outgrows(a.cells().len() * b.cells().len()) {
                    return Arc::default();
                }
                a.product(&b, tail, &mut self.circuit)
            }
            N::Transpose(a) => {
                let a = self.translate_expr(logic, *a, polarity);
                a.map(&mut self.circuit, |t| t % n * n + t / n)
            }
            N::Closure(a) => return self.closure(logic, *a, polarity),
            N::Override(a, b) => self.overridden(logic, *a, *b, polarity),
            N::RestrictDomain(s, r) => {
                let head = self.power(logic.arity(*r) - 1);
                let (s, r) = (self.translate_expr(logic, *s, polarity), self.translate_expr(logic, *r, polarity));
                r.each(|t, bit| self.circuit.and(bit, s.get(t / head)))
            }
            N::RestrictRange(r, s) => {
                let (r, s) = (self.translate_expr(logic, *r, polarity), self.translate_expr(logic, *s, polarity));
                r.each(|t, bit| self.circuit.and(bit, s.get(t % n)))
            }
            N::Domain(r) => {
                let head = self.power(logic.arity(*r) - 1);
                let r = self.translate_expr(logic, *r, polarity);
                r.map(&mut self.circuit, |t| t / head)
            }
            N::Range(r) => {
                let r = self.translate_expr(logic, *r, polarity);
                r.map(&mut self.circuit, |t| t % n)
            }
            N::Diagonal(s) => {
                let s = self.translate_expr(logic, *s, polarity);
                s.map(&mut self.circuit, |t| t * n + t)
            }
            N::IfThenElse(f, a, b) => {
                let c = self.translate_formula(logic, *f, polarity.both());
                let (a, b) = (self.translate_expr(logic, *a, polarity), self.translate_expr(logic, *b, polarity));
                let yes = a.each(|_, bit| self.circuit.and(bit, c));
                let no = b.each(|_, bit| self.circuit.and(bit, !c));
                yes.union(&no, &mut self.circuit)
            }
            N::Comprehension(declarations, body) => {
                let mut cells = Vec::new();
                self.comprehend(&Comprehended { logic, body: *body, polarity }, declarations, (0, Bit::TRUE), &mut cells);
                Matrix::collect(cells, &mut self.circuit)
            }
            N::Fixpoint(group, index) => {
                let frame = self.frame(logic, logic.expr_facts(expr).free);
                return self.fixpoint(logic, *group, frame, polarity)[*index].clone();
            }
        };
        Arc::new(matrix)
    }

    /// `a ++ b`: what `b` says of a first column keeps `a` out, so `b` occurs both ways.
    fn overridden(&mut self, logic: &Logic, a: Expr, b: Expr, polarity: Polarity) -> Matrix {
        let head = self.power(logic.arity(b) - 1);
        let (a, kept) = (self.translate_expr(logic, a, polarity), self.translate_expr(logic, b, polarity.flip()));
        let b = self.translate_expr(logic, b, polarity);
        let domain = kept.map(&mut self.circuit, |t| t / head);
        let rest = a.each(|t, bit| self.circuit.and(bit, !domain.get(t / head)));
        rest.union(&b, &mut self.circuit)
    }

    /// The cells of a comprehension, one variable after the other. The number and the bit are those of the tuple of the variables before.
    fn comprehend(
        &mut self,
        comprehended: &Comprehended<'_>,
        declarations: &[(QuantifiedVariable, Expr)],
        (prefix, so_far): (u64, Bit),
        cells: &mut Vec<(u64, Bit)>,
    ) {
        let &Comprehended { logic, body, polarity } = comprehended;
        let Some((&(variable, domain), rest)) = declarations.split_first() else {
            let bit = self.translate_formula(logic, body, polarity);
            let bit = self.circuit.and(so_far, bit);
            cells.push((prefix, bit));
            return;
        };
        let domain = self.translate_expr(logic, domain, polarity);
        for &(atom, member) in domain.cells() {
            let so_far = self.circuit.and(so_far, member);
            let prefix = prefix * self.n + atom;
            self.bound(variable, Atom(atom as u32), |t| t.comprehend(comprehended, rest, (prefix, so_far), cells));
        }
    }
}
