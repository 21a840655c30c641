//! Expressions to matrices.

use std::sync::Arc;

use super::{Polarity, Translator};
use crate::circuit::{Bit, Circuit};
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

/// Of how many cells a product is not written down where it only restricts another relation.
const VAST: u64 = 1 << 20;

/// An expression of which single cells are asked for.
enum CellFilter {
    Known(Arc<Matrix>),
    /// Of two sets over so many atoms.
    Product(Arc<Matrix>, Arc<Matrix>, u64),
    Either(Box<[CellFilter; 2]>),
    Both(Box<[CellFilter; 2]>),
    /// The first without the second.
    Without(Box<[CellFilter; 2]>),
}

impl CellFilter {
    fn bit(&self, tuple: u64, circuit: &mut Circuit) -> Bit {
        match self {
            Self::Known(matrix) => matrix.get(tuple),
            Self::Product(a, b, n) => circuit.and(a.get(tuple / n), b.get(tuple % n)),
            Self::Either(of) => {
                let (a, b) = (of[0].bit(tuple, circuit), of[1].bit(tuple, circuit));
                circuit.or(a, b)
            }
            Self::Both(of) => {
                let (a, b) = (of[0].bit(tuple, circuit), of[1].bit(tuple, circuit));
                circuit.and(a, b)
            }
            Self::Without(of) => {
                let (a, b) = (of[0].bit(tuple, circuit), of[1].bit(tuple, circuit));
                circuit.and(a, !b)
            }
        }
    }

    /// The bit of a cell that is there under a condition.
    fn keep(&self, tuple: u64, there: Bit, circuit: &mut Circuit) -> Bit {
        let kept = self.bit(tuple, circuit);
        circuit.and(there, kept)
    }
}

impl Translator {
    /// The value of an expression for an occurrence of a polarity.
    pub(super) fn translate_expr(
        &mut self,
        logic: &Logic,
        expr: Expr,
        polarity: Polarity,
    ) -> Arc<Matrix> {
        let facts = logic.expr_facts(expr);
        let polarity = if facts.sensitive && self.encoding.closures_by_polarity {
            polarity
        } else {
            polarity.both()
        };
        let frame = self.frame(logic, facts.free);
        if let Some(known) = self.frames[frame].exprs.get(&(expr, polarity)) {
            return known.clone();
        }
        if self.gives_up() {
            return Arc::default();
        }
        let value = self.compute_expr(logic, expr, polarity);
        // What others hold is counted where it was made.
        self.cells += if Arc::strong_count(&value) == 1 { value.cells().len() } else { 0 };
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
                let atom =
                    self.variables.iter().rev().find(|(v, _)| v == variable).map(|&(_, a)| a);
                let atom =
                    atom.unwrap_or_else(|| panic!("a variable is used outside of its quantifier"));
                Matrix::from_sorted([(u64::from(atom.0), Bit::TRUE)])
            }
            N::Recursion(recursion) => {
                let value = self
                    .recursions
                    .iter()
                    .rev()
                    .find(|(r, _)| r == recursion)
                    .map(|(_, m)| m.clone());
                return value.unwrap_or_else(|| {
                    panic!("a recursive relation is used outside of its fixpoint")
                });
            }
            N::Union(a, b) => {
                let (a, b) = (
                    self.translate_expr(logic, *a, polarity),
                    self.translate_expr(logic, *b, polarity),
                );
                a.union(&b, &mut self.circuit)
            }
            N::Intersection(a, b) if self.is_vast(logic, *b, polarity) => {
                let a = self.translate_expr(logic, *a, polarity);
                let kept = self.filter(logic, *b, polarity);
                a.each(|t, bit| kept.keep(t, bit, &mut self.circuit))
            }
            N::Intersection(a, b) if self.is_vast(logic, *a, polarity) => {
                let b = self.translate_expr(logic, *b, polarity);
                let kept = self.filter(logic, *a, polarity);
                b.each(|t, bit| kept.keep(t, bit, &mut self.circuit))
            }
            N::Difference(a, b) if self.is_vast(logic, *b, polarity.flip()) => {
                let a = self.translate_expr(logic, *a, polarity);
                let taken = self.filter(logic, *b, polarity.flip());
                a.each(|t, bit| {
                    let is_taken = taken.bit(t, &mut self.circuit);
                    self.circuit.and(bit, !is_taken)
                })
            }
            N::Intersection(a, b) => {
                let (a, b) = (
                    self.translate_expr(logic, *a, polarity),
                    self.translate_expr(logic, *b, polarity),
                );
                a.intersection(&b, &mut self.circuit)
            }
            N::Difference(a, b) => {
                let (a, b) = (
                    self.translate_expr(logic, *a, polarity),
                    self.translate_expr(logic, *b, polarity.flip()),
                );
                a.difference(&b, &mut self.circuit)
            }
            N::Join(a, b) => {
                let tail = self.power(logic.arity(*b) - 1);
                let (a, b) = (
                    self.translate_expr(logic, *a, polarity),
                    self.translate_expr(logic, *b, polarity),
                );
                a.join(&b, n, tail, &mut self.circuit)
            }
            N::Product(a, b) => {
                let tail = self.power(logic.arity(*b));
                self.power(logic.arity(expr));
                let (a, b) = (
                    self.translate_expr(logic, *a, polarity),
                    self.translate_expr(logic, *b, polarity),
                );
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
                let (s, r) = (
                    self.translate_expr(logic, *s, polarity),
                    self.translate_expr(logic, *r, polarity),
                );
                // What is not restricted needs no room of its own.
                if r.cells().iter().all(|&(t, _)| s.get(t / head) == Bit::TRUE) {
                    return r;
                }
                r.each(|t, bit| self.circuit.and(bit, s.get(t / head)))
            }
            N::RestrictRange(r, s) => {
                let (r, s) = (
                    self.translate_expr(logic, *r, polarity),
                    self.translate_expr(logic, *s, polarity),
                );
                if r.cells().iter().all(|&(t, _)| s.get(t % n) == Bit::TRUE) {
                    return r;
                }
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
                let (a, b) = (
                    self.translate_expr(logic, *a, polarity),
                    self.translate_expr(logic, *b, polarity),
                );
                let yes = a.each(|_, bit| self.circuit.and(bit, c));
                let no = b.each(|_, bit| self.circuit.and(bit, !c));
                yes.union(&no, &mut self.circuit)
            }
            N::Comprehension(declarations, body) => {
                let mut cells = Vec::new();
                self.comprehend(
                    &Comprehended { logic, body: *body, polarity },
                    declarations,
                    (0, Bit::TRUE),
                    &mut cells,
                );
                Matrix::collect(cells, &mut self.circuit)
            }
            N::Fixpoint(group, index) => {
                let frame = self.frame(logic, logic.expr_facts(expr).free);
                return self.fixpoint(logic, *group, frame, polarity)[*index].clone();
            }
        };
        Arc::new(matrix)
    }

    /// Is an expression made of a product of more cells than are written down where something else
    /// picks a few of them?
    fn is_vast(&mut self, logic: &Logic, expr: Expr, polarity: Polarity) -> bool {
        // Where no product can be that large nothing is looked at.
        if self.n * self.n <= VAST {
            return false;
        }
        match *logic.expr(expr) {
            ExprNode::Product(a, b) if logic.arity(expr) == 2 => {
                let (a, b) = (
                    self.translate_expr(logic, a, polarity),
                    self.translate_expr(logic, b, polarity),
                );
                (a.cells().len() * b.cells().len()) as u64 > VAST
            }
            ExprNode::Union(a, b) => {
                self.is_vast(logic, a, polarity) || self.is_vast(logic, b, polarity)
            }
            ExprNode::Intersection(a, b) => {
                self.is_vast(logic, a, polarity) && self.is_vast(logic, b, polarity)
            }
            ExprNode::Difference(a, _) => self.is_vast(logic, a, polarity),
            _ => false,
        }
    }

    /// An expression as a filter of cells: products in it are not written down.
    fn filter(&mut self, logic: &Logic, expr: Expr, polarity: Polarity) -> CellFilter {
        match *logic.expr(expr) {
            ExprNode::Product(a, b) if logic.arity(expr) == 2 => {
                let (a, b) = (
                    self.translate_expr(logic, a, polarity),
                    self.translate_expr(logic, b, polarity),
                );
                CellFilter::Product(a, b, self.n)
            }
            ExprNode::Union(a, b) => CellFilter::Either(Box::new([
                self.filter(logic, a, polarity),
                self.filter(logic, b, polarity),
            ])),
            ExprNode::Intersection(a, b) if self.is_vast(logic, expr, polarity) => {
                CellFilter::Both(Box::new([
                    self.filter(logic, a, polarity),
                    self.filter(logic, b, polarity),
                ]))
            }
            ExprNode::Difference(a, b) if self.is_vast(logic, a, polarity) => {
                CellFilter::Without(Box::new([
                    self.filter(logic, a, polarity),
                    self.filter(logic, b, polarity.flip()),
                ]))
            }
            _ => CellFilter::Known(self.translate_expr(logic, expr, polarity)),
        }
    }

    /// `a ++ b`: what `b` says of a first column keeps `a` out, so `b` occurs both ways.
    fn overridden(&mut self, logic: &Logic, a: Expr, b: Expr, polarity: Polarity) -> Matrix {
        let head = self.power(logic.arity(b) - 1);
        let (a, kept) = (
            self.translate_expr(logic, a, polarity),
            self.translate_expr(logic, b, polarity.flip()),
        );
        let b = self.translate_expr(logic, b, polarity);
        let domain = kept.map(&mut self.circuit, |t| t / head);
        let rest = a.each(|t, bit| self.circuit.and(bit, !domain.get(t / head)));
        rest.union(&b, &mut self.circuit)
    }

    /// The cells of a comprehension, one variable after the other. The number and the bit are those
    /// of the tuple of the variables before.
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
            self.bound(variable, Atom(atom as u32), |t| {
                t.comprehend(comprehended, rest, (prefix, so_far), cells)
            });
        }
    }
}
