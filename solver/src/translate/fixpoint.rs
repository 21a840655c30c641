//! Least fixpoints of mutually recursive definitions, by polarity as closures are.

use std::sync::Arc;

use super::{BindingFrame, GroupValues, Polarity, Translator};
use crate::circuit::Bit;
use crate::logic::{Binder, FixpointGroup, Logic};
use crate::matrix::Matrix;

impl Translator {
    /// The values of a group, kept in a frame.
    pub(super) fn fixpoint(
        &mut self,
        logic: &Logic,
        group: FixpointGroup,
        frame: usize,
        polarity: Polarity,
    ) -> GroupValues {
        if let Some(known) = self.frames[frame].fixpoints.get(&(group, polarity)) {
            return known.clone();
        }
        let value = Arc::new(match polarity {
            Polarity::Negative => self.horn_fixpoint(logic, group),
            Polarity::Positive | Polarity::Both => self.exact_fixpoint(logic, group, polarity),
            Polarity::Outline => self.outline_fixpoint(logic, group),
        });
        self.frames[frame].fixpoints.insert((group, polarity), value.clone());
        value
    }

    /// The bodies' values with the given values of the relations under definition.
    fn bodies(
        &mut self,
        logic: &Logic,
        group: FixpointGroup,
        values: &[Arc<Matrix>],
        polarity: Polarity,
    ) -> Vec<Arc<Matrix>> {
        let definitions = logic.group(group);
        let depth = self.recursions.len();
        self.recursions.extend(definitions.iter().map(|&(r, _)| r).zip(values.iter().cloned()));
        self.frames.push(BindingFrame::new(
            definitions.iter().map(|&(r, _)| Binder::Recursion(r)).collect(),
        ));
        let out = definitions
            .iter()
            .map(|&(_, body)| self.translate_expr(logic, body, polarity))
            .collect();
        self.frames.pop();
        self.recursions.truncate(depth);
        out
    }

    /// What the fixpoint must have (true) and what it may have besides (unknown): the fixpoint in
    /// three-valued logic, which is reached soon since there are no gates to tell apart.
    fn outline_fixpoint(&mut self, logic: &Logic, group: FixpointGroup) -> Vec<Arc<Matrix>> {
        let mut values: Vec<Arc<Matrix>> = vec![Arc::default(); logic.group(group).len()];
        loop {
            let next: Vec<Arc<Matrix>> = self
                .bodies(logic, group, &values, Polarity::Outline)
                .iter()
                .map(|m| {
                    Arc::new(m.each(|_, bit| if bit.is_constant() { bit } else { Bit::UNKNOWN }))
                })
                .collect();
            if next == values || self.gives_up() {
                return values;
            }
            values = next;
        }
    }

    /// The outline of a group while translating in another polarity.
    fn outline(&mut self, logic: &Logic, group: FixpointGroup) -> Vec<Arc<Matrix>> {
        self.circuit.set_outline(true);
        let values = self.outline_fixpoint(logic, group);
        self.circuit.set_outline(false);
        values
    }

    /// Fresh relations that contain their bodies' values: at least the least fixpoint. What the
    /// fixpoint must have needs no variable.
    fn horn_fixpoint(&mut self, logic: &Logic, group: FixpointGroup) -> Vec<Arc<Matrix>> {
        let outline = self.outline(logic, group);
        let values: Vec<Arc<Matrix>> = outline
            .iter()
            .map(|m| {
                Arc::new(
                    m.each(|_, bit| if bit.is_constant() { bit } else { self.circuit.input() }),
                )
            })
            .collect();
        let bodies = self.bodies(logic, group, &values, Polarity::Negative);
        for (body, value) in bodies.iter().zip(&values) {
            self.contains(body, value);
        }
        values
    }

    /// Iteration from what the fixpoint must have. In any one instance, every round but the last
    /// adds a tuple of which that is not known, so that as many rounds as there are such tuples are
    /// enough.
    fn exact_fixpoint(
        &mut self,
        logic: &Logic,
        group: FixpointGroup,
        polarity: Polarity,
    ) -> Vec<Arc<Matrix>> {
        let outline = self.outline(logic, group);
        let rounds =
            outline.iter().flat_map(|m| m.cells()).filter(|(_, bit)| !bit.is_constant()).count();
        let mut values: Vec<Arc<Matrix>> = outline
            .iter()
            .map(|m| Arc::new(m.each(|_, bit| if bit == Bit::TRUE { bit } else { Bit::FALSE })))
            .collect();
        for _ in 0..rounds {
            let next = self.bodies(logic, group, &values, polarity);
            if next == values || self.gives_up() {
                break;
            }
            values = next;
        }
        values
    }
}
