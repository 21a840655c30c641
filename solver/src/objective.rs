//! Preferences among instances: the smallest weighted sum, and the lexicographically first vector. Both are decided by calls
//! under assumptions, so they depend on nothing but the question, whatever the solver.

use crate::circuit::Bit;
use crate::limits::Limits;
use crate::session::{Literal, Outcome, Session};

impl Session {
    /// An instance under the assumptions with the smallest sum of weights of true literals. From then on every instance has at
    /// most that sum. Returns the sum with the instance.
    pub fn minimize(&mut self, assumptions: &[Literal], objective: &[(u32, Literal)], limits: &Limits) -> (Outcome, Option<u64>) {
        // The sum as a binary number, most significant digit first: its smallest value is its lexicographically first one.
        let digits = self.sum(objective);
        let order: Vec<Literal> = digits.iter().rev().map(|&d| Literal(d)).collect();
        let outcome = self.lexicographic_minimum(assumptions, &order, limits);
        if !matches!(outcome, Outcome::Sat(_)) {
            return (outcome, None);
        }
        let values: Vec<bool> = order.iter().map(|&l| self.value(l)).collect();
        let sum = values.iter().fold(0, |sum, &v| sum * 2 + u64::from(v));
        // Not greater than the number found: at each 0 digit, either the digit is 0 or an earlier 1 digit is 0.
        let mut smaller: Vec<Literal> = Vec::new();
        for (&digit, &value) in order.iter().zip(&values) {
            if value {
                smaller.push(!digit);
            } else {
                let mut clause = smaller.clone();
                clause.push(!digit);
                self.add_clause(&clause);
            }
        }
        (outcome, Some(sum))
    }

    /// An instance under the assumptions in which the vector of literals is lexicographically smallest (false before true).
    pub fn lexicographic_minimum(&mut self, assumptions: &[Literal], order: &[Literal], limits: &Limits) -> Outcome {
        for literal in order {
            // Both directions: the value is read, and its falsity is assumed.
            self.emitter.exact_literal(&self.translator.circuit, literal.0);
        }
        let mut fixed = assumptions.to_vec();
        let mut best = match self.solve(&fixed, limits) {
            Outcome::Sat(instance) => instance,
            other => return other,
        };
        let mut values: Vec<bool> = order.iter().map(|&l| self.value(l)).collect();
        for (i, &literal) in order.iter().enumerate() {
            if literal.constant().is_some() {
                continue;
            }
            fixed.push(!literal);
            if !values[i] {
                continue;
            }
            match self.solve(&fixed, limits) {
                Outcome::Sat(instance) => {
                    best = instance;
                    values = order.iter().map(|&l| self.value(l)).collect();
                }
                Outcome::Unsat => {
                    fixed.pop();
                    fixed.push(literal);
                }
                Outcome::Unknown => return Outcome::Unknown,
            }
        }
        // The last call may have been one without an answer to read from: the state in the solver must be that of `best`.
        match self.solve(&fixed, limits) {
            Outcome::Sat(_) => Outcome::Sat(best),
            other => other,
        }
    }

    /// The weighted sum of literals as binary digits, least significant first.
    fn sum(&mut self, objective: &[(u32, Literal)]) -> Vec<Bit> {
        let circuit = &mut self.translator.circuit;
        let mut columns: Vec<Vec<Bit>> = Vec::new();
        let put = |columns: &mut Vec<Vec<Bit>>, place: usize, bit: Bit| {
            if bit != Bit::FALSE {
                if columns.len() <= place {
                    columns.resize(place + 1, Vec::new());
                }
                columns[place].push(bit);
            }
        };
        for &(weight, Literal(bit)) in objective {
            for place in (0..32).filter(|p| weight >> p & 1 == 1) {
                put(&mut columns, place, bit);
            }
        }
        let mut digits = Vec::new();
        let mut place = 0;
        while place < columns.len() {
            // Full and half adders until one bit is left in the column.
            while columns[place].len() > 1 {
                let column = &mut columns[place];
                let (a, b) = (column.remove(0), column.remove(0));
                let c = if column.is_empty() { Bit::FALSE } else { column.remove(0) };
                let half = !circuit.iff(a, b);
                let digit = !circuit.iff(half, c);
                let (both, carried) = (circuit.and(a, b), circuit.and(half, c));
                let carry = circuit.or(both, carried);
                put(&mut columns, place, digit);
                put(&mut columns, place + 1, carry);
            }
            digits.push(columns[place].first().copied().unwrap_or(Bit::FALSE));
            place += 1;
        }
        digits
    }
}
