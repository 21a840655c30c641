//! The name of a file for Rocq.

use std::fmt;
use std::path::PathBuf;

/// A name that `coqc` does not take.
#[derive(Debug)]
pub struct NoRocqFile;

impl fmt::Display for NoRocqFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "`coqc` wants a name of letters, digits and `_` with `.v` behind it, like `theorem_1.v`",
        )
    }
}

impl std::error::Error for NoRocqFile {}

/// A file that `coqc` takes: it is named after what Rocq calls a module.
pub fn rocq_file(text: &str) -> Result<PathBuf, NoRocqFile> {
    let path = PathBuf::from(text);
    let module =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".v"));
    let fits = module.is_some_and(|m| {
        m.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && m.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if fits { Ok(path) } else { Err(NoRocqFile) }
}
