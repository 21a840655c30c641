//! Whose definitions the base names of a model have. herd7, Dartagnan and Margay share the .cat
//! language, but not what `F`, `rmw` or `sync_fence` stand for: a dialect is a table of
//! architectures, each with a text that defines its names by Margay's base sets and relations
//! (models/dialects/*.cat). `table` has the tables, `guess` finds the dialect of a file that does
//! not name it.

mod evidence;
mod guess;
mod table;

pub(crate) use guess::reading;
pub use table::{DARTAGNAN, HERD7, MARGAY};

use std::sync::{Arc, Mutex, PoisonError};

use crate::cat::ast;
use crate::diagnostic::SourceFile;
use crate::model::Sort;
use crate::shipped::BUILT_IN_FOLDER;
use crate::signature::Signature;

/// Every dialect.
pub const ALL: [&NameDialect; 3] = [&MARGAY, &HERD7, &DARTAGNAN];

/// A set of definitions of base names, by the tool whose models have them.
#[derive(Debug)]
pub struct NameDialect {
    /// The name, as it stands in front of a path: `herd7:x86tso.cat`.
    pub name: &'static str,
    /// The tool, for messages.
    pub tool: &'static str,
    /// What a model can speak of; without a word that says which, the first that has all names that
    /// the model uses.
    pub architectures: &'static [ModelArchitecture],
    /// Files of the tool's library that are built in, whatever lies beside a model, and their text.
    pub(crate) includes: &'static [(&'static str, &'static str)],
    /// The words for the tool's architectures that Margay has no tests for.
    pub(crate) foreign: &'static [&'static str],
}

/// What a model speaks of: the base names that it may use.
#[derive(Debug)]
pub struct ModelArchitecture {
    /// The name, for messages, and the words for it in the header or title of a model, as the tool
    /// has them; in Margay those that the text of the architecture says.
    pub(crate) own: Option<(&'static str, &'static [&'static str])>,
    /// The executions that such a model is about.
    pub signature: Signature,
    /// The texts that define the base names, in this order: what each is called, and the text.
    pub(crate) prelude: &'static [(&'static str, &'static str)],
    /// The base names that mean the same as in Margay; `None`: all of the signature.
    pub(crate) native: Option<&'static [&'static str]>,
    /// Sets of events that no test of Margay has, though the tool's tests may.
    pub(crate) absent_sets: &'static [&'static str],
    /// Relations between such events.
    pub(crate) absent_relations: &'static [&'static str],
    /// The relation that is the identity on what the tool counts as one event.
    pub(crate) identity: Option<&'static str>,
    /// What else it can speak of: tests whose events carry tags.
    pub(crate) of_tests: Option<OfTests>,
}

/// The tests of a built-in architecture of Margay's, as a tool's models speak of them.
#[derive(Debug, Clone, Copy)]
pub struct OfTests {
    /// The word for the architecture.
    pub(crate) word: &'static str,
    /// The text that defines the tool's names by tags, in the place of the one for tests without.
    pub(crate) definitions: (&'static str, &'static str),
    /// The tags that mean in the tool what they mean in Margay.
    pub(crate) native: &'static [&'static str],
}

impl NameDialect {
    /// Does the tool look at names only where they are used? Its models may then name, in a
    /// function that nobody calls, what does not exist.
    pub(crate) fn is_lazy(&self) -> bool {
        self.name != MARGAY.name
    }

    /// The text of a file of the tool's library.
    pub(crate) fn include(&self, path: &str) -> Option<Arc<SourceFile>> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (name, text) = self.includes.iter().find(|(known, _)| *known == name)?;
        Some(SourceFile::new(format!("{BUILT_IN_FOLDER}{}/{name}", self.name), *text))
    }

    /// The texts of the tool's library.
    pub(crate) fn includes(&self) -> impl Iterator<Item = Arc<SourceFile>> {
        self.includes.iter().filter_map(|(name, _)| self.include(name))
    }

    /// The architecture that a word stands for.
    fn architecture(&self, word: &str) -> Option<&'static ModelArchitecture> {
        self.architectures.iter().find(|a| a.words().contains(&word))
    }

    /// What a model may speak of, by its header and title: one architecture, or all where neither
    /// says it. An error is a word for one that Margay has no tests for.
    pub(crate) fn candidates(
        &self,
        file: &ast::CatFile,
    ) -> Result<Vec<&'static ModelArchitecture>, String> {
        let title = file.title.as_deref().unwrap_or_default();
        let header = file.architecture.as_ref().map_or("", |a| a.text.as_str());
        for word in std::iter::once(header).chain(parts(header)).chain(parts(title)) {
            if let Some(found) = self.architecture(word) {
                return Ok(vec![found]);
            }
            if self.foreign.contains(&word) {
                return Err(word.to_owned());
            }
        }
        Ok(self.architectures.iter().collect())
    }

    /// Does the first word of a model, or a part of it, stand for an architecture?
    pub(crate) fn is_named_in(&self, header: &str) -> bool {
        std::iter::once(header).chain(parts(header)).any(|word| self.architecture(word).is_some())
    }
}

/// The words of a header or title: `MIPS-TSO` is a model for MIPS.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

impl ModelArchitecture {
    /// What a model of Margay's can speak of.
    pub(crate) fn of_text(text: crate::signature::Architecture) -> Self {
        table::margay(text)
    }

    /// The architecture as tests have it whose events carry tags.
    pub(crate) fn of_tests(&'static self) -> Option<&'static ModelArchitecture> {
        type Known = Vec<(&'static ModelArchitecture, &'static ModelArchitecture)>;
        static KNOWN: Mutex<Known> = Mutex::new(Vec::new());
        let OfTests { word, definitions, native } = self.of_tests?;
        let signature = Signature::built_in(word)?;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(of, _)| std::ptr::eq(*of, self)) {
            return Some(found);
        }
        let prelude: Vec<_> =
            std::iter::once(definitions).chain(self.prelude.iter().skip(1).copied()).collect();
        let native: Vec<_> =
            native.iter().chain(self.native.unwrap_or_default()).copied().collect();
        let found: &'static ModelArchitecture = Box::leak(Box::new(ModelArchitecture {
            own: self.own,
            signature,
            prelude: prelude.leak(),
            native: Some(native.leak()),
            absent_sets: self.absent_sets,
            absent_relations: self.absent_relations,
            identity: self.identity,
            of_tests: None,
        }));
        known.push((self, found));
        Some(found)
    }

    /// The name, for messages.
    pub fn name(&self) -> &'static str {
        self.own.map_or_else(|| self.signature.title(), |(name, _)| name)
    }

    /// The words for it in the header or title of a model.
    pub fn words(&self) -> &'static [&'static str] {
        self.own.map_or_else(|| self.signature.words(), |(_, words)| words)
    }

    /// Is it a base name that means what it means in Margay?
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.native.is_none_or(|native| native.contains(&name))
    }

    /// What kind of thing a name stands for of which no test has any.
    pub(crate) fn sort_of_absent(&self, name: &str) -> Option<Sort> {
        if self.absent_sets.contains(&name) {
            return Some(Sort::Set);
        }
        self.absent_relations.contains(&name).then_some(Sort::Relation)
    }
}

/// The dialect that a name of a model begins with, and the rest: `herd7:a/b.cat`.
pub fn split_prefix(name: &str) -> (Option<&'static NameDialect>, &str) {
    for dialect in ALL {
        if let Some(rest) = name.strip_prefix(dialect.name).and_then(|rest| rest.strip_prefix(':'))
        {
            return (Some(dialect), rest);
        }
    }
    (None, name)
}

pub fn named(word: &str) -> Option<&'static NameDialect> {
    ALL.into_iter().find(|d| d.name.eq_ignore_ascii_case(word))
}
