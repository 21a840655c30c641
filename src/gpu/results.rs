//! Files of results: lines of JSON, only ever added to.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;

use crate::output::SCHEMA;

/// A file of results, open for more of them.
pub struct Results {
    path: PathBuf,
    file: File,
}

impl Results {
    /// Opens or makes the file. One of another version, or with something else in it, is left alone.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        if path.exists() {
            let wrong =
                |what: String| Diagnostic::error(format!("`{}`: {what}", path.display())).help("name a new file with --results");
            let file = File::open(path).map_err(|e| wrong(format!("cannot read: {e}")))?;
            let mut first = String::new();
            BufReader::new(file).read_line(&mut first).map_err(|e| wrong(format!("cannot read: {e}")))?;
            let schema = serde_json::from_str::<serde_json::Value>(&first).ok().and_then(|v| v.get("schema")?.as_u64());
            match schema {
                _ if first.is_empty() => {}
                Some(n) if n == u64::from(SCHEMA) => {}
                Some(n) => return Err(wrong(format!("results of version {n}; this program writes version {SCHEMA}"))),
                None => return Err(wrong("line 1 is no result; expected an object of JSON with `schema`".to_owned())),
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| Diagnostic::error(format!("cannot write `{}`: {e}", path.display())))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Adds a line, and sees to it that it is on the disk.
    pub fn add(&mut self, line: &serde_json::Value) -> Result<(), Diagnostic> {
        let written = self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|e| Diagnostic::error(format!("cannot write `{}`: {e}; what it had is still there", self.path.display())))
    }
}
