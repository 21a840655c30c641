//! Formulas to bits.

use super::{Polarity, Translator};
use crate::circuit::{Bit, Circuit};
use crate::logic::{Expr, Formula, FormulaNode, Logic, QuantifiedVariable};
use crate::universe::Atom;

/// What is the same for all atoms of a quantified formula.
#[derive(Clone, Copy)]
struct Quantified<'a> {
    logic: &'a Logic,
    body: Formula,
    domains: Polarity,
    /// Of the body.
    polarity: Polarity,
    /// What an instance is, of whether an atom is outside of its domain, and of the body.
    combine: &'a dyn Fn(&mut Circuit, Bit, Bit) -> Bit,
}

impl Translator {
    /// The value of a formula for an occurrence of a polarity.
    pub(super) fn translate_formula(
        &mut self,
        logic: &Logic,
        formula: Formula,
        polarity: Polarity,
    ) -> Bit {
        let facts = logic.formula_facts(formula);
        let polarity = if facts.sensitive { polarity } else { polarity.both() };
        let frame = self.frame(logic, facts.free);
        if let Some(&known) = self.frames[frame].formulas.get(&(formula, polarity)) {
            return known;
        }
        if self.gives_up() {
            return Bit::FALSE;
        }
        let value = self.compute_formula(logic, formula, polarity);
        self.frames[frame].formulas.insert((formula, polarity), value);
        value
    }

    fn compute_formula(&mut self, logic: &Logic, formula: Formula, polarity: Polarity) -> Bit {
        use FormulaNode as N;
        match logic.formula(formula) {
            N::Truth(value) => Bit::from(*value),
            N::Subset(a, b) => self.subset(logic, *a, *b, polarity),
            N::Equal(a, b) => {
                let there = self.subset(logic, *a, *b, polarity);
                let back = self.subset(logic, *b, *a, polarity);
                self.circuit.and(there, back)
            }
            N::Some(e) => {
                let e = self.translate_expr(logic, *e, polarity);
                e.some(&mut self.circuit)
            }
            N::One(e) => {
                let some = self.translate_expr(logic, *e, polarity).some(&mut self.circuit);
                let lone = self.lone(logic, *e, polarity);
                self.circuit.and(some, lone)
            }
            N::Lone(e) => self.lone(logic, *e, polarity),
            N::Acyclic(r) => self.acyclic(logic, *r, polarity),
            N::Cardinality(e, comparison, number) => {
                self.cardinality(logic, *e, *comparison, *number, polarity)
            }
            N::CompareCardinality(a, comparison, b) => {
                self.compare_cardinality(logic, *a, *comparison, *b, polarity)
            }
            N::Not(f) => !self.translate_formula(logic, *f, polarity.flip()),
            N::And(list) => {
                let bits: Vec<Bit> =
                    list.iter().map(|&f| self.translate_formula(logic, f, polarity)).collect();
                self.circuit.and_all(bits)
            }
            N::Or(list) => {
                let bits: Vec<Bit> =
                    list.iter().map(|&f| self.translate_formula(logic, f, polarity)).collect();
                self.circuit.or_all(bits)
            }
            N::Iff(a, b) => {
                let a = self.translate_formula(logic, *a, polarity.both());
                let b = self.translate_formula(logic, *b, polarity.both());
                self.circuit.iff(a, b)
            }
            N::ForAll(declarations, body) => {
                let combine = &|c: &mut Circuit, outside, body| c.or(outside, body);
                let quantified =
                    Quantified { logic, body: *body, domains: polarity.flip(), polarity, combine };
                let mut bits = Vec::new();
                self.quantify(&quantified, declarations, Bit::FALSE, &mut bits);
                self.circuit.and_all(bits)
            }
            N::Exists(declarations, body) => {
                let combine = &|c: &mut Circuit, outside: Bit, body| c.and(!outside, body);
                let quantified =
                    Quantified { logic, body: *body, domains: polarity, polarity, combine };
                let mut bits = Vec::new();
                self.quantify(&quantified, declarations, Bit::FALSE, &mut bits);
                self.circuit.or_all(bits)
            }
        }
    }

    fn subset(&mut self, logic: &Logic, a: Expr, b: Expr, polarity: Polarity) -> Bit {
        let a = self.translate_expr(logic, a, polarity.flip());
        let b = self.translate_expr(logic, b, polarity);
        let bits: Vec<Bit> =
            a.cells().iter().map(|&(t, x)| self.circuit.or(!x, b.get(t))).collect();
        self.circuit.and_all(bits)
    }

    /// At most one: no two at once, pair by pair for few cells, by a counter for many.
    fn lone(&mut self, logic: &Logic, e: Expr, polarity: Polarity) -> Bit {
        const FEW: usize = 6;
        let e = self.translate_expr(logic, e, polarity.flip());
        let cells: Vec<Bit> = e.cells().iter().map(|&(_, b)| b).collect();
        if cells.len() > FEW {
            let counter = self.count(&cells, 2);
            return !counter[1];
        }
        let mut bits = Vec::new();
        for (i, &a) in cells.iter().enumerate() {
            for &b in &cells[i + 1..] {
                bits.push(!self.circuit.and(a, b));
            }
        }
        self.circuit.and_all(bits)
    }

    /// The instances of a quantified body; `outside` says that some atom is outside of its domain.
    fn quantify(
        &mut self,
        quantified: &Quantified<'_>,
        declarations: &[(QuantifiedVariable, Expr)],
        outside: Bit,
        bits: &mut Vec<Bit>,
    ) {
        let &Quantified { logic, body, domains, polarity, combine } = quantified;
        let Some((&(variable, domain), rest)) = declarations.split_first() else {
            let body = self.translate_formula(logic, body, polarity);
            bits.push(combine(&mut self.circuit, outside, body));
            return;
        };
        let domain = self.translate_expr(logic, domain, domains);
        for &(atom, member) in domain.cells() {
            let outside = self.circuit.or(outside, !member);
            self.bound(variable, Atom(atom as u32), |t| {
                t.quantify(quantified, rest, outside, bits)
            });
        }
    }
}
