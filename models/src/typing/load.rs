//! Reading models from files and texts, and where their includes come from.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Options;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect::split_prefix;
use crate::library;
use crate::model::{Loaded, Model};

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
        let built_in = name.starts_with(library::BUILT_IN_FOLDER);
        let beside: PathBuf = folder.join(path);
        if !built_in && beside.exists() {
            return read(&beside).map_err(|error| error.message);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        library::built_in_file(name)
            .ok_or_else(|| format!("there is no such file in `{}`, and none is built in", folder_name(&folder)))
    }
}

/// Only the built-in files; for texts that do not come from a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnlyBuiltIn;

impl Includes for OnlyBuiltIn {
    fn open(&self, _from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, String> {
        library::built_in_file(path).ok_or_else(|| "no such file is built in".to_owned())
    }
}

fn folder_name(folder: &Path) -> String {
    let name = folder.display().to_string();
    if name.is_empty() { ".".to_owned() } else { name }
}

/// Reads a text file, within the limit of size.
pub(crate) fn read(path: &Path) -> Result<Arc<SourceFile>, Diagnostic> {
    let name = path.display().to_string();
    let fail = |what: String| Diagnostic::error(format!("cannot read {name}: {what}"));
    let metadata = std::fs::metadata(path).map_err(|e| fail(e.to_string()))?;
    if metadata.is_dir() {
        return Err(fail("it is a folder".into()).help("give the path of a .cat file"));
    }
    // Not by `metadata`: pipes and devices have no length.
    let limit = crate::cat::MAX_TEXT as u64;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| fail(e.to_string()))?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(fail(format!("it is too large for a model, more than {limit} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        fail(format!("it is not a text in UTF-8 (line {line})")).help("a model is a .cat text")
    })?;
    Ok(SourceFile::new(name, text))
}

impl Model {
    /// Reads a model from a file; includes are looked up beside the file that includes them, then among the built-in ones.
    pub fn load(path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
        Self::load_with(path, &Options::default())
    }

    /// Like [`Model::load`], with options.
    pub fn load_with(path: &Path, options: &Options) -> Result<Loaded, Vec<Diagnostic>> {
        let source = read(path).map_err(|error| vec![error])?;
        Self::parse_with(source, &FilesThenBuiltIn, options)
    }

    /// Reads a model from a text.
    pub fn parse(source: Arc<SourceFile>, includes: &dyn Includes) -> Result<Loaded, Vec<Diagnostic>> {
        Self::parse_with(source, includes, &Options::default())
    }

    /// Like [`Model::parse`], with options.
    pub fn parse_with(source: Arc<SourceFile>, includes: &dyn Includes, options: &Options) -> Result<Loaded, Vec<Diagnostic>> {
        super::typed(&source, includes, options)
    }
}
