//! Answers of `margay prove --all-mappings --out DIR`, kept in `DIR/answers`: a question that was
//! answered is not asked again.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use margay_console::folder;
use margay_console::output::Output;
use margay_mappings::check::MappingAnswerFile;
use margay_mappings::language::Mapping;
use margay_models::diagnostic::Diagnostic;
use margay_models::digest::{digest_of, digest_of_file};
use margay_reports::Verdict;
use serde::{Deserialize, Serialize};

use super::{ProofMatrixCell, ProofMatrixOptions};
use crate::matrix::MappingPair;

/// The folder within that of the page.
const FOLDER: &str = "answers";

/// The digest of this program, computed once: it is asked for with every question.
fn program() -> Option<&'static str> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    PROGRAM.get_or_init(|| digest_of_file(&std::env::current_exe().ok()?).ok()).as_deref()
}

/// Where the answer to a question is kept.
pub struct KeptProofAnswer<'a> {
    answer: MappingAnswerFile,
    of: MappingPair<'a>,
    folder: &'a Path,
    timeout: Option<Duration>,
}

/// An answer as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofAnswerRecord {
    /// `None` where it is open.
    theorem: Option<bool>,
    words: String,
    axioms: Vec<(String, String)>,
    seconds: f64,
    /// If the time given was used up: how much that was. With more time the answer may be another
    /// one.
    late: Option<Option<Duration>>,
}

impl<'a> KeptProofAnswer<'a> {
    /// That of a question, if there is a folder for the page. An answer is used again for the same
    /// texts of the table and of the models, the same options, and the same program: nothing less
    /// tells two versions of the search for proofs from each other.
    ///
    /// # Errors
    /// Options that do not fit the mapping, a model that cannot be read any more.
    pub fn of(
        mapping: &Mapping,
        of: MappingPair<'a>,
        options: &'a ProofMatrixOptions,
    ) -> Result<Option<Self>, Vec<Diagnostic>> {
        let Some(folder) = options.out.as_deref() else { return Ok(None) };
        let Some(program) = program() else { return Ok(None) };
        let depends = digest_of(&(options.check.bound, program));
        let name = format!("{}-{}-{}", of.mapping, of.source, of.target);
        let answer =
            MappingAnswerFile::new(&folder.join(FOLDER), &name, mapping, &options.check, &depends)?;
        Ok(Some(Self { answer, of, folder, timeout: options.timeout }))
    }

    /// The answer of a run before. One whose time was used up answers the same with the same time
    /// alone.
    pub fn read(&self) -> Option<ProofMatrixCell<'a>> {
        let ProofAnswerRecord { theorem, words, axioms, seconds, late } = self.answer.read()?;
        if late.is_some_and(|before| before != self.timeout) {
            return None;
        }
        let verdict = match theorem {
            Some(true) => Verdict::Theorem,
            Some(false) => Verdict::Counterexample,
            None => Verdict::Open,
        };
        Some(ProofMatrixCell {
            of: self.of,
            verdict,
            words,
            axioms,
            seconds,
            late: late.is_some(),
            kept: true,
        })
    }

    /// Keeps an answer. What cannot be kept is told of, and is asked again another time.
    pub fn write(&self, cell: &ProofMatrixCell<'_>, output: &Output) {
        let theorem = match cell.verdict {
            Verdict::Theorem => Some(true),
            Verdict::Counterexample => Some(false),
            _ => None,
        };
        let late = cell.late.then_some(self.timeout);
        let record = ProofAnswerRecord {
            theorem,
            words: cell.words.clone(),
            axioms: cell.axioms.clone(),
            seconds: cell.seconds,
            late,
        };
        if let Err(error) = self.answer.write(&record) {
            folder::unwritten(&self.folder.join(FOLDER), &error, *output);
        }
    }
}
