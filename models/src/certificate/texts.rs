//! The texts that a certificate is about. Whoever verifies it reads them again from the
//! certificate, and from nowhere else.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Model;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::typing::{FilesThenBuiltIn, IncludeRefusal, Includes};
use serde::{Deserialize, Serialize};

/// A text with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The name, for messages.
    pub name: String,
    /// Its text, byte for byte.
    pub text: String,
}

/// A model with what it includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelText {
    /// The model's own text.
    pub model: Text,
    pub includes: Vec<Included>,
}

/// A text that another one includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Included {
    /// The name of the text that includes it.
    pub by: String,
    /// How it names it.
    pub path: String,
    pub file: Text,
}

impl Text {
    /// Keeps a text.
    pub fn of(file: &SourceFile) -> Self {
        Self { name: file.name.clone(), text: file.text.clone() }
    }

    /// The text to read from.
    pub fn file(&self) -> Arc<SourceFile> {
        SourceFile::new(self.name.clone(), self.text.clone())
    }
}

/// Finds includes as usual, and keeps them.
#[derive(Default)]
struct RecordedIncludes(RefCell<Vec<Included>>);

impl Includes for RecordedIncludes {
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        let file = FilesThenBuiltIn.open(from, path)?;
        let included =
            Included { by: from.name.clone(), path: path.to_owned(), file: Text::of(&file) };
        let mut kept = self.0.borrow_mut();
        if !kept.contains(&included) {
            kept.push(included);
        }
        Ok(file)
    }

    fn has(&self, from: &SourceFile, path: &str) -> bool {
        FilesThenBuiltIn.has(from, path)
    }
}

/// Finds includes in a certificate, and remembers which were found.
struct IncludesOfCertificate<'a> {
    includes: &'a [Included],
    found: RefCell<BTreeSet<usize>>,
}

impl Includes for IncludesOfCertificate<'_> {
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        let place = self.includes.iter().position(|i| i.by == from.name && i.path == path);
        let place =
            place.ok_or_else(|| IncludeRefusal("the certificate has no such text".to_owned()))?;
        self.found.borrow_mut().insert(place);
        Ok(self.includes[place].file.file())
    }
}

impl ModelText {
    /// Keeps a model's texts.
    ///
    /// # Errors
    /// What it includes cannot be read any more.
    pub fn of(model: &Model) -> Result<Self, Vec<Diagnostic>> {
        let keeping = RecordedIncludes::default();
        Model::parse(model.source.clone(), &keeping)?;
        Ok(Self { model: Text::of(&model.source), includes: keeping.0.into_inner() })
    }

    /// Reads the model.
    ///
    /// # Errors
    /// Those of the reader; a text that the model does not include.
    pub fn read(&self) -> Result<Model, Vec<Diagnostic>> {
        let kept = IncludesOfCertificate { includes: &self.includes, found: RefCell::default() };
        let model = Model::parse(self.model.file(), &kept)?.model;
        let found = kept.found.into_inner();
        match (0..self.includes.len()).find(|place| !found.contains(place)) {
            None => Ok(model),
            Some(place) => {
                let Included { by, path, .. } = &self.includes[place];
                let what = format!(
                    "the certificate has a text for `include \"{path}\"` in `{by}`, which includes no such file"
                );
                Err(vec![Diagnostic::error(what)])
            }
        }
    }
}
