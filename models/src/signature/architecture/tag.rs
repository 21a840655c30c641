//! Tags: properties of instructions, and sets of events in .cat.

use super::Architecture;
use crate::execution::Order;
use crate::signature::{Construct, Operation};

/// A tag of events.
pub(super) struct TagDescription {
    /// The first one is the one to show.
    pub(super) names: Vec<&'static str>,
    /// Which events may carry it.
    pub(super) on: TagEvents,
    /// Are instructions that differ in it not compared?
    pub(super) apart: bool,
    /// The tags that are weaker, as bits.
    pub(super) weaker: u32,
    /// What the read and the write of a read-modify-write carry for it, as bits, where the text
    /// says so.
    pub(super) halves: Option<[u32; 2]>,
}

/// The kinds of events that carry a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TagEvents {
    pub(super) read: bool,
    pub(super) write: bool,
    pub(super) fence: bool,
}

impl TagDescription {
    /// What the read and the write of a read-modify-write carry for the tag of this index.
    pub(super) fn halves(&self, index: usize) -> [u32; 2] {
        let own = |carries: bool| if carries { 1 << index } else { 0 };
        self.halves.unwrap_or([own(self.on.read), own(self.on.write)])
    }
}

/// One tag of an architecture; in .cat the set of the events that carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    architecture: Architecture,
    index: u8,
}

impl Tag {
    pub(super) fn new(architecture: Architecture, index: usize) -> Self {
        Self { architecture, index: index as u8 }
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.index)
    }

    /// Its names in .cat; the first one is the one to show.
    pub fn names(self) -> &'static [&'static str] {
        &self.architecture.description().tags[self.index()].names
    }

    /// The architecture that has it.
    pub fn architecture(self) -> Architecture {
        self.architecture
    }

    /// May reads, writes and fences carry it?
    pub fn kinds(self) -> [bool; 3] {
        let TagEvents { read, write, fence } =
            self.architecture.description().tags[self.index()].on;
        [read, write, fence]
    }
}

/// A set of tags of one architecture: what an event carries, or an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tags {
    pub(super) architecture: Architecture,
    pub(super) bits: u32,
}

impl Tags {
    pub(super) fn new(architecture: Architecture, bits: u32) -> Self {
        Self { architecture, bits }
    }

    pub fn architecture(self) -> Architecture {
        self.architecture
    }

    pub fn contains(self, tag: Tag) -> bool {
        self.architecture == tag.architecture && self.bits & (1 << tag.index) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Tag> {
        self.architecture.tags().filter(move |&tag| self.contains(tag))
    }

    /// The names of the tags, joined by points.
    pub fn name(self) -> &'static str {
        let known = self.architecture.description().instructions.iter().flat_map(|i| i.names);
        known.into_iter().find(|(bits, _)| *bits == self.bits).map_or("", |(_, name)| name)
    }

    /// How the instruction of these tags is written.
    pub fn mnemonic(self, operation: Operation) -> Option<&'static str> {
        let known = &self.architecture.description().instructions;
        known.iter().find(|i| i.operation == operation && i.bits == self.bits).map(|i| i.mnemonic)
    }

    /// Is every fence of the architecture at most a fence with these tags?
    pub fn is_full_fence(self) -> bool {
        let fences = self.architecture.description().instructions.iter();
        let fences = fences.filter(|i| i.operation == Operation::Fence && !i.test_only);
        fences.into_iter().all(|i| Tags { bits: i.bits, ..self }.is_at_most(self))
    }

    /// As the order of an event: a memory order where a front end makes them.
    pub fn order(self) -> Order {
        match self.bits {
            0 => Order::Plain,
            bits if self.architecture.has_orders() => {
                let is = |order: &Order| self.architecture.bits(*order) == bits;
                Order::MEMORY_ORDERS.into_iter().find(is).unwrap_or(Order::Tagged(self))
            }
            _ => Order::Tagged(self),
        }
    }

    /// What a half of a read-modify-write carries that carries these.
    fn half(self, which: usize) -> Order {
        let tags = self
            .architecture
            .description()
            .tags
            .iter()
            .enumerate()
            .filter(|(i, _)| self.bits & (1 << i) != 0);
        Tags { bits: tags.fold(0, |bits, (i, tag)| bits | tag.halves(i)[which]), ..self }.order()
    }

    /// The order of the read half of a read-modify-write that carries these.
    pub fn of_read(self) -> Order {
        self.half(0)
    }

    /// The order of its write half.
    pub fn of_write(self) -> Order {
        self.half(1)
    }
}

impl Architecture {
    pub fn tags(self) -> impl Iterator<Item = Tag> {
        (0..self.description().tags.len()).map(move |index| Tag::new(self, index))
    }

    pub fn tag(self, name: &str) -> Option<Tag> {
        self.tags().find(|t| t.names().contains(&name))
    }

    /// The instruction as its tags alone, for the syntax of tests.
    pub fn tags_of(self, construct: Construct) -> Tags {
        Tags { architecture: self, bits: self.bits(construct.order) }
    }

    pub(super) fn bits(self, order: Order) -> u32 {
        match order {
            Order::Tagged(tags) if tags.architecture == self => tags.bits,
            Order::Plain | Order::Tagged(_) => 0,
            order => self
                .description()
                .tags
                .iter()
                .position(|t| t.names[0] == order.tag())
                .map_or(0, |index| 1 << index),
        }
    }
}

/// The most tags of one architecture.
pub const MAX_TAGS: usize = 32;
