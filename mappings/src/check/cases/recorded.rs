//! What cases took, read back from a folder of answers.

use std::path::Path;

use margay_models::diagnostic::Diagnostic;

use super::cost::CaseCost;
use super::store::SUFFIX;
use super::store::any_answer;
use crate::check::cases::record::{AnswerRecord, DecisionRecord};
use crate::encode::shape::ThreadShape;

/// A case that was solved.
#[derive(Debug, Clone)]
pub struct RecordedCase {
    /// The folder of its statement.
    pub statement: String,
    pub name: String,
    /// The kind of programs.
    pub kind: String,
    pub shape: ThreadShape,
    /// Is it a leaf of a shape?
    pub leaf: bool,
    /// Question and cost of each answer.
    pub costs: Vec<(usize, CaseCost)>,
}

impl RecordedCase {
    /// The cost of all its questions.
    pub fn cost(&self) -> CaseCost {
        self.costs.iter().fold(CaseCost::default(), |sum, (_, cost)| sum.plus(*cost))
    }
}

/// The bound, kind, shape and the rest of a case's name.
fn parts(name: &str) -> Option<(String, ThreadShape, bool)> {
    let mut words = name.split('-');
    let (_, kind, shape, _) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let sizes: Option<Vec<usize>> = shape.split('+').map(|size| size.parse().ok()).collect();
    Some((kind.to_owned(), ThreadShape::of(&sizes?)?, words.next().is_some()))
}

/// The cases that were solved, by statement and name. Files that are no answers are left out.
///
/// # Errors
/// The folder cannot be read.
pub fn recorded(folder: &Path) -> Result<Vec<RecordedCase>, Diagnostic> {
    let fail = |error: std::io::Error| {
        Diagnostic::error(format!("cannot read the answers in `{}`: {error}", folder.display()))
            .help("give the folder of a `margay check --checkpoint`")
    };
    let mut out = Vec::new();
    for statement in std::fs::read_dir(folder).map_err(fail)?.flatten() {
        let path = statement.path();
        if !path.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(&path).map_err(fail)?.flatten() {
            let file_name = file.file_name();
            let Some(name) = file_name.to_str().and_then(|name| name.strip_suffix(SUFFIX)) else {
                continue;
            };
            let Some((kind, shape, leaf)) = parts(name) else { continue };
            let Some(record) = any_answer::<AnswerRecord>(&file.path()) else { continue };
            let costs = record.decisions.iter().map(DecisionRecord::cost).collect();
            let statement = statement.file_name().to_string_lossy().into_owned();
            out.push(RecordedCase { statement, name: name.to_owned(), kind, shape, leaf, costs });
        }
    }
    out.sort_by(|a, b| (&a.statement, &a.name).cmp(&(&b.statement, &b.name)));
    Ok(out)
}
