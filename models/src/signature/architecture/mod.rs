//! Architectures are texts (docs/architectures.md): what the events of a machine carry, which instructions it has, and which relations its
//! models may name. A text is read once and lives as long as the program, so that events and instructions can hold it in a word.

mod chosen;
mod find;
mod front_end;
mod instruction;
mod level;
mod names;
mod scan;
mod scopes;
mod strength;
mod tag;
mod text;

pub use find::{beside, built_in_words, find};
pub use level::{Level, SameLevel};
pub use tag::{Tag, Tags};

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use front_end::FrontEnd;
use level::{LevelDescription, Optional};
use tag::TagDescription;

use super::base::Named;
use super::{BaseRelation, BaseSet, Construct, Operation};
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect;
use crate::execution::{Order, Scope};
use crate::judge::Judge;
use crate::library;
use crate::model::Model;

/// The most tags of one architecture.
pub const MAX_TAGS: usize = 32;

/// The most instructions of one architecture.
pub const MAX_INSTRUCTIONS: usize = 64;

/// How the file of an architecture ends.
pub const EXTENSION: &str = "arch";

/// An architecture. Two are the same if they have the same name and the same text.
#[derive(Clone, Copy)]
pub struct Architecture(Handle);

/// How an architecture is found: a constant can name the first, but hold no reference to what is read later.
#[derive(Clone, Copy)]
enum Handle {
    /// One of [`WITH_FRONT_END`].
    FrontEnd(u8),
    /// One that was read.
    Read(&'static Entry),
}

/// An architecture among all that the program knows.
struct Entry {
    /// In the order of first use; those with a front end come first.
    number: usize,
    /// The word for it: the name of its file without the ending.
    word: &'static str,
    /// What its text says; a built-in text with a front end is read when it is first asked.
    description: OnceLock<Description>,
    /// As what a model of .cat can speak of.
    dialect: OnceLock<dialect::Architecture>,
}

/// What the text says.
struct Description {
    /// What it is.
    title: &'static str,
    file: Arc<SourceFile>,
    tags: Vec<TagDescription>,
    instructions: Vec<Instruction>,
    /// The base sets that models may name, each with its names.
    sets: Named<BaseSet>,
    /// The base relations that models may name, each with its names.
    relations: Named<BaseRelation>,
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
    front_end: Option<FrontEnd>,
    /// What every execution of it satisfies; read when it is first asked.
    conditions: OnceLock<(Model, Judge)>,
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

/// Those that were read, but for the ones with a front end.
static KNOWN: Mutex<Vec<Architecture>> = Mutex::new(Vec::new());

/// Those with a front end.
static WITH_FRONT_END: [Entry; 3] = [Entry::new(0, "plain"), Entry::new(1, "C"), Entry::new(2, "PTX")];

impl Entry {
    const fn new(number: usize, word: &'static str) -> Self {
        Self { number, word, description: OnceLock::new(), dialect: OnceLock::new() }
    }
}

impl Architecture {
    /// Reads, writes, full fences and RMWs without orders or scopes (`X86`, `SC`, or no header at all).
    pub const PLAIN: Architecture = Architecture(Handle::FrontEnd(0));

    /// C++ atomics, with or without scopes (`C`).
    pub const C: Architecture = Architecture(Handle::FrontEnd(1));

    /// PTX operations (`PTX`).
    pub const PTX: Architecture = Architecture(Handle::FrontEnd(2));

    /// Those whose tests a front end reads, not the reader of tables.
    pub const FRONT_ENDS: [Architecture; 3] = [Self::PLAIN, Self::C, Self::PTX];

    /// Reads the text of an architecture.
    ///
    /// # Errors
    /// Text that describes none, one diagnostic for each line that is wrong.
    pub fn read(file: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let word = word_of(&file.name);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|a| a.word() == word && a.file().text == file.text) {
            return Ok(*same);
        }
        // What is read stays for as long as the program runs: as much as its user names.
        let entry: &'static Entry = Box::leak(Box::new(Entry::new(Self::FRONT_ENDS.len() + known.len(), leaked(word))));
        let architecture = Architecture(Handle::Read(entry));
        let description = text::read(file, architecture, false)?;
        entry.description.get_or_init(|| description);
        known.push(architecture);
        Ok(architecture)
    }

    fn entry(self) -> &'static Entry {
        match self.0 {
            Handle::FrontEnd(index) => &WITH_FRONT_END[usize::from(index)],
            Handle::Read(entry) => entry,
        }
    }

    /// What its text says.
    fn description(self) -> &'static Description {
        self.entry().description.get_or_init(|| {
            let file = library::architectures().find(|file| word_of(&file.name) == self.entry().word);
            let read = file.ok_or_else(Vec::new).and_then(|file| text::read(&file, self, true));
            read.unwrap_or_else(|errors| panic!("the texts of architectures/ are part of the program: {errors:?}"))
        })
    }

    /// The one of this word that was read last.
    pub fn known(word: &str) -> Option<Architecture> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().rev().copied().find(|a| a.word() == word)
    }

    /// The word for it: the name of its file without the ending.
    pub fn word(self) -> &'static str {
        self.entry().word
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        self.description().title
    }

    /// The text.
    pub fn file(self) -> &'static Arc<SourceFile> {
        &self.description().file
    }

    /// Its instructions, in the order of the text.
    pub fn constructs(self) -> Vec<Construct> {
        let all = self.description().instructions.iter();
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

    /// The read-modify-write whose halves have these orders.
    pub fn whole(self, read: Order, write: Order) -> Option<Construct> {
        let halves = |c: &Construct| (c.read_order(), c.write_order()) == (read, write);
        self.constructs().into_iter().filter(|c| c.operation == Operation::Rmw).find(halves)
    }

    /// What every execution of it satisfies.
    pub(crate) fn conditions(self, read: impl FnOnce() -> (Model, Judge)) -> &'static (Model, Judge) {
        self.description().conditions.get_or_init(read)
    }

    /// As what a model of .cat can speak of.
    pub(crate) fn dialect(self) -> &'static dialect::Architecture {
        self.entry().dialect.get_or_init(|| dialect::Architecture::of_text(self))
    }
}

impl PartialEq for Architecture {
    fn eq(&self, other: &Self) -> bool {
        self.entry().number == other.entry().number
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
        self.entry().number.cmp(&other.entry().number)
    }
}

impl Hash for Architecture {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entry().number.hash(state);
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
