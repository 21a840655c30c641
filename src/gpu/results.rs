//! Files of results: lines of JSON, only ever added to.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use serde_json::Value;

use crate::output::SCHEMA;

/// A file of results, open for more of them.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: File,
    lines: Vec<Value>,
}

impl Results {
    /// Opens or makes the file. One of another version, or with something else in it, is left alone. A line that was cut off when the
    /// program was stopped is passed over.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let wrong =
            |what: String| Diagnostic::error(format!("`{}`: {what}", path.display())).help("name a new file with --results");
        // What is no file (a terminal, /dev/full) has nothing to go on with, and perhaps no end.
        let text = if path.is_file() {
            std::fs::read_to_string(path).map_err(|e| wrong(format!("cannot read: {e}")))?
        } else {
            String::new()
        };
        let mut lines = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let value = serde_json::from_str::<Value>(line).ok();
            let schema = value.as_ref().and_then(|v| v.get("schema")?.as_u64());
            match (schema, value) {
                (Some(n), Some(value)) if n == u64::from(SCHEMA) => lines.push(value),
                (Some(n), _) => return Err(wrong(format!("results of version {n}; this program writes version {SCHEMA}"))),
                (None, None) if line.starts_with('{') => {}
                (None, _) => {
                    return Err(wrong(format!("line {} is no result; expected an object of JSON with `schema`", n + 1)));
                }
            }
        }
        let cannot = |e: std::io::Error| Diagnostic::error(format!("cannot write `{}`: {e}", path.display()));
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(cannot)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(cannot)?;
        }
        Ok(Self { path: path.to_owned(), file, lines })
    }

    /// The last line that answers a question: that has all its fields, and is not of a run that was interrupted.
    pub fn known(&self, question: &Value) -> Option<&Value> {
        let fields = question.as_object()?;
        let whole = self.lines.iter().rev().filter(|line| line.get("interrupted") != Some(&Value::Bool(true)));
        whole.into_iter().find(|line| fields.iter().all(|(key, value)| line.get(key) == Some(value)))
    }

    /// Adds a line, and sees to it that it is on the disk.
    pub fn add(&mut self, line: &Value) -> Result<(), Diagnostic> {
        let mut written = self.file.write_all(format!("{line}\n").as_bytes());
        if self.path.is_file() {
            written = written.and_then(|()| self.file.sync_data());
        }
        let failed = |e| Diagnostic::error(format!("cannot write `{}`: {e}; what it had is still there", self.path.display()));
        written.map_err(failed)?;
        self.lines.push(line.clone());
        Ok(())
    }
}
