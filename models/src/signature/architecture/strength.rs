//! Which tags are weaker than which: a set of tags is at most another one if each of its tags is,
//! by the text's `order`, at most one of the other's. Sets that differ in a tag that stands `apart`
//! are not compared.

use super::Tags;

impl Tags {
    /// Is it weaker than the other set, or the same?
    pub(in crate::signature) fn is_at_most(self, other: Tags) -> bool {
        let tags = &self.architecture.description().tags;
        let apart =
            tags.iter().enumerate().filter(|(_, t)| t.apart).fold(0, |bits, (i, _)| bits | 1 << i);
        let below = |i: usize| 1 << i | tags[i].weaker;
        let covered = (0..tags.len())
            .filter(|&i| other.bits & (1 << i) != 0)
            .fold(0, |bits, i| bits | below(i));
        self.architecture == other.architecture
            && (self.bits ^ other.bits) & apart == 0
            && self.bits & !covered == 0
    }

    /// How far it is above the empty set: for each tag one step, and one for each tag that is
    /// weaker.
    pub(in crate::signature) fn rank(self) -> u32 {
        let tags = self.architecture.description().tags.iter().enumerate();
        tags.filter(|(i, _)| self.bits & (1 << i) != 0)
            .map(|(_, t)| 1 + t.weaker.count_ones())
            .sum()
    }

    /// Another number for each set.
    pub(in crate::signature) fn number(self) -> u64 {
        u64::from(self.bits)
    }

    /// The empty set beside this one.
    pub(in crate::signature) fn none(self) -> Tags {
        Tags { bits: 0, ..self }
    }
}
