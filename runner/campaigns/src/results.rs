//! Files of results: lines of JSON, only ever added to.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use margay_models::durable::added_to;
use margay_reports::gpu::{CampaignQuestion, FailedTest, MeasuredLine};
use margay_reports::{Document, body};
use serde_json::Value;

/// What a line says.
#[derive(Debug)]
pub enum ResultLine {
    /// The test was run.
    Measured(Box<MeasuredLine>),
    /// The device failed at it.
    Failed(Box<FailedTest>),
}

/// A line of a file of results.
#[derive(Debug)]
pub struct ResultsEntry {
    /// A measurement, or how the device failed.
    pub answer: ResultLine,
    /// As it stands there: which release measured it is a part of it.
    pub text: String,
}

impl ResultsEntry {
    /// Reads the version of a line and, if it is of this version, what it says.
    pub fn read(text: &str) -> Option<(u64, Option<Self>)> {
        let value: Value = serde_json::from_str(text).ok()?;
        let schema = value.get("schema")?.as_u64()?;
        let known = margay_reports::command(MeasuredLine::COMMAND)
            .is_some_and(|command| schema == u64::from(command.schema));
        let measured = |body: Value| {
            serde_json::from_value(body).ok().map(|line| ResultLine::Measured(Box::new(line)))
        };
        let failed = |body: Value| {
            serde_json::from_value(body).ok().map(|failed| ResultLine::Failed(Box::new(failed)))
        };
        let answer = measured(body(&value)).or_else(|| failed(body(&value))).filter(|_| known);
        Some((schema, answer.map(|answer| Self { answer, text: text.to_owned() })))
    }

    /// What it is the answer to.
    pub fn question(&self) -> &CampaignQuestion {
        match &self.answer {
            ResultLine::Measured(line) => &line.question,
            ResultLine::Failed(failed) => &failed.question,
        }
    }

    /// Is it of a run that was interrupted?
    fn is_interrupted(&self) -> bool {
        matches!(&self.answer, ResultLine::Measured(line) if line.interrupted)
    }
}

/// Is it the beginning of a line of results, of which the rest was not written when the program was
/// stopped?
pub fn is_cut(line: &str) -> bool {
    line.is_empty()
        || line.starts_with('{')
            && serde_json::from_str::<Value>(line).is_err_and(|error| error.is_eof())
}

/// A file of results, open for more of them.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: File,
    lines: Vec<ResultsEntry>,
}

impl Results {
    /// Opens or makes the file. One of another version, or with something else in it, is left
    /// alone. A line that was cut off when the program was stopped is passed over.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let wrong = |what: String| {
            Diagnostic::error(format!("`{}`: {what}", path.display()))
                .help("name a new file with --results")
        };
        // What is no file (a terminal, /dev/full) has nothing to go on with, and perhaps no end.
        let text = if path.is_file() {
            std::fs::read_to_string(path).map_err(|e| wrong(format!("cannot read: {e}")))?
        } else {
            String::new()
        };
        let version =
            margay_reports::command(MeasuredLine::COMMAND).map_or(0, |command| command.schema);
        let mut lines = Vec::new();
        for (n, line) in text.lines().enumerate() {
            match ResultsEntry::read(line) {
                Some((_, Some(entry))) => lines.push(entry),
                Some((schema, None)) if schema != u64::from(version) => {
                    return Err(wrong(format!(
                        "results of version {schema}; this program writes version {version}"
                    )));
                }
                None if is_cut(line) => {}
                Some((_, None)) | None => {
                    return Err(wrong(format!(
                        "line {} is no result; expected is what `gpu run` prints as JSON",
                        n + 1
                    )));
                }
            }
        }
        let cannot = |e: std::io::Error| {
            Diagnostic::error(format!("cannot write `{}`: {e}", path.display()))
        };
        let mut file = added_to(path).map_err(cannot)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(cannot)?;
        }
        Ok(Self { path: path.to_owned(), file, lines })
    }

    /// The last line that answers a question, and is not of a run that was interrupted.
    pub fn known(&self, question: &CampaignQuestion) -> Option<&ResultsEntry> {
        self.lines
            .iter()
            .rev()
            .filter(|line| !line.is_interrupted())
            .find(|line| line.question().answers(question))
    }

    /// Adds what was measured, and sees to it that it is on the disk.
    pub fn measured(&mut self, line: &MeasuredLine) -> Result<(), Diagnostic> {
        self.add(line.line(), ResultLine::Measured(Box::new(line.clone())))
    }

    /// Adds that the device failed at a test.
    pub fn failed(&mut self, failed: FailedTest) -> Result<(), Diagnostic> {
        self.add(failed.line(), ResultLine::Failed(Box::new(failed)))
    }

    fn add(&mut self, text: std::io::Result<String>, answer: ResultLine) -> Result<(), Diagnostic> {
        let mut written = text
            .and_then(|text| self.file.write_all(format!("{text}\n").as_bytes()).map(|()| text));
        if self.path.is_file() {
            written = written.and_then(|text| self.file.sync_data().map(|()| text));
        }
        let failed = |e| {
            Diagnostic::error(format!(
                "cannot write `{}`: {e}; what it had is still there",
                self.path.display()
            ))
        };
        let text = written.map_err(failed)?;
        self.lines.push(ResultsEntry { answer, text });
        Ok(())
    }
}
