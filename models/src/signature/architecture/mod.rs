//! Architectures are texts (docs/architectures.md): what the events of a machine carry, which instructions it has, and which relations its
//! models may name. A text is read once and lives as long as the program, so that events and instructions can hold it in a word.

mod assembly;
mod chosen;
mod find;
mod front_end;
mod instruction;
mod known;
mod level;
mod names;
mod scan;
mod scopes;
mod strength;
mod tag;
mod tag_lines;
mod text;

pub use assembly::{Assembly, Piece, RegisterName, SlotKind, Spelling};
pub use find::{beside, built_in_assembly, built_in_words, find, of_assembly};
pub use level::{Level, SameLevel};
pub use tag::{Tag, Tags};

use std::fmt;
use std::sync::Arc;

use front_end::FrontEndText;
use level::{LevelDescription, Optional};
use tag::TagDescription;

use super::base::NamedBases;
use super::{BaseRelation, BaseSet, Construct, Operation};
use crate::diagnostic::SourceFile;
use crate::execution::{Order, Scope};

/// The most tags of one architecture.
pub const MAX_TAGS: usize = 32;

/// The most instructions of one architecture.
pub const MAX_INSTRUCTIONS: usize = 64;

/// How the file of an architecture ends.
pub const EXTENSION: &str = "arch";

/// An architecture, as its number among those that the program knows. Two are the same if they have the same name and the same text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture(u32);

/// What the text says.
struct Description {
    /// The word for it: the name of its file without the ending.
    word: &'static str,
    title: &'static str,
    file: Arc<SourceFile>,
    tags: Vec<TagDescription>,
    instructions: Vec<ArchitectureInstruction>,
    /// The base sets that models may name, each with its names.
    sets: NamedBases<BaseSet>,
    /// The base relations that models may name, each with its names.
    relations: NamedBases<BaseRelation>,
    /// What pictures call a relation, where that is not its name.
    printed: Vec<(BaseRelation, &'static str)>,
    /// Does coherence order leave writes of one location unordered?
    partial_coherence: bool,
    /// The tag of the fences that a chosen order relates, if there is one.
    ordered_fences: Option<BaseSet>,
    /// Its scopes, narrowest first, and what they are called.
    scopes: Vec<Scope>,
    levels: Vec<LevelDescription>,
    /// The scope that not every model knows, and the scopes without it.
    optional: Option<Optional>,
    /// Who reads its tests, if that is not the reader of tables.
    front_end: Option<FrontEndText>,
    /// How its assembly is written.
    assembly: Option<Assembly>,
}

/// What the result of a store-conditional carries: an instruction that depends on the result depends on this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusDependency {
    /// On nothing (AArch64: "Rs" of a store-exclusive).
    Nothing,
    /// On the load-reserved and on what the registers depend on that the instruction reads, whether it stores or not.
    Pair,
    /// If it stores, on the store itself and on what the registers depend on that the instruction reads; else on nothing (RISC-V).
    Store,
}

struct ArchitectureInstruction {
    mnemonic: &'static str,
    operation: Operation,
    bits: u32,
    /// Does it take a scope, written behind the mnemonic?
    scoped: bool,
    /// Is it half of a pair of a load-reserved and a store-conditional?
    half: bool,
    /// What depends on the result of a store-conditional depends on this.
    status: StatusDependency,
    /// Is it in tests only, so that no search and no mapping tries it?
    test_only: bool,
    /// The names of its tags, joined by points; of its halves likewise, for a read-modify-write.
    names: [(u32, &'static str); 3],
}

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
        self.description().instructions.iter().any(|i| i.half && i.operation == construct.operation && i.bits == bits)
    }

    /// The read that a load-reserved is when no store-conditional follows it: the one with its tags, but for those that stand apart.
    pub fn read_alone(self, reserved: Construct) -> Option<Construct> {
        let tags = self.description().tags.iter().enumerate();
        let apart = tags.filter(|(_, t)| t.apart).fold(0, |bits, (i, _)| bits | 1 << i);
        let alone = Construct { operation: Operation::Read, order: self.order(self.bits(reserved.order) & !apart) };
        self.constructs().into_iter().find(|c| *c == alone)
    }

    /// What the result of a store-conditional carries.
    pub fn status_dependency(self, construct: Construct) -> StatusDependency {
        let bits = self.bits(construct.order);
        let is = |i: &&ArchitectureInstruction| i.half && i.operation == construct.operation && i.bits == bits;
        self.description().instructions.iter().find(is).map_or(StatusDependency::Nothing, |i| i.status)
    }

    /// May a dependency begin at the write of a store-conditional?
    pub fn has_dependencies_of_stores(self) -> bool {
        self.description().instructions.iter().any(|i| i.status == StatusDependency::Store)
    }

    /// Are the two halves of a read-modify-write of its tests next to each other in each thread? Not where a load-reserved and a
    /// store-conditional are instructions of their own.
    pub fn has_adjacent_halves(self) -> bool {
        !self.description().instructions.iter().any(|i| i.half)
    }

    /// The read-modify-write whose halves have these orders.
    pub fn whole(self, read: Order, write: Order) -> Option<Construct> {
        let halves = |c: &Construct| (c.read_order(), c.write_order()) == (read, write);
        self.constructs().into_iter().filter(|c| c.operation == Operation::Rmw).find(halves)
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

/// A text that lives as long as the program.
fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// The name of a file without folder and ending.
fn word_of(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(EXTENSION).and_then(|n| n.strip_suffix('.')).unwrap_or(name)
}
