//! Which values the registers of machine code are computed from, followed through the code as it
//! stands, and along jumps forward.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::SassInstruction;
use super::operands::{names, reads, writes};

type EffectSources = BTreeMap<String, BTreeSet<usize>>;

/// For each register and predicate, by name, the effects (by position) whose values it may be
/// computed from. More than is there may be found, never less: so a dependency that is missed here
/// is missing.
#[derive(Debug, Clone, Default)]
pub(super) struct EffectDependencies {
    of: EffectSources,
    /// What was known at the jumps to a label that has not come yet.
    jumps: BTreeMap<String, EffectSources>,
    /// Those of the branches so far.
    pub control: BTreeSet<usize>,
}

impl EffectDependencies {
    /// What operands are computed from. Each register stands for so many in a row.
    pub(super) fn sources<'o>(
        &self,
        operands: impl Iterator<Item = &'o String>,
        registers: u32,
    ) -> BTreeSet<usize> {
        self.of_all(&operands.flat_map(|o| names(o, registers)).collect::<Vec<_>>())
    }

    fn of_all(&self, names: &[String]) -> BTreeSet<usize> {
        names.iter().filter_map(|n| self.of.get(n)).flatten().copied().collect()
    }

    /// What the guard of an instruction is computed from.
    pub(super) fn guard(&self, i: &SassInstruction) -> BTreeSet<usize> {
        i.guard.as_ref().and_then(|g| self.of.get(g)).cloned().unwrap_or_default()
    }

    /// Comes to an instruction: from the one before it, or by a jump to its label.
    pub(super) fn arrive(&mut self, i: &SassInstruction) {
        for jumped in
            i.labels.iter().filter_map(|label| self.jumps.remove(label)).collect::<Vec<_>>()
        {
            merge(&mut self.of, jumped);
        }
    }

    /// Goes over an instruction whose result is that of an effect (`effect`), or computed from its
    /// operands.
    pub(super) fn step(&mut self, i: &SassInstruction, effect: Option<usize>) {
        if matches!(i.base(), "BRA" | "EXIT" | "BRX" | "JMP") {
            self.control.extend(self.guard(i));
            if let Some(label) = i.target() {
                merge(self.jumps.entry(label.to_owned()).or_default(), self.of.clone());
            }
            return;
        }
        let from = match effect {
            Some(effect) => BTreeSet::from([effect]).union(&self.guard(i)).copied().collect(),
            None => self.of_all(&reads(i)),
        };
        for name in writes(i) {
            let mut new = from.clone();
            if i.guard.is_some() {
                new.extend(self.of.get(&name).into_iter().flatten());
            }
            self.of.insert(name, new);
        }
    }
}

fn merge(into: &mut EffectSources, other: EffectSources) {
    for (name, sources) in other {
        into.entry(name).or_default().extend(sources);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::listing::Listing;
    use super::EffectDependencies;

    /// What sm_70 makes of a loop: behind the jump out of it stands code that uses the registers
    /// for something else.
    #[test]
    fn what_stands_between_a_jump_and_its_label_is_not_on_the_way() {
        let text = ".text.k:\n/*00*/ LDG.E.SYS R4, [R2] ;\n/*10*/ @!P0 BRA `(.L_x_1) ;\n/*20*/ VOTE.ANY R4, PT, PT ;\n\
            .L_x_1:\n/*30*/ STG.E.SYS [R6], R4 ;\n";
        let listing = Listing::read(text).remove(0);
        let mut known = EffectDependencies::default();
        for (n, i) in listing.instructions.iter().enumerate() {
            known.arrive(i);
            let stored = known.sources(i.operands.iter().skip(1), 1);
            match n {
                3 => assert_eq!(stored, BTreeSet::from([0])),
                _ => known.step(i, (n == 0).then_some(0)),
            }
        }
        assert_eq!(listing.instructions[3].labels, [".L_x_1"]);
    }
}
