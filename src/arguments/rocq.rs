//! The name of a file for Rocq.

use std::path::PathBuf;

/// A file that `coqc` takes: it is named after what Rocq calls a module.
pub fn rocq_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let module =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".v"));
    let fits = module.is_some_and(|m| {
        m.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && m.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if fits {
        Ok(path)
    } else {
        Err("`coqc` wants a name of letters, digits and `_` with `.v` behind it, like `theorem_1.v`".to_owned())
    }
}
