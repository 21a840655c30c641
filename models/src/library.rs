//! The models that Margay ships, and how a name becomes a model: a path, then the given folders, then what is built in.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile};
use crate::model::Loaded;

/// The names of the built-in models.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// The text of a built-in model.
pub fn built_in(_name: &str) -> Option<Arc<SourceFile>> {
    todo!()
}

/// The model for a name: a path to a file; `name` or `name.cat` in one of the folders; a built-in model.
pub fn load(_name: &str, _folders: &[PathBuf]) -> Result<Loaded, Vec<Diagnostic>> {
    todo!()
}
