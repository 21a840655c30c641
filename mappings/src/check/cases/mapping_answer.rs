//! The answer to a whole question, for pages of many questions: what asks the same again does not
//! answer it again.

use std::io;
use std::path::Path;

use margay_models::diagnostic::Diagnostic;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::statement::CheckStatement;
use super::store::{AnswerStore, StoredCase};
use crate::check::options::CheckOptions;
use crate::check::questions;
use crate::language::Mapping;

/// Where the answer to one question about a mapping is kept.
#[derive(Debug)]
pub struct MappingAnswerFile {
    store: AnswerStore,
    name: String,
    depends: String,
}

impl MappingAnswerFile {
    /// In a folder of answers, the one of this name. It answers the question of the mapping's and
    /// the models' texts and of the options, as this code does; `depends` is all else that it
    /// depends on: the bound, and who answers it beside the check.
    ///
    /// # Errors
    /// Options that do not fit the mapping, a model that cannot be read any more.
    pub fn new(
        folder: &Path,
        name: &str,
        mapping: &Mapping,
        options: &CheckOptions,
        depends: &str,
    ) -> Result<Self, Vec<Diagnostic>> {
        let statement =
            CheckStatement::new(mapping, options, &questions::resolve(mapping, options)?)?;
        // A table of the user's is named by its path.
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        Ok(Self {
            store: AnswerStore::of(folder, statement.key()),
            name: name.chars().map(plain).collect(),
            depends: depends.to_owned(),
        })
    }

    /// What was kept; `None` where there is nothing, or what is there answers something else or is
    /// damaged.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        match self.store.read(&self.name, &self.depends) {
            StoredCase::CaseAnswer(answer) => Some(answer),
            StoredCase::Nothing => None,
            StoredCase::Wrong(why) => {
                tracing::info!("`{}` is not used: {why}", self.store.path(&self.name).display());
                None
            }
        }
    }

    /// Keeps an answer, in place of another one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write<T: Serialize>(&self, answer: &T) -> io::Result<()> {
        std::fs::create_dir_all(self.store.folder())?;
        self.store.write(&self.name, &self.depends, answer)
    }
}
