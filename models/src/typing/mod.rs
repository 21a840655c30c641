//! From text to typed model.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile};
use crate::model::{Loaded, Model};

/// Where `include "file"` finds its text.
pub trait Includes {
    /// The text for `path` as written in `from`; the error is one sentence.
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, String>;
}

impl Model {
    /// Reads a model from a file; includes are looked up beside the file that includes them, then among the built-in ones.
    pub fn load(_path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
        todo!()
    }

    /// Reads a model from a text.
    pub fn parse(_source: Arc<SourceFile>, _includes: &dyn Includes) -> Result<Loaded, Vec<Diagnostic>> {
        todo!()
    }
}
