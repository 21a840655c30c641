//! The architectures that the program knows: numbers, and what their texts say. What was read stays
//! for as long as the program runs, as much as its user names; it is found by its number without a
//! lock.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::description::Description;
use super::leaked::leaked;
use super::number::word_of;
use super::{Architecture, text};
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect;
use crate::judge::Judge;
use crate::model::Model;
use crate::shipped;

#[derive(Default)]
struct KnownArchitecture {
    /// What its text says; a text with a front end is read when it is first asked.
    description: OnceLock<Description>,
    /// As what a model of .cat can speak of.
    dialect: OnceLock<dialect::ModelArchitecture>,
    /// What every execution of it satisfies; read when it is first asked.
    conditions: OnceLock<(Model, Judge)>,
}

/// The entries by number, in pieces of 1, 2, 4, ... of them: none ever moves.
static ENTRIES: [OnceLock<Box<[KnownArchitecture]>>; 32] = [const { OnceLock::new() }; 32];

/// Those that were read, but for the ones with a front end, in the order of first use.
static READ: Mutex<Vec<Architecture>> = Mutex::new(Vec::new());

/// The names of the files with a front end, by number.
const WITH_FRONT_END: [&str; 3] = ["plain", "C", "PTX"];

impl Architecture {
    /// Reads, writes, full fences and RMWs without orders or scopes (`X86`, `SC`, or no header at
    /// all).
    pub const PLAIN: Architecture = Architecture(0);

    /// C++ atomics, with or without scopes (`C`).
    pub const C: Architecture = Architecture(1);

    /// PTX operations (`PTX`).
    pub const PTX: Architecture = Architecture(2);

    /// Those whose tests a front end reads, not the reader of tables.
    pub const FRONT_ENDS: [Architecture; 3] = [Self::PLAIN, Self::C, Self::PTX];

    /// Reads the text of an architecture.
    ///
    /// # Errors
    /// Text that describes none, one diagnostic for each line that is wrong.
    pub fn read(file: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let word = word_of(&file.name);
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = read.iter().find(|a| a.word() == word && a.file().text == file.text) {
            return Ok(*same);
        }
        let architecture = Architecture((WITH_FRONT_END.len() + read.len()) as u32);
        let description = text::read(file, leaked(word), architecture, false)?;
        architecture.entry().description.get_or_init(|| description);
        read.push(architecture);
        Ok(architecture)
    }

    /// Those that were read, but for the ones with a front end, in the order of first use.
    pub(super) fn all_read() -> Vec<Architecture> {
        READ.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The one of this word that was read last.
    pub fn known(word: &str) -> Option<Architecture> {
        let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().rev().copied().find(|a| a.word() == word)
    }

    fn entry(self) -> &'static KnownArchitecture {
        let piece = (self.0 + 1).ilog2();
        let entries = ENTRIES[piece as usize]
            .get_or_init(|| (0..1 << piece).map(|_| KnownArchitecture::default()).collect());
        &entries[(self.0 + 1 - (1 << piece)) as usize]
    }

    /// What its text says.
    pub(super) fn description(self) -> &'static Description {
        self.entry().description.get_or_init(|| {
            // All others have theirs before they are handed out.
            let word = WITH_FRONT_END[self.0 as usize];
            let file = shipped::architectures().find(|file| word_of(&file.name) == word);
            let read =
                file.ok_or_else(Vec::new).and_then(|file| text::read(&file, word, self, true));
            read.unwrap_or_else(|errors| {
                panic!("the texts of architectures/ are part of the program: {errors:?}")
            })
        })
    }

    /// As what a model of .cat can speak of.
    pub(crate) fn dialect(self) -> &'static dialect::ModelArchitecture {
        self.entry().dialect.get_or_init(|| dialect::ModelArchitecture::of_text(self))
    }

    /// What every execution of it satisfies.
    pub(crate) fn conditions(
        self,
        read: impl FnOnce() -> (Model, Judge),
    ) -> &'static (Model, Judge) {
        self.entry().conditions.get_or_init(read)
    }
}
