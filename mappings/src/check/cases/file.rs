//! Case files: everything that solving one case takes, as JSON (docs/cluster.md). Whoever solves it
//! writes the answer that the check which made it would have written.

use std::path::{Path, PathBuf};

use margay_models::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use super::cost::CaseCost;
use super::statement::{CODE, CheckStatement};
use crate::check::program::RaceLesson;
use crate::search::Cube;
use margay_models::durable::write_whole;
use margay_models::limited;

mod solve;

pub use solve::SolvedCaseFile;

/// What the first field of every case file says.
const FORMAT: &str = "margay-case";

/// The version of case files.
const VERSION: u32 = 1;

/// How case files end.
const SUFFIX: &str = ".case.json";

/// The largest case file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// A case with all that solving it takes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    format: String,
    version: u32,
    /// The digest of the statement.
    key: String,
    /// The name of the case and of its answer.
    pub name: String,
    statement: CheckStatement,
    /// The kind of programs.
    kind: String,
    /// The number of source events.
    pub bound: usize,
    /// The number of events of each thread.
    shape: Vec<usize>,
    /// Indices of the questions.
    questions: Vec<usize>,
    /// The leaf of the shape; empty for all executions.
    cube: Cube,
    /// What smaller bounds taught.
    lessons: Vec<RaceLesson>,
    pub predicted: Option<CaseCost>,
}

impl CaseFile {
    /// Writes it into a folder; its path.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let path = folder.join(self.file());
        write_whole(&path, &self.text()?)?;
        Ok(path)
    }

    /// The name of its file.
    pub fn file(&self) -> String {
        format!("{}-{}{SUFFIX}", &self.key[..8], self.name)
    }

    /// What its file says.
    ///
    /// # Errors
    /// None that occur: what it has is text and numbers.
    pub fn text(&self) -> std::io::Result<Vec<u8>> {
        Ok([serde_json::to_vec_pretty(self)?, b"\n".to_vec()].concat())
    }

    /// Reads a case file.
    ///
    /// # Errors
    /// It cannot be read, is no case file, or is one of another version of Margay.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let shown = path.display();
        let fail =
            |why: String| Diagnostic::error(format!("cannot read the case file `{shown}`: {why}"));
        let bytes = limited::read(path, MAX_FILE).map_err(|e| fail(e.to_string()))?;
        let again = "write it again with `margay case export`";
        let file: Self = serde_json::from_slice(&bytes)
            .map_err(|e| fail(format!("it is no case file: {e}")).help(again))?;
        if file.format != FORMAT || file.version != VERSION {
            let found = format!("`{}` version {}", file.format, file.version);
            return Err(fail(format!(
                "it is of {found}, and this is `{FORMAT}` version {VERSION}"
            ))
            .help(again));
        }
        if file.statement.margay != CODE {
            return Err(fail(format!(
                "Margay {} wrote it, and this is {CODE}",
                file.statement.margay
            ))
            .help(again));
        }
        if file.statement.key() != file.key {
            return Err(fail(
                "it was changed: its key is not that of its texts and options".to_owned(),
            )
            .help(again));
        }
        Ok(file)
    }
}
