//! The text of an architecture as lines of words and quoted strings. Comments are `//`, `#` and `(* *)`.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, Span};

/// A word of a statement, or a quoted string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// A word.
    Word(String),
    /// A string, without its quotation marks.
    Quoted(String),
}

/// The words of a line.
pub(super) type Line = Vec<(Item, Span)>;

/// The lines of a text that say something, cut into words.
pub(super) fn lines(file: &Arc<SourceFile>) -> Result<Vec<Line>, Diagnostic> {
    let text = &file.text;
    let (mut out, mut line) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c == '\n' {
            if !line.is_empty() {
                out.push(std::mem::take(&mut line));
            }
            at += 1;
        } else if c.is_whitespace() || c == '\u{feff}' && at == 0 {
            at += c.len_utf8();
        } else if rest.starts_with("//") || c == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("(*") {
            let Some(end) = rest.find("*)") else {
                return Err(Diagnostic::error("this comment is never closed")
                    .at(file, Span::new(at, at + 2), "opened here")
                    .help("close it with `*)`"));
            };
            at += end + 2;
        } else if c == '"' {
            let Some(end) = rest[1..].find(['"', '\n']).filter(|&e| rest.as_bytes()[e + 1] == b'"') else {
                return Err(Diagnostic::error("this string is never closed")
                    .at(file, Span::new(at, at + 1), "opened here")
                    .help("close it with `\"` on the same line"));
            };
            line.push((Item::Quoted(rest[1..=end].to_owned()), Span::new(at, at + end + 2)));
            at += end + 2;
        } else {
            let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '#');
            let mut len = rest.find(ends).unwrap_or(rest.len()).max(c.len_utf8());
            for comment in ["//", "(*"] {
                len = rest[..len].find(comment).filter(|&i| i > 0).unwrap_or(len);
            }
            line.push((Item::Word(rest[..len].to_owned()), Span::new(at, at + len)));
            at += len;
        }
    }
    if !line.is_empty() {
        out.push(line);
    }
    Ok(out)
}
