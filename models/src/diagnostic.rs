//! Diagnostics that point into a text: what every reader of Margay (.cat, .map, litmus) returns
//! when its input is wrong.
//!
//! Rendering (colours, the quoted line) is the command line's business; libraries only say what and
//! where.

use std::fmt;
use std::sync::Arc;

/// A text that was read, with the name to show for it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// The path as the user wrote it, or `<built-in>/NAME`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// The last place that can be shown: behind the last line, and not in a line that is not there.
    #[must_use]
    pub fn end(&self) -> usize {
        let text = self.text.strip_suffix("\r\n").or_else(|| self.text.strip_suffix('\n'));
        text.unwrap_or(&self.text).len()
    }

    /// Line and column (both from 1, columns in characters) of a byte offset. What is behind the
    /// last line is at its end.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.end());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// A half-open range of bytes in a [`SourceFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A range of bytes of one file: where a definition or a check of a model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// The file that the range is in.
    pub file: Arc<SourceFile>,
    /// The range in it.
    pub span: Span,
}

impl SourcePlace {
    /// The line (from 1) on which it starts.
    pub fn line(&self) -> usize {
        self.file.position(self.span.start).0
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        self.file.text.get(self.span.start..self.span.end).unwrap_or_default()
    }
}

impl fmt::Display for SourcePlace {
    /// `file:line`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.name, self.line())
    }
}

/// A place in a file and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The file that the span points into.
    pub file: Arc<SourceFile>,
    /// Where.
    pub span: Span,
    /// What is there, or what was expected.
    pub text: String,
}

/// How serious a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input is used, but probably not as meant.
    Warning,
}

/// One finding about an input: what is wrong, where, what was expected, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// The place; the first label is the primary one. Empty when there is no text (a file that
    /// cannot be read).
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), labels: Vec::new(), help: None }
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, file: &Arc<SourceFile>, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { file: file.clone(), span, text: text.into() });
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: error: message`, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = self.labels.first() {
            let (line, column) = label.file.position(label.span.start);
            write!(f, "{}:{line}:{column}: ", label.file.name)?;
        }
        match self.severity {
            Severity::Error => write!(f, "error: {}", self.message),
            Severity::Warning => write!(f, "warning: {}", self.message),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// Longer names are no typing mistakes of each other, and comparing two takes as long as their
/// lengths multiplied.
const LONGEST: usize = 200;

/// The name in `known` that is nearest to `name` by edit distance, if it is near enough to be a
/// likely typing mistake.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // One letter is near every other one: only its case may be wrong.
    let length = name.chars().count();
    let limit = match length {
        1 => 0,
        LONGEST.. => return None,
        length => (length / 3).max(1),
    };
    known
        .into_iter()
        // Each letter more is an edit.
        .filter(|k| k.len() <= 4 * (length + limit) && k.chars().count().abs_diff(length) <= limit)
        .map(|k| (edit_distance(&name.to_lowercase(), &k.to_lowercase()), k))
        .filter(|&(d, _)| d <= limit)
        // Of names as near, that with more of the same beginning: few err in the first letter.
        .min_by_key(|&(d, k)| {
            (
                d,
                std::cmp::Reverse(name.chars().zip(k.chars()).take_while(|(a, b)| a == b).count()),
                k,
            )
        })
        .map(|(_, k)| k)
}

/// Levenshtein distance in characters, with a swap of neighbours as one edit.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                best = best.min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}
