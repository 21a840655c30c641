//! Where what a model includes comes from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect::split_prefix;
use crate::limited;
use crate::shipped;
use crate::signature::architecture::EXTENSION;

/// Where `include "file"` finds its text.
pub trait Includes {
    /// The text for `path` as written in `from`; the error is a part of a sentence.
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, String>;
}

/// Looks beside the file that includes, then among the built-in files.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilesThenBuiltIn;

impl Includes for FilesThenBuiltIn {
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, String> {
        let (_, name) = split_prefix(&from.name);
        let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_owned();
        let built_in = name.starts_with(shipped::BUILT_IN_FOLDER);
        let beside: PathBuf = folder.join(path);
        if !built_in && beside.exists() {
            only_models(&beside)?;
            return read(&beside).map_err(|error| error.message);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        shipped::built_in_file(name)
            .ok_or_else(|| format!("there is no such file in `{}`, and none is built in", folder_name(&folder)))
    }
}

/// What a text names is read only if it is a model, wherever links lead: messages quote what they are about, and a model that somebody else wrote
/// must not be a way to have any file of the machine quoted.
pub(crate) fn only_models(path: &Path) -> Result<(), String> {
    let real = path.canonicalize().map_err(|e| e.to_string())?;
    // A model names its architecture.
    let is_read = |extension: &std::ffi::OsStr| extension == "cat" || extension == EXTENSION;
    if real.extension().is_some_and(is_read) && real.is_file() {
        return Ok(());
    }
    Err(format!("`{}` is no .cat file, and no other files are read", path.display()))
}

/// Only the built-in files; for texts that do not come from a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnlyBuiltIn;

impl Includes for OnlyBuiltIn {
    fn open(&self, _from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, String> {
        shipped::built_in_file(path).ok_or_else(|| "no such file is built in".to_owned())
    }
}

fn folder_name(folder: &Path) -> String {
    let name = folder.display().to_string();
    if name.is_empty() { ".".to_owned() } else { name }
}

/// Reads a text file, within the limit of size.
pub(crate) fn read(path: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
    let name = limited::name(path);
    let fail = |what: String| Diagnostic::error(format!("cannot read {name}: {what}"));
    let bytes = limited::given(path, crate::cat::MAX_TEXT as u64).map_err(|e| match e.kind() {
        std::io::ErrorKind::IsADirectory => fail(e.to_string()).help("give the path of a .cat file"),
        _ => fail(e.to_string()),
    })?;
    let text = String::from_utf8(bytes).map_err(|e| fail(limited::not_a_text(&e)).help("a model is a .cat text"))?;
    Ok(SourceFile::new(name, text))
}
