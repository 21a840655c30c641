//! Folders of tests with expected verdicts. Beside the tests of a folder, `expected.txt` has a line
//! for each test and model:
//!
//! ```text
//! # test      model        verdict              source
//! mp.litmus   ptx-6.0      forbidden            ASPLOS 2019, Fig. 5
//! mp-c.litmus rc11-scoped  forbidden,race-free  explicit engine
//! ```
//!
//! The verdict says whether a legal execution satisfies the condition (`forall`: violates it):
//! `allowed` or `forbidden`, which were `reachable` and `unreachable` once. Where the model knows
//! races, it also says whether there is one; `bounded` is added where a longer unrolling might find
//! an execution. Where nothing follows because no execution ends, executions are lost, or none
//! passes the filter, the verdict is `undecided,endless`, `undecided,lost` or `undecided,filtered`.

pub mod ask;
pub mod choice;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, SourceFile, SourcePlace, Span};
use margay_models::limited;
use margay_models::text::in_line;

pub use crate::verdict::Expected;

/// The name of the file with the expected verdicts of a folder.
pub const EXPECTED: &str = "expected.txt";

/// A line of `expected.txt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectationLine {
    /// The file of the test, within the folder.
    pub file: String,
    /// The name of the model.
    pub model: String,
    /// The verdict.
    pub expected: Expected,
    /// Where the verdict is known from.
    pub source: String,
    /// Where the line stands, if it was read.
    pub place: Option<SourcePlace>,
}

/// A folder of tests.
#[derive(Debug, Clone)]
pub struct CorpusFolder {
    pub path: PathBuf,
    /// What is expected, in the order of the file.
    pub lines: Vec<ExpectationLine>,
    /// Tests of which nothing is expected.
    pub unmentioned: Vec<String>,
}

/// Reads a folder and the folders in it, by name.
pub fn read(path: &Path) -> Result<Vec<CorpusFolder>, Vec<Diagnostic>> {
    let mut folders = Vec::new();
    let mut errors = Vec::new();
    let mut open = vec![path.to_path_buf()];
    let root = path;
    while let Some(path) = open.pop() {
        match folder(root, &path, &mut open) {
            Ok(Some(folder)) => folders.push(folder),
            Ok(None) => {}
            Err(more) => errors.extend(more),
        }
    }
    folders.sort_by(|a, b| a.path.cmp(&b.path));
    if errors.is_empty() { Ok(folders) } else { Err(errors) }
}

/// The largest list of verdicts that is read, in bytes.
const MAX_EXPECTED: u64 = 1 << 26;

/// Reads one folder; those in it are added to `open`.
fn folder(
    root: &Path,
    path: &Path,
    open: &mut Vec<PathBuf>,
) -> Result<Option<CorpusFolder>, Vec<Diagnostic>> {
    let cannot = |e: std::io::Error| {
        let why = if e.kind() == std::io::ErrorKind::NotFound {
            "there is no such folder".to_owned()
        } else {
            e.to_string()
        };
        vec![Diagnostic::error(format!("cannot read {}: {why}", path.display()))]
    };
    if path.is_file() {
        let error = Diagnostic::error(format!(
            "`{}` is a file; verdicts are compared for folders of tests",
            path.display()
        ));
        return Err(vec![error.help(format!(
            "write `margay run {} --model MODEL` for its verdict",
            path.display()
        ))]);
    }
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(path).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_link = entry.file_type().map_err(cannot)?.is_symlink();
        let is_folder = entry.path().is_dir();
        let is_read = name.ends_with(".litmus") || name == EXPECTED || is_folder && is_link;
        if is_read && let Err(error) = limited::of_folder(root, &entry.path()) {
            let shown = in_line(&entry.path().display().to_string());
            return Err(vec![Diagnostic::error(format!("cannot read `{shown}`: {error}"))]);
        }
        if is_folder {
            open.push(entry.path());
        } else if name.ends_with(".litmus") {
            tests.push(name);
        }
    }
    tests.sort();
    let expected = path.join(EXPECTED);
    let lines = match limited::text(&expected, MAX_EXPECTED) {
        Ok(text) => lines(&SourceFile::new(expected.display().to_string(), text))?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(e) => {
            return Err(vec![Diagnostic::error(format!(
                "cannot read {}: {e}",
                expected.display()
            ))]);
        }
    };
    for line in &lines {
        let file = path.join(&line.file);
        if let Err(error) = limited::of_folder(root, &file) {
            return Err(vec![Diagnostic::error(format!(
                "cannot read `{}`: {error}",
                file.display()
            ))]);
        }
    }
    if tests.is_empty() && lines.is_empty() {
        return Ok(None);
    }
    tests.retain(|t| !lines.iter().any(|l| l.file == *t));
    Ok(Some(CorpusFolder { path: path.to_path_buf(), lines, unmentioned: tests }))
}

/// Reads the text of an `expected.txt`.
pub fn lines(file: &Arc<SourceFile>) -> Result<Vec<ExpectationLine>, Vec<Diagnostic>> {
    let mut lines: Vec<ExpectationLine> = Vec::new();
    let mut errors = Vec::new();
    let mut start = 0;
    for text in file.text.split_inclusive('\n') {
        let span = Span::new(start, start + text.trim_end().len());
        start += text.len();
        let mut words = text.split_whitespace();
        let Some(test) = words.next().filter(|w| !w.starts_with('#')) else { continue };
        let (Some(model), Some(verdict)) = (words.next(), words.next()) else {
            errors.push(
                Diagnostic::error("expected a test, a model, a verdict and its source").at(
                    file,
                    span,
                    "this line",
                ),
            );
            continue;
        };
        if Path::new(test).file_name().is_none_or(|name| name != test) {
            let error = Diagnostic::error(format!(
                "expected the name of a test in this folder, found `{test}`"
            ));
            errors.push(error.at(file, span, "this line"));
            continue;
        }
        if lines.iter().any(|l| l.file == test && l.model == model) {
            errors.push(
                Diagnostic::error(format!("a second verdict for {test} under {model}")).at(
                    file,
                    span,
                    "this line",
                ),
            );
        }
        match verdict.parse() {
            Ok(expected) => {
                let source = words.collect::<Vec<_>>().join(" ");
                let place = Some(SourcePlace { file: file.clone(), span });
                lines.push(ExpectationLine {
                    file: test.to_string(),
                    model: model.to_string(),
                    expected,
                    source,
                    place,
                });
            }
            Err(message) => errors.push(Diagnostic::error(message).at(file, span, "this line")),
        }
    }
    if errors.is_empty() { Ok(lines) } else { Err(errors) }
}

/// Can the name of a test or a model stand in an `expected.txt`, whose columns are words?
pub fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('#') && !name.contains(char::is_whitespace)
}

/// Writes the text of an `expected.txt`, in columns.
pub fn write(lines: &[ExpectationLine]) -> String {
    let rows: Vec<[String; 3]> =
        std::iter::once(["# test".to_string(), "model".to_string(), "verdict".to_string()])
            .chain(lines.iter().map(|l| [l.file.clone(), l.model.clone(), l.expected.to_string()]))
            .collect();
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let sources = std::iter::once("source").chain(lines.iter().map(|l| l.source.as_str()));
    let row = |(cells, source): (&[String; 3], &str)| {
        let padded: Vec<String> =
            cells.iter().zip(widths).map(|(cell, w)| format!("{cell:w$}")).collect();
        format!("{}\n", format!("{}  {source}", padded.join("  ")).trim_end())
    };
    rows.iter().zip(sources).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gap::GapKind;

    #[test]
    fn what_is_written_reads_back() {
        let text = "# test\na.litmus ptx-6.0 unreachable Fig. 5\nb.litmus sc undecided,lost,race-free by hand\nlong-name.litmus rc11 reachable,bounded,racy both engines\n";
        let read = lines(&SourceFile::new("expected.txt", text)).unwrap();
        assert_eq!(read[1].expected.gap, Some(GapKind::Lost));
        assert_eq!(
            read[2].expected,
            Expected { reachable: true, bounded: true, racy: Some(true), gap: None }
        );
        assert_eq!(read[0].source, "Fig. 5");
        let without_places = |lines: Vec<ExpectationLine>| {
            lines
                .into_iter()
                .map(|line| ExpectationLine { place: None, ..line })
                .collect::<Vec<_>>()
        };
        let again = lines(&SourceFile::new("expected.txt", write(&read))).unwrap();
        assert_eq!(without_places(again), without_places(read));
    }

    #[test]
    fn mistakes_have_a_place() {
        let errors =
            lines(&SourceFile::new("e", "a b\na b c\na b reachable,often\n../a b reachable\n"))
                .unwrap_err();
        let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "e:1:1: error: expected a test, a model, a verdict and its source",
                "e:2:1: error: expected `allowed`, `forbidden` or `undecided`, found `c`",
                "e:3:1: error: expected `bounded`, `racy` or `race-free`, found `often`",
                "e:4:1: error: expected the name of a test in this folder, found `../a`",
            ]
        );
    }
}
