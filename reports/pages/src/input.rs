//! Reads what commands print with `--format json`: one object, or one on each line.

use std::path::Path;

use margay_models::diagnostic::{Diagnostic, SourceFile, Span};
use margay_models::limited;
use margay_reports::error;
use serde_json::{Map, Value};

use margay_console::terminal;

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 28;

/// What one command printed.
pub struct Section {
    pub command: String,
    /// The file that it was read from.
    pub file: String,
    /// Its objects.
    pub documents: Vec<Map<String, Value>>,
}

/// The sections of a file: one for each run of objects of one command.
pub fn read(path: &Path) -> Result<Vec<Section>, Diagnostic> {
    let name = limited::name(path);
    let bytes = limited::given(path, MAX_FILE)
        .map_err(|e| Diagnostic::error(format!("cannot read `{name}`: {e}")))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let file = SourceFile::new(name.clone(), text);
    let mut sections: Vec<Section> = Vec::new();
    let mut values = serde_json::Deserializer::from_str(&file.text).into_iter::<Value>();
    loop {
        let at = skipped(&file.text, values.byte_offset());
        let Some(value) = values.next() else { break };
        let wrong = |what: String, help: &str| {
            Diagnostic::error(what).at(&file, Span::new(at, at + 1), "here").help(help.to_owned())
        };
        let help = "give what a command of Margay prints with `--format json`";
        let object = match value {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                return Err(wrong(format!("`{name}` has a JSON value that is no object"), help));
            }
            Err(e) => {
                let end = file.text.len();
                let line: usize = file
                    .text
                    .split_inclusive('\n')
                    .take(e.line().saturating_sub(1))
                    .map(str::len)
                    .sum();
                let at = (line + e.column().saturating_sub(1)).min(end);
                let error = Diagnostic::error(format!("`{name}` is not JSON: {e}"));
                return Err(error.at(&file, Span::new(at, (at + 1).min(end)), "here").help(help));
            }
        };
        let object = printable(object);
        let known = object.get("command").and_then(Value::as_str).and_then(margay_reports::command);
        let version = known.map_or(error::SCHEMA, |command| command.schema);
        match object.get("schema").and_then(Value::as_u64) {
            Some(schema) if schema == u64::from(version) => {}
            Some(other) => {
                return Err(wrong(
                    format!("this is JSON of schema {other}; this Margay reads {version}"),
                    "use the Margay that printed it",
                ));
            }
            None => return Err(wrong(format!("`{name}` has an object without `schema`"), help)),
        }
        let command =
            known.map_or_else(|| "Margay".to_owned(), |command| format!("margay {}", command.name));
        match sections.last_mut() {
            Some(last) if last.command == command => last.documents.push(object),
            _ => sections.push(Section { command, file: name.clone(), documents: vec![object] }),
        }
    }
    if sections.is_empty() {
        return Err(Diagnostic::error(format!("`{name}` is empty"))
            .help("give what a command prints with `--format json`"));
    }
    Ok(sections)
}

/// The object with what a terminal would obey made visible in all its texts: a summary may be read
/// in one.
fn printable(object: Map<String, Value>) -> Map<String, Value> {
    fn of(value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(terminal::printable(&text, false).into_owned()),
            Value::Array(list) => Value::Array(list.into_iter().map(of).collect()),
            Value::Object(object) => Value::Object(printable(object)),
            other => other,
        }
    }
    object
        .into_iter()
        .map(|(key, value)| (terminal::printable(&key, false).into_owned(), of(value)))
        .collect()
}

/// Where the next value starts.
fn skipped(text: &str, offset: usize) -> usize {
    let rest = text.get(offset..).unwrap_or_default();
    (offset + rest.len() - rest.trim_start().len()).min(text.len().saturating_sub(1))
}
