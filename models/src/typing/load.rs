//! Reading models from files and texts, and where their includes come from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::TypingOptions;
use crate::cat;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect::{self, split_prefix};
use crate::library;
use crate::limited;
use crate::model::{Loaded, Model};
use crate::signature::Signature;
use crate::signature::architecture::EXTENSION;
use crate::text::{FileKind, another, kind};

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
            only_models(&beside)?;
            return read(&beside).map_err(|error| error.message);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        library::built_in_file(name)
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
        library::built_in_file(path).ok_or_else(|| "no such file is built in".to_owned())
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

impl Model {
    /// Reads a model from a file; includes are looked up beside the file that includes them, then among the built-in ones.
    pub fn load(path: &Path) -> Result<Loaded, Vec<Diagnostic>> {
        Self::load_with(path, &TypingOptions::default())
    }

    /// Like [`Model::load`], with options.
    pub fn load_with(path: &Path, options: &TypingOptions) -> Result<Loaded, Vec<Diagnostic>> {
        let source = read(path).map_err(|error| vec![error])?;
        Self::parse_with(source, &FilesThenBuiltIn, options)
    }

    /// Reads a model from a text.
    pub fn parse(source: Arc<SourceFile>, includes: &dyn Includes) -> Result<Loaded, Vec<Diagnostic>> {
        Self::parse_with(source, includes, &TypingOptions::default())
    }

    /// Like [`Model::parse`], with options.
    pub fn parse_with(
        source: Arc<SourceFile>,
        includes: &dyn Includes,
        options: &TypingOptions,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        super::typed(&source, includes, options).map_err(|errors| match kind(&source) {
            Some(FileKind::Litmus | FileKind::Document | FileKind::Kernel) => {
                another(&source, FileKind::Model).map_or(errors, |error| vec![error])
            }
            _ => errors,
        })
    }

    /// Reads a model of a signature from a text that does not say of which it is.
    pub(crate) fn parse_as(
        source: Arc<SourceFile>,
        includes: &dyn Includes,
        signature: Signature,
    ) -> Result<Loaded, Vec<Diagnostic>> {
        let parsed = cat::parse(&source);
        if !parsed.errors.is_empty() {
            return Err(parsed.errors);
        }
        let reading = (&dialect::MARGAY, signature.dialect());
        super::typed_as(&parsed.file, (&source, includes, &TypingOptions::default()), reading, None).map_err(|(_, errors)| errors)
    }
}
