//! Where what a model includes comes from.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cat::BELL_INSTEAD;
use crate::diagnostic::{Diagnostic, SourceFile};
use crate::dialect::split_prefix;
use crate::limited;
use crate::shipped;
use crate::signature::architecture::EXTENSION;

/// Why a text is not included: the end of a sentence that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludeRefusal(pub String);

impl fmt::Display for IncludeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for IncludeRefusal {}

/// Where `include "file"` finds its text.
pub trait Includes {
    /// The text for `path` as written in `from`.
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal>;

    /// Is there something at `path` beside `from`? Where it cannot be opened, something else must
    /// not be taken in its place without a word.
    fn has(&self, _from: &SourceFile, _path: &str) -> bool {
        false
    }
}

/// Looks beside the file that includes, then among the built-in files.
#[derive(Debug, Clone, Copy, Default)]
pub struct FilesThenBuiltIn;

impl Includes for FilesThenBuiltIn {
    fn open(&self, from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        let folder = folder_of(from);
        if let Some(beside) =
            folder.as_ref().map(|folder| folder.join(path)).filter(|beside| beside.exists())
        {
            only_models(&beside)?;
            return read(&beside).map_err(|error| IncludeRefusal(error.message));
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        shipped::built_in_file(name).ok_or_else(|| {
            IncludeRefusal(format!(
                "there is no such file in `{}`, and none is built in",
                folder_name(&folder.unwrap_or_default())
            ))
        })
    }

    fn has(&self, from: &SourceFile, path: &str) -> bool {
        folder_of(from).is_some_and(|folder| folder.join(path).symlink_metadata().is_ok())
    }
}

/// The folder that a file lies in, if it was not built in.
fn folder_of(file: &SourceFile) -> Option<PathBuf> {
    let (_, name) = split_prefix(&file.name);
    let built_in = name.starts_with(shipped::BUILT_IN_FOLDER);
    (!built_in).then(|| Path::new(name).parent().unwrap_or(Path::new("")).to_owned())
}

/// What a text names is read only if it is a model, wherever links lead: messages quote what they
/// are about, and a model that somebody else wrote must not be a way to have any file of the
/// machine quoted.
pub(crate) fn only_models(path: &Path) -> Result<(), IncludeRefusal> {
    let real = path.canonicalize().map_err(|e| IncludeRefusal(e.to_string()))?;
    // A model names its architecture.
    let is_read = |extension: &std::ffi::OsStr| extension == "cat" || extension == EXTENSION;
    if real.extension().is_some_and(is_read) && real.is_file() {
        return Ok(());
    }
    let shown = path.display();
    let kind = match path.extension() {
        Some(extension) if extension == EXTENSION => EXTENSION,
        _ => "cat",
    };
    if path.extension().is_some_and(is_read) && real.is_file() {
        return Err(IncludeRefusal(format!(
            "`{shown}` is a link to a file that is no .{kind} file, and no other files are read"
        )));
    }
    if path.extension().is_some_and(|extension| extension == "bell") {
        return Err(IncludeRefusal(format!(
            "`{shown}` is a Bell file, and these are not read; {BELL_INSTEAD}"
        )));
    }
    Err(IncludeRefusal(format!("`{shown}` is no .{kind} file, and no other files are read")))
}

/// Only the built-in files; for texts that do not come from a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnlyBuiltIn;

impl Includes for OnlyBuiltIn {
    fn open(&self, _from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        shipped::built_in_file(path)
            .ok_or_else(|| IncludeRefusal("no such file is built in".to_owned()))
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
        std::io::ErrorKind::IsADirectory => {
            fail(e.to_string()).help("give the path of a .cat file")
        }
        _ => fail(e.to_string()),
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|e| fail(limited::not_a_text(&e)).help("a model is a .cat text"))?;
    Ok(SourceFile::new(name, text))
}
