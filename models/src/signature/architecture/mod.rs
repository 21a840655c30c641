//! Architectures that are texts (docs/architectures.md): what the events of a machine carry, which instructions it has, and which
//! dependencies its models may name. A text is read once and lives as long as the program, so that events and instructions can
//! hold it in a word.

mod find;
mod level;
mod scan;
mod scopes;
mod strength;
mod text;

pub use find::{beside, built_in_words, find};
pub use level::{Level, SameLevel};

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use level::LevelDescription;

use super::{BaseRelation, Construct, Operation};
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect;
use crate::execution::{Order, Scope};

/// The most tags of one architecture.
pub const MAX_TAGS: usize = 32;

/// The most instructions of one architecture.
pub const MAX_INSTRUCTIONS: usize = 64;

/// How the file of an architecture ends.
pub const EXTENSION: &str = "arch";

/// An architecture. Two are the same if they have the same name and the same text.
#[derive(Clone, Copy)]
pub struct Architecture(&'static Description);

/// What the text says.
struct Description {
    /// In the order of first use.
    number: usize,
    /// The word for it in the first line of models and tests: the name of its file without the ending.
    word: &'static str,
    /// What it is.
    title: &'static str,
    file: Arc<SourceFile>,
    tags: Vec<TagDescription>,
    instructions: Vec<Instruction>,
    dependencies: Vec<BaseRelation>,
    /// Its scopes, narrowest first, and what they are called.
    scopes: Vec<Scope>,
    levels: Vec<LevelDescription>,
}

/// A tag of events.
struct TagDescription {
    name: &'static str,
    /// Which events may carry it.
    on: On,
    /// Are instructions that differ in it not compared?
    apart: bool,
    /// The tags that are weaker, as bits.
    weaker: u32,
}

/// The kinds of events that carry a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct On {
    read: bool,
    write: bool,
    fence: bool,
}

/// An instruction.
struct Instruction {
    mnemonic: &'static str,
    operation: Operation,
    bits: u32,
    /// Does it take a scope, written behind the mnemonic?
    scoped: bool,
    /// The names of its tags, joined by points; of its halves likewise, for a read-modify-write.
    names: [(u32, &'static str); 3],
}

/// One tag of an architecture; in .cat the set of the events that carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    architecture: Architecture,
    index: u8,
}

impl Tag {
    /// Its name, as a list of one.
    pub fn names(self) -> &'static [&'static str] {
        std::slice::from_ref(&self.architecture.0.tags[usize::from(self.index)].name)
    }

    /// The architecture that has it.
    pub fn architecture(self) -> Architecture {
        self.architecture
    }

    /// May reads, writes and fences carry it?
    pub fn kinds(self) -> [bool; 3] {
        let On { read, write, fence } = self.architecture.0.tags[usize::from(self.index)].on;
        [read, write, fence]
    }
}

/// A set of tags of one architecture: what an event carries, or an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tags {
    architecture: Architecture,
    bits: u32,
}

impl Tags {
    /// The architecture.
    pub fn architecture(self) -> Architecture {
        self.architecture
    }

    /// Is the tag one of them?
    pub fn contains(self, tag: Tag) -> bool {
        self.architecture == tag.architecture && self.bits & (1 << tag.index) != 0
    }

    /// The tags.
    pub fn iter(self) -> impl Iterator<Item = Tag> {
        self.architecture.tags().filter(move |&tag| self.contains(tag))
    }

    /// The names of the tags, joined by points.
    pub fn name(self) -> &'static str {
        let known = self.architecture.0.instructions.iter().flat_map(|i| i.names);
        known.into_iter().find(|(bits, _)| *bits == self.bits).map_or("", |(_, name)| name)
    }

    /// Those of them that a read, a write or a fence carries.
    fn on(self, carries: impl Fn(On) -> bool) -> Tags {
        let tags = self.architecture.0.tags.iter().enumerate();
        let kept = tags.filter(|(_, tag)| carries(tag.on)).fold(0, |bits, (i, _)| bits | 1 << i);
        Tags { bits: self.bits & kept, ..self }
    }

    /// How the instruction of these tags is written.
    pub fn mnemonic(self, operation: Operation) -> Option<&'static str> {
        let known = &self.architecture.0.instructions;
        known.iter().find(|i| i.operation == operation && i.bits == self.bits).map(|i| i.mnemonic)
    }

    /// Is every fence of the architecture at most a fence with these tags?
    pub fn is_full_fence(self) -> bool {
        let fences = self.architecture.0.instructions.iter().filter(|i| i.operation == Operation::Fence);
        fences.into_iter().all(|i| Tags { bits: i.bits, ..self }.is_at_most(self))
    }

    /// As the order of an event.
    pub fn order(self) -> Order {
        if self.bits == 0 { Order::Plain } else { Order::Tagged(self) }
    }

    /// The order of the read half of a read-modify-write that carries these.
    pub fn of_read(self) -> Order {
        self.on(|on| on.read).order()
    }

    /// The order of its write half.
    pub fn of_write(self) -> Order {
        self.on(|on| on.write).order()
    }
}

/// Those that were read.
static KNOWN: Mutex<Vec<(Architecture, &'static dialect::Architecture)>> = Mutex::new(Vec::new());

impl Architecture {
    /// Reads the text of an architecture.
    ///
    /// # Errors
    /// Text that describes none, one diagnostic for each line that is wrong.
    pub fn read(file: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let word = word_of(&file.name);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, _)) = known.iter().find(|(a, _)| a.0.word == word && a.0.file.text == file.text) {
            return Ok(*same);
        }
        // What is read stays for as long as the program runs: as much as its user names.
        let description = text::read(file, leaked(word), known.len())?;
        let architecture = Architecture(Box::leak(Box::new(description)));
        known.push((architecture, Box::leak(Box::new(dialect::Architecture::of_text(architecture)))));
        Ok(architecture)
    }

    /// The one of this word that was read last.
    pub fn known(word: &str) -> Option<Architecture> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().rev().map(|&(a, _)| a).find(|a| a.0.word == word)
    }

    /// The word for it in the first line of models and tests: the name of its file without the ending.
    pub fn word(self) -> &'static str {
        self.0.word
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// The text.
    pub fn file(self) -> &'static Arc<SourceFile> {
        &self.0.file
    }

    /// Its tags.
    pub fn tags(self) -> impl Iterator<Item = Tag> {
        (0..self.0.tags.len()).map(move |index| Tag { architecture: self, index: index as u8 })
    }

    /// The tag of a name.
    pub fn tag(self, name: &str) -> Option<Tag> {
        self.tags().find(|t| t.names()[0] == name)
    }

    /// May models name the relation? Dependencies are there where the text says so, fences between threads nowhere.
    pub fn has(self, relation: BaseRelation) -> bool {
        self.0.dependencies.contains(&relation)
    }

    /// Its instructions, in the order of the text.
    pub fn constructs(self) -> Vec<Construct> {
        self.0.instructions.iter().map(|i| Construct { operation: i.operation, order: self.order(i.bits) }).collect()
    }

    /// The order of an instruction with these tags.
    fn order(self, bits: u32) -> Order {
        Tags { architecture: self, bits }.order()
    }

    /// How an instruction is written.
    pub fn mnemonic(self, construct: Construct) -> Option<&'static str> {
        self.tags_of(construct).mnemonic(construct.operation)
    }

    /// The instruction that is so written.
    pub fn instruction(self, mnemonic: &str) -> Option<Construct> {
        let found = self.0.instructions.iter().find(|i| i.mnemonic == mnemonic)?;
        Some(Construct { operation: found.operation, order: self.order(found.bits) })
    }

    /// The read-modify-write whose halves have these orders.
    pub fn whole(self, read: Order, write: Order) -> Option<Construct> {
        let halves = |c: &Construct| (c.read_order(), c.write_order()) == (read, write);
        self.constructs().into_iter().filter(|c| c.operation == Operation::Rmw).find(halves)
    }

    /// The instruction as its tags alone, for the syntax of tests.
    pub fn tags_of(self, construct: Construct) -> Tags {
        Tags { architecture: self, bits: self.bits(construct.order) }
    }

    fn bits(self, order: Order) -> u32 {
        match order {
            Order::Tagged(tags) if tags.architecture == self => tags.bits,
            _ => 0,
        }
    }

    /// As what a model of .cat can speak of.
    pub(crate) fn dialect(self) -> &'static dialect::Architecture {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known[self.0.number].1
    }
}

impl PartialEq for Architecture {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Architecture {}

impl PartialOrd for Architecture {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Architecture {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.number.cmp(&other.0.number)
    }
}

impl Hash for Architecture {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.number.hash(state);
    }
}

impl fmt::Debug for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.word)
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.word)
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
