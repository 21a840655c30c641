//! Least fixpoints of mutually recursive definitions, by polarity as closures are.

use std::sync::Arc;

use super::{Frame, Polarity, Translator};
use crate::circuit::Bit;
use crate::logic::{Group, Logic};
use crate::matrix::Matrix;

impl Translator {
    /// The values of a group.
    pub(super) fn fixpoint(&mut self, logic: &Logic, group: Group, polarity: Polarity) -> Arc<Vec<Arc<Matrix>>> {
        let definitions = logic.group(group);
        let closed = definitions
            .iter()
            .all(|&(_, body)| !logic.expr_facts(body).open || self.variables.is_empty() && self.recursions.is_empty());
        if closed && let Some(known) = self.fixpoints.get(&(group, polarity)) {
            return known.clone();
        }
        let value = Arc::new(match polarity {
            Polarity::Negative => self.horn_fixpoint(logic, group),
            Polarity::Positive | Polarity::Both => self.exact_fixpoint(logic, group, polarity),
        });
        if closed {
            self.fixpoints.insert((group, polarity), value.clone());
        }
        value
    }

    /// The bodies' values with the given values of the relations under definition.
    fn bodies(&mut self, logic: &Logic, group: Group, values: &[Arc<Matrix>], polarity: Polarity) -> Vec<Arc<Matrix>> {
        let definitions = logic.group(group);
        let depth = self.recursions.len();
        self.recursions.extend(definitions.iter().map(|&(r, _)| r).zip(values.iter().cloned()));
        self.frames.push(Frame::default());
        let out = definitions.iter().map(|&(_, body)| self.translate_expr(logic, body, polarity)).collect();
        self.frames.pop();
        self.recursions.truncate(depth);
        out
    }

    /// The tuples that the relations may have at all: the fixpoint with everything that may hold taken as true.
    fn possible(&mut self, logic: &Logic, group: Group, polarity: Polarity) -> Vec<Vec<u64>> {
        let mut known: Vec<Vec<u64>> = vec![Vec::new(); logic.group(group).len()];
        loop {
            let values: Vec<Arc<Matrix>> =
                known.iter().map(|tuples| Arc::new(Matrix::from_sorted(tuples.iter().map(|&t| (t, Bit::TRUE))))).collect();
            let next: Vec<Vec<u64>> = self
                .bodies(logic, group, &values, polarity)
                .iter()
                .zip(&known)
                .map(|(m, old)| {
                    let mut tuples: Vec<u64> = m.cells().iter().map(|&(t, _)| t).chain(old.iter().copied()).collect();
                    tuples.sort_unstable();
                    tuples.dedup();
                    tuples
                })
                .collect();
            if next == known {
                return known;
            }
            known = next;
        }
    }

    /// Fresh relations that contain their bodies' values: at least the least fixpoint.
    fn horn_fixpoint(&mut self, logic: &Logic, group: Group) -> Vec<Arc<Matrix>> {
        let possible = self.possible(logic, group, Polarity::Negative);
        let values: Vec<Arc<Matrix>> = possible
            .iter()
            .map(|tuples| {
                let cells: Vec<(u64, Bit)> = tuples.iter().map(|&t| (t, self.circuit.input())).collect();
                Arc::new(Matrix::from_sorted(cells))
            })
            .collect();
        let bodies = self.bodies(logic, group, &values, Polarity::Negative);
        for (body, value) in bodies.iter().zip(&values) {
            self.contains(body, value);
        }
        values
    }

    /// Iteration from the empty relations. A tuple of the least fixpoint has a derivation in which no tuple repeats on any way
    /// down, so as many rounds as there are possible tuples are enough.
    fn exact_fixpoint(&mut self, logic: &Logic, group: Group, polarity: Polarity) -> Vec<Arc<Matrix>> {
        let rounds: usize = self.possible(logic, group, polarity).iter().map(Vec::len).sum();
        let mut values: Vec<Arc<Matrix>> = vec![Arc::default(); logic.group(group).len()];
        for _ in 0..rounds {
            let next = self.bodies(logic, group, &values, polarity);
            if next == values {
                break;
            }
            values = next;
        }
        values
    }
}
