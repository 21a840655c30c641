//! Lowerings of one row that emit the same and differ in the type of the object alone: a change of
//! one of them is a change of all. A compiler's table has dozens of such lowerings, and to change
//! each by itself would be the same question many times over.

use std::collections::BTreeMap;

use super::LoweringSlot;
use crate::language::{Lowering, Mapping};

/// The families of a mapping.
#[derive(Debug)]
pub struct Families {
    /// The lowerings of each, the first of which stands for all.
    all: Vec<Vec<LoweringSlot>>,
    of: BTreeMap<LoweringSlot, usize>,
}

impl Families {
    /// Of the lowerings as they are.
    pub fn new(mapping: &Mapping) -> Self {
        let mut families = Self { all: Vec::new(), of: BTreeMap::new() };
        for slot in LoweringSlot::all(mapping) {
            let emits = |slot: LoweringSlot| {
                let lowering = slot.lowering(mapping);
                (slot.row, lowering.form, &lowering.steps, lowering.dependencies)
            };
            let known = families.all.iter().position(|family| emits(family[0]) == emits(slot));
            let index = known.unwrap_or(families.all.len());
            match known {
                Some(index) => families.all[index].push(slot),
                None => families.all.push(vec![slot]),
            }
            families.of.insert(slot, index);
        }
        families
    }

    /// The family of a lowering, by its number.
    pub fn of(&self, slot: LoweringSlot) -> Option<usize> {
        self.of.get(&slot).copied()
    }

    pub fn slots(&self, family: usize) -> &[LoweringSlot] {
        &self.all[family]
    }

    /// The lowering that stands for its family.
    pub fn first(&self, family: usize) -> LoweringSlot {
        self.all[family][0]
    }

    /// What a lowering of a family becomes if the one that stands for it becomes `like`.
    pub fn changed(mapping: &Mapping, slot: LoweringSlot, like: &Lowering) -> Lowering {
        Lowering {
            steps: like.steps.clone(),
            dependencies: like.dependencies,
            ..slot.lowering(mapping).clone()
        }
    }
}
