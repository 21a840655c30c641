//! Candidates of a repair: what each family of lowerings becomes, what that costs, and what is
//! stronger by one step.

use std::collections::{BTreeMap, BTreeSet};

use super::Changed;
use crate::change::family::Families;
use crate::change::{InstructionCosts, LoweringSlot, Price, Steps, lacks};
use crate::check::Progress;
use crate::language::{Lowering, Mapping};

/// What a family becomes.
#[derive(Debug, Clone)]
pub(super) struct FamilyChange {
    /// As text, which orders and identifies.
    pub text: String,
    pub lowering: Lowering,
    pub cost: u64,
    pub steps: u32,
}

/// A candidate: what each changed family becomes.
#[derive(Debug, Clone, Default)]
pub(super) struct RepairCandidate(pub BTreeMap<usize, FamilyChange>);

/// What identifies a candidate.
pub(super) type CandidateKey = Vec<(usize, String)>;

impl RepairCandidate {
    pub fn key(&self) -> CandidateKey {
        self.0.iter().map(|(family, change)| (*family, change.text.clone())).collect()
    }
}

/// The program of a counterexample of the pool, compiled by certain lowerings, must not have the
/// outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProgramObligation {
    pub index: usize,
    /// The lowering of each operation.
    pub mixture: Vec<LoweringSlot>,
}

/// The search for changes.
pub(super) struct RepairSearch<'a> {
    pub mapping: &'a Mapping,
    pub costs: &'a InstructionCosts,
    pub progress: &'a dyn Progress,
    pub steps: Steps,
    pub families: Families,
    /// For lowerings, all that are stronger.
    pub above: BTreeMap<(usize, String), BTreeSet<String>>,
    pub obligations: Vec<ProgramObligation>,
    /// The price of the cheapest fix of an obligation (by its number), by what its lowerings were;
    /// `None` if there is none.
    pub cheapest: BTreeMap<(usize, CandidateKey), Option<Price>>,
    /// How many changes were tried.
    pub tried: usize,
}

impl<'a> RepairSearch<'a> {
    pub fn new(
        mapping: &'a Mapping,
        costs: &'a InstructionCosts,
        progress: &'a dyn Progress,
    ) -> Self {
        Self {
            mapping,
            costs,
            progress,
            steps: Steps::new(mapping),
            families: Families::new(mapping),
            above: BTreeMap::new(),
            obligations: Vec::new(),
            cheapest: BTreeMap::new(),
            tried: 0,
        }
    }

    /// The lowering that stands for a family, as a candidate has it.
    pub fn lowering<'b>(&'b self, candidate: &'b RepairCandidate, family: usize) -> &'b Lowering {
        let here = candidate.0.get(&family).map(|change| &change.lowering);
        here.unwrap_or_else(|| self.families.first(family).lowering(self.mapping))
    }

    pub fn text(&self, candidate: &RepairCandidate, family: usize) -> String {
        let row = &self.mapping.rows[self.families.first(family).row];
        row.lowering_text(self.mapping.target.signature, self.lowering(candidate, family))
    }

    pub fn changes(&self, candidate: &RepairCandidate) -> Vec<Changed> {
        let of = |(family, change): (&usize, &FamilyChange)| {
            let slots = self.families.slots(*family).iter();
            let changed = |&slot| Changed {
                slot,
                lowering: Families::changed(self.mapping, slot, &change.lowering),
            };
            slots.map(changed).collect::<Vec<_>>()
        };
        candidate.0.iter().flat_map(of).collect()
    }

    pub fn apply(&self, candidate: &RepairCandidate) -> Mapping {
        let mut changed = self.mapping.clone();
        self.changes(candidate)
            .into_iter()
            .for_each(|change| change.slot.set(&mut changed, change.lowering));
        changed
    }

    pub fn price(&self, candidate: &RepairCandidate) -> Price {
        let of = |(family, change): (&usize, &FamilyChange)| {
            Price::of(
                &self.mapping.rows[self.families.first(*family).row],
                change.cost + u64::from(change.steps),
            )
        };
        candidate.0.iter().map(of).sum()
    }

    /// How many of the changed families have all that their operations ask for as they are.
    pub fn blameless(&self, candidate: &RepairCandidate) -> usize {
        let lacking = |&&family: &&usize| {
            let slot = self.families.first(family);
            lacks(self.mapping, &self.mapping.rows[slot.row], slot.lowering(self.mapping))
        };
        candidate.0.len() - candidate.0.keys().filter(lacking).count()
    }

    /// Of candidates with the same price the first: fewer changes of rows that are not to blame,
    /// then fewer instructions.
    pub fn taste(&self, candidate: &RepairCandidate) -> (usize, usize) {
        (
            self.blameless(candidate),
            candidate.0.values().map(|change| change.lowering.steps.len()).sum(),
        )
    }

    /// The families of an obligation's lowerings.
    pub fn families_of(&self, obligation: &ProgramObligation) -> Vec<usize> {
        let mut families: Vec<usize> =
            obligation.mixture.iter().filter_map(|&slot| self.families.of(slot)).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// The candidate with a family stronger by one step, in every way.
    pub fn stronger(&self, candidate: &RepairCandidate, family: usize) -> Vec<RepairCandidate> {
        let slot = self.families.first(family);
        let row = &self.mapping.rows[slot.row];
        let before = candidate.0.get(&family);
        let stronger = |lowering: Lowering| {
            let cost = |l| self.costs.of(&self.mapping.target, l);
            let more = cost(&lowering).saturating_sub(cost(slot.lowering(self.mapping)));
            let change = FamilyChange {
                text: row.lowering_text(self.mapping.target.signature, &lowering),
                lowering,
                // A stronger lowering never counts as cheaper, or the order would not be by cost.
                cost: more.max(before.map_or(0, |b| b.cost)),
                steps: before.map_or(0, |b| b.steps) + 1,
            };
            let mut next = candidate.clone();
            next.0.insert(family, change);
            next
        };
        self.steps
            .stronger(row, self.lowering(candidate, family))
            .into_iter()
            .map(stronger)
            .collect()
    }

    /// Is everything that the first has in these families as strong in the second?
    pub fn is_within(
        &mut self,
        first: &RepairCandidate,
        second: &RepairCandidate,
        families: &[usize],
    ) -> bool {
        families.iter().all(|&family| {
            let (weak, strong) = (self.text(first, family), self.text(second, family));
            weak == strong || {
                let key = (family, weak);
                if !self.above.contains_key(&key) {
                    let row = &self.mapping.rows[self.families.first(family).row];
                    self.above.insert(
                        key.clone(),
                        self.steps.all_stronger(row, self.lowering(first, family)),
                    );
                }
                self.above[&key].contains(&strong)
            }
        })
    }
}
