//! Architectures are texts (docs/architectures.md): what the events of a machine carry, which
//! instructions it has, and which relations its models may name. A text is read once and lives as
//! long as the program, so that events and instructions can hold it in a word.

mod architecture_instruction;
mod assembly;
mod barrier;
mod chosen;
mod description;
mod find;
mod front_end;
mod instruction;
mod known;
mod leaked;
mod level;
mod names;
mod number;
mod scan;
mod scopes;
mod strength;
mod tag;
mod tag_lines;
mod text;

pub use architecture_instruction::{MAX_INSTRUCTIONS, StatusDependency};
pub use assembly::{Assembly, Piece, RegisterName, SlotKind, Spelling};
pub use description::BarrierTags;
pub use find::{beside, built_in_assembly, built_in_words, find, of_assembly};
pub use level::{SameLevel, ScopeLevel};
pub use number::{Architecture, EXTENSION};
pub use tag::{MAX_TAGS, Tag, Tags};

use std::fmt;
use std::sync::Arc;

use architecture_instruction::ArchitectureInstruction;

use super::{Construct, Operation};
use crate::diagnostic::SourceFile;
use crate::execution::Order;

impl Architecture {
    /// The word for it: the name of its file without the ending.
    pub fn word(self) -> &'static str {
        self.description().word
    }

    /// One line about it, for lists of architectures.
    pub fn title(self) -> &'static str {
        self.description().title
    }

    /// The file that describes it.
    pub fn file(self) -> &'static Arc<SourceFile> {
        &self.description().file
    }

    /// Its instructions, in the order of the text, but for those that only tests have.
    pub fn constructs(self) -> Vec<Construct> {
        let all = self.description().instructions.iter().filter(|i| !i.test_only);
        all.map(|i| Construct { operation: i.operation, order: self.order(i.bits) }).collect()
    }

    /// The order of an instruction with these tags.
    fn order(self, bits: u32) -> Order {
        Tags::new(self, bits).order()
    }

    /// How an instruction is written.
    pub fn mnemonic(self, construct: Construct) -> Option<&'static str> {
        self.tags_of(construct).mnemonic(construct.operation)
    }

    /// The instruction that is so written.
    pub fn instruction(self, mnemonic: &str) -> Option<Construct> {
        let found = self.description().instructions.iter().find(|i| i.mnemonic == mnemonic)?;
        Some(Construct { operation: found.operation, order: self.order(found.bits) })
    }

    /// Is it a load-reserved, or a store-conditional, which may fail?
    pub fn is_half(self, construct: Construct) -> bool {
        let bits = self.bits(construct.order);
        self.description()
            .instructions
            .iter()
            .any(|i| i.half && i.operation == construct.operation && i.bits == bits)
    }

    /// The read that a load-reserved is when no store-conditional follows it: the one with its
    /// tags, but for those that stand apart.
    pub fn read_alone(self, reserved: Construct) -> Option<Construct> {
        let tags = self.description().tags.iter().enumerate();
        let apart = tags.filter(|(_, t)| t.apart).fold(0, |bits, (i, _)| bits | 1 << i);
        let alone = Construct {
            operation: Operation::Read,
            order: self.order(self.bits(reserved.order) & !apart),
        };
        self.constructs().into_iter().find(|c| *c == alone)
    }

    /// What the result of a store-conditional carries.
    pub fn status_dependency(self, construct: Construct) -> StatusDependency {
        let bits = self.bits(construct.order);
        let is = |i: &&ArchitectureInstruction| {
            i.half && i.operation == construct.operation && i.bits == bits
        };
        self.description()
            .instructions
            .iter()
            .find(is)
            .map_or(StatusDependency::Nothing, |i| i.status)
    }

    /// May a dependency begin at the write of a store-conditional?
    pub fn has_dependencies_of_stores(self) -> bool {
        self.description().instructions.iter().any(|i| i.status == StatusDependency::Store)
    }

    /// Are the two halves of a read-modify-write of its tests next to each other in each thread?
    /// Not where a load-reserved and a store-conditional are instructions of their own.
    pub fn has_adjacent_halves(self) -> bool {
        !self.description().instructions.iter().any(|i| i.half)
    }

    /// The read-modify-write whose halves have these orders.
    pub fn whole(self, read: Order, write: Order) -> Option<Construct> {
        let halves = |c: &Construct| (c.read_order(), c.write_order()) == (read, write);
        self.constructs().into_iter().filter(|c| c.operation == Operation::Rmw).find(halves)
    }

    /// The read-modify-write by which a failed one is named whose read has this order: the first of
    /// those that have it.
    pub fn failed(self, read: Order) -> Option<Construct> {
        self.constructs()
            .into_iter()
            .find(|c| c.operation == Operation::Rmw && c.read_order() == read)
    }
}

impl fmt::Debug for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
